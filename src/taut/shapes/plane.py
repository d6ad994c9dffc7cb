"""A plane: static ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from taut import checks
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
