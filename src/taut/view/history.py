"""The last seconds of a source's step reports, thinned for plots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.results.report import STAGES
from taut.spatial import Array
from taut.view.source import Update

WINDOW = 10.0
"""Simulated seconds that plots show."""

POINTS = 240
"""Points of a line; each shows the largest of the values that fall to it, so that no peak is lost."""

TINY = 1e-17
"""What a residual of zero is shown as, because it is the logarithm that is shown."""

Reports = NDArray[Any]


@dataclass(frozen=True)
class Quantity:
    """Something to plot.

    Attributes:
        title: with its unit.
        lines: names of its lines; one of them means that sources are compared in it.
        values: from reports (k,) and real-time factors (k,) to (lines, k).
    """

    title: str
    lines: tuple[str, ...]
    values: Callable[[Reports, Array], Array]


def stage_milliseconds(reports: Reports) -> Array:
    """Time (stages, k) of each stage, ms."""
    return 1e3 * reports["stage_seconds"].T


def tight_share(reports: Reports) -> Array:
    """Rows (k,) that ended at a bound, % of all."""
    return 100.0 * reports["tight"] / np.maximum(reports["rows"], 1)


QUANTITIES = (
    Quantity(
        "log10 of the residual", ("residual",), lambda reports, _: np.log10(np.maximum(reports["residual"], TINY))[None]
    ),
    Quantity("step time (ms)", ("step time",), lambda reports, _: stage_milliseconds(reports).sum(axis=0)[None]),
    Quantity("time by stage (ms)", STAGES, lambda reports, _: stage_milliseconds(reports)),
    Quantity("pivots", ("pivots",), lambda reports, _: reports["pivots"][None].astype(float)),
    Quantity("tight rows (%)", ("tight",), lambda reports, _: tight_share(reports)[None]),
    Quantity("energy (J)", ("energy",), lambda reports, _: reports["energy"][None]),
    Quantity("real-time factor", ("real-time factor",), lambda _, factors: factors[None]),
)
"""What is plotted."""


class History:
    """Reports of the last `WINDOW` simulated seconds, and the real-time factor with them."""

    def __init__(self) -> None:
        self._parts: list[Reports] = []
        self._factors: list[Array] = []

    def add(self, update: Update) -> None:
        """Take in an update; a time before the last one starts the history anew."""
        reports = update.reports[update.reports["index"] > 0]  # the initial state solved nothing
        if not len(reports):
            return
        if self._parts and reports["time"][0] <= self._parts[-1]["time"][-1]:
            self.clear()
        self._parts.append(reports)
        self._factors.append(np.full(len(reports), update.real_time_factor))
        while self._parts[0]["time"][-1] < reports["time"][-1] - WINDOW:
            del self._parts[0], self._factors[0]

    def clear(self) -> None:
        """Forget everything."""
        self._parts.clear()
        self._factors.clear()

    @property
    def reports(self) -> Reports | None:
        """All reports, None if there are none."""
        return np.concatenate(self._parts) if self._parts else None

    @property
    def factors(self) -> Array:
        """Real-time factor at each report, NaN where it is not known."""
        return np.concatenate(self._factors)


def time_grid(histories: list[Reports]) -> Array:
    """Times of the points of all lines, s: they end with the newest report."""
    end = max(float(reports["time"][-1]) for reports in histories)
    start = max(min(float(reports["time"][0]) for reports in histories), end - WINDOW)
    return np.linspace(start, max(end, start + 1e-6), POINTS)


def thinned(grid: Array, time: Array, values: Array) -> Array:
    """Values (lines, k) at times (k,), as the largest (lines, points) since the grid's time before, s.

    Where no report falls the last one counts; numbers that are not finite are left out.
    """
    first = np.searchsorted(time, grid, "right") - 1
    first = np.clip(first, 0, len(time) - 1)
    start = np.minimum(np.concatenate([first[:1], first[:-1] + 1]), first)
    finite = np.where(np.isfinite(values), values, -np.inf)
    # pairs of start and end: every second range lies between points and is dropped
    edges = np.column_stack([start, first + 1]).ravel()
    padded = np.concatenate([finite, finite[:, -1:]], axis=1)
    largest = np.maximum.reduceat(padded, edges, axis=1)[:, ::2]
    return np.where(np.isfinite(largest), largest, 0.0)
