"""Search on the border of islands: the same answers as without it, whatever was solved before."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.linalg
from matrix_examples import coupled, grid_pairs, random_pairs, tree_pairs

import taut
from taut import solvers
from taut.problem import MlcpProblem, Pattern, families
from taut.problem.dump import SolvedProblem
from taut.problem.generators import chain, random_box
from taut.problem.solution import MlcpSolution, Status, WarmStart
from taut.solvers import condensing, condensing_tables
from taut.solvers.block_pivoting import BlockPivoting
from taut.solvers.island_workspace import IslandStructure

GRAPHS = {
    "links": coupled(100, [(k, k + 1) for k in range(99)], 1, block=6),
    "ring": coupled(60, [(k, (k + 1) % 60) for k in range(60)], 2, block=5),
    "tree": coupled(70, tree_pairs(70, 3), 3, block=4),
    "grid": coupled(100, grid_pairs(10), 4, block=3),
    "loops": coupled(60, tree_pairs(60, 5) + random_pairs(60, 8, 6), 5, block=3),
}
"""Matrices of which a factor takes long enough for a border to be worth while."""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is called, in its order: "border" for a search on one, "interior" for the interior-point method."""
    found: list[str] = []
    border, interior = condensing.border_of, BlockPivoting.iterate

    def seen_border(*arguments):
        found.append("border")
        return border(*arguments)

    def seen_interior(*arguments):
        found.append("interior")
        return interior(*arguments)

    monkeypatch.setattr(condensing, "border_of", seen_border)
    monkeypatch.setattr(BlockPivoting, "iterate", seen_interior)
    return found


def bordered(
    matrix: np.ndarray, seed: int, share: float = 0.1, pattern: Pattern | None = None, fixed: float = 0.0
) -> tuple[MlcpProblem, np.ndarray]:
    """A problem of which only a share of the rows has bounds, half of those at one, with the slack of its solution."""
    rng, size = np.random.default_rng(seed), len(matrix)
    bounded = rng.random(size) < share
    bounded[seed % size] = True
    label = np.where(bounded, rng.choice([-1, 0, 0, 1], size), 0)
    lam, room = rng.normal(size=size), rng.uniform(0.1, 2.0, (2, size))
    lower = np.where(bounded, lam - np.where(label < 0, 0.0, room[0]), -np.inf)
    upper = np.where(bounded & (rng.random(size) < 0.8) | (label > 0), lam + np.where(label > 0, 0.0, room[1]), np.inf)
    if fixed:
        lower, upper = (np.where(bounded & (rng.random(size) < fixed), lam, each) for each in (lower, upper))
        lower = np.where(upper == lam, lam, lower)
    w = -label * rng.uniform(0.1, 2.0, size)
    problem = MlcpProblem.from_matrix(matrix, w - matrix @ lam, lower, upper)
    if pattern is not None:
        problem = MlcpProblem(pattern, problem.values, problem.bias, problem.lower, problem.upper)
    return problem, w


def agree(problem: MlcpProblem, solution: MlcpSolution, names: tuple[str, ...] = ("bpp-refactor", "bpp-dense")) -> None:
    """Other solvers find the same slack; it is unique even where multipliers are not."""
    root = np.sqrt(problem.sparse.diagonal())
    scale = max(np.abs(problem.bias / root).max(), np.abs(solution.lam * root).max())
    assert solution.solved and solution.residual < 1e-9
    for name in names:
        other = solvers.get(name).solve(problem)
        assert other.solved
        np.testing.assert_allclose(solution.w / root, other.w / root, atol=1e-9 * scale, err_msg=name)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", GRAPHS)
def test_problems_with_a_small_border_are_solved_on_it(name: str, seed: int, calls: list[str]) -> None:
    problem, w = bordered(GRAPHS[name], seed)
    solution = solvers.get("bpp").solve(problem)
    assert calls == ["border"]
    np.testing.assert_allclose(solution.w, w, atol=1e-11 * max(1.0, np.abs(problem.bias).max()))
    agree(problem, solution)


