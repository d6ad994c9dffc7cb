"""Parts coupled by Schur complements: the answers of pivoting on all rows, whatever the parts and the threads."""

from __future__ import annotations

import numpy as np
import pytest
from body_problems import body_problem
from matrix_examples import EXAMPLES, coupled, grid_pairs
from torn_examples import NAMES, bounded_problem, random_parts

import taut
from taut import solvers
from taut.problem import MlcpProblem, Status, WarmStart, families
from taut.problem.generators import random_box, random_friction
from taut.solvers import part_coupling, part_coupling_work
from taut.solvers.part_coupling import Coupling
from taut.solvers.part_coupling_cost import CouplingCost
from taut.solvers.reference import schur_complement, substructuring

BOTH = ("schur-bpp", "schur-pgs-sm")
both = pytest.mark.parametrize("solver", BOTH)


@pytest.fixture
def divide(monkeypatch: pytest.MonkeyPatch):
    """Have problems divided in a way of one's own."""

    def set_parts(part: np.ndarray) -> None:
        monkeypatch.setattr(part_coupling_work, "row_parts", lambda *_: part)

    return set_parts


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have couplings go on whatever they take."""
    monkeypatch.setattr(CouplingCost, "of_whole", lambda *_: np.inf)


def compare(problem: MlcpProblem, solver: str, tolerance: float = 1e-9, **options) -> taut.MlcpSolution:
    """Solve by parts and as a whole: the same slack, and the multipliers that A sees."""
    found, whole = solvers.get(solver, **options).solve(problem), solvers.get("bpp").solve(problem)
    assert found.solved and whole.solved
    size = np.abs(whole.w).max(initial=0.0) + np.abs(problem.bias).max(initial=0.0) + 1e-300
    np.testing.assert_allclose(found.w / size, whole.w / size, atol=tolerance)
    return found


@both
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("parts", [2, 6])
def test_any_division_has_the_same_answer(solver, name, parts, divide, patient):
    matrix = EXAMPLES[name]
    for seed in range(3):
        divide(random_parts(matrix, parts, seed))
        found = compare(bounded_problem(matrix, seed), solver)
        assert not found.message


@both
@pytest.mark.parametrize("make", [lambda: families.chain_like(600), lambda: families.pile_like(500)])
def test_long_chains_and_piles(solver, make):
    for partition in ("auto", "rows"):
        found = compare(make(), solver, partition=partition, part_size=40)
        assert 1 <= found.coupling_iterations < 20 and not found.message


@both
def test_bodies(solver, rng):
    for seed in range(6):
        problem = body_problem(rng, bodies=30, contacts=30, joints=20, ratio=1e3, softness=1e-6)
        found, whole = solvers.get(solver, part_size=6).solve(problem), solvers.get("bpp").solve(problem)
        assert found.solved and whole.solved, seed
        change, expected = problem.velocity_change(found.lam), problem.velocity_change(whole.lam)
        np.testing.assert_allclose(change, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["chain", "links", "tree", "grid", "contacts"])
def test_index_sets_are_those_of_the_paper(name, divide, monkeypatch, patient):
    """Steps that are never cut, from all rows free: the iterations of the dense twin."""
    monkeypatch.setattr(part_coupling, "FULL_STEPS", 50)
    matrix = EXAMPLES[name]
    ended = 0
    for seed in range(6):
        part, problem = random_parts(matrix, 3, seed), bounded_problem(matrix, seed, share=0.3)
        divide(part)
        lam, labels, iterations = substructuring(matrix, problem.bias, problem.lower, problem.upper, part)
        found = solvers.get("schur-bpp").solve(problem)
        if iterations < 50:
            ended += 1
            np.testing.assert_allclose(found.lam, lam, atol=1e-9)
            np.testing.assert_array_equal(found.index_set, labels)
            # a last iteration that confirms the index sets is spared where the residual says it all
            assert iterations - 1 <= found.coupling_iterations <= iterations
    assert ended >= 5


def test_matrix_of_the_interface_is_that_of_the_paper(divide, rng):
    matrix = EXAMPLES["grid"]
    part, problem = random_parts(matrix, 4, 5), bounded_problem(matrix, 5)
    divide(part)
    labels = np.where(problem.lower == problem.upper, -1, 0)
    free = (labels == 0) & np.isfinite(problem.lower) & np.isfinite(problem.upper)
    labels[free] = rng.integers(-1, 2, int(free.sum()))
    gamma = np.flatnonzero(part < 0)
    omega = [np.flatnonzero(part == i) for i in np.unique(part[part >= 0])]
    S, z = schur_complement(matrix, problem.bias, problem.lower, problem.upper, labels, gamma, omega)
    run = run_of(problem, WarmStart(labels, np.zeros(problem.size)))
    follow(run)
    assert run.complement()
    pattern = run.structure.tearing.pattern
    found = np.zeros_like(S)
    found[np.repeat(np.arange(gamma.size), np.diff(pattern.indptr)), pattern.indices] = run.work.matrix
    np.testing.assert_allclose(found, S, atol=1e-12)
    np.testing.assert_allclose(run.slack, S @ run.lam + z, atol=1e-12)


def run_of(problem: MlcpProblem, start: WarmStart | None = None) -> Coupling:
    """A coupling that has not begun."""
    solver = solvers.get("schur-bpp")
    structure = part_coupling_work.CouplingStructure.of(problem, problem.pattern, solver.partition, solver.part_size)
    run = Coupling.of(solver, problem, structure, part_coupling_work.CouplingWorkspace(structure.tearing), start)
    assert run is not None
    return run


def follow(run: Coupling) -> None:
    """Multipliers of the parts as their labels ask for, and the slack that they leave."""
    from taut.solvers.part_coupling_kernels import follow_labels

    run.hold(run.lam)
    assert follow_labels(run.work.handle(0), 0, run.structure.tearing.symbolic.island_count) == 0
    run.slack = run.measure(run.lam)[1]


def least_values(problem: MlcpProblem, part: np.ndarray, lam: np.ndarray) -> float:
    """phi: the least value of the box QP over the rows of parts, with these multipliers at the interface."""
    A, gamma, inner = problem.sparse.toarray(), np.flatnonzero(part < 0), np.flatnonzero(part >= 0)
    own = MlcpProblem.from_matrix(
        A[np.ix_(inner, inner)], problem.bias[inner] + A[np.ix_(inner, gamma)] @ lam, problem.lower[inner],
        problem.upper[inner],
    )  # fmt: skip
    whole = np.zeros(problem.size)
    whole[gamma], whole[inner] = lam, solvers.get("bpp").solve(own).lam
    return float(0.5 * whole @ A @ whole + problem.bias @ whole)


def test_steps_that_are_cut_make_the_least_value_fall(divide, monkeypatch, patient):
    """With no full steps but those that end it, phi falls in each iteration after the first."""
    monkeypatch.setattr(part_coupling, "FULL_STEPS", 1)
    monkeypatch.setattr(part_coupling, "SMALLER", 0.0)
    cuts = 0
    for seed in range(8):
        problem = random_friction(90, seed, compliance=1e-4)
        part = random_parts(problem.sparse.toarray(), 3, seed)
        divide(part)
        run, values = run_of(problem), []
        move = Coupling.move

        def seen(self, found, values=values, problem=problem, part=part, move=move):
            moved = move(self, found)
            values.append(least_values(problem, part, self.lam))
            return moved

        with monkeypatch.context() as patch:
            patch.setattr(Coupling, "move", seen)
            assert run.run()
        assert (np.diff(values) <= 1e-12 * np.abs(values).max()).all()
        cuts += run.rounds - run.iterations
    assert cuts > 0


@both
def test_threads_change_nothing(solver, monkeypatch):
    monkeypatch.setattr(part_coupling_work, "DISPATCH", 1.0)  # so that they are used at all
    problem = families.chain_like(900)
    alone = solvers.get(solver, part_size=10).solve(problem)
    for threads in (2, 3, 8):
        found = solvers.get(solver, part_size=10, threads=threads).solve(problem)
        for name in ("lam", "w", "index_set"):
            np.testing.assert_array_equal(getattr(found, name), getattr(alone, name))
        assert found.coupling_iterations == alone.coupling_iterations


def test_ranges_share_the_cost(monkeypatch):
    problem = families.chain_like(900)
    structure = part_coupling_work.CouplingStructure.of(problem, problem.pattern, "rows", 20)
    cost, count = structure.tearing.factor_cost, structure.tearing.symbolic.island_count
    assert structure.ranges(1, cost) == [(0, count)] == structure.ranges(8, np.zeros(count))
    monkeypatch.setattr(part_coupling_work, "DISPATCH", 1.0)
    ranges = structure.ranges(4, cost)
    assert len(ranges) == 4 and ranges[0][0] == 0 and ranges[-1][1] == count
    assert all(before[1] == after[0] for before, after in zip(ranges[:-1], ranges[1:], strict=True))
    assert max(cost[first:last].sum() for first, last in ranges) < 0.4 * cost.sum()


@both
def test_a_start_that_is_the_answer_takes_one_iteration(solver):
    problem = families.chain_like(600)
    cold = solvers.get(solver, part_size=40).solve(problem)
    warm = solvers.get(solver, part_size=40).solve(problem, cold)
    assert warm.coupling_iterations == 1 and warm.solved
    np.testing.assert_array_equal(warm.index_set, cold.index_set)


@both
def test_parts_that_pivots_do_not_end_in_are_iterated(solver, monkeypatch, patient):
    called = []
    stuck = Coupling.solve_stuck_parts
    monkeypatch.setattr(Coupling, "solve_stuck_parts", lambda self: called.append(1) or stuck(self))
    problem = random_friction(600, 3)
    compare(problem, solver, warm_pivots=1, cold_pivots=1, part_size=100)
    assert called


@both
def test_what_does_not_end_is_solved_as_a_whole(solver, monkeypatch, patient):
    problem = families.pile_like(500)
    found = compare(problem, solver, most=1, part_size=60)
    assert found.coupling_iterations == 1 and "1 iterations" in found.message
    monkeypatch.setattr(Coupling, "solve_stuck_parts", lambda self: False)
    found = compare(random_friction(600, 3), solver, cold_pivots=1, part_size=100)
    assert "as a whole" in found.message


@both
def test_no_interface_and_nothing_but_interface(solver, divide):
    matrix = EXAMPLES["islands"]
    problem = bounded_problem(matrix, 1)
    divide(np.zeros(problem.size, np.int64))
    assert compare(problem, solver).coupling_iterations == 0
    again = bounded_problem(matrix, 1)
    divide(np.full(problem.size, -1))
    assert compare(again, solver).coupling_iterations == 1


@both
def test_redundant_rows_within_parts_and_between_them(solver, divide):
    """Rows that repeat others: A is singular, and so is what is left at the interface."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        matrix = coupled(36, grid_pairs(6), seed)
        repeated = np.concatenate([np.arange(36), rng.integers(0, 36, 8)])
        A = matrix[np.ix_(repeated, repeated)]
        divide(random_parts(A, 3, seed))
        given = bounded_problem(matrix, seed)
        compare(MlcpProblem.from_matrix(A, *(x[repeated] for x in (given.bias, given.lower, given.upper))), solver)


