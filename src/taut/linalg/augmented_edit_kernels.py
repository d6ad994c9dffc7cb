"""Kernels of `augmented.py`: edits of the matrix, of the order and of the tree."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.augmented import (
    BELOW_USED,
    FILL,
    FIRST,
    NO_PLACE,
    NODES,
    QUEUED,
    VALUE_USED,
    AugmentedTable,
)
from taut.tables import Wholes

VALUES, STRUCTURE, PLACED = 1, 2, 3
"""What has to be done again of a front: its numbers, its rows as well, and those of all fronts that the node is in, as
it has another place than a node of this number had."""
GAP = 1 << 20
"""Ranks between nodes that are ordered together: twenty insertions at one place before ranks are given anew."""


@kernel(inner=True)
def mark(t: AugmentedTable, node: int, what: int) -> None:
    """Put a node in the queue, unless it is there.

    Writes:  queue, state, counts
    """
    if t.state[node] == 0:
        t.queue[t.counts[QUEUED]] = node
        t.counts[QUEUED] += 1
    t.state[node] = max(t.state[node], what)


@kernel()
def touch(t: AugmentedTable, nodes: Wholes) -> None:
    """Say that columns of these nodes have other values.

    Writes:  queue, state, counts
    """
    for node in nodes:
        mark(t, node, VALUES)


@kernel()
def add_edge(t: AugmentedTable, edge: int, a: int, b: int) -> None:
    """Let two nodes meet.

    Writes:  edge, first_edge, queue, state, counts
    """
    t.edge[0, edge], t.edge[1, edge] = a, b
    t.edge[2, edge], t.edge[3, edge] = t.first_edge[a], t.first_edge[b]
    t.first_edge[a] = t.first_edge[b] = edge
    mark(t, a, STRUCTURE)
    mark(t, b, STRUCTURE)


@kernel()
def remove_edge(t: AugmentedTable, edge: int) -> None:
    """Let two nodes meet no more.

    Writes:  edge, first_edge, queue, state, counts
    """
    for side in range(2):
        node, after = t.edge[side, edge], t.edge[2 + side, edge]
        at, last = t.first_edge[node], -1
        while at != edge:
            last, at = at, t.edge[2 if t.edge[0, at] == node else 3, at]
        if last < 0:
            t.first_edge[node] = after
        else:
            t.edge[2 if t.edge[0, last] == node else 3, last] = after
        mark(t, node, STRUCTURE)
    t.edge[0, edge] = -1


@kernel(inner=True)
def leave_parent(t: AugmentedTable, node: int) -> None:
    """Take a node from the children of its parent, which then has to be done again.

    Writes:  parent, child, sibling, queue, state, counts
    """
    parent = t.parent[node]
    if parent < 0:
        return
    if t.child[parent] == node:
        t.child[parent] = t.sibling[node]
    else:
        at = t.child[parent]
        while t.sibling[at] != node:
            at = t.sibling[at]
        t.sibling[at] = t.sibling[node]
    t.parent[node] = -1
    mark(t, parent, STRUCTURE)


@kernel()
def is_too_early(t: AugmentedTable, row: int, body: int) -> int:
    """Whether a negative node is eliminated before a definite one that it has come to meet."""
    if t.sign[row] > 0 or t.sign[body] < 0 or t.rank[row] == NO_PLACE or t.rank[body] == NO_PLACE:
        return 0
    return 1 if t.rank[row] < t.rank[body] else 0


@kernel()
def leave_order(t: AugmentedTable, node: int) -> None:
    """Take a node from the order and the tree; what it meets has to be done again.

    Writes:  rank, before, after, the tree, queue, state, counts
    """
    leave_parent(t, node)
    while t.child[node] >= 0:
        orphan = t.child[node]
        t.child[node], t.parent[orphan] = t.sibling[orphan], -1
        mark(t, orphan, STRUCTURE)
    edge = t.first_edge[node]
    while edge >= 0:
        side = 0 if t.edge[0, edge] == node else 1
        mark(t, t.edge[1 - side, edge], STRUCTURE)
        edge = t.edge[2 + side, edge]
    if t.rank[node] == NO_PLACE:
        return
    before, after = t.before[node], t.after[node]
    if before >= 0:
        t.after[before] = after
    else:
        t.counts[FIRST] = after
    if after >= 0:
        t.before[after] = before
    t.rank[node] = NO_PLACE


@kernel()
def remove_node(t: AugmentedTable, node: int) -> None:
    """Take out a node without couplings that is in no order.

    Writes:  size, fronts, queue, state, counts
    """
    if t.state[node] != 0:
        at = 0
        while t.queue[at] != node:
            at += 1
        t.counts[QUEUED] -= 1
        t.queue[at] = t.queue[t.counts[QUEUED]]
    t.counts[FILL] -= t.below_count[node]
    t.counts[NODES] -= 1
    t.state[node] = t.size[node] = t.below_count[node] = t.below_room[node] = t.value_room[node] = 0


@kernel(inner=True)
def renumber(t: AugmentedTable) -> None:
    """Ranks with gaps for all nodes, in the order that they have.

    Writes:  rank
    """
    node, rank = t.counts[FIRST], 0
    while node >= 0:
        t.rank[node] = rank
        node, rank = t.after[node], rank + GAP


@kernel()
def place_node(t: AugmentedTable, node: int) -> None:
    """Place of a new node in the order: first if it is definite, else right after the last node that it meets.

    A definite one joins what it meets. A negative one has lost what makes its own block zero; what was eliminated
    after its last neighbour need not know it.

    Writes:  rank, before, after, queue, state, counts
    """
    last = -1
    if t.sign[node] < 0:
        edge = t.first_edge[node]
        while edge >= 0:
            side = 0 if t.edge[0, edge] == node else 1
            other = t.edge[1 - side, edge]
            if t.rank[other] != NO_PLACE and (last < 0 or t.rank[other] > t.rank[last]):
                last = other
            edge = t.edge[2 + side, edge]
    after = t.after[last] if last >= 0 else t.counts[FIRST]
    t.before[node], t.after[node] = last, after
    if last >= 0 and after >= 0 and t.rank[after] - t.rank[last] < 2:
        renumber(t)
    if last >= 0:
        t.after[last] = node
        t.rank[node] = (t.rank[last] + t.rank[after]) // 2 if after >= 0 else t.rank[last] + GAP
    else:
        t.counts[FIRST] = node
        t.rank[node] = t.rank[after] - GAP if after >= 0 else 0
    if after >= 0:
        t.before[after] = node
    mark(t, node, PLACED)


@kernel()
def put_in_order(t: AugmentedTable, order: Wholes) -> None:
    """Take all nodes in this order, and forget all fronts.

    Writes:  all but blocks and couplings
    """
    nodes = order.shape[0]
    for k in range(nodes):
        node = order[k]
        t.before[node] = order[k - 1] if k > 0 else -1
        t.after[node] = order[k + 1] if k < nodes - 1 else -1
        t.rank[node], t.queue[k], t.state[node] = k * GAP, node, STRUCTURE
        t.parent[node] = t.child[node] = t.sibling[node] = -1
        t.below_count[node] = t.below_room[node] = t.value_room[node] = 0
    t.counts[FIRST] = order[0] if nodes > 0 else -1
    t.counts[QUEUED] = nodes
    t.counts[BELOW_USED] = t.counts[VALUE_USED] = t.counts[FILL] = 0


@kernel()
def list_neighbours(t: AugmentedTable, nodes: Wholes, start_out: Wholes, near_out: Wholes) -> None:
    """What nodes meet, by their numbers in a list of all of them.

    Shapes:  nodes (n,) rising; start_out (n + 1,), near_out (2 couplings,)
    Writes:  place, and back to -1
    """
    for k in range(nodes.shape[0]):
        t.place[nodes[k]] = k
    count = 0
    for k in range(nodes.shape[0]):
        start_out[k] = count
        edge = t.first_edge[nodes[k]]
        while edge >= 0:
            side = 0 if t.edge[0, edge] == nodes[k] else 1
            near_out[count] = t.place[t.edge[1 - side, edge]]
            count += 1
            edge = t.edge[2 + side, edge]
    start_out[nodes.shape[0]] = count
    for k in range(nodes.shape[0]):
        t.place[nodes[k]] = -1
