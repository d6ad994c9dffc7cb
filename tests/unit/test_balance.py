"""The balance of light bodies under tension: kernels against dense NumPy, and what the step makes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from dense_twins import arrays_of, moved, random_pose, random_quaternion, random_spd, random_unit, stiff_part
from made_up_outcomes import first_solve, nothing_spent, with_errors, worst
from sample_mechanisms import chain, stage_by_stage

import taut
from taut import spatial
from taut.contact.memory import ContactMemory
from taut.joints import Revolute, Spherical
from taut.shapes import Box, Cylinder
from taut.stepping.acceleration import Memory
from taut.stepping.acceptance import total_error
from taut.stepping.attempt import following_start
from taut.stepping.balance_kernels import carry_twist, change_of_wrench, imbalance
from taut.stepping.collide import hold_slim
from taut.stepping.settings import LINEARISATION
from taut.stepping.step import step
from taut.tables import held

TURNED = (0.1, 0.3, -0.2)
"""How far bodies turn in a step, as a rotation vector."""


def limb(joint: taut.joints.Joint, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)) -> taut.Simulation:
    """A slim rod along x that turns fast about all axes, joined to the world at its end."""
    scene = taut.Scene(gravity=gravity)
    lying = spatial.from_two_vectors((0, 0, 1), (1, 0, 0))
    rate = np.array([3.0, 2.0, 5.0])
    scene.add_body(
        "limb", Cylinder(0.01, 1.0), mass=1.0, position=(0.5, 0, 0), orientation=lying, angular_velocity=rate,
        velocity=np.cross(rate, (0.5, 0.0, 0.0)),
    )  # fmt: skip
    scene.connect("world", "limb", joint, at=(0, 0, 0))
    return taut.Simulation(scene)


def after_a_turn(simulation: taut.Simulation) -> taut.State:
    """The state with the limb turned about its centre of mass."""
    orientation = simulation.state.orientation.copy()
    orientation[1] = spatial.multiply(spatial.exponential(np.array(TURNED)), orientation[1])
    return replace(simulation.state, orientation=orientation)


def slim_axes(simulation: taut.Simulation) -> tuple[np.ndarray, np.ndarray]:
    """The slim axis (3,) of the limb in its state and after a turn."""
    stepper = simulation.stepper
    states = simulation.state, after_a_turn(simulation)
    before, after = (stepper.places_of(state).rotation[1].reshape(3, 3) for state in states)
    return before @ stepper.mechanism.bodies.slim_axis[1], after @ stepper.mechanism.bodies.slim_axis[1]


def carried(simulation: taut.Simulation, touched: int | None = None, stout: bool = False) -> np.ndarray:
    """Velocities (n, 6) after a step that was linearised at the state and turned the limb."""
    stepper, state, velocity = simulation.stepper, simulation.state, simulation.state.velocity.copy()
    hold_slim(stepper, ContactMemory.none())
    slim, touches = stepper.scratch.candidate.slim.copy(), np.zeros(stepper.mechanism.count, np.uint8)
    assert slim[1] == 1, "joints hold the limb"
    slim[1] = int(not stout)
    touches[[] if touched is None else touched] = 1
    here, there = stepper.places_of(state).rotation, stepper.places_of(after_a_turn(simulation)).rotation
    jacobian, links = stepper.measure(state).jacobian, stepper.mechanism.links
    carry_twist(links.entry_body, jacobian, stepper.mechanism.bodies.slim_axis, here, there, slim, touches, velocity)
    return velocity


def rates(simulation: taut.Simulation, state: taut.State, velocity: np.ndarray) -> np.ndarray:
    """J v (rows,) of velocities (n, 6) where a state has the bodies."""
    links = simulation.stepper.mechanism.links
    jacobian = simulation.stepper.measure(state).jacobian
    return np.bincount(links.entry_row, np.einsum("ei,ei->e", jacobian, velocity[links.entry_body]))


def test_twist_is_kept_and_nothing_else_changes() -> None:
    simulation = limb(Spherical())
    given, velocity = simulation.state.velocity, carried(simulation)
    before, axis = slim_axes(simulation)
    expected = given.copy()
    expected[1, 3:] += axis * ((before - axis) @ given[1, 3:])
    assert velocity == pytest.approx(expected, abs=1e-14)
    assert axis @ velocity[1, 3:] == pytest.approx(before @ given[1, 3:], abs=1e-14)
    change = velocity[1, 3:] - given[1, 3:]
    assert np.linalg.norm(change) > 0.1 and np.cross(change, axis) == pytest.approx(np.zeros(3), abs=1e-14)
    assert np.array_equal(velocity[0], given[0])


def test_rows_whose_twist_is_carried_move_as_before() -> None:
    """A ball joint on the axis does not feel the twist: J v at x+ is that of the velocity that was solved for."""
    simulation = limb(Spherical())
    velocity, there = carried(simulation), after_a_turn(simulation)
    assert not np.array_equal(velocity, simulation.state.velocity)
    expected = rates(simulation, there, simulation.state.velocity)
    assert rates(simulation, there, velocity) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("axis", [(0, 1, 0), (1, 0, 0), (1, 1, 1)])
def test_a_hinge_that_holds_the_twist_is_left_alone(axis: tuple[float, float, float]) -> None:
    """A limb of a ragdoll: unless it turns about its own axis, its hinge acts on the twist."""
    simulation = limb(Revolute(axis=axis))
    along_itself = axis == (1, 0, 0)
    assert np.array_equal(carried(simulation), simulation.state.velocity) is not along_itself


def test_a_body_that_contacts_touch_is_left_alone() -> None:
    simulation = limb(Spherical())
    assert np.array_equal(carried(simulation, touched=1), simulation.state.velocity)


def test_stout_bodies_are_left_alone() -> None:
    simulation = limb(Spherical())
    assert np.array_equal(carried(simulation, stout=True), simulation.state.velocity)


def test_the_kernel_says_whose_twist_is_held(rng: np.random.Generator) -> None:
    """Rows of many bodies at once: one component about the axis, a share of 1e-6 apart, decides."""
    count = 6
    axes = np.array([random_unit(rng) for _ in range(count)])
    poses = [random_pose(rng) for _ in range(count)]
    _, after = arrays_of([moved(pose, np.r_[np.zeros(3), 0.3 * rng.normal(size=3)]) for pose in poses])
    turns = np.array([spatial.matrix(random_quaternion(rng)) for _ in range(count)])
    before = np.einsum("bij,bj->bi", turns, axes)
    entry_body = np.array([1, 2, 3, 3, 4])
    jacobian = rng.normal(size=(5, 6))
    for entry, share in enumerate((0.0, 1e-7, 0.0, 1e-4, 1.0)):
        a = before[entry_body[entry]]
        jacobian[entry, 3:] += a * (share * np.abs(jacobian[entry]).max() - a @ jacobian[entry, 3:])
    velocity, slim = rng.normal(size=(count, 6)), np.array([1, 1, 1, 1, 1, 0], np.uint8)
    kept, untouched = velocity.copy(), np.zeros(count, np.uint8)
    carry_twist(entry_body, jacobian, axes, turns.reshape(count, 9), after, slim, untouched, kept)
    expected = velocity.copy()
    for body in (0, 1, 2):
        a = after[body].reshape(3, 3) @ axes[body]
        expected[body, 3:] += a * ((before[body] - a) @ velocity[body, 3:])
    assert kept == pytest.approx(expected, abs=1e-13)
    assert np.array_equal(kept[3:], velocity[3:]), "rows hold two, and one is not slim"


def test_change_of_wrench_is_that_of_the_dense_product(rng: np.random.Generator) -> None:
    rows, bodies = 5, 4
    entry_row, entry_body = np.array([0, 0, 1, 2, 2, 3, 4]), np.array([0, 1, 2, 1, 3, 3, 2])
    companion, sign = np.array([0, 1, 0, 0, 1], np.uint8), np.array([1.0, 1.0, -1.0, 1.0, -1.0])
    before, after = rng.normal(size=(2, entry_row.size, 6))
    lam, found = rng.normal(size=rows), np.zeros((bodies, 6))
    change_of_wrench(entry_row, entry_body, companion, sign, lam, before, after, found)
    dense = np.zeros((2, rows, bodies, 6))
    for entry, (row, body) in enumerate(zip(entry_row, entry_body, strict=True)):
        dense[0, row, body] = before[entry]
        dense[1, row, body] = sign[row] * after[entry] * (companion[row] == 0)
    expected = np.einsum("rbi,r->bi", dense[1] - dense[0], lam)
    assert found == pytest.approx(expected, abs=1e-13)


def random_balance(rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    """Arguments of `imbalance` but for its flags, in its order; stiffness well above inertia over h^2."""
    spd = np.array([random_spd(rng).ravel() for _ in range(count)])
    before = np.array([stiff_part(1e6 * rng.normal(size=(3, 3)) + 2e6 * np.eye(3)).ravel() for _ in range(count)])
    return {
        "alpha": np.linspace(1.0, 1.5, count), "beta": np.linspace(0.01, 0.02, count), "h": np.array(0.02),
        "guess": rng.normal(size=(count, 6)), "velocity": rng.normal(size=(count, 6)),
        "inverse_mass": np.linspace(0.5, 2.0, count), "inertia": spd, "before": before,
        "after": 1e6 * rng.normal(size=(count, 9)) + 3e6 * np.eye(3).ravel(),
    }  # fmt: skip


def dense_imbalance(given: dict[str, np.ndarray], body: int, wrench: np.ndarray) -> np.ndarray:
    """Displacement (6,) by which a body misses its balance."""
    alpha, beta, h = given["alpha"][body], given["beta"][body], float(given["h"])
    before, after = given["before"][body].reshape(3, 3), given["after"][body].reshape(3, 3)
    torque = wrench[3:] + h * beta * before @ (given["velocity"] - given["guess"])[body, 3:]
    block = alpha * given["inertia"][body].reshape(3, 3) + h * beta * stiff_part(after)
    return np.concatenate([beta * given["inverse_mass"][body] * wrench[:3], beta * np.linalg.solve(block, torque)])


def run_imbalance(given: dict[str, np.ndarray], counts: np.ndarray, error: np.ndarray) -> float:
    """The kernel's answer; the displacements are left in `error`."""
    values = {name: float(value) if name == "h" else value for name, value in given.items()}
    return imbalance(counts, *values.values(), error)


