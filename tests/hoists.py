"""Winches that hoist a load, for tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import taut
from taut.joints import Motor, Revolute
from taut.machines import Cable, Winch
from taut.shapes import Box

LOAD, OUT, SEGMENT, RADIUS, EXIT = 2000.0, 4.5, 0.4, 0.3, 20.0


def rope(**options: Any) -> Cable:
    return Cable(**{"to": ("load", (0, 0, 0.4)), "length": OUT, "segment_length": SEGMENT, "mass_per_length": 1.25,
                    "diameter": 0.024} | options)  # fmt: skip


def winch(part: Cable | None = None, **options: Any) -> Winch:
    usual = {"exit": ("world", (0, 0, EXIT)), "drum": ("world", (-3, 0, EXIT)), "radius": RADIUS, "stored": 20.0,
             "inertia": 20.0, "max_pull": 4e4, "max_speed": 1.0, "ramp": 1.0}  # fmt: skip
    return Winch(rope=rope() if part is None else part, **usual | options)


def hoist(
    stiffness: float = math.inf, swing: float = 0.0, load: float = LOAD, damping_ratio: float = 0.1, **options: Any
) -> taut.Scene:  # fmt: skip
    """A load on a winch, aside by an angle; the rope of this EA is as long as it is with the load at rest."""
    scene = taut.Scene(collisions=False)
    along = np.array([math.sin(swing), 0.0, -math.cos(swing)])
    stretched = OUT * (1.0 + load * 9.81 / stiffness)
    place = np.array([0.0, 0.0, EXIT]) + stretched * along - (0.0, 0.0, 0.4)
    scene.add_body("load", Box(0.8, 0.8, 0.8), mass=load, position=place)
    scene.add(winch(rope(axial_stiffness=stiffness, damping_ratio=damping_ratio), **options), name="winch")
    return scene


def on_a_boom(stiffness: float, steps: bool = False) -> taut.Scene:
    """The same with drum and exit on a boom that luffs, slowly at first, or at speeds that are set in steps."""
    scene = taut.Scene(collisions=False)
    scene.add_body("boom", Box(6.0, 0.4, 0.4), mass=3000.0, position=(-3, 0, EXIT))
    motor = Motor(speed=0.0, max_force=2e6) if steps else Motor(position=0.0, max_force=2e6)
    hinge = Revolute(axis=(0, -1, 0), motor=motor)
    scene.connect("world", "boom", hinge, at=(-6, 0, EXIT), name="luff")
    if not steps:
        path = taut.Ramps((0, 0), (1, 0), (12, 0.5), (23, 0.0))
        scene.add_control("luff", joint="luff", schedule=path)
    stretched = OUT * (1.0 + LOAD * 9.81 / stiffness)
    scene.add_body("load", Box(0.8, 0.8, 0.8), mass=LOAD, position=(0, 0, EXIT - stretched - 0.4))
    part = winch(rope(axial_stiffness=stiffness), exit=("boom", (3, 0, 0)), drum=("boom", (0, 0, 0.5)))
    scene.add(part, name="winch")
    return scene
