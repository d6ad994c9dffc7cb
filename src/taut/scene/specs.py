"""What a scene holds of each body, joint, spring and plane, once it was checked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Container
from copy import copy
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

from taut.forces import Spring
from taut.joints.base import Joint
from taut.joints.softening import Softening
from taut.scene.looks import Colour, Piece
from taut.shapes import Plane, Shape
from taut.spatial import Array

Spec = TypeVar("Spec", "BodySpec", "LinkSpec")

DEFAULT_GROUP = "default"
"""Collision group of bodies that name none."""


@dataclass
class BodySpec:
    """A body as added: SI units, pose of its own frame in world axes, `com` in its own frame.

    `friction` is None where the scene's holds; rolling and torsional friction are in m (torque over normal force).
    `contact_stiffness` is in N/m where a primitive of its shape is pressed, infinite where only the scene's compliance
    counts.
    """

    name: str
    shape: Shape | None
    mass: float
    inertia: Array
    com: Array
    position: Array
    orientation: Array
    velocity: Array
    angular_velocity: Array
    fixed: bool
    linear_damping: float
    angular_damping: float
    friction: float | None = None
    restitution: float = 0.0
    rolling_friction: float = 0.0
    torsional_friction: float = 0.0
    contact_stiffness: float = math.inf
    contact_damping: float = 0.0
    collides: bool = True
    group: str = DEFAULT_GROUP
    visual: tuple[Piece, ...] | None = None
    """What it looks like; None = like its shape."""
    colour: Colour | None = None


@dataclass
class LinkSpec:
    """A joint or spring between two bodies (indices); `at` in world coordinates, compliance in m/N (0 = hard).

    Compliance and damping are those of all hard rows, or row by row, see `taut.joints.softening`.

    The two bodies touch each other only where `collide` is set.
    """

    name: str
    a: int
    b: int
    kind: Joint | Spring
    at: Array
    compliance: Softening = 0.0
    damping: Softening = 0.0
    collide: bool = False
    break_force: float = math.inf
    """N; and `break_torque` in N m, about the joint's point: what it bears. Above, it comes off."""
    break_torque: float = math.inf
    poses: dict[str, tuple[Array, Array]] | None = None
    """Position and orientation by name of the bodies it was joined to while running; None = the initial ones."""
    hand: bool = False
    """Whether it is the spring of a `Grab`, which is neither drawn nor recorded."""

    @property
    def called(self) -> str:
        """What users call it."""
        return "joint" if isinstance(self.kind, Joint) else "spring"

    @property
    def referred_to(self) -> list[str]:
        """Names of bodies that a joint refers to besides its own two."""
        return [str(name) for name in self.kind.refers_to()] if isinstance(self.kind, Joint) else []


@dataclass(frozen=True)
class GroundSpec:
    """A plane of the world as added; `friction` is None where the scene's holds."""

    plane: Plane
    friction: float | None = None
    restitution: float = 0.0


def copied(spec: Spec) -> Spec:
    """A copy with arrays of its own."""
    twin = copy(spec)
    for name, value in vars(spec).items():
        if isinstance(value, np.ndarray):
            setattr(twin, name, value.copy())
    return twin


class Directory:
    """First places of names in a list of specs that grows; made anew where the list shrank or is another one."""

    def __init__(self, field: str) -> None:
        """`field` of the specs is the name."""
        self._name = attrgetter(field)
        self._list: list[Any] = []
        self._places: dict[str, int] = {}
        self._count, self._last = 0, None

    def places(self, specs: list[Any]) -> dict[str, int]:
        """Name -> place of the first spec that has it, in the order of the list; only what is new is looked at."""
        known = self._count
        grown = specs is self._list and known <= len(specs) and (not known or specs[known - 1] is self._last)
        if not grown:
            self._list, self._places, known = specs, {}, 0
        for place, name in enumerate(map(self._name, specs[known:]), known):
            self.note(name, place)
        self._count, self._last = len(specs), specs[-1] if specs else None
        return self._places

    def note(self, name: str, place: int) -> None:
        """A spec of this name."""
        self._places.setdefault(name, place)


class Numbers(dict[str, int]):
    """The next number to try for names that have one, by their stems: the search goes on where the last one ended."""

    def next(self, stem: str, taken: Container[str], first: int) -> str:
        """The stem with the least number from `first` on that is not taken."""
        count = self.get(stem, first)
        if f"{stem}-{count - 1}" not in taken:
            count = first
        name = next(name for name in (f"{stem}-{number}" for number in itertools.count(count)) if name not in taken)
        self[stem] = int(name.rpartition("-")[2]) + 1
        return name
