"""Friction bounds and the three ways in which they follow the normal impulse."""

from __future__ import annotations

import numpy as np
import pytest
from staged_steps import staged

import taut
from taut.contact.friction import MODES, settle_friction
from taut.contact.friction_kernels import CONE, REFINED, bound_friction, follow_normals, sweep_friction
from taut.contact.settings import FRICTION
from taut.problem import KktProblem
from taut.problem.solution import MlcpSolution
from taut.shapes import Box, Sphere
from taut.stepping.settings import Settings

FRICTION_LIMIT = Settings.friction_limit

ROW, WIDTH = np.array([0, 3, 4]), np.array([3, 1, 6])
"""Three contacts: with friction, without, and with rolling and twisting friction."""


def test_bounds_follow_the_normal_impulse() -> None:
    lower, upper = np.zeros(10), np.zeros(10)
    bound_friction(
        ROW, WIDTH, np.array([0.5, 0.0, 0.4]), np.array([0.0, 0.0, 0.01]), np.array([0.0, 0.0, 0.02]),
        np.array([2.0, 3.0, 10.0]), np.ones((3, 2)), lower, upper,
    )  # fmt: skip
    assert upper.tolist() == pytest.approx([np.inf, 1.0, 1.0, np.inf, np.inf, 4.0, 4.0, 0.1, 0.1, 0.2])
    assert lower[[0, 3, 4]].tolist() == [0.0, 0.0, 0.0]
    assert lower[[1, 2, 5, 6, 7, 8, 9]] == pytest.approx(-upper[[1, 2, 5, 6, 7, 8, 9]])


def law_residual(mode: int, lam: list[float], slip: list[float], diagonal: list[float]) -> tuple[float, np.ndarray]:
    """Residual and shares of one contact with friction 0.5."""
    share, none = np.ones((1, 2)), np.zeros(1)
    residual = follow_normals(
        mode, ROW[:1], WIDTH[:1], np.array([0.5]), none, none, np.zeros(3, np.int64), np.array(diagonal), np.zeros(3),
        np.array(lam), np.array([0.0, *slip]), np.zeros(1), share, np.zeros((2, 1)),
    )  # fmt: skip
    return float(residual), share[0]


def test_refined_residual_is_the_distance_to_the_square() -> None:
    unit = [1.0, 1.0, 1.0]
    assert law_residual(REFINED, [4.0, 0.3, 2.0], [0.0, 0.0], unit)[0] == pytest.approx(0.0, abs=1e-15), "sticks"
    assert law_residual(REFINED, [4.0, 2.0, 0.0], [-3.0, 0.0], unit)[0] == pytest.approx(0.0, abs=1e-15), "slides"
    assert law_residual(REFINED, [4.0, 3.0, 0.0], [0.0, 0.0], unit)[0] == pytest.approx(0.5), "outside"
    assert law_residual(REFINED, [4.0, 1.0, 0.0], [-3.0, 0.0], unit)[0] == pytest.approx(0.5), "slides inside"


@pytest.mark.parametrize("diagonal", [[1.0, 1.0, 1.0], [1.0, 0.2, 3.0]])
def test_cone_residual_vanishes_on_the_cone_and_only_there(diagonal: list[float]) -> None:
    direction = np.array([0.6, 0.8])
    sliding = [4.0, *(-2.0 * direction)]
    residual, share = law_residual(CONE, sliding, list(3.0 * direction), diagonal)
    assert residual == pytest.approx(0.0, abs=1e-15), "against the slip, whatever A_tt"
    assert share == pytest.approx(direction), "the box through the sliding force"
    assert law_residual(CONE, [4.0, 0.3, -0.2], [0.0, 0.0], diagonal)[0] == pytest.approx(0.0, abs=1e-15), "inside"
    assert law_residual(CONE, [4.0, 2.0, 2.0], [0.0, 0.0], diagonal)[0] > 0.1, "the corner of the box is outside"
    assert law_residual(CONE, sliding, [2.4, -1.8], diagonal)[0] > 0.1, "friction across the slip"


def test_bounds_of_the_cone_do_not_jump_at_its_rim() -> None:
    for angle in np.radians([0.0, 20.0, 45.0, 80.0]):
        rim = 2.0 * np.array([np.cos(angle), np.sin(angle)])
        shares = [law_residual(CONE, [4.0, *(size * rim)], [0.0, 0.0], [1.0] * 3)[1] for size in (1 - 1e-9, 1 + 1e-9)]
        assert shares[0] == pytest.approx(shares[1], abs=1e-8)


def test_a_light_island_is_not_hidden_by_a_heavy_one() -> None:
    """Two contacts with the same relative error, one with a thousandth of the impulse, each in an island of its own."""
    lam = np.array([4000.0, 0.0, 0.0, 4.0, 3.0, 0.0])
    zero, two = np.zeros(6), np.zeros(2)
    for island, expected in ((np.array([0, 0, 0, 1, 1, 1]), 0.5), (np.zeros(6, np.int64), 5e-4)):
        residual = follow_normals(
            REFINED, np.array([0, 3]), np.array([3, 3]), np.full(2, 0.5), two, two, island, np.ones(6), zero, lam,
            zero, two.copy(), np.ones((2, 2)), np.zeros((2, island[-1] + 1)),
        )  # fmt: skip
        assert residual == pytest.approx(expected)


