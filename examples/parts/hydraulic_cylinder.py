"""A cylinder lifts a beam; its valve holds it where it stops."""

import taut
from taut.machines import HydraulicCylinder


def build() -> taut.Scene:
    """The loop of beam and cylinder is closed exactly."""
    scene = taut.Scene()
    scene.add_body("post", taut.shapes.Box(0.3, 0.3, 2), position=(0, 0, 0), fixed=True)
    scene.add_body("beam", taut.shapes.Box(3, 0.2, 0.25), mass=800, position=(1.6, 0, 0.6), collides=False)
    scene.connect("post", "beam", taut.joints.Revolute(axis=(0, -1, 0)), at=(0.15, 0, 0.6))
    cylinder = HydraulicCylinder(
        base=("post", (0.15, 0, -0.8)), rod=("beam", (-0.6, 0, -0.1)), stroke=(1.4, 2.1), bore=0.12, pressure=2e7,
        flow=1.5e-3, mass=(30, 20), schedule={"extension": taut.Ramps((0, 0.2), (3, 0.6))},
    )  # fmt: skip
    scene.add(cylinder, name="cylinder")
    return scene
