"""What a shape offers: volume and inertia, from which a body gets its mass."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from taut import checks
from taut.shapes.surface import Surface
from taut.spatial import IDENTITY, Array

Part = tuple["Shape", Array, Array]
"""A piece of a shape, the position (3,) of its own origin in m and its orientation (4,), a quaternion, in body axes."""

Numbers = TypeVar("Numbers", bound=np.ndarray)


class Shape:
    """Geometry in a body's own frame; all sizes in m. Unless a kind says otherwise it is centred on the origin."""

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

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same kind and size."""
        return type(self) is type(other) and self.key == other.key

    def __hash__(self) -> int:
        """Equal shapes have the same."""
        return hash(self.key)

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """What makes the shape: its kind and fields, arrays by their bytes."""
        return type(self), *(frozen(getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        raise NotImplementedError

    @property
    def com(self) -> Array:
        """Centre of mass (3,) of the homogeneous solid in the body's own frame, m."""
        return np.zeros(3)

    @property
    def bounding_radius(self) -> float:
        """Radius of a ball around the shape's own origin that holds all of it, m."""
        raise NotImplementedError

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The pieces to collide, none of which has pieces of its own; most shapes are one piece."""
        return ((self, read_only(np.zeros(3)), read_only(IDENTITY.copy())),)

    @property
    def surface(self) -> Surface:
        """Triangles to look at, in the shape's own frame, of every kind that is a part of a body's shape."""
        raise NotImplementedError

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """What is drawn: the surface; or parts of it, each in a darker tone than the one before, so that form shows."""
        return (self.surface,)

    @property
    def unit_inertia(self) -> Array:
        """Principal moments (3,) about the centre for a mass of 1 kg, m^2."""
        raise NotImplementedError

    def inertia(self, mass: float) -> Array:
        """Inertia tensor (3, 3) about `com`, body axes, in kg m^2, for a homogeneous solid of this mass in kg."""
        return np.diag(mass * self.unit_inertia)

    def check_carrier(self, owner: str, fixed: bool) -> None:
        """Refuse to be the shape of a body, named `owner` in the message, that cannot have it; most shapes never do."""


def read_only(array: Numbers) -> Numbers:
    """The array itself, which nobody can write to any more."""
    array.flags.writeable = False
    return array


def frozen(value: Any) -> Any:
    """A value that can be compared and hashed as a whole."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    return tuple(frozen(entry) for entry in value) if isinstance(value, tuple) else value
