"""A capsule: a cylinder with a half sphere at each end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.shapes.base import Shape
from taut.shapes.surface import Surface, arc, revolved
from taut.spatial import Array


@dataclass(frozen=True)
class Capsule(Shape):
    """A solid capsule along the body's z axis: `radius` and `length` between the centres of its ends, in m."""

    radius: float
    length: float

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        return np.pi * self.radius**2 * (self.length + 4.0 / 3.0 * self.radius)

    @property
    def bounding_radius(self) -> float:
        """Distance of the tips from the centre, m."""
        return 0.5 * self.length + self.radius

    @property
    def surface(self) -> Surface:
        """Two round ends and the wall between them."""
        ends = (-0.5 * self.length, -0.5 * np.pi, 0.0), (0.5 * self.length, 0.0, 0.5 * np.pi)
        return revolved([np.vstack([arc(self.radius, *end) for end in ends])])

    @property
    def unit_inertia(self) -> Array:
        """Cylinder and half spheres by their share of the volume, parallel-axis term of the ends included, m^2."""
        r, length = self.radius, self.length
        share = length / (length + 4.0 / 3.0 * r)  # of the cylinder
        # a half sphere's centre of mass is 3r/8 beyond its flat face: 2/5 r^2 about the centre of the flat face
        ends = 0.4 * r**2 + length**2 / 4.0 + 3.0 / 8.0 * length * r
        across = share * (r**2 / 4.0 + length**2 / 12.0) + (1.0 - share) * ends
        along = share * r**2 / 2.0 + (1.0 - share) * 0.4 * r**2
        return np.array([across, across, along])
