"""Compiled changes of a skyline Cholesky factor: rows leave it and come back, without a new factor.

The factor is that of all rows, in the panels of `skyline_kernels`. A row i that takes no part has a zero column and the
inverse pivot 0, so a solve gives x_i = 0. Its entries in the columns before it stay where they are and are changed with
all others, so that the row can come back: L_ij = (A_ij - sum_k L_ik L_jk) / L_jj holds for them at any time.

With s = L_i+1..,i, what is left of the factor has to become that of

    L L' + s s'    where row i leaves,                                               [Lefebvre2020, Alg. 2.3, 2.5]
    L L' - s s'    where it comes back, s computed anew.

Both carry a vector v and its weight w (1 or -1 at first) through the columns after i. At each column l with pivot y,

    d = y^2 + w v_c^2,   l' = (y l + w v_c v) / sqrt(d),   v' = v - (v_c / y) l   with the weight  w y^2 / d,

which is a plane rotation with its scale kept apart, so that an entry costs two multiplications with addition. Where w
is negative it is a hyperbolic one, in the mixed form that is stable: v' = v - (v_c / sqrt(d)) l' with the weight
w d / y^2. Up to LANES vectors go through the panels at once, four columns at a time.
"""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.linalg.skyline_kernels import DEPENDENT_PIVOT
from taut.table_types import matrix, vector

LANES = 8
"""Vectors that are carried through the panels at once."""
PIVOTS = LANES + 1
"""Squares of a pivot before, between and after them."""


@kernel("void(float64[::1], int64, int64, int64, float64[::1], float64[::1], float64[::1])", inner=True)
def rotate_tile(storage_out, start, height, rows, scale, turn, v_out):
    """Rotate 4 columns, scaled first, with a vector: (v, l) <- (v - a l, l + b v), one column after the other.

    Shapes:  scale (4,), turn (8,): a and b of the columns, v_out (rows,)
    Cost:    20 flops a row
    """
    l0 = storage_out[start : start + rows]
    l1 = storage_out[start + height : start + height + rows]
    l2 = storage_out[start + 2 * height : start + 2 * height + rows]
    l3 = storage_out[start + 3 * height : start + 3 * height + rows]
    s0, s1, s2, s3 = scale[0], scale[1], scale[2], scale[3]
    a0, a1, a2, a3 = turn[0], turn[1], turn[2], turn[3]
    b0, b1, b2, b3 = turn[4], turn[5], turn[6], turn[7]
    for r in range(rows):
        x0, y0 = v_out[r], s0 * l0[r]
        x1, y1 = x0 - a0 * y0, s1 * l1[r]
        x2, y2 = x1 - a1 * y1, s2 * l2[r]
        x3, y3 = x2 - a2 * y2, s3 * l3[r]
        v_out[r] = x3 - a3 * y3
        l0[r], l1[r], l2[r], l3[r] = y0 + b0 * x0, y1 + b1 * x1, y2 + b2 * x2, y3 + b3 * x3


@kernel("void(float64[::1], int64, int64, int64, float64[::1], float64[::1], float64[::1])", inner=True)
def unrotate_tile(storage_out, start, height, rows, scale, turn, v_out):
    """The same, hyperbolic: l <- l + b v, then v <- v - a l with the new l."""
    l0 = storage_out[start : start + rows]
    l1 = storage_out[start + height : start + height + rows]
    l2 = storage_out[start + 2 * height : start + 2 * height + rows]
    l3 = storage_out[start + 3 * height : start + 3 * height + rows]
    s0, s1, s2, s3 = scale[0], scale[1], scale[2], scale[3]
    a0, a1, a2, a3 = turn[0], turn[1], turn[2], turn[3]
    b0, b1, b2, b3 = turn[4], turn[5], turn[6], turn[7]
    for r in range(rows):
        x0 = v_out[r]
        y0 = s0 * l0[r] + b0 * x0
        x1 = x0 - a0 * y0
        y1 = s1 * l1[r] + b1 * x1
        x2 = x1 - a1 * y1
        y2 = s2 * l2[r] + b2 * x2
        x3 = x2 - a2 * y2
        y3 = s3 * l3[r] + b3 * x3
        v_out[r] = x3 - a3 * y3
        l0[r], l1[r], l2[r], l3[r] = y0, y1, y2, y3


@kernel("void(float64[::1], float64[:, ::1])", inner=True)
def turn_nothing(scale_out, turns_out):
    """Scale and turns that change no column."""
    for c in range(4):
        scale_out[c] = 1.0
    for lane in range(LANES):
        for e in range(8):
            turns_out[lane, e] = 0.0


@kernel("int64(int64, int64, int64)", inner=True)
def lane_of(k, added, taken):
    """Lane of vector k of those in use: the ones that are added come first, from lane 0 up, the others from the end."""
    return k if k < added else LANES - taken + k - added


