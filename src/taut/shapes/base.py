"""What a shape offers: volume and inertia, from which a body gets its mass."""

from __future__ import annotations

from dataclasses import fields
from typing import ClassVar

import numpy as np

from taut import checks
from taut.spatial import Array


class Shape:
    """A solid centred on the body's origin, in body axes; all sizes in m."""

    registry: ClassVar[dict[str, type[Shape]]] = {}
    solid: ClassVar[bool] = True
    """Whether the shape has a volume, and so can give a body its mass."""

    def __init_subclass__(cls) -> None:
        """Register every kind of shape by its class name."""
        Shape.registry[cls.__name__] = cls

    def __post_init__(self) -> None:
        """Refuse sizes that are not positive and finite."""
        for field in fields(self):  # type: ignore[arg-type]
            value = checks.number(type(self).__name__, field.name, getattr(self, field.name), above=0.0)
            object.__setattr__(self, field.name, value)

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        raise NotImplementedError

    @property
    def unit_inertia(self) -> Array:
        """Principal moments (3,) about the centre for a mass of 1 kg, m^2."""
        raise NotImplementedError

    def inertia(self, mass: float) -> Array:
        """Inertia tensor (3, 3) about the centre in kg m^2, for a homogeneous solid of this mass in kg."""
        return np.diag(mass * self.unit_inertia)
