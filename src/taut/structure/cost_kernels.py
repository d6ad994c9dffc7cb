"""What factors cost, in nanoseconds: a model, so that choices never depend on a clock and runs repeat to the bit.

The constants are a fit to least times of the kernels on one core of a 2026 x86-64 server (AVX-512), on recorded
problems of machines, chains and piles of 97 to 5,000 rows with none to 60 % of them tight. Only their ratios matter.
Medians of predicted over measured are 0.8 to 1.1, nine in ten are within 0.5 to 1.2; factors below 10 microseconds are
predicted too cheap. `taut bench pivoting` measures that again.
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
SEARCH, SEARCH_ROW = 300e3, 1e3
"""Looking for the partition that takes least: at all, a row."""
BODY_ROW, BODY_PRODUCT = 80.0, 0.1
"""A pivot by bodies: a row, a multiplication of the factor, see `BodyPlan.flops`."""

PIVOT_ROW, PIVOT_ENTRY = 25.0, 2.2
"""The rest of a pivot: numbers and labels of a row, an entry of the lower triangle in two products with the matrix."""
ITERATION_ROW = 4.0
"""The vectors of conjugate gradients, a row and iteration."""
DETOUR, DETOUR_SHARE = 15e3, 1.5
"""The way over the border: at all, and in pivots on all rows."""
PATTERN_USES = 4.0
"""Solves with one pattern, at least: what planning is shared by. Contacts that come and go make new patterns."""
WARM_PIVOTS, COLD_PIVOTS = 4.0, 10.0
"""Pivots that are made on a border: after one on all rows that did not fit, and from no start. A guess at what comes;
steps of the interior-point method cost more than a pivot and count for more than one."""


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
def skyline_solve_time(stored):
    """A solve with a skyline factor.

    Args:  entries of the envelope
    """
    return SUBSTITUTED * stored


@kernel("float64(float64, float64, float64)")
def iteration_time(rows, entries, solve):
    """An iteration of conjugate gradients with a factor.

    Args:  rows, entries of the lower triangle, time of a solve with the factor
    """
    return ITERATION_ROW * rows + 0.5 * PIVOT_ENTRY * entries + solve


@kernel("float64(float64, float64, float64, float64)")
def pivot_time(rows, entries, stored, products):
    """A pivot with a new skyline factor.

    Args:  rows, entries of the lower triangle, entries of the envelope, multiplications
    """
    return PIVOT_ROW * rows + PIVOT_ENTRY * entries + skyline_time(rows, stored, products)


@kernel("float64(float64, float64, float64, int64)")
def border_gain(pivot, plan, bounded, cold):
    """What is gained if rows without bounds are eliminated first, and pivots are on the others: a dense problem.

    Args:  times of a pivot on all rows and of planning; number of rows that have bounds; 1 from no start, else 0
    """
    entries = 0.5 * bounded * bounded
    small = pivot_time(bounded, entries, entries, bounded * bounded * bounded / 6.0)
    pivots = COLD_PIVOTS if cold == 1 else WARM_PIVOTS
    return pivots * (pivot - small) - DETOUR - DETOUR_SHARE * pivot - plan / PATTERN_USES


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
