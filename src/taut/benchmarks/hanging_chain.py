"""Where the time of a step goes on the hanging chain, by number of links.

One second of the scene at h = 1/60 s with the default solver; milliseconds are medians over the steps.
"""

from __future__ import annotations

from typing import Any

from taut import scenes
from taut.simulation.simulation import Simulation

LINKS = (25, 50, 100, 200, 400)
DURATION = 1.0


def run() -> list[dict[str, Any]]:
    """One row a chain length."""
    return [measure(links) for links in LINKS]


def measure(links: int) -> dict[str, Any]:
    """Figures of one chain; a short run before it loads the kernels."""
    Simulation(scenes.build("hanging_chain", links=links)).run(0.1)
    summary = Simulation(scenes.build("hanging_chain", links=links)).run(DURATION).summary()
    return {
        "links": links,
        "rows": summary["rows_max"],
        "violation": summary["violation_max"],
        "residual": summary["residual_max"],
        "solves": summary["solves_mean"],
        "step_ms": summary["step_ms_median"],
        "step_ms_max": summary["step_ms_max"],
        **{f"{name}_ms": value for name, value in summary["stages_ms"].items()},
    }
