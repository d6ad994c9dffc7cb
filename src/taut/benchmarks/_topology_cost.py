"""What a cut in a running scene costs, by size: beside a new simulation of the scene and beside a step.

Processor times in ms, medians. A chain hangs in the air and a joint near its middle is removed; `next_step` is the
first step after that, `step` one long before.
"""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from taut import scenes
from taut.simulation.simulation import Simulation

LINKS, QUICK_LINKS = (30, 100, 300, 1000), (5, 10)
CUTS, STEPS = 7, 20


def measure(quick: bool, out: Path) -> list[dict[str, Any]]:
    """One line a size."""
    return [row_of(links) for links in (QUICK_LINKS if quick else LINKS)]


def row_of(links: int) -> dict[str, Any]:
    """Cuts one after the other, from near the middle down, each in a chain that moves on."""
    samples: dict[str, list[float]] = {"step": [], "edit": [], "next_step": [], "rebuild": []}
    scene = scenes.build("hanging_chain", links=links)
    sim = Simulation(scene)
    for _ in range(STEPS):
        timed(samples["step"], sim.step)
    for cut in range(min(CUTS, links // 2 - 1)):
        timed(samples["edit"], lambda name=f"ball-{links // 2 + 1 + cut}": remove(sim, name))
        timed(samples["next_step"], sim.step)
        timed(samples["rebuild"], lambda: Simulation(scene))
    median = {f"{key}_ms": 1e3 * float(np.median(values)) for key, values in samples.items()}
    in_steps = median["edit_ms"] / median["step_ms"]
    return {
        "links": links,
        **median,
        "edit_in_steps": in_steps,
        "over_rebuild": median["rebuild_ms"] / median["edit_ms"],
    }


def remove(sim: Simulation, joint: str) -> None:
    """Cut a chain."""
    with sim.edit() as edit:
        edit.remove_joint(joint)


def timed(samples: list[float], call: Any) -> None:
    """Do something and note its processor time."""
    begin = process_time()
    call()
    samples.append(process_time() - begin)
