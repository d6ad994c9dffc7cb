"""The stage after the solve: the new velocity, where it leads, and what floating groups and slim bodies keep."""

from __future__ import annotations

import numpy as np
import pytest
from staged_steps import STEP, Staged, staged, stepper_of

import taut
from taut.integrators import BDF2, EULER
from taut.integrators.scheme import Scheme
from taut.joints import Revolute, Spherical
from taut.model.compile import compile_scene
from taut.shapes import Box, Cylinder

SCHEMES = pytest.mark.parametrize("scheme", [EULER, BDF2], ids=lambda scheme: scheme.name)


def floating(scheme: Scheme = EULER, held: bool = False) -> Staged:
    """Three bodies on ball joints in flight, which spin; or with the first of them on a hinge to the world."""
    scene = taut.Scene(gravity=(0, 0, -9.81), collisions=False)
    for index in range(3):
        scene.add_body(
            f"b{index}", mass=1.0 + index, inertia=(0.3, 0.4, 0.5), position=(index, 0, 0),
            velocity=(0.1, 0.2 * index, 0.3), angular_velocity=(index, 1, -1),
        )  # fmt: skip
        if index:
            scene.connect(f"b{index - 1}", f"b{index}", Spherical(), at=(index - 0.5, 0, 0))
    if held:
        scene.connect("world", "b0", Revolute(axis=(0, 0, 1)))
    model, state = compile_scene(scene)
    state.history[:] = 1
    state.previous_velocity[:], state.previous_spin[:] = state.velocity, state.spin
    state.displacement[:] = STEP * state.velocity
    return Staged(stepper_of(model, scheme=scheme), state, scheme=scheme)


def solved(step: Staged) -> Staged:
    """The step after its solve."""
    step.predict()
    step.linearise()
    step.solve()
    return step


def test_a_solved_step_leaves_no_hard_row_open_and_another_says_by_how_much() -> None:
    step = solved(floating(held=True))
    lam, closes = step.answer.lam.copy(), step.stepper.mechanism.laws.closes > 0
    assert step.take_impulses(lam) < 1e-12
    lam[2] += 0.5
    open_by = step.take_impulses(lam)
    slack = step.rows.beta * (step.jacobian() @ step.scratch.candidate.velocity.ravel() + step.rows.bias)
    assert open_by == pytest.approx(np.abs(slack[closes]).max()) and open_by > 1e-3


@SCHEMES
def test_bodies_move_on_from_where_they_were_linearised(rng: np.random.Generator, scheme: Scheme) -> None:
    """x_k + beta (v+ - v_k), rotations composed; with v+ = v_k they stay where they are."""
    step = floating(scheme, held=True)
    step.predict()
    step.linearise()
    step.respond()
    scratch, candidate, base = step.scratch, step.scratch.candidate, step.scratch.base
    candidate.velocity[:] = candidate.guess
    step.move()
    assert scratch.places.position == pytest.approx(base.position, abs=1e-15)
    assert scratch.places.orientation == pytest.approx(base.orientation, abs=1e-15)
    candidate.velocity[1:] += rng.normal(size=(3, 6))
    step.move()
    way = scratch.weights.beta[:, None] * (candidate.moved - candidate.guess)
    assert scratch.places.position == pytest.approx(base.position + way[:, :3])
    for body in range(1, 4):
        turned = taut.spatial.multiply(taut.spatial.exponential(way[body, 3:]), base.orientation[body])
        assert scratch.places.orientation[body] == pytest.approx(turned)


def spin_about_centre(mass: np.ndarray, position: np.ndarray, velocity: np.ndarray, spin: np.ndarray) -> np.ndarray:
    """Angular momentum (3,) of bodies about their common centre of mass."""
    centre = mass @ position / mass.sum()
    return (spin + mass[:, None] * np.cross(position - centre, velocity[:, :3])).sum(axis=0)


@SCHEMES
def test_floating_groups_keep_their_angular_momentum(scheme: Scheme) -> None:
    """alpha L+ = now L + before L_prev: no joint inside and no gravity changes it."""
    step = solved(floating(scheme))
    before, mass = step.scratch.candidate.velocity.copy(), step.stepper.mechanism.bodies.mass[1:]
    step.move()
    step.judge()
    state, scratch = step.state, step.scratch
    found = spin_about_centre(
        mass, scratch.places.position[1:], scratch.candidate.velocity[1:], scratch.candidate.spin[1:]
    )
    now = spin_about_centre(mass, state.position[1:], state.velocity[1:], state.spin[1:])
    back = state.position[1:] - state.displacement[1:, :3]
    older = spin_about_centre(mass, back, state.previous_velocity[1:], state.previous_spin[1:])
    weights = scratch.weights
    expected = (weights.now[1] * now + weights.before[1] * older) / weights.alpha[1]
    assert found == pytest.approx(expected, rel=1e-9)
    assert np.abs(scratch.candidate.velocity - before).max() > 1e-9, "there was something to correct"


