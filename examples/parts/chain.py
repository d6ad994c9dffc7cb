"""A chain of rings hangs in a bow between two points."""

import taut
from taut.machines import Chain


def build() -> taut.Scene:
    """Forty links, pinned alternately."""
    scene = taut.Scene()
    chain = Chain(from_=("world", (-1, 0, 0)), to=("world", (1, 0, 0)), links=40, pitch=0.07, wire=0.02, mass=0.2,
                  joint="hinge", shape="ring")  # fmt: skip
    scene.add(chain, name="chain")
    return scene