def wedge(mode: str, mu: float, steep: float) -> list[tuple[str, float]]:
    """Status and friction residual of the steps in which a ball drops into a groove and a block falls on it."""
    c, s = np.cos(np.radians(steep)), np.sin(np.radians(steep))
    scene = taut.Scene(friction=mu)
    scene.add_plane(normal=(s, 0.0, c))
    scene.add_plane(normal=(-s, 0.0, c))
    height = 0.2 / c
    scene.add_body("ball", Sphere(0.2), mass=5.0, position=(0.0, 0.0, height + 0.02), velocity=(0.0, 0.0, -2.0))
    scene.add_body("block", Box(0.3, 0.2, 0.1), mass=50.0, position=(0.02, 0.01, height + 0.6), velocity=(0, 0.1, -3.0))
    simulation = taut.Simulation(scene, friction=mode)
    reports = [simulation.step() for _ in range(60)]
    return [(report.status, report.friction_residual) for report in reports]


@pytest.mark.parametrize("mode", ["box-refined", "cone"])
def test_wedge_settles_or_says_so(mode: str) -> None:
    steps = wedge(mode, 0.5, 45.0)
    assert {status for status, _ in steps} == {"solved"}
    # friction that loads its own contact a hundredfold need not settle, but may not be called solved
    for status, residual in wedge(mode, 100.0, 70.0):
        assert status != "solved" or residual <= FRICTION_LIMIT


def test_the_cone_holds_as_much_in_every_direction() -> None:
    """Pushed along the diagonal, a box holds up to sqrt(2) mu m g in the box law and mu m g in the cone."""
    mu, mass = 0.5, 10.0
    for share, mode, holds in ((1.2, "box", True), (1.2, "cone", False), (0.95, "cone", True)):
        scene = taut.Scene(friction=mu)
        scene.add_plane()
        scene.add_body("block", Box(1.0, 1.0, 0.2), mass=mass, position=(0.0, 0.0, 0.1))
        simulation = taut.Simulation(scene, friction=mode)
        for _ in range(5):
            simulation.step()
        push = share * mu * mass * 9.81 / np.sqrt(2.0)
        simulation.body("block").apply(force=(push, push, 0.0))
        for _ in range(20):
            simulation.step()
        speed = float(np.linalg.norm(simulation.body("block").velocity))
        assert (speed < 1e-6) == holds, f"{mode} at {share}: {speed} m/s"


@pytest.mark.parametrize("mode", MODES)
def test_reported_residual_is_within_its_tolerance(mode: str) -> None:
    scene = taut.Scene(friction=0.4)
    scene.add_plane()
    scene.add_body("block", Box(1.0, 1.0, 0.5), mass=3.0, position=(0.0, 0.0, 0.25), velocity=(1.0, 0.7, 0.0))
    simulation = taut.Simulation(scene, friction=mode)
    worst = max(simulation.step().friction_residual for _ in range(30))
    assert worst <= FRICTION.tolerance


def test_sweeps_leave_alone_what_does_not_move_and_keep_the_bounds_of_normals() -> None:
    """A row that nothing moves with, an open contact of a blow whose normal may not push, and one that slides."""
    diagonal = np.array([0.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0])
    matrix = np.diag(diagonal)
    indptr, indices = np.arange(0, 50, 7), np.tile(np.arange(7), 7)
    bias = np.array([1.0, -2.0, -4.0, 0.0, -2.0, -4.0, 0.0])
    lower, upper = np.full(7, -np.inf), np.full(7, np.inf)
    lower[[1, 4]], upper[1] = 0.0, 0.0
    lam, w = np.zeros(7), np.zeros(7)
    sweep_friction(
        REFINED, 5, np.array([1, 4]), np.array([3, 3]), np.full(2, 0.5), np.zeros(2), np.zeros(2), indptr, indices,
        matrix.ravel(), bias, diagonal, lower, upper, lam, w,
    )  # fmt: skip
    assert lam.tolist() == [0.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.0]
    assert w == pytest.approx(matrix @ lam + bias)


class Broken:
    """A solver that finds nothing any more."""

    def solve(self, problem: KktProblem, start: MlcpSolution) -> MlcpSolution:
        return taut.solvers.get("bpp").refuse(problem)


@pytest.mark.parametrize("mode", ["box-refined", "cone"])
def test_passes_say_which_problem_they_solved_and_never_take_what_is_none(mode: str) -> None:
    """A block that slides, and is pressed on the ground ten times as hard as the step before knows of."""
    scene = taut.Scene(friction=0.5)
    scene.add_plane()
    scene.add_body("block", Box(1.0, 1.0, 1.0), mass=2.0, position=(0, 0, 0.5), velocity=(5.0, 0.3, 0.0))
    simulation = taut.Simulation(scene, friction=mode)
    for _ in range(5):
        simulation.step()
    simulation.state.applied[1, 2] = -180.0
    step = staged(simulation)
    step.predict()
    step.collide()
    step.linearise(simulation.state.contacts.force[:, :3].ravel())
    problem, table, solver = step.respond(), step.contacts.table, taut.solvers.get("bpp")
    first = solver.solve(problem)
    settled = settle_friction(mode, solver, problem, table, first)
    assert settled.residual <= FRICTION.tolerance and settled.passes > 0
    assert solver.solve(settled.problem, settled.solution).lam == pytest.approx(settled.solution.lam, abs=1e-9)
    normal = settled.solution.lam[table.row]
    assert settled.problem.upper[table.row + 1] == pytest.approx(0.5 * normal, rel=2e-2), "as hard as it is pressed now"
    assert (problem.upper[table.row + 1] < 0.2 * 0.5 * normal).all(), "the step before knew of less"
    broken = settle_friction(mode, Broken(), problem, table, first)
    assert broken.solution is first and broken.problem is problem and broken.residual > FRICTION.tolerance
