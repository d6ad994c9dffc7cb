"""The rod of the InSimo slides: a direct solve of all bilateral rows against Gauss-Seidel with 100 and 200 iterations.

All runs take the same steps of 0.01 ms: linearly implicit Euler with geometric stiffness, one linearisation a step, a
fifth of a violation taken back, whatever comes out (`stepping/policy.py`, ONE_SHOT). Only the solve of the linear
system differs. Gauss-Seidel starts from zero ("cold") or from the impulses of the step before ("warm"). The last line
is the engine as it is: BDF2, a step is accepted or not.

Warm starts make it worse here. What is left over of a slow mode x is then summed up, lam' = -a x' - b x with b from the
fifth, so that x''' + a x' + b x = 0: without a term in x'' that is unstable for every b > 0, slowly where iterations
are many. From zero, a mode that Gauss-Seidel does not reach is only held too softly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any, ClassVar

import numpy as np

from taut import scenes
from taut.problem.kkt import KktProblem, Problem
from taut.problem.solution import MlcpSolution, Status
from taut.results.figures import COLOURS, sheet
from taut.results.record import Recording
from taut.scenes import rod
from taut.simulation.simulation import Simulation
from taut.solvers.base import PivotingSolver, Start, labels_of
from taut.solvers.bilateral import BilateralFactor, solve_bilateral
from taut.solvers.projected_gauss_seidel import ProjectedGaussSeidel

STEP = 1e-5
"""The slides' time step, s."""
DURATION, QUICK_DURATION = 0.05, 2e-4
"""Simulated, s: 5,000 steps, in which the rod turns by 5 degrees."""


@dataclass(frozen=True)
class Bilateral(PivotingSolver):
    """The direct solve, taken as it comes."""

    name: ClassVar[str] = "bilateral"
    summary: ClassVar[str] = "one factor of bodies and bilateral rows, kept from step to step"
    exact: ClassVar[bool] = False
    accuracy: ClassVar[float] = 1e-9

    kept: BilateralFactor = field(default_factory=BilateralFactor, compare=False)

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem whose rows are all bilateral."""
        assert isinstance(problem, KktProblem)
        lam, _ = solve_bilateral(problem, self.kept)
        return self.conclude(problem, lam, labels_of(problem, lam), Status.NOT_POSITIVE_DEFINITE, "", 1, 1)


@dataclass(frozen=True)
class ColdGaussSeidel(ProjectedGaussSeidel):
    """Gauss-Seidel from zero."""

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; the warm start is left alone."""
        return super().solve(problem)


def runs() -> dict[str, PivotingSolver | str]:
    """Solvers by name."""
    found: dict[str, PivotingSolver | str] = {"direct": Bilateral()}
    for start, kind in (("cold", ColdGaussSeidel), ("warm", ProjectedGaussSeidel)):
        for count in (100, 200):
            found[f"GS {count}, {start}"] = kind(iterations=count, tolerance=0.0)
    return found | {"bpp, BDF2": "bpp"}


def measure(quick: bool, out: Path) -> list[dict[str, Any]]:
    """One line a solver, and the figure."""
    recordings, rows = {}, []
    for name, solver in runs().items():
        sim = Simulation(scenes.build("rod"), step=STEP, solver=solver)
        sim.step()  # compiles
        begin = process_time()
        recording = recordings[name] = sim.run(QUICK_DURATION if quick else DURATION)
        rows.append(row_of(name, recording) | {"step_ms": 1e3 * (process_time() - begin) / (len(recording) - 1)})
    draw(out / "rod.png", recordings)
    return rows


def row_of(name: str, recording: Recording) -> dict[str, Any]:
    """How far joints open, how far the rod bends and turns away, and what that costs."""
    place = rod.places(recording)
    bend, angle = rod.bend(place), np.arctan2(place[:, -1, 0], -place[:, -1, 2])
    rigid = rod.pendulum_angle(recording.time, 0.5 * np.pi, rod.moment_arm(place.shape[1]))
    return {
        "solver": name,
        "steps": len(recording) - 1,
        "violation_max": float(recording.violation.max()),
        "violation_end": float(recording.violation[-1]),
        "bend_max": float(bend.max()),
        "bend_end": float(bend[-1]),
        "angle_error": float(abs(angle - rigid).max()),
        "energy_gain": float((recording.energy - recording.energy[0]).max()),
        "residual_max": float(recording.residual.max()),
    }


def draw(path: Path, recordings: dict[str, Recording]) -> None:
    """Violation over time, the bend along the rod, and the rod itself at the end."""
    with sheet(path, "rod of 20 cm and 1.5 g, 102 dofs, h = 0.01 ms", rows=1, columns=3) as (left, middle, right):
        for (name, recording), colour in zip(recordings.items(), COLOURS, strict=False):
            left.semilogy(1e3 * recording.time, np.maximum(recording.violation, 1e-17), color=colour, label=name)
            place = rod.places(recording)[-1]
            along = place[-1] / np.linalg.norm(place[-1])
            away = np.linalg.norm(place - np.outer(place @ along, along), axis=1)
            number = np.arange(1, place.shape[0] + 1)
            middle.semilogy(number, np.maximum(away, 1e-18), "o-", markersize=3, color=colour, label=name)
            right.plot(1e3 * place[:, 0], 1e3 * place[:, 2], "o-", markersize=3, color=colour, label=name)
        left.set(title="joints open by", xlabel="ms", ylabel="m")
        middle.set(title="pieces off the line at the end", xlabel="piece", ylabel="m")
        right.set(title="the rod at the end", xlabel="x, mm", ylabel="z, mm")
        left.legend(loc="center right")
