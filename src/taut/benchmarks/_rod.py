"""The rod of the InSimo slides: a direct solve of all bilateral rows against Gauss-Seidel with 100 and 200 iterations.

All runs take the same steps of 0.01 ms: linearly implicit Euler with geometric stiffness, one linearisation a step, a
fifth of a violation taken back, whatever comes out (`stepping/policy.py`, ONE_SHOT). Only the solve of the linear
system differs. Gauss-Seidel starts from zero ("cold") or from the impulses of the step before ("warm"). The last line
is the engine as it is: BDF2, a step is accepted or not.

Warm starts with a fifth taken back blow up here. Take a mode of unit mass of whose residual the iterations close a
share g in a step: lam+ = lam - g (v + lam + b y), v+ = v + lam+, y+ = y + v+, with y = x / h and b the share of the
violation that is taken back. For small g that is s^3 + g s^2 + g s + g b = 0, unstable where g < b. With a fiftieth
instead of a fifth, nothing blows up, and 200 iterations from the step before close to 1e-11 m as well: ten thousand
steps of one swing are as many iterations of the same problem. From zero, a mode that is not reached is held too softly.
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

TINY = 1e-17
"""What nothing is shown as where logarithms are drawn, m."""
WIDTHS = (9.0, 6.5, 4.0, 2.0, 2.0, 1.5)
"""Of the drawn rods, so that those that lie on each other are seen; points."""


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
    """Violation over time, how far pieces are off the line, and the rod itself at the end."""
    title = "rod of 20 cm and 1.5 g, 102 dofs, h = 0.01 ms: a direct solve against Gauss-Seidel"
    with sheet(path, title, rows=1, columns=3) as (left, middle, right):
        for (name, recording), colour, width in zip(recordings.items(), COLOURS, WIDTHS, strict=False):
            most = np.maximum.accumulate(np.maximum(recording.violation, TINY))
            left.semilogy(1e3 * recording.time, most, color=colour, linewidth=2.0, label=name)
            place = rod.places(recording)[-1]
            along = place[-1] / np.linalg.norm(place[-1])
            away = np.linalg.norm(place - np.outer(place @ along, along), axis=1)
            number = np.arange(1, place.shape[0])  # the last one is on the line by definition
            middle.semilogy(number, np.maximum(away[:-1], TINY), "o-", markersize=3, color=colour)
            x, z = 1e3 * np.vstack([np.zeros(3), place])[:, (0, 2)].T  # from the hinge
            right.plot(x, z, color=colour, linewidth=width, solid_capstyle="round")
        left.set(title="joints have been open by", xlabel="time, ms", ylabel="m")
        middle.set(title="shape: pieces are off the straight line by", xlabel="piece", ylabel="m")
        right.set(title="the rod at the end, to scale", xlabel="x, mm", ylabel="z, mm")
        right.set_aspect("equal", adjustable="datalim")
        left.figure.legend(loc="outside lower center", ncols=len(recordings))
