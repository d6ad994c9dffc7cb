"""Kernels of `body_plan.py`: rows in groups, and where the blocks of a factor of their bodies are."""

from __future__ import annotations

from taut.kernel import kernel
from taut.structure.body_order_kernels import list_bits
from taut.tables import Flags, WholeRows, Wholes

SOFT_ROWS, HARD_ROWS = 3, 6
"""Most rows of a group: the three of a contact are added up in one go; a node has six."""


@kernel()
def sort_rows(
    label: Wholes, entry_start: Wholes, entry_body: Wholes, moves: Flags,
    # out
    order_out: Wholes, island_start_out: Wholes, number_out: Wholes,
) -> int:  # fmt: skip
    """Rows island by island, and numbers of the moving bodies that rows touch, in the order of these rows.

    Shapes:  label, order_out (rows,); island_start_out (islands + 1,); number_out (bodies,) -1 for all others
    Returns: how many bodies have numbers
    """
    islands = island_start_out.shape[0] - 1
    for i in range(islands + 1):
        island_start_out[i] = 0
    for row in range(label.shape[0]):
        island_start_out[label[row] + 1] += 1
    for i in range(islands):
        island_start_out[i + 1] += island_start_out[i]
    for row in range(label.shape[0]):
        order_out[island_start_out[label[row]]] = row
        island_start_out[label[row]] += 1
    for i in range(islands, 0, -1):
        island_start_out[i] = island_start_out[i - 1]
    island_start_out[0] = 0
    for body in range(moves.shape[0]):
        number_out[body] = -1
    count = 0
    for row in order_out:
        for e in range(entry_start[row], entry_start[row + 1]):
            body = entry_body[e]
            if moves[body] != 0 and number_out[body] < 0:
                number_out[body] = count
                count += 1
    return count


@kernel(inner=True)
def is_same_group(
    row: int, before: int, hard: int, owner: Wholes, entry_start: Wholes, entry_body: Wholes, number: Wholes
) -> int:
    """Whether a row touches the same moving bodies as the one before it, and is of the same kind and owner."""
    if (row < hard) != (before < hard) or owner[row] != owner[before]:
        return 0
    a, b = entry_start[row], entry_start[before]
    while True:
        while a < entry_start[row + 1] and number[entry_body[a]] < 0:
            a += 1
        while b < entry_start[before + 1] and number[entry_body[b]] < 0:
            b += 1
        if a == entry_start[row + 1] or b == entry_start[before + 1]:
            return 1 if a == entry_start[row + 1] and b == entry_start[before + 1] else 0
        if entry_body[a] != entry_body[b]:
            return 0
        a, b = a + 1, b + 1


@kernel()
def group_rows(
    order: Wholes, label: Wholes, hard: int, owner: Wholes, entry_start: Wholes, entry_body: Wholes, number: Wholes,
    bodies: int,
    # out
    group_start_out: Wholes, member_start_out: Wholes, member_out: Wholes, entry_out: Wholes, source_out: Wholes,
    node_out: Wholes, group_of_out: Wholes, island_out: Wholes, island_group_out: Wholes,
) -> int:  # fmt: skip
    """Groups of consecutive rows that touch the same moving bodies; those of rows below `hard` are nodes.

    Shapes:  order, label, owner (rows,); group_start_out, member_start_out, entry_out (rows + 1,), node_out,
             group_of_out (rows,); member_out, source_out (entries,); island_out (bodies + rows,), island_group_out
             (islands + 1,)
    Writes:  group_start_out: positions of rows; member_out: bodies of each group, by number; entry_out: first Jacobian
             block of each group, source_out: where it comes from; node_out: number of the node of a group, or -1;
             group_of_out: group of each of these nodes; island_out: island of each node; island_group_out: first group
             of each island
    Returns: number of groups, or -1 - row for a row that touches a body twice
    """
    groups, members, entries, nodes, size = 0, 0, 0, bodies, 0
    for k in range(order.shape[0]):
        row = order[k]
        fits = k > 0 and label[row] == label[order[k - 1]] and size < (HARD_ROWS if row < hard else SOFT_ROWS)
        if not fits or is_same_group(row, order[k - 1], hard, owner, entry_start, entry_body, number) == 0:
            group_start_out[groups], member_start_out[groups], entry_out[groups] = k, members, entries
            if k == 0 or label[row] != label[order[k - 1]]:
                island_group_out[label[row]] = groups
            node_out[groups] = -1
            if row < hard:
                node_out[groups], group_of_out[nodes - bodies], island_out[nodes] = nodes, groups, label[row]
                nodes += 1
            for e in range(entry_start[row], entry_start[row + 1]):
                if number[entry_body[e]] >= 0:
                    for m in range(member_start_out[groups], members):
                        if member_out[m] == number[entry_body[e]]:
                            return -1 - row
                    member_out[members] = number[entry_body[e]]
                    island_out[number[entry_body[e]]] = label[row]
                    members += 1
            groups += 1
            size = 0
        size += 1
        for e in range(entry_start[row], entry_start[row + 1]):
            if number[entry_body[e]] >= 0:
                source_out[entries] = e
                entries += 1
    group_start_out[groups], member_start_out[groups], entry_out[groups] = order.shape[0], members, entries
    island_group_out[island_group_out.shape[0] - 1] = groups
    return groups


