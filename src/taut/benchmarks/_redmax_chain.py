"""The recursion on chains without springs: time a link, and frames beside Pinocchio."""

from __future__ import annotations

from functools import partial
from time import process_time
from typing import Any

from taut import scenes
from taut.benchmarks._clock import exponent, least_seconds
from taut.benchmarks._redmax_solves import Linearisation
from taut.simulation.simulation import Simulation

BLOCK = 5
"""Frames in one go."""


def chain_rows(links: tuple[int, ...], rounds: int) -> list[dict[str, Any]]:
    """Chains of so many ball joints: the linear solve and a frame of `run(record=False)`, least times, in turn."""
    sims = [Simulation(scenes.build("long_chain", links=each), coordinates="reduced") for each in links]
    for sim in sims:
        sim.run(BLOCK / 60, record=False)
    frames = least_seconds([partial(measure_frames, sim) for sim in sims], rounds)
    solves = least_seconds([partial(Linearisation(sim).measure, "auto") for sim in sims], 3 * rounds)
    rows: list[dict[str, Any]] = [
        {
            "links": count, "dofs": 3 * count + 3, "solve_ms": 1e3 * solve["solve"], "frame_ms": 1e3 * frame["frame"],
            "solve_us_per_link": 1e6 * solve["solve"] / count, "frame_us_per_link": 1e6 * frame["frame"] / count,
        }
        for count, frame, solve in zip(links, frames, solves, strict=True)
    ]  # fmt: skip
    slopes = {
        f"{name}_us_per_link": exponent(links, [row[f"{name}_ms"] for row in rows]) for name in ("solve", "frame")
    }
    return [*rows, {"links": "exponent"} | slopes]


def measure_frames(sim: Simulation) -> dict[str, float]:
    """Processor seconds of a frame, of several in one call."""
    start = process_time()
    sim.run(BLOCK / 60, record=False)
    return {"frame": (process_time() - start) / BLOCK}
