"""A gripper on a gantry puts a box onto another one; `taut view examples/gripper.py` shows it."""

import taut
from taut.joints import Motor, Prismatic
from taut.machines import Gripper


def build() -> taut.Scene:
    """A trolley on a rail, a lift under it, a gripper, and two boxes."""
    scene = taut.Scene(friction=0.6)
    scene.add_plane()
    post, beam = taut.shapes.Box(0.1, 0.1, 2), taut.shapes.Box(3, 0.12, 0.12)
    rail = [(beam, (0, 0, 2)), (post, (-1.5, 0, 1)), (post, (1.5, 0, 1))]
    scene.add_body("rail", visual=rail, fixed=True, collides=False, colour=(0.3, 0.32, 0.35))
    scene.add_body("trolley", taut.shapes.Box(0.4, 0.3, 0.2), mass=60, position=(-0.6, 0, 1.85), collides=False)
    scene.add_body("mast", taut.shapes.Box(0.1, 0.1, 1), mass=30, position=(-0.6, 0, 1.55), collides=False)
    down = taut.Ramps((0, 0), (1.5, -0.61), (2.5, -0.61), (4, 0), (6, 0), (7.5, -0.31))
    for name, a, b, axis, way in (
        ("travel", "world", "trolley", (1, 0, 0), taut.Ramps((4, 0), (6, 1.2))),
        ("lift", "trolley", "mast", (0, 0, 1), down),
    ):  # fmt: skip
        scene.connect(a, b, Prismatic(axis=axis, motor=Motor(position=0.0, max_force=5e3)), name=name)
        scene.add_control(name, joint=name, low=-1.5, high=1.5, unit="m", schedule=way)
    close = taut.Ramps((1.5, 0.0), (1.6, 1.0), (7.6, 1.0), (7.7, -1.0))
    gripper = Gripper(on=("mast", (0, 0, -0.5)), force=600, opening=(0.1, 0.5), mass=(8, 3), schedule={"close": close})
    scene.add(gripper, name="gripper")
    for name, x in (("box", -0.6), ("other", 0.6)):
        cube = taut.shapes.Box(0.3, 0.3, 0.3)
        scene.add_body(name, cube, mass=25, position=(x, 0, 0.15), colour=(0.6, 0.45, 0.28))
    return scene


if __name__ == "__main__":
    gantry = taut.Simulation(build())
    gantry.run(5.0)
    print(f"holds {', '.join(gantry.part('gripper').held)} with {gantry.part('gripper').force:.0f} N")
    gantry.run(5.0)
    print("the box is at", ", ".join(f"{place:.3f} m" for place in gantry.body("box").position))
