"""Run a random scene and say what is wrong with it, frame by frame, from poses and velocities."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from fuzz.trials import Trial
from motion_measures import Anchors, energy_by_momentum, is_finite, kinetic_energy, potential_energy

import taut

SPEED = 100.0
"""Times what the scene's energy allows that nothing may be faster than, whatever a frame's status."""
GAP, LEAST_GAP = 1e-2, 1e-3
"""Largest gap of a joint in any frame, as a share of the size, and the gap in m that is always allowed."""
SOLVED_GAP, LEAST_SOLVED_GAP, TOUCHING = 1e-4, 8.7e-5, 10.0
"""The same in frames that count as solved: 5e-5 m along each axis is the limit of a step, ten times as much where
bodies touch."""
RISE = 1e-2
"""Rise of energy in a frame that counts as solved, as a share of the scene's energy, where nothing puts energy in."""
SOLVES = 288
"""Solves of a frame: its budget of 80 and one more for each of at most 64 parts, and where bodies are lost, as many for
the others."""


@dataclass
class Verdict:
    """What is wrong with a trial, and how many frames were not solved."""

    complaints: dict[str, str] = field(default_factory=dict)
    """First instance of each kind of complaint."""
    unsolved: int = 0
    frames: int = 0

    def expect(self, what: str, frame: int, status: str, value: float, most: float) -> None:
        """Complain where a value is above the most that is right."""
        if not value <= most:
            self.complaints.setdefault(what, f"frame {frame} ({status}): {what} {value:.3g} > {most:.3g}")


class Allowance:
    """The energy that a scene can have: that of its start, of falling freely, of springs, motors and pushes."""

    def __init__(self, sim: taut.Simulation, trial: Trial) -> None:
        """Look at the start."""
        bodies = sim.model.bodies
        moving = bodies.moves > 0
        self.kinetic, self.given = float(kinetic_energy(sim).sum()), trial.given
        self.mass, self.gravity = float(bodies.mass[moving].sum()), float(np.linalg.norm(sim.model.gravity))
        self.fastest = float(np.linalg.norm(sim.state.velocity[:, :3], axis=1).max())
        force = np.array([trial.pushes.get(name, 0.0) for name in bodies.names])
        self.force, self.lightness = float(force.sum()), float((force**2 / bodies.mass)[moving].sum())

    def at(self, time: float) -> float:
        """Energy (J) at a time (s): gravity does its work along a free fall, a push along the way it can push."""
        weight, way = self.mass * self.gravity, self.fastest * time
        fallen = weight * (way + 0.5 * self.gravity * time**2)
        return self.kinetic + self.given + fallen + self.force * way + 0.5 * self.lightness * time**2


class Judge:
    """Looks at a trial after every frame."""

    def __init__(self, sim: taut.Simulation, trial: Trial) -> None:
        """Look at the start."""
        self.sim, self.trial, self.verdict = sim, trial, Verdict()
        self.anchors, self.allowance = Anchors(sim, trial.anchors), Allowance(sim, trial)
        self.energy, self.touched = self.measured_energy(), False

    def measured_energy(self) -> float:
        """Energy, J: worked out here where no spring holds any, else what the engine says."""
        if self.trial.springs:
            return float(self.sim.state.energy)
        return float(energy_by_momentum(self.sim).sum()) + potential_energy(self.sim)

    def look(self, frame: int, report: taut.StepReport) -> None:
        """Judge a frame."""
        sim, trial, size = self.sim, self.trial, self.trial.size
        assert is_finite(sim), f"no longer finite, and the status is {report.status}"

        def expect(what: str, value: float, most: float) -> None:
            self.verdict.expect(what, frame, report.status, value, most)

        allowed, gap = self.allowance.at(sim.time), self.anchors.gap()
        expect("speed over what energy allows", np.sqrt(kinetic_energy(sim).sum() / allowed), SPEED)
        expect("gap in m", gap, max(GAP * size, LEAST_GAP))
        expect("solves", report.solves, SOLVES)
        expect("depth below the floor in m", trial.floor - self.lowest(), 0.01 * size)
        now = self.measured_energy()
        if report.unconverged:
            self.verdict.unsolved += 1
        else:
            near = TOUCHING if self.touched or report.contacts else 1.0
            expect("gap in m though solved", gap, max(SOLVED_GAP * size, near * LEAST_SOLVED_GAP))
            expect("overlap in m though solved", report.penetration, trial.overlap)
            expect("rise of energy though solved", (now - self.energy) / allowed if trial.passive else 0.0, RISE)
        self.energy, self.touched = now, report.contacts > 0
        self.verdict.frames += 1

    def lowest(self) -> float:
        """Height of the lowest centre of mass that moves, m."""
        return float(self.sim.state.position[self.sim.model.bodies.moves > 0, 2].min())


def run(trial: Trial, **options: Any) -> Verdict:
    """Run a trial with these further options to its end, or to where it breaks."""
    sim = taut.Simulation(trial.scene, **(trial.options | options))
    judge = Judge(sim, trial)
    for frame in range(trial.frames):
        if trial.drive is not None:
            trial.drive(sim, frame)
        try:
            judge.look(frame, sim.step())
        except Exception as error:  # none is right, whatever its kind
            judge.verdict.complaints["exception"] = f"frame {frame}: {error!r}"
            break
    return judge.verdict
