"""Groups of bodies that rows join: what one group does is no business of another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.model.model import Model
from taut.rows.layout import RowLayout
from taut.spatial import Integers


def joined_groups(model: Model) -> Integers:
    """Label (n,) of every body: the lowest index in its group, 0 for what does not move."""
    from taut.structure.union_kernels import join_rows

    layout, moves = model.layout, model.bodies.moves
    parent = np.arange(moves.size)
    join_rows(layout.entry_start, layout.entry_body, moves, parent)
    return parent


def held_groups(model: Model, joined: Integers, row_body: Integers) -> Integers:
    """The same labels where all that is fixed is one, group 0, with what rows join to it.

    Shapes: joined (n,), see `joined_groups`; row_body (rows,), see `first_moving_body`
    """
    layout, moves = model.layout, model.bodies.moves
    tied = np.zeros(joined.size, bool)
    tied[joined[row_body[layout.entry_row[moves[layout.entry_body] == 0]]]] = True
    return np.where(tied[joined], 0, joined)


def first_moving_body(layout: RowLayout, moves: NDArray[np.uint8]) -> Integers:
    """First body (rows,) of every row that moves; 0, the world, where none does."""
    from taut.structure.union_kernels import find_first_moving

    body = np.empty(layout.row_count, np.int64)
    find_first_moving(layout.entry_start, layout.entry_body, moves, body)
    return body


def merged_groups(
    group: Integers, moves: NDArray[np.uint8], body_a: Integers, body_b: Integers, counts: Any
) -> Integers:
    """Group (n,) of every body after bodies met at contacts that `counts` (contacts,) says; the lowest number stays."""
    from taut.structure.union_kernels import merge_groups

    parent = np.arange(int(group.max(initial=0)) + 1)
    label = np.where(moves > 0, group, -1)
    merge_groups(label[body_a], label[body_b], np.asarray(counts).astype(np.uint8), parent)
    return parent[group]
