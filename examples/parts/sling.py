"""Four legs of a sling lift a slab: legs that stretch share its weight."""

import taut
from taut.machines import Sling


def build() -> taut.Scene:
    """The eye is fixed."""
    scene = taut.Scene()
    scene.add_body("slab", taut.shapes.Box(3, 2, 0.2), mass=2500, position=(0, 0, -2.1), angular_velocity=(0, 0, 0.5))
    corners = [("slab", (x, y, 0.1)) for x in (-1.4, 1.4) for y in (-0.9, 0.9)]
    scene.add(Sling(eye="world", to=corners, axial_stiffness=2e6, damping=1e4), name="sling")
    return scene
