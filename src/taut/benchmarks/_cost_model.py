"""What the models of cost predict against what is measured: `structure.cost_kernels`, `linalg.downdated_cost_kernels`.

Of the largest island of some frames, with several sets of tight rows, every way to factor is timed and predicted. A
line is a function of the models: percentiles of predicted over measured time. A factor common to all is of no
consequence, as only ratios decide; on another processor it is not 1. What takes less than ten microseconds is left
out: each call from Python adds one or two, and nothing depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from taut.benchmarks._clock import Measurement, least_seconds
from taut.benchmarks._factor_break_even import band_entries, band_structure
from taut.benchmarks._sequences import Frame, Sequence
from taut.benchmarks._watched import scaled_entries
from taut.linalg.downdated import FIRST_INVERSE, INCREMENTAL, PANELS, USABLE, DowndatedFactor
from taut.linalg.fronts import BELOW, FREE, MARK, FrontFactor
from taut.linalg.skyline import COMPACT, DIAGONAL, INVERSE, SkylineFactor
from taut.structure.front_tree import plant_tree
from taut.structure.symbolic import SymbolicStructure, analyze_pattern
from taut.tables import held

SHARES = (0.0, 0.05, 0.3, 0.6)
"""Of rows that are tight, at random; the solution's own are measured as well."""
SHORTEST = 10e3
"""Nanoseconds from which on times are used."""
CHANGES = (1, 4, 16)
"""Rows that change where only some fronts are done again."""

Found = Iterator[tuple[str, float, float]]
"""Name of a function of the models, nanoseconds predicted, and measured."""


def timed(call: Callable[[], object], before: Callable[[], object] = lambda: None) -> Measurement:
    """Measure a call; `before` is called first and does not count."""

    def measure() -> dict[str, float]:
        before()
        start = perf_counter()
        call()
        return {"seconds": perf_counter() - start}

    return measure


class SkylineTimes:
    """Skyline factors of a part of a matrix, to be predicted and timed."""

    def __init__(self, symbolic: SymbolicStructure, entries: np.ndarray, begin: int, end: int) -> None:
        self.symbolic, self.begin, self.end = symbolic, begin, end
        self.plain = SkylineFactor.of(symbolic, entries)
        self.panels = 0

    def number(self, labels: np.ndarray) -> None:
        """Lay out the free rows."""
        from taut.linalg.skyline_kernels import skyline_number

        lower = self.symbolic.lower_start, self.symbolic.lower_column
        self.panels = skyline_number(self.begin, self.end, *lower, labels, self.plain.numbers, self.plain.layout)

    def factor(self) -> None:
        """Gather and factor them."""
        from taut.linalg.skyline_kernels import skyline_factor, skyline_gather

        lower, plain, real = (self.symbolic.lower_start, self.symbolic.lower_column), self.plain, self.plain.real
        skyline_gather(*lower, plain.entries, plain.numbers, plain.layout, self.panels, plain.storage, real[DIAGONAL])
        skyline_factor(plain.layout, self.panels, real[DIAGONAL], plain.storage, real[INVERSE])

    def factor_and_solve(self) -> None:
        """The same, and a solve with them."""
        from taut.linalg.skyline_kernels import skyline_solve

        self.factor()
        plain = self.plain
        skyline_solve(plain.layout, self.panels, plain.storage, plain.real[INVERSE], plain.real[COMPACT])

    @property
    def sizes(self) -> tuple[float, float, float]:
        """Rows, entries and products of the panels that are laid out."""
        layout, panels = self.plain.layout, self.panels
        products = 0.5 * float(np.sum(layout[4, :panels] * layout[2, :panels].astype(float) ** 2))
        return float(layout[0, panels]), float(layout[1, panels]), products


