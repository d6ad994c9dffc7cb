"""What happened in a step (`StepReport`) and in a run (`RunSummary`).

A report is cheap enough to be built on every step. `REPORT_DTYPE` is the same record as one row of a NumPy array, which
is how a recording keeps it in memory and on disk.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.results.events import Event

STAGES = ("collide", "rows", "assemble", "solve", "accept", "other")
"""Stages of a step, in the order of `StepReport.stage_seconds`."""

REPORT_DTYPE = np.dtype(
    [
        ("index", "i8"),
        ("time", "f8"),
        ("residual", "f8"),
        ("violation", "f8"),
        ("penetration", "f8"),
        ("status", "S32"),
        ("rows", "i8"),
        ("tight", "i8"),
        ("pivots", "i8"),
        ("solves", "i8"),
        ("substeps", "i8"),
        ("coupling_iterations", "i8"),
        ("contacts", "i8"),
        ("flicker", "i8"),
        ("sleeping", "i8"),
        ("clipped", "i8"),
        ("parts", "i8"),
        ("interface_rows", "i8"),
        ("friction_residual", "f8"),
        ("unconverged", "?"),
        ("energy", "f8"),
        ("momentum", "f8", (2, 3)),
        ("stage_seconds", "f8", (len(STAGES),)),
    ]
)
"""One `StepReport` as a row of a structured array (`solver` is an attribute of the whole recording)."""


@dataclass(slots=True, eq=False)
class StepReport:
    """Proof and cost of one step; read-only by convention (not frozen, because it is built on every step).

    Attributes:
        index: number of the step, from 1; 0 is the initial state.
        time: time at the end of the step (s).
        residual: worst scaled natural residual of the solves that made the step (-) [Peiret2019, eq. 29].
        violation: largest nonlinear violation of a joint at the new configuration (m; rad count as m); overlaps of
            bodies are apart from it, see `penetration`.
        status: "solved", or the name of what went wrong.
        rows: constraint rows in the last solve.
        tight: rows of them that ended at a bound.
        pivots: changes of the index set, or sweeps of an iterative solver, over the whole step.
        solves: linearised problems solved in the step (1 in smooth motion); passes of friction are not counted.
        substeps: parts the step was cut into (1 = not halved).
        coupling_iterations: outer iterations between subsystems (0 where there are none), of the solve with most.
        energy: kinetic + potential energy at the end of the step (J).
        momentum: (2, 3) linear (kg m/s) and angular about the world origin (kg m^2/s).
        solver: name of the solver that was used.
        stage_seconds: seconds by stage in the order of `STAGES`.
        unconverged: True if the step was taken although it missed its tolerances.
        contacts: contact points that carry a force at the end of the step.
        penetration: deepest overlap of two bodies at the new configuration (m).
        friction_residual: how far the friction law is missed, relative to the largest bound of the island (-); 0 with
            friction "box", whose bounds do not depend on the solution.
        flicker: contact points that began or ceased to carry a force in the step.
        sleeping: bodies that sleep at the end of the step. Their contacts, overlaps and joint gaps are reported, rows
            and solves are those of the others.
        events: what broke, was cut, added or removed since the report before, see `taut.results.events`.
        clipped: bodies whose exact geometric stiffness was not safely positive definite in a part of the step, so that
            it was clipped as with "auto"; 0 unless geometric_stiffness is "exact".
        parts, interface_rows: parts that the last solve was divided into, and rows between them (0 where it was not).
    """

    index: int
    time: float
    residual: float
    violation: float
    status: str
    rows: int
    tight: int
    pivots: int
    solves: int
    substeps: int
    coupling_iterations: int
    energy: float
    momentum: Any
    solver: str
    stage_seconds: tuple[float, ...]
    unconverged: bool = False
    contacts: int = 0
    penetration: float = 0.0
    friction_residual: float = 0.0
    flicker: int = 0
    sleeping: int = 0
    events: tuple[Event, ...] = ()
    clipped: int = 0
    parts: int = 0
    interface_rows: int = 0

    @classmethod
    def initial(
        cls, energy: float, momentum: Any, violation: float, solver: str, time: float = 0.0, penetration: float = 0.0
    ) -> StepReport:
        """Report of frame 0: the state before the first step, which cost nothing and solved nothing."""
        idle = (0.0,) * len(STAGES)
        report = cls(0, time, 0.0, violation, "initial", 0, 0, 0, 0, 0, 0, energy, momentum, solver, idle)
        report.penetration = penetration
        return report

    @property
    def seconds(self) -> dict[str, float]:
        """Wall-clock seconds of the step by stage."""
        return dict(zip(STAGES, self.stage_seconds, strict=True))

    @property
    def total_seconds(self) -> float:
        """Wall-clock seconds of the whole step."""
        return sum(self.stage_seconds)

    def as_row(self) -> tuple[Any, ...]:
        """This report as one row of `REPORT_DTYPE`."""
        return (
            self.index,
            self.time,
            self.residual,
            self.violation,
            self.penetration,
            self.status,
            self.rows,
            self.tight,
            self.pivots,
            self.solves,
            self.substeps,
            self.coupling_iterations,
            self.contacts,
            self.flicker,
            self.sleeping,
            self.clipped,
            self.parts,
            self.interface_rows,
            self.friction_residual,
            self.unconverged,
            self.energy,
            self.momentum,
            self.stage_seconds,
        )


class MissedFrames(list[StepReport]):
    """What `sim.run(duration, record=False)` tells: reports of frames that missed their tolerances, and all events.

    Attributes:
        events: what broke, was cut, added or removed in the run, in the order of time; as `Recording.events`.
    """

    def __init__(self) -> None:
        """Nothing was missed, and nothing happened."""
        super().__init__()
        self.events: tuple[Event, ...] = ()

    def note(self, report: StepReport) -> None:
        """Keep of the report of a frame what is worth telling."""
        if report.unconverged:
            self.append(report)
        self.events += report.events


@dataclass(frozen=True)
class RunSummary:
    """A run in numbers: the JSON object of ``taut run --json``.

    Times are in milliseconds of wall clock, ``step`` and ``duration`` in simulated seconds, energies in J, violations
    and penetrations in m. Statistics are over the steps; ``energy_first`` is that of the initial state.
    ``energy_drift`` is relative to ``|energy_first|``. ``tight_share_mean`` is the mean of tight rows over rows,
    ``flicker_mean`` the contact points that began or ceased to carry a force over those that carried one, in all steps.
    ``parts_mean`` and ``interface_rows_mean`` are how problems were divided, see `taut.problem.parts`.
    ``sleeping_mean`` the mean number of bodies that slept. ``worst_frame`` is the slowest step: its ``index`` and
    ``ms``. ``final`` maps each body's name to its last position (m).
    """

    scene: str
    solver: str
    integrator: str
    coordinates: str
    steps: int
    step: float
    duration: float
    bodies: int
    rows_mean: float
    rows_max: int
    tight_mean: float
    residual_max: float
    residual_mean: float
    unconverged_steps: int
    violation_max: float
    energy_first: float
    energy_last: float
    energy_drift: float
    step_ms_median: float
    step_ms_max: float
    solve_ms_median: float
    stages_ms: dict[str, float]
    pivots_mean: float
    solves_mean: float
    solves_max: int
    substeps_max: int
    coupling_mean: float
    parts_mean: float
    interface_rows_mean: float
    contacts_mean: float
    contacts_max: int
    penetration_max: float
    friction_residual_max: float
    flicker_mean: float
    sleeping_mean: float
    tight_share_mean: float
    pivots_max: int
    worst_frame: dict[str, float]
    final: dict[str, list[float]]
    status: str

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values; a number that is not finite becomes None, because JSON has no word for it."""
        return {field.name: _json_value(getattr(self, field.name)) for field in dataclasses.fields(self)}


