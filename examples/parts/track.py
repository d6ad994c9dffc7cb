"""A crawler drives on two tracks of shoes that are pinned to each other."""

import taut
from taut.machines import Track


def build() -> taut.Scene:
    """A sprocket with a motor, an idler on a spring and three rollers a side."""
    scene = taut.Scene(friction=0.8)
    scene.add_plane()
    scene.add_body("hull", taut.shapes.Box(2, 0.8, 0.3), mass=1000, position=(0, 0, 0.625))
    for name, side in (("left", 1), ("right", -1)):
        track = Track(
            frame=("hull", (0, 0.7 * side, -0.3)), sprocket=(-1, 0.05, 0.25), idler=(1, 0.05, 0.25),
            rollers=[(x, -0.15, 0.12) for x in (-0.6, 0, 0.6)], links=26, width=0.3, thickness=0.04, mass=5,
            wheel_mass=40, roller_mass=10, tension=8000, motor=3000,
        )  # fmt: skip
        scene.add(track, name=name)
    return scene
