"""A compound: several shapes that move as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.shapes.base import Part, Shape, read_only
from taut.spatial import IDENTITY, Array


@dataclass(frozen=True, eq=False)
class Compound(Shape):
    """Solid `parts`, each (shape, position) or (shape, position, orientation), in the body's own frame.

    `position` (3,) in m is that of the part's origin, `orientation` (4,) a unit quaternion. Parts share the mass by
    their volumes; where they overlap, that volume counts twice. Parts that are compounds are taken apart: `parts` then
    holds (shape, position, orientation) of shapes with no parts of their own.
    """

    parts: Any = field()

    def __post_init__(self) -> None:
        """Check the parts and take nested compounds apart."""
        given = self.parts
        if not isinstance(given, list | tuple) or not given:
            raise InputError(f"Compound: parts is {checks.shown(given)}; it must be a list of (shape, position) with "
                             "at least one entry")  # fmt: skip
        parts = [part for index, entry in enumerate(given) for part in flattened(f"Compound: parts[{index}]", entry)]
        object.__setattr__(self, "parts", tuple(parts))

    @property
    def volume(self) -> float:
        """Sum of the parts' volumes, m^3."""
        return sum(shape.volume for shape, _, _ in self.parts)

    @property
    def com(self) -> Array:
        """Mean (3,) of the parts' centres of mass, weighted by volume, m."""
        volumes = np.array([shape.volume for shape, _, _ in self.parts])
        return volumes @ np.array([centre_of(part) for part in self.parts]) / volumes.sum()

    @property
    def bounding_radius(self) -> float:
        """Radius of a ball around the origin that holds the balls around all parts, m."""
        return max(float(np.linalg.norm(position)) + shape.bounding_radius for shape, position, _ in self.parts)

    def inertia(self, mass: float) -> Array:
        """Parts turned and moved to `com` by the parallel-axis theorem, (3, 3) kg m^2."""
        com, volume, result = self.com, self.volume, np.zeros((3, 3))
        for part in self.parts:
            shape, _, orientation = part
            share = mass * shape.volume / volume
            rotation, arm = spatial.matrix(orientation), centre_of(part) - com
            result += rotation @ shape.inertia(share) @ rotation.T
            result += share * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return result


def centre_of(part: Part) -> Array:
    """Centre of mass (3,) of a part in the compound's frame, m."""
    shape, position, orientation = part
    return position + spatial.rotate(orientation, shape.com)


def flattened(owner: str, entry: Any) -> Iterator[Part]:
    """The parts of one entry as given, in the compound's frame."""
    if not isinstance(entry, list | tuple) or len(entry) not in (2, 3):
        wanted = "it must be (shape, position) or (shape, position, orientation)"
        raise InputError(f"{owner} is {checks.shown(entry)}; {wanted}")
    if not isinstance(entry[0], Shape) or not entry[0].solid:
        raise InputError(f"{owner}: shape is {checks.shown(entry[0])}; it must be a solid shape from taut.shapes")
    position = checks.vector(owner, "position", entry[1])
    orientation = checks.quaternion(owner, "orientation", entry[2] if len(entry) == 3 else IDENTITY)
    for shape, inner_position, inner_orientation in entry[0].parts:
        place = position + spatial.rotate(orientation, inner_position)
        turn = spatial.multiply(orientation, inner_orientation)
        yield shape, read_only(place), read_only(turn / np.linalg.norm(turn))
