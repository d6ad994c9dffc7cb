"""The geometry that collides: one entry a primitive part of a body, as frozen arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from taut.collide.kinds import PLANE
from taut.shapes import Shape
from taut.spatial import Array, Integers


@dataclass(frozen=True, eq=False)
class Geoms:
    """Primitive parts of all bodies, sorted by body (planes first: they belong to the world).

    Every geom has its own frame: the axis of round shapes and the normal of planes along z, the origin in the middle of
    the shape's bounding box.

    Attributes:
        body, kind: (g,).
        size: (g, 3) m: (radius, 0, 0) of spheres, (radius, half length, 0) of capsules and cylinders, half edges of the
            bounding box in own axes for all others, 0 for planes.
        position: (g, 3) m, of the geom's origin from the body's centre of mass, body axes.
        rotation: (g, 9) body-from-geom, row by row.
        radius: (g,) m, of the sphere around the origin that holds the geom; inf for planes.
        friction, restitution: (g,). rolling, torsional: (g,) m.
        give, give_damping: (g,) m/N and N s/m of surfaces that are soft on purpose, 0 for others.
        shapes: the shape of each geom.
        vertex_start, vertices: corners of convex geoms in own axes, m; geom i has vertices[vertex_start[i] :
            vertex_start[i + 1]].
        group: (g,) index into the table `group_collides`.
        group_collides: (G, G) 1 where geoms of two groups may touch.
        excluded: sorted keys a n + b of pairs of bodies a < b that never touch, n the number of bodies.
    """

    body: Integers
    kind: Integers
    size: Array
    position: Array
    rotation: Array
    radius: Array
    friction: Array
    restitution: Array
    rolling: Array
    torsional: Array
    give: Array
    give_damping: Array
    shapes: tuple[Shape, ...]
    vertex_start: Integers
    vertices: Array
    group: Integers
    group_collides: NDArray[np.uint8]
    excluded: Integers

    @property
    def count(self) -> int:
        """Number of geoms."""
        return self.kind.size

    def never_touch(self, a: Integers, b: Integers, bodies: int) -> NDArray[np.bool_]:
        """Pairs (k,) of geoms that never touch, because of their groups or their bodies, of which there are so many."""
        if not a.size:
            return np.zeros(0, bool)
        first, second = np.sort([self.body[a], self.body[b]], axis=0)
        apart = self.group_collides[self.group[a], self.group[b]] == 0
        if not self.excluded.size:
            return np.asarray(apart)
        key = first * bodies + second
        place = np.searchsorted(self.excluded, key)
        return np.asarray(apart | (self.excluded[np.minimum(place, self.excluded.size - 1)] == key))

    @cached_property
    def thickness(self) -> Array:
        """Least half thickness (g,), m; inf for planes, heightfields and meshes, which are thick below."""
        sizes = np.where(self.size > 0.0, self.size, np.inf).min(axis=1)
        return np.where(self.kind >= PLANE, np.inf, sizes)
