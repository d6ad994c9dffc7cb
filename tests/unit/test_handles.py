"""Views of bodies and joints of a running simulation."""

from __future__ import annotations

import math
from pathlib import Path

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


def hoist(**options: object) -> taut.Simulation:
    """A load of 100 kg that hangs on a rope of 5 m."""
    scene = taut.Scene()
    scene.add_body("load", mass=100.0, inertia=(1, 1, 1), position=(0, 0, -5))
    scene.connect("world", "load", taut.joints.Rope(length=5.0), name="rope")
    return taut.Simulation(scene, **options)


def haul(simulation: taut.Simulation, frames: int, speed: float) -> list[taut.StepReport]:
    """Pay out rope at a speed, frame by frame."""
    rope, reports = simulation.joint("rope"), []
    for _ in range(frames):
        rope.set_length(rope.length + speed * simulation.settings.step)
        reports.append(simulation.step())
    return reports


@pytest.mark.parametrize("solver", ["bpp", "bpp-dense", "linear-time", "ipm"])
def test_a_rope_that_is_hauled_in_lifts_its_load(solver: str) -> None:
    simulation = hoist(solver=solver)
    reports = haul(simulation, 60, -0.5)
    assert {report.status for report in reports} == {"solved"}
    assert simulation.joint("rope").length == pytest.approx(4.5, abs=1e-12)
    assert simulation.body("load").position[2] == pytest.approx(-4.5, abs=1e-9)
    assert simulation.joint("rope").tension == pytest.approx(100.0 * GRAVITY, rel=1e-6)
    assert max(report.substeps for report in reports[5:]) == 1, "the work of the rope is known"
    haul(simulation, 60, 0.5)
    assert simulation.body("load").position[2] == pytest.approx(-5.0, abs=1e-9)


def test_what_was_set_is_part_of_the_state(tmp_path: Path) -> None:
    first = hoist()
    haul(first, 10, -0.5)
    first.state.save(tmp_path / "state.npz")
    second = hoist()
    second.restore(taut.State.load(tmp_path / "state.npz"))
    assert second.joint("rope").length == first.joint("rope").length != 5.0
    for simulation in (first, second):
        haul(simulation, 10, -0.5)
    for name, value in vars(first.state).items():
        if isinstance(value, np.ndarray):
            assert np.array_equal(value, getattr(second.state, name), equal_nan=True), name


def test_a_length_moves_in_proportion_through_a_divided_frame() -> None:
    from taut.stepping.advance import goals_after

    state = hoist().state
    state.limits[0] = -math.inf, 4.0
    assert goals_after(state, 0.25)[1][0].tolist() == [-math.inf, 4.75]
    assert goals_after(state, 1.0)[1] is state.limits
    state.reached_limits[0, 1] = math.inf
    assert goals_after(state, 0.25)[1][0].tolist() == [-math.inf, 4.0], "there is no way from infinity"


def test_rods_and_springs_change_their_length_too() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    for index, name in enumerate(("rod", "spring")):
        scene.add_body(name, mass=1.0, inertia=(1, 1, 1), position=(index, 0, -1))
    scene.connect("world", "rod", taut.joints.Distance(length=1.0), name="a")
    scene.add_spring("world", "spring", point_a=(1, 0, 0), stiffness=1e3, damping=60.0, rest_length=1.0, name="b")
    simulation = taut.Simulation(scene)
    for frame in range(60):
        for name in "ab":
            simulation.joint(name).set_length(1.0 + 0.5 * min(frame + 1, 30) / 30)
        assert simulation.step().status == "solved"
    assert simulation.body("rod").position[2] == pytest.approx(-1.5, abs=1e-9)
    assert simulation.joint("b").length == 1.5
    assert simulation.body("spring").position[2] == pytest.approx(-1.5, abs=1e-2)


def test_limits_are_set_and_hold() -> None:
    simulation = slider(limits=(-1.0, 1.0), motor=Motor(speed=1.0, max_force=1e3))
    joint = simulation.joint("j")
    assert joint.limits.tolist() == [-1.0, 1.0]
    joint.set_limits(-1.0, 0.25)
    advance(simulation, 1.0)
    assert joint.position == pytest.approx(0.25, abs=1e-9) and joint.violation < 1e-9
    joint.set_limits(-1.0, math.inf)
    advance(simulation, 1.0)
    assert joint.position > 1.0


def test_a_motor_gets_as_strong_as_it_is_told_to() -> None:
    simulation = slider(motor=Motor(speed=5.0, max_force=0.0))
    joint = simulation.joint("j")
    advance(simulation, 0.2)
    assert joint.velocity == pytest.approx(0.0, abs=1e-12)
    joint.set_force_limit(2.0 * MASS)
    assert joint.force_limit() == 2.0 * MASS
    advance(simulation, 0.5)
    assert joint.velocity == pytest.approx(1.0, rel=1e-6)


def test_friction_is_a_brake() -> None:
    simulation = slider(motor=Motor(speed=1.0, max_force=10.0), friction=1.0)
    joint = simulation.joint("j")
    advance(simulation, 1.0)
    assert joint.velocity == pytest.approx(1.0)
    joint.set_friction(100.0)
    advance(simulation, 1.0)
    assert joint.velocity == pytest.approx(0.0, abs=1e-12)


def test_what_cannot_be_set_is_said() -> None:
    rope = hoist().joint("rope")
    for wrong in (0.0, -1.0, math.inf, "long"):
        with pytest.raises(InputError, match="joint 'rope': length is"):
            rope.set_length(wrong)
    with pytest.raises(InputError, match="joint 'rope': limits is"):
        rope.set_limits(2.0, 1.0)
    plain = slider(motor=Motor(speed=0.0)).joint("j")
    with pytest.raises(InputError, match="joint 'j': a .* has no length"):
        plain.set_length(1.0)
    with pytest.raises(InputError, match="joint 'j': it was built without limits"):
        plain.set_limits(0.0, 1.0)
    with pytest.raises(InputError, match="joint 'j': it was built without friction"):
        plain.set_friction(1.0)
    with pytest.raises(InputError, match="joint 'j': its motor was built with unlimited force"):
        plain.set_force_limit(1.0)
