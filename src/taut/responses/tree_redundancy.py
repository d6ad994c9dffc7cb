"""Redundant hard rows where trees are in joint coordinates: loops that say what the trees, or other loops, say already.

Asked of bodies that all weigh 1 kg, as in `redundancy.py`. What trees keep by themselves is never redundant; a row that
they leave is, if it hardly moves once trees and other rows hold.
"""

from __future__ import annotations

import importlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.linalg.skyline import SkylineCholesky
from taut.problem.kkt import Kkt
from taut.responses.articulated import ReducedRows
from taut.responses.redundancy import REDUNDANT, alike, restricted
from taut.rows.table import Places
from taut.spatial import Array, Integers
from taut.structure.incidence import RowEntries
from taut.tables import Reals, Wholes, held


class AloneRows(NamedTuple):
    """Hard rows that trees leave, between bodies that all weigh 1 kg.

    Attributes:
        blocks: their KKT problem.
        light, turns: (n,) inverse mass and moment of inertia of bodies.
        place: (m,) where these rows are among all that are kept.
        source, values: their A: entries of the whole one, and their values.
        own: (m,) what rows feel of their own bodies, joints or not.
    """

    blocks: Kkt
    light: Reals
    turns: Reals
    place: Wholes
    source: Wholes
    values: Reals
    own: Reals


class RedundantKeptRows:
    """The hard rows that trees leave to the solver; without any nothing is searched."""

    def __init__(
        self, reduced: ReducedRows, entries: RowEntries, hard: NDArray[np.bool_], mass: Array, inertia: Array
    ) -> None:
        """Look at `hard` rows (rows,) between bodies of these masses (n,) and moments of inertia (n, 9)."""
        chosen = hard[reduced.table.kept]
        self.rows = reduced.table.kept[chosen]
        self.factor: SkylineCholesky | None = None
        if not self.rows.size:
            return
        pattern, source = restricted(reduced.pattern, chosen)
        self.factor = SkylineCholesky(pattern)
        moment, light = alike(mass, inertia), np.array(entries.moves, float)
        self.alone = AloneRows(
            blocks=blocks_alone(entries, moment), light=light, turns=light / moment, place=np.flatnonzero(chosen),
            source=source, values=np.zeros(source.size), own=np.zeros(self.rows.size),
        )  # fmt: skip
        self.places = Places.empty(mass.size)
        self.tables = held(self.alone), held(reduced.table._replace(places=self.places))

    def load(self) -> None:
        """Load the kernels now, where there is something to search."""
        if self.factor is not None:
            for module in ("responses.tree_redundancy_kernels", "linalg.skyline_kernels"):
                importlib.import_module(f"taut.{module}")

    def find(self, jacobian: Array, places: Places) -> Integers:
        """Redundant rows (indices) for these blocks (entries, 6) of J, with bodies at these places."""
        from taut.responses.tree_redundancy_kernels import respond_alone

        if self.factor is None:
            return np.zeros(0, np.int64)
        for mine, given in zip(self.places, places, strict=True):
            mine[:] = given
        respond_alone(*self.tables, jacobian)
        return np.asarray(self.rows[self.factor.dependent_rows(self.alone.values, REDUNDANT, self.alone.own)])


def blocks_alone(entries: RowEntries, moment: Array) -> Kkt:
    """Room for a KKT problem of bodies of 1 kg with these moments of inertia (n,)."""
    count, rows, blocks = moment.size, entries.row_count, entries.entry_body.size
    turning = np.zeros((count, 9))
    turning[:, [0, 4, 8]] = moment[:, None]
    nothing = np.zeros(rows)
    return Kkt(
        entry_start=entries.entry_start, entry_row=entries.entry_row, entry_body=entries.entry_body,
        inverse_mass=np.ones(count), inverse_inertia=np.zeros((count, 9)), turning=turning,
        jacobian=np.zeros((blocks, 6)), response=np.zeros((blocks, 6)), compliance=nothing, bias=nothing,
        lower=nothing, upper=nothing, diagonal=np.zeros(rows),
    )  # fmt: skip
