"""Whole frames of simulations that differ in how springs are solved with, side by side from the same state."""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np

from taut.benchmarks._redmax_solves import threads, times_of
from taut.simulation.simulation import Simulation

SKIPPED = 2
"""First frames that do not count: memory is taken, and the choice is made."""


def frame_row(sims: dict[str, Simulation], frames: int) -> dict[str, Any]:
    """Medians of processor time over frames, one of each simulation in turn, in one thread.

    Where only "auto" is given, no spring crosses a tree and conjugate gradients are the recursion.
    """
    seconds: dict[str, list[float]] = {method: [] for method in sims}
    iterations, solves, unsolved = [], [], 0
    for number in range(SKIPPED + frames):
        for place in range(len(sims)):
            method = list(sims)[(place + number) % len(sims)]
            with threads(1):
                start = process_time()
                report = sims[method].step()
                seconds[method].append(process_time() - start)
            unsolved += report.unconverged
            solves.append(report.solves)
        iterations.append(sims[next(iter(sims))].state.iterations or 1)
    medians = {method: float(np.median(own[SKIPPED:])) for method, own in seconds.items()}
    row = times_of(medians) if len(sims) > 1 else {"pcg_ms": 1e3 * medians["auto"], "auto_ms": 1e3 * medians["auto"]}
    return row | {
        "iterations": float(np.mean(iterations)), "iterations_max": max(iterations),
        "solves": float(np.mean(solves)), "unsolved": unsolved,
    }  # fmt: skip
