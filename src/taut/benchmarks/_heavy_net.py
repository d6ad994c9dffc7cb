"""A net with a heavy ball in it: many light bodies in closed loops, and one that presses on some of them."""

from __future__ import annotations

from taut.machines.net import Net
from taut.scene.scene import WORLD, Scene
from taut.shapes import Sphere

MESH, DIAMETER = 0.25, 0.02
"""From knot to knot, and thickness of its ropes, m."""
MASS_PER_LENGTH, STIFFNESS = 0.4, 2e6
"""Of its ropes, kg/m, and EA, N."""
RADIUS, GAP = 1.0, 1e-3
"""Of the ball, and from it to the ropes at the start, m."""


def heavy_net(knots: int = 40, load: float = 500.0, sections: int = 5) -> Scene:
    """Build a net of so many knots along each side, held at its border, with a ball of so many kg on its middle.

    It has sections x sections groups.
    """
    scene = Scene(friction=0.5)
    last, side = knots - 1, (knots - 1) * MESH
    border = [(i, j) for i in range(knots) for j in range(knots) if i in (0, last) or j in (0, last)]
    held = [(i, j, (WORLD, (i * MESH - 0.5 * side, j * MESH - 0.5 * side, 0.0))) for i, j in border]
    net = Net(
        size=(side, side), mesh=MESH, segments=1, diameter=DIAMETER, mass_per_length=MASS_PER_LENGTH, knots="ball",
        axial_stiffness=STIFFNESS, held=held, sections=(sections, sections),
    )  # fmt: skip
    scene.add(net, name="net")
    scene.add_body("ball", Sphere(RADIUS), mass=load, position=(0.0, 0.0, RADIUS + 0.5 * DIAMETER + GAP))
    return scene
