"""The memory of a solve along trees, as compiled code takes it."""

from __future__ import annotations

from typing import NamedTuple

from taut.tables import Flags, RealBlocks, RealRows, Reals, Wholes


class TreeWork(NamedTuple):
    """Plan, factor and scratch of the elimination of bodies and primary rows, by its handle.

    Attributes:
        size, given: (nodes,) rows of each node, and of them given as a root of the inverse; see `BlockLdl`.
        sign: (nodes,) 1 for bodies, -1 for rows.
        below_start, below, target: the plan, see `EliminationPlan`.
        diagonal, block: (nodes, 6, 6), (blocks, 6, 6) the factor, see `BlockLdl`.
        body_position: (bodies,) node of each body, -1 for those that do not move.
        row_position, row_slot: (first rows,) node of each row and its place there; -1, and all rows after them, for
            auxiliary ones.
        entry_block, entry_slot, entry_across: (first blocks of J,) where each goes, see `PrimaryRows`.
        filled: blocks of the factor that no block of J goes to.
        softening: (first rows,) least compliance in the factor over the diagonal of A, see `PrimaryRows`.
        auxiliary: rows that are not eliminated.
        island: (rows,) group of each row.
        x, change, measure: (nodes, 6), (bodies, 6), (3, islands) scratch.
        limits: (4,) accuracy of a solution, and what `hides_violation` compares with.
    """

    size: Wholes
    given: Wholes
    sign: Reals
    below_start: Wholes
    below: Wholes
    target: Wholes
    diagonal: RealBlocks
    block: RealBlocks
    body_position: Wholes
    row_position: Wholes
    row_slot: Wholes
    entry_block: Wholes
    entry_slot: Wholes
    entry_across: Flags
    filled: Wholes
    softening: Reals
    auxiliary: Wholes
    island: Wholes
    x: RealRows
    change: RealRows
    measure: RealRows
    limits: Reals
