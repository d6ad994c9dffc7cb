"""The collide stage: what is carried over, who restarts, when contacts are looked for again."""

from __future__ import annotations

import numpy as np
import pytest
from staged_steps import Staged, staged

import taut
from taut.collide.contacts import Contacts
from taut.collide.sweep import Meetings
from taut.contact.settings import CONTACT
from taut.joints import Spherical
from taut.shapes import Box, Capsule, Cylinder, Sphere
from taut.spatial import from_two_vectors, matrix
from taut.stepping.collide import connected, foreseen_changes, hold_back, thrown_bodies
from taut.stepping.history import shared_history


def two_piles() -> taut.Simulation:
    """Two stacks of two boxes far apart, and a ball above the second."""
    scene = taut.Scene()
    scene.add_plane()
    for x in (0.0, 5.0):
        for level in range(2):
            scene.add_body(f"box-{x:g}-{level}", Box(1, 1, 1), mass=1.0, position=(x, 0.0, 0.5 + level))
    scene.add_body("ball", Sphere(0.2), mass=1.0, position=(5.0, 0.0, 2.7))
    return taut.Simulation(scene)


def test_only_the_island_that_is_struck_restarts() -> None:
    simulation = two_piles()
    seen_restart = False
    for _ in range(40):
        simulation.step()
        history = simulation.state.history
        if simulation.state.steps > 4:
            assert history[1:3].all(), "the first pile rests and goes on with the two-step scheme"
            seen_restart |= not history[5]
    assert seen_restart, "the ball lands"
    assert history[1:].all(), "at rest all look back again"


def test_history_is_shared_by_what_contacts_connect() -> None:
    simulation = two_piles()
    simulation.step()
    stepper, found = simulation.stepper, simulation.state.contacts.contacts
    history, moves = np.ones(6, np.uint8), stepper.mechanism.bodies.moves > 0
    history[2] = 0
    together, alone = connected(stepper, found), connected(stepper, Contacts.none())
    assert together.tolist() == [0, 1, 1, 3, 3, 5] and alone.tolist() == [0, 1, 2, 3, 4, 5]
    assert shared_history(moves, history, together).tolist()[1:] == [0, 0, 1, 1, 1]
    assert shared_history(moves, history, alone).tolist()[1:] == [1, 0, 1, 1, 1], "without contacts each is alone"


def test_forces_are_recalled_and_nothing_flickers_at_rest() -> None:
    simulation = two_piles()
    reports = [simulation.step() for _ in range(60)]
    assert all(report.flicker == 0 for report in reports[40:])
    assert all(report.pivots == 1 for report in reports[40:])
    weights = simulation.body("box-0-0").contacts.force[:, 2].sum()
    assert abs(weights - 9.81) < 1e-6, "what the ground gives less what the upper box takes"


def at_rest() -> Staged:
    """The next step of two piles at rest, collided."""
    simulation = two_piles()
    for _ in range(60):
        simulation.step()
    step = staged(simulation)
    step.collide()
    assert step.scratch.verdict.group.tolist() == [0, 1, 1, 3, 3, 3], "what lies on each other is one group"
    assert (step.scratch.weights.drift > 0.0).all(), "all look back"
    return step


def test_only_bodies_that_leave_faster_than_overlaps_are_taken_back_are_thrown() -> None:
    step = at_rest()
    lam, velocity = np.zeros(step.rows.value.size), step.state.velocity.copy()
    lam[step.contacts.table.row] = 1.0
    assert thrown_bodies(step.stepper, step.contacts, lam, velocity).size == 0
    velocity[5, 2] = 1.9 * CONTACT.recovery
    assert thrown_bodies(step.stepper, step.contacts, lam, velocity).size == 0
    velocity[5, 2] = 2.1 * CONTACT.recovery
    assert set(thrown_bodies(step.stepper, step.contacts, lam, velocity).tolist()) == {4, 5}
    assert thrown_bodies(step.stepper, step.contacts, 0.0 * lam, velocity).size == 0, "nothing pushes"


def test_contacts_that_will_strike_or_cease_are_foreseen() -> None:
    step = at_rest()
    table, h = step.contacts.table, 1 / 60
    ball = int(np.flatnonzero(table.body_b == 5)[0])
    assert foreseen_changes(step.stepper, step.contacts, h).size == 0, "nothing changes at rest"
    for moved in (2e-3, -2e-3):
        table.gap[ball] = moved
        assert set(foreseen_changes(step.stepper, step.contacts, h).tolist()) == {4, 5}
    table.gap[ball], table.start_force[ball] = -1e-9, 0.0
    assert set(foreseen_changes(step.stepper, step.contacts, h).tolist()) == {4, 5}, "without a force any overlap"
    table.gap[ball] = 2e-3
    assert foreseen_changes(step.stepper, step.contacts, h).size == 0, "what is open and stays open is no change"


@pytest.mark.parametrize("others", [False, True])
def test_a_ball_that_lands_restarts_before_its_first_solve(others: bool) -> None:
    """Whether others rest beside it, or all bodies there are look back."""
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.6))
    if others:
        scene.add_body("box", Box(1, 1, 1), mass=1.0, position=(3, 0, 0.5))
    simulation = taut.Simulation(scene)
    solves = [simulation.step().solves for _ in range(40)]
    assert simulation.body("ball").contacts.force[:, 2].sum() == pytest.approx(9.81, rel=1e-3)
    assert solves[1:] == [1] * 39


