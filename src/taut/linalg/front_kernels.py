"""Compiled work on fronts: gather a front, eliminate its columns, solve along the tree."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.linalg.fronts import (
    BELOW,
    COMPACT,
    DIAGONAL,
    DROPPED,
    FREE,
    INVERSE,
    MARK,
    SOURCE,
    TARGET,
    TIGHT,
    VALID,
    FrontFactor,
)
from taut.linalg.skyline_kernels import backward_tile, factor_columns, forward_tile, subtract_tile
from taut.structure.cost_kernels import tiled
from taut.tables import Flags, Reals, Wholes


@kernel()
def mark_fronts(factor: FrontFactor, begin: int, end: int, index_set: Wholes, anew: int) -> None:
    """Mark the nodes of a part whose fronts are not those of the labels, or all if `anew`, and all their ancestors.

    Writes:  label, MARK and VALID of the factor
    """
    tree, tight, dropped, state = factor.tree, factor.label[TIGHT], factor.label[DROPPED], factor.state
    first, last = tree.node_begin[begin], tree.node_begin[end]
    valid = 0
    for k in range(first, last):
        valid += state[VALID, k]
    anew = 1 if valid == 0 else anew
    regained = 0
    for k in range(first, last):
        mark = max(anew, 1 - state[VALID, k])
        for c in range(tree.first[k], tree.first[k + 1]):
            label = 1 if index_set[tree.position[c]] != 0 else 0
            if anew == 1:
                dropped[c] = label
            elif label < dropped[c]:
                dropped[c] = 0
                regained = 1
            if label != tight[c]:
                tight[c] = label
                mark = 1
        state[MARK, k] = mark
    if regained == 1 and anew == 0:
        for k in range(first, last):
            for a in range(tree.row_start[k], tree.row_start[k + 1]):
                if factor.number[a] < 0 and dropped[tree.row[a]] == 0:
                    state[MARK, k] = 1
    for k in range(first, last):
        if state[MARK, k] == 1:
            # labels are those of now, whether or not the front is done
            state[VALID, k] = 0
            if tree.parent[k] >= 0:
                state[MARK, tree.parent[k]] = 1


@kernel(inner=True)
def choose_rows(factor: FrontFactor, k: int) -> None:
    """Number the columns of a front that are eliminated, and the rows below that are not left out.

    Writes:  column, below, number, FREE, BELOW, and COMPACT of local
    """
    tree, compact = factor.tree, factor.local[COMPACT]
    column_out = factor.column[tree.padded[k] : tree.padded[k + 1]]
    first, count = tree.first[k], 0
    for j in range(tree.first[k + 1] - first):
        compact[j] = -1
        if factor.label[TIGHT, first + j] == 0:
            compact[j] = count
            column_out[count] = first + j
            count += 1
    factor.state[FREE, k] = count
    start, count = tree.row_start[k], 0
    for a in range(start, tree.row_start[k + 1]):
        factor.number[a] = -1
        if factor.label[DROPPED, tree.row[a]] == 0:
            factor.number[a] = count
            factor.below[start + count] = tree.row[a]
            count += 1
    factor.state[BELOW, k] = count


@kernel(inner=True)
def gather_entries(factor: FrontFactor, k: int, shift: Reals) -> None:
    """The entries of the matrix that belong to a front, zeros elsewhere.

    Writes:  storage, DIAGONAL
    """
    tree, compact, entries = factor.tree, factor.local[COMPACT], factor.entries
    width, free = tree.first[k + 1] - tree.first[k], factor.state[FREE, k]
    wide, rest = tiled(free), tiled(factor.state[BELOW, k])
    height = wide + rest
    front = factor.storage[tree.offset[k] : tree.offset[k] + wide * height + rest * rest]
    for i in range(front.size):
        front[i] = 0.0
    source, row, column = tree.entry[0], tree.entry[1], tree.entry[2]
    number = factor.number[tree.row_start[k] : tree.row_start[k + 1]]
    for e in range(tree.entry_start[k], tree.entry_start[k + 1]):
        q = compact[column[e]]
        if q >= 0:
            r = compact[row[e]] if row[e] < width else number[row[e] - width]
            if r >= 0:
                front[q * height + (r if row[e] < width else wide + r)] = entries[source[e]]
    diagonal = factor.real[DIAGONAL, tree.padded[k] : tree.padded[k + 1]]
    columns = factor.column[tree.padded[k] : tree.padded[k + 1]]
    for q in range(free):
        if shift.size > 0:
            front[q * (height + 1)] += shift[tree.position[columns[q]]]
        diagonal[q] = front[q * (height + 1)]
    for q in range(free, wide):
        front[q * (height + 1)] = 1.0
        diagonal[q] = 1.0


@kernel(inner=True)
def add_update(factor: FrontFactor, child: int, k: int) -> None:
    """Add the update matrix that a child left to the front of its parent; what is for tight columns is left out.

    Writes:  storage, SOURCE and TARGET of local
    """
    tree, compact, source, target = factor.tree, factor.local[COMPACT], factor.local[SOURCE], factor.local[TARGET]
    width, wide, rest = tree.first[k + 1] - tree.first[k], tiled(factor.state[FREE, k]), tiled(factor.state[BELOW, k])
    height, storage = wide + rest, factor.storage
    own = factor.number[tree.row_start[k] : tree.row_start[k + 1]]
    number = factor.number[tree.row_start[child] : tree.row_start[child + 1]]
    place = tree.place[tree.row_start[child] : tree.row_start[child + 1]]
    given_wide, given_rest = tiled(factor.state[FREE, child]), tiled(factor.state[BELOW, child])
    begin = tree.offset[child] + given_wide * (given_wide + given_rest)
    count = 0
    for a in range(place.size):
        r = compact[place[a]] if place[a] < width else own[place[a] - width]
        source[count] = number[a]
        target[count] = r if place[a] < width else wide + r
        count += 1 if number[a] >= 0 and r >= 0 else 0
    for a in range(count):
        r, s, left = target[a], source[a], count - a
        # columns of the update matrix begin at their diagonal, which is `wide` rows down in the front
        start = tree.offset[k] + (r * height if r < wide else wide * height + (r - wide) * rest - wide)
        if target[count - 1] - r == left - 1 and source[count - 1] - s == left - 1:
            taken, given = storage[start + r : start + r + left], storage[begin + s * given_rest + s :]
            for b in range(left):
                taken[b] += given[b]
        else:
            taken, given = storage[start : start + height], storage[begin + s * given_rest :]
            for b in range(a, count):
                taken[np.uintp(target[b])] += given[np.uintp(source[b])]


@kernel(inner=True)
def eliminate_columns(factor: FrontFactor, k: int) -> int:
    """Factor the free columns of a gathered front and subtract their products from its update matrix.

    Writes:  storage, INVERSE
    Cost:    w (w^2 / 3 + w h + h^2) multiplications for w columns and h rows below
    Returns: dependent columns, or a negative number if the matrix is not positive semidefinite
    """
    tree, storage = factor.tree, factor.storage
    diagonal = factor.real[DIAGONAL, tree.padded[k] : tree.padded[k + 1]]
    inverse = factor.real[INVERSE, tree.padded[k] : tree.padded[k + 1]]
    wide, rest = tiled(factor.state[FREE, k]), tiled(factor.state[BELOW, k])
    height, offset, dependent = wide + rest, tree.offset[k], 0
    for j in range(0, wide, 4):
        target = offset + j * height + j
        for i in range(0, j, 4):
            subtract_tile(storage, target, height, offset + i * height + j, height, height - j)
        found = factor_columns(storage, target, height, height - j, diagonal[j : j + 4], inverse[j : j + 4])
        if found < 0:
            return -1
        dependent += found
    update = offset + wide * height
    for j in range(0, rest, 4):
        for i in range(0, wide, 4):
            subtract_tile(storage, update + j * rest + j, rest, offset + i * height + wide + j, height, rest - j)
    return dependent


@kernel(apart=True)
def gather_front(factor: FrontFactor, k: int, shift: Reals) -> None:
    """The front of a node before any of its columns is eliminated.

    Writes:  the factor
    """
    tree = factor.tree
    choose_rows(factor, k)
    gather_entries(factor, k, shift)
    for child in range(tree.child_start[k], tree.child_start[k + 1]):
        add_update(factor, tree.child[child], k)


@kernel(apart=True)
def factor_nodes(factor: FrontFactor, first: int, last: int, shift: Reals, dependent_out: Flags) -> int:
    """Do the fronts of the nodes first..last that are marked, see `mark_fronts` and `Factor.factorise`.

    Writes:  the factor; dependent_out
    """
    tree, state = factor.tree, factor.state
    found = 0
    for k in range(first, last):
        if state[MARK, k] == 1 and found >= 0:
            gather_front(factor, k, shift)
            found = min(eliminate_columns(factor, k), 0)
            # a factor of a shifted matrix is good for one use
            state[VALID, k] = 1 if found == 0 and shift.size == 0 else 0
    if found < 0:
        return found
    for k in range(first, last):
        for q in range(tree.padded[k], tree.padded[k] + state[FREE, k]):
            lost = 1 if factor.real[INVERSE, q] == 0.0 else 0
            dependent_out[tree.position[factor.column[q]]] = lost
            found += lost
    return found


@kernel(apart=True)
def factor_fronts(factor: FrontFactor, begin: int, end: int, shift: Reals, dependent_out: Flags) -> int:
    """Do the fronts of a part that are marked, see `factor_nodes`.

    Writes:  the factor; dependent_out
    """
    found: int = factor_nodes(factor, factor.tree.node_begin[begin], factor.tree.node_begin[end], shift, dependent_out)
    return found


@kernel(inner=True)
def forward_fronts(factor: FrontFactor, first: int, last: int) -> None:
    """Forward substitution x <- L^-1 x along the nodes first..last; tight columns become 0.

    Writes:  x and vector of the factor
    Cost:    2 flops an entry of L
    """
    tree, state, storage, x, vector = factor.tree, factor.state, factor.storage, factor.x, factor.vector
    for k in range(first, last):
        free, wide = state[FREE, k], tiled(state[FREE, k])
        height = wide + tiled(state[BELOW, k])
        columns = factor.column[tree.padded[k] : tree.padded[k] + free]
        rows = factor.below[tree.row_start[k] : tree.row_start[k] + state[BELOW, k]]
        for q in range(free):
            vector[q] = x[np.uintp(columns[q])]
        # what came together at tight columns is nothing that anybody asked for
        for c in range(tree.first[k], tree.first[k + 1]):
            x[c] = 0.0
        for q in range(free, height):
            vector[q] = 0.0
        for j in range(0, wide, 4):
            column = tree.padded[k] + j
            forward_tile(
                storage, tree.offset[k] + j * height + j, height, height - j,
                factor.real[INVERSE, column : column + 4], vector[j:height],
            )  # fmt: skip
        for q in range(free):
            x[np.uintp(columns[q])] = vector[q]
        below = vector[wide : wide + rows.size]
        for a in range(rows.size):
            x[np.uintp(rows[a])] += below[a]


@kernel(inner=True)
def backward_fronts(factor: FrontFactor, first: int, last: int) -> None:
    """Back substitution x <- L^-T x along the nodes last..first.

    Writes:  x and vector of the factor
    Cost:    2 flops an entry of L
    """
    tree, state, storage, x, vector = factor.tree, factor.state, factor.storage, factor.x, factor.vector
    for k in range(last - 1, first - 1, -1):
        free, wide = state[FREE, k], tiled(state[FREE, k])
        height = wide + tiled(state[BELOW, k])
        columns = factor.column[tree.padded[k] : tree.padded[k] + free]
        rows = factor.below[tree.row_start[k] : tree.row_start[k] + state[BELOW, k]]
        for q in range(free):
            vector[q] = x[np.uintp(columns[q])]
        for q in range(free, height):
            vector[q] = 0.0
        below = vector[wide : wide + rows.size]
        for a in range(rows.size):
            below[a] = x[np.uintp(rows[a])]
        for j in range(wide - 4, -1, -4):
            column = tree.padded[k] + j
            backward_tile(
                storage, tree.offset[k] + j * height + j, height, height - j,
                factor.real[INVERSE, column : column + 4], vector[j:height],
            )  # fmt: skip
        for q in range(free):
            x[np.uintp(columns[q])] = vector[q]


@kernel(apart=True)
def solve_fronts(factor: FrontFactor, begin: int, end: int, rhs: Reals, x_out: Reals) -> None:
    """Solve with the fronts of a part; unknowns of dependent rows become 0; see `Factor.solve`.

    Writes:  x_out at free rows; x and vector of the factor
    """
    tree, x, tight = factor.tree, factor.x, factor.label[TIGHT]
    first, last = tree.node_begin[begin], tree.node_begin[end]
    for c in range(tree.first[first], tree.first[last]):
        x[c] = rhs[tree.position[c]]
    forward_fronts(factor, first, last)
    backward_fronts(factor, first, last)
    for c in range(tree.first[first], tree.first[last]):
        if tight[c] == 0:
            x_out[tree.position[c]] = x[c]
