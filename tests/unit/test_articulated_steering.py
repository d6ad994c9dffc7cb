"""Articulated steering: the angle between the halves, and the circle they drive."""

from __future__ import annotations

import math

import numpy as np
import pytest
from vehicles import SOLVERS, add_wheels

import taut
from taut.errors import InputError
from taut.machines import ArticulatedSteering
from taut.shapes import Box

AHEAD, BEHIND = 0.9, 1.1


def loader(friction: float = 1.0, **options: object) -> taut.Scene:
    """Two halves with two wheels each, of which all are driven."""
    scene = taut.Scene(friction=friction)
    scene.add_plane()
    for name, x in (("front", AHEAD), ("rear", -BEHIND)):
        scene.add_body(name, Box(0.6, 0.6, 0.3), mass=1000.0, position=(x, 0, 0.35))
    given = {"max_torque": 2e4, "rate": 0.4} | options
    scene.add(ArticulatedSteering(rear=("rear", (BEHIND, 0, 0)), front="front", **given), name="steer")
    carriers = [(body, (0.0, side, 0.0)) for body in ("front", "rear") for side in (0.8, -0.8)]
    add_wheels(scene, carriers, shape="sphere", motor=100.0)
    return scene


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_front_drives_the_circle_that_follows_from_the_angle(solver: str) -> None:
    sim = taut.Simulation(loader(), solver=solver)
    sim.part("steer").steer(-0.4)
    for number in range(4):
        sim.controls[f"wheel-{number}.speed"].value = 10.0
    sim.run(2.0)
    for number in range(4):
        sim.joint(f"wheel-{number}/hinge").set_force_limit(0.0)
    sim.run(1.0)
    assert sim.part("steer").angle == pytest.approx(-0.4, abs=1e-6) and not sim.part("steer").at_limit
    front = sim.body("front")
    radius = np.linalg.norm(front.velocity) / front.angular_velocity[2]
    assert radius == pytest.approx((AHEAD * math.cos(0.4) + BEHIND) / math.sin(-0.4), rel=0.01)


def test_the_angle_changes_at_its_rate_within_its_torque() -> None:
    sim = taut.Simulation(loader(friction=0.0))
    sim.controls["steer.angle"].value = 0.3
    sim.run(0.5)
    assert sim.part("steer").angle == pytest.approx(0.2, abs=0.4 / 60.0 + 1e-6)
    weak = taut.Simulation(loader(max_torque=100.0))
    weak.part("steer").steer(0.5)
    weak.run(1.0)
    assert weak.part("steer").at_limit and abs(weak.part("steer").torque) == pytest.approx(100.0)


def test_what_cannot_be_is_said() -> None:
    sim = taut.Simulation(loader())
    with pytest.raises(InputError, match="steering 'steer': angle is 2; it must be from -0.7 to 0.7 rad"):
        sim.part("steer").steer(2.0)
    with pytest.raises(InputError, match="ArticulatedSteering: front is 3"):
        ArticulatedSteering(rear="rear", front=3, max_torque=1.0)
