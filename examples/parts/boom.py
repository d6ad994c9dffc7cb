"""A boom of three sections luffs by a cylinder and telescopes."""

import taut
from taut.machines import Boom, HydraulicCylinder


def build() -> taut.Scene:
    """A load is fixed to its tip."""
    scene = taut.Scene()
    scene.add_body("base", taut.shapes.Box(1.6, 1, 1), position=(0, 0, 0), fixed=True)
    oil = {"bore": 0.2, "pressure": 25e6, "flow": 3e-3}
    boom = Boom(
        root=("base", (-0.5, 0, 0.6)), length=5, angle=0.3, luff=(0.1, 1.2), mass=(900, 700, 500), sections=3,
        stroke=4, max_thrust=1e5, collides=False,
        cylinder=HydraulicCylinder(base=("base", (0.6, 0, -0.1)), rod=("boom", (-0.5, 0, -0.2)), mass=(90, 60), **oil),
        schedule={"luff": taut.Ramps((0, 0.3), (4, 0.9)), "telescope": taut.Ramps((0, 0), (4, 6))},
    )  # fmt: skip
    scene.add(boom, name="boom")
    return scene