@both
def test_numbers_that_are_none_in_any_row(solver, divide):
    matrix = EXAMPLES["tree"]
    for row in (int(np.flatnonzero(random_parts(matrix, 3, 0) < 0)[0]), 0):
        for field in ("bias", "lower", "upper"):
            problem = bounded_problem(matrix, 0)
            divide(random_parts(matrix, 3, 0))
            getattr(problem, field)[row] = np.nan
            found = solvers.get(solver).solve(problem)
            assert found.status is Status.NON_FINITE and np.isfinite(found.lam).all()


@both
def test_plain_matrices_and_unsymmetric_ones(solver):
    known = random_box(30, 3)
    found = taut.solve_mlcp(
        known.problem.sparse, known.problem.bias, known.problem.lower, known.problem.upper, method=solver
    )
    assert found.solved
    np.testing.assert_allclose(found.lam, known.lam, atol=1e-9)
    A = np.array([[2.0, 1.0], [0.0, 2.0]])
    found = taut.solve_mlcp(A, [-1.0, -1.0], 0.0, method=solver)
    assert found.solved and found.coupling_iterations == 0


def test_options_are_checked():
    for options in ({"most": 0}, {"threads": 0}, {"partition": "halves"}, {"part_size": -1}, {"partition": 3}):
        with pytest.raises(taut.InputError):
            solvers.get("schur-bpp", **options)
    assert solvers.get("schur-bpp", partition="rows", part_size=7) == solvers.get(
        "schur-bpp", partition="rows", part_size=7
    )


def test_solvers_without_parts_have_no_coupling():
    problem = families.chain_like(300)
    for name in ("bpp", "ipm", "pgs"):
        assert solvers.get(name).solve(problem).coupling_iterations == 0


def test_reports_say_how_often_parts_were_coupled():
    scene = taut.scenes.build("hanging_chain", links=30)
    ways = "bpp", solvers.get("schur-bpp", part_size=8)
    reports = [taut.Simulation(scene, solver=each).step() for each in ways]
    assert [each.coupling_iterations for each in reports] == [0, 1]
