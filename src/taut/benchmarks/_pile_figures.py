"""Processor time of every frame of piles, drawn."""

from __future__ import annotations

from pathlib import Path

from taut.benchmarks._mujoco_scene import FRAME
from taut.benchmarks._pile_runs import FrameFigures
from taut.results.figures import COLOURS, sheet


def draw_piles(out: Path, runs: dict[str, dict[str, list[FrameFigures]]]) -> None:
    """One axes a pile, one line an engine; the dashed line is real time."""
    with sheet(out, "processor time of a frame", len(runs), 1, (8.6, 2.6)) as axes:
        for each, (name, engines) in zip(axes, runs.items(), strict=True):
            for (engine, frames), colour in zip(engines.items(), COLOURS, strict=False):
                seconds = [FRAME * (number + 1) for number in range(len(frames))]
                each.plot(seconds, [frame.cpu_ms for frame in frames], color=colour, label=engine, linewidth=0.9)
            each.axhline(1e3 * FRAME, color="#888888", linestyle="--", linewidth=0.8)
            each.set(title=name, yscale="log", xlabel="simulated s", ylabel="ms a frame")
            each.legend(loc="upper left", ncols=len(engines))