def summarize(
    reports: np.ndarray,
    final: dict[str, list[float]],
    *,
    scene: str,
    solver: str,
    integrator: str,
    coordinates: str,
    step: float,
    ending: str = "complete",
) -> RunSummary:
    """Aggregate the reports of a run.

    Args:
        reports: (frames,) of `REPORT_DTYPE`, the first of them the initial state.
        final: last position of each body by name (m).
        scene: name of the scene.
        solver: name of the solver.
        integrator: name of the integrator.
        coordinates: "maximal" or "reduced".
        step: step size (s).
        ending: how the run ended: "complete", or "running", "interrupted", "failed".

    Returns:
        The summary; its status is "ok" for a complete run with every step converged, "unconverged" if steps were taken
        that missed their tolerances, else the ending.
    """
    steps = reports[reports["index"] > 0]
    unconverged = int(np.count_nonzero(steps["unconverged"]))
    stage_ms = 1e3 * steps["stage_seconds"]
    step_ms = stage_ms.sum(axis=1)
    energy_first, energy_last = (float(reports["energy"][at]) if len(reports) else math.nan for at in (0, -1))
    return RunSummary(
        scene=scene,
        solver=solver,
        integrator=integrator,
        coordinates=coordinates,
        steps=len(steps),
        step=step,
        duration=len(steps) * step,
        bodies=len(final),
        rows_mean=_mean(steps["rows"]),
        rows_max=int(_max(steps["rows"])),
        tight_mean=_mean(steps["tight"]),
        residual_max=_max(steps["residual"]),
        residual_mean=_mean(steps["residual"]),
        unconverged_steps=unconverged,
        violation_max=_max(steps["violation"]),
        energy_first=energy_first,
        energy_last=energy_last,
        energy_drift=(energy_last - energy_first) / abs(energy_first) if energy_first else math.nan,
        step_ms_median=_median(step_ms),
        step_ms_max=_max(step_ms),
        solve_ms_median=_median(stage_ms[:, STAGES.index("solve")]),
        stages_ms={name: _median(stage_ms[:, stage]) for stage, name in enumerate(STAGES)},
        pivots_mean=_mean(steps["pivots"]),
        solves_mean=_mean(steps["solves"]),
        solves_max=int(_max(steps["solves"])),
        substeps_max=int(_max(steps["substeps"])),
        coupling_mean=_mean(steps["coupling_iterations"]),
        parts_mean=_mean(steps["parts"]),
        interface_rows_mean=_mean(steps["interface_rows"]),
        contacts_mean=_mean(steps["contacts"]),
        contacts_max=int(_max(steps["contacts"])),
        penetration_max=_max(steps["penetration"]),
        friction_residual_max=_max(steps["friction_residual"]),
        sleeping_mean=_mean(steps["sleeping"]),
        flicker_mean=float(steps["flicker"].sum() / max(steps["contacts"].sum(), 1)),
        tight_share_mean=_mean(steps["tight"] / np.maximum(steps["rows"], 1)),
        pivots_max=int(_max(steps["pivots"])),
        worst_frame=_slowest(steps["index"], step_ms),
        final=final,
        status=ending if ending != "complete" else "unconverged" if unconverged else "ok",
    )


def _mean(column: np.ndarray) -> float:
    return float(column.mean()) if column.size else 0.0


def _max(column: np.ndarray) -> float:
    return float(column.max()) if column.size else 0.0


def _median(column: np.ndarray) -> float:
    return float(np.median(column)) if column.size else 0.0


def _slowest(index: np.ndarray, step_ms: np.ndarray) -> dict[str, float]:
    at = int(np.argmax(step_ms)) if step_ms.size else None
    return {"index": 0, "ms": 0.0} if at is None else {"index": int(index[at]), "ms": float(step_ms[at])}


def _json_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _json_value(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_json_value(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
