"""A straight chain of rods with a heavy load at its end, which several scenes hang up."""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.spherical import Spherical
from taut.scene import Scene
from taut.shapes import Box, Cylinder
from taut.spatial import Array, from_two_vectors

LINK_LENGTH = 0.2
LINK_RADIUS = 0.02
LINK_MASS = 0.25
LOAD_EDGE = 0.5


def add_chain(scene: Scene, links: int, load: float, angle: float) -> None:
    """Add a straight chain from the origin and a cube at its end, at rest, with ball joints.

    Bodies are named `link-1` ... and `load`, joints `ball-1` ...; the last joint is at the middle of the cube's face.

    Args:
        scene: where to.
        links: number of rods, 0.25 kg, 0.2 m long, 0.02 m in radius (solid cylinders).
        load: mass of the cube of 0.5 m edge, kg.
        angle: of the chain above the x axis in the x-z plane, degrees; negative is below.
    """
    tilt = np.radians(checks.number("chain", "angle", angle))
    along = np.array([np.cos(tilt), 0.0, np.sin(tilt)])
    turn = from_two_vectors((0.0, 0.0, 1.0), along)
    rod = Cylinder(LINK_RADIUS, LINK_LENGTH)
    previous = "world"
    for number in range(1, int(checks.number("chain", "links", links, at_least=1)) + 1):
        start = (number - 1) * LINK_LENGTH * along
        link = scene.add_body(
            f"link-{number}", rod, mass=LINK_MASS, position=start + 0.5 * LINK_LENGTH * along, orientation=turn
        )
        scene.connect(previous, link, Spherical(), at=start, name=f"ball-{number}")
        previous = link
    end = links * LINK_LENGTH * along
    cube = Box(LOAD_EDGE, LOAD_EDGE, LOAD_EDGE)
    mass = checks.number("chain", "load", load, above=0.0)
    scene.add_body("load", cube, mass=mass, position=end + 0.5 * LOAD_EDGE * along, orientation=turn)
    scene.connect(previous, "load", Spherical(), at=end, name=f"ball-{links + 1}")


def reach(links: int) -> float:
    """Largest distance of the load's centre from the origin, m."""
    return links * LINK_LENGTH + 0.5 * LOAD_EDGE


def load_distance(position: Array) -> Array:
    """Distance (frames,) of the load's centre from the origin, m."""
    return np.linalg.norm(position, axis=1)
