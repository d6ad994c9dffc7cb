"""What a row part is: a measure of relative motion, evaluated densely here and by a kernel in its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from taut.spatial import Array, Integers

if TYPE_CHECKING:
    from taut.rows.layout import RowLayout


@dataclass(frozen=True)
class Pose:
    """Where a body is: `position` (3,) of its centre of mass in m, `rotation` (3, 3) world-from-body."""

    position: Array
    rotation: Array


class Part:
    """One measure q(x) of `rows` numbers between `bodies`, geometry in body axes from the centre of mass.

    `evaluate` is the plain dense twin of the kernel of the part's table; a test compares the two and the Jacobian with
    finite differences.
    """

    rows: ClassVar[int] = 1
    companions: ClassVar[int] = 0
    """Extra soft rows that carry the part's geometric stiffness between two bodies."""
    balanced: ClassVar[bool] = True
    """Whether its forces balance wherever its two bodies are: it measures nothing but how they are to each other."""
    whole_stiffness: ClassVar[bool] = False
    """Whether nothing of the part's geometric stiffness is left out, so that linearising again converges fast."""

    @property
    def coordinates(self) -> tuple[Any, ...]:
        """Coordinates that its rows are made of, which a state keeps."""
        return ()

    @property
    def bodies(self) -> tuple[int, ...]:
        """Body indices, each once, in the order of the Jacobian's blocks."""
        raise NotImplementedError

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Value q (rows,) and Jacobian (rows, len(bodies), 6) by twists, for the poses of `bodies`."""
        raise NotImplementedError

    def renumbered(self, body: Integers) -> Part:
        """The same between bodies that have other numbers now, `body` (bodies before,)."""
        raise NotImplementedError


@dataclass(frozen=True)
class PairPart(Part):
    """A part between two bodies."""

    body_a: int
    body_b: int

    @property
    def bodies(self) -> tuple[int, int]:
        """The two bodies."""
        return self.body_a, self.body_b

    def renumbered(self, body: Integers) -> Self:
        """See `Part`."""
        return replace(self, body_a=int(body[self.body_a]), body_b=int(body[self.body_b]))


Members = Sequence[tuple[Any, int]]
"""Parts of one kind, each with its first row or slot."""


SHAPES = {"spread": (), "matrix_a": (9,), "matrix_b": (9,)}
"""Shapes of columns of tables that are no vectors of three numbers."""


def pack(table: Any, members: Members, layout: RowLayout | None = None) -> Any:
    """Two-body parts as a table: its columns are what parts have by these names, and their rows or slots.

    The Jacobian blocks of A and B of a row are next to each other; `entry` is the first.
    """
    if not members:
        return nobody(table)
    number = np.array([number for _, number in members], np.int64)
    places = {"slot": number}
    if layout is not None:
        start = layout.entry_start
        places = {"row": number, "entry": start[number], "companion_entry": start[layout.companion[number]]}

    def column(name: str) -> Any:
        values = [getattr(part, name) for part, _ in members]
        if name in ("body_a", "body_b"):
            return np.array(values, np.int64)
        return np.array(values, float).reshape(len(values), *SHAPES.get(name, (3,)))

    return table(**{name: places[name] if name in places else column(name) for name in table._fields})


@cache
def nobody(table: Any) -> Any:
    """A table of two-body parts without any."""
    numbers = ("body_a", "body_b", "row", "slot", "entry", "companion_entry")
    return table(**{
        name: np.zeros(0, np.int64) if name in numbers else np.zeros((0, *SHAPES.get(name, (3,))))
        for name in table._fields
    })  # fmt: skip


def point_rows(sign: float, arm: Array) -> Array:
    """Jacobian (3, 6) of sign * (x + r), the world position of a point with arm r from the centre of mass."""
    x, y, z = arm
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return sign * np.hstack([np.eye(3), -skew])