def test_imbalance_is_that_of_the_dense_formula(rng: np.random.Generator) -> None:
    count = 8
    given, wrench = random_balance(rng, count), 1e3 * rng.normal(size=(count, 6))
    counts = np.ones(count, np.uint8)
    counts[2] = 0
    given["after"][5] *= 1e-9  # hardly any tension: inertia is patient enough
    error = wrench.copy()
    worst = run_imbalance(given, counts, error)
    expected = np.array([dense_imbalance(given, body, wrench[body]) for body in range(count)])
    expected[[2, 5]] = 0.0
    assert error == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert worst == pytest.approx(np.abs(expected).max(), rel=1e-9)


def test_tension_counts_from_where_it_outweighs_inertia(rng: np.random.Generator) -> None:
    given, counts = random_balance(rng, 1), np.ones(1, np.uint8)
    scale = given["alpha"][0] / (given["h"] * given["beta"][0])
    trace = given["inertia"][0].reshape(3, 3).trace() * scale
    for share, seen in ((0.99, False), (1.01, True)):
        given["after"][0] = share * trace / 3.0 * np.eye(3).ravel()
        assert (run_imbalance(given, counts, np.ones((1, 6))) > 0.0) is seen


def test_a_change_that_the_linear_model_foresaw_is_no_imbalance(rng: np.random.Generator) -> None:
    given, counts = random_balance(rng, 3), np.ones(3, np.uint8)
    wrench = np.zeros((3, 6))
    for body in range(3):
        turned = (given["velocity"] - given["guess"])[body, 3:]
        wrench[body, 3:] = -given["h"] * given["beta"][body] * given["before"][body].reshape(3, 3) @ turned
    assert run_imbalance(given, counts, wrench) <= 1e-15


