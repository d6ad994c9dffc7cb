"""The same scene with several solvers: one run each, side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from taut.errors import SimulationError
from taut.results.record import Recording
from taut.simulation.launch import RunRequest


def compare_solvers(
    request: RunRequest, solvers: list[str], progress: Callable[[str, float], None] = lambda solver, share: None
) -> tuple[list[dict[str, Any]], dict[str, Recording]]:
    """Run a scene once a solver.

    Args:
        request: the run; its solver is replaced.
        solvers: names of solvers.
        progress: called after every step with the solver's name and the share of its run that is done.

    Returns:
        One summary a solver, and the recordings by solver. A run that fails has the status "failed", the error in its
        summary, and is recorded up to there: what a solver cannot do is part of the comparison.
    """
    summaries: list[dict[str, Any]] = []
    recordings: dict[str, Recording] = {}
    for solver in solvers:
        recording, failure = _run_as_far_as_it_goes(request.with_solver(solver), partial(progress, solver))
        recordings[solver] = recording
        summaries.append(recording.summary() | {"solver": solver} | failure)
    return summaries, recordings


def _run_as_far_as_it_goes(request: RunRequest, progress: Callable[[float], None]) -> tuple[Recording, dict[str, str]]:
    """The recording of a run, and why it ended early if it did."""
    simulation = request.simulation()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "run.h5"
        try:
            return simulation.run(request.duration, file, progress), {}
        except SimulationError as error:
            return Recording.load(file), {"error": str(error)}
