"""Limits, motors, springs, dampers and dry friction along joint coordinates, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sample_mechanisms import GRAVITY, INERTIA, MASS, advance, hinge, one_body, slider

import taut
from taut.errors import InputError
from taut.joints import (
    Cylindrical,
    Drive,
    Motor,
    Planar,
    PointOnLine,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Translational,
    Universal,
)

DOWN, UP = (0, 0, -GRAVITY), (0, 0, GRAVITY)
SPIN = INERTIA[2]


@pytest.mark.parametrize(("gravity", "end"), [(DOWN, -0.5), (UP, 0.3)], ids=["lower", "upper"])
def test_limits_stop_at_both_ends_without_bouncing(gravity: tuple, end: float) -> None:
    simulation = slider((0, 0, 1), gravity=gravity, limits=(-0.5, 0.3))
    reports = advance(simulation, 1.0)
    assert max(report.violation for report in reports) <= 1e-6
    assert simulation.joint("j").position == pytest.approx(end, abs=1e-7)
    assert simulation.joint("j").velocity == pytest.approx(0.0, abs=1e-6)
    assert simulation.joint("j").reaction[2] == pytest.approx(-MASS * gravity[2], rel=1e-6)


def test_limits_do_nothing_before_they_are_reached() -> None:
    free, limited = slider((0, 0, 1), gravity=DOWN), slider((0, 0, 1), gravity=DOWN, limits=(-0.5, 0.3))
    for simulation in (free, limited):
        advance(simulation, 0.3)
    assert limited.body("b").position == pytest.approx(free.body("b").position, abs=1e-12)
    assert limited.joint("j").reaction == pytest.approx(np.zeros(6), abs=1e-12)


@pytest.mark.parametrize(
    "limits", [(-math.inf, 0.1), (-math.inf, math.inf), None], ids=["upper only", "no ends", "no limits"]
)
def test_infinite_ends_are_no_ends(limits: tuple[float, float] | None) -> None:
    simulation = slider((0, 0, 1), gravity=DOWN, limits=limits)
    advance(simulation, 1.0)
    assert simulation.joint("j").velocity == pytest.approx(-GRAVITY, rel=1e-6)


def test_the_finite_end_of_a_half_open_limit_holds() -> None:
    simulation = slider((0, 0, 1), gravity=UP, limits=(-math.inf, 0.1))
    advance(simulation, 1.0)
    assert simulation.joint("j").position == pytest.approx(0.1, abs=1e-7)


@pytest.mark.parametrize(("rate", "end"), [(3.0, 0.4), (-3.0, -0.7)])
def test_hinge_limits(rate: float, end: float) -> None:
    simulation = hinge(rate, limits=(-0.7, 0.4))
    advance(simulation, 1.0)
    assert simulation.joint("j").position == pytest.approx(end, abs=1e-6)
    assert simulation.body("b").angular_velocity == pytest.approx(np.zeros(3), abs=1e-6)


def test_hinge_limits_beyond_a_turn() -> None:
    simulation = hinge(5.0, limits=(-math.inf, 8.0))
    advance(simulation, 1.5)
    assert simulation.joint("j").position == pytest.approx(7.5, abs=1e-3)
    advance(simulation, 0.5)
    assert simulation.joint("j").position == pytest.approx(8.0, abs=1e-6)


def test_equal_ends_lock_the_joint() -> None:
    simulation = slider(speed=1.0, limits=(0.0, 0.0))
    for _ in range(30):
        simulation.step()
        assert abs(simulation.joint("j").position) <= 1e-6


def test_speed_motor_keeps_its_speed_under_load() -> None:
    simulation = slider((0, 0, 1), gravity=DOWN, motor=Motor(speed=0.5))
    advance(simulation, 1.0)
    assert simulation.joint("j").velocity == pytest.approx(0.5, abs=1e-9)
    assert simulation.joint("j").position == pytest.approx(0.5, abs=0.5 / 60)
    assert simulation.joint("j").reaction[2] == pytest.approx(MASS * GRAVITY, rel=1e-6)


@pytest.mark.parametrize("integrator", ["euler", "bdf2"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_saturated_motor_accelerates_with_its_force(integrator: str, sign: float) -> None:
    joint = Prismatic(axis=(1, 0, 0), motor=Motor(speed=sign * 100.0, max_force=3.0))
    simulation = one_body(joint, integrator=integrator)
    advance(simulation, 1.0)
    assert simulation.joint("j").velocity == pytest.approx(sign * 3.0 / MASS, rel=1e-9)
    assert simulation.joint("j").reaction[0] == pytest.approx(sign * 3.0, rel=1e-9)


def test_a_saturated_hinge_motor_accelerates_with_its_torque() -> None:
    simulation = hinge(motor=Motor(speed=100.0, max_force=0.2))
    advance(simulation, 1.0)
    assert simulation.joint("j").velocity == pytest.approx(0.2 / SPIN, rel=1e-9)


def test_a_motor_too_weak_for_gravity_slows_the_fall() -> None:
    simulation = slider((0, 0, 1), speed=1.0, gravity=DOWN, motor=Motor(speed=10.0, max_force=9.0))
    advance(simulation, 1.0)
    assert simulation.joint("j").velocity == pytest.approx(1.0 + 9.0 / MASS - GRAVITY, rel=1e-6)


def test_a_motor_at_its_bound_takes_one_solve_a_frame() -> None:
    """Its work over a step is force times displacement: the energy test must not take it for a gain."""
    simulation = slider((0, 0, 1), speed=1.0, gravity=DOWN, motor=Motor(speed=10.0, max_force=9.0))
    assert max(report.solves for report in advance(simulation, 1.0)[1:]) == 1


def test_position_motor_reaches_and_keeps_its_target() -> None:
    simulation = slider((0, 0, 1), gravity=DOWN, motor=Motor(position=0.0))
    advance(simulation, 0.2)
    for target in np.linspace(0.0, 0.4, 25):
        simulation.joint("j").drive(target)
        simulation.step()
        assert simulation.joint("j").position == pytest.approx(target, abs=1e-6)


def test_bounded_position_motor_saturates() -> None:
    simulation = slider(motor=Motor(position=5.0, max_force=3.0))
    advance(simulation, 0.5)
    assert simulation.joint("j").velocity == pytest.approx(0.5 * 3.0 / MASS, rel=1e-9)


def test_a_servo_on_its_way_is_no_violation() -> None:
    """`violation` is how far the joint is from its constraint; a motor at its bound breaks none."""
    simulation = slider(motor=Motor(position=5.0, max_force=3.0))
    advance(simulation, 0.1)
    assert simulation.report.violation <= 1e-9
    assert simulation.joint("j").violation <= 1e-9


def test_a_soft_motor_at_its_bound_stores_no_more_than_its_force_gives() -> None:
    """Pressed back by a weight it gives way: energy only falls, and no frame is taken for one that gains."""
    motor = Motor(position=3.0, stiffness=50.0, max_force=0.5 * MASS * GRAVITY)
    simulation = slider((0, 0, 1), gravity=DOWN, motor=motor)
    reports = advance(simulation, 0.5)
    assert all(report.status == "solved" and report.solves == 1 for report in reports[1:])
    energy = np.array([report.energy for report in reports])
    assert np.ptp(energy) < 2e-3 * MASS * GRAVITY, "the weight's fall is the motor's gain and the body's speed"


def test_soft_position_motor_gives_way_like_its_spring() -> None:
    simulation = slider((0, 0, 1), gravity=DOWN, motor=Motor(position=0.2, stiffness=400.0, damping=60.0))
    advance(simulation, 4.0)
    assert simulation.joint("j").position == pytest.approx(0.2 - MASS * GRAVITY / 400.0, abs=1e-6)
    simulation.joint("j").drive(-0.1)
    advance(simulation, 4.0)
    assert simulation.joint("j").position == pytest.approx(-0.1 - MASS * GRAVITY / 400.0, abs=1e-6)


def test_soft_position_motor_has_a_bound() -> None:
    simulation = slider(motor=Motor(position=100.0, stiffness=1e4, max_force=3.0))
    advance(simulation, 1.0)
    assert simulation.joint("j").velocity == pytest.approx(3.0 / MASS, rel=1e-6)


AT_CENTRE = {
    "slider": (Prismatic, {"axis": (1, 0, 0)}, {}),
    "hinge": (Revolute, {"axis": (0, 0, 1)}, {}),
    "bead": (PointOnLine, {"axis": (1, 0, 0)}, {}),
}
OFF_CENTRE = {
    "hinge off the centre of mass": (Revolute, {"axis": (0, 0, 1)}, {"at": (0.5, 0.0, 0.0)}),
    "screw": (Screw, {"axis": (0, 0, 1), "pitch": 3.0}, {}),
}


@pytest.mark.parametrize("name", [*AT_CENTRE, *OFF_CENTRE])
@pytest.mark.parametrize("ratio", [0.0, 0.3, 1.0])
def test_frequency_and_damping_ratio_are_as_asked(name: str, ratio: float) -> None:
    kind, options, place = (AT_CENTRE | OFF_CENTRE)[name]
    motion = {"velocity": (1, 0, 0)} if kind is not Revolute and kind is not Screw else {"angular_velocity": (0, 0, 1)}
    if place:
        motion["velocity"] = (0, -0.5, 0)
    if kind is Screw:
        motion["velocity"] = (0, 0, 3.0 / (2.0 * math.pi))
    simulation = one_body(kind(**options, frequency=2.0, damping_ratio=ratio), step=1 / 1000, **place, **motion)
    omega = 4.0 * math.pi
    times, found = np.arange(1, 801) / 1000, []
    for _ in times:
        simulation.step()
        found.append(simulation.joint("j").position)
    damped = omega * math.sqrt(1.0 - ratio**2)
    expected = np.exp(-ratio * omega * times) * (np.sin(damped * times) / damped if ratio < 1.0 else times)
    assert np.abs(np.array(found) - expected).max() < 0.01 * np.abs(expected).max()


@pytest.mark.parametrize("kind", ["slide", "turn"])
def test_springs_in_si_units_swing_with_root_k_over_m(kind: str) -> None:
    drive = Drive(stiffness=50.0, rest=0.1)
    joint = Cylindrical(axis=(0, 0, 1), **{kind: drive})
    simulation = one_body(joint, step=1 / 1000)
    omega = math.sqrt(50.0 / (MASS if kind == "slide" else SPIN))
    index = 0 if kind == "slide" else 1
    for step in range(500):
        simulation.step()
        expected = 0.1 * (1.0 - math.cos(omega * (step + 1) / 1000))
        assert simulation.joint("j").position[index] == pytest.approx(expected, abs=2e-3)
    assert simulation.joint("j").position[1 - index] == pytest.approx(0.0, abs=1e-12)


def test_damper_decays_exponentially() -> None:
    simulation = slider(speed=1.0, damping=4.0, step=1 / 1000)
    advance(simulation, 0.5)
    assert simulation.joint("j").velocity == pytest.approx(math.exp(-4.0 / MASS * 0.5), rel=1e-3)


@pytest.mark.parametrize(("name", "joint", "index"), [
    ("planar x", Planar(x=Drive(stiffness=50.0, rest=0.1)), 0),
    ("planar y", Planar(y=Drive(stiffness=50.0, rest=0.1)), 1),
    ("planar turn", Planar(turn=Drive(stiffness=50.0, rest=0.1)), 2),
    ("translational x", Translational(x=Drive(stiffness=50.0, rest=0.1)), 0),
    ("translational y", Translational(y=Drive(stiffness=50.0, rest=0.1)), 1),
    ("translational z", Translational(z=Drive(stiffness=50.0, rest=0.1)), 2),
    ("universal first", Universal(first=Drive(stiffness=50.0, damping=5.0, rest=0.1)), 0),
    ("universal second", Universal(second=Drive(stiffness=50.0, damping=5.0, rest=0.1)), 1),
])  # fmt: skip
def test_every_coordinate_can_be_driven(name: str, joint: taut.joints.Joint, index: int) -> None:
    simulation = one_body(joint)
    advance(simulation, 0.1)
    positions = np.array(simulation.joint("j").position)
    assert positions[index] > 1e-3, name
    assert np.delete(positions, index) == pytest.approx(0.0, abs=1e-6)


def test_friction_sticks_below_its_bound() -> None:
    simulation = slider((0, 0, 1), gravity=DOWN, friction=MASS * GRAVITY * 1.001)
    advance(simulation, 2.0)
    assert simulation.joint("j").position == pytest.approx(0.0, abs=1e-9), "no creep"
    assert simulation.joint("j").velocity == pytest.approx(0.0, abs=1e-9)


def test_friction_slides_above_its_bound() -> None:
    simulation = slider((0, 0, 1), gravity=DOWN, friction=MASS * GRAVITY * 0.75)
    advance(simulation, 1.0)
    assert simulation.joint("j").velocity == pytest.approx(-0.25 * GRAVITY, rel=1e-6)
    assert simulation.joint("j").reaction[2] == pytest.approx(0.75 * MASS * GRAVITY, rel=1e-6)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_friction_brings_a_slider_to_rest(sign: float) -> None:
    simulation = slider(speed=sign * 1.0, friction=3.0, step=1 / 1000)
    advance(simulation, 0.5)
    assert simulation.joint("j").velocity == pytest.approx(sign * (1.0 - 0.5 * 3.0 / MASS), rel=1e-6)
    advance(simulation, 0.5)
    assert simulation.joint("j").position == pytest.approx(sign * 1.0 / (2.0 * 3.0 / MASS), rel=2e-3)
    assert simulation.joint("j").velocity == pytest.approx(0.0, abs=1e-9)


def test_hinge_friction_is_a_torque() -> None:
    simulation = hinge(2.0, friction=0.5)
    advance(simulation, 1.0)
    assert simulation.joint("j").velocity == pytest.approx(2.0 - 0.5 / SPIN, rel=1e-6)


def test_ball_joint_spring_damper_and_friction() -> None:
    stuck = one_body(Spherical(friction=1.0), at=(0.0, 0.0, 0.0))
    stuck.body("b").apply(torque=(0.9, -0.9, 0.9))
    advance(stuck, 0.5)
    assert stuck.body("b").angular_velocity == pytest.approx(np.zeros(3), abs=1e-9)
    soft = one_body(Spherical(stiffness=20.0, damping=10.0))
    soft.body("b").apply(torque=(1.0, 0.0, 0.0))
    advance(soft, 10.0)
    assert taut.spatial.logarithm(soft.body("b").orientation)[0] == pytest.approx(2 * math.asin(0.05 / 2), rel=2e-3)


@pytest.mark.parametrize("options", [
    {}, {"speed": 1.0, "position": 1.0}, {"speed": math.nan}, {"position": math.inf}, {"speed": "fast"},
    {"speed": 1.0, "max_force": -1.0}, {"speed": 1.0, "max_force": math.nan},
    {"position": 1.0, "stiffness": -1.0}, {"position": 1.0, "damping": math.nan},
], ids=str)  # fmt: skip
def test_wrong_motors_are_refused(options: dict) -> None:
    with pytest.raises(InputError, match="Motor") as caught:
        Motor(**options)
    assert "\n" not in str(caught.value)


def test_a_spring_is_given_one_way_only() -> None:
    with pytest.raises(InputError, match="not both"):
        Revolute(stiffness=1.0, frequency=1.0)


@pytest.mark.parametrize(
    "options", [{"stiffness": "5"}, {"friction": "5"}, {"motor": Motor(speed=1.0), "rest": "0"}], ids=str
)
def test_numbers_given_as_text_are_refused_or_understood(options: dict) -> None:
    try:
        simulation = slider(**options)
    except InputError:
        return
    assert simulation.step().status == "solved"


@pytest.mark.parametrize("limits", [(-1.0, 1.0), (-math.inf, 2.0), (0.0, math.inf)], ids=str)
@pytest.mark.parametrize("target", [{"speed": 0.0}, {"position": 0.5}], ids=str)
def test_motors_without_a_bound_are_refused_where_there_are_limits(limits: tuple, target: dict) -> None:
    for joint in (Revolute, Prismatic, Screw, PointOnLine, Drive):
        with pytest.raises(InputError, match=f"{joint.__name__}: limits are .*give the motor a max_force") as caught:
            joint(limits=limits, motor=Motor(**target))
        assert "\n" not in str(caught.value)
        joint(limits=limits, motor=Motor(**target, max_force=5.0))


def test_motors_without_a_bound_are_taken_where_something_gives_way() -> None:
    Revolute(limits=(-math.inf, math.inf), motor=Motor(speed=1.0))
    Revolute(limits=(-1.0, 1.0), motor=Motor(position=0.5, stiffness=10.0))
    Cylindrical(slide=Drive(limits=(0.0, 1.0)), turn=Drive(motor=Motor(speed=1.0)))
