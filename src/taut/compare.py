"""The same scene with several solvers: one run each, side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from taut.errors import SimulationError
from taut.launch import RunRequest
from taut.record import Recording


def compare_solvers(
    request: RunRequest, solvers: list[str], announce: Callable[[str], None] = lambda solver: None
) -> tuple[list[dict[str, Any]], dict[str, Recording]]:
    """Run a scene once a solver.

    Args:
        request: the run; its solver is replaced.
        solvers: names of solvers.
        announce: called with the solver's name before each run.

    Returns:
        One summary a solver, and the recordings by solver. A run that fails has the status "failed" and its error in
        its summary and no recording: what a solver cannot do is part of the comparison.
    """
    summaries: list[dict[str, Any]] = []
    recordings: dict[str, Recording] = {}
    for solver in solvers:
        announce(solver)
        single = replace(request, solver=solver)
        try:
            recording = single.simulation().run(single.seconds)
        except SimulationError as error:
            summaries.append({"scene": request.scene, "solver": solver, "status": "failed", "error": str(error)})
            continue
        recordings[solver] = recording
        summaries.append(recording.summary() | {"scene": request.scene, "solver": solver})
    return summaries, recordings
