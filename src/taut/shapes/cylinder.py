"""A cylinder."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.shapes.base import Shape
from taut.shapes.surface import Surface, revolved
from taut.spatial import Array


@dataclass(frozen=True)
class Cylinder(Shape):
    """A solid cylinder along the body's z axis: `radius` and full `length` in m."""

    radius: float
    length: float

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        return np.pi * self.radius**2 * self.length

    @property
    def bounding_radius(self) -> float:
        """Distance of the rims from the centre, m."""
        return float(np.hypot(self.radius, 0.5 * self.length))

    @property
    def surface(self) -> Surface:
        """Two flat ends and the wall."""
        r, half = self.radius, 0.5 * self.length
        outline = np.array([(0.0, -half), (r, -half), (r, half), (0.0, half)])
        return revolved([outline[edge : edge + 2] for edge in range(3)])

    @property
    def unit_inertia(self) -> Array:
        """(r^2/4 + l^2/12, the same, r^2/2), m^2."""
        across = self.radius**2 / 4.0 + self.length**2 / 12.0
        return np.array([across, across, self.radius**2 / 2.0])
