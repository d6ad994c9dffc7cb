"""What factors cost, in nanoseconds: a model, so that choices never depend on a clock and runs repeat to the bit.

The constants are a fit to least times of the kernels on one core of a 2026 x86-64 server (AVX-512), on recorded
problems of machines, chains and piles of 97 to 5,000 rows with none to 60 % of them tight. Only their ratios matter.
Nine predictions in ten are within 0.9 to 1.1 of what was measured for skylines, within 0.7 to 1.2 for fronts.
`taut bench pivoting` measures them again.
"""

from __future__ import annotations

from taut.kernel import kernel

ROW, STORED, PRODUCT, SUBSTITUTED = 10.0, 1.4, 0.0175, 0.38
"""Skyline: a row, an entry of the envelope that is gathered, a multiplication with addition; an entry in a solve."""
FRONT, GATHERED, TILE, FRONT_PRODUCT = 85.0, 0.3, 41.0, 0.008
"""Front: any, an entry of it, a product of tiles of four columns, a multiplication with addition in it."""
FRONT_PASSED, FRONT_SUBSTITUTED = 68.0, 0.34
"""Front in a solve: any, an entry of its columns."""
PLAN, PLAN_ROW, PLAN_ENTRY = 41e3, 90.0, 7.0
"""Planning fronts: at all, a row, an entry of the lower triangle."""


@kernel("int64(int64)", inner=True)
def tiled(count):
    """The next multiple of four."""
    return (count + 3) // 4 * 4


@kernel("float64(float64, float64, float64)")
def skyline_time(rows, stored, products):
    """A new skyline factor and a solve with it.

    Args:  rows, entries of the envelope, multiplications
    """
    return ROW * rows + (STORED + SUBSTITUTED) * stored + PRODUCT * products


@kernel("float64(float64)")
def dense_time(rows):
    """The same with the full triangle as the envelope."""
    return skyline_time(rows, 0.5 * rows * rows, rows * rows * rows / 6.0)


@kernel("float64(int64, int64)")
def front_time(width, rest):
    """A front of `width` columns that are eliminated, with `rest` rows below them."""
    w, h = float(tiled(width)), float(tiled(rest))
    products = w * (w * w / 3.0 + w * h + 0.5 * h * (h + 4.0))
    tiles = w * (0.5 * w + h) / 16.0
    return FRONT + GATHERED * (w * (w + h) + h * h) + TILE * tiles + FRONT_PRODUCT * products


@kernel("float64(int64, int64)")
def front_solve_time(width, rest):
    """A front in a solve."""
    w, h = float(tiled(width)), float(tiled(rest))
    return FRONT_PASSED + FRONT_SUBSTITUTED * w * (w + h)


@kernel("float64(float64, float64)")
def plan_time(rows, entries):
    """Planning the fronts of an island.

    Args:  rows, entries of the lower triangle
    """
    return PLAN + PLAN_ROW * rows + PLAN_ENTRY * entries
