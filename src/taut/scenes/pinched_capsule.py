"""A capsule held between two pads by force does not creep: less than 1 um/s (mujoco#3328).

The capsule (0.5 kg, 0.02 m in radius, 0.1 m long) hangs upright between a fixed pad and one on a slider that is pushed
with 20 N; friction 0.5 then holds twice the capsule's weight. Simulators with soft friction let it sink; dimensions are
ours.
"""

from __future__ import annotations

from taut.joints.prismatic import Prismatic
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_at_rest, expect_contacts
from taut.shapes import Box, Capsule

DURATION = 10.0

CAPSULE = Capsule(radius=0.02, length=0.1)
PAD = Box(0.02, 0.1, 0.2)
X = (1.0, 0.0, 0.0)


def build(force: float = 20.0, mass: float = 0.5, friction: float = 0.5) -> Scene:
    """Build the pads and the capsule.

    Args:
        force: with which the slider is pushed, N.
        mass: of the capsule, kg.
        friction: between capsule and pads.
    """
    scene = Scene(friction=friction)
    away = CAPSULE.radius + 0.5 * PAD.x
    scene.add_body("anvil", PAD, position=(away, 0.0, 0.0), fixed=True)
    scene.add_body("pad", PAD, mass=0.2, position=(-away, 0.0, 0.0))
    scene.connect("world", "pad", Prismatic(axis=X))
    scene.add_load("pad", force=(force, 0.0, 0.0))
    scene.add_body("capsule", CAPSULE, mass=mass)
    return scene


def check(recording: Recording) -> None:
    """Capsule and pad move by less than 1e-5 m, and by less than 1 um/s once at rest."""
    expect_contacts(recording, penetration=1e-6)
    expect_at_rest(recording, ["capsule", "pad"], since=0.0, drift=1e-3, creep=1e-4)
    expect_at_rest(recording, ["capsule", "pad"], since=1.0, drift=1e-6, creep=1e-6)
