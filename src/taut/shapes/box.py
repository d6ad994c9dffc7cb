"""A box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.shapes.base import Shape
from taut.shapes.surface import Surface, cuboid
from taut.spatial import Array


@dataclass(frozen=True)
class Box(Shape):
    """A box with full edge lengths `x`, `y`, `z` in m."""

    x: float
    y: float
    z: float

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        return self.x * self.y * self.z

    @property
    def bounding_radius(self) -> float:
        """Half the diagonal, m."""
        return 0.5 * float(np.linalg.norm((self.x, self.y, self.z)))

    @property
    def surface(self) -> Surface:
        """Six faces."""
        return cuboid((self.x, self.y, self.z))

    @property
    def unit_inertia(self) -> Array:
        """(y^2 + z^2, z^2 + x^2, x^2 + y^2) / 12, m^2."""
        xx, yy, zz = self.x**2, self.y**2, self.z**2
        return np.array([yy + zz, zz + xx, xx + yy]) / 12.0
