"""Kernels of `augmented.py`: fronts that are done again in the order of elimination."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.augmented import (
    BELOW_USED,
    FILL,
    FIRST,
    FRONTS,
    GROW,
    HEIGHT,
    QUEUED,
    VALUE_USED,
    WIDEST,
    AugmentedTable,
)
from taut.linalg.augmented_edit_kernels import GONE, PLACED, ROWS, STRUCTURE, VALUES, leave_parent, mark
from taut.linalg.augmented_front_kernels import eliminate
from taut.tables import Reals, Wholes

SPARE_SHARE = 8
"""A front gets room for this part of its rows more, so that a row that comes last need not move it: fronts of nets have
a hundred rows and their copies would cost more than all else."""


@kernel(inner=True)
def join_parent(t: AugmentedTable, node: int, parent: int) -> None:
    """Put a node among the children of its parent, in order, so that sums of what they leave have the same bits always.

    Writes:  parent, child, sibling
    """
    t.parent[node] = parent
    at, last = t.child[parent], -1
    while at >= 0 and t.rank[at] < t.rank[node]:
        last, at = at, t.sibling[at]
    t.sibling[node] = at
    if last < 0:
        t.child[parent] = node
    else:
        t.sibling[last] = node


@kernel(inner=True)
def sink(t: AugmentedTable, at: int) -> None:
    """Restore the heap of ranks below a place of the queue.

    Writes:  queue
    """
    count, node = t.counts[QUEUED], t.queue[at]
    while 2 * at + 1 < count:
        down = 2 * at + 1
        if down + 1 < count and t.rank[t.queue[down + 1]] < t.rank[t.queue[down]]:
            down += 1
        if t.rank[t.queue[down]] >= t.rank[node]:
            break
        t.queue[at] = t.queue[down]
        at = down
    t.queue[at] = node


@kernel(inner=True)
def rise(t: AugmentedTable, at: int) -> None:
    """Restore the heap of ranks above a place of the queue.

    Writes:  queue
    """
    node = t.queue[at]
    while at > 0 and t.rank[t.queue[(at - 1) // 2]] > t.rank[node]:
        t.queue[at] = t.queue[(at - 1) // 2]
        at = (at - 1) // 2
    t.queue[at] = node


@kernel(inner=True)
def pass_on(t: AugmentedTable, parent: int, what: int) -> None:
    """Put a parent into the heap.

    Writes:  queue, state, counts
    """
    if parent >= 0:
        queued = t.counts[QUEUED]
        mark(t, parent, what)
        if t.counts[QUEUED] > queued:
            rise(t, queued)


@kernel(inner=True)
def insert(t: AugmentedTable, count: int, node: int) -> int:
    """Put a node into the list of rows, in order, unless it is there.

    Writes:  near, place
    Returns: length of the list
    """
    if t.place[node] >= 0:
        return count
    t.place[node] = 0
    at = count
    while at > 0 and t.rank[t.near[at - 1]] > t.rank[node]:
        t.near[at] = t.near[at - 1]
        at -= 1
    t.near[at] = node
    return count + 1


@kernel(inner=True)
def find_rows(t: AugmentedTable, node: int) -> int:
    """Rows below a node: what it meets later, and what its children have left.

    Writes:  near
    Returns: how many
    """
    count, edge = 0, t.first_edge[node]
    t.place[node] = 0
    child = t.child[node]
    while child >= 0:
        for at in range(t.below_start[child], t.below_start[child] + t.below_count[child]):
            count = insert(t, count, t.below[at])
        child = t.sibling[child]
    while edge >= 0:
        side = 0 if t.edge[0, edge] == node else 1
        other = t.edge[1 - side, edge]
        if t.rank[other] > t.rank[node]:
            count = insert(t, count, other)
        edge = t.edge[2 + side, edge]
    t.place[node] = -1
    for at in range(count):
        t.place[t.near[at]] = -1
    return count


@kernel(inner=True)
def standing_rows(t: AugmentedTable, node: int, count: int) -> int:
    """Rows of a front that stand as they are if only nodes that are gone leave it and new ones come last.

    Shapes:  near[:count] the rows below that it should have
    Writes:  map: for each such row, which one it was
    Returns: how many, or 0 where the front has to be done anew
    """
    size, at, old, rows = t.size[node], 0, t.size[node], t.size[node]
    for r in range(size):
        t.map[r] = r
    for place in range(t.below_start[node], t.below_start[node] + t.below_count[node]):
        other = t.below[place]
        if t.state[other] != GONE and t.state[other] != PLACED:
            if at == count or t.near[at] != other:
                return 0
            for r in range(t.size[other]):
                t.map[rows + r] = old + r
            rows += t.size[other]
            at += 1
        old += t.size[other]
    for place in range(at, count):
        if t.state[t.near[place]] != PLACED:
            return 0
    return rows


@kernel(inner=True)
def move_rows(t: AugmentedTable, first: int, old: Reals, new: Reals) -> None:
    """Move the rows of a front that stand, and their columns, to where they are now.

    Writes:  new, which may be old
    """
    for r in range(first):
        here = t.map[r]
        source, target = old[here * (here + 1) // 2 :], new[r * (r + 1) // 2 :]
        for c in range(r + 1):
            target[c] = source[t.map[c]]


@kernel(inner=True)
def take_room(t: AugmentedTable, node: int, count: int, first: int) -> int:
    """Room for a front with these rows below, with what stands of it.

    Shapes:  near[:count]
    Writes:  below_start, below_room, value_start, value_room, value, counts
    Returns: -1, or GROW
    """
    rows = t.size[node]
    for at in range(count):
        rows += t.size[t.near[at]]
    numbers, wide = rows * (rows + 1) // 2, rows + rows // SPARE_SHARE
    room = wide * (wide + 1) // 2
    t.counts[WIDEST] = max(t.counts[WIDEST], rows)
    below = t.counts[BELOW_USED] if count > t.below_room[node] else t.below_start[node]
    value = t.counts[VALUE_USED] if numbers > t.value_room[node] else t.value_start[node]
    if rows > t.map.shape[0] or (count > 0 and below + count > t.below.shape[0]) or value + room > t.value.shape[0]:
        return GROW
    if first > 0 and (value != t.value_start[node] or t.map[first - 1] != first - 1):
        move_rows(t, first, t.value[t.value_start[node] :], t.value[value:])
    if count > t.below_room[node]:
        t.below_start[node], t.below_room[node] = below, count
        t.counts[BELOW_USED] += count
    if numbers > t.value_room[node]:
        t.value_start[node], t.value_room[node] = value, room
        t.counts[VALUE_USED] += room
    return -1


@kernel(inner=True)
def change_parent(t: AugmentedTable, node: int, parent: int) -> None:
    """Give a node another parent; the one that it had has to be done again.

    Writes:  parent, child, sibling, queue, state, counts
    """
    queued = t.counts[QUEUED]
    leave_parent(t, node)
    if t.counts[QUEUED] > queued:
        rise(t, queued)
    if parent >= 0:
        join_parent(t, node, parent)


@kernel(inner=True)
def restructure(t: AugmentedTable, node: int) -> int:
    """Find the rows of a front and its parent anew; those of others may have to follow.

    Writes:  all but the matrix
    Returns: rows that stand as they are, or GROW
    """
    count = find_rows(t, node)
    if t.size[node] > t.map.shape[0]:
        return GROW
    first = standing_rows(t, node, count) if t.state[node] == ROWS else 0
    same = count == t.below_count[node] and count <= t.below_room[node]
    for at in range(count if same else 0):
        same = t.below[t.below_start[node] + at] == t.near[at] and t.state[t.near[at]] != PLACED
        if not same:
            break
    if take_room(t, node, count, first) == GROW:
        return GROW
    for at in range(count):
        t.below[t.below_start[node] + at] = t.near[at]
    t.counts[FILL] += count - t.below_count[node]
    t.below_count[node] = count
    parent = t.near[0] if count > 0 else -1
    what = VALUES if same else STRUCTURE
    if parent != t.parent[node]:
        change_parent(t, node, parent)
        what = STRUCTURE
    elif first > 0:
        what = ROWS
    pass_on(t, parent, what)
    return first


@kernel()
def renew(t: AugmentedTable) -> int:
    """Do the fronts in the queue in the order of elimination, and those of their parents after them.

    Writes:  the tree and the fronts
    Cost:    rows of the front squared times rows of the node for each of them
    Returns: -1, GROW, or a node whose block is not definite with its sign; that one and all after it stay in the queue
    """
    for at in range(t.counts[QUEUED] // 2 - 1, -1, -1):
        sink(t, at)
    while t.counts[QUEUED] > 0:
        node, first = t.queue[0], 0
        if t.state[node] != VALUES:
            first = restructure(t, node)
            if first == GROW:
                return GROW
            t.state[node] = VALUES
        level, child = 0, t.child[node]
        while child >= 0:
            level = max(level, t.level[child])
            child = t.sibling[child]
        t.level[node] = level + 1
        t.counts[HEIGHT] = max(t.counts[HEIGHT], level + 1)
        t.counts[FRONTS] += 1
        if eliminate(t, node, first) == 0:
            return node
        t.state[node] = 0
        t.counts[QUEUED] -= 1
        t.queue[0] = t.queue[t.counts[QUEUED]]
        sink(t, 0)
        pass_on(t, t.parent[node], ROWS if first > 0 else VALUES)
    return -1


@kernel()
def pack(t: AugmentedTable, below_out: Wholes, value_out: Reals) -> None:
    """Lists and fronts without gaps, in new room.

    Writes:  below_start, below_room, value_start, value_room, counts
    """
    node, below, value = t.counts[FIRST], 0, 0
    while node >= 0:
        if t.below_room[node] > 0:
            for at in range(t.below_count[node]):
                below_out[below + at] = t.below[t.below_start[node] + at]
            t.below_start[node], t.below_room[node] = below, t.below_count[node]
            below += t.below_count[node]
        if t.value_room[node] > 0:
            old, new = t.value[t.value_start[node] :], value_out[value:]
            for at in range(t.value_room[node]):
                new[at] = old[at]
            t.value_start[node] = value
            value += t.value_room[node]
        node = t.after[node]
    t.counts[BELOW_USED], t.counts[VALUE_USED] = below, value
