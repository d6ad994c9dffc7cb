"""The chain of hanging_chain let go from 60 degrees above the horizontal: slack, then taut in one jerk.

The same 100 rods of 0.25 kg and 500 kg cube, straight, at rest. The column of links buckles at once, the load falls
30 m in nearly free fall and is caught when the chain snaps taut: the hardest frame a stepper can meet, because nearly
all of the load's kinetic energy is lost in it.
"""

from __future__ import annotations

import numpy as np

from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._chain import add_chain, reach
from taut.scenes._expect import expect, expect_below, expect_joined

DURATION = 5.0

TAUT = 0.999
"""Share of its full reach from which the chain counts as taut."""


def build(links: int = 100, load: float = 500.0, angle: float = 60.0) -> Scene:
    """Build the chain.

    Args:
        links: number of rods.
        load: mass of the cube, kg.
        angle: of the chain above the horizontal at the start, degrees.
    """
    scene = Scene(collisions=False)
    add_chain(scene, links, load, angle)
    return scene


def check(recording: Recording) -> None:
    """The joints hold to 1e-4 m, energy never rises, and the chain was slack and then taut."""
    expect_joined(recording, violation=1e-4)
    longest = reach(len(recording.info.body_names) - 1)
    distance = np.linalg.norm(recording.body("load").position, axis=1)
    expect_below(recording, "stretch in m", distance - longest, 1e-3)
    rise = np.diff(recording.energy, prepend=recording.energy[0]) / (9.81 * sum(recording.info.masses) * longest)
    expect_below(recording, "rise of energy in a step, as a share of the scene's", rise, 1e-6)
    if recording.time[-1] >= DURATION - 1e-9:
        slackest = int(np.argmin(distance))
        expect(distance[slackest] < 0.95 * longest, "the chain never went slack")
        expect(distance[slackest:].max() > TAUT * longest, "the chain never came taut again")
