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

import importlib

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

    def load(self) -> None:
        """Load the kernels now, where there are loops."""
        if self.factor is not None:
            for module in ("problem.kkt_kernels", "linalg.skyline_kernels"):
                importlib.import_module(f"taut.{module}")

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


def idle_limits(one: Integers, entries: RowEntries, limits: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Flags (rows,) of `limits` between bodies that joints hold together as `one` (n,), see `welded`.

    Nothing opens or closes them, so they hold nothing either: a rope that was taut when its ends were welded together.
    """
    low, high = ends_of_rows(entries, one[entries.entry_body])
    return np.asarray(limits & (low == high), np.uint8)


def welded(entries: RowEntries, hard: NDArray[np.bool_]) -> Integers:
    """The lowest of the bodies (n,) that joints without freedom hold together, everything fixed being one.

    `hard` (rows,) are rows that hold; motors, which move what they hold, are not among them.
    """
    from taut.structure.union_kernels import merge_groups

    body = np.where(entries.moves > 0, np.arange(entries.moves.size), 0)[entries.entry_body]
    sizes = np.bincount(entries.owner[hard], minlength=int(entries.owner.max(initial=0)) + 1)
    welds = hard & (sizes[entries.owner] >= WELD)
    one = np.arange(entries.moves.size)
    merge_groups(*ends_of_rows(entries, body), welds.astype(np.uint8), one)
    return np.where(entries.moves > 0, one, 0)


def welded_together(
    one: Integers, entries: RowEntries, hard: NDArray[np.bool_], jacobian: Array, position: Array, moment: Array
) -> Integers:
    """The same where several joints between two of these take all freedom together, such as two crossed hinges.

    The rows between two bodies, as wrenches on one of them, then have the rank 6. What cannot move stays so: this is
    asked of one place of the bodies, and true of all. Not so of more bodies in a loop, which may be held where they are
    and move elsewhere.

    Shapes: one (n,), jacobian (entries, 6), position (n, 3) centres of mass, moment (n,) as `alike` gives it.
    """
    one, count = one.copy(), one.size
    while True:
        number = one[entries.entry_body]
        low, high = ends_of_rows(entries, number)
        between = (number == low[entries.entry_row]) | (number == high[entries.entry_row])
        rows = hard & (low != high)
        rows[entries.entry_row[~between]] = False
        pairs, many = np.unique((low * count + high)[rows], return_counts=True)
        found = False
        for pair in pairs[many >= WELD]:
            first, second = divmod(int(pair), count)
            own = (number == second) & (rows & (low == first) & (high == second))[entries.entry_row]
            if np.any(one == second) and rank_of(entries, own, jacobian, position, moment) == WELD:
                one[one == second], found = first, True
        if not found:
            return one


def rank_of(entries: RowEntries, own: NDArray[np.bool_], jacobian: Array, position: Array, moment: Array) -> int:
    """Rank of rows as wrenches on bodies that are one, with these blocks (entries,) of J.

    Moments are about the first of these bodies, over the radius of gyration that it would have with 1 kg.
    """
    body = entries.entry_body[own]
    force, lever = jacobian[own, :3], position[body] - position[body[0]]
    radius = np.sqrt(moment[body[0]])
    wrench = np.hstack([force, (jacobian[own, 3:] + np.cross(lever, force)) / radius])
    row, place = np.unique(entries.entry_row[own], return_inverse=True)
    total = np.zeros((row.size, 6))
    np.add.at(total, place, wrench)
    size = np.linalg.svd(total, compute_uv=False)
    return int(np.count_nonzero(size**2 > REDUNDANT * size[0] ** 2))


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
