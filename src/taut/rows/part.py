"""What a row part is: a measure of relative motion, evaluated densely here and by kernels in its pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from taut.spatial import Array


@dataclass(frozen=True)
class Pose:
    """Where a body is: `position` (3,) of its centre of mass in m, `rotation` (3, 3) world-from-body."""

    position: Array
    rotation: Array


class Part:
    """One measure q(x) of `rows` numbers between `bodies`, geometry in body axes from the centre of mass.

    `evaluate` is the plain dense twin of the kernel in the part's pool; a test compares the two and the Jacobian with
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

    @classmethod
    def pool(cls, members: Sequence[tuple[Any, int]], layout: Any) -> Any:
        """Pack the parts of this kind, each with its first row, into arrays that a kernel evaluates at once."""
        raise NotImplementedError


class Pool(Protocol):
    """All parts of one kind in a model."""

    def evaluate(self, position: Array, rotation: Array, work: Any) -> None:
        """Write q, J and geometric stiffness of every part at this configuration into the row container."""


class PairPool:
    """Arrays of all two-body parts of one kind: bodies, rows, Jacobian blocks, and the fields a subclass names."""

    fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, members: Sequence[tuple[Any, int]], layout: Any) -> None:
        """Pack (part, first row) pairs; each row has its blocks of A and B next to each other."""
        parts = [part for part, _ in members]
        self.body_a = np.array([part.body_a for part in parts], np.int64)
        self.body_b = np.array([part.body_b for part in parts], np.int64)
        self.row = np.array([row for _, row in members], np.int64)
        self.entry = layout.entry_start[self.row]
        for name in self.fields:
            setattr(self, name, np.array([getattr(part, name) for part in parts], float))


def point_rows(sign: float, arm: Array) -> Array:
    """Jacobian (3, 6) of sign * (x + r), the world position of a point with arm r from the centre of mass."""
    x, y, z = arm
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return sign * np.hstack([np.eye(3), -skew])
