"""Redundant hard rows: found at the start of every frame of a mechanism with loops, and kept from stressing it.

Two hinges on one door ask twice for the same thing. Where they agree only to rounding, or to the accuracy that drawings
have, rigid rows would answer the difference with any force at all, because no motion can close it: self-stress of
millions of newtons that turns with the bodies and feeds energy in. Such a row hardly moves once the others hold,

    A_ii after elimination  <=  REDUNDANT * A_ii      (a Cholesky pivot; REDUNDANT is an angle of 3e-5 rad, squared)

which is asked of bodies that all weigh 1 kg and turn alike about all axes: whether rows say the same is a matter of
where they are, not of masses that may differ by 1e9. It is given the compliance A_ii: it may give way, so it cannot
build up stress against the others. Its misfit stays and is reported as violation; it is no error of the step, since
nothing could close it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.linalg.skyline import SkylineCholesky
from taut.rows.table import Places
from taut.spatial import Array, Integers
from taut.structure.incidence import RowEntries
from taut.structure.loops import has_loops
from taut.structure.pattern import Pattern

REDUNDANT = 1e-9
"""Pivot over diagonal below which a hard row is redundant."""

WELD = 6
"""Hard rows of a joint that leaves no freedom."""


class RedundantRows:
    """The hard rows of a mechanism's loops; trees have none and cost nothing.

    Rows that can give way cannot stress. They are left out of the search, so what is found depends on where bodies are
    and on nothing else: companion rows, which follow the forces of a step, take no part.
    """

    def __init__(self, entries: RowEntries, hard: NDArray[np.bool_], mass: Array, inertia: Array) -> None:
        """Look for loops of `hard` rows (rows,) between bodies of these masses (n,) and moments of inertia (n, 9)."""
        self.entries = entries
        self.factor = self.prepare(hard, alike(mass, inertia)) if has_loops(entries, hard) else None

    def prepare(self, hard: NDArray[np.bool_], moment: Array) -> SkylineCholesky:
        """The factor that is asked for dependent rows, of bodies with these moments of inertia (n,)."""
        self.rows, self.moment = np.flatnonzero(hard), moment
        pattern, self.source = restricted(self.entries.incidence.pattern, hard)
        return SkylineCholesky(pattern)

    def find(self, jacobian: Array, places: Places) -> Integers:
        """Rows (indices) that hard rows before them make redundant, for these blocks (entries, 6) of J."""
        from taut.problem.kkt_kernels import multiply_blocks

        if self.factor is None:
            return np.zeros(0, np.int64)
        entries, incidence = self.entries, self.entries.incidence
        response = jacobian * entries.moves[entries.entry_body][:, None]
        response[:, 3:] /= self.moment[entries.entry_body][:, None]
        values = np.zeros(incidence.pattern.entry_count)
        multiply_blocks(
            incidence.body_start, incidence.entry, incidence.target, incidence.mirror, incidence.diagonal,
            jacobian, response, np.zeros(entries.row_count), values,
        )  # fmt: skip
        return np.asarray(self.rows[self.factor.dependent_rows(values[self.source], REDUNDANT)])


def idle_limits(entries: RowEntries, hard: NDArray[np.bool_], limits: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Flags (rows,) of `limits` between bodies that joints without freedom hold together, everything fixed being one.

    Nothing opens or closes them, so they hold nothing either: a rope that was taut when its ends were welded together.
    `hard` (rows,) are rows that hold; motors, which move what they hold, are not among them.
    """
    from taut.structure.union_kernels import merge_groups

    if not limits.any():
        return np.zeros(limits.size, np.uint8)
    count = entries.moves.size
    body = np.where(entries.moves > 0, np.arange(count), 0)[entries.entry_body]
    sizes = np.bincount(entries.owner[hard], minlength=int(entries.owner.max(initial=0)) + 1)
    welds = hard & (sizes[entries.owner] >= WELD)
    one = np.arange(count)
    merge_groups(*ends_of_rows(entries, body), welds.astype(np.uint8), one)
    low, high = ends_of_rows(entries, one[body])
    return np.asarray(limits & (low == high), np.uint8)


def ends_of_rows(entries: RowEntries, number: Integers) -> tuple[Integers, Integers]:
    """Least and greatest number (rows,) of a row's blocks, which have these (entries,)."""
    low, high = np.full(entries.row_count, entries.moves.size - 1), np.zeros(entries.row_count, np.int64)
    np.minimum.at(low, entries.entry_row, number)
    np.maximum.at(high, entries.entry_row, number)
    return low, high


def alike(mass: Array, inertia: Array) -> Array:
    """Moments of inertia (n,) of bodies of 1 kg of the same size that turn alike about all axes, kg m^2.

    Shapes: mass (n,) kg, inertia (n, 9) kg m^2; those without any do not turn.
    """
    moment = inertia[:, [0, 4, 8]].mean(axis=1) / np.where(mass > 0.0, mass, 1.0)
    return np.where(moment > 0.0, moment, np.inf)


def restricted(pattern: Pattern, chosen: NDArray[np.bool_]) -> tuple[Pattern, Integers]:
    """Pattern of the chosen rows and columns (rows,) alone, and which entries of the whole it has."""
    row = np.repeat(np.arange(pattern.size), np.diff(pattern.indptr))
    source = np.flatnonzero(chosen[row] & chosen[pattern.indices])
    number = np.cumsum(chosen) - 1
    indptr = np.searchsorted(number[row[source]], np.arange(np.count_nonzero(chosen) + 1))
    return Pattern(indptr.astype(np.int64), number[pattern.indices[source]].astype(np.int64)), source