def test_groups_that_are_held_or_touched_are_left_as_they_were_solved() -> None:
    step = solved(floating(held=True))
    before = step.scratch.candidate.velocity.copy()
    step.move()
    np.testing.assert_array_equal(step.scratch.candidate.velocity, before)


def test_bodies_are_touched_that_contacts_push() -> None:
    scene = taut.Scene()
    scene.add_plane()
    for index, height in enumerate((0.5, 1.5, 0.501)):
        scene.add_body(f"b{index}", Box(1, 1, 1), mass=2.0, position=(3.0 * (index // 2), 0.0, height))
    step = staged(taut.Simulation(scene))
    step.collide()
    step.linearise()
    step.respond()
    lam = np.zeros(step.rows.value.size)
    table = step.contacts.table
    lam[table.row[(table.body_a == 1) & (table.body_b == 2)]] = 1.0
    lam[table.row[table.body_b == 3]] = 0.0
    step.take_impulses(lam)
    step.move()
    assert step.scratch.candidate.touched.tolist() == [0, 1, 1, 0]


def test_slim_bodies_carry_their_twist_to_where_they_are() -> None:
    """The rate about the axis of a rod on a ball joint is what was balanced about the axis where it was linearised."""
    arm, turning = np.array([0.5, 0.0, 0.0]), np.array([3.0, 2.0, 5.0])
    scene = taut.Scene()
    scene.add_body(
        "rod", Cylinder(0.01, 1.0), mass=1.0, position=arm, orientation=taut.spatial.from_two_vectors((0, 0, 1), arm),
        angular_velocity=turning, velocity=np.cross(turning, arm),
    )  # fmt: skip
    scene.connect("world", "rod", Spherical(), at=(0, 0, 0))
    model, state = compile_scene(scene)
    step = Staged(stepper_of(model, scheme=BDF2), state, scheme=BDF2)
    step.scratch.candidate.slim[:] = model.slim
    assert model.slim[1] == 1
    step.predict()
    step.linearise()
    step.solve()
    axis = model.bodies.slim_axis[1]
    balanced = step.scratch.base.rotation[1].reshape(3, 3) @ axis @ step.scratch.candidate.velocity[1, 3:]
    before = step.scratch.candidate.velocity[1].copy()
    step.move()
    along = step.scratch.places.rotation[1].reshape(3, 3) @ axis
    assert along @ step.scratch.candidate.velocity[1, 3:] == pytest.approx(balanced, rel=1e-12)
    assert abs(along @ before[3:] - balanced) > 1e-6, "without it the rate would be another"


def rolling(jointed: bool = False) -> Staged:
    """A slim log that rolls fast on the ground, after a solve that turned it on the way."""
    scene = taut.Scene()
    scene.add_plane()
    lying = taut.spatial.from_two_vectors((0, 0, 1), (1, 0, 0))
    scene.add_body(
        "log", Cylinder(0.05, 1.0), mass=10.0, position=(0, 0, 0.049), orientation=lying, angular_velocity=(40, 0, 0)
    )
    if jointed:
        scene.connect("world", "log", Spherical())
    model, state = compile_scene(scene)
    step = Staged(stepper_of(model), state)
    step.collide()
    step.linearise()
    step.solve()
    step.scratch.candidate.velocity[1, 3:] = (40, 0, 10)
    return step


def test_a_log_that_contacts_hold_keeps_its_spin_in_its_own_axes() -> None:
    """Turned by 0.2 rad on the way, its roll would be across its axis, with 30 times the inertia."""
    step = rolling()
    before = step.scratch.base.rotation[1].reshape(3, 3).T @ step.scratch.candidate.velocity[1, 3:]
    step.move()
    turned = step.scratch.places.rotation[1].reshape(3, 3)
    assert np.abs(turned - step.scratch.base.rotation[1].reshape(3, 3)).max() > 0.1, "the test must meet it"
    assert turned.T @ step.scratch.candidate.velocity[1, 3:] == pytest.approx(before)


def test_a_log_that_joints_hold_keeps_its_angular_velocity() -> None:
    step = rolling(jointed=True)
    step.move()
    assert step.scratch.candidate.velocity[1, 3:] == pytest.approx([40, 0, 10], abs=1e-9)


def test_a_slim_body_that_is_struck_unforeseen_is_held_at_once() -> None:
    step = rolling()
    step.scratch.candidate.slim[:] = 0
    step.move()
    assert step.scratch.candidate.touched[1] == 1 and step.scratch.candidate.slim[1] == 1
