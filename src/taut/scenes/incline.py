"""Two blocks on a slope: one just below its friction angle sticks, one just above it slides with g (sin - mu cos).

Blocks of 1 kg, 0.2 x 0.2 x 0.1 m, at rest on 25 degrees. Their friction is tan(25) times 1 + margin and 1 - margin.
Closed form of every textbook; dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_at_rest, expect_contacts, expect_near
from taut.scenes._slope import add_slope
from taut.shapes import Box

DURATION = 2.0

BLOCK = Box(0.2, 0.2, 0.1)


def build(angle: float = 25.0, margin: float = 0.02) -> Scene:
    """Build the slope and the blocks.

    Args:
        angle: of the slope, degrees.
        margin: share by which friction is above and below what holds a block.
    """
    margin = checks.number("scene 'incline'", "margin", margin, above=0.0)
    scene = Scene()
    _, out, turn = add_slope(scene, angle)
    scene.friction = float(np.tan(np.radians(angle)))
    # the coefficient of a pair is the geometric mean of both bodies', so a block's own counts half
    for name, side, share in (("sticks", -0.5, 1.0 + margin), ("slides", 0.5, 1.0 - margin)):
        place = 0.5 * BLOCK.z * out + (0.0, side, 0.0)
        scene.add_body(name, BLOCK, mass=1.0, position=place, orientation=turn, friction=scene.friction * share**2)
    return scene


def check(recording: Recording) -> None:
    """One block creeps by less than 1 um/s; the other slides as the closed form says, within 1 % of g sin(angle)."""
    expect_contacts(recording, penetration=1e-6)
    parameters = recording.info.parameters
    slope = 9.81 * np.sin(np.radians(parameters["angle"]))
    expect_at_rest(recording, ["sticks"], since=0.1, drift=1e-6, creep=1e-6)
    speed = np.linalg.norm(recording.body("slides").velocity, axis=1)
    expected = slope * parameters["margin"] * recording.time
    expect_near(recording, "speed in m/s", speed, expected, 0.01 * slope * parameters["margin"] * recording.time[-1])
