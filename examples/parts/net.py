"""A ball falls into a net that is held at its corners."""

import taut
from taut.machines import Net


def build() -> taut.Scene:
    """Ropes a metre apart, with a body at every knot."""
    scene = taut.Scene(friction=0.5)
    corners = [(i, j, ("world", (i - 2, j - 2, 3))) for i in (0, 4) for j in (0, 4)]
    net = Net(size=(4, 4), mesh=1, segments=3, diameter=0.03, mass_per_length=0.4, axial_stiffness=2e5, border=3,
              bending_stiffness=2, torsional_stiffness=2, centre=(0, 0, 3), held=corners)  # fmt: skip
    scene.add(net, name="net")
    scene.add_body("ball", taut.shapes.Sphere(0.8), mass=60, position=(0, 0, 4))
    return scene
