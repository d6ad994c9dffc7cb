"""A beam on a hinge, held by a hydraulic cylinder, for tests of what moves it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import taut
from taut.joints import Revolute
from taut.machines import HydraulicCylinder
from taut.shapes import Box

LENGTH, MASS, GRAVITY = 6.0, 2000.0, 9.81
FOOT, BASE, PIN = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]), 2.2
"""The hinge, the base of the cylinder, and how far from the hinge it is on the beam, m."""

OIL: dict[str, Any] = {"bore": 0.12, "rod_diameter": 0.07, "pressure": 20e6, "flow": 1e-3}


def arm(angle: float = 0.0, **options: Any) -> taut.Scene:
    """A beam of 2 t, 6 m long, at an angle in rad above the horizontal."""
    scene = taut.Scene(collisions=False)
    along = np.array([math.cos(angle), 0.0, math.sin(angle)])
    scene.add_body(
        "beam", Box(LENGTH, 0.4, 0.5), mass=MASS, position=FOOT + 0.5 * LENGTH * along,
        orientation=taut.spatial.from_axis_angle((0.0, -1.0, 0.0), angle),
    )  # fmt: skip
    scene.connect("world", "beam", Revolute(axis=(0, -1, 0)), at=FOOT, name="foot")
    cylinder = OIL | {"stroke": (1.2, 2.2)} | options
    scene.add(
        HydraulicCylinder(base=("world", BASE), rod=("beam", (PIN - 0.5 * LENGTH, 0, 0)), **cylinder), name="lift"
    )
    return scene


def static_force(angle: float, weight: float = MASS * GRAVITY, at: float = 0.5 * LENGTH) -> float:
    """Force of the cylinder that holds a weight (N) so far along the beam (m), by the moment about the hinge."""
    along = np.array([math.cos(angle), 0.0, math.sin(angle)])
    pin = FOOT + PIN * along
    way = (pin - BASE) / np.linalg.norm(pin - BASE)
    lever = np.cross(pin - FOOT, way) @ (0.0, -1.0, 0.0)
    return float(weight * at * math.cos(angle) / lever)


def stepped(simulation: taut.Simulation, seconds: float) -> None:
    """So many seconds of solved frames."""
    for _ in range(round(seconds / simulation.settings.step)):
        assert simulation.step().status == "solved"
