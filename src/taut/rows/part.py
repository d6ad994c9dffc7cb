"""What a row part is: a measure of relative motion, evaluated densely here and by a kernel in its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from taut.spatial import Array

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
    whole_stiffness: ClassVar[bool] = False
    """Whether nothing of the part's geometric stiffness is left out, so that linearising again converges fast."""

    @property
    def bodies(self) -> tuple[int, ...]:
        """Body indices, each once, in the order of the Jacobian's blocks."""
        raise NotImplementedError

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Value q (rows,) and Jacobian (rows, len(bodies), 6) by twists, for the poses of `bodies`."""
        raise NotImplementedError


Members = Sequence[tuple[Any, int]]
"""Parts of one kind, each with its first row or slot."""


def pair_columns(members: Members, layout: RowLayout, fields: Sequence[str]) -> dict[str, Any]:
    """Columns of a table of two-body parts: bodies, first row and first Jacobian block, and what `fields` names.

    The blocks of A and B of a row are next to each other.
    """
    row = np.array([row for _, row in members], np.int64)
    return {
        **columns([part for part, _ in members], fields),
        "row": row,
        "entry": layout.entry_start[row],
    }


def columns(parts: Sequence[Any], fields: Sequence[str]) -> dict[str, Any]:
    """The two bodies of parts, and what `fields` names of them: numbers, or three each."""
    bodies = {name: np.array([getattr(part, name) for part in parts], np.int64) for name in ("body_a", "body_b")}
    numbers = {name: np.array([getattr(part, name) for part in parts], float) for name in fields}
    return bodies | {name: values if parts else EMPTY[name == "spread"] for name, values in numbers.items()}


EMPTY = (np.zeros((0, 3)), np.zeros(0))
"""Columns without parts: of vectors, of numbers."""


def point_rows(sign: float, arm: Array) -> Array:
    """Jacobian (3, 6) of sign * (x + r), the world position of a point with arm r from the centre of mass."""
    x, y, z = arm
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return sign * np.hstack([np.eye(3), -skew])