@kernel()
def lay_out(
    order: Wholes, position: Wholes, island: Wholes, islands: int, bits: WholeRows,
    # workspace
    work: WholeRows,
    # out
    node_start_out: Wholes, below_start_out: Wholes, below_out: Wholes, pair_start_out: Wholes,
) -> int:  # fmt: skip
    """Sort positions by island, and list the blocks below each column in rising order.

    Shapes:  island (nodes,) of each node; order, position (nodes,) in and out; node_start_out (islands + 1,),
             below_start_out, pair_start_out (nodes + 1,), below_out (blocks,); work (2, nodes)
    Returns: number of pairs of blocks in a column
    """
    nodes, moved, near = order.shape[0], work[0], work[1]
    for i in range(islands + 1):
        node_start_out[i] = 0
    for i in range(nodes):
        node_start_out[island[i] + 1] += 1
    for i in range(islands):
        node_start_out[i + 1] += node_start_out[i]
    for k in range(nodes):
        at = island[order[k]]
        moved[node_start_out[at]] = order[k]
        node_start_out[at] += 1
    for i in range(islands, 0, -1):
        node_start_out[i] = node_start_out[i - 1]
    node_start_out[0] = 0
    for k in range(nodes):
        order[k] = moved[k]
        position[moved[k]] = k
    blocks, pairs = 0, 0
    for k in range(nodes):
        below_start_out[k], pair_start_out[k] = blocks, pairs
        for a in range(list_bits(bits[order[k]], near)):
            at, b = position[near[a]], blocks
            while b > below_start_out[k] and below_out[b - 1] > at:
                below_out[b] = below_out[b - 1]
                b -= 1
            below_out[b] = at
            blocks += 1
        count = blocks - below_start_out[k]
        pairs += count * (count - 1) // 2
    below_start_out[nodes], pair_start_out[nodes] = blocks, pairs
    return pairs


@kernel()
def find_targets(below_start: Wholes, below: Wholes, target_out: Wholes) -> None:
    """The block that the product of each pair a > b of blocks in a column updates.

    Writes:  target_out (pairs,)
    """
    pair = 0
    for k in range(below_start.shape[0] - 1):
        first, last = below_start[k], below_start[k + 1]
        for b in range(first, last):
            # what comes after row b in this column is also in the column of b, in the same order
            at = below_start[below[b]]
            for a in range(b + 1, last):
                while below[at] != below[a]:
                    at += 1
                target_out[pair] = at
                pair += 1


@kernel()
def count_slots(group_member: Wholes, node: Wholes) -> int:
    """How many blocks groups are added to, see `find_slots`."""
    slots = 0
    for g in range(node.shape[0]):
        count = group_member[g + 1] - group_member[g]
        slots += count if node[g] >= 0 else count * (count - 1) // 2
    return slots


@kernel(inner=True)
def block_at(p: int, q: int, below_start: Wholes, below: Wholes) -> int:
    """Number of the block at two positions."""
    row, column = max(p, q), min(p, q)
    low, high = below_start[column], below_start[column + 1]
    while low < high:
        middle = (low + high) // 2
        if below[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


@kernel()
def find_slots(
    group_member: Wholes, member: Wholes, node: Wholes, position: Wholes, below_start: Wholes, below: Wholes,
    number: Wholes,
    # out
    body_out: Wholes, slot_start_out: Wholes, slot_out: Wholes,
) -> None:  # fmt: skip
    """The blocks that groups are added to: of every pair a > b of bodies, or of a node and each of its bodies.

    Shapes:  slot_start_out (groups + 1,), body_out (nodes,), number (bodies,)
    Writes:  slot_start_out, slot_out; members and nodes by position instead of by number; body_out: the body at each
             position, -1 for hard rows
    """
    for k in range(body_out.shape[0]):
        body_out[k] = -1
    for body in range(number.shape[0]):
        if number[body] >= 0:
            body_out[position[number[body]]] = body
    slots = 0
    for g in range(node.shape[0]):
        slot_start_out[g] = slots
        first, last = group_member[g], group_member[g + 1]
        for a in range(first, last):
            if node[g] >= 0:
                slot_out[slots] = block_at(position[member[a]], position[node[g]], below_start, below)
                slots += 1
            else:
                for b in range(first, a):
                    slot_out[slots] = block_at(position[member[a]], position[member[b]], below_start, below)
                    slots += 1
    slot_start_out[node.shape[0]] = slots
    for a in range(group_member[node.shape[0]]):
        member[a] = position[member[a]]
    for g in range(node.shape[0]):
        node[g] = position[node[g]] if node[g] >= 0 else -1
