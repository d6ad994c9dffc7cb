"""A loader is steered in its middle: a hinge with a servo between its halves."""

import taut
from taut.machines import ArticulatedSteering, Wheel


def build() -> taut.Scene:
    """Two halves with two wheels each."""
    scene = taut.Scene(friction=0.9)
    scene.add_plane()
    for name, x in (("rear", -1), ("front", 1)):
        scene.add_body(name, taut.shapes.Box(1.4, 1, 0.6), mass=1500, position=(x, 0, 0.8))
    steering = ArticulatedSteering(rear=("rear", (1, 0, 0)), front="front", max_torque=2e4,
                                   schedule=taut.Ramps((0, 0), (2, 0.5)))  # fmt: skip
    scene.add(steering, name="steering")
    for name in ("rear", "front"):
        for side in (1, -1):
            wheel = Wheel(carrier=(name, (0, 0.8 * side, -0.3)), radius=0.5, width=0.35, mass=60, motor=500)
            scene.add(wheel, name=f"{name}-{'left' if side > 0 else 'right'}")
    return scene
