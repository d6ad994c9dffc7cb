"""Every scene with `auto` and the exact solvers that are worth choosing: processor time of whole frames.

Each solver has a simulation of its own; they take ten frames each in turn, each time in another order, so that a busy
moment hits all alike. A figure is the mean over the frames, but for the first ten: most of what differs between solvers
is in few of them. `auto_over_best` is the time of `auto` over that of the fastest of all, `chosen` the solver that it
stood for in the last one. Collision and all else that solvers share is included.
"""

from __future__ import annotations

from pathlib import Path
from time import thread_time
from typing import Any

from taut import scenes
from taut.benchmarks._tables import make_folder, write_table
from taut.simulation.simulation import Simulation
from taut.simulation.survey import next_problem

OUT = Path("build/bench/solvers")
"""Where the table goes unless told otherwise."""
SOLVERS = ("auto", "bpp", "linear-time", "ipm", "schur-bpp")
FRAMES, QUICK_FRAMES = 240, 20
"""Frames of each scene: 4 s."""
QUICK_SCENES = ("star", "sliding_block")
BLOCK = 10
"""Frames in a row; the first block does not count."""


def run(quick: bool = False, out: Path = OUT) -> list[dict[str, Any]]:
    """Measure, and write the table.

    Args:
        quick: two small scenes and few frames, to see that it works.
        out: folder for the CSV file.
    """
    make_folder(out)
    names, frames = (QUICK_SCENES, QUICK_FRAMES) if quick else (tuple(scenes.names()), FRAMES)
    rows = [measure(name, frames) for name in names]
    write_table(out / "solvers.csv", rows)
    return rows


def measure(scene: str, frames: int) -> dict[str, Any]:
    """Milliseconds a frame of one scene with each solver."""
    simulations = [Simulation(scenes.build(scene), solver=name) for name in SOLVERS]
    spent = dict.fromkeys(SOLVERS, 0.0)
    for block in range(frames // BLOCK):
        for place in range(len(SOLVERS)):
            which = (place + block) % len(SOLVERS)
            begun = thread_time()
            for _ in range(BLOCK):
                simulations[which].step()
            spent[SOLVERS[which]] += thread_time() - begun if block > 0 else 0.0
    looked = next_problem(simulations[0])
    means = {name: 1e3 * seconds / (frames - BLOCK) for name, seconds in spent.items()}
    return {
        "scene": scene,
        "rows": simulations[0].report.rows,
        **{f"{name}_ms": value for name, value in means.items()},
        "auto_over_best": means["auto"] / min(means.values()),
        "chosen": "" if looked is None else looked.solver,
    }
