"""Pivoting and interior points in body space: the same answers as in row space, certified by the same judge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from body_problems import body_problem, heavy_on_light

from taut import solvers
from taut.problem.kkt import KktProblem
from taut.problem.solution import Status, WarmStart
from taut.solvers.body_space import ITERATED, PIVOTED, BodyStructure, run_stages, search_bodies, suited_rows
from taut.solvers.island_workspace import CODE, LIMIT, SOLVED

CASES = {
    "pile": dict(bodies=12, contacts=40),
    "1e6:1": dict(bodies=12, contacts=40, ratio=1e6),
    "jointed": dict(bodies=9, contacts=30, joints=8),
    "jointed, 1e6:1": dict(bodies=9, contacts=30, joints=8, ratio=1e6),
    "islands": dict(bodies=20, contacts=30, halves=True),
    "contacts that hardly give way": dict(bodies=12, contacts=24, softness=1e-8),
    "more than a pivot can": dict(bodies=40, contacts=200),
}


@pytest.fixture(params=CASES, ids=str)
def problem(request: pytest.FixtureRequest, rng: np.random.Generator) -> KktProblem:
    return body_problem(rng, **CASES[request.param])


@pytest.mark.parametrize("name", ["ipm", "bpp"])
def test_velocities_are_those_of_row_space(problem: KktProblem, name: str) -> None:
    solver = solvers.get(name)
    found = search_bodies(solver, problem, None, pivots=0 if name == "ipm" else 12)
    rows = solvers.get("bpp-refactor").solve(problem)
    assert found.solved and rows.solved
    assert found.residual <= 1e-11
    change, expected = problem.velocity_change(found.lam), problem.velocity_change(rows.lam)
    assert np.abs(change - expected).max() <= 1e-9 * max(1.0, np.abs(expected).max())


def test_a_warm_start_at_the_answer_takes_one_pivot(problem: KktProblem) -> None:
    solver = solvers.get("bpp")
    found = search_bodies(solver, problem, None, pivots=12)
    again = search_bodies(solver, problem, found, pivots=8)
    assert again.solved
    assert again.iterations == 1
    assert (again.index_set == found.index_set).all()


def test_what_was_solved_before_changes_no_bit(problem: KktProblem, rng: np.random.Generator) -> None:
    solver, start = solvers.get("ipm"), rng.normal(size=problem.size)
    warm = WarmStart(rng.integers(-1, 2, problem.size), start)
    first = search_bodies(solver, problem, warm, pivots=0)
    search_bodies(
        solver, problem.with_bias(rng.normal(size=problem.size), problem.lower, problem.upper), None, pivots=3
    )
    again = search_bodies(solver, problem, warm, pivots=0)
    assert first.lam.tobytes() == again.lam.tobytes()


def test_solvers_go_to_bodies_where_most_rows_give_way(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    pile, chain = body_problem(rng, contacts=40), body_problem(rng, contacts=4, joints=7)
    assert suited_rows(pile, PIVOTED).all() and not suited_rows(chain, PIVOTED).any()
    assert suited_rows(chain, ITERATED).all()
    monkeypatch.setattr(KktProblem, "matrix", lambda self: pytest.fail("A was asked for"))
    for name in ("ipm", "bpp", "auto"):
        assert solvers.get(name).solve(pile).solved
    assert solvers.get("ipm").solve(chain).solved
    with pytest.raises(pytest.fail.Exception):
        solvers.get("bpp").solve(chain)


def test_rows_that_do_not_give_way_are_left_to_row_space(rng: np.random.Generator) -> None:
    blows = body_problem(rng, bodies=12, contacts=8, softness=1e-12)
    assert not suited_rows(blows, ITERATED).any()
    for name in ("bpp", "ipm"):
        assert solvers.get(name).solve(blows).solved


@pytest.mark.parametrize("field", ["bias", "lower", "jacobian", "compliance", "turning"])
def test_what_is_not_a_number_is_refused(rng: np.random.Generator, field: str) -> None:
    problem = body_problem(rng)
    numbers = getattr(problem.blocks, field).copy()
    numbers[-1] = np.nan
    spoiled = replace(problem, blocks=problem.blocks._replace(**{field: numbers}), given_handle=None)
    found = search_bodies(solvers.get("bpp"), spoiled, None, pivots=8)
    assert found.status is Status.NON_FINITE


def test_islands_that_are_solved_keep_their_answer(rng: np.random.Generator) -> None:
    from taut.solvers.body_space_kernels import take_blocks

    problem = body_problem(rng, bodies=20, contacts=30, halves=True)
    answer = solvers.get("ipm").solve(problem)
    with BodyStructure.of(problem.entries).lent() as work:
        take_blocks(work.handle, problem.handle, answer.index_set, answer.lam)
        before, report = work.tables.search.lam.copy(), work.tables.report
        plan = work.tables.factor.symbolic
        report[:, CODE] = SOLVED
        report[0, CODE] = LIMIT
        run_stages(work, np.zeros(problem.size))
        others = slice(plan.island_start[1], None)
        assert plan.islands > 1
        assert (work.tables.search.lam[others] == before[others]).all()
        assert work.tables.search.lam == pytest.approx(before, abs=1e-9 * np.abs(before).max())


def test_sweeps_are_projected_gauss_seidel(rng: np.random.Generator) -> None:
    from taut.solvers.body_space_kernels import SWEEPS, sweep_bodies, take_blocks

    problem = body_problem(rng, bodies=6, contacts=10, joints=2)
    with BodyStructure.of(problem.entries).lent() as work:
        start, swept = rng.normal(size=problem.size), np.empty(problem.size)
        take_blocks(work.handle, problem.handle, np.zeros(problem.size, np.int64), start)
        work.tables.report[:, CODE] = LIMIT
        sweep_bodies(work.handle, start, swept)
        plan = work.tables.factor.symbolic
    matrix, lam = problem.matrix().sparse.toarray(), np.clip(start, problem.lower, problem.upper)
    groups = [plan.order[a:b] for a, b in zip(plan.group_start[:-1], plan.group_start[1:], strict=True)]
    islands = [groups[a:b] for a, b in zip(plan.island_group[:-1], plan.island_group[1:], strict=True)]
    for own in islands:
        for sweep in range(SWEEPS):
            for rows in own if sweep % 2 == 0 else own[::-1]:
                for row in rows:
                    w = matrix[row] @ lam + problem.bias[row]
                    lam[row] = np.clip(lam[row] - w / matrix[row, row], problem.lower[row], problem.upper[row])
    assert swept == pytest.approx(lam, abs=1e-9)


@pytest.mark.parametrize("ratio", [1e2, 1e4, 1e6])
def test_heavy_bodies_on_light_ones_take_no_more_iterations(rng: np.random.Generator, ratio: float) -> None:
    """Sweeps lead nowhere near there: an interior point that starts near them is started again."""
    counts = []
    for _ in range(5):
        found = search_bodies(solvers.get("ipm"), heavy_on_light(rng, 20, ratio), None, pivots=0)
        assert found.solved
        counts.append(found.factorizations)
    assert np.median(counts) <= 30
