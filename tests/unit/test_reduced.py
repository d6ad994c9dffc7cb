"""Solves with trees in joint coordinates: what is pivoted on, warm starts, and what cannot be solved."""

from __future__ import annotations

import numpy as np
import pytest
from reduced_problems import ReducedProblem, problem_of
from tree_examples import chain, mixed

import taut
from taut import scenes
from taut.problem.solution import Status, WarmStart
from taut.stepping.reduced import REDUCED


@pytest.fixture
def found() -> ReducedProblem:
    simulation = taut.Simulation(mixed(np.random.default_rng(5), springs=False), coordinates="reduced", solver="bpp")
    for _ in range(3):
        simulation.step()
    return problem_of(simulation)


def test_a_warm_start_saves_pivots_and_changes_no_solution(found: ReducedProblem) -> None:
    cold = found.solve()
    assert cold.iterations > 1
    again = found.solver().solve(found.problem, WarmStart(cold.index_set, cold.lam))
    assert again.iterations == 1 and np.array_equal(again.index_set, cold.index_set)
    assert again.lam == pytest.approx(cold.lam, abs=1e-12 * np.abs(cold.lam).max())
    same = found.solver().solve(found.problem, cold)
    assert np.array_equal(same.lam, again.lam)


def test_other_bounds_use_the_same_elimination(found: ReducedProblem, monkeypatch: pytest.MonkeyPatch) -> None:
    """Passes of friction change bounds only: trees are eliminated once."""
    solver = found.solver()
    solution = solver.solve(found.problem)
    assert found.problem.kept[REDUCED]
    monkeypatch.setattr(type(solver), "reduce", lambda *_: pytest.fail("trees were eliminated again"))
    rows, wide = found.rows.table.kept, np.full(found.problem.size, np.inf)
    tight = rows[solution.index_set[rows] != 0]
    assert tight.size
    free = solver.solve(found.problem.with_bounds(-wide, wide))
    assert free.solved and not free.index_set.any() and free.residual <= 1e-12
    assert np.abs(free.lam - solution.lam).max() > 1e-6


def test_rows_of_trees_are_free_and_have_no_slack(found: ReducedProblem) -> None:
    solution, trees = found.solve(), found.rows.table.trees
    for first, count in zip(trees.first_row, trees.row_count, strict=True):
        assert not solution.index_set[first : first + count].any()
        assert not solution.w[first : first + count].any()


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_numbers_that_are_none_are_a_status(found: ReducedProblem, wrong: float) -> None:
    found.problem.blocks.jacobian[3] = wrong
    solution = found.solve()
    assert not solution.solved and solution.status in (Status.NOT_POSITIVE_DEFINITE, Status.NON_FINITE)


def test_masses_that_are_not_positive_are_a_status(found: ReducedProblem) -> None:
    found.problem.blocks.turning[1:] *= -1.0
    found.problem.blocks.inverse_mass[1:] *= -1.0
    solution = found.solver().solve_reduced(found.problem, None)
    assert solution.status is Status.NOT_POSITIVE_DEFINITE and "joint coordinates" in solution.message
    assert not found.rows.table.change.any() and np.isfinite(solution.lam).all()


def test_what_is_lost_to_rounding_is_not_called_solved(found: ReducedProblem) -> None:
    """The certificate has the last word: other numbers than those that were solved for are not accepted."""
    solver = found.solver()
    assert solver.solve(found.problem).solved
    found.problem.blocks.bias[found.rows.table.kept] += 1.0  # known to be eliminated already
    wrong = solver.solve_reduced(found.problem, None)
    assert wrong.status is Status.NOT_POSITIVE_DEFINITE and "rounding" in wrong.message and wrong.residual > 1e-6


def test_solving_again_gives_the_same_bits(found: ReducedProblem) -> None:
    first = found.solve()
    change = found.rows.table.change.copy()
    del found.problem.kept[REDUCED]
    for values in (found.rows.table.change, found.rows.table.rhs, found.rows.table.force, found.rows.table.values):
        values.fill(7.0)
    second = found.solve()
    for name in ("lam", "w", "index_set"):
        assert np.array_equal(getattr(first, name), getattr(second, name)), name
    body = found.rows.table.trees.body
    assert np.array_equal(found.rows.table.change[body], change[body])


@pytest.mark.parametrize("solver", [each.name for each in taut.solvers.all() if each.exact])
def test_every_exact_solver_runs_a_loop_with_limits(solver: str) -> None:
    simulation = taut.Simulation(scenes.build("four_bar"), coordinates="reduced", solver=solver)
    for _ in range(20):
        report = simulation.step()
        assert report.status == "solved" and report.residual <= 1e-9


def test_pgs_runs_in_joint_coordinates_too() -> None:
    """Trees are exact whatever pivots on the rest: a chain alone leaves nothing to iterate on."""
    simulation = taut.Simulation(chain(5, 1e4), coordinates="reduced", solver="pgs")
    reference = taut.Simulation(chain(5, 1e4), coordinates="reduced", solver="bpp")
    for _ in range(20):
        simulation.step()
        reference.step()
        assert simulation.report.violation <= 1e-12
    assert np.abs(simulation.state.position - reference.state.position).max() <= 5e-2


def test_an_earlier_solution_is_recalled(found: ReducedProblem) -> None:
    """Passes of friction may end with another solution than the last: velocities are those of the one that is taken."""
    solver, table = found.solver(), found.rows.table
    first = solver.solve(found.problem)
    change = table.change.copy()
    other = found.problem.with_bounds(found.problem.lower - 1.0, found.problem.upper + 1.0)
    solver.solve(other)
    solver.recall(found.problem, first)
    assert table.change[table.trees.body] == pytest.approx(change[table.trees.body], abs=1e-13)


def test_what_joint_coordinates_cannot_solve_is_solved_with_all_rows(
    found: ReducedProblem, monkeypatch: pytest.MonkeyPatch
) -> None:
    solver = found.solver()
    assert solver.solve(found.problem).solved and not solver.left_out
    monkeypatch.setattr(type(solver), "reduce", lambda *_: False)
    del found.problem.kept[REDUCED]
    whole = solver.solve(found.problem)
    assert whole.solved and solver.left_out
