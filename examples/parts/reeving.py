"""A rope that runs four times between two blocks: 2 t hang on a pull of half a ton."""

import taut
from taut.machines import Reeving


def build() -> taut.Scene:
    """The counterweight pulls with slightly more than a quarter of the load."""
    scene = taut.Scene()
    scene.add_body("load", taut.shapes.Box(1, 1, 1), mass=2000, position=(0, 0, -3.5))
    scene.add_body("weight", taut.shapes.Box(0.6, 0.6, 0.6), mass=510, position=(2, 0, -2.3))
    reeving = Reeving(upper=("world", (0, 0, 0)), lower=("load", (0, 0, 0.5)), line=("weight", (0, 0, 0.3)),
                      parts=4, radius=0.2, spacing=0.1)  # fmt: skip
    scene.add(reeving, name="reeving")
    return scene