@pytest.mark.parametrize("height", [0.5, 1.0])
def test_a_ball_that_lands_stays_down(height: float) -> None:
    """A ball without restitution. If the step in which it lands looked back, it would leave with 0.8 and 1.6 m/s."""
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.1 + height))
    simulation = taut.Simulation(scene)
    upwards = []
    for _ in range(60):
        simulation.step()
        upwards.append(simulation.body("ball").velocity[2])
    assert max(upwards) <= 1e-4


def test_a_slim_rod_that_swings_in_space_keeps_its_twist() -> None:
    """Nothing acts about the axis of a rod on a ball joint. Were it not slim, it would spin up by 25 rad/s in 3 s."""
    arm, turning = np.array([0.4, 0.0, -0.3]), np.array([0.0, 0.0, 3.0])
    scene = taut.Scene()
    scene.add_body(
        "rod", Cylinder(0.01, 1.0), mass=1.0, position=arm, orientation=from_two_vectors((0, 0, 1), arm),
        velocity=np.cross(turning, arm), angular_velocity=turning,
    )  # fmt: skip
    scene.connect("world", "rod", Spherical(), at=(0, 0, 0))
    simulation = taut.Simulation(scene)
    rod, twist = simulation.body("rod"), []
    for _ in range(180):
        simulation.step()
        twist.append(matrix(rod.orientation)[:, 2] @ rod.angular_velocity)
    assert twist == pytest.approx([arm @ turning / 0.5] * 180, abs=1e-8)


def test_a_slim_rod_that_topples_on_smooth_ground_keeps_its_twist() -> None:
    """No contact without friction acts about its axis. Were it not slim while it touches, it would spin at 57 rad/s.

    Where it starts it is not known yet that it touches.
    """
    along, turning = np.array([np.sin(0.5), 0.0, np.cos(0.5)]), np.array([0.0, 0.0, 3.0])
    scene = taut.Scene(friction=0.0)
    scene.add_plane()
    scene.add_body(
        "rod", Capsule(0.01, 1.0), mass=1.0, position=0.5 * along + [0, 0, 0.01],
        orientation=from_two_vectors((0, 0, 1), along), velocity=np.cross(turning, 0.5 * along),
        angular_velocity=turning,
    )  # fmt: skip
    simulation = taut.Simulation(scene)
    rod, twist = simulation.body("rod"), []
    for _ in range(54):
        simulation.step()
        twist.append(matrix(rod.orientation)[:, 2] @ rod.angular_velocity)
    assert np.ptp(twist[2:]) <= 0.5


@pytest.mark.parametrize("speed", [10.0, 100.0, 300.0])
@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_a_fast_ball_is_stopped_by_a_thin_wall_or_comes_back(speed: float, restitution: float) -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("wall", Box(0.002, 2, 2), fixed=True, restitution=restitution)
    scene.add_body("ball", Sphere(0.05), mass=1.0, position=(-0.5, 0.1, 0), velocity=(speed, 0, 0))
    simulation = taut.Simulation(scene)
    statuses = {simulation.step().status for _ in range(12)}
    ball = simulation.body("ball")
    assert statuses == {"solved"}
    assert ball.position[0] < -0.05
    assert ball.velocity[0] == pytest.approx(-restitution * speed, abs=0.01 * speed)


def test_a_bullet_hands_its_momentum_to_a_free_sheet_and_loses_energy() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("sheet", Box(0.002, 2, 2), mass=3.0)
    scene.add_body("ball", Sphere(0.05), mass=1.0, position=(-0.5, 0, 0), velocity=(200, 0, 0))
    simulation = taut.Simulation(scene)
    energy = [simulation.step().energy for _ in range(6)]
    assert simulation.body("ball").velocity == pytest.approx([50, 0, 0], abs=0.5)
    assert simulation.body("sheet").velocity == pytest.approx([50, 0, 0], abs=0.5)
    assert max(energy) <= 20_000.0 * (1 + 1e-9)
    assert energy[-1] == pytest.approx(5_000.0, rel=0.02)


def test_bodies_that_met_are_linearised_there_and_look_back_on_nothing() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("wall", Box(0.002, 2, 2), fixed=True)
    scene.add_body("ball", Sphere(0.05), mass=1.0, position=(-30.0, 0, 0), velocity=(100, 0, 0))
    simulation = taut.Simulation(scene)
    solves = []
    while simulation.body("ball").velocity[0] > 99.0:
        solves.append(simulation.step().solves)
    assert solves[-1] <= 2
    assert simulation.state.history[2] == 0
    assert simulation.body("ball").position[0] == pytest.approx(-0.051, abs=1e-4)


def test_bodies_are_held_back_by_their_way_and_not_by_weights_of_a_frame_before() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    for number in range(3):
        scene.add_body(f"ball{number}", Sphere(0.05), mass=1.0, position=(number, 0, 0))
    simulation = taut.Simulation(scene)
    stepper, state = simulation.stepper, simulation.state
    stepper.scratch.weights.beta.fill(0.0)
    for own, at in zip(stepper.scratch.places, stepper.places_of(state), strict=True):
        own[:] = at
    held, way = np.arange(4) == 2, np.zeros((4, 6))
    way[:] = (0.3, 0.0, 0.1, 0.0, 0.2, 0.0)
    hold_back(stepper, state, Meetings(Contacts.none(), held, way, np.zeros(4, bool)))
    expected = state.position + np.where(held[:, None], way[:, :3], 0.0)
    assert stepper.scratch.places.position == pytest.approx(expected)
