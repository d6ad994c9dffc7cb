"""A winch lowers 2 t by 10 m and hoists them again: 25 segments of rope come off its drum and 25 go back, unfelt.

Segments of 0.4 m and 0.5 kg, 4,000:1, are put in between the exit and the first one while the load moves, with the
motion, the past and the forces that the rope there has (findings of prototypes; `taut.machines.spooling`). The rope
stretches, EA = 5 MN. Users of other engines ask for it (PhysX#134, #69). Dimensions are ours.
"""

from __future__ import annotations

import math

import numpy as np

from taut import checks
from taut.machines.cable import Cable
from taut.machines.winch import Winch
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps
from taut.scenes._expect import expect, expect_below, expect_joined
from taut.shapes import Box

DURATION = 24.0

SEGMENT, ROPE = 0.4, 1.25
"""Length of a segment, m, and mass of the rope, kg/m."""
OUT, HEIGHT = 4.5, 20.0
"""Rope that is out at the start, and how high the exit is, m."""
BEGIN, RAMP = 0.5, 1.0
"""When the winch begins to pay out, and how long it takes to full speed, s."""


def build(load: float = 2000.0, way: float = 10.0, speed: float = 1.0, stiffness: float = 5e6) -> Scene:
    """Build the winch `winch` and the box `load`.

    Args:
        load: mass, kg.
        way: that it is lowered, m.
        speed: of the rope, m/s.
        stiffness: EA of the rope, N; 0 for one that does not stretch.
    """
    owner = "scene 'spool'"
    mass, way = checks.number(owner, "load", load, above=0.0), checks.number(owner, "way", way, at_least=0.0)
    speed = checks.number(owner, "speed", speed, above=0.0)
    stiff = checks.number(owner, "stiffness", stiffness, at_least=0.0) or math.inf
    scene, stretch = Scene(collisions=False), 9.81 * (mass + 0.5 * ROPE * OUT) * OUT / stiff
    scene.add_body("load", Box(0.8, 0.8, 0.8), mass=mass, position=(0.0, 0.0, HEIGHT - OUT - stretch - 0.4))
    rope = Cable(
        to=("load", (0.0, 0.0, 0.4)), length=OUT, segment_length=SEGMENT, mass_per_length=ROPE, diameter=0.024,
        axial_stiffness=stiff,
    )  # fmt: skip
    half = RAMP + max(way / speed - RAMP, 0.0)
    corners = [(0.0, 0.0)]
    for begin, full in ((BEGIN, speed), (BEGIN + half + 2.0 * RAMP, -speed)):
        corners += [(begin, 0.0), (begin + RAMP, full), (begin + half, full), (begin + half + RAMP, 0.0)]
    winch = Winch(
        rope=rope, exit=("world", (0.0, 0.0, HEIGHT)), drum=("world", (-3.0, 0.0, HEIGHT)), radius=0.3,
        stored=way + 10.0, inertia=20.0, max_pull=3.0 * 9.81 * mass, max_speed=2.0 * speed, ramp=0.5 * RAMP,
        schedule=Ramps(*dict.fromkeys(corners)),
    )  # fmt: skip
    scene.add(winch, name="winch")
    return scene


def check(recording: Recording) -> None:
    """Joints hold to 1e-5 m, nothing changes the load's speed by a spike of more than 0.3 % of the rope's, and the load
    is lowered and comes back to 5 mm.
    """
    expect_joined(recording, violation=1e-5)
    speed, parameters = recording.body("load").velocity[:, 2], recording.info.parameters
    spikes = np.zeros(len(recording))
    spikes[3:] = np.abs(np.diff(speed, n=3)) / 3.0  # a spike of one frame is three times as large there
    expect_below(recording, "spike of the load's speed in m/s", spikes, 0.003 * float(parameters["speed"]))
    if recording.time[-1] >= DURATION - 1e-9:
        height = recording.body("load").position[:, 2]
        lowered, back = float(height[0] - height.min()), abs(float(height[-1] - height[0]))
        expect(lowered > 0.95 * float(parameters["way"]), f"the load was lowered by {lowered:.3g} m only")
        expect(back <= 5e-3, f"the load came back {back:.3g} m off")