@pytest.mark.parametrize("name", ["net_truck", "breaking_bridge"])
def test_scenes_are_solved_with_the_same_slack(name: str, calls: list[str]) -> None:
    found: list[SolvedProblem] = []
    taut.Simulation(taut.scenes.build(name), problems=lambda _, each: found.append(each)).run(0.7, record=False)
    calls.clear()
    for each in found[20::7]:
        agree(each.problem, solvers.get("bpp").solve(each.problem))
        agree(each.problem, solvers.get("bpp").solve(each.problem, each.start))
    assert "border" in calls


def test_chains_on_the_ground_are_solved_with_the_same_slack() -> None:
    problem = families.chain_like(400)
    agree(problem, solvers.get("bpp").solve(problem))


@pytest.mark.parametrize("name", GRAPHS)
def test_a_start_at_the_solution_needs_no_border_and_one_beside_it_does(name: str, calls: list[str]) -> None:
    problem, w = bordered(GRAPHS[name], 5)
    cold = solvers.get("bpp").solve(problem)
    assert calls == ["border"]
    warm = solvers.get("bpp").solve(problem, cold)
    assert calls == ["border"] and warm.solved and warm.iterations == 1
    np.testing.assert_allclose(warm.w, cold.w, atol=1e-11 * max(1.0, np.abs(problem.bias).max()))
    np.testing.assert_array_equal(warm.index_set, cold.index_set)
    other, w = bordered(GRAPHS[name], 5)
    moved = MlcpProblem(other.pattern, other.values, 0.7 * other.bias, other.lower, other.upper)
    agree(moved, solvers.get("bpp").solve(moved, cold))


def test_the_search_on_a_border_starts_where_the_first_pivot_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    border_of = condensing.border_of

    def seen(structure, work, island):
        started.append(int(np.count_nonzero(work.tables.search.index_set)))
        return border_of(structure, work, island)

    monkeypatch.setattr(condensing, "border_of", seen)
    problem, _ = bordered(GRAPHS["tree"], 5)
    cold = solvers.get("bpp").solve(problem)
    beside = cold.index_set.copy()
    beside[np.flatnonzero(beside)[0]] = 0
    warm = solvers.get("bpp").solve(problem, WarmStart(beside, cold.lam))
    assert started == [0, cold.tight_count], "nothing is known, and then one pivot put the row back"
    np.testing.assert_array_equal(warm.index_set, cold.index_set)


def test_islands_without_bounds_need_one_factor_and_no_border(calls: list[str]) -> None:
    dense = random_box(200, 1, 1e3).problem.sparse.toarray()
    for matrix in (chain(150).problem.sparse.toarray(), dense, *GRAPHS.values()):
        problem = MlcpProblem.from_matrix(matrix, np.cos(np.arange(len(matrix))))
        solution = solvers.get("bpp").solve(problem)
        assert solution.solved and (solution.iterations, solution.factorizations) == (1, 1)
    assert calls == []


def test_islands_of_which_all_rows_have_bounds_have_no_border(calls: list[str]) -> None:
    problem, _ = bordered(GRAPHS["links"], 1, 1.0)
    assert solvers.get("bpp").solve(problem).solved
    small, _ = bordered(coupled(5, [(0, 1), (1, 2)]), 1)
    assert solvers.get("bpp").solve(small).solved
    assert "border" not in calls, "small problems are not worth the detour"


@pytest.mark.parametrize("seed", range(4))
def test_fixed_rows_are_part_of_the_border(seed: int, calls: list[str]) -> None:
    problem, _ = bordered(GRAPHS["tree"], seed, 0.15, fixed=0.5)
    fixed = problem.lower == problem.upper
    assert fixed.any()
    solution = solvers.get("bpp").solve(problem)
    assert "border" in calls
    np.testing.assert_array_equal(solution.lam[fixed], problem.lower[fixed])
    agree(problem, solution)


def repeated(matrix: np.ndarray, rows: list[int]) -> np.ndarray:
    """The matrix with some rows once more: they depend on those they repeat."""
    index = np.concatenate([np.arange(len(matrix)), rows])
    return matrix[np.ix_(index, index)]


@pytest.mark.parametrize("seed", range(4))
def test_redundant_rows_without_bounds_hold(seed: int, calls: list[str]) -> None:
    base, _ = bordered(GRAPHS["loops"], seed, 0.05)
    rows = np.flatnonzero(~np.isfinite(base.lower) & ~np.isfinite(base.upper))[[3, 40, 41, 90]].tolist()
    index = np.concatenate([np.arange(base.size), rows])
    problem = MlcpProblem.from_matrix(
        repeated(GRAPHS["loops"], rows), base.bias[index], base.lower[index], base.upper[index]
    )
    solution = solvers.get("bpp").solve(problem)
    assert "border" in calls
    agree(problem, solution)


