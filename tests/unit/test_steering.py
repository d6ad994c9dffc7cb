"""Steering: where the knuckles point, how fast they turn, and what circle a vehicle drives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from vehicles import SOLVERS, add_wheels, chassis

import taut
from taut.errors import InputError
from taut.machines import Steering, Strut

LOW = -0.45
BASE, TRACK = 2.6, 1.6
FRONT = [(1.4, 0.5 * TRACK), (1.4, -0.5 * TRACK)]
REAR = [(-1.2, 0.5 * TRACK), (-1.2, -0.5 * TRACK)]


def car(
    steered: Any = FRONT, axle: float = -1.2, friction: float = 1.0, motor: float = 0.0, **options: Any
) -> taut.Scene:
    """A car on four struts, of which some hubs are steered, with driven wheels on the others."""
    scene = chassis(friction=friction)
    places = FRONT + REAR
    for number, place in enumerate(places):
        scene.add(Strut(chassis=("hull", (*place, LOW)), mass=15.0), name=f"strut-{number}")
    hubs = [f"strut-{places.index(place)}/hub" for place in steered]
    given = {"max_torque": 1000.0, "mass": 5.0, "rate": 0.5} | options
    scene.add(Steering(chassis=("hull", (axle, 0.0, 0.0)), hubs=hubs, **given), name="steer")
    carriers = [f"steer/knuckle-{number + 1}" for number in range(len(hubs))]
    others = [f"strut-{number}/hub" for number, place in enumerate(places) if place not in steered]
    add_wheels(scene, carriers)
    for number, hub in enumerate(others):
        wheel = taut.machines.Wheel(carrier=hub, radius=0.35, width=0.2, mass=20.0, shape="two spheres", motor=motor)
        scene.add(wheel, name=f"driven-{number}")
    return scene


def turned(angle: float, time: float = 1.5, **options: Any) -> taut.Simulation:
    """A standing car on ice, with its wheels turned."""
    sim = taut.Simulation(car(friction=0.0, **options))
    sim.part("steer").steer(angle)
    sim.run(time)
    return sim


@pytest.mark.parametrize("angle", [0.3, -0.45])
def test_two_wheels_keep_the_law_of_ackermann(angle: float) -> None:
    steer = turned(angle).part("steer")
    left, right = steer.angles
    assert 1.0 / math.tan(right) - 1.0 / math.tan(left) == pytest.approx(TRACK / BASE, rel=1e-9)
    assert steer.angle == pytest.approx(angle, rel=1e-9) and steer.wanted == angle
    assert steer.wheelbase == pytest.approx(BASE) and steer.curvature == pytest.approx(math.tan(angle) / BASE)
    assert abs(left) > abs(right) if angle > 0.0 else abs(left) < abs(right)


@pytest.mark.parametrize("kind", ["ackermann", "parallel"])
def test_a_wheel_that_is_stronger_than_its_servo_comes_to_a_stop(kind: str) -> None:
    sim = turned(0.0, time=0.1, kind=kind)
    for side in (1.0, -1.0):
        for number in (1, 2):
            sim.body(f"steer/knuckle-{number}").apply(torque=(0.0, 0.0, side * 5000.0))
        sim.run(1.5)
        steer = sim.part("steer")
        most = steer.part.angles_at(side * steer.part.max_angle, steer.places)
        assert steer.angles == pytest.approx(most + side * 0.05, abs=2e-3) and steer.at_limit


def test_all_wheels_turn_about_one_point() -> None:
    sim = turned(0.25, steered=FRONT + REAR[:1], axle=-0.4)
    radius = 1.8 / math.tan(0.25)
    for angle, (x, y) in zip(sim.part("steer").angles, FRONT + REAR[:1], strict=True):
        # the axle of a wheel points at the centre of the turn
        ahead, left = -0.4 - x, radius - y
        assert ahead * math.cos(angle) + left * math.sin(angle) == pytest.approx(0.0, abs=1e-8)


def test_rear_wheels_turn_the_other_way() -> None:
    sim = turned(0.3, steered=REAR, axle=1.4)
    assert (sim.part("steer").angles < 0.0).all() and sim.part("steer").angle == pytest.approx(0.3)
    sim = turned(0.3, steered=REAR, axle=1.4, kind="parallel")
    np.testing.assert_allclose(sim.part("steer").angles, -0.3, atol=1e-9)
    assert sim.part("steer").angle == pytest.approx(0.3)


def test_angles_change_at_their_rate() -> None:
    sim = taut.Simulation(car(friction=0.0, rate=0.4))
    sim.controls["steer.angle"].value = 0.3
    sim.run(0.5)
    assert sim.part("steer").angle == pytest.approx(0.2, abs=0.4 / 60.0 + 1e-6)
    assert not sim.part("steer").at_limit
    sim.run(0.5)
    assert sim.part("steer").angle == pytest.approx(0.3, abs=1e-9)


def test_servos_give_no_more_than_their_torque() -> None:
    sim = taut.Simulation(car(friction=1.0, max_torque=20.0))
    sim.part("steer").steer(0.5)
    sim.run(1.0)
    steer = sim.part("steer")
    assert steer.at_limit and np.abs(steer.torques).max() == pytest.approx(20.0) and abs(steer.angle) < 0.05


@pytest.mark.parametrize("steered", [FRONT, REAR])
@pytest.mark.parametrize("solver", SOLVERS)
def test_cars_drive_circles_of_wheelbase_over_tangent(solver: str, steered: Any) -> None:
    axle = -1.2 if steered is FRONT else 1.4
    sim = taut.Simulation(car(steered, axle, motor=60.0), solver=solver)
    sim.part("steer").steer(0.3)
    for name in ("driven-0", "driven-1"):
        sim.controls[f"{name}.speed"].value = 10.0  # never reached: both pull alike, as with an open differential
    sim.run(3.0)
    for name in ("driven-0", "driven-1"):
        sim.joint(f"{name}/hinge").set_force_limit(0.0)
    sim.run(1.0)
    hull, turn = sim.body("hull"), taut.spatial.matrix(sim.body("hull").orientation)
    middle = hull.velocity + np.cross(hull.angular_velocity, turn @ (axle - 0.1, -0.05, -0.1))
    rate = float(hull.angular_velocity[2])
    assert float(middle @ turn[:, 0]) / rate == pytest.approx(BASE / math.tan(0.3), rel=0.01)
    assert rate > 0.05 and abs(middle @ turn[:, 1]) < 0.01


def test_schedules_steer_by_themselves() -> None:
    sim = taut.Simulation(car(friction=0.0, schedule=taut.Ramps((0.0, 0.0), (1.0, 0.2))))
    sim.run(2.0)
    assert sim.part("steer").angle == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"hubs": []}, "Steering: hubs is []"),
        ({"kind": "odd"}, "Steering: kind is 'odd'; it must be one of ackermann, parallel"),
        ({"max_angle": 2.0}, "Steering: max_angle is 2 rad; it must be less than a right angle"),
        ({"chassis": ("hull", (1.4, 0, 0))}, "it must be before or behind it"),
    ],
)
def test_wrong_steerings_are_refused(wrong: dict[str, Any], message: str) -> None:
    scene = chassis()
    given = {"chassis": "hull", "hubs": [("hull", (1.4, 0.8, LOW))], "max_torque": 10.0}
    with pytest.raises(InputError) as caught:
        scene.add(Steering(**(given | wrong)), name="steer")
    assert message in str(caught.value)


def test_angles_out_of_range_are_refused() -> None:
    sim = taut.Simulation(car(max_angle=0.4))
    with pytest.raises(InputError, match="steering 'steer': angle is 0.5; it must be from -0.4 to 0.4 rad"):
        sim.part("steer").steer(0.5)
    with sim.edit() as edit:
        edit.remove_joint("steer/kingpin-2")
    with pytest.raises(InputError, match="steer/kingpin-2 was removed"):
        sim.part("steer").steer(0.1)
    assert sim.step().status == "solved"
