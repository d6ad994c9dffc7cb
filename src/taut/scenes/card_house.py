"""A house of cards stands: pairs of cards lean on each other, with level cards on them that carry the next storey.

Playing cards of 88 x 63 x 0.3 mm and 1.8 g, 15 degrees from the vertical, with a friction of 0.6; two leaning cards
press on each other along one edge, a level card lies on two such edges. Thin, light, and held by friction alone. Cards
are those of the game; angle and friction are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_at_rest, expect_contacts
from taut.shapes import Box
from taut.spatial import exponential

DURATION = 5.0

CARD, MASS = Box(0.0003, 0.063, 0.088), 0.0018
LEAN = np.radians(15.0)
REACH = 0.5 * (CARD.z * np.cos(LEAN) + CARD.x * np.sin(LEAN))
"""Half the height of a leaning card, m."""
SPREAD = 0.5 * (CARD.z * np.sin(LEAN) + CARD.x * np.cos(LEAN))
"""Half its width, m."""


def build(storeys: int = 2, friction: float = 0.6) -> Scene:
    """Build the house: `storeys` pairs in the lowest storey, one less in each above.

    Args:
        storeys: of leaning pairs.
        friction: between cards, and on the ground.
    """
    storeys = int(checks.number("scene 'card_house'", "storeys", storeys, at_least=1))
    scene = Scene(friction=friction)
    scene.add_plane()
    ground = 0.0
    for storey in range(storeys):
        pairs = storeys - storey
        middles = 4.0 * SPREAD * (np.arange(pairs) - 0.5 * (pairs - 1))
        for number, middle in enumerate(middles, start=1):
            add_pair(scene, f"{storey + 1}-{number}", float(middle), ground)
        ground += 2.0 * REACH
        for number in range(pairs - 1):
            place = (0.5 * (middles[number] + middles[number + 1]), 0.0, ground + 0.5 * CARD.x)
            level = exponential((0.0, 0.5 * np.pi, 0.0))
            scene.add_body(f"level-{storey + 1}-{number + 1}", CARD, mass=MASS, position=place, orientation=level)
        ground += CARD.x
    return scene


def add_pair(scene: Scene, name: str, middle: float, ground: float) -> None:
    """Two cards that lean on each other above x = `middle`, on a floor at this height, m."""
    for side, sign in (("left", -1.0), ("right", 1.0)):
        place = (middle + sign * SPREAD, 0.0, ground + REACH)
        turn = exponential((0.0, -sign * LEAN, 0.0))
        scene.add_body(f"{side}-{name}", CARD, mass=MASS, position=place, orientation=turn)


def check(recording: Recording) -> None:
    """No card moves by more than 1 mm from where it was put, nor creeps."""
    expect_contacts(recording, penetration=1e-4)
    expect_at_rest(recording, recording.info.body_names, since=0.0, drift=1e-3, creep=1e-4)
    expect_at_rest(recording, recording.info.body_names, since=1.0, drift=1e-4, creep=1e-6)