def test_problems_without_a_solution_have_a_status_that_says_so(calls: list[str]) -> None:
    base, _ = bordered(GRAPHS["loops"], 1, 0.05)
    rows = np.flatnonzero(~np.isfinite(base.lower) & ~np.isfinite(base.upper))[[3, 40]].tolist()
    index = np.concatenate([np.arange(base.size), rows])
    problem = MlcpProblem.from_matrix(
        repeated(GRAPHS["loops"], rows), base.bias[index], base.lower[index], base.upper[index]
    )
    problem.bias[-1] += 1.0
    for name in ("bpp", "bpp-refactor"):
        assert solvers.get(name).solve(problem).status is Status.INFEASIBLE
    assert "border" in calls


def test_indefinite_inner_rows_have_a_status_that_says_so(calls: list[str]) -> None:
    base, _ = bordered(GRAPHS["loops"], 2, 0.05)
    rows = np.flatnonzero(~np.isfinite(base.lower) & ~np.isfinite(base.upper))
    matrix = GRAPHS["loops"].copy()
    a, b = rows[20], rows[21]
    matrix[a, b] = matrix[b, a] = 2.0 * np.sqrt(matrix[a, a] * matrix[b, b])
    problem = MlcpProblem.from_matrix(matrix, base.bias, base.lower, base.upper)
    for name in ("bpp", "bpp-refactor"):
        assert solvers.get(name).solve(problem).status is Status.NOT_POSITIVE_DEFINITE
    assert "border" in calls


def mixed(seed: int) -> MlcpProblem:
    """Islands of all kinds: with a border, small, without bounds, with bounds everywhere, idle, of one row."""
    parts = [
        bordered(GRAPHS["links"], seed)[0], random_box(6, seed, 1e2, 0.4).problem, chain(60).problem,
        bordered(GRAPHS["grid"], seed, 0.05)[0], bordered(GRAPHS["ring"], seed, 1.0)[0],
        MlcpProblem.from_matrix(GRAPHS["tree"], np.zeros(280), np.full(280, -1.0), np.full(280, np.inf)),
        MlcpProblem.from_matrix(np.array([[2.0]]), np.array([-1.0]), np.array([0.0]), np.array([0.25])),
    ]  # fmt: skip
    matrix = scipy.linalg.block_diag(*(each.sparse.toarray() for each in parts))
    bias, lower, upper = (
        np.concatenate([getattr(each, name) for each in parts]) for name in ("bias", "lower", "upper")
    )
    return MlcpProblem.from_matrix(matrix, bias, lower, upper)


@pytest.mark.parametrize("seed", range(3))
def test_islands_of_all_kinds_in_one_problem(seed: int, calls: list[str]) -> None:
    problem = mixed(seed)
    solution = solvers.get("bpp").solve(problem)
    assert calls.count("border") == 2
    agree(problem, solution)
    again = solvers.get("bpp").solve(problem, solution)
    assert calls.count("border") == 2, "all islands are right from the start"
    agree(problem, again, ())


def same(one: MlcpSolution, other: MlcpSolution) -> None:
    np.testing.assert_array_equal(one.lam, other.lam)
    np.testing.assert_array_equal(one.w, other.w)
    np.testing.assert_array_equal(one.index_set, other.index_set)
    assert (one.status, one.iterations, one.factorizations) == (other.status, other.iterations, other.factorizations)


def fresh(problem: MlcpProblem) -> MlcpProblem:
    """The same on a pattern of which nothing is known."""
    pattern = Pattern(problem.pattern.indptr, problem.pattern.indices)
    return MlcpProblem(pattern, problem.values, problem.bias, problem.lower, problem.upper)


def of_one_pattern(name: str, count: int) -> list[MlcpProblem]:
    """Problems of which other rows have bounds each time, and other numbers of them."""
    pattern = MlcpProblem.from_matrix(GRAPHS[name], np.zeros(len(GRAPHS[name]))).pattern
    return [bordered(GRAPHS[name] * (1.0 + seed), seed, 0.04 * (1 + seed % 5), pattern)[0] for seed in range(count)]


