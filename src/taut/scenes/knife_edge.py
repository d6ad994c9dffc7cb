"""A spinning skate on a slope does not slide down: its blade takes it sideways, in cycloids.

A rod of 1 kg and 0.4 m lies on a plane that falls by 10 degrees towards x, with a blade along it under its centre that
may not slip sideways: a constraint of velocities that no constraint of positions can replace (nonholonomic). From rest,
heading downhill and spinning at omega, with a = g sin(slope), the centre moves on a cycloid of bounded depth

    x = a / (2 omega^2) sin^2(omega t),      y = a / (2 omega^2) (omega t - sin(2 omega t) / 2)

The spin stays and so does the energy. The classic example; dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.knife_edge import KnifeEdge
from taut.joints.planar import Planar
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_energy, expect_joined, expect_near
from taut.shapes import Box
from taut.spatial import exponential

DURATION = 4.0

SKATE, MASS = Box(0.4, 0.05, 0.05), 1.0
Y = np.array([0.0, 1.0, 0.0])


def build(spin: float = 3.0, slope: float = 10.0) -> Scene:
    """Build the skate.

    Args:
        spin: of the skate about the normal of the slope, rad/s; not zero.
        slope: of the plane from the horizontal, degrees.
    """
    owner = "scene 'knife_edge'"
    if checks.number(owner, "spin", spin) == 0.0:
        raise InputError(f"{owner}: spin is 0; it must be a number that is not zero")
    down, normal = plane(checks.number(owner, "slope", slope))
    scene = Scene(collisions=False)
    turn = exponential(np.radians(slope) * Y)
    scene.add_body("skate", SKATE, mass=MASS, orientation=turn, angular_velocity=spin * normal)
    scene.connect("world", "skate", Planar(normal=tuple(normal)), name="slope")
    scene.connect("world", "skate", KnifeEdge(axis=tuple(Y)), name="blade")
    return scene


def plane(slope: float) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors (3,) downhill and across a slope of this angle in degrees."""
    angle = np.radians(slope)
    return np.array([np.cos(angle), 0.0, -np.sin(angle)]), np.array([np.sin(angle), 0.0, np.cos(angle)])


def check(recording: Recording) -> None:
    """The blade holds, energy keeps to 0.1 %, and the skate follows its cycloid to 1 % of the way it has gone."""
    expect_joined(recording, violation=1e-6)
    spin, slope = (recording.info.parameters[name] for name in ("spin", "slope"))
    down, _ = plane(slope)
    size = 9.81 * np.sin(np.radians(slope)) / (2.0 * spin**2)
    turn = spin * recording.time
    reference = np.outer(size * np.sin(turn) ** 2, down) + np.outer(size * (turn - 0.5 * np.sin(2.0 * turn)), Y)
    position = recording.body("skate").position
    expect_near(recording, "the skate's position in m", position, reference, 0.01 * abs(size * turn[-1]) + 1e-6)
    kinetic = 0.5 * SKATE.inertia(MASS)[2, 2] * spin**2 + MASS * 9.81 * abs(size)
    expect_energy(recording, scale=kinetic, loss=1e-3, gain=1e-3)
