"""Two hoists whose rope runs several times between blocks: one without friction, one whose sheaves rub.

Hook blocks of 1 t hang on `parts` parts of rope each, and a counterweight on the part that leaves the upper block.

- ideal: the counterweight is 1 / parts of the hook block, and nothing moves: the blocks multiply the line pull;
- rubbing: in every sheave the rope loses a share of its tension, T_out = efficiency T_in. The counterweight is 5 %
  heavier than that which the rope slips with, and sinks: with S = e + e^2 + ... + e^parts it accelerates with
  g (m_c S - m) / (m_c S + m / parts). Its parts do not pull alike, so hook blocks run in guides.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.prismatic import Prismatic
from taut.machines.reeving import Reeving
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_joined, expect_near
from taut.shapes import Box, Cylinder

DURATION = 2.0

RADIUS = 0.2
MASS = 1000.0
EXCESS = 1.05
"""Weight of the counterweight of the hoist that rubs, over that which it slips with."""


def build(parts: int = 4, efficiency: float = 0.97) -> Scene:
    """Build both hoists.

    Args:
        parts: of rope between the blocks, an even number.
        efficiency: of the sheaves that rub, tension out over tension in.
    """
    count = checks.place(parts, range(2, 25, 2))
    if count is None:
        text = f"scene 'reeving': parts is {checks.shown(parts)}; it must be an even number from 2 to 24"
        raise InputError(text)
    share = checks.number("scene 'reeving'", "efficiency", efficiency, above=0.0)
    scene = Scene(collisions=False)
    add_hoist(scene, "ideal", -1.5, count, 1.0, MASS / count)
    add_hoist(scene, "rubbing", 1.5, count, share, EXCESS * MASS / gain(count, share))
    return scene


def gain(parts: int, efficiency: float) -> float:
    """S, hook load over line pull where the rope slips towards the counterweight."""
    return float(sum(efficiency**number for number in range(1, parts + 1)))


def add_hoist(scene: Scene, name: str, x: float, parts: int, efficiency: float, weight: float) -> None:
    """Blocks, rope and counterweight."""
    hook = scene.add_body(f"{name}-hook", Box(0.5, 0.2, 0.4), mass=MASS, position=(x, 0.0, -6.0))
    scene.connect("world", hook, Prismatic(axis=(0.0, 0.0, 1.0)), name=f"{name}-guide")
    load = scene.add_body(f"{name}-weight", Cylinder(0.15, 0.5), mass=weight, position=(x + RADIUS, 0.0, -3.0))
    part = Reeving(
        upper=("world", (x, 0.0, 0.0)), lower=(hook, (0.0, 0.0, 0.2)), line=(load, (0.0, 0.0, 0.25)), parts=parts,
        radius=RADIUS, efficiency=efficiency,
    )  # fmt: skip
    scene.add(part, name=name)


def check(recording: Recording) -> None:
    """The ideal hoist stands, its line pull times parts being the weight; the other moves as its friction says."""
    expect_joined(recording, violation=1e-9)
    frames = slice(1, None)
    weights = {name: recording.body(name).mass * 9.81 for name in ("ideal-hook", "ideal-weight", "rubbing-weight")}
    parts = round(weights["ideal-hook"] / weights["ideal-weight"])
    pull = tension(recording, "ideal/rope")[frames]
    error = np.append(0.0, parts * pull / weights["ideal-hook"] - 1.0)
    expect_near(recording, "the advantage of the ideal hoist", error, np.zeros_like(error), 1e-6)
    for name in ("ideal-hook", "ideal-weight"):
        still = recording.body(name).velocity[:, 2]
        expect_near(recording, f"the speed of {name} in m/s", still, np.zeros_like(still), 1e-9)
    acceleration = sinking(recording, parts)
    speed = -recording.body("rubbing-weight").velocity[:, 2]
    error = speed - acceleration * recording.time
    expect_near(recording, "the speed of rubbing-weight in m/s", error, np.zeros_like(error), 1e-3 * acceleration)


def tension(recording: Recording, joint: str) -> np.ndarray:
    """Tension (frames,) of the first part of a rope, N."""
    return np.asarray(recording.joint(joint).tension)


def sinking(recording: Recording, parts: int) -> float:
    """Acceleration of the counterweight that the rope of the other hoist slips with, m/s^2."""
    heavy = recording.body("rubbing-weight").mass
    lifts = EXCESS * MASS / heavy  # S, as it was built with
    return float(9.81 * (heavy * lifts - MASS) / (heavy * lifts + MASS / parts))
