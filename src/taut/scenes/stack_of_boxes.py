"""Twenty boxes of 1 kg in a stack with a box of 1,000 kg on top stand still [Lefebvre2020, Table 3.1].

Boxes of 0.5 x 0.5 x 0.25 m, one exactly on the other, on the ground; the load is a cube of 0.5 m. The thesis names the
scene and its rows, not its sizes; ratio and dimensions are ours.
"""

from __future__ import annotations

from taut import checks
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_at_rest, expect_contacts
from taut.shapes import Box

DURATION = 5.0

BOX, LOAD = Box(0.5, 0.5, 0.25), Box(0.5, 0.5, 0.5)


def build(count: int = 20, ratio: float = 1000.0) -> Scene:
    """Build the ground, the boxes `box-1` ... from below, and the box `load` on top.

    Args:
        count: boxes of 1 kg.
        ratio: mass of the load over that of a box.
    """
    owner = "scene 'stack_of_boxes'"
    count = int(checks.number(owner, "count", count, at_least=1))
    scene = Scene()
    scene.add_plane()
    for number in range(count):
        scene.add_body(f"box-{number + 1}", BOX, mass=1.0, position=(0.0, 0.0, (number + 0.5) * BOX.z))
    mass = checks.number(owner, "ratio", ratio, above=0.0)
    scene.add_body("load", LOAD, mass=mass, position=(0.0, 0.0, count * BOX.z + 0.5 * LOAD.z))
    return scene


def check(recording: Recording) -> None:
    """No body drifts by more than 1 mm from where it was put, nor by 0.1 mm once the stack has settled."""
    expect_contacts(recording, penetration=1e-4)
    expect_at_rest(recording, recording.info.body_names, since=0.0, drift=1e-3, creep=1e-4)
    expect_at_rest(recording, recording.info.body_names, since=1.0, drift=1e-4, creep=1e-6)
