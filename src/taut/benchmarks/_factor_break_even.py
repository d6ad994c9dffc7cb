"""At which share of tight rows a new factor costs less than taking them out of an old one     [Lefebvre2020, Fig. 2.4].

Factors alone are timed, not solves: a copy of the factor of all rows and `skyline_exchange`, against numbering,
gathering and `skyline_factor` of the free rows. What to expect, with n rows, h entries a column and a share t tight:

    envelope   leave: 4 flops an entry behind the row, 2 n h for each, 2 t n^2 h in all    anew: n h^2 (1 - t)^3
    dense      leave: 2/3 n^2 for each, 2/3 t n^3 in all                                   anew: n^3 (1 - t)^3 / 3

At equal flops per second they are equal at 2 t = (1 - t)^3 h / n, or 2 t = (1 - t)^3, which is t = 0.23, where the
matrix is dense: the wider the envelope the later. A new factor uses each number that it loads more often, so it does
more flops per second, and so the shares are smaller. `cross` is measured; `cross_flops` is where the flops, counted in
the envelopes at hand, are equal, and `cross_speeds` where they are with the median speeds of both kernels, without
copies and gathering. dpotrf has as many flops as the new factor of all rows.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from taut.benchmarks._clock import least_seconds
from taut.benchmarks._factor_speed import dense_of_flops, measure_dense
from taut.linalg.downdated import FIRST_INVERSE, FROM_FIRST, PANELS, DowndatedFactor
from taut.linalg.skyline import DIAGONAL, INVERSE, SkylineFactor
from taut.structure.symbolic import PANEL_SLACK, SymbolicStructure

MANY_FLOPS = 2e8
"""Factors with more flops are timed in one round: they take long enough."""
RIDGE = 0.01
"""Added to the unit diagonal."""
LAST_ROW = 3
"""Row of `SkylineFactor.numbers` that holds the last row of each column of the envelope."""


def band_structure(size: int, width: int) -> SymbolicStructure:
    """A matrix whose rows begin at most `width` columns before their diagonal; its envelope is full."""
    rows = np.arange(size)
    lengths = np.minimum(rows, width) + 1
    start = np.concatenate([[0], np.cumsum(lengths)])
    column = np.arange(start[-1]) - np.repeat(start[:-1] - rows + lengths - 1, lengths)
    storage = int(start[-1]) + PANEL_SLACK * (size + 16)
    return SymbolicStructure(rows, np.array([0, size]), start, column, np.arange(start[-1]), storage)


def band_entries(symbolic: SymbolicStructure, width: int) -> np.ndarray:
    """Lower triangle of a positive definite matrix of that structure, which falls off evenly towards its border.

    Numbers do not matter to times as long as none fades to what processors are slow with.
    """
    rows = np.repeat(np.arange(symbolic.size), np.diff(symbolic.lower_start))
    away = rows - symbolic.lower_column
    entries: np.ndarray = 1.0 - away / (width + 1.0) + RIDGE * (away == 0)
    return entries


class BandCase:
    """A banded or dense matrix, and its factor of all rows.

    Attributes:
        behind: (size,) entries of the factor in the column of each row and in all after it.
        flops: of a factor of all rows.
    """

    def __init__(self, size: int, width: int) -> None:
        self.symbolic = band_structure(size, width)
        entries = band_entries(self.symbolic, width)
        self.factor = DowndatedFactor.of(self.symbolic, FROM_FIRST, entries=entries)
        self.plain = SkylineFactor.of(self.symbolic, entries)
        self.factor.factorise(0, size, np.zeros(size, np.int64), np.zeros(0), np.zeros(size, np.uint8))
        heights = np.minimum(np.arange(size) + width, size - 1) - np.arange(size) + 1.0
        self.behind = np.cumsum(heights[::-1])[::-1]
        self.flops = float(np.sum(heights**2))

    def leave(self, rows: np.ndarray) -> dict[str, float]:
        """Seconds to copy the factor and to take rows out of it."""
        from taut.linalg.skyline_update_kernels import skyline_exchange

        factor, real = self.factor, self.factor.real
        panels = int(factor.state[PANELS])
        used = int(factor.layout[1, panels])
        start = perf_counter()
        factor.storage[:used] = factor.first[:used]
        real[INVERSE] = real[FIRST_INVERSE]
        copied = perf_counter()
        skyline_exchange(
            factor.layout, panels, factor.entries, real[DIAGONAL], rows, factor.storage, real[INVERSE], factor.vectors
        )
        return {"copy": copied - start, "seconds": perf_counter() - copied}

    def anew(self, labels: np.ndarray) -> dict[str, float]:
        """Seconds to number and gather the free rows, and to factor them."""
        from taut.linalg.skyline_kernels import skyline_factor, skyline_gather, skyline_number

        symbolic, plain = self.symbolic, self.plain
        lower, real = (symbolic.lower_start, symbolic.lower_column), plain.real
        start = perf_counter()
        panels = skyline_number(0, symbolic.size, *lower, labels, plain.numbers, plain.layout)
        skyline_gather(*lower, plain.entries, plain.numbers, plain.layout, panels, plain.storage, real[DIAGONAL])
        gathered = perf_counter()
        skyline_factor(plain.layout, panels, real[DIAGONAL], plain.storage, real[INVERSE])
        return {"gather": gathered - start, "seconds": perf_counter() - gathered}

    def line(self, share: float, rounds: int) -> dict[str, Any]:
        """Times and flops with a share of the rows tight, evenly spread: of few at random, it matters much which."""
        size = self.symbolic.size
        count = max(round(share * size), 1)
        rows = ((np.arange(count) + 0.5) * size / count).astype(np.int64)
        labels = np.zeros(size, np.int64)
        labels[rows] = 1
        leave, anew = least_seconds([partial(self.leave, rows), partial(self.anew, labels)], rounds)
        heights = self.plain.numbers[LAST_ROW, : size - count] - np.arange(size - count) + 1.0
        leave_flops, anew_flops = 4.0 * float(self.behind[rows].sum()), float(np.sum(heights**2))
        return {
            "tight_share": share, "tight": count, "copy_us": 1e6 * leave["copy"],
            "leave_us": 1e6 * leave["seconds"], "gather_us": 1e6 * anew["gather"], "factor_us": 1e6 * anew["seconds"],
            "speed_up": sum(anew.values()) / sum(leave.values()), "flops_ratio": leave_flops / anew_flops,
            "leave_Gflops": 1e-9 * leave_flops / leave["seconds"],
            "factor_Gflops": 1e-9 * anew_flops / anew["seconds"],
        }  # fmt: skip


def factor_break_even_rows(
    sizes: tuple[int, ...], widths: tuple[int, ...], shares: tuple[float, ...], rounds: int
) -> list[dict[str, Any]]:
    """One line an envelope, size and share; the full triangle is width 0."""
    found = []
    for width in (0, *widths):
        for size in sizes:
            case = BandCase(size, width or size)
            often = rounds if case.flops < MANY_FLOPS else 1
            dense, flops = dense_of_flops(case.flops)
            lapack = least_seconds([partial(measure_dense, dense)], often)[0]["seconds"]
            head = {"envelope": f"band {width}" if width else "dense", "rows": size}
            tail = {"dpotrf_rows": len(dense), "dpotrf_Gflops": 1e-9 * flops / lapack}
            found += [head | case.line(share, often) | tail for share in shares]
    return found


def crossing(shares: list[float], ratios: list[float]) -> float | None:
    """Share at which a ratio becomes 1, by straight lines through the logarithms; None if it does not."""
    x, y = np.log(shares), np.log(ratios)
    for k in range(1, len(x)):
        if y[k - 1] <= 0.0 < y[k]:
            return float(np.exp(x[k - 1] - y[k - 1] * (x[k] - x[k - 1]) / (y[k] - y[k - 1])))
    return None


def crossing_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One line an envelope and size, from those of shares: where both ways cost the same, see above."""
    found = []
    for envelope, size in dict.fromkeys((row["envelope"], row["rows"]) for row in rows):
        own = [row for row in rows if (row["envelope"], row["rows"]) == (envelope, size)]
        shares, flops = [row["tight"] / size for row in own], [row["flops_ratio"] for row in own]
        leave, anew = (float(np.median([row[f"{name}_Gflops"] for row in own])) for name in ("leave", "factor"))
        line: dict[str, Any] = {
            "envelope": envelope, "rows": size, "cross": crossing(shares, [1.0 / row["speed_up"] for row in own]),
            "cross_flops": crossing(shares, flops),
            "cross_speeds": crossing(shares, [ratio * anew / leave for ratio in flops]),
            "leave_Gflops": leave, "factor_Gflops": anew, "dpotrf_Gflops": own[0]["dpotrf_Gflops"],
        }  # fmt: skip
        found.append({key: value for key, value in line.items() if value is not None})
    return found
