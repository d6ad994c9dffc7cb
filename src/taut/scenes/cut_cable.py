"""A cable is cut while a winch hoists a load: the load falls, the rest of the rope leaps up and is hauled on.

1 t on 0.5 kg segments, 2,000:1, hoisted with 0.5 m/s; after 2 s the rope is cut, 1.2 m below the first segment. The
topology changes between two steps and the two-step scheme starts anew for what was cut [InSimo]. Dimensions are ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut import checks
from taut.machines.cable import Cable
from taut.machines.winch import Winch
from taut.results.record import Recording
from taut.scene.controls import SWITCH
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps
from taut.scenes._expect import expect, expect_contacts, expect_near
from taut.shapes import Box

DURATION = 4.0
PICTURE = 2.3

HEIGHT, OUT, EDGE = 8.0, 4.1, 0.6
"""Of the exit, rope that is out at the start, and edge of the load, m."""
SPEED, CUT_AT = 0.5, 1.4
"""Of the rope, m/s, and where it is cut, m from the exit."""


def build(load: float = 1000.0, time: float = 2.0) -> Scene:
    """Build the winch `winch` and the box `load` above the ground.

    Args:
        load: mass, kg.
        time: when the rope is cut, s.
    """
    mass = checks.number("scene 'cut_cable'", "load", load, above=0.0)
    moment = checks.number("scene 'cut_cable'", "time", time, above=0.0)
    scene = Scene()
    scene.add_plane()
    scene.add_body("load", Box(EDGE, EDGE, EDGE), mass=mass, position=(0.0, 0.0, HEIGHT - OUT - 0.5 * EDGE))
    rope = Cable(
        to=("load", (0.0, 0.0, 0.5 * EDGE)), length=OUT, segment_length=0.4, mass_per_length=1.25, diameter=0.024,
        bending_stiffness=2.0, torsional_stiffness=1.0,
    )  # fmt: skip
    winch = Winch(
        rope=rope, exit=("world", (0.0, 0.0, HEIGHT)), drum=("world", (-2.0, 0.0, HEIGHT)), radius=0.25, stored=10.0,
        inertia=10.0, max_pull=2.0 * 9.81 * mass, max_speed=2.0 * SPEED, ramp=0.5, limits=(1.0, OUT + 1.0),
        schedule=Ramps((0.0, 0.0), (1.0, -SPEED)),
    )  # fmt: skip
    scene.add(winch, name="winch")
    schedule = Ramps((0.0, 0.0), (moment - 1e-3, 0.0), (moment + 1e-3, 1.0))
    scene.add_control("cut", act=cut, unit=SWITCH, schedule=schedule)
    return scene


def cut(simulation: Any, value: float) -> None:
    """Cut the rope, once."""
    whole = not any(event.kind == "cut" for event in simulation.events) and simulation.part("winch").hanging > 4
    if value > 0.5 and whole:
        with simulation.edit() as edit:
            edit.cut("winch", at=CUT_AT)


def check(recording: Recording) -> None:
    """Joints hold to 1e-4 m and nothing sinks in by 2 mm; the load is hoisted, then it falls freely to the ground."""
    expect_contacts(recording, penetration=2e-3)
    load, time = recording.body("load"), recording.time
    moment = float(recording.info.parameters["time"])
    after = np.flatnonzero(time >= moment - 1e-9)
    if not after.size:
        return
    first = int(after[0])
    expect(abs(load.velocity[first, 2] - SPEED) < 1e-3 * SPEED or moment < 1.5, "the load was not hoisted")
    fallen = time - time[first]
    free = load.position[first, 2] + load.velocity[first, 2] * fallen - 0.5 * 9.81 * fallen**2
    falls = (fallen >= 0.0) & (free > 0.5 * EDGE + 0.1)
    height = np.where(falls, load.position[:, 2], 0.0)
    expect_near(recording, "the falling load's height in m", height, np.where(falls, free, 0.0), 0.03)
    if time[-1] >= DURATION - 1e-9:
        expect(abs(load.position[-1, 2] - 0.5 * EDGE) < 2e-3, "the load does not rest on the ground")
