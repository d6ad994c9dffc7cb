"""Run a stress case and say what is wrong with it; energy and twist come from positions and velocities alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from motion_measures import axial_rates, is_finite, kinetic_energy, potential_energy
from stress.cases import FRAMES, Case

import taut

VIOLATION, TOUCHING_VIOLATION = 5e-5, 5e-4
"""Largest gap of a joint, m or rad, without and with contact: the limits of an accepted step."""
PENETRATION = 5e-3
"""Deepest overlap, m: what a step may overlook is 2.5 % of half a load's edge."""
GAIN = 2e-3
"""Energy from nowhere, as a share of the case's: the two-step scheme errs by half of it in a fast swing, as h^2."""
TWIST = 1e-6
"""Change of a link's rate of turn about its own axis where nothing acts on it, rad/s."""
SOLVES = 18.0
"""Solves a frame, on average: a storm that throws links about needs most of a frame's budget in some."""


@dataclass
class Verdict:
    """What a case came to."""

    frames: int = 0
    bad: Counter[str] = field(default_factory=Counter)
    """Frames that were not solved, by status."""
    violation: float = 0.0
    penetration: float = 0.0
    gain: float = 0.0
    twist: float = 0.0
    solves: float = 0.0

    def complaints(self, touching: bool) -> list[str]:
        """The bars that were not met, in words."""
        allowed = TOUCHING_VIOLATION if touching else VIOLATION
        measured = {
            "violation in m or rad": (self.violation, allowed),
            "penetration in m": (self.penetration, PENETRATION),
            "energy gained as a share": (self.gain, GAIN),
            "change of twist in rad/s": (self.twist, TWIST),
            "solves a frame": (self.solves, SOLVES),
        }
        bad = [f"{count} of {self.frames} frames: {status}" for status, count in self.bad.items()]
        return bad + [f"{name} {value:.2g} > {most:g}" for name, (value, most) in measured.items() if not value <= most]


class EnergyBook:
    """Energy from nowhere: what there is less the work of applied forces, above the least it has been so far.

    While a hand holds, what it gives and takes is not known: the book starts anew.
    """

    def __init__(self, sim: taut.Simulation) -> None:
        """Open the book."""
        self.sim, self.links, self.work = sim, len(sim.model.links), 0.0
        self.lowest, self.gain = self.energy(), 0.0

    def energy(self) -> float:
        """Energy less the work done so far, J."""
        return float(kinetic_energy(self.sim).sum()) + potential_energy(self.sim) - self.work

    def step(self) -> taut.StepReport:
        """Step the simulation and enter what that did."""
        force, before = self.sim.state.applied[:, :3].copy(), self.sim.state.position.copy()
        held = len(self.sim.model.links) > self.links
        report = self.sim.step()
        self.work += float(np.sum(force * (self.sim.state.position - before)))
        now = self.energy()
        self.lowest = now if held else min(self.lowest, now)
        self.gain = max(self.gain, now - self.lowest)
        return report


def run(case: Case, step: float, frames: int = FRAMES, **options: Any) -> Verdict:
    """Run a case with these options of a simulation; where it is no longer finite, that counts for all frames left."""
    sim, verdict = taut.Simulation(case.scene, step=step, **options), Verdict(frames=frames)
    book, rates = EnergyBook(sim), axial_rates(sim, case.untwisted)
    for frame in range(frames):
        case.drive(sim, frame)
        try:
            report = book.step()
        except taut.SimulationError:
            verdict.bad["no longer finite"] += frames - frame
            break
        assert is_finite(sim)
        verdict.bad.update([report.status] if report.unconverged else [])
        verdict.violation = max(verdict.violation, report.violation)
        verdict.penetration = max(verdict.penetration, report.penetration)
        verdict.twist = max(verdict.twist, np.abs(axial_rates(sim, case.untwisted) - rates).max(initial=0.0))
        verdict.solves += report.solves / frames
    verdict.gain = book.gain / case.scale
    return verdict
