"""A heavy box rests on a light one, at mass ratios from 100:1 to 1,000,000:1 (dart#3442).

The light cube weighs 1 kg, the heavy one `ratio` kg, both with 0.5 m edges, one exactly on the other. Contact points
give way by 1e-10 m/N, so that 1,000 t on four of them sink by 0.25 mm; dimensions are ours.
"""

from __future__ import annotations

from taut import checks
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_at_rest, expect_contacts
from taut.shapes import Box

DURATION = 10.0

CUBE = Box(0.5, 0.5, 0.5)
COMPLIANCE = 1e-10
"""Of a contact point, m/N."""


def build(ratio: float = 1e6) -> Scene:
    """Build the ground and the cubes `light` and `heavy`.

    Args:
        ratio: mass of the heavy cube over that of the light one.
    """
    scene = Scene(contact_compliance=COMPLIANCE)
    scene.add_plane()
    scene.add_body("light", CUBE, mass=1.0, position=(0.0, 0.0, 0.5 * CUBE.z))
    heavy = checks.number("scene 'heavy_on_light'", "ratio", ratio, above=0.0)
    scene.add_body("heavy", CUBE, mass=heavy, position=(0.0, 0.0, 1.5 * CUBE.z))
    return scene


def check(recording: Recording) -> None:
    """The cubes overlap by twice their deflection at most, which is below 1 mm, and neither drifts nor creeps."""
    deflection = 0.25 * COMPLIANCE * 9.81 * sum(recording.info.masses)
    expect_contacts(recording, penetration=2.0 * deflection + 1e-6)
    expect_at_rest(recording, ["light", "heavy"], since=1.0, drift=1e-5, creep=1e-6)
