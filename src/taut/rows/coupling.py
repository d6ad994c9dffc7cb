"""Rows that combine joint coordinates: one of them (slider, motor, limit), or several (gear, screw, differential)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.rows.coordinate import COORDINATE_POOLS, Coordinate
from taut.rows.part import Part, Pose
from taut.spatial import Array


@dataclass(frozen=True)
class CouplingPart(Part):
    """q = sum of factor_i q_i over joint coordinates of any bodies, one row."""

    terms: tuple[tuple[Coordinate, float], ...]

    @property
    def bodies(self) -> tuple[int, ...]:
        """Every body of every coordinate, once."""
        return tuple(dict.fromkeys(body for coordinate, _ in self.terms for body in coordinate.bodies))

    def evaluate(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        """Combined value (1,) and Jacobian (1, len(bodies), 6)."""
        place = {body: index for index, body in enumerate(self.bodies)}
        value, jacobian = np.zeros(1), np.zeros((1, len(place), 6))
        for coordinate, factor in self.terms:
            part, blocks = coordinate.evaluate([poses[place[body]] for body in coordinate.bodies])
            value += factor * part
            for index, body in enumerate(coordinate.bodies):
                jacobian[0, place[body]] += factor * blocks[0, index]
        return value, jacobian

    @classmethod
    def pool(cls, members: Sequence[tuple[Any, int]], layout: Any) -> CouplingPool:
        """Arrays of all coupling rows of a model."""
        return CouplingPool(members, layout)


def single(coordinate: Coordinate) -> CouplingPart:
    """The row that measures one coordinate."""
    return CouplingPart(((coordinate, 1.0),))


class CouplingPool:
    """All `CouplingPart`s of a model, with the coordinates they use."""

    def __init__(self, members: Sequence[tuple[CouplingPart, int]], layout: Any) -> None:
        """Pack (part, row) pairs; equal coordinates share one slot."""
        slots: dict[Coordinate, int] = layout.coordinates
        terms = [
            (row, slots[coordinate], factor, *(self.block(part, row, body, layout) for body in coordinate.bodies))
            for part, row in members
            for coordinate, factor in part.terms
        ]
        self.term_row, self.term_slot, self.block_a, self.block_b = (
            np.array([term[column] for term in terms], np.int64) for column in (0, 1, 3, 4)
        )
        self.factor = np.array([term[2] for term in terms], float)
        self.row = np.array([row for _, row in members], np.int64)
        self.entry_start = layout.entry_start
        self.pools = [
            pool_kind([(coordinate, slot) for coordinate, slot in slots.items() if type(coordinate) is kind])
            for kind, pool_kind in COORDINATE_POOLS.items()
            if any(type(coordinate) is kind for coordinate in slots)
        ]

    @staticmethod
    def block(part: CouplingPart, row: int, body: int, layout: Any) -> int:
        """Index of the Jacobian block of `body` in `row`."""
        return int(layout.entry_start[row]) + part.bodies.index(body)

    def evaluate(self, position: Array, rotation: Array, work: Any) -> None:
        """Evaluate the coordinates once, then combine them into rows."""
        from taut.rows.coordinate_kernels import combine, spread_force

        spread_force(self.term_row, self.term_slot, self.factor, work.force, work.coordinate_force)
        for pool in self.pools:
            pool.evaluate(position, rotation, work)
        combine(
            self.term_row, self.term_slot, self.factor, self.block_a, self.block_b, self.row, self.entry_start,
            work.coordinate, work.coordinate_jacobian, work.value, work.jacobian,
        )  # fmt: skip
