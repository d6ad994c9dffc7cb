"""Stopwatch of benchmarks that compare: all cases in turn, round after round, so that a busy moment hits all alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np

Measurement = Callable[[], dict[str, float]]
"""Does something once and says how many seconds each of its stages took."""

IN_A_ROW = 3
FRAMES_IN_A_ROW = 30


class Stopwatch:
    """Seconds by stage, from one lap to the next."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.last = perf_counter()

    def lap(self, stage: str) -> None:
        """Charge the time since the last lap to a stage."""
        now = perf_counter()
        self.seconds[stage] = now - self.last
        self.last = now


def least_seconds(measurements: Sequence[Measurement], rounds: int) -> list[dict[str, float]]:
    """Least seconds of each stage of each measurement over rounds in turn, after one round that does not count.

    In every round a measurement is made `IN_A_ROW` times: what it works on is then in the processor's caches.
    """
    found: list[dict[str, float]] = [{} for _ in measurements]
    for number in range(rounds + 1):
        for best, measure in zip(found, measurements, strict=True):
            for _ in range(IN_A_ROW):
                seconds = measure()
                if number > 0:
                    best.update({stage: min(value, best.get(stage, np.inf)) for stage, value in seconds.items()})
    return found


def medians_in_turn(measurements: Sequence[Measurement], rounds: int) -> list[dict[str, float]]:
    """Median of each stage of each measurement over rounds in turn, each beginning with another one.

    Each measurement is made twice and the second time counts: the first brings what it works on into the processor's
    caches, which the one before may have filled with gigabytes of its own.
    """
    samples: list[list[dict[str, float]]] = [[] for _ in measurements]
    for number in range(rounds):
        for place in range(len(measurements)):
            which = (place + number) % len(measurements)
            measurements[which]()
            samples[which].append(measurements[which]())
    return [{stage: float(np.median([each[stage] for each in own])) for stage in own[0]} for own in samples]


def stages_in_turn(frames: Sequence[Measurement], count: int) -> list[dict[str, float]]:
    """Median seconds of each stage over `count` frames of each case, `FRAMES_IN_A_ROW` at a time."""
    samples: list[list[dict[str, float]]] = [[] for _ in frames]
    while len(samples[-1]) < count:
        for own, frame in zip(samples, frames, strict=True):
            own += [frame() for _ in range(min(FRAMES_IN_A_ROW, count - len(own)))]
    return [{stage: float(np.median([each[stage] for each in own])) for stage in own[0]} for own in samples]


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Slope p of the straight line through log(seconds) against log(sizes): seconds grow like sizes^p."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
