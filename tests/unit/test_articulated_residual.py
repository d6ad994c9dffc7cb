"""The certificate of solutions with trees in joint coordinates: it sees what is wrong, of whatever kind."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reduced_problems import ReducedProblem, problem_of
from tree_examples import chain, mixed

import taut
from taut.model.articulation import AT_BODY, AT_JOINT, CROSSING, ELIMINATED, KEPT
from taut.problem.solution import AT_UPPER


def certified(found: ReducedProblem, lam: np.ndarray) -> float:
    """The residual of these multipliers, with the velocities that are in the table."""
    from taut.responses.articulated_residual_kernels import certify

    return float(certify(found.problem.handle, found.rows.handle, lam, np.empty(found.problem.size)))


@pytest.fixture
def found() -> ReducedProblem:
    simulation = taut.Simulation(mixed(np.random.default_rng(3)), coordinates="reduced", solver="bpp")
    for _ in range(3):
        simulation.step()
    return problem_of(simulation)


def test_what_was_solved_is_certified(found: ReducedProblem) -> None:
    solution = found.solve()
    assert certified(found, solution.lam) == solution.residual <= 1e-12


@pytest.mark.parametrize("role", [KEPT, ELIMINATED, AT_BODY, AT_JOINT, CROSSING])
def test_wrong_multipliers_are_seen(found: ReducedProblem, role: int) -> None:
    """A millionth of the largest impulse is seen in any row that is free, whatever became of it."""
    solution = found.solve()
    rows = np.flatnonzero((found.rows.table.trees.role == role) & (solution.index_set == 0))
    assert rows.size
    for row in rows:
        wrong = solution.lam.copy()
        wrong[row] += 1e-6 * np.abs(solution.lam).max()
        assert certified(found, wrong) > 1e-9, f"row {row}"


def test_wrong_velocities_are_seen(found: ReducedProblem) -> None:
    solution, table = found.solve(), found.rows.table
    for body in table.trees.body:
        for axis in range(6):
            right = table.change[body, axis]
            table.change[body, axis] += 1e-6 * (1.0 + abs(right))
            assert certified(found, solution.lam) > 1e-9, f"body {body}, axis {axis}"
            table.change[body, axis] = right
    assert certified(found, solution.lam) == solution.residual


def test_multipliers_out_of_bounds_are_seen(found: ReducedProblem) -> None:
    solution, problem = found.solve(), found.problem
    tight = np.flatnonzero(solution.index_set != 0)
    assert tight.size
    for row in tight:
        wrong = solution.lam.copy()
        wrong[row] += 1e-3 * np.abs(solution.lam).max() * (1.0 if solution.index_set[row] == AT_UPPER else -1.0)
        assert not problem.lower[row] <= wrong[row] <= problem.upper[row]
        assert certified(found, wrong) > 1e-9


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_not_a_number_is_never_certified(found: ReducedProblem, value: float) -> None:
    solution, table = found.solve(), found.rows.table
    for row in range(solution.lam.size):
        wrong = solution.lam.copy()
        wrong[row] = value
        assert not certified(found, wrong) <= 1e-9, f"row {row}"
    for body in table.trees.body:
        right = table.change[body, 0]
        table.change[body, 0] = value
        assert not certified(found, solution.lam) <= 1e-9, f"body {body}"
        table.change[body, 0] = right


def test_one_correction_keeps_velocities_of_a_light_chain_exact() -> None:
    """Bodies of 1 kg under a thousand tons: what a body misses is rounding of what it carries."""
    simulation = taut.Simulation(chain(30, 1e6), coordinates="reduced", solver="bpp")
    for _ in range(5):
        simulation.step()
    found = problem_of(simulation)
    solution = found.solve()
    assert solution.residual <= 1e-12
    table = found.rows.table
    table.change[table.trees.body[10], 2] += 1e-6
    assert certified(found, solution.lam) > 1e-9


def test_joints_that_hardly_move_are_no_error() -> None:
    """Velocities of rounding, across a plane that all else moves in, open joints by as much as they are."""
    scene = taut.Scene(collisions=False)
    for k in range(40):
        carrier, axis = f"link {k - 1}" if k else "world", (0, 1, 0) if k % 2 else (0, 0, 1)
        scene.add_body(f"link {k}", taut.shapes.Box(0.2, 0.04, 0.04), mass=0.25, position=(0.2 * k + 0.1, 0, 0))
        scene.connect(carrier, f"link {k}", taut.joints.Revolute(axis=axis), at=(0.2 * k, 0, 0))
    for k in range(0, 37, 3):
        scene.add_spring(f"link {k}", f"link {k + 3}", point_a=(0, 0, 0), point_b=(0, 0, 0), stiffness=2e3, damping=5.0)
    simulation = taut.Simulation(scene, coordinates="reduced", linear="direct")
    assert [simulation.step().status for _ in range(3)] == ["solved"] * 3