@kernel(
    "int64(int64, int64, int64, float64, float64[::1], int64, float64[::1], float64[:, ::1], float64[::1],"
    " float64[::1], float64[:, ::1])",
    inner=True,
)
def turn_column(
    column, added, taken, smallest,
    storage_out, start,  # where the column has its tile's first row
    inverse_out, vectors_out, weights_out,
    scale_out, turns_out,
):  # fmt: skip
    """Scale and turns of one column for all vectors in use; its entries within its tile are changed at once.

    Shapes:  scale_out (4,), turns_out (LANES, 8), see `rotate_tile`
    Writes:  inverse_out, weights_out, scale_out, turns_out, the tile's rows of storage_out and vectors_out
    Returns: 1, or 0 if the pivot would become smaller than `smallest`
    """
    tile = column // 4 * 4
    c = column - tile
    count = added + taken
    before = 1.0 / inverse_out[column]
    pivots, inverses = vector(PIVOTS), vector(PIVOTS)
    pivots[0], inverses[0] = before * before, inverse_out[column] * inverse_out[column]
    for k in range(count):
        lane = lane_of(k, added, taken)
        x = vectors_out[lane, column]
        pivots[k + 1] = pivots[k] + weights_out[lane] * x * x
        if not (pivots[k + 1] > smallest):
            return 0
        inverses[k + 1] = 1.0 / pivots[k + 1]
    if pivots[count] != pivots[0]:
        inverse_out[column] = 1.0 / math.sqrt(pivots[count])
    inverse = inverse_out[column]
    scale_out[c] = before * inverse if pivots[count] != pivots[0] else 1.0
    root = pivots[count] * inverse
    for k in range(count):
        lane = lane_of(k, added, taken)
        x, weight = vectors_out[lane, column], weights_out[lane]
        old, new = (k, k + 1) if k < added else (k + 1, k)
        turns_out[lane, c] = x * root * inverses[old]
        turns_out[lane, 4 + c] = weight * x * inverse
        weights_out[lane] = weight * (pivots[old] * inverses[new])
    for r in range(c + 1, 4):
        y = scale_out[c] * storage_out[start + r]
        for k in range(count):
            lane = lane_of(k, added, taken)
            x, a, b = vectors_out[lane, tile + r], turns_out[lane, c], turns_out[lane, 4 + c]
            below = y + b * x
            vectors_out[lane, tile + r] = x - a * (y if k < added else below)
            y = below
        storage_out[start + r] = y
    return 1


@kernel(
    "void(int64, int64, int64, float64[::1], int64, int64, int64, float64[:, ::1], float64[::1], float64[:, ::1])",
    inner=True,
)
def turn_below(tile, added, taken, storage_out, start, height, rows, vectors_out, scale_out, turns):
    """Rotate the rows below a tile with all vectors in use.

    Shapes:  start is the offset of the first of these rows in the tile's first column
    Writes:  storage_out, vectors_out, ones to scale_out
    """
    for k in range(added + taken):
        lane = lane_of(k, added, taken)
        turn = turns[lane]
        if turn[0] == 0.0 and turn[1] == 0.0 and turn[2] == 0.0 and turn[3] == 0.0:
            continue  # zero in all four rows
        v = vectors_out[lane, tile + 4 : tile + 4 + rows]
        if k < added:
            rotate_tile(storage_out, start, height, rows, scale_out, turn, v)
        else:
            unrotate_tile(storage_out, start, height, rows, scale_out, turn, v)
        for c in range(4):
            scale_out[c] = 1.0


@kernel("void(float64[::1], int64, int64, int64, int64, float64[::1])", inner=True)
def subtract_columns(storage, start, height, columns, rows, v_out):
    """v -= sum_k l_k l_k[0] over the first so many of 4 columns.

    Shapes:  start is the offset of row 0 in the first column; v_out (rows,)
    """
    l0 = storage[start : start + rows]
    l1 = storage[start + height : start + height + rows]
    l2 = storage[start + 2 * height : start + 2 * height + rows]
    l3 = storage[start + 3 * height : start + 3 * height + rows]
    f0, f1 = l0[0], l1[0] if columns > 1 else 0.0
    f2, f3 = l2[0] if columns > 2 else 0.0, l3[0] if columns > 3 else 0.0
    for r in range(rows):
        v_out[r] -= l0[r] * f0 + l1[r] * f1 + l2[r] * f2 + l3[r] * f3


@kernel("float64(int64[:, ::1], int64, int64, float64[::1], float64[::1], float64[::1])", inner=True)
def column_again(layout, p, row, entries, storage, v_out):
    """v = A_i..,i - sum_j<i L_i..,j L_ij, the column of a row that comes back, times its pivot.

    Shapes:  entries: A in the panels, v_out: rows i to the end of the panel
    Returns: v_0, the square of the pivot
    """
    start, height = layout[0, p], layout[2, p]
    a = layout[1, p] + (row - start) * (height + 1)
    given = entries[a : a + v_out.size]
    for r in range(v_out.size):
        v_out[r] = given[r]
    for s in range(layout[3, p], p + 1):
        source_height = layout[2, s]
        first = row - layout[0, s]
        for k in range(0, min(layout[4, s], first), 4):
            place = layout[1, s] + k * source_height + first
            subtract_columns(storage, place, source_height, min(first - k, 4), source_height - first, v_out)
    return v_out[0]


