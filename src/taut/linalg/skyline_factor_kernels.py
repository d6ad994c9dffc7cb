"""Compiled methods of `SkylineFactor`: what pivoting asks of a factor, see `linalg.factor`."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.linalg.skyline import COMPACT, DIAGONAL, INVERSE, SkylineFactor
from taut.linalg.skyline_kernels import skyline_factor, skyline_gather, skyline_number, skyline_solve
from taut.tables import Flags, Reals, Wholes, generic, method


@kernel("void(int64[:, ::1], int64, float64[::1], float64[::1])")
def skyline_shift(
    layout, panels, shift,
    storage_out,
):  # fmt: skip
    """Add a diagonal to an assembled matrix that is not factored yet.

    Shapes:  shift (free rows,)
    """
    for p in range(panels):
        start, height = layout[0, p], layout[2, p]
        for i in range(start, layout[0, p + 1]):
            storage_out[layout[1, p] + (i - start) * (height + 1)] += shift[i]


@method(SkylineFactor)
def load(factor: SkylineFactor, values: Reals, scale: Reals) -> int:
    """Permute and scale a matrix, A~ = D^-1/2 A D^-1/2; see `Factor.load`.

    Writes:  factor.entries
    """
    lower_start, lower_column = factor.symbolic.lower_start, factor.symbolic.lower_column
    lower_source, entries_out = factor.symbolic.lower_source, factor.entries
    total = 0.0
    for k in range(scale.size):
        a = lower_start[k]
        b = lower_start[k + 1]
        columns = lower_column[a:b]
        sources = lower_source[a:b]
        entries = entries_out[a:b]
        for e in range(columns.size):
            entries[e] = values[sources[e]] * scale[k] * scale[columns[e]]
            # 0 x is 0 for every finite x and NaN for all else
            total += 0.0 * entries[e]
    return 1 if total == 0.0 else 0


@kernel("void(float64[::1], float64[::1], float64[::1], float64[::1])")
def multiply_triangle(entries, lam, bias, w_out):
    """w = A lam + b with a full symmetric matrix given by the rows of its lower triangle, one after the other.

    Shapes:  entries (n (n + 1) / 2,), all others (n,)
    """
    end = 0
    for k in range(lam.size):
        row = entries[end : end + k + 1]
        end += k + 1
        x = lam[k]
        # sums of their own, so that none waits for another
        a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        whole = k // 8 * 8
        for j in range(0, whole, 8):
            a += row[j] * lam[j]
            b += row[j + 1] * lam[j + 1]
            c += row[j + 2] * lam[j + 2]
            d += row[j + 3] * lam[j + 3]
            e += row[j + 4] * lam[j + 4]
            f += row[j + 5] * lam[j + 5]
            g += row[j + 6] * lam[j + 6]
            h += row[j + 7] * lam[j + 7]
        for j in range(whole, k):
            a += row[j] * lam[j]
        for j in range(k):
            w_out[j] += row[j] * x
        w_out[k] = bias[k] + row[k] * x + ((a + b) + (c + d)) + ((e + f) + (g + h))


@method(SkylineFactor)
def multiply(factor: SkylineFactor, begin: int, end: int, lam: Reals, bias: Reals, w_out: Reals) -> None:
    """w = A~ lam + b on a part, from the lower triangle; see `Factor.multiply`."""
    lower_start, lower_column = factor.symbolic.lower_start, factor.symbolic.lower_column
    entries = factor.entries
    count = end - begin
    if 2 * (lower_start[end] - lower_start[begin]) == count * (count + 1):
        # a full island: its rows are in the order given, so its columns are as well
        triangle = entries[lower_start[begin] : lower_start[end]]
        multiply_triangle(triangle, lam[begin:end], bias[begin:end], w_out[begin:end])
        return
    for k in range(begin, end):
        a = lower_start[k]
        b = lower_start[k + 1] - 1
        columns = lower_column[a:b]
        row = entries[a:b]
        x = lam[k]
        total = bias[k] + entries[b] * x
        for e in range(columns.size):
            j = np.uintp(columns[e])  # never negative, so it is not asked whether it counts from the end
            total += row[e] * lam[j]
            w_out[j] += row[e] * x
        w_out[k] = total


@generic
def number_free(factor: SkylineFactor, begin: int, end: int, index_set: Wholes) -> None:
    """Lay out panels for the free rows of a part; see `skyline_number`."""
    symbolic = factor.symbolic
    factor.panels[0] = skyline_number(
        begin, end, symbolic.lower_start, symbolic.lower_column, index_set, factor.numbers, factor.layout
    )


@generic
def factor_numbered(factor: SkylineFactor, shift: Reals, dependent_out: Flags) -> int:
    """Gather the rows that were numbered into their panels and factor them; see `skyline_factor`.

    Writes:  all of factor but entries; dependent_out
    """
    symbolic, layout, storage, panels = factor.symbolic, factor.layout, factor.storage, factor.panels[0]
    diagonal, inverse, added = factor.real[DIAGONAL], factor.real[INVERSE], factor.real[COMPACT]
    position, count = factor.numbers[1], layout[0, panels]
    skyline_gather(
        symbolic.lower_start, symbolic.lower_column, factor.entries, factor.numbers, layout, panels, storage, diagonal
    )
    if shift.size > 0:
        for i in range(count):
            added[i] = shift[position[i]]
            diagonal[i] += added[i]
        skyline_shift(layout, panels, added, storage)
    found = skyline_factor(layout, panels, diagonal, storage, inverse)
    for i in range(count):
        dependent_out[position[i]] = 1 if inverse[i] == 0.0 else 0
    return found


@method(SkylineFactor)
def factorise(
    factor: SkylineFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags
) -> int:
    """Factor the free rows of a part in panels of their own; see `Factor.factorise`.

    Writes:  all of factor but entries; dependent_out
    """
    number_free(factor, begin, end, index_set)
    return factor_numbered(factor, shift, dependent_out)


@method(SkylineFactor)
def solve(factor: SkylineFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve with the last factor; the unknowns of dependent rows become 0; see `Factor.solve` and `skyline_solve`."""
    layout, position, x = factor.layout, factor.numbers[1], factor.real[COMPACT]
    panels = factor.panels[0]
    count = layout[0, panels]
    for i in range(count):
        x[i] = rhs[position[i]]
    for i in range(count, (count + 3) // 4 * 4):
        x[i] = 0.0
    skyline_solve(layout, panels, factor.storage, factor.real[INVERSE], x)
    for i in range(count):
        x_out[position[i]] = x[i]
