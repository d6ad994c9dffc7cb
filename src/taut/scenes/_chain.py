"""Straight lines of rods with ball joints, and the chain with a heavy cube that several scenes hang up."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from taut import checks
from taut.joints.spherical import Spherical
from taut.scene.scene import Scene
from taut.shapes import Box, Cylinder
from taut.spatial import Array, from_two_vectors

LINK = Cylinder(radius=0.02, length=0.2)
LINK_MASS = 0.25
LOAD_EDGE = 0.5


def add_rods(scene: Scene, count: int, start: ArrayLike, along: ArrayLike, rod: Cylinder, mass: float) -> Array:
    """Add `count` rods of this mass (kg) end to end, at rest, the first pinned to the world; returns the last end (m).

    Bodies are named `link-1` ..., joints `ball-1` ...; `along` is a unit vector.
    """
    count = int(checks.number("chain", "links", count, at_least=1))
    end, along = np.array(start, dtype=float), np.asarray(along, dtype=float)
    turn = from_two_vectors((0.0, 0.0, 1.0), along)
    previous = "world"
    for number in range(1, count + 1):
        middle = end + 0.5 * rod.length * along
        link = scene.add_body(f"link-{number}", rod, mass=mass, position=middle, orientation=turn)
        scene.connect(previous, link, Spherical(), at=end, name=f"ball-{number}")
        previous, end = link, end + rod.length * along
    return end


def add_chain(scene: Scene, links: int, load: float, angle: float) -> None:
    """Add a straight chain from the origin and a cube at its end, at rest.

    Args:
        scene: where to.
        links: number of rods, 0.25 kg, 0.2 m long, 0.02 m in radius (solid cylinders).
        load: mass of the cube `load` of 0.5 m edge, which hangs from the middle of its face, kg.
        angle: of the chain above the x axis in the x-z plane, degrees; negative is below.
    """
    along = direction(angle)
    end = add_rods(scene, links, (0.0, 0.0, 0.0), along, LINK, LINK_MASS)
    cube = Box(LOAD_EDGE, LOAD_EDGE, LOAD_EDGE)
    turn = from_two_vectors((0.0, 0.0, 1.0), along)
    scene.add_body("load", cube, mass=load, position=end + 0.5 * LOAD_EDGE * along, orientation=turn)
    scene.connect(f"link-{links}", "load", Spherical(), at=end, name=f"ball-{links + 1}")


def direction(angle: float) -> Array:
    """Unit vector in the x-z plane, `angle` degrees above the x axis."""
    turn = np.radians(checks.number("scene", "angle", angle))
    return np.array([np.cos(turn), 0.0, np.sin(turn)])


def reach(links: int) -> float:
    """Largest distance of the cube's centre from the origin, m."""
    return links * LINK.length + 0.5 * LOAD_EDGE
