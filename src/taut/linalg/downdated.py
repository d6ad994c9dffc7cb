"""Cholesky factor of all rows that tight rows are taken out of, instead of a new factor at every pivot."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.linalg.skyline import INVERSE, SkylineFactor
from taut.structure.symbolic import PANEL_SLACK, SymbolicStructure
from taut.tables import RealRows, Reals, WholeRows, Wholes, held

FROM_FIRST, INCREMENTAL, CHEAPEST, ANEW = 0, 1, 2, 3
"""Policies: take all tight rows out of the first factor, as the thesis does; take out and put back the rows that
changed since the last factor; at each pivot whichever of these or a new factor costs least, see
`downdated_cost_kernels`; always a new factor."""

FIRST_INVERSE, SOLUTION = 2, 3
"""Rows of `DowndatedFactor.real` after DIAGONAL and INVERSE: 1 / L_jj of the first factor, a vector."""

BEGIN, END, PANELS, USABLE, HOLDS, IN_USE, EXCHANGED, WHOLE = 0, 1, 2, 3, 4, 5, 6, 7
"""Numbers in `DowndatedFactor.state`: the part that is laid out in panels and how many these are; whether its first
factor has neither dependent rows nor failed, or NOT_MADE; whether `storage` holds a factor; whether solves use it, or
else `plain`; how many rows left it or came back since it was copied."""
STATE_SIZE = 8
NOT_MADE = -1
"""The first factor of a part has not been asked for yet."""

FIRSTS, COPIES, SWEEPS, DELETED, INSERTED, REFACTORED, DOUBTFUL, FAILED = 0, 1, 2, 3, 4, 5, 6, 7
"""Numbers in `DowndatedFactor.counts`, from the first problem on: first factors, copies of them, passes over the
panels, rows taken out and put back, new factors of the free rows; how often the estimate of the error was too large,
and how often a row that came back depends on others."""
COUNTS_SIZE = 8
ERROR, GROWTH, FIRST_GROWTH, MISSED = 0, 1, 2, 3
"""Numbers in `DowndatedFactor.estimate`: of the relative error of the factor; how much the inverse of its rows
enlarges, as far as it had to be known, and that of all rows, see `inverse_growth`; what a first factor would have saved
in this part, had there been one, see `choose_way`."""


class DowndatedFactor(NamedTuple):
    """A `Factor` of all rows of a part, which tight rows are taken out of: a table for kernels. [Lefebvre2020, ch. 2]

    Its methods are in `downdated_factor_kernels`. The free rows are factored anew, by `plain`, where the first factor
    has dependent rows, which might not be so without the tight ones; with a shift; and where the error of the factor
    could be too large.

    Attributes:
        symbolic: Order and lower triangle of the pattern.
        plain: The matrix, and factors of the free rows alone.
        first_column: (n,) first column of each row in the envelope: of its entries, or of its island.
        numbers: (4, n + 16) workspace of `skyline_gather`.
        layout: (5, n // 4 + 3) panels of all rows of the part, see `skyline_kernels`.
        entries: (storage,) the matrix in the panels; (0,) if no row ever comes back.
        first: (storage,) the first factor, of all rows of the part.
        storage: (storage,) the factor.
        real: (4, n + 16), see FIRST_INVERSE.
        vectors: (LANES, n + 16) workspace of `skyline_exchange`.
        rows: (2, n) rows of the part that are tight; rows that change.
        state: (STATE_SIZE,), see BEGIN.
        counts: (COUNTS_SIZE,), see FIRSTS.
        estimate: (4,), see ERROR.
        policy: See FROM_FIRST.
    """

    symbolic: SymbolicStructure
    plain: SkylineFactor
    first_column: Wholes
    numbers: WholeRows
    layout: WholeRows
    entries: Reals
    first: Reals
    storage: Reals
    real: RealRows
    vectors: RealRows
    rows: WholeRows
    state: Wholes
    counts: Wholes
    estimate: Reals
    policy: int

    @classmethod
    def of(
        cls,
        symbolic: SymbolicStructure,
        policy: int = FROM_FIRST,
        dense: bool = False,
        plain: SkylineFactor | None = None,
    ) -> DowndatedFactor:
        """Room for the factors of a pattern, in its envelope or in full triangles; with `plain`, of its matrix."""
        from taut.linalg.skyline_update_kernels import LANES

        size = symbolic.size
        heads = island_heads(symbolic) if dense else row_heads(symbolic)
        storage = triangle_storage(symbolic) if dense else symbolic.storage_size
        storage = 0 if policy == ANEW else storage
        return cls(
            symbolic=symbolic,
            plain=SkylineFactor.of(symbolic) if plain is None else plain,
            first_column=heads,
            numbers=np.zeros((4, size + 16), np.int64),
            layout=np.zeros((5, size // 4 + 3), np.int64),
            entries=np.empty(0 if policy == FROM_FIRST else storage),
            first=np.empty(storage),
            storage=np.empty(storage),
            real=np.zeros((4, size + 16)),
            vectors=np.zeros((LANES, size + 16)),
            rows=np.zeros((2, size), np.int64),
            state=np.zeros(STATE_SIZE, np.int64),
            counts=np.zeros(COUNTS_SIZE, np.int64),
            estimate=np.zeros(4),
            policy=policy,
        )

    def load(self, values: np.ndarray, scale: np.ndarray) -> int:
        """Take a matrix; see `Factor.load`."""
        from taut.linalg import downdated_factor_kernels as kernels

        return kernels.load(held(self), values, scale)

    def multiply(self, begin: int, end: int, lam: np.ndarray, bias: np.ndarray, w_out: np.ndarray) -> None:
        """w = A~ lam + b on a part; see `Factor.multiply`."""
        self.plain.multiply(begin, end, lam, bias, w_out)

    def factorise(
        self, begin: int, end: int, index_set: np.ndarray, shift: np.ndarray, dependent_out: np.ndarray
    ) -> int:
        """Factor the free rows of a part; see `Factor.factorise`."""
        from taut.linalg import downdated_factor_kernels as kernels

        return kernels.factorise(held(self), begin, end, index_set, shift, dependent_out)

    def solve(self, rhs: np.ndarray, x_out: np.ndarray) -> None:
        """Solve with the last factor; see `Factor.solve`."""
        from taut.linalg import downdated_factor_kernels as kernels

        kernels.solve(held(self), rhs, x_out)

    def triangle(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the free rows, and the dense L of the last factor, L L' = A~_FF."""
        if not self.state[IN_USE]:
            plain = self.plain
            lower = dense_lower(plain.layout, int(plain.panels[0]), plain.storage, plain.real[INVERSE])
            return plain.numbers[1][: lower.shape[0]].copy(), lower
        lower = dense_lower(self.layout, int(self.state[PANELS]), self.storage, self.real[INVERSE])
        free = np.flatnonzero(self.real[INVERSE][: lower.shape[0]])
        return self.state[BEGIN] + free, lower[np.ix_(free, free)]


def row_heads(symbolic: SymbolicStructure) -> np.ndarray:
    """First column (n,) of each row of a lower triangle."""
    if symbolic.size == 0:
        return np.zeros(0, np.int64)
    return np.minimum.reduceat(symbolic.lower_column, symbolic.lower_start[:-1])


def island_heads(symbolic: SymbolicStructure) -> np.ndarray:
    """First row (n,) of each row's island."""
    return np.repeat(symbolic.island_start[:-1], np.diff(symbolic.island_start))


def triangle_storage(symbolic: SymbolicStructure) -> int:
    """Storage of panels that hold the full triangle of any island."""
    largest = int(np.diff(symbolic.island_start).max(initial=0))
    return largest * (largest + 1) // 2 + PANEL_SLACK * (largest + 16)


def dense_lower(layout: np.ndarray, panels: int, storage: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """Dense L of panels; rows that take no part have a zero column."""
    size = int(layout[0, panels])
    lower = np.zeros((size, size))
    for start, offset, height, _, width in layout[:, :panels].T.tolist():
        block = storage[offset : offset + height * width].reshape(width, height).T
        rows, columns = min(height, size - start), min(width, size - start)
        lower[start : start + rows, start : start + columns] = np.tril(block[:rows, :columns], -1)
    taking_part = np.flatnonzero(inverse[:size])
    lower[taking_part, taking_part] = 1.0 / inverse[taking_part]
    return lower
