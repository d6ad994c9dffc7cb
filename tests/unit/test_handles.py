"""Views of bodies and joints of a running simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sample_mechanisms import GRAVITY, MASS, advance, chain, one_body, slider

import taut
from taut.errors import InputError
from taut.joints import Cylindrical, Drive, Fixed, Motor, Revolute, Spherical


def test_views_are_copies() -> None:
    body = chain().body("load")
    for name in ("position", "orientation", "velocity", "angular_velocity"):
        getattr(body, name)[:] = 77.0
        assert not (getattr(body, name) == 77.0).any(), name


def test_names_and_masses() -> None:
    simulation = chain(load=123.0)
    assert simulation.body("load").name == "load" and simulation.body("load").mass == 123.0
    assert simulation.joint("world-link0").name == "world-link0"


def test_wrong_names_are_answered_with_the_nearest() -> None:
    simulation = chain()
    with pytest.raises(InputError, match="link0"):
        simulation.body("lnk0")
    with pytest.raises(InputError, match="world-link0"):
        simulation.joint("wold-link0")


def test_forces_stay_until_they_are_changed() -> None:
    simulation = one_body(None)
    body = simulation.body("b")
    body.apply(force=(2.0, 0, 0))
    advance(simulation, 0.5)
    assert body.velocity == pytest.approx([0.5, 0, 0])
    body.apply(force=(0, 2.0, 0))
    advance(simulation, 0.5)
    assert body.velocity == pytest.approx([0.5, 0.5, 0], rel=1e-2), "replaced, not added"
    body.apply()
    before = body.velocity
    advance(simulation, 0.5)
    assert body.velocity == pytest.approx(before, rel=2e-2)


def test_a_force_at_a_point_turns_the_body() -> None:
    simulation = one_body(None, step=1e-4, com=(0.1, 0, 0))
    simulation.body("b").apply(force=(0, 3.0, 0), point=(0.6, 0, 0), torque=(0, 0, 1.0))
    advance(simulation, 0.01)
    assert simulation.body("b").angular_velocity == pytest.approx([0, 0, (1.0 + 0.5 * 3.0) / 0.5 * 0.01], rel=1e-3)


@pytest.mark.parametrize(
    "options", [{"force": (1, 2)}, {"torque": (1, 2, math.nan)}, {"force": "up"}, {"force": (1, 0, 0), "point": 3}]
)
def test_wrong_forces_are_refused(options: dict) -> None:
    with pytest.raises(InputError, match="body 'b'"):
        one_body(None).body("b").apply(**options)


def test_reaction_is_about_the_joint_on_body_b() -> None:
    """A beam held at its end: its weight, and the moment of it."""
    simulation = one_body(Fixed(), (0, 0, -GRAVITY), at=(-1, 0, 0))
    advance(simulation, 0.5)
    assert simulation.joint("j").reaction == pytest.approx([0, 0, MASS * GRAVITY, 0, -MASS * GRAVITY, 0], abs=1e-6)


def test_reaction_has_the_other_sign_with_the_bodies_swapped() -> None:
    scene = taut.Scene()
    scene.add_body("b", mass=MASS, inertia=(1, 1, 1))
    scene.connect("b", "world", Fixed(), at=(-1, 0, 0), name="j")
    simulation = taut.Simulation(scene)
    advance(simulation, 0.5)
    assert simulation.joint("j").reaction == pytest.approx([0, 0, -MASS * GRAVITY, 0, MASS * GRAVITY, 0], abs=1e-6)


def test_reaction_of_a_turning_body_follows_the_anchor() -> None:
    """A stone on a string: m v^2 / r towards the pivot, no moment about it."""
    simulation = one_body(
        Spherical(), at=(0, 0, 0), position=(1, 0, 0), velocity=(0, 2, 0), angular_velocity=(0, 0, 2), step=1 / 500
    )
    advance(simulation, 1.0)
    place, reaction = simulation.body("b").position, simulation.joint("j").reaction
    assert reaction[:3] == pytest.approx(-MASS * 4.0 * place, abs=0.05)
    assert reaction[3:] == pytest.approx(np.zeros(3), abs=1e-9)


def test_violation_tells_which_joint_is_open() -> None:
    simulation = chain()
    state = simulation.state.copy()
    state.position[-1] += (0, 0.01, 0)
    simulation.restore(state)
    assert simulation.joint("link4-load").violation == pytest.approx(0.01)
    assert simulation.joint("world-link0").violation == pytest.approx(0.0, abs=1e-12)


def test_positions_are_read_after_restoring() -> None:
    simulation = slider(speed=1.0)
    advance(simulation, 0.5)
    early = simulation.state.copy()
    advance(simulation, 0.5)
    simulation.restore(early)
    assert simulation.joint("j").position == pytest.approx(0.5)
    assert simulation.joint("j").velocity == pytest.approx(1.0)
    assert simulation.time == pytest.approx(0.5)


def test_driving_needs_a_motor_and_a_number() -> None:
    with pytest.raises(InputError, match="joint 'j'.*Motor"):
        slider().joint("j").drive(1.0)
    for wrong in (math.nan, "fast", None):
        with pytest.raises(InputError, match="joint 'j': target"):
            slider(motor=Motor(speed=0.0)).joint("j").drive(wrong)


@pytest.mark.parametrize("number", [1, -1, 0.0, True, "0", [0], np.array([0, 1])], ids=repr)
def test_motors_have_whole_numbers(number: object) -> None:
    joint = slider(motor=Motor(speed=0.0)).joint("j")
    with pytest.raises(InputError, match="joint 'j': motor is .*; it must be a number from 0 to 0"):
        joint.drive(1.0, motor=number)
    joint.drive(1.0, motor=np.int64(0))
    assert joint.target() == joint.target(0) == 1.0


def test_driving_changes_this_motor_only() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    for index, name in enumerate("ab"):
        scene.add_body(name, mass=1.0, inertia=(1, 1, 1), position=(index, 0, 0))
        scene.connect("world", name, Revolute(motor=Motor(speed=0.0), friction=0.1), name=f"j{name}")
    simulation = taut.Simulation(scene)
    simulation.joint("ja").drive(2.0)
    advance(simulation, 0.2)
    assert simulation.joint("ja").velocity == pytest.approx(2.0)
    assert simulation.joint("jb").velocity == pytest.approx(0.0, abs=1e-12)


def test_several_coordinates_are_an_array() -> None:
    joint = Cylindrical(axis=(0, 0, 1), slide=Drive(motor=Motor(speed=0.3)), turn=Drive(damping=0.1))
    simulation = one_body(joint, angular_velocity=(0, 0, 1.0))
    advance(simulation, 0.5)
    assert simulation.joint("j").position.shape == (2,)
    assert simulation.joint("j").velocity[0] == pytest.approx(0.3)
    assert simulation.joint("j").velocity[1] == pytest.approx(math.exp(-0.1 / 0.5 * 0.5), rel=1e-3)


def test_springs_have_reactions_and_no_coordinate() -> None:
    scene = taut.Scene()
    scene.add_body("b", mass=MASS, inertia=(1, 1, 1), position=(0, 0, -1))
    scene.add_spring("world", "b", stiffness=100.0, damping=50.0, name="s")
    simulation = taut.Simulation(scene)
    advance(simulation, 4.0)
    assert simulation.joint("s").reaction[2] == pytest.approx(MASS * GRAVITY, rel=1e-4)
    with pytest.raises(InputError, match="joint 's'.*Spring"):
        _ = simulation.joint("s").position


def test_the_work_of_a_force_applied_off_the_centre_is_not_taken_for_a_gain() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    scene.connect("world", "b", taut.joints.Revolute(axis=(0, 0, 1)), at=(0, 0, 0))
    simulation = taut.Simulation(scene)
    simulation.body("b").apply(force=(0, 10, 0), point=(0.5, 0, 0))
    reports = [simulation.step() for _ in range(60)]
    assert {report.status for report in reports} == {"solved"}
    assert max(report.solves for report in reports[1:]) == 1
