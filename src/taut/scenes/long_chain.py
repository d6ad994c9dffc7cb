"""A load of 25 t swings on a chain of 1,000 links of 0.25 kg, 100,000:1, and the chain does not stretch.

The chain of `hanging_chain`, ten times as long: rods of 0.2 m with ball joints in a straight line of 200 m, 30 degrees
below the horizontal, released from rest with a cube at the end. For the time against the number of links [Baraff1996].
"""

from __future__ import annotations

import numpy as np

from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._chain import add_chain, reach
from taut.scenes._expect import expect_below, expect_energy, expect_joined

DURATION = 1.0


def build(links: int = 1000, load: float = 25000.0, angle: float = 30.0) -> Scene:
    """Build the chain.

    Args:
        links: number of rods.
        load: mass of the cube, kg.
        angle: of the chain below the horizontal at the start, degrees.
    """
    scene = Scene(collisions=False)
    add_chain(scene, links, load, -angle)
    return scene


def check(recording: Recording) -> None:
    """Joints hold to 1e-4 m, energy does not rise, and the load is not farther from the pin than the chain is long."""
    expect_joined(recording, violation=1e-4)
    links = len(recording.info.body_names) - 1
    expect_energy(recording, scale=9.81 * sum(recording.info.masses) * reach(links), loss=np.inf)
    distance = np.linalg.norm(recording.body("load").position, axis=1)
    expect_below(recording, "stretch in m", distance - reach(links), 1e-4)
