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
from taut.linalg.augmented_edit_kernels import PLACED, STRUCTURE, VALUES, leave_parent, mark
from taut.linalg.augmented_front_kernels import eliminate
from taut.tables import Reals, Wholes


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
def restructure(t: AugmentedTable, node: int) -> int:
    """Find the rows of a front and its parent anew; those of others may have to follow.

    Writes:  all but the matrix and values
    Returns: -1, or GROW
    """
    count = find_rows(t, node)
    rows = t.size[node]
    for at in range(count):
        rows += t.size[t.near[at]]
    numbers = rows * (rows + 1) // 2
    t.counts[WIDEST] = max(t.counts[WIDEST], rows)
    takes_below = count if count > t.below_room[node] else 0
    takes_value = numbers if numbers > t.value_room[node] else 0
    if rows > t.map.shape[0] or t.counts[BELOW_USED] + takes_below > t.below.shape[0]:
        return GROW
    if t.counts[VALUE_USED] + takes_value > t.value.shape[0]:
        return GROW
    if takes_below > 0:
        t.below_start[node], t.below_room[node] = t.counts[BELOW_USED], count
        t.counts[BELOW_USED] += count
    if takes_value > 0:
        t.value_start[node], t.value_room[node] = t.counts[VALUE_USED], numbers
        t.counts[VALUE_USED] += numbers
    start, same = t.below_start[node], count == t.below_count[node] and takes_below == 0
    for at in range(count):
        same = same and t.below[start + at] == t.near[at] and t.state[t.near[at]] != PLACED
        t.below[start + at] = t.near[at]
    t.counts[FILL] += count - t.below_count[node]
    t.below_count[node] = count
    parent = t.near[0] if count > 0 else -1
    if parent != t.parent[node]:
        old = t.parent[node]
        queued = t.counts[QUEUED]
        leave_parent(t, node)
        if t.counts[QUEUED] > queued and old >= 0:
            rise(t, queued)
        if parent >= 0:
            join_parent(t, node, parent)
    pass_on(t, parent, VALUES if same and parent == t.parent[node] else STRUCTURE)
    return -1


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
        node = t.queue[0]
        if t.state[node] >= STRUCTURE:
            if restructure(t, node) == GROW:
                return GROW
            t.state[node] = VALUES
        level, child = 0, t.child[node]
        while child >= 0:
            level = max(level, t.level[child])
            child = t.sibling[child]
        t.level[node] = level + 1
        t.counts[HEIGHT] = max(t.counts[HEIGHT], level + 1)
        t.counts[FRONTS] += 1
        if eliminate(t, node) == 0:
            return node
        t.state[node] = 0
        t.counts[QUEUED] -= 1
        t.queue[0] = t.queue[t.counts[QUEUED]]
        sink(t, 0)
        pass_on(t, t.parent[node], VALUES)
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
