"""Runs of piles, frame by frame: processor time, work and accuracy, ours and those of MuJoCo in turn."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from taut.benchmarks._mujoco_scene import MujocoScene, Tuning
from taut.problem.kkt import Problem
from taut.problem.solution import MlcpSolution
from taut.results.report import STAGES, StepReport
from taut.scene.scene import Scene
from taut.simulation.simulation import Simulation
from taut.solvers.base import Start
from taut.solvers.block_pivoting import BlockPivoting

IN_A_ROW = 10
"""Frames of a run before the next has its turn: what it works on is then in the processor's caches."""

OURS = "Taut"


@dataclass(frozen=True)
class CountingSolver(BlockPivoting):
    """`bpp` that notes the factorisations of every solve."""

    name: ClassVar[str] = "bpp"
    counts: list[int] = field(default_factory=list, compare=False)

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        solution = super().solve(problem, warm_start)
        self.counts.append(solution.factorizations)
        return solution


@dataclass(frozen=True)
class FrameFigures:
    """What is known of a frame.

    Attributes:
        cpu_ms: processor time of the whole process.
        penetration: depth of the deepest contact after the frame, m.
        failed: whether the frame was not solved or, in MuJoCo, became unstable, whereupon it starts again.
        report: of the step, where it is ours.
        factorizations: of each solve, where it is ours.
    """

    cpu_ms: float
    penetration: float
    failed: bool
    report: StepReport | None = None
    factorizations: tuple[int, ...] = ()


class Run(Protocol):
    """A scene that goes on frame by frame."""

    engine: str

    def advance(self) -> FrameFigures:
        """Do one frame."""
        ...


class OwnRun:
    """A scene with the default settings."""

    engine = OURS

    def __init__(self, scene: Scene) -> None:
        self.solver = CountingSolver()
        self.simulation = Simulation(scene, solver=self.solver)

    def advance(self) -> FrameFigures:
        """Do one frame."""
        self.solver.counts.clear()
        start = time.process_time()
        report = self.simulation.step()
        cpu = time.process_time() - start
        failed = report.status != "solved"
        return FrameFigures(1e3 * cpu, report.penetration, failed, report, tuple(self.solver.counts))


class MujocoRun:
    """The same scene in MuJoCo."""

    def __init__(self, scene: Scene, tuning: Tuning) -> None:
        self.engine, self.scene = f"MuJoCo, {tuning.name}", MujocoScene(scene, tuning)

    def advance(self) -> FrameFigures:
        """Do one frame."""
        before, start = self.scene.time, time.process_time()
        self.scene.frame()
        cpu = time.process_time() - start
        return FrameFigures(1e3 * cpu, self.scene.penetration(), self.scene.time < before)


def least(rounds: list[list[FrameFigures]]) -> list[FrameFigures]:
    """Each frame as it was in the round where it took least processor time: all rounds do the same work."""
    return [min(same, key=lambda frame: frame.cpu_ms) for same in zip(*rounds, strict=True)]


def in_turn(runs: list[Run], frames: int) -> list[list[FrameFigures]]:
    """Figures of so many frames of each run, `IN_A_ROW` at a time."""
    found: list[list[FrameFigures]] = [[] for _ in runs]
    while len(found[-1]) < frames:
        for own, run in zip(found, runs, strict=True):
            own += [run.advance() for _ in range(min(IN_A_ROW, frames - len(own)))]
    return found


@dataclass(frozen=True)
class Phase:
    """Frames of a run that make one line.

    Attributes:
        name: of the scene and what happens in it.
        begin, end: frames, from 0.
        targets: what the median, the 95th percentile and the worst should be at most, ms; None where nothing is said.
    """

    name: str
    begin: int
    end: int
    targets: tuple[float | None, float | None, float | None] = (None, None, None)

    def time_row(self, engine: str, frames: list[FrameFigures]) -> dict[str, Any]:
        """Processor times, with their targets beside them, and how deep bodies overlap."""
        own = frames[self.begin : self.end]
        cpu = np.array([frame.cpu_ms for frame in own])
        row: dict[str, Any] = {"case": self.name, "engine": engine, "frames": len(own)}
        figures = float(np.median(cpu)), float(np.quantile(cpu, 0.95)), float(cpu.max())
        for name, value, target in zip(("median", "p95", "worst"), figures, self.targets, strict=True):
            row[f"{name}_ms"] = value
            row[f"{name}_target"] = "" if target is None or engine != OURS else f"<= {target:g}"
        row["failed"] = sum(frame.failed for frame in own)
        row["overlap_mm"] = 1e3 * max(frame.penetration for frame in own)
        return row

    def work_row(self, frames: list[FrameFigures]) -> dict[str, Any]:
        """Solves a frame and factorisations a solve, and the worst residual, of our own frames."""
        reports = [frame.report for frame in frames[self.begin : self.end] if frame.report is not None]
        solves = np.array([report.solves for report in reports])
        factors = np.array([count for frame in frames[self.begin : self.end] for count in frame.factorizations])
        return {
            "case": self.name, "solves_mean": float(solves.mean()), "solves_max": int(solves.max()),
            "factorisations_mean": float(factors.mean()) if factors.size else 0.0,
            "factorisations_max": int(factors.max(initial=0)),
            "rows": float(np.median([report.rows for report in reports])),
            "contacts": float(np.median([report.contacts for report in reports])),
            "residual_max": max(report.residual for report in reports),
        }  # fmt: skip

    def worst_row(self, frames: list[FrameFigures]) -> dict[str, Any]:
        """The slowest of our own frames, and what took the time: its stages are by the clock, not processor times."""
        at = self.begin + int(np.argmax([frame.cpu_ms for frame in frames[self.begin : self.end]]))
        frame, report = frames[at], frames[at].report
        assert report is not None
        return {
            "case": self.name, "frame": at, "cpu_ms": frame.cpu_ms, "solves": report.solves,
            "parts": report.substeps, "factorisations": sum(frame.factorizations), "rows": report.rows,
            "contacts": report.contacts,
        } | {f"{name}_ms": 1e3 * report.seconds[name] for name in STAGES}  # fmt: skip
