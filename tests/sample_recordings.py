"""Small recordings with known numbers, for tests of what reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from taut.results.contact_table import ContactTable
from taut.results.drawing import Drawing
from taut.results.record import Recording, RecordingInfo
from taut.results.report import STAGES, StepReport

STEP = 0.01
ENERGY_FIRST = -200.0

CONTRACT = """
scene solver coordinates steps step rows_mean rows_max tight_mean residual_max residual_mean unconverged_steps
violation_max energy_first energy_last step_ms_median step_ms_max solve_ms_median pivots_mean solves_mean
substeps_max coupling_mean bodies final status stages_ms contacts_mean contacts_max penetration_max
friction_residual_max flicker_mean tight_share_mean pivots_max worst_frame
""".split()
"""Fields that the JSON summary of a run has at least."""


def report(index: int, solver: str = "bpp", **changes: object) -> StepReport:
    """A plausible report of one step; keyword arguments replace fields."""
    fields = {
        "index": index,
        "time": STEP * index,
        "residual": 1e-13 * index,
        "violation": 1e-8,
        "status": "solved",
        "rows": 30,
        "tight": 2,
        "pivots": 1,
        "solves": 1,
        "substeps": 1,
        "coupling_iterations": 0,
        "energy": ENERGY_FIRST - index,
        "momentum": np.full((2, 3), float(index)),
        "solver": solver,
        "stage_seconds": tuple(1e-4 * (stage + 1) for stage in range(len(STAGES))),
    }
    return StepReport(**(fields | changes))


def initial_report(solver: str = "bpp") -> StepReport:
    """The report of frame 0."""
    return StepReport.initial(ENERGY_FIRST, np.zeros((2, 3)), 0.0, solver)


def chain_info(bodies: int = 10, solver: str = "bpp") -> RecordingInfo:
    """A chain of light links with a heavy body named load at its end."""
    names = (*(f"link{index}" for index in range(bodies - 1)), "load")
    masses = (*(0.25 for _ in range(bodies - 1)), 500.0)
    joints = tuple(f"joint{index}" for index in range(bodies))
    return RecordingInfo("sample_chain", names, masses, joints, step=STEP, solver=solver, parameters={"links": bodies})


def frame_arrays(frame: int, bodies: int) -> tuple[np.ndarray, ...]:
    """Positions, orientations, velocities, angular velocities of a frame: body i is at (i, 0, -frame)."""
    positions = np.zeros((bodies, 3))
    positions[:, 0] = np.arange(bodies)
    positions[:, 2] = -frame
    orientations = np.tile([1.0, 0.0, 0.0, 0.0], (bodies, 1))
    return positions, orientations, np.full((bodies, 3), float(frame)), np.full((bodies, 3), -float(frame))


def contact_table(frame: int, names: tuple[str, ...]) -> ContactTable:
    """Frame mod 3 contacts of the first body with the world; the force of contact i is (frame, i, 1)."""
    count = frame % 3
    force = np.stack([np.full(count, float(frame)), np.arange(count), np.ones(count)], axis=1)
    up = np.tile([0.0, 0.0, 1.0], (count, 1))
    world, first = np.zeros(count, np.int64), np.ones(count, np.int64)
    gap, blow, slip = np.full(count, -1e-6), 0.001 * force, 0.01 * force
    labels = np.zeros((count, 3), np.int64)
    return ContactTable(names, world, first, 1e4 + force / 3, up, gap, force, blow, slip, labels, STEP)


def append_frame(recording: Recording, frame: int, touch: bool = False, **changes: object) -> None:
    """Append a frame with known numbers."""
    bodies = len(recording.info.body_names)
    made = report(frame, recording.info.solver, **changes) if frame else initial_report(recording.info.solver)
    reactions = np.full((len(recording.info.joint_names), 6), float(frame))
    violations = np.full(len(recording.info.joint_names), 1e-8)
    table = contact_table(frame, ("world", *recording.info.body_names)) if touch else None
    recording.append(
        STEP * frame, *frame_arrays(frame, bodies), made, table, joint_reactions=reactions, joint_violations=violations
    )


def sample_recording(
    steps: int = 5,
    bodies: int = 10,
    solver: str = "bpp",
    path: Path | None = None,
    touch: bool = False,
    drawing: Drawing | None = None,
    **changes: object,
) -> Recording:
    """A closed recording of a number of steps (steps + 1 frames)."""
    with Recording(chain_info(bodies, solver), path, drawing) as recording:
        for frame in range(steps + 1):
            append_frame(recording, frame, touch, **changes)
    return recording
