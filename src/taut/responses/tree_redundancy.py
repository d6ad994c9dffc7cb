"""Redundant hard rows where trees are in joint coordinates: loops that say what the trees, or other loops, say already.

Asked of bodies that all weigh 1 kg, as in `redundancy.py`. What trees keep by themselves is never redundant; a row that
they leave is, if it hardly moves once trees and other rows hold.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.linalg.skyline import SkylineCholesky
from taut.problem.kkt import HARD_REGULARISATION, Kkt
from taut.responses.articulated import ReducedRows
from taut.responses.redundancy import REDUNDANT, alike, restricted
from taut.rows.table import Places
from taut.spatial import Array, Integers
from taut.structure.incidence import RowEntries
from taut.tables import held


class RedundantKeptRows:
    """The hard rows that trees leave to the solver; without any nothing is searched."""

    def __init__(
        self, reduced: ReducedRows, entries: RowEntries, hard: NDArray[np.bool_], mass: Array, inertia: Array
    ) -> None:
        """Look at `hard` rows (rows,) between bodies of these masses (n,) and moments of inertia (n, 9)."""
        kept = reduced.table.kept
        chosen = hard[kept]
        self.reduced, self.rows = reduced, kept[chosen]
        self.factor: SkylineCholesky | None = None
        if not self.rows.size:
            return
        pattern, self.source = restricted(reduced.pattern, chosen)
        self.factor = SkylineCholesky(pattern)
        self.diagonal = np.flatnonzero(pattern.indices == np.repeat(np.arange(pattern.size), np.diff(pattern.indptr)))
        self.moment = alike(mass, inertia)
        count, rows, blocks = mass.size, entries.row_count, entries.entry_body.size
        turning = np.zeros((count, 9))
        turning[:, [0, 4, 8]] = self.moment[:, None]
        nothing = np.zeros(rows)
        self.blocks = Kkt(
            entry_start=entries.entry_start, entry_row=entries.entry_row, entry_body=entries.entry_body,
            inverse_mass=np.ones(count), inverse_inertia=np.zeros((count, 9)), turning=turning,
            jacobian=np.zeros((blocks, 6)), response=np.zeros((blocks, 6)), compliance=nothing, bias=nothing,
            lower=nothing, upper=nothing, diagonal=np.zeros(rows),
        )  # fmt: skip
        self.handle, self.places = held(self.blocks), Places.empty(count)
        self.table = held(reduced.table._replace(places=self.places))
        self.moves = entries.moves[entries.entry_body]

    def find(self, jacobian: Array, places: Places) -> Integers:
        """Redundant rows (indices) for these blocks (entries, 6) of J, with bodies at these places."""
        from taut.responses.articulated_kernels import respond_alone

        if self.factor is None:
            return np.zeros(0, np.int64)
        blocks = self.blocks
        for mine, given in zip(self.places, places, strict=True):
            mine[:] = given
        blocks.jacobian[:] = jacobian
        blocks.response[:] = jacobian * self.moves[:, None]
        blocks.response[:, 3:] /= self.moment[blocks.entry_body][:, None]
        respond_alone(self.handle, self.table)
        values = self.reduced.table.values[self.source]
        felt = np.einsum("ei,ei->e", blocks.jacobian, blocks.response)
        own = np.bincount(blocks.entry_row, felt, blocks.bias.size)[self.rows]
        values[self.diagonal] += HARD_REGULARISATION * own
        return np.asarray(self.rows[self.factor.dependent_rows(values, REDUNDANT, own)])
