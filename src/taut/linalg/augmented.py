"""A sparse LDL^T that is augmented: nodes come and go, values change, and only the paths that feel it are done again.

        H = [[A, J^T], [J, -S]]           A definite, S >= 0: quasi-definite, so no pivoting is needed          [InSimo]

A node is a block of one to six rows: a body, a joint. H is eliminated node by node, each with a front of its own: the
rows that it still meets, as one packed triangle. What a front leaves for the rows below it is kept, so that a front can
be done again from the matrix and from what its children in the elimination tree have left. A change is felt by the
fronts on the way from it to the root and by no other; these get the very numbers that a new factor in the same order
would have, so nothing adds up over any number of changes. The order is one of low trees (`structure/shallow_order`):
the way is log2 n long in a chain.

New nodes go where they belong: definite ones first, the others right after the last node that they meet. So every
negative node comes after all definite ones that it meets, and its pivot is definite even if S is zero: what has been
eliminated is at any time the matrix of some bodies and of rows that touch no others. The whole is ordered again when
the factor or its tree has grown too far, or when a probe finds it inaccurate.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.errors import InputError
from taut.tables import Handle, RealBlocks, RealRows, Reals, WholeRows, Wholes, held

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

LARGEST = 6
"""Most rows of a node."""
FILL_GROWTH, HEIGHT_GROWTH = 2.0, 4.0
"""How far the factor and its tree may grow over what they were when ordered. A solve costs what the factor has; where
nodes are inserted side by side the tree grows by one or two a time, and ordering anew, which costs about a hundred
paths, then comes every forty to sixty insertions."""
PROBE_EVERY = 64
"""Updates with a change of structure from one probe to the next: a probe costs a solve, which is many paths."""
PROBE_RESIDUAL = 1e-9
"""Scaled residual of a probe above which all is ordered and factored again: the accuracy that solvers promise."""
SPARE = 64
"""Nodes, and couplings, that there is room for at first."""

GROW = -2
"""What the kernels say where there is no room: -1 is success, other numbers are nodes."""
NO_PLACE = -(1 << 62)
"""Rank of a node that has no place in the order yet."""
NODES, FIRST, BELOW_USED, VALUE_USED, QUEUED, FILL, HEIGHT, FRONTS, WIDEST = range(9)
"""Places in `AugmentedTable.counts`: nodes, first node in order, used room of both pools, nodes to be done, blocks
below the diagonal, height of the tree as far as it was just done, fronts just done, rows of the largest front."""


class AugmentedTable(NamedTuple):
    """The matrix, the order, the tree and the fronts: a table for kernels. Numbers of nodes last as long as they do.

    Attributes:
        size, sign: (nodes,) rows of a node, 0 where there is none; 1 for definite ones, -1 for negative ones.
        diagonal: (nodes, 6, 6) own blocks of H, of which the lower triangle is read.
        edge: (4, edges) nodes a and b of a coupling, the next coupling of a, and of b; a is -1 where there is none.
        coupling: (edges, 6, 6) H_ab, rows of a and columns of b.
        first_edge: (nodes,) first coupling of a node, or -1.
        rank, before, after: (nodes,) place in the order: what is eliminated first is less; neighbours there, or -1.
        parent, child, sibling, level: (nodes,) the elimination tree: first child, the next child of the same parent, in
            order; height of what is below a node, itself included.
        below_start, below_count, below_room: (nodes,) where each list of rows below is.
        below: the lists: nodes that a front has rows for, in order.
        value_start, value_room: (nodes,) where each front is.
        value: the fronts: lower triangles, row by row; own rows G, inverse on the diagonal, with sign H_jj = G G^T;
            then X = sign H_ij G^-T and what is left for the parent.
        state: (nodes,) what has to be done again: nothing, VALUES, STRUCTURE or PLACED.
        queue: (nodes,) the nodes that have to be done.
        place, near: (nodes,) workspace: where rows of a front begin, -1 elsewhere; a list of rows.
        map: (rows,) workspace: rows of a front of a child in that of its parent.
        across: (6, rows) workspace: columns of a front.
        counts: (9,) see NODES ...
    """

    size: Wholes
    sign: Wholes
    diagonal: RealBlocks
    edge: WholeRows
    coupling: RealBlocks
    first_edge: Wholes
    rank: Wholes
    before: Wholes
    after: Wholes
    parent: Wholes
    child: Wholes
    sibling: Wholes
    level: Wholes
    below_start: Wholes
    below_count: Wholes
    below_room: Wholes
    below: Wholes
    value_start: Wholes
    value_room: Wholes
    value: Reals
    state: Wholes
    queue: Wholes
    place: Wholes
    near: Wholes
    map: Wholes
    across: RealRows
    counts: Wholes

    @classmethod
    def of(cls, nodes: int, edges: int) -> AugmentedTable:
        """Room for so many nodes and couplings, none of which there are yet."""
        by_node = {name: np.full(nodes, -1, np.int64) for name in cls.by_node()}
        for name in ("size", "sign", "level", "below_count", "below_room", "value_room", "state"):
            by_node[name].fill(0)
        by_node["rank"].fill(NO_PLACE)
        edge, counts = np.full((4, edges), -1, np.int64), np.zeros(9, np.int64)
        counts[FIRST] = -1
        return cls(
            diagonal=np.zeros((nodes, LARGEST, LARGEST)), edge=edge, coupling=np.zeros((edges, LARGEST, LARGEST)),
            below=np.zeros(4 * nodes, np.int64), value=np.zeros(64 * nodes), map=np.zeros(64, np.int64),
            across=np.zeros((LARGEST, 64)), counts=counts, **by_node,
        )  # fmt: skip

    @classmethod
    def by_node(cls) -> list[str]:
        """Names of the fields with one whole number a node."""
        others = {"diagonal", "edge", "coupling", "below", "value", "map", "across", "counts"}
        return [name for name in cls._fields if name not in others]


class AugmentedFactor:
    """LDL^T of a symmetric quasi-definite matrix that is changed by nodes, couplings and values.

    What is changed counts from the next `update` on. Blocks may be written in `table.diagonal` and `table.coupling`
    as well, by the numbers that `add` and `couple` return; `touch` then says which nodes' columns have changed.
    """

    def __init__(self) -> None:
        """A factor of nothing."""
        self.table = AugmentedTable.of(SPARE, SPARE)
        self.handle: Handle = held(self.table)
        self.free_nodes = list(range(SPARE - 1, -1, -1))
        self.free_edges = list(range(SPARE - 1, -1, -1))
        self.edge_of: dict[tuple[int, int], int] = {}
        self.new: list[int] = []  # nodes that have no place in the order yet
        self.fresh = (0, 0)  # fill and height when all was ordered
        self.changes = 0  # of structure, since the last probe
        self.orderings = 0

    @property
    def nodes(self) -> Integers:
        """Numbers of the nodes, rising."""
        return np.flatnonzero(self.table.size)

    @property
    def fill(self) -> int:
        """Blocks below the diagonal of the factor."""
        return int(self.table.counts[FILL])

    @property
    def height(self) -> int:
        """Height of the elimination tree."""
        return int(self.table.level[self.table.size > 0].max(initial=0))

    def add(self, size: int, sign: int = 1) -> int:
        """Add a node of so many rows, all zeros; a negative one (sign -1) meets definite ones. Returns its number."""
        if not 1 <= size <= LARGEST or sign not in (1, -1):
            raise InputError(f"a node has size {size} and sign {sign}; it must be 1 to {LARGEST}, and 1 or -1")
        if not self.free_nodes:
            self.make_room(nodes=True)
        node = self.free_nodes.pop()
        table = self.table
        table.size[node], table.sign[node] = size, sign
        table.diagonal[node] = 0.0
        table.counts[NODES] += 1
        self.new.append(node)
        return node

    def remove(self, node: int) -> None:
        """Remove a node with all its couplings."""
        from taut.linalg.augmented_edit_kernels import leave_order, remove_node

        for edge in self.edges(node):
            self.forget(edge)
        leave_order(self.handle, node)
        remove_node(self.handle, node)
        if node in self.new:
            self.new.remove(node)
        self.free_nodes.append(node)
        self.changes += 1

    def couple(self, a: int, b: int, block: Array) -> int:
        """H_ab, rows of a and columns of b; returns its number in `table.coupling`, where rows may be those of b."""
        from taut.linalg.augmented_edit_kernels import add_edge, is_too_early, leave_order

        edge = self.edge_of.get((min(a, b), max(a, b)))
        if edge is None:
            if not self.free_edges:
                self.make_room(nodes=False)
            edge = self.free_edges.pop()
            self.edge_of[min(a, b), max(a, b)] = edge
            self.table.coupling[edge] = 0.0
            add_edge(self.handle, edge, a, b)
            self.changes += 1
            for row, body in ((a, b), (b, a)):
                if is_too_early(self.handle, row, body):
                    leave_order(self.handle, row)
                    self.new.append(row)
        turned = self.table.edge[0, edge] != a
        self.table.coupling[edge, : self.table.size[b if turned else a], : self.table.size[a if turned else b]] = (
            block.T if turned else block
        )
        self.touch([a, b])
        return edge

    def uncouple(self, a: int, b: int) -> None:
        """Let two nodes meet no more."""
        self.forget(self.edge_of[min(a, b), max(a, b)])
        self.changes += 1

    def set(self, node: int, block: Array) -> None:
        """H of a node with itself."""
        size = self.table.size[node]
        self.table.diagonal[node, :size, :size] = block
        self.touch([node])

    def touch(self, nodes: Iterable[int] | None = None) -> None:
        """Say that values in the columns of these nodes were written, or of all."""
        from taut.linalg.augmented_edit_kernels import touch

        touch(self.handle, self.nodes if nodes is None else np.array(list(nodes), np.int64))

    def update(self) -> int:
        """Do again what feels the changes; returns the first node whose block is not definite with its sign, or -1."""
        if self.new:
            self.place_new()
        found = self.renew()
        grown = self.fill > FILL_GROWTH * self.fresh[0] or self.table.counts[HEIGHT] > HEIGHT_GROWTH * self.fresh[1]
        if found == -1 and grown:
            return self.order()
        if self.changes >= PROBE_EVERY:
            self.changes = 0
            if found != -1 or self.probe() > PROBE_RESIDUAL:
                return self.order()
        return found

    def order(self) -> int:
        """Order all nodes and factor them; returns what `update` does."""
        from taut.linalg.augmented_edit_kernels import list_neighbours, put_in_order
        from taut.structure.shallow_order_kernels import order_shallow

        table, nodes = self.table, self.nodes
        start, near = np.zeros(nodes.size + 1, np.int64), np.empty(2 * len(self.edge_of), np.int64)
        list_neighbours(self.handle, nodes, start, near)
        bits = np.empty((nodes.size, nodes.size // 32 + 1), np.int64)
        order = np.empty(nodes.size, np.int64)
        order_shallow(table.sign[nodes], start, near, bits, np.empty((4, nodes.size), np.int64), order)
        self.new.clear()
        put_in_order(self.handle, nodes[order])
        found = self.renew()
        self.fresh = self.fill, int(table.counts[HEIGHT])
        self.changes, self.orderings = 0, self.orderings + 1
        return found

    def solve(self, x: Array) -> None:
        """x <- H^-1 x in place: (nodes, 6) by number, what is beyond a node's size is left alone; or (k, nodes, 6)."""
        from taut.linalg.augmented_solve_kernels import solve

        solve(self.handle, x if x.ndim == 3 else x[None])

    def multiply(self, x: Array, y_out: Array) -> None:
        """y = H x, both (nodes, 6)."""
        from taut.linalg.augmented_solve_kernels import multiply

        multiply(self.handle, x, y_out)

    def probe(self) -> float:
        """Scaled residual |H x - b| / |b| of a solve whose solution has numbers from -1 to 1."""
        x, b, left = np.zeros((3, self.table.size.size, LARGEST))
        x[:] = np.cos(np.arange(x.size, dtype=float)).reshape(x.shape)
        x[np.arange(LARGEST) >= self.table.size[:, None]] = 0.0
        self.multiply(x, b)
        x[:] = b
        self.solve(x)
        self.multiply(x, left)
        return float(np.abs(left - b).max() / max(np.abs(b).max(), np.finfo(float).tiny)) if b.any() else 0.0

    def place_new(self) -> None:
        """Give new nodes places: definite ones first, the others right after the last node that they meet."""
        from taut.linalg.augmented_edit_kernels import place_node

        for sign in (1, -1):
            for node in self.new:
                if self.table.sign[node] == sign:
                    place_node(self.handle, node)
        self.new.clear()

    def renew(self) -> int:
        """Do what is in the queue, with more room where that is needed."""
        from taut.linalg.augmented_kernels import renew

        table = self.table
        table.counts[HEIGHT] = table.counts[FRONTS] = 0
        while (found := renew(self.handle)) == GROW:
            self.widen()
        return int(found)

    def edges(self, node: int) -> list[int]:
        """Numbers of the couplings of a node."""
        found, edge, table = [], int(self.table.first_edge[node]), self.table.edge
        while edge >= 0:
            found.append(edge)
            edge = int(table[2 if table[0, edge] == node else 3, edge])
        return found

    def forget(self, edge: int) -> None:
        """Take out a coupling."""
        from taut.linalg.augmented_edit_kernels import remove_edge

        a, b = (int(each) for each in self.table.edge[:2, edge])
        remove_edge(self.handle, edge)
        del self.edge_of[min(a, b), max(a, b)]
        self.free_edges.append(edge)

    def make_room(self, nodes: bool) -> None:
        """Room for twice as many nodes, or couplings."""
        table = self.table
        had = table.size.size if nodes else table.edge.shape[1]
        wider = AugmentedTable.of(2 * had, 2 * had)
        names = [*AugmentedTable.by_node(), "diagonal"] if nodes else ["edge", "coupling"]
        for name in names:
            old, new = getattr(table, name), getattr(wider, name)
            new[(slice(None), slice(had)) if name == "edge" else slice(had)] = old
        self.hold(table._replace(**{name: getattr(wider, name) for name in names}))
        (self.free_nodes if nodes else self.free_edges).extend(range(2 * had - 1, had - 1, -1))

    def widen(self) -> None:
        """Room for twice what the fronts take, without what moved ones have left behind, and for the widest one."""
        from taut.linalg.augmented_kernels import pack

        table, rows = self.table, int(self.table.counts[WIDEST])
        live = table.size > 0
        below = np.zeros(2 * int(table.below_count[live].sum()) + 2 * live.size, np.int64)
        value = np.zeros(2 * int(table.value_room[live].sum()) + rows * (rows + 1))
        pack(self.handle, below, value)
        table = table._replace(below=below, value=value)
        if rows > table.map.size:
            table = table._replace(map=np.zeros(2 * rows, np.int64), across=np.zeros((LARGEST, 2 * rows)))
        self.hold(table)

    def hold(self, table: AugmentedTable) -> None:
        """Go on with this table."""
        self.table, self.handle = table, held(table)
