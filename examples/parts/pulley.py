"""A heavy pulley turns with the rope that runs over it."""

import taut
from taut.joints import attach
from taut.machines import Pulley, Rope


def build() -> taut.Scene:
    """Two loads, one rope, and a wheel whose groove holds it by friction."""
    scene = taut.Scene()
    for name, x, mass in (("light", -0.5, 50), ("heavy", 0.5, 60)):
        scene.add_body(name, taut.shapes.Box(0.4, 0.4, 0.4), mass=mass, position=(x, 0, -2))
    pulley = Pulley(holder="world", radius=0.5, axis=(0, 1, 0), inertia=4, bearing_friction=2, groove_friction=0.4)
    handle = scene.add(pulley, name="pulley")
    scene.add(Rope(stops=(attach("light", (0, 0, 0.2)), handle, attach("heavy", (0, 0, 0.2)))), name="rope")
    return scene
