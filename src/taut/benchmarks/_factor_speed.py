"""Gflop/s of the skyline factor kernel beside LAPACK's dpotrf on as many flops."""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from taut.benchmarks._clock import least_seconds
from taut.linalg.skyline import SkylineFactor
from taut.problem.mlcp import MlcpProblem
from taut.solvers.base import diagonal_roots
from taut.structure.symbolic import analyze_pattern


class SkylineCase:
    """A matrix laid out in panels, to be factored again and again."""

    def __init__(self, problem: MlcpProblem) -> None:
        from taut.linalg.skyline_kernels import skyline_assemble

        self.symbolic = analyze_pattern(problem.pattern)
        room = np.empty(self.symbolic.whole_storage)  # it factors all islands at once
        self.factor = SkylineFactor.of(self.symbolic)._replace(storage=room)
        root = diagonal_roots(problem)
        self.factor.load(problem.values, 1.0 / root[self.symbolic.order])
        factor, size = self.factor, self.symbolic.size
        self.panels = skyline_assemble(
            0, size, self.symbolic.lower_start, self.symbolic.lower_column, factor.entries, np.zeros(size, np.int64),
            factor.numbers, factor.layout, factor.storage, factor.real[0],
        )  # fmt: skip
        self.matrix = factor.storage.copy()
        last = np.minimum(self.factor.numbers[3, :size], size - 1)
        self.flops = float(np.sum((last - np.arange(size) + 1.0) ** 2))

    def measure(self) -> dict[str, float]:
        """Seconds of one factorisation."""
        from taut.linalg.skyline_kernels import skyline_factor

        factor = self.factor
        factor.storage[:] = self.matrix
        start = perf_counter()
        skyline_factor(factor.layout, self.panels, factor.real[0], factor.storage, factor.real[1])
        return {"seconds": perf_counter() - start}


def measure_dense(matrix: np.ndarray) -> dict[str, float]:
    """Seconds of dpotrf on a copy of a matrix."""
    from scipy.linalg.lapack import dpotrf

    copy = matrix.copy(order="F")
    start = perf_counter()
    dpotrf(copy, lower=1, overwrite_a=1, clean=0)
    return {"seconds": perf_counter() - start}


def dense_of_flops(flops: float) -> tuple[np.ndarray, float]:
    """A positive definite matrix whose dense factor takes about so many flops, and how many it takes."""
    size = max(round((3.0 * flops) ** (1 / 3)), 1)
    return np.eye(size, order="F") + np.full((size, size), 0.5 / size), size**3 / 3


def speed_rows(cases: dict[str, MlcpProblem], rounds: int) -> list[dict[str, Any]]:
    """One line a problem: the envelope of all its rows, and a dense matrix that takes as many flops, in one run."""
    found = []
    for name, problem in cases.items():
        case = SkylineCase(problem)
        dense, flops = dense_of_flops(case.flops)
        own, lapack = least_seconds([case.measure, partial(measure_dense, dense)], rounds)
        found.append(
            {"case": name, "rows": problem.size, "mean_width": (case.flops / problem.size) ** 0.5}
            | {"Mflop": 1e-6 * case.flops, "skyline_us": 1e6 * own["seconds"]}
            | {"skyline_Gflops": 1e-9 * case.flops / own["seconds"], "dpotrf_rows": len(dense)}
            | {"dpotrf_us": 1e6 * lapack["seconds"], "dpotrf_Gflops": 1e-9 * flops / lapack["seconds"]}
        )
    return found