class CostCase:
    """The largest island of a problem with all that factors it."""

    def __init__(self, frame: Frame, rounds: int) -> None:
        problem = frame.problem
        self.pattern, self.rounds = problem.pattern, rounds
        self.symbolic = analyze_pattern(problem.pattern)
        self.island = int(np.argmax(np.diff(self.symbolic.island_start)))
        self.begin, self.end = self.symbolic.island_start[self.island : self.island + 2].tolist()
        self.entries = scaled_entries(problem, self.symbolic)
        self.skyline = SkylineTimes(self.symbolic, self.entries, self.begin, self.end)
        self.changing = DowndatedFactor.of(self.symbolic, INCREMENTAL, entries=self.entries)
        self.dependent, self.no_shift = np.zeros(problem.size, np.uint8), np.zeros(0)
        self.bounded = int(np.count_nonzero(np.isfinite(problem.lower) | np.isfinite(problem.upper)))
        self.solution = frame.index_set[self.symbolic.order]

    def nanoseconds(self, measurement: Measurement) -> float:
        """Least time of a call."""
        return 1e9 * least_seconds([measurement], self.rounds)[0]["seconds"]

    def all_times(self, rng: np.random.Generator) -> Found:
        """All that is predicted, with several sets of tight rows."""
        size = self.symbolic.size
        chosen = [np.where(rng.random(size) < share, 1, 0) for share in SHARES]
        yield from self.border_times()
        self.changing.factorise(self.begin, self.end, np.zeros(size, np.int64), self.no_shift, self.dependent)
        for labels in (*chosen, self.solution):
            yield from self.skyline_times(labels)
            if self.changing.state[USABLE] == 1:
                yield from self.exchange_times(np.flatnonzero(labels[self.begin : self.end]))
        yield from self.front_times([*chosen, self.solution], rng)

    def border_times(self) -> Found:
        """A dense factor of as many rows as have bounds."""
        from taut.structure.cost_kernels import dense_time

        symbolic = band_structure(self.bounded, self.bounded)
        border = SkylineTimes(symbolic, band_entries(symbolic, self.bounded), 0, self.bounded)
        border.number(np.zeros(self.bounded, np.int64))
        if self.bounded:
            yield "dense_time", dense_time(self.bounded), self.nanoseconds(timed(border.factor_and_solve))

    def skyline_times(self, labels: np.ndarray) -> Found:
        """New factors of the free rows."""
        from taut.linalg.downdated_cost_kernels import cost_of_refactor
        from taut.structure.cost_kernels import skyline_time

        skyline, island = self.skyline, self.end - self.begin
        skyline.number(np.zeros_like(labels))
        rows, entries, products = skyline.sizes
        skyline.number(labels)
        share = skyline.sizes[0] / island
        if share == 0.0:
            return
        yield "skyline_time", skyline_time(*skyline.sizes), self.nanoseconds(timed(skyline.factor_and_solve))

        def anew() -> None:
            skyline.number(labels)
            skyline.factor()

        predicted = cost_of_refactor(rows, entries, 2.0 * products, share)
        yield "cost_of_refactor", predicted, self.nanoseconds(timed(anew))

    def exchange_times(self, rows: np.ndarray) -> Found:
        """Rows that leave the factor of all, and that come back."""
        from taut.linalg.downdated_cost_kernels import cost_of_copy, cost_of_exchange
        from taut.linalg.skyline_update_kernels import skyline_exchange

        factor, real = self.changing, self.changing.real
        layout, panels = factor.layout, int(factor.state[PANELS])
        used = int(layout[1, panels])

        def copy() -> None:
            factor.storage[:used] = factor.first[:used]
            real[INVERSE] = real[FIRST_INVERSE]

        def exchange() -> None:
            skyline_exchange(
                layout, panels, factor.entries, real[DIAGONAL], rows, factor.storage, real[INVERSE], factor.vectors
            )

        def leave() -> None:
            copy()
            exchange()

        yield "cost_of_copy", cost_of_copy(used), self.nanoseconds(timed(copy))
        if not 0 < rows.size < self.end - self.begin:
            return
        copy()
        predicted = cost_of_exchange(layout, panels, rows, real[INVERSE])
        yield "cost_of_exchange, leaving", predicted, self.nanoseconds(timed(exchange, copy))
        leave()
        predicted = cost_of_exchange(layout, panels, rows, real[INVERSE])
        yield "cost_of_exchange, back", predicted, self.nanoseconds(timed(exchange, leave))

    def front_times(self, chosen: list[np.ndarray], rng: np.random.Generator) -> Found:
        """Planning fronts, doing all of them or those that change, and solves."""
        from taut.linalg.front_kernels import factor_fronts, mark_fronts, solve_fronts
        from taut.structure.cost_kernels import plan_time

        begin, end, lower = self.begin, self.end, self.symbolic.lower_start
        islands = np.array([self.island])
        tree = plant_tree(self.pattern, self.symbolic, islands)
        plan = timed(partial(plant_tree, self.pattern, self.symbolic, islands))
        yield "plan_time", plan_time(end - begin, lower[end] - lower[begin]), self.nanoseconds(plan)
        factor = FrontFactor.of(tree, self.entries)
        handle = held(factor)
        rhs, x = np.ones(self.symbolic.size), np.zeros(self.symbolic.size)

        def do(labels: np.ndarray, anew: int) -> None:
            mark_fronts(handle, begin, end, labels, anew)
            factor_fronts(handle, begin, end, self.no_shift, self.dependent)

        for labels in chosen:
            measured = self.nanoseconds(timed(partial(do, labels, 1)))
            yield "front_time, all", marked_time(factor)[0], measured
            measured = self.nanoseconds(timed(partial(solve_fronts, handle, begin, end, rhs, x)))
            yield "front_solve_time", marked_time(factor)[1], measured
            for count in CHANGES:
                others = labels.copy()
                rows = rng.integers(begin, end, count)
                others[rows] = np.where(labels[rows] == 0, 1, 0)
                measured = self.nanoseconds(timed(partial(do, others, 0), partial(do, labels, 0)))
                yield "front_time, changed", marked_time(factor)[0], measured


def marked_time(factor: FrontFactor) -> tuple[float, float]:
    """Predicted nanoseconds of the fronts that were done last, and of a solve with all."""
    from taut.structure.cost_kernels import front_solve_time, front_time

    sizes = list(zip(factor.state[FREE].tolist(), factor.state[BELOW].tolist(), strict=True))
    done = sum(front_time(*size) for size, mark in zip(sizes, factor.state[MARK], strict=True) if mark)
    return done, sum(front_solve_time(*size) for size in sizes)


def cost_rows(sequences: list[Sequence], frames: int, rounds: int) -> list[dict[str, Any]]:
    """One line a function of the models: percentiles over frames of all sequences, and where it is worst."""
    ratios: dict[str, list[tuple[float, str]]] = {}
    rng = np.random.default_rng(0)
    for sequence in sequences:
        filled = [frame for frame in sequence.frames if frame.problem.size]
        for place in np.unique(np.linspace(0, len(filled) - 1, min(frames, len(filled))).astype(int)):
            for name, predicted, measured in CostCase(filled[place], rounds).all_times(rng):
                if measured >= SHORTEST:
                    ratios.setdefault(name, []).append((predicted / measured, sequence.name))
    found = []
    for name, pairs in sorted(ratios.items()):
        values = np.array([ratio for ratio, _ in pairs])
        least, middle, most = (float(np.percentile(values, share)) for share in (5, 50, 95))
        found.append(
            {"function": name, "cases": len(pairs), "p5": least, "p50": middle, "p95": most}
            | {"least_in": min(pairs)[1], "most_in": max(pairs)[1]}
        )
    return found
