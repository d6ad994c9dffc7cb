"""Joint coordinates: angles are counted over turns, however many a step makes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from dense_twins import LaidRows
from sample_mechanisms import advance, hinge, one_body, same_state

import taut
from taut.joints import Cylindrical, Motor, Revolute, Screw, Universal
from taut.rows.coordinate import Angle
from taut.rows.layout import lay_out
from taut.rows.part import Pose
from taut.shapes import Cylinder

SPEEDS = [100.0, 1790.0, 1810.0, 3000.0, -3000.0, 3600.0, -7300.0, 20000.0]
"""Revolutions a minute; half a turn a step is 1,800 of them."""


def rate_of(rpm: float) -> float:
    """Rad/s."""
    return 2.0 * math.pi / 60.0 * rpm


@pytest.mark.parametrize("rpm", SPEEDS)
@pytest.mark.parametrize("integrator", ["bdf2", "euler"])
def test_a_hinge_that_coasts_counts_its_turns(rpm: float, integrator: str) -> None:
    joint, rate = Revolute(axis=(0, 0, 1)), rate_of(rpm)
    simulation = one_body(joint, integrator=integrator, angular_velocity=(0, 0, rate))
    advance(simulation, 1.0)
    assert simulation.joint("j").position == pytest.approx(rate, rel=1e-9)
    assert simulation.joint("j").velocity == pytest.approx(rate, rel=1e-9)


@pytest.mark.parametrize("rpm", SPEEDS)
@pytest.mark.parametrize("integrator", ["bdf2", "euler"])
def test_a_motor_that_starts_at_full_speed_counts_its_turns(rpm: float, integrator: str) -> None:
    """The guess of the first step is at rest: the turns are those of what was solved for."""
    rate = rate_of(rpm)
    joint = Revolute(axis=(0, 0, 1), motor=Motor(speed=rate, max_force=1e9))
    simulation = one_body(joint, integrator=integrator)
    advance(simulation, 1.0)
    assert simulation.joint("j").position == pytest.approx(rate, rel=1e-6)


def test_speed_may_rise_through_half_a_turn_a_step() -> None:
    """A constant torque: the angle is half of acceleration times time squared, up to 4,800 rpm."""
    simulation = hinge(motor=None)
    simulation.body("b").apply(torque=(0, 0, 250.0))
    advance(simulation, 1.0)
    assert simulation.joint("j").position == pytest.approx(0.5 * 250.0 / 0.5, rel=1e-3)


@pytest.mark.parametrize("rpm", [3000.0, -20000.0])
def test_two_bodies_that_turn_fast_together_count_what_is_between_them(rpm: float) -> None:
    rate, scene = rate_of(rpm), taut.Scene(gravity=(0, 0, 0), collisions=False)
    for name, share in (("a", 1.0), ("b", 1.01)):
        scene.add_body(name, Cylinder(0.2, 0.05), mass=2.0, angular_velocity=(0, 0, share * rate))
    scene.connect("world", "a", Revolute(axis=(0, 0, 1)), name="fast")
    scene.connect("a", "b", Revolute(axis=(0, 0, 1)), name="slow")
    simulation = taut.Simulation(scene)
    advance(simulation, 1.0)
    assert simulation.joint("fast").position == pytest.approx(rate, rel=1e-9)
    assert simulation.joint("slow").position == pytest.approx(0.01 * rate, rel=1e-6)


@pytest.mark.parametrize("rpm", [1000.0, 3000.0, 20000.0, -20000.0])
def test_a_stop_many_turns_away_is_reached_where_it_is(rpm: float) -> None:
    stop = math.copysign(50.0, rpm)
    limits = (-math.inf, stop) if rpm > 0.0 else (stop, math.inf)
    simulation = hinge(rate=rate_of(rpm), limits=limits)
    advance(simulation, 1.0)
    assert simulation.joint("j").position == pytest.approx(stop, abs=1e-6)


def test_a_servo_turns_to_a_target_turns_away_in_one_step() -> None:
    simulation = hinge(motor=Motor(position=0.0, max_force=1e9))
    simulation.step()
    for target in (100.0, -7.0, 3.2):
        simulation.joint("j").drive(target)
        simulation.step()
        assert simulation.report.status in ("solved", "energy")
        assert simulation.joint("j").position == pytest.approx(target, abs=1e-6)


@pytest.mark.parametrize("rpm", [100.0, 1810.0, -5000.0])
@pytest.mark.parametrize("kind", [Screw, Cylindrical, Universal])
def test_other_joints_count_their_turns(kind: type, rpm: float) -> None:
    rate = rate_of(rpm)
    joint = kind(axis_a=(0, 0, 1), axis_b=(1, 0, 0)) if kind is Universal else kind(axis=(0, 0, 1))
    travel = (0, 0, joint.pitch * rate / (2.0 * math.pi)) if kind is Screw else (0, 0, 0)
    simulation = one_body(joint, angular_velocity=(0, 0, rate), velocity=travel)
    advance(simulation, 0.5)
    found = np.atleast_1d(simulation.joint("j").position)
    assert np.abs(found - 0.5 * rate).min() < 1e-6 * abs(rate)
    assert simulation.body("b").position == pytest.approx(0.5 * np.array(travel), abs=1e-6 * abs(rate))


@pytest.mark.parametrize("rpm", [3000.0, -20000.0])
def test_a_state_restored_goes_on_counting(rpm: float) -> None:
    def make() -> taut.Simulation:
        return hinge(rate=rate_of(rpm), friction=1.0)

    whole, again = make(), make()
    advance(whole, 0.5)
    again.restore(whole.state)
    assert again.joint("j").position == whole.joint("j").position
    for simulation in (whole, again):
        advance(simulation, 0.5)
    assert same_state(whole.state, again.state) == []


def counted(vector: tuple[float, float, float], path: tuple[float, float, float], reference: float = 0.0) -> float:
    """Angle about z of a vector of B where B came along a path of rotations and A stood still, as the kernel has it."""
    hinge, origin = Angle(0, 1, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), vector), Pose(np.zeros(3), np.eye(3))
    laid = LaidRows(lay_out([], [hinge]), 2)
    laid.rows.count_from(np.array([reference]), np.array([np.zeros(6), [0, 0, 0, *path]]))
    laid.evaluate([origin, origin])
    return float(laid.rows.coordinate[0])


def test_turns_are_counted_along_the_path() -> None:
    turn = 2.0 * math.pi
    assert counted((1.0, 0.0, 0.0), (0, 0, 0)) == 0.0
    assert counted((1.0, 0.0, 0.0), (0, 0, turn + 0.3)) == pytest.approx(turn)
    assert counted((1.0, 0.0, 0.0), (0, 0, -5.2 * turn), reference=turn) == pytest.approx(-4.0 * turn)
    assert counted((1.0, 0.0, 0.0), (3.0 * turn, 0, 0)) == 0.0, "about another axis"
    assert counted((1.0, 0.0, 0.0), (math.nan, 0, 0)) == 0.0


def test_where_an_angle_hardly_exists_no_turns_are_made_up() -> None:
    """A vector along the axis of an angle has none; its rate is beyond all bounds, but nothing turned that far."""
    assert abs(counted((1e-9, 0.0, 1.0), (0.2, 0.2, 0.0))) <= math.pi
    assert abs(counted((1e-9, 0.0, 1.0), (3.0, 4.0, 0.0))) <= 5.0 + math.pi
