"""A chain, a hanging load and a closed loop at any mass ratio up to 1,000,000:1, with the same settings.

Every light part weighs 1 kg, every load `ratio` kg; sizes do not change with it. Three mechanisms side by side, 3 m
apart:

- chain: 20 rods of 0.2 m with ball joints and a ball of 0.5 m radius joined at its centre, 30 degrees below
  horizontal;
- load: an arm on a hinge, a hook on a universal joint and the same ball under it, 40 degrees from the vertical,
  pushed sideways, so that the hinge of 1 kg bears the moment of the whole load;
- loop: a beam of 2 m on two parallel arms of 1 m with four hinges (three redundant rows), 30 degrees from the
  vertical: a point pendulum in closed form.

The ladder of mass ratios that users of other engines ask for (dart#3442 and others); dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.revolute import Revolute
from taut.joints.spherical import Spherical
from taut.joints.universal import Universal
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._chain import add_rods, direction
from taut.scenes._expect import expect_energy, expect_joined, expect_near
from taut.scenes._pendulum import pendulum_angle
from taut.shapes import Box, Cylinder, Sphere
from taut.spatial import from_two_vectors

DURATION = 5.0

MECHANISMS = ("all", "chain", "load", "loop")
LIGHT = 1.0
"""Mass of every light part, kg."""
SIDEWAYS = 0.2
"""Rate at which the hanging load is pushed sideways, rad/s."""
HEIGHT = 2.0
"""About as far as the chain's load falls, m."""
LOOP_START = np.radians(30.0)
Y = (0.0, 1.0, 0.0)


def build(ratio: float = 1e6, mechanism: str = "all") -> Scene:
    """Build the mechanisms.

    Args:
        ratio: mass of each load over that of a light part.
        mechanism: "chain", "load", "loop", or "all" three.
    """
    owner = "scene 'mass_ladder'"
    mass = LIGHT * checks.number(owner, "ratio", ratio, above=0.0)
    chosen = checks.known(owner, "mechanism", mechanism, MECHANISMS)
    scene = Scene(collisions=False)
    if chosen in ("all", "chain"):
        add_loaded_chain(scene, mass)
    if chosen in ("all", "load"):
        add_hanging_load(scene, mass)
    if chosen in ("all", "loop"):
        add_loop(scene, mass)
    return scene


def add_loaded_chain(scene: Scene, mass: float) -> None:
    """Twenty rods and a ball named `load`."""
    end = add_rods(scene, 20, (0.0, 0.0, 0.0), direction(-30.0), Cylinder(radius=0.02, length=0.2), LIGHT)
    scene.add_body("load", Sphere(0.5), mass=mass, position=end)
    scene.connect("link-20", "load", Spherical(), at=end, name="load-ball")


def add_hanging_load(scene: Scene, mass: float) -> None:
    """An arm, a hook and a ball named `hook-load`, the hook and the ball moving sideways as one."""
    rod, along, top = Cylinder(radius=0.03, length=0.5), direction(-50.0), np.array([0.0, 3.0, 0.0])
    turn = from_two_vectors((0.0, 0.0, 1.0), along)
    across = np.cross(along, Y)
    middle, bottom = top + 0.5 * along, top + 1.0 * along
    spin = SIDEWAYS * across
    scene.add_body("arm", rod, mass=LIGHT, position=top + 0.25 * along, orientation=turn)
    for name, shape, weight, distance in (("hook", rod, LIGHT, 0.25), ("hook-load", Sphere(0.5), mass, 1.0)):
        arm = distance * along
        scene.add_body(
            name, shape, mass=weight, position=middle + arm, orientation=turn,
            velocity=np.cross(spin, arm), angular_velocity=spin,
        )  # fmt: skip
    scene.connect("world", "arm", Revolute(axis=Y), at=top, name="arm-hinge")
    scene.connect("arm", "hook", Universal(axis_a=Y, axis_b=tuple(across)), at=middle, name="hook-universal")
    scene.connect("hook", "hook-load", Spherical(), at=bottom, name="hook-ball")


def add_loop(scene: Scene, mass: float) -> None:
    """A beam named `loop-load` on two parallel arms."""
    along = direction(np.degrees(LOOP_START) - 90.0)
    turn = from_two_vectors((0.0, 0.0, 1.0), along)
    tops = [np.array([x, 6.0, 0.0]) for x in (-1.0, 1.0)]
    beam = Box(2.0, 0.2, 0.2)
    scene.add_body("loop-load", beam, mass=mass, position=0.5 * (tops[0] + tops[1]) + along)
    for number, top in enumerate(tops, start=1):
        arm = f"loop-arm-{number}"
        rod = Cylinder(radius=0.03, length=1.0)
        scene.add_body(arm, rod, mass=LIGHT, position=top + 0.5 * along, orientation=turn)
        scene.connect("world", arm, Revolute(axis=Y), at=top, name=f"loop-top-{number}")
        scene.connect(arm, "loop-load", Revolute(axis=Y), at=top + along, name=f"loop-bottom-{number}")


def check(recording: Recording) -> None:
    """The joints hold to 1e-5 m, energy to 3 % of what the loads bring, and the loop swings as it must, to 20 mm."""
    expect_joined(recording, violation=1e-5)
    expect_energy(recording, scale=9.81 * sum(recording.info.masses) * HEIGHT, loss=3e-2)
    if "loop-load" in recording.info.body_names:
        beam = recording.body("loop-load")
        equivalent = (beam.mass + 2.0 * LIGHT / 3.0) / (beam.mass + LIGHT)
        angle = pendulum_angle(recording.time, LOOP_START, equivalent)
        closed_form = np.stack([np.sin(angle), np.full_like(angle, 6.0), -np.cos(angle)], axis=1)
        expect_near(recording, "the beam's position in m", beam.position, closed_form, 2e-2)