@pytest.mark.parametrize("name", GRAPHS)
def test_bits_do_not_depend_on_what_was_solved_before(name: str, calls: list[str]) -> None:
    problems = of_one_pattern(name, 6)
    solver = solvers.get("bpp")
    expected = [solver.solve(fresh(problem)) for problem in problems]
    warm = [solver.solve(fresh(problem), before) for problem, before in zip(problems, expected[1:], strict=False)]
    for order in (range(6), (5, 0, 3, 3, 1, 4, 2)):
        for k in order:
            same(solver.solve(problems[k]), expected[k])
            if k < 5:
                same(solver.solve(problems[k], expected[k + 1]), warm[k])
    assert "border" in calls


def test_threads_find_the_same_bits_on_borders() -> None:
    problems, solver = of_one_pattern("tree", 8), solvers.get("bpp")
    expected = [solver.solve(fresh(problem)) for problem in problems]
    with ThreadPoolExecutor(6) as threads:
        for one, other in zip(threads.map(solver.solve, problems * 4), expected * 4, strict=True):
            same(one, other)


def test_nothing_that_is_left_in_a_workspace_is_read_by_the_next_search(calls: list[str]) -> None:
    problem, _ = bordered(GRAPHS["tree"], 3)
    solver = solvers.get("bpp")
    first = solver.solve(problem)
    (work,) = IslandStructure.of_pattern(problem.pattern).idle
    (border,) = work.borders.values()
    for array in (*border.tables.factor[2:], border.tables.real, border.tables.index_set):
        array.fill(np.nan if array.dtype == np.float64 else -77)
    same(solver.solve(problem), first)
    assert calls == ["border", "border"]


def test_borders_are_planned_once_a_workspace_and_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    planted: list[int] = []
    plant = condensing.plant_tree
    monkeypatch.setattr(condensing, "plant_tree", lambda *arguments: planted.append(1) or plant(*arguments))
    first, _ = bordered(GRAPHS["tree"], 3)
    for _ in range(3):
        solvers.get("bpp").solve(first)
    assert planted == [1]
    for seed in range(40):  # bounds at other rows of one pattern
        solvers.get("bpp").solve(bordered(GRAPHS["tree"], seed, 0.1, first.pattern)[0])
    (work,) = IslandStructure.of_pattern(first.pattern).idle
    assert len(planted) > 30 and len(work.borders) <= condensing.KEPT_BORDERS + 1


def test_dense_patterns_are_kept_by_size() -> None:
    pattern = condensing_tables.full_pattern(3)
    assert pattern is condensing_tables.full_pattern(3) is not condensing_tables.full_pattern(4)
    np.testing.assert_array_equal(pattern.indptr, [0, 3, 6, 9])
    np.testing.assert_array_equal(pattern.indices, [0, 1, 2] * 3)


def with_copies(seed: int) -> MlcpProblem:
    """A banded problem of which every tenth row is a copy of the one before, some of them bounded and some not."""
    rng = np.random.default_rng(seed)
    size, bounded = int(rng.integers(120, 400)), int(rng.integers(3, 20))
    band = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) <= 2
    jacobian = np.where(band, rng.normal(size=(size, size)), 0.0)
    for row in rng.integers(size - 1, size=size // 10):
        jacobian[row + 1] = jacobian[row]
    matrix = jacobian @ jacobian.T
    lower, upper = np.full(size, -np.inf), np.full(size, np.inf)
    rows = rng.choice(size, bounded, replace=False)
    lower[rows] = 0.0
    upper[rows] = np.where(rng.random(bounded) < 0.5, np.inf, 1e-2)
    return MlcpProblem.from_matrix(matrix, matrix @ rng.normal(size=size), lower, upper)


@pytest.mark.parametrize("seed", range(40))
def test_multipliers_do_not_run_off_where_bounded_rows_are_copies_of_others(seed: int) -> None:
    problem = with_copies(seed)
    found, expected = solvers.get("bpp").solve(problem), solvers.get("bpp-refactor").solve(problem)
    assert found.solved and expected.solved
    np.testing.assert_allclose(found.w, expected.w, atol=1e-9 * np.abs(problem.bias).max())
    assert np.abs(found.lam).max() < 1e3 * max(1.0, np.abs(expected.lam).max())
