"""How to eliminate bodies instead of rows: rows in groups, the order of bodies, and where blocks of their factor are.

Rows that give way, as contacts do, couple the velocities of their bodies and vanish; rows that do not, as those of
joints, stay as nodes of their own. What is left has a block of six for every body, however many contacts it has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.errors import InputError
from taut.structure.incidence import RowEntries
from taut.tables import Wholes


class BodyPlan(NamedTuple):
    """Groups of rows, and the factor of the bodies that they touch: a table for kernels.

    Positions of rows count them island by island; positions of nodes count bodies and groups of hard rows in the order
    of their elimination, island by island too. Column k of the factor has blocks below its diagonal block in the rows
    `below[below_start[k]:below_start[k + 1]]`, rising.

    Attributes:
        order: (rows,) the row at each position.
        island_start: (islands + 1,) positions of rows.
        node_start: (islands + 1,) positions of nodes.
        body: (nodes,) body of the node at each position, -1 for hard rows.
        group_start: (groups + 1,) positions of rows; the rows of a group touch the same moving bodies.
        island_group: (islands + 1,) groups of each island.
        member_start: (groups + 1,) ranges of `member`.
        member: positions of the bodies of each group.
        entry_start: (groups + 1,) first Jacobian block of each group; its rows have one for every member.
        source: (blocks of J,) which block of the problem's Jacobian each is.
        node: (groups,) position of the node of a group of hard rows, -1 for others.
        slot_start: (groups + 1,) ranges of `slot`.
        slot: blocks that a group is added to: of every pair of members, or of its node and each member.
        below_start, below: (nodes + 1,), (blocks,) rows of the blocks in each column.
        pair_start, target: (nodes + 1,), (pairs,) of each pair b, a > b of blocks in a column, the one that their
            product updates.
    """

    order: Wholes
    island_start: Wholes
    node_start: Wholes
    body: Wholes
    group_start: Wholes
    island_group: Wholes
    member_start: Wholes
    member: Wholes
    entry_start: Wholes
    source: Wholes
    node: Wholes
    slot_start: Wholes
    slot: Wholes
    below_start: Wholes
    below: Wholes
    pair_start: Wholes
    target: Wholes

    @property
    def nodes(self) -> int:
        """Number of bodies and groups of hard rows."""
        return self.body.size

    @property
    def islands(self) -> int:
        """Number of groups of rows that nothing couples."""
        return self.island_start.size - 1

    @property
    def flops(self) -> float:
        """Of a factorisation, about: 432 for every block that is updated."""
        count = np.diff(self.below_start)
        return 432.0 * float((0.5 * count * (count + 1) + 0.5 * count).sum() + count.size / 6)


def plan_bodies(entries: RowEntries) -> BodyPlan:
    """Plan the elimination of the bodies of some rows; those that are always there are hard, and nodes of their own.

    Cost:    O(blocks of J + sum over nodes of the pairs of their neighbours), a tenth of a factorisation
    """
    from taut.structure import body_plan_kernels as kernels
    from taut.structure.body_order_kernels import WORD, order_nodes

    rows, blocks, moves = entries.row_count, entries.entry_body.size, entries.moves
    (islands, label), start, touched = entries.islands, entries.entry_start, entries.entry_body
    hard = rows if entries.base is None else entries.base.row_count
    order, number, island_start = room(rows), room(moves.size), room(islands + 1)
    bodies = kernels.sort_rows(label, start, touched, moves, order, island_start, number)
    group_start, member_start, entry_start, node = np.empty((4, rows + 1), np.int64)
    member, source, group_of, island = room(blocks), room(blocks), room(hard), room(bodies + hard)
    island_group = room(islands + 1)
    groups = kernels.group_rows(
        order, label, hard, entries.owner, start, touched, number, bodies,
        group_start, member_start, member, entry_start, source, node, group_of, island, island_group,
    )  # fmt: skip
    if groups < 0:
        raise InputError(f"row {-1 - groups} touches a body twice; its two blocks must be added up")
    group_start, member_start, entry_start = (each[: groups + 1] for each in (group_start, member_start, entry_start))
    node = node[:groups]
    nodes = bodies + int(np.count_nonzero(node >= 0))
    bits, work = np.empty((nodes, -(-nodes // WORD)), np.int64), np.empty((7, nodes + 1), np.int64)
    eliminated, position = room(nodes), room(nodes)
    count = order_nodes(bodies, member_start, member, node, group_of, bits, work, eliminated, position)
    node_start, below_start, pair_start = room(islands + 1), room(nodes + 1), room(nodes + 1)
    below = room(count)
    pairs = kernels.lay_out(
        eliminated, position, island, islands, bits, work, node_start, below_start, below, pair_start
    )
    target, slot_start, slot = room(pairs), room(groups + 1), room(kernels.count_slots(member_start, node))
    kernels.find_targets(below_start, below, target)
    body = room(nodes)
    kernels.find_slots(member_start, member, node, position, below_start, below, number, body, slot_start, slot)
    return BodyPlan(
        order, island_start, node_start, body, group_start, island_group, member_start, member, entry_start, source,
        node, slot_start, slot, below_start, below, pair_start, target,
    )  # fmt: skip


def room(size: int) -> np.ndarray:
    """Room for so many whole numbers."""
    return np.empty(size, np.int64)
