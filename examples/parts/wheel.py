"""A driven wheel carries half a ton over a kerb."""

import taut
from taut.machines import Wheel


def build() -> taut.Scene:
    """The cart may slide, but not turn: a wheel alone would fall over."""
    scene = taut.Scene(friction=0.8)
    scene.add_plane()
    scene.add_body("kerb", taut.shapes.Box(2, 2, 0.1), position=(2.5, 0, 0.05), fixed=True)
    scene.add_body("cart", taut.shapes.Box(0.8, 0.1, 0.3), mass=480, position=(0, 0.4, 0.5), collides=False)
    scene.connect("world", "cart", taut.joints.Translational())
    wheel = Wheel(carrier=("cart", (0, -0.4, 0)), radius=0.5, width=0.3, mass=20, shape="two spheres", motor=800,
                  brake=800, rolling_resistance=0.015)  # fmt: skip
    scene.add(wheel, name="wheel")
    return scene
