"""The direct solver for bilateral rows: one factor of bodies and rows together, kept, and augmented as rows change.

        [[M,  J^T],  [ u,      [ 0,
         [J, -S  ]]   -lam] =   -b]                                              [InSimo, "augment existing Cholesky"]

M is factored body by body, and every joint extends that factor by its rows. Between steps numbers change and the order
stays; where joints come or go, only what they touch is ordered and factored anew. See `taut.linalg.augmented`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from taut.linalg.augmented import LARGEST, AugmentedFactor
from taut.problem.kkt import Kkt, KktProblem
from taut.structure.incidence import RowEntries

Array = NDArray[np.float64]
Key = tuple[int, tuple[int, ...], int, int]
"""Owner of some rows, the moving bodies that they touch, how many they are, and which of those alike."""


def solve_bilateral(problem: KktProblem, kept: BilateralFactor) -> tuple[Array, Array]:
    """Impulses lam (rows,) and changes of velocity u (bodies, 6), all rows free; NaN where rows say the same twice.

    Bounds are not looked at: who asks judges by the residual. `kept` is changed to the factor of this problem.
    """
    kept.follow(problem.entries)
    if not kept.factorise(problem.blocks):
        return np.full(problem.size, np.nan), np.full((problem.entries.moves.size, 6), np.nan)
    x = np.zeros((kept.factor.table.size.size, LARGEST))
    x[kept.row_node, kept.row_place] = -problem.bias
    kept.factor.solve(x)
    change = np.zeros((problem.entries.moves.size, 6))
    change[kept.bodies] = x[kept.body_node]
    return -x[kept.row_node, kept.row_place], change


class BilateralFactor:
    """Bodies and joints as nodes of one factor: where each row and Jacobian block is in it.

    Attributes:
        factor: of [[M, J^T], [J, -S]].
        bodies, body_node: (n,) moving bodies that rows touch, and their nodes.
        row_node, row_place: (rows,) node of each row, and its place in there.
        entry, entry_edge, entry_place: (blocks of J at moving bodies,) each block, its coupling, and its row there.
    """

    def __init__(self) -> None:
        """A factor of nothing."""
        self.factor = AugmentedFactor()
        self.entries: RowEntries | None = None
        self.node_of_body: dict[int, int] = {}
        self.node_of_rows: dict[Key, int] = {}
        self.bodies = self.body_node = self.row_node = self.row_place = np.zeros(0, np.int64)
        self.entry = self.entry_edge = self.entry_place = np.zeros(0, np.int64)

    def follow(self, entries: RowEntries) -> None:
        """Take over which rows touch which bodies: nodes of those that are gone go, those of new ones come."""
        if entries is self.entries:
            return
        groups = dict(groups_of(entries))
        touched = {body for _, bodies, _, _ in groups for body in bodies}
        for key in [key for key in self.node_of_rows if key not in groups]:
            self.factor.remove(self.node_of_rows.pop(key))
        for body in [body for body in self.node_of_body if body not in touched]:
            self.factor.remove(self.node_of_body.pop(body))
        for body in sorted(touched - set(self.node_of_body)):
            self.node_of_body[body] = self.factor.add(6)
        for key, rows in groups.items():
            if key not in self.node_of_rows:
                node = self.node_of_rows[key] = self.factor.add(len(rows), -1)
                for body in key[1]:
                    self.factor.couple(node, self.node_of_body[body], np.zeros((len(rows), 6)))
        self.entries = entries
        self.note_places(entries, groups)

    def note_places(self, entries: RowEntries, groups: dict[Key, list[int]]) -> None:
        """Note where rows and blocks are."""
        self.bodies = np.array(list(self.node_of_body), np.int64)
        self.body_node = np.array(list(self.node_of_body.values()), np.int64)
        self.row_node, self.row_place = np.empty((2, entries.row_count), np.int64)
        for key, rows in groups.items():
            self.row_node[rows], self.row_place[rows] = self.node_of_rows[key], np.arange(len(rows))
        self.entry = np.flatnonzero(entries.moves[entries.entry_body])
        row, body = entries.entry_row[self.entry], entries.entry_body[self.entry]
        node = np.zeros(entries.moves.size, np.int64)
        node[self.bodies] = self.body_node
        pairs = np.sort(np.stack([self.row_node[row], node[body]]), axis=0).T.tolist()
        self.entry_edge = np.array([self.factor.edge_of[a, b] for a, b in pairs], np.int64)
        self.entry_place = self.row_place[row]

    def factorise(self, blocks: Kkt) -> bool:
        """Factor the numbers of a step; whether every pivot is definite with its sign."""
        table = self.factor.table
        mass = np.zeros((self.bodies.size, 6, 6))
        mass[:, :3, :3] = np.eye(3) / blocks.inverse_mass[self.bodies, None, None]
        mass[:, 3:, 3:] = blocks.turning[self.bodies].reshape(-1, 3, 3)
        table.diagonal[self.body_node] = mass
        table.diagonal[self.row_node, self.row_place, self.row_place] = -blocks.compliance
        table.coupling[self.entry_edge, self.entry_place] = 0.0
        np.add.at(table.coupling, (self.entry_edge, self.entry_place), blocks.jacobian[self.entry])
        self.factor.touch()
        if self.factor.orderings == 0:
            return self.factor.order() == -1
        return self.factor.update() == -1


def groups_of(entries: RowEntries) -> Iterator[tuple[Key, list[int]]]:
    """Rows of one node: at most six one after the other that have the same owner and touch the same moving bodies.

    The key says which node it is in other entries too: owner and bodies, how many rows, and which of those alike.
    """
    start, body, moves = entries.entry_start.tolist(), entries.entry_body, entries.moves
    kinds = []
    for row in range(entries.row_count):
        own = body[start[row] : start[row + 1]]
        kinds.append((int(entries.owner[row]), tuple(dict.fromkeys(own[moves[own] != 0].tolist()))))
    alike: Counter[tuple[object, ...]] = Counter()
    for (owner, bodies), several in groupby(range(len(kinds)), key=kinds.__getitem__):
        for rows in batched(list(several), LARGEST):
            kind = owner, bodies, len(rows)
            alike[kind] += 1
            yield (*kind, alike[kind]), rows


def batched(rows: list[int], most: int) -> list[list[int]]:
    """Pieces of at most so many."""
    return [rows[first : first + most] for first in range(0, len(rows), most)]
