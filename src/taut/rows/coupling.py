"""Rows that combine joint coordinates: one of them (slider, motor, limit), or several (gear, screw, differential)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from taut.rows.coordinate import Coordinate
from taut.rows.part import Members, Part, Pose
from taut.spatial import Array, Integers
from taut.tables import Reals, Wholes

if TYPE_CHECKING:
    from taut.rows.layout import RowLayout


@dataclass(frozen=True)
class CouplingPart(Part):
    """q = sum of factor_i q_i over joint coordinates of any bodies, one row."""

    terms: tuple[tuple[Coordinate, float], ...]

    @property
    def bodies(self) -> tuple[int, ...]:
        """Every body of every coordinate, once."""
        return tuple(dict.fromkeys(body for coordinate, _ in self.terms for body in coordinate.bodies))

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """Those of its terms."""
        return tuple(coordinate for coordinate, _ in self.terms)

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

    def renumbered(self, body: Integers) -> CouplingPart:
        """See `Part`."""
        return CouplingPart(tuple((coordinate.renumbered(body), factor) for coordinate, factor in self.terms))


def single(coordinate: Coordinate) -> CouplingPart:
    """The row that measures one coordinate."""
    return CouplingPart(((coordinate, 1.0),))


class Couplings(NamedTuple):
    """All `CouplingPart`s of a model, term by term: its row, coordinate and factor, and the Jacobian blocks it adds to.

    Shapes: (terms,), sorted by row; row (coupling rows,), entry_start (rows + 1,) of the layout.
    """

    term_row: Wholes
    term_slot: Wholes
    factor: Reals
    block_a: Wholes
    block_b: Wholes
    row: Wholes
    entry_start: Wholes

    @classmethod
    def of(cls, members: Members, layout: RowLayout) -> Couplings:
        """Pack the parts, each with its row; equal coordinates share one slot."""

        def block(part: CouplingPart, row: int, body: int) -> int:
            return int(layout.entry_start[row]) + part.bodies.index(body)

        terms = [
            (row, layout.slots[coordinate], *(block(part, row, body) for body in coordinate.bodies), factor)
            for part, row in members
            for coordinate, factor in part.terms
        ]
        row, slot, block_a, block_b = (np.array([term[column] for term in terms], np.int64) for column in range(4))
        return cls(
            term_row=row,
            term_slot=slot,
            factor=np.array([term[4] for term in terms], float),
            block_a=block_a,
            block_b=block_b,
            row=np.array([row for _, row in members], np.int64),
            entry_start=layout.entry_start,
        )
