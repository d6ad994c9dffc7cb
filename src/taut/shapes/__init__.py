"""Shapes: geometry and mass properties of bodies, one file a kind."""

from taut.shapes.base import Shape
from taut.shapes.box import Box
from taut.shapes.capsule import Capsule
from taut.shapes.compound import Compound
from taut.shapes.convex import Convex
from taut.shapes.cylinder import Cylinder
from taut.shapes.decomposition import decompose
from taut.shapes.heightfield import Heightfield
from taut.shapes.mesh import Mesh
from taut.shapes.plane import Plane
from taut.shapes.sphere import Sphere

__all__ = [
    "Box", "Capsule", "Compound", "Convex", "Cylinder", "Heightfield", "Mesh", "Plane", "Shape", "Sphere", "decompose",
]  # fmt: skip
