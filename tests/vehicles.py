"""Small vehicles with closed forms: a cart that only slides, and cars on suspensions."""

from __future__ import annotations

from typing import Any

import numpy as np

import taut
from taut.machines import Wheel
from taut.shapes import Box

G = 9.81
SOLVERS = ("bpp", "linear-time", "ipm")


def cart(mass: float = 480.0, clear: float = 0.0, friction: float = 1.0, **wheel: Any) -> taut.Scene:
    """A cart that slides any way but does not turn, on one wheel "w" of 0.4 m and 20 kg, this far above the ground."""
    options = {"radius": 0.4, "width": 0.2, "mass": 20.0} | wheel
    scene = taut.Scene(friction=friction)
    scene.add_plane()
    scene.add_body("cart", Box(0.2, 0.2, 0.2), mass=mass, position=(0.0, 0.0, options["radius"] + clear))
    scene.connect("world", "cart", taut.joints.Translational(), name="guide")
    scene.add(Wheel(carrier="cart", **options), name="w")
    return scene


def chassis(mass: float = 1200.0, position: Any = (0.1, 0.05), friction: float = 1.0) -> taut.Scene:
    """Even ground and a hull whose frame is over the origin, with its centre of mass at this place ahead and left."""
    scene = taut.Scene(friction=friction)
    scene.add_plane()
    hull = Box(4.0, 1.4, 0.5)
    scene.add_body("hull", hull, mass=mass, position=(0.0, 0.0, 0.8), com=(*position, 0.1))
    return scene


def add_wheels(scene: taut.Scene, carriers: Any, **options: Any) -> list[str]:
    """A wheel of 0.35 m on every carrier; their names."""
    given = {"radius": 0.35, "width": 0.2, "mass": 20.0, "shape": "two spheres"} | options
    names = [f"wheel-{number}" for number in range(len(carriers))]
    for name, carrier in zip(names, carriers, strict=True):
        scene.add(Wheel(carrier=carrier, **given), name=name)
    return names


def oscillation(time: np.ndarray, value: np.ndarray) -> tuple[float, float]:
    """Damped frequency (Hz) and damping ratio of a free oscillation that starts at 0, by its crossings and swings."""
    cross = np.flatnonzero(value[:-1] * value[1:] < 0.0)
    instant = time[cross] - value[cross] * (time[cross + 1] - time[cross]) / (value[cross + 1] - value[cross])
    half = float(np.diff(instant).mean())
    swings = [np.abs(value[a : b + 1]).max() for a, b in zip(cross[:-1], cross[1:], strict=True)]
    decrement = float(np.log(swings[0] / swings[1]))
    return 0.5 / half, decrement / np.hypot(np.pi, decrement)
