"""Seconds by stage of a frame."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

COLLIDE, ROWS, ASSEMBLE, SOLVE, ACCEPT, OTHER = range(6)
"""Stages in the order of `taut.results.report.STAGES`."""


class Stopwatch:
    """Charges time to stages, from one lap to the next."""

    def __init__(self) -> None:
        self.seconds = [0.0] * 6
        self.start = self.clock = perf_counter()

    def begin(self) -> None:
        """Begin a frame."""
        self.seconds = [0.0] * 6
        self.start = self.clock = perf_counter()

    def lap(self, stage: int) -> None:
        """Charge the time since the last lap to a stage."""
        now = perf_counter()
        self.seconds[stage] += now - self.clock
        self.clock = now

    def share(self, ticks: NDArray[np.int64]) -> None:
        """Charge the time since the last lap to stages, in proportion to their ticks (6,)."""
        now, own = perf_counter(), ticks.tolist()
        tick = (now - self.clock) / max(sum(own), 1)
        self.seconds = [spent + tick * count for spent, count in zip(self.seconds, own, strict=True)]
        self.clock = now

    def end(self) -> tuple[float, ...]:
        """Seconds by stage; what no stage was charged with is OTHER."""
        rest = perf_counter() - self.start - sum(self.seconds)
        self.seconds[OTHER] += max(rest, 0.0)
        return tuple(self.seconds)
