"""A plane: static ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.shapes.base import Shape


@dataclass(frozen=True)
class Plane(Shape):
    """A half space below a plane: unit `normal`, and `offset` in m of the plane from the origin along it."""

    solid: ClassVar[bool] = False
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    offset: float = 0.0

    def __post_init__(self) -> None:
        """Make the normal a unit vector."""
        x, y, z = checks.direction("Plane", "normal", self.normal)
        object.__setattr__(self, "normal", (float(x), float(y), float(z)))
        object.__setattr__(self, "offset", checks.number("Plane", "offset", self.offset))

    @property
    def bounding_radius(self) -> float:
        """No ball holds a plane: infinite."""
        return np.inf

    def check_carrier(self, owner: str, fixed: bool) -> None:
        """Planes are the scene's, not a body's."""
        raise InputError(f"{owner}: shape is a Plane, which no body can have; use scene.add_plane, or a solid shape")
