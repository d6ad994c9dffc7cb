"""A grapple closes round a log; a gear keeps both claws alike."""

import taut
from taut.machines import Grapple


def build() -> taut.Scene:
    """The claws hang from the world and hold the log in the air."""
    scene = taut.Scene(friction=0.8)
    scene.add_plane(offset=-1)
    along = taut.spatial.from_two_vectors((0, 0, 1), (0, 1, 0))
    scene.add_body("log", taut.shapes.Cylinder(0.2, 3), mass=250, position=(0, 0, -0.8), orientation=along)
    scene.add_body("hanger", taut.shapes.Cylinder(0.06, 0.4), mass=40, position=(0, 0, 0.2), collides=False)
    scene.connect("world", "hanger", taut.joints.Fixed(), at=(0, 0, 0.4))
    grapple = Grapple(on="hanger", depth=0.5, force=8e3, opening=(0.1, 1.0), mass=(80, 50), rotator=600,
                      cylinder_mass=(10, 5), schedule={"close": taut.Ramps((0, 0), (0.5, 1))})  # fmt: skip
    scene.add(grapple, name="grapple")
    return scene