def test_a_first_solve_without_forces_misses_its_balance_and_the_next_one_does_not() -> None:
    """The rows hold almost, yet the tension that the links turn under was not known."""
    simulation = chain(links=10, load=1e4, angle=-0.5)
    start, first = first_solve(simulation)
    stepper, settings, spent = simulation.stepper, simulation.settings, nothing_spent(simulation)
    assert not start.force.any() and first.solution.solved
    assert worst(first, "imbalance") > 1e-4 and total_error(first, settings) > 1.0
    start = following_start(stepper, simulation.state, start, first, first.contacts, Memory(), spent)
    again = step(stepper, simulation.state, start)
    assert worst(again, "imbalance") < 0.1 * worst(first, "imbalance")


def test_a_first_frame_that_misses_its_balance_is_solved_again() -> None:
    solves = {}
    for judged in (True, False):
        simulation = stage_by_stage(chain(links=10, load=1e4, angle=-0.5))
        stepper = simulation.stepper
        assert stepper.judges_balance
        if not judged:
            tolerances = stepper.model.tolerances._replace(balances=0)
            stepper.model = stepper.model._replace(tolerances=tolerances)
            stepper.m = held(stepper.model)
        solves[judged] = simulation.step().solves
    assert solves[True] > solves[False]


def test_a_chain_whose_forces_are_known_is_in_balance() -> None:
    simulation = chain(links=10, load=1e4, angle=-0.5)
    for _ in range(20):
        assert simulation.step().status == "solved"
    _, outcome = first_solve(simulation)
    assert total_error(outcome, simulation.settings) < 1.0


def test_a_body_without_tension_has_no_imbalance() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", Box(0.2, 0.3, 0.4), mass=1.0, angular_velocity=(1.0, 2.0, 3.0))
    scene.connect("world", "b", Spherical(), at=(0, 0, 0))
    _, outcome = first_solve(taut.Simulation(scene))
    assert worst(outcome, "imbalance") == 0.0


def test_where_a_solve_turns_bodies_too_far_a_part_of_the_way_is_taken_with_more_tension() -> None:
    """Ten times the forces found make the next stiffness, and no body is linearised farther than 0.5 rad away."""
    simulation = chain(links=10, load=1e4, angle=-0.5)
    start, first = first_solve(simulation)
    stepper, h, memory, spent = simulation.stepper, simulation.settings.step, Memory(), nothing_spent(simulation)
    force = stepper.own.rows.sign * first.solution.lam / h
    memory.follow(np.ones_like(start.guess), start.guess, start.force)
    far = with_errors(first, turned=4.0 * LINEARISATION.turn)
    following = following_start(stepper, simulation.state, start, far, first.contacts, memory, spent)
    assert following.guess == pytest.approx(start.guess + 0.25 * (first.velocity - start.guess))
    assert following.force == pytest.approx(10.0 * force)
    assert memory.ways == [], "what was learnt about whole ways is forgotten"
    near = with_errors(first, turned=0.9 * LINEARISATION.turn)
    following = following_start(stepper, simulation.state, start, near, first.contacts, memory, spent)
    assert following.force == pytest.approx(force)