@kernel(
    "int64(int64[:, ::1], int64, int64, float64, float64[::1], float64[::1], float64[::1], float64[::1])", inner=True
)
def exchange_row(
    layout, p, row, smallest, entries,
    storage_out, inverse_out, v_out,
):  # fmt: skip
    """Take a row out of the factor, or back into it if it takes no part; columns after it are not changed.

    Shapes:  v_out (size,)
    Writes:  its column and inverse pivot; the rows of v_out below it, to the end of the panel: the column L_i+1..,i
    Returns: 1 if the row left, -1 if it came back, 0 if it depends on rows before it
    """
    start, height = layout[0, p], layout[2, p]
    rows = start + height - row
    a = layout[1, p] + (row - start) * (height + 1)
    column, v = storage_out[a : a + rows], v_out[row : row + rows]
    if inverse_out[row] > 0.0:
        for r in range(1, rows):
            v[r] = column[r]
            column[r] = 0.0
        inverse_out[row] = 0.0
        return 1
    pivot = column_again(layout, p, row, entries, storage_out, v)
    if not (pivot > smallest):
        return 0
    inverse = 1.0 / math.sqrt(pivot)
    for r in range(1, rows):
        v[r] *= inverse
        column[r] = v[r]
    inverse_out[row] = inverse
    return -1


@kernel(
    "int64(int64[:, ::1], int64, float64[::1], float64[::1], int64[::1], float64[::1], float64[::1], float64[:, ::1])",
    apart=True,
)
def exchange_some(
    layout, panels, entries, diagonal, rows,
    storage_out, inverse_out, vectors_out,
):  # fmt: skip
    """Let up to LANES rows leave or come back, in one pass over the panels; see `skyline_exchange`.

    A tile that holds such a row is done column by column, because a row that comes back is computed from the columns
    before it; in all others four columns go together.
    """
    weights, scale, turns = vector(LANES), vector(4), matrix(LANES, 8)
    added, taken, done, reach = 0, 0, 0, 0
    for p in range(rows[0] // layout[4, 0], panels):
        start, height = layout[0, p], layout[2, p]
        for k in range(added + taken):
            v = vectors_out[lane_of(k, added, taken), reach : start + height]
            for r in range(v.size):
                v[r] = 0.0
        reach = start + height
        for j in range(0, layout[4, p], 4):
            tile, place = start + j, layout[1, p] + j * height + j
            if done == 0 and rows[0] >= tile + 4:
                continue
            together = done == rows.size or rows[done] >= tile + 4
            for c in range(4):
                if c == 0 or not together:
                    turn_nothing(scale, turns)
                column = tile + c
                smallest = DEPENDENT_PIVOT * diagonal[column]
                if done < rows.size and rows[done] == column:
                    lane = added if inverse_out[column] > 0.0 else LANES - 1 - taken
                    sign = exchange_row(
                        layout, p, column, smallest, entries, storage_out, inverse_out, vectors_out[lane]
                    )  # fmt: skip
                    if sign == 0:
                        return -1 - column
                    weights[lane] = sign
                    added, taken, done = added + max(sign, 0), taken + max(-sign, 0), done + 1
                elif inverse_out[column] > 0.0 and turn_column(
                    column, added, taken, smallest, storage_out, place + c * height, inverse_out, vectors_out,
                    weights, scale, turns,
                ) == 0:  # fmt: skip
                    return -1 - column
                if c == 3 or not together:
                    turn_below(
                        tile, added, taken, storage_out, place + 4, height, height - j - 4, vectors_out, scale, turns
                    )
    return 0


@kernel(
    "int64(int64[:, ::1], int64, float64[::1], float64[::1], int64[::1], float64[::1], float64[::1], float64[:, ::1])",
    apart=True,
)
def skyline_exchange(
    layout, panels, entries, diagonal, rows,
    storage_out, inverse_out, vectors_out,
):  # fmt: skip
    """Let rows of a factor leave it, or come back where they take no part.            [Lefebvre2020, Alg. 2.3, 2.5]

    Shapes:  entries: A in the panels (may be empty if no row comes back), diagonal: that of A, rows: ascending,
             vectors_out: workspace (LANES, size rounded up to 4)
    Writes:  storage_out, inverse_out, vectors_out
    Cost:    4 flops an entry of L after the row, for each row; as much again for the column of a row that comes back
    Returns: 0, or -1 - j if column j becomes dependent; the factor is then spoilt, and can only be made anew
    """
    for first in range(0, rows.size, LANES):
        some = rows[first : first + LANES]
        found = exchange_some(layout, panels, entries, diagonal, some, storage_out, inverse_out, vectors_out)
        if found < 0:
            return found
    return 0
