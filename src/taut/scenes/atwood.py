"""Two machines with pulleys of hardly any mass: loads of m and 2m move with g/3 and 2g/3 (mujoco#1869).

A rope is not modelled: where it runs on a pulley without slipping, a row couples the pulley's spin with what the rope
pulls (`Rack` for a hanging load, `Gear` for the next pulley). Pulleys weigh 1 g, loads 10 and 20 kg, 20,000:1.

- simple: the rope over a fixed pulley holds `light` (m) and `heavy` (2m): they accelerate with g/3;
- movable: the rope runs from the ceiling under a movable pulley that carries `lifted` (m), over a fixed pulley, to
  `free` (2m): the movable pulley rolls on the standing part, the free end moves twice as fast; `lifted` rises with
  g/3 and `free` falls with 2g/3.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.gear import Gear
from taut.joints.rack import Rack
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_joined, expect_near
from taut.shapes import Box, Cylinder
from taut.spatial import from_axis_angle

DURATION = 2.0

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
RADIUS = 0.1
PULLEY_MASS = 1e-3
DISC = Cylinder(RADIUS, 0.02)


def build(mass: float = 10.0) -> Scene:
    """Build both machines.

    Args:
        mass: of the lighter loads, m, kg.
    """
    light = checks.number("scene 'atwood'", "mass", mass, above=0.0)
    scene = Scene(collisions=False)
    add_pulley(scene, "pulley", (0.0, 0.0, 0.0), "world")
    add_load(scene, "light", light, (-RADIUS, 0.0, -2.0))
    add_load(scene, "heavy", 2.0 * light, (RADIUS, 0.0, -2.0))
    # a positive turn about y moves the rope up at -x and down at +x
    scene.connect("pulley", "light", Rack(radius=RADIUS, axis=Y, axis_rack=Z), name="light-rope")
    scene.connect("pulley", "heavy", Rack(radius=-RADIUS, axis=Y, axis_rack=Z), name="heavy-rope")

    add_pulley(scene, "fixed-pulley", (2.0, 0.0, 0.0), "world")
    add_load(scene, "lifted", light, (2.0 - 2.0 * RADIUS, 0.0, -4.0))
    add_pulley(scene, "movable-pulley", (2.0 - 2.0 * RADIUS, 0.0, -4.0), "lifted")
    add_load(scene, "free", 2.0 * light, (2.0 + RADIUS, 0.0, -2.0))
    # the standing part is at -x of the movable pulley: rolling up on it turns the pulley backwards about y
    scene.connect("movable-pulley", "lifted", Rack(radius=-RADIUS, axis=Y, axis_rack=Z), name="standing-rope")
    # the running part rises at twice the pulley's speed and turns the fixed pulley forwards
    scene.connect("fixed-pulley", "movable-pulley", Gear(ratio=-2.0, axis_a=Y, axis_b=Y), name="running-rope")
    scene.connect("fixed-pulley", "free", Rack(radius=-RADIUS, axis=Y, axis_rack=Z), name="free-rope")
    return scene


def add_pulley(scene: Scene, name: str, place: tuple[float, float, float], holder: str) -> None:
    """A disc on a hinge about y."""
    turn = from_axis_angle((1.0, 0.0, 0.0), -0.5 * np.pi)  # the disc's own z axis along the world's y
    scene.add_body(name, DISC, mass=PULLEY_MASS, position=place, orientation=turn)
    scene.connect(holder, name, Revolute(axis=Y), at=place, name=f"{name}-bearing")


def add_load(scene: Scene, name: str, mass: float, place: tuple[float, float, float]) -> None:
    """A cube that hangs on the rope."""
    scene.add_body(name, Box(0.15, 0.15, 0.15), mass=mass, position=place)


def check(recording: Recording) -> None:
    """The bearings hold to 1e-5 m, and every load moves with its acceleration, to 0.1 %."""
    expect_joined(recording, violation=1e-5)
    light = recording.body("light").mass
    simple, lifting = accelerations(light)
    for name, acceleration in (("light", simple), ("heavy", -simple), ("lifted", lifting), ("free", -2.0 * lifting)):
        speed = recording.body(name).velocity[:, 2]
        allowed = 1e-3 * 9.81 * np.maximum(recording.time, recording.info.step)
        error = (speed - acceleration * recording.time) / allowed
        expect_near(recording, f"the speed of {name}, in 0.1 % of g t", error, np.zeros_like(error), 1.0)


def accelerations(mass: float) -> tuple[float, float]:
    """Upward accelerations of `light` and `lifted`, m/s^2, the pulleys' small inertia included."""
    rolling = 0.5 * PULLEY_MASS  # I / R^2 of a disc
    simple = 9.81 * mass / (3.0 * mass + rolling)
    lifted = mass + PULLEY_MASS
    lifting = 9.81 * (4.0 * mass - lifted) / (8.0 * mass + lifted + 5.0 * rolling)
    return simple, lifting
