"""What a cut in a running scene costs, by size: in steps of the same chain, and beside a new simulation of the scene.

Processor times in ms, medians. A chain hangs in the air and moves, and joints from its middle down are removed, one
after the other with steps between. `next_step` is the first step after a cut, `step` are those after that. `cold_edit`
is a cut right after a whole new simulation was built, `rebuild`: then neither code nor numbers are in the caches of the
processor.
"""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from taut import scenes
from taut.simulation.simulation import Simulation

LINKS, QUICK_LINKS = (30, 100, 300, 1000), (5, 10)
CUTS, STEPS = 20, 5


def measure(quick: bool, out: Path) -> list[dict[str, Any]]:
    """One line a size."""
    return [row_of(links) for links in (QUICK_LINKS if quick else LINKS)]


def row_of(links: int) -> dict[str, Any]:
    """Half of the cuts while the chain runs, then the others after rebuilds."""
    samples: dict[str, list[float]] = {"step": [], "edit": [], "next_step": [], "cold_edit": [], "rebuild": []}
    scene = scenes.build("hanging_chain", links=links)
    sim = Simulation(scene)
    joints = sim.meter.names[links // 2 :][: 2 * CUTS]
    for number, joint in enumerate(joints):
        cold = 2 * number >= len(joints)
        for _ in range(STEPS):
            timed(samples["step"], sim.step)
        if cold:
            timed(samples["rebuild"], lambda: Simulation(scene))
        timed(samples["cold_edit" if cold else "edit"], lambda joint=joint: remove(sim, joint))
        timed(samples["next_step"], sim.step)
    median = {f"{key}_ms": 1e3 * float(np.median(values)) for key, values in samples.items()}
    return {
        "links": links,
        **median,
        "edit_in_steps": median["edit_ms"] / median["step_ms"],
        "cold_edit_in_steps": median["cold_edit_ms"] / median["step_ms"],
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
