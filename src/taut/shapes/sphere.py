"""A sphere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.shapes.base import Shape
from taut.shapes.surface import Surface, arc, revolved
from taut.spatial import Array


@dataclass(frozen=True)
class Sphere(Shape):
    """A solid sphere of this `radius` in m."""

    radius: float

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        return 4.0 / 3.0 * np.pi * self.radius**3

    @property
    def bounding_radius(self) -> float:
        """The radius, m."""
        return self.radius

    @property
    def surface(self) -> Surface:
        """Rings from pole to pole."""
        return revolved([arc(self.radius, 0.0, -0.5 * np.pi, 0.5 * np.pi)])

    @property
    def unit_inertia(self) -> Array:
        """2 r^2 / 5 about every axis, m^2."""
        return np.full(3, 0.4 * self.radius**2)
