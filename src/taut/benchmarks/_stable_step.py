"""The largest step at which a plucked light cable stays calm, with and without geometric stiffness; what "exact" costs.

Two ways to take a step are compared, because the engine accepts, linearises again and halves steps by itself:

accepted    as simulations do, with BDF2. Calm means that every frame was solved. Without geometric stiffness the engine
            saves itself by halving its steps, up to 64 parts, and loses the frame where that is not enough.
one solve   one solve a frame with implicit Euler, taken as it comes, as engines with iterative solvers do: the scheme
            alone. The solve is exact.

In both, the cable may at no time be farther out than it was plucked, must follow its closed form, and hold together.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import taut.scenes
from taut.errors import SimulationError
from taut.results.record import Recording
from taut.scenes import plucked_cable
from taut.simulation.simulation import Simulation
from taut.solvers.base import PivotingSolver
from taut.solvers.block_pivoting import BlockPivoting

STEPS = tuple(0.25 / 2**k for k in range(14))
"""Steps that are tried, s, from 1/4, above which simulations warn, to 1/32768."""
DURATION = 0.5
"""Simulated, s: a mode that grows by a hundredth in a frame of 1/60 s is out of all bounds by then, or is none."""
OUT = 1.05
"""How far out the cable may be, over the pluck."""
OFF = 0.1
"""How far it may be from its closed form, over the pluck."""
JOINED = 1e-3
"""Most that a joint may be open, m."""
COMPARED = ("plucked_cable", "hanging_chain", "mass_ladder", "four_bar", "closed_chain", "heavy_pendulum", "gear_train")
"""Scenes in which "exact" is compared with "auto"."""
FRAMES = 60


@dataclass(frozen=True)
class TakenAsItIs(BlockPivoting):
    """Block pivoting that says it is not exact, so that a frame is one solve, taken as it comes."""

    exact: ClassVar[bool] = False


WAYS: dict[str, PivotingSolver] = {"accepted": BlockPivoting(), "one solve": TakenAsItIs()}


def pluck(stiffness: str, way: str, step: float, **parameters: float) -> Recording | None:
    """A run of the cable with this step, s; None if it ended."""
    scene = taut.scenes.build("plucked_cable", **parameters)
    simulation = Simulation(scene, step=step, solver=WAYS[way], geometric_stiffness=stiffness)
    try:
        return simulation.run(max(DURATION, 4 * step))
    except SimulationError:
        return None


def is_calm(recording: Recording | None, way: str) -> bool:
    """Whether the cable held together and stayed where it belongs, and steps that are accepted were."""
    if recording is None or (way == "accepted" and recording.column("unconverged").any()):
        return False
    if not recording.violation.max() <= JOINED:
        return False
    links = len(recording.info.body_names) - 1
    out = np.stack([recording.body(f"link-{k}").position[:, :2] for k in range(1, links + 1)])
    expected = plucked_cable.AMPLITUDE * np.exp(-plucked_cable.rate_of(recording) * recording.time)
    error = np.abs(plucked_cable.amplitude(recording) - expected).max()
    return bool(np.abs(out).max() <= OUT * plucked_cable.AMPLITUDE and error <= OFF * plucked_cable.AMPLITUDE)


def largest_step(stiffness: str, way: str, **parameters: float) -> float:
    """The largest of `STEPS` from which on the cable is calm at every smaller one that was tried, s; 0 if at none.

    Steps are tried from the largest down until two in a row are calm.
    """
    calm_at = 0.0
    for step in STEPS:
        if not is_calm(pluck(stiffness, way, step, **parameters), way):
            calm_at = 0.0
        elif calm_at > 0.0:
            return calm_at
        else:
            calm_at = step
    return calm_at


def stable_steps(**parameters: float) -> list[dict[str, Any]]:
    """One row a way and a stiffness: the largest calm step, s, and how many times that of "off" it is."""
    rows = []
    for way in WAYS:
        found = {stiffness: largest_step(stiffness, way, **parameters) for stiffness in ("off", "auto", "exact")}
        for stiffness, step in found.items():
            gain = step / found["off"] if found["off"] > 0.0 else None
            rows.append({"part": "stable step", "taken": way, "stiffness": stiffness, "step_s": step, "gain": gain})
    return rows


def compare_exact(scenes: tuple[str, ...] = COMPARED, frames: int = FRAMES) -> list[dict[str, Any]]:
    """One row a scene: energy that is lost, solves and CPU milliseconds a frame, of "auto" and of "exact".

    Frames are taken in turn, so that a busy moment hits both alike; the first ones, which compile, do not count. Those
    of "auto" are compiled as a whole where they can be; those of "exact" go stage by stage.
    """
    return [compare_scene(name, frames) for name in scenes]


def compare_scene(name: str, frames: int) -> dict[str, Any]:
    """One row of `compare_exact`."""
    runs = {mode: Simulation(taut.scenes.build(name), geometric_stiffness=mode) for mode in ("auto", "exact")}
    seconds: dict[str, list[float]] = {mode: [] for mode in runs}
    reports: dict[str, list[Any]] = {mode: [] for mode in runs}
    for frame in range(frames + 3):
        for mode, simulation in runs.items():
            began = time.process_time()
            report = simulation.step()
            if frame >= 3:
                seconds[mode].append(time.process_time() - began)
                reports[mode].append(report)
    row: dict[str, Any] = {"part": "exact", "scene": name}
    for mode, found in reports.items():
        row[f"{mode}_energy_change"] = found[-1].energy - found[0].energy
        row[f"{mode}_solves"] = float(np.mean([report.solves for report in found]))
        row[f"{mode}_violation"] = max(report.violation for report in found)
        row[f"{mode}_residual"] = max(report.residual for report in found)
        row[f"{mode}_unconverged"] = sum(report.unconverged for report in found)
        row[f"{mode}_ms"] = 1e3 * float(np.median(seconds[mode]))
    row["clipped_frames"] = sum(report.clipped > 0 for report in reports["exact"])
    return row


def measure(quick: bool, out: Path) -> list[dict[str, Any]]:
    """The table of `taut bench stepping`: largest calm steps, then the exact stiffness beside "auto"."""
    exact = compare_exact(COMPARED[:1], 5) if quick else compare_exact()
    steps = [] if quick else stable_steps()
    return [{key: value for key, value in row.items() if key != "part"} for row in (*steps, *exact)]
