"""Compiled skyline Cholesky factor in panels.

Columns are grouped in panels of `width` (4, 8 or 16) columns. A panel is a dense column-major rectangle that starts at
its own diagonal and reaches down to the last row that any of its columns touches. The envelope is closed to a monotone
staircase, so the panels that touch a given panel are its direct predecessors. Heights and widths are multiples of 4
(zero rows below, unit columns at the end), so that all work is done in tiles of 4 target by 4 source columns.

`layout` is an int64 array (5, panels + 1): first column, offset in storage, height, first source panel, width.
"""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.tables import generic

DEPENDENT_PIVOT = 1e-14
"""A pivot below this share of the original diagonal is rounding: the row depends on those before it."""
NEGATIVE_PIVOT = -1e-10
"""A pivot below this share of the original diagonal is no rounding: the matrix is not positive semidefinite."""


@kernel("int64(int64[::1], int64, int64[::1], int64[:, ::1])", inner=True)
def skyline_layout(
    first, size,
    last_out,
    layout_out,
):  # fmt: skip
    """Panels of the envelope given by the first column of each row; wide envelopes get wide panels.

    Shapes:  first, last_out (size,), layout_out (5, size // 4 + 2)
    Writes:  last_out (last row of each column in the closed envelope), layout_out
    Returns: number of panels; layout_out[1, panels] is the storage needed
    """
    for i in range(size):
        last_out[i] = i
    for i in range(size):
        last_out[first[i]] = max(last_out[first[i]], i)
    profile = 0
    for i in range(size):
        if i > 0:
            last_out[i] = max(last_out[i], last_out[i - 1])
        profile += last_out[i] - i
    width = 4
    if profile > 12 * size:
        width = 8
    if profile > 40 * size:
        width = 16
    panels = 0
    source = 0
    offset = 0
    for start in range(0, size, width):
        stop = min(start + width, size)
        # round up to whole tiles
        columns = (stop - start + 3) // 4 * 4
        height = max((last_out[stop - 1] - start + 4) // 4 * 4, columns)
        while layout_out[0, source] + layout_out[2, source] <= start and source < panels:
            source += 1
        layout_out[0, panels] = start
        layout_out[1, panels] = offset
        layout_out[2, panels] = height
        layout_out[3, panels] = source
        layout_out[4, panels] = columns
        offset += height * columns
        panels += 1
    layout_out[0, panels] = size
    layout_out[1, panels] = offset
    return panels


@kernel("int64(int64, int64, int64[::1], int64[::1], int64[::1], int64[:, ::1], int64[:, ::1])", apart=True)
def skyline_number(
    begin, end, lower_start, lower_column,  # rows of a lower triangle, the diagonal last in each
    index_set,
    numbers_out,
    layout_out,
):  # fmt: skip
    """Number the free rows (index_set 0) of positions begin..end and lay out panels for them.

    The envelope is that of the free rows alone, so the others cost nothing.

    Shapes:  numbers_out (4, n): number of a position among the free ones or -1, position of a number, workspace
    Writes:  numbers_out, layout_out
    Returns: number of panels; layout_out[0, panels] is the number of free rows
    """
    number, position, first = numbers_out[0], numbers_out[1], numbers_out[2]
    count = 0
    for k in range(begin, end):
        number[k] = -1
        if index_set[k] == 0:
            number[k] = count
            position[count] = k
            reach = count
            columns = lower_column[lower_start[k] : lower_start[k + 1] - 1]
            for e in range(columns.size):
                j = number[columns[e]]
                if 0 <= j < reach:
                    reach = j
                    if reach == 0:
                        break
            first[count] = reach
            count += 1
    return skyline_layout(first, count, numbers_out[3], layout_out)


@kernel("void(int64[::1], int64[::1], float64[::1], int64[:, ::1], int64[:, ::1], int64, float64[::1], float64[::1])")
def skyline_gather(
    lower_start, lower_column, entries,
    numbers,
    layout, panels,
    storage_out,
    diagonal_out,
):  # fmt: skip
    """Gather the rows and columns that were numbered into their panels, see `skyline_number`.

    Writes:  storage_out, diagonal_out (1 in the columns that only fill the last tile), the workspace in numbers
    """
    number, position, count = numbers[0], numbers[1], layout[0, panels]
    used = storage_out[: layout[1, panels]]
    for k in range(used.size):
        used[k] = 0.0
    # the envelope is used up: its row now takes where row 0 of each column would be
    base = numbers[2]
    for p in range(panels):
        start, height = layout[0, p], layout[2, p]
        for j in range(start, layout[0, p + 1]):
            base[j] = layout[1, p] + (j - start) * height - start
    for i in range(count):
        a = lower_start[position[i]]
        b = lower_start[position[i] + 1]
        columns = lower_column[a:b]
        row = entries[a:b]
        for e in range(columns.size):
            j = number[columns[e]]
            if j >= 0:
                used[base[j] + i] = row[e]
        diagonal_out[i] = entries[b - 1]
    for i in range(count, (count + 3) // 4 * 4):
        start = layout[0, panels - 1]
        used[layout[1, panels - 1] + (i - start) * (layout[2, panels - 1] + 1)] = 1.0
        diagonal_out[i] = 1.0


@generic
def skyline_assemble(
    begin, end, lower_start, lower_column, entries, index_set,
    numbers_out,
    layout_out,
    storage_out,
    diagonal_out,
):  # fmt: skip
    """Number the free rows of positions begin..end and gather them; see `skyline_number` and `skyline_gather`.

    Returns: number of panels
    """
    panels = skyline_number(begin, end, lower_start, lower_column, index_set, numbers_out, layout_out)
    skyline_gather(lower_start, lower_column, entries, numbers_out, layout_out, panels, storage_out, diagonal_out)
    return panels


@kernel("void(float64[::1], int64, int64, int64, int64, int64)", inner=True)
def subtract_tile(storage_out, target, target_height, source, source_height, rows):
    """T -= S C' for 4 target columns T, 4 source columns S and C the top 4 rows of S.

    `target` and `source` are the offsets, in the first column of each, of the row where the target has its diagonal.
    """
    s0 = storage_out[source : source + rows]
    s1 = storage_out[source + source_height : source + source_height + rows]
    s2 = storage_out[source + 2 * source_height : source + 2 * source_height + rows]
    s3 = storage_out[source + 3 * source_height : source + 3 * source_height + rows]
    t0 = storage_out[target : target + rows]
    t1 = storage_out[target + target_height : target + target_height + rows]
    t2 = storage_out[target + 2 * target_height : target + 2 * target_height + rows]
    t3 = storage_out[target + 3 * target_height : target + 3 * target_height + rows]
    a0, a1, a2, a3 = s0[0], s0[1], s0[2], s0[3]
    b0, b1, b2, b3 = s1[0], s1[1], s1[2], s1[3]
    c0, c1, c2, c3 = s2[0], s2[1], s2[2], s2[3]
    d0, d1, d2, d3 = s3[0], s3[1], s3[2], s3[3]
    for r in range(rows):
        x0, x1, x2, x3 = s0[r], s1[r], s2[r], s3[r]
        t0[r] -= x0 * a0 + x1 * b0 + x2 * c0 + x3 * d0
        t1[r] -= x0 * a1 + x1 * b1 + x2 * c1 + x3 * d1
        t2[r] -= x0 * a2 + x1 * b2 + x2 * c2 + x3 * d2
        t3[r] -= x0 * a3 + x1 * b3 + x2 * c3 + x3 * d3


@kernel("float64(float64, float64)", inner=True)
def inverse_root(pivot, diagonal):
    """1 / sqrt(pivot); 0 for a dependent pivot; -1 for a clearly negative one or one that is not a number."""
    if pivot > DEPENDENT_PIVOT * diagonal:
        return 1.0 / math.sqrt(pivot)
    if pivot >= NEGATIVE_PIVOT * diagonal:
        return 0.0
    return -1.0


@kernel("int64(float64[::1], int64, int64, int64, float64[::1], float64[::1])", inner=True)
def factor_columns(storage_out, start, height, rows, diagonal, inverse_out):
    """Factor 4 columns whose diagonal starts at offset `start`; a dependent column becomes zero, its inverse pivot 0.

    Returns: dependent columns, or -1 - column if the matrix is not positive semidefinite there
    """
    t0 = storage_out[start : start + rows]
    t1 = storage_out[start + height : start + height + rows]
    t2 = storage_out[start + 2 * height : start + 2 * height + rows]
    t3 = storage_out[start + 3 * height : start + 3 * height + rows]
    i0 = inverse_root(t0[0], diagonal[0])
    l1, l2, l3 = t0[1] * i0, t0[2] * i0, t0[3] * i0
    i1 = inverse_root(t1[1] - l1 * l1, diagonal[1])
    m2, m3 = (t1[2] - l2 * l1) * i1, (t1[3] - l3 * l1) * i1
    i2 = inverse_root(t2[2] - l2 * l2 - m2 * m2, diagonal[2])
    n3 = (t2[3] - l3 * l2 - m3 * m2) * i2
    i3 = inverse_root(t3[3] - l3 * l3 - m3 * m3 - n3 * n3, diagonal[3])
    inverse_out[0], inverse_out[1], inverse_out[2], inverse_out[3] = i0, i1, i2, i3
    dependent = 0
    for k in range(4):
        if inverse_out[k] < 0.0:
            return -1 - k
        if inverse_out[k] == 0.0:
            dependent += 1
    t0[1], t0[2], t0[3] = l1, l2, l3
    t1[2], t1[3] = m2, m3
    t2[3] = n3
    u0, u1, u2, u3 = t0[4:rows], t1[4:rows], t2[4:rows], t3[4:rows]
    for r in range(rows - 4):
        x0 = u0[r] * i0
        x1 = (u1[r] - l1 * x0) * i1
        x2 = (u2[r] - l2 * x0 - m2 * x1) * i2
        x3 = (u3[r] - l3 * x0 - m3 * x1 - n3 * x2) * i3
        u0[r], u1[r], u2[r], u3[r] = x0, x1, x2, x3
    return dependent


@kernel("int64(int64[:, ::1], int64, float64[::1], float64[::1], float64[::1])", apart=True)
def skyline_factor(
    layout, panels,
    diagonal,
    storage_out,
    inverse_out,
):  # fmt: skip
    """Cholesky factor A = L L' in place, left-looking by panels.                         [Lefebvre2020, sec. 2.2]

    Shapes:  diagonal (original diagonal of A) and inverse_out (1 / L_jj) of the size rounded up to 4
    Writes:  storage_out: strict lower part of L in place of A (its diagonal is only in inverse_out); inverse_out
    Cost:    sum of squared column heights, about size * bandwidth**2 flops
    Returns: number of dependent rows, or -1 - j where column j shows that A is not positive semidefinite
    """
    dependent = 0
    for p in range(panels):
        start, offset, height, width = layout[0, p], layout[1, p], layout[2, p], layout[4, p]
        for s in range(layout[3, p], p):
            source_height = layout[2, s]
            row = start - layout[0, s]
            rows = source_height - row
            for j in range(0, min(width, rows), 4):
                for k in range(0, layout[4, s], 4):
                    source = layout[1, s] + k * source_height + row + j
                    subtract_tile(storage_out, offset + j * height + j, height, source, source_height, rows - j)
        for j in range(0, width, 4):
            target = offset + j * height + j
            rows = height - j
            for k in range(0, j, 4):
                subtract_tile(storage_out, target, height, offset + k * height + j, height, rows)
            column = start + j
            tile = slice(column, column + 4)
            found = factor_columns(storage_out, target, height, rows, diagonal[tile], inverse_out[tile])
            if found < 0:
                return found - column
            dependent += found
    return dependent


@kernel("void(float64[::1], int64, int64, int64, float64[::1], float64[::1])", inner=True)
def forward_tile(storage, start, height, rows, inverse, x_out):
    """Forward substitution with 4 columns whose diagonal starts at offset `start`.

    Shapes:  inverse (4,), x_out (rows,) from the first of these columns on
    """
    l0 = storage[start : start + rows]
    l1 = storage[start + height : start + height + rows]
    l2 = storage[start + 2 * height : start + 2 * height + rows]
    l3 = storage[start + 3 * height : start + 3 * height + rows]
    x0 = x_out[0] * inverse[0]
    x1 = (x_out[1] - l0[1] * x0) * inverse[1]
    x2 = (x_out[2] - l0[2] * x0 - l1[2] * x1) * inverse[2]
    x3 = (x_out[3] - l0[3] * x0 - l1[3] * x1 - l2[3] * x2) * inverse[3]
    for r in range(4, rows):
        x_out[r] -= l0[r] * x0 + l1[r] * x1 + l2[r] * x2 + l3[r] * x3
    x_out[0], x_out[1], x_out[2], x_out[3] = x0, x1, x2, x3


@kernel("void(float64[::1], int64, int64, int64, float64[::1], float64[::1])", inner=True)
def backward_tile(storage, start, height, rows, inverse, x_out):
    """Back substitution with 4 columns, see `forward_tile`."""
    l0 = storage[start : start + rows]
    l1 = storage[start + height : start + height + rows]
    l2 = storage[start + 2 * height : start + 2 * height + rows]
    l3 = storage[start + 3 * height : start + 3 * height + rows]
    x0, x1, x2, x3 = x_out[0], x_out[1], x_out[2], x_out[3]
    for r in range(4, rows):
        x0 -= l0[r] * x_out[r]
        x1 -= l1[r] * x_out[r]
        x2 -= l2[r] * x_out[r]
        x3 -= l3[r] * x_out[r]
    x3 *= inverse[3]
    x2 = (x2 - l2[3] * x3) * inverse[2]
    x1 = (x1 - l1[2] * x2 - l1[3] * x3) * inverse[1]
    x_out[0] = (x0 - l0[1] * x1 - l0[2] * x2 - l0[3] * x3) * inverse[0]
    x_out[1], x_out[2], x_out[3] = x1, x2, x3


@kernel("void(int64[:, ::1], int64, float64[::1], float64[::1], float64[::1])", apart=True)
def skyline_back(
    layout, panels, storage, inverse,
    x_out,
):  # fmt: skip
    """Solve L' x = x in place; see `skyline_solve`.

    Writes:  x_out
    """
    for p in range(panels - 1, -1, -1):
        height = layout[2, p]
        for j in range(layout[4, p] - 4, -1, -4):
            column, rows = layout[0, p] + j, height - j
            x = x_out[column : column + rows]
            backward_tile(storage, layout[1, p] + j * height + j, height, rows, inverse[column : column + 4], x)


@kernel("void(int64[:, ::1], int64, float64[::1], float64[::1], float64[::1])", apart=True)
def skyline_solve(
    layout, panels, storage, inverse,
    x_out,
):  # fmt: skip
    """Solve L L' x = x in place, four columns at a time; unknowns of dependent rows become 0.

    Shapes:  inverse and x_out of the size rounded up to 4 (padding of x_out must be 0)
    Writes:  x_out
    Cost:    4 flops an entry of L
    """
    for p in range(panels):
        height = layout[2, p]
        for j in range(0, layout[4, p], 4):
            column, rows = layout[0, p] + j, height - j
            x = x_out[column : column + rows]
            forward_tile(storage, layout[1, p] + j * height + j, height, rows, inverse[column : column + 4], x)
    skyline_back(layout, panels, storage, inverse, x_out)
