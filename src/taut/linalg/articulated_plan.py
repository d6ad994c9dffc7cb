"""In which order to eliminate the degrees of freedom of trees with springs across them: from leaves to roots.

Without springs each degree of freedom meets its ancestors and no others, and nothing fills in. A spring makes all on
the way from one of its nodes meet all on the way from the other, up to the first node that both hang on.

Nodes in a row that meet the same others are one group; groups are eliminated subtree by subtree, those that springs
tie to the fewest others first, and joined to fronts where that is predicted to cost less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.linalg.articulated import ArticulatedBlocks
from taut.structure.front_tree import FrontTree
from taut.tables import WholeRows, Wholes

Integers = NDArray[np.int64]


class DirectPlan(NamedTuple):
    """Fronts of H, and the pairs of nodes that springs tie to each other: a table for kernels.

    Attributes:
        tree: the fronts; its positions are degrees of freedom.
        column: (dofs,) column of each degree of freedom.
        pair: (5, pairs) nodes a and b of a pair, their entries in the springs, and the spring; a is eliminated first.
        top: (pairs,) first node that both hang on, or -1.
        climb: (3, n) first node with degrees of freedom from each node up, or -1; the last column of those that follow
            its first one without a gap on the way to the root; the first node of the way after that, or -1.
    """

    tree: FrontTree
    column: Wholes
    pair: WholeRows
    top: Wholes
    climb: WholeRows

    @property
    def fill(self) -> int:
        """Entries of the factor."""
        width, rest = np.diff(self.tree.first), np.diff(self.tree.row_start)
        return int((width * (width + 1) // 2 + width * rest).sum())


def plan_direct(blocks: ArticulatedBlocks) -> DirectPlan:
    """Order and fronts for the pattern of these blocks: their tree, and the nodes that springs touch."""
    from taut.linalg.articulated_plan_kernels import find_runs, find_tops

    pair = list_pairs(blocks.cross_start, blocks.cross_node)
    top = np.empty(pair.shape[1], np.int64)
    find_tops(blocks.parent, pair[0], pair[1], top)
    order = order_nodes(blocks.parent, pair, top)
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    late = place[pair[0]] > place[pair[1]]
    pair[:2, late], pair[2:4, late] = pair[1::-1, late], pair[3:1:-1, late]
    width = np.diff(blocks.dof_start)
    group, weight, below = group_structure(blocks.parent, order, width, pair, top)
    place, below = in_postorder(below, weight)
    # columns: by the place of their group, then by the order of nodes
    node_order = order[np.argsort(place[group[order]], kind="stable")]
    position = ranges(blocks.dof_start[node_order], width[node_order])
    column = np.empty(position.size, np.int64)
    column[position] = np.arange(position.size)
    weight_in_place = np.empty(weight.size, np.int64)
    weight_in_place[place] = weight
    climb = np.empty((3, order.size), np.int64)
    find_runs(blocks.parent, blocks.dof_start, column, climb)
    return DirectPlan(front_tree(position, weight_in_place, below), column, pair, top, climb)


def ranges(start: Integers, length: Integers) -> Integers:
    """start, start + 1, ..., start + length - 1 of each, one after the other."""
    ends = np.cumsum(length)
    return np.repeat(start - ends + length, length) + np.arange(ends[-1] if ends.size else 0)


def list_pairs(start: Integers, node: Integers) -> Integers:
    """(5, pairs) of nodes that share a spring: the nodes, their entries, the spring."""
    pairs: list[tuple[int, int, int, int, int]] = []
    for spring, (first, last) in enumerate(zip(start[:-1].tolist(), start[1:].tolist(), strict=True)):
        for a in range(first, last):
            for b in range(a + 1, last):
                pairs.append((int(node[a]), int(node[b]), a, b, spring))
    return np.array(pairs, np.int64).reshape(-1, 5).T.copy()


def order_nodes(parent: Integers, pair: Integers, top: Integers) -> Integers:
    """Nodes (n,) with all below them first, subtree by subtree: those that fewest springs leave come first."""
    leaving = np.bincount(pair[:2].ravel(), minlength=parent.size)
    leaving -= 2 * np.bincount(top[top >= 0], minlength=parent.size)
    children: list[list[int]] = [[] for _ in parent]
    roots = []
    for node in range(parent.size - 1, -1, -1):
        if parent[node] >= 0:
            leaving[parent[node]] += leaving[node]
            children[parent[node]].append(node)
        else:
            roots.append(node)
    order: list[int] = []
    stack = sorted(roots, key=lambda each: (leaving[each], each))
    while stack:  # parents before children, turned around below
        node = stack.pop()
        order.append(node)
        stack += sorted(children[node], key=lambda each: (leaving[each], each))
    return np.array(order[::-1], np.int64)


def group_structure(
    parent: Integers, order: Integers, width: Integers, pair: Integers, top: Integers
) -> tuple[Integers, Integers, list[Integers]]:
    """Group of each node (n,), degrees of freedom of each group, and the groups that each meets once it is eliminated.

    Groups count in the order of elimination. A node is in the group of its parent if it is the only child and no spring
    ends at the parent. Groups that cannot move meet nobody.
    """
    alone = np.bincount(parent[parent >= 0], minlength=parent.size) == 1
    alone[pair[:2].ravel()] = False
    joins = (parent >= 0) & alone[parent]
    # a group begins at its deepest node: one that no child has joined
    group = np.empty(parent.size, np.int64)
    group[order] = np.cumsum(~np.isin(order, parent[joins])) - 1
    count = int(group.max(initial=-1)) + 1
    weight = np.bincount(group, weights=width, minlength=count).astype(np.int64)
    own = np.full(count, -1)
    last = np.flatnonzero(~joins & (parent >= 0))
    own[group[last]] = group[parent[last]]  # the group that each group hangs on
    met: list[list[Integers]] = [[] for _ in range(count)]
    for a, b, end in {(int(a), int(b), int(c)) for a, b, c in zip(pair[0], pair[1], top, strict=True)}:
        way, at, stop = [], int(group[b]), int(group[end]) if end >= 0 else -1
        while at != stop:
            way.append(at)
            at = int(own[at])
        at = int(group[a])
        while at != stop and weight[at] == 0:
            at = int(own[at])
        if at != stop:
            met[at].append(np.array(way, np.int64))
    none = np.zeros(0, np.int64)
    ancestors: list[Integers] = [none] * count
    for g in range(count - 1, -1, -1):
        if own[g] >= 0:
            ancestors[g] = np.append(own[g], ancestors[own[g]]) if weight[own[g]] > 0 else ancestors[own[g]]
    below = [none] * count
    for g in range(count):
        if weight[g] > 0:
            rows = np.unique(np.concatenate([ancestors[g], *met[g]]))
            below[g] = rows[(rows > g) & (weight[rows] > 0)]
            if below[g].size:
                met[below[g][0]].append(below[g][1:])
        met[g], ancestors[g] = [], none
    return group, weight, below


def in_postorder(below: list[Integers], weight: Integers) -> tuple[Integers, list[Integers]]:
    """Place of each group so that every subtree of the elimination is in one piece, and the places below each place.

    Of the subtrees at a group that comes last whose last front is most like it: they may be joined.
    """
    count = len(below)
    children: list[list[int]] = [[] for _ in range(count)]
    stack = []
    for g in range(count):
        children[g].sort(key=lambda each: int(weight[below[each]].sum()))
        if below[g].size:
            children[below[g][0]].append(g)
        else:
            stack.append(g)
    order: list[int] = []
    while stack:
        g = stack.pop()
        order.append(g)
        stack += children[g]
    place = np.empty(count, np.int64)
    place[order[::-1]] = np.arange(count)
    return place, [np.sort(place[below[g]]) for g in order[::-1]]


def front_tree(position: Integers, weight: Integers, below: list[Integers]) -> FrontTree:
    """Fronts of groups with these degrees of freedom, in the order of elimination, that meet these groups below."""
    from taut.linalg.articulated_plan_kernels import join_groups
    from taut.structure.front_tree_kernels import place_rows

    rest = np.array([weight[rows].sum() for rows in below], np.int64)
    parent = np.array([rows[0] if rows.size else -1 for rows in below], np.int64)
    front = np.empty(weight.size, np.int64)
    nodes = join_groups(weight, rest, parent, front)
    # the last group of a front has its rows below, the first its first column
    ends = np.flatnonzero(np.diff(front, append=nodes)) if nodes else np.zeros(0, np.int64)
    start = np.concatenate([[0], np.cumsum(weight)])
    first = np.concatenate([[0], start[ends + 1]]).astype(np.int64)
    rows = [ranges(start[below[end]], weight[below[end]]) for end in ends]
    row_start = np.concatenate([[0], np.cumsum([each.size for each in rows])]).astype(np.int64)
    row = np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int64)
    over = np.array([front[below[end][0]] if below[end].size else -1 for end in ends], np.int64)
    place = np.zeros(row.size, np.int64)
    place_rows(first, over, row_start, row, np.empty(position.size, np.int64), place)
    children = np.argsort(over, kind="stable")[np.count_nonzero(over < 0) :]
    child_start = np.concatenate([[0], np.cumsum(np.bincount(over[over >= 0], minlength=nodes))]).astype(np.int64)
    wide, high = -(-np.diff(first) // 4) * 4, -(-np.diff(row_start) // 4) * 4
    return FrontTree(
        position=position, node_begin=np.array([0, nodes]), first=first, parent=over, row_start=row_start, row=row,
        place=place, child_start=child_start, child=children, entry_start=np.zeros(nodes + 1, np.int64),
        entry=np.zeros((3, 0), np.int64), offset=np.concatenate([[0], np.cumsum(wide * (wide + high) + high * high)]),
        padded=np.concatenate([[0], np.cumsum(wide)]), node=np.repeat(np.arange(nodes), np.diff(first)),
    )  # fmt: skip
