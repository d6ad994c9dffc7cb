"""The hanging chain beside Pinocchio's articulated-body algorithm: CPU time of a frame, in turn, in one process.

Every contestant does `BLOCK` frames of 1/60 s at a time, one after the other, until 5 s are over: a busy moment hits
all alike, and CPU time does not count what others do on the machine. Pinocchio takes semi-implicit Euler steps, as many
a frame as it needs to end within `WITHIN` of the reference: they are looked for first. Other explicit schemes need as
many or cost more: leapfrog comes apart at the same step, the midpoint rule at a shorter one, and that of fourth order
of Runge and Kutta, with four accelerations a step, at about 1.4 times it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

import numpy as np

from taut import scenes
from taut.benchmarks._articulated import ArticulatedChain, has_pinocchio
from taut.simulation.simulation import Simulation
from taut.spatial import Array

LINKS, FRAMES, BLOCK = 100, 300, 10

WITHIN = 1e-3
"""Largest distance of the load from its reference after 5 s, m."""

MOST_SUBSTEPS = 1024

Contestant = tuple[str, Callable[[int], Any], Callable[[], Array]]
"""Name, what does so many frames, and what says where the load is (3,), m."""


def race(load: float, reference: Array, options: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of one chain: its frames here with each of these options of `Simulation`, by name, and in Pinocchio.

    Args:
        load: mass of the cube, kg.
        reference: where it is after 5 s (3,), m.
        options: by the name of the case.

    Here frames are measured twice: step by step, each with its report, and as `run(record=False)` does them.
    """
    contestants = [one for name, each in options.items() for one in ours(name, load, each)]
    substeps = least_substeps(load, reference) if has_pinocchio() else None
    if substeps is not None:
        peer = ArticulatedChain(LINKS, load, substeps)
        contestants.append((f"Pinocchio, {substeps} substeps", lambda count: advance(peer, count), peer.load_position))
    seconds = blocks_in_turn([do for _, do, _ in contestants])
    rows: list[dict[str, Any]] = [
        {
            "case": name, "load": load, "frame_ms": 1e3 * own, "ratio": own / seconds[-1],
            "error_mm": 1e3 * float(np.linalg.norm(where() - reference)),
        }
        for (name, _, where), own in zip(contestants, seconds, strict=True)
    ]  # fmt: skip
    if substeps is None:
        missing = (
            f"Pinocchio: comes apart with {MOST_SUBSTEPS} substeps" if has_pinocchio() else "Pinocchio: not installed"
        )
        rows.append({"case": f"{missing}; ratios are to the last row above", "load": load})
    return rows


def ours(name: str, load: float, options: dict[str, Any]) -> list[Contestant]:
    """A chain here, step by step and in one go."""
    stepped, run = (Simulation(scenes.build("hanging_chain", links=LINKS, load=load), **options) for _ in range(2))

    def steps(count: int) -> None:
        for _ in range(count):
            stepped.step()

    return [
        (f"{name}, step()", steps, lambda: stepped.body("load").position),
        (f"{name}, run()", lambda count: run.run(count / 60, record=False), lambda: run.body("load").position),
    ]


def advance(chain: ArticulatedChain, count: int) -> None:
    """So many frames of Pinocchio."""
    for _ in range(count):
        chain.frame()


def blocks_in_turn(contestants: Sequence[Callable[[int], Any]]) -> list[float]:
    """Median CPU seconds of a frame of each, over blocks of frames in turn; the first block does not count."""
    samples: list[list[float]] = [[] for _ in contestants]
    for _ in range(FRAMES // BLOCK):
        for own, do in zip(samples, contestants, strict=True):
            start = process_time()
            do(BLOCK)
            own.append((process_time() - start) / BLOCK)
    return [float(np.median(own[1:])) for own in samples]


def least_substeps(load: float, reference: Array) -> int | None:
    """Fewest substeps a frame with which Pinocchio ends near the reference, to 1 in 64; None where none will do."""
    low, high = 0, 1
    while not holds(load, reference, high):
        low, high = high, 2 * high
        if high > MOST_SUBSTEPS:
            return None
    while high - low > max(1, high // 64):
        middle = (low + high) // 2
        low, high = (low, middle) if holds(load, reference, middle) else (middle, high)
    return high


def holds(load: float, reference: Array, substeps: int) -> bool:
    """Whether Pinocchio's chain ends near the reference with so many substeps a frame."""
    chain = ArticulatedChain(LINKS, load, substeps)
    for _ in range(FRAMES):
        chain.frame()
        if not np.isfinite(chain.velocity).all():
            return False
    return bool(np.linalg.norm(chain.load_position() - reference) <= WITHIN)
