"""Compiled bookkeeping of a search for an index set: which labels rows want, when to stop, what is left to refine."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.solvers.island_kernels import island_scale, worst_violation
from taut.solvers.island_workspace import Search
from taut.tables import WholeRows

VIOLATION_TOLERANCE = 1e-12
"""Violation, relative to the island's scale, that is rounding and no reason to pivot: degenerate rows stay put."""
INCONSISTENT_ABOVE = 1e-10
"""Slack of a dependent free row, relative to the island's scale, that is no rounding."""
REFINE_ABOVE = 1e-13
"""Slack of a free row, relative to the problem, above which one step of iterative refinement is worth its cost."""
HIDDEN_ABOVE = 1e-6
"""Violation, relative to the data, that calls for another way to solve, however small it is beside lam~."""
FEW_CHANGES = 16
"""With no more rows to change than this a search is near its end and may take twice its pivots."""
STALL_WINDOW = 3
"""A search has stalled when more than FEW_CHANGES rows change and they did not halve in this many pivots."""
MANY_CHANGES = 64
"""A search in which more rows than this ask to change, and more than a pivot ago, has stalled at once."""
CROSSING_CHANGES = 48
"""A crossover that asks for more changes than this came too early; and a search that does will hardly end."""
HASTY, PATIENT, CROSSING, FIRM, WARY = 0, 1, 2, 3, 4
"""When a search ends unsolved: when it stalls; only at its limit; as soon as many rows ask to change; exactly at its
limit, however few rows still change; when it stalls or many rows ask to change, which is when what comes next costs
hardly more than a few pivots."""
HASH_PRIME = 2147483647


@kernel("int64(int64, int64, int64[::1])", inner=True)
def hash_index_set(begin, end, index_set):
    """62-bit hash of an island's index set."""
    a = 17
    b = 31
    for k in range(begin, end):
        a = (a * 1000003 + index_set[k] + 2) % HASH_PRIME
        b = (b * 69069 + index_set[k] + 2) % HASH_PRIME
    return a * HASH_PRIME + b


@kernel("int64(float64, float64, float64, float64, float64, int64, uint8)", inner=True)
def wanted_label(scale, lam, w, lower, upper, label, dependent):
    """Label that a row should have, given lam and w.                                          [Lefebvre2020, eq. 2.1]

    A free row out of its bounds goes to the bound it passed; a tight row whose slack has the wrong sign becomes free; a
    dependent free row that could not be brought to w = 0 goes to the bound its slack points at, if there is one.
    """
    tol = VIOLATION_TOLERANCE * scale
    if label == 0:
        if lam < lower - tol:
            return -1
        if lam > upper + tol:
            return 1
        if dependent == 1:
            if w > INCONSISTENT_ABOVE * scale and lower > -math.inf:
                return -1
            if w < -INCONSISTENT_ABOVE * scale and upper < math.inf:
                return 1
        return 0
    if lower == upper or label * w <= tol:
        return label
    return 0


@kernel(apart=True)
def update_index_set(begin: int, end: int, scale: float, single: int, search: Search) -> int:
    """Relabel all rows that ask for it, or with `single` only the last one.

    Writes:  index_set of the search
    Returns: rows that asked
    """
    lam, w, lower, upper = search.lam, search.w, search.lower, search.upper
    dependent, index_set_out = search.dependent, search.index_set
    changes = 0
    for k in range(end - 1, begin - 1, -1):
        label = wanted_label(scale, lam[k], w[k], lower[k], upper[k], index_set_out[k], dependent[k])
        if label != index_set_out[k]:
            changes += 1
            # labels of other rows do not matter to this one, so they may change on the way
            if changes == 1 or single == 0:
                index_set_out[k] = label
    return changes


@kernel(apart=True)
def is_stuck(begin: int, end: int, scale: float, search: Search) -> int:
    """Whether an index set that fits is still no answer.

    Either dependent free rows have a slack that stays although no label asks to change; or free rows may have run off
    along a direction that A hardly sees, and rounding of A lam spoils the rest. Multipliers may also have to be that
    large; another way to solve then finds none that are better.
    """
    bias, lam, w, index_set = search.bias, search.lam, search.w, search.index_set
    data = 0.0
    for k in range(begin, end):
        data = max(data, abs(bias[k]))
        if index_set[k] != 0:
            data = max(data, abs(lam[k]))
        elif not (abs(w[k]) <= INCONSISTENT_ABOVE * scale):
            return 1
    return 1 if worst_violation(begin, end, search) > HIDDEN_ABOVE * data else 0


@kernel(apart=True)
def has_repeated(begin: int, end: int, pivot: int, search: Search, seen_out: WholeRows) -> int:
    """Whether the index set was there before; remembers it as number `pivot`.

    Writes:  seen_out[0]
    """
    seen_out[0, pivot] = hash_index_set(begin, end, search.index_set)
    for k in range(pivot):
        if seen_out[0, k] == seen_out[0, pivot]:
            return 1
    return 0


@kernel()
def has_ended(pivot: int, limit: int, patience: int, seen: WholeRows) -> int:
    """Whether a search should end unsolved after this pivot, given the changes at each pivot in seen[1]."""
    changes = seen[1, pivot]
    if (patience == CROSSING or patience == WARY) and changes > CROSSING_CHANGES:
        return 1
    if pivot + 1 >= 2 * limit or (pivot + 1 >= limit and (changes > FEW_CHANGES or patience == FIRM)):
        return 1
    if (patience != HASTY and patience != WARY) or pivot == 0 or changes <= FEW_CHANGES:
        return 0
    if changes > seen[1, pivot - 1] and changes > MANY_CHANGES:
        return 1
    if pivot < STALL_WINDOW:
        return 0
    return 1 if 2 * changes > seen[1, pivot - STALL_WINDOW] else 0


@kernel(apart=True)
def put_on_bounds(begin: int, end: int, search: Search) -> None:
    """Tight rows to their bounds.

    Writes:  lam of the search
    """
    lower, upper, lam_out, index_set = search.lower, search.upper, search.lam, search.index_set
    for k in range(begin, end):
        # chosen, not branched to: labels are hard to foresee
        bound = lower[k] if index_set[k] < 0 else upper[k]
        lam_out[k] = lam_out[k] if index_set[k] == 0 else bound


@kernel("int64(int64, int64, float64, float64[::1])")
def shift_by(begin, end, proximity, shift_out):
    """The same shift for all rows of an island.

    Writes:  shift_out
    Returns: its length, or 0 for none
    """
    if proximity == 0.0:
        return 0
    for k in range(begin, end):
        shift_out[k] = proximity
    return shift_out.shape[0]


@kernel(apart=True)
def step_free_rows(begin: int, end: int, search: Search) -> None:
    """lam_F -= d_F.

    Writes:  lam of the search
    """
    lam_out, step, index_set = search.lam, search.step, search.index_set
    for k in range(begin, end):
        lam_out[k] -= step[k] if index_set[k] == 0 else 0.0


@kernel(apart=True)
def wants_refinement(begin: int, end: int, search: Search) -> int:
    """Whether free rows that depend on no others have a slack that one more solve can make smaller."""
    w, index_set, dependent = search.w, search.index_set, search.dependent
    worst = 0.0
    for k in range(begin, end):
        worst = max(worst, abs(w[k]) if (index_set[k] | dependent[k]) == 0 else 0.0)
    return 1 if not (worst <= REFINE_ABOVE * island_scale(begin, end, search)) else 0
