"""One instant of a motion, as much of it as can be seen: what a running simulation and a recording both give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.errors import InputError
from taut.results.contact_table import ContactTable
from taut.results.drawing import Drawing
from taut.results.report import REPORT_DTYPE
from taut.spatial import IDENTITY, Array

if TYPE_CHECKING:
    from taut.results.record import Recording
    from taut.simulation.simulation import Simulation


OVERVIEW = 24
"""Frames that stand for a whole motion."""


@dataclass(frozen=True, eq=False)
class Frame:
    """What there is to see at one time; world axes, SI units, bodies with the world first as in `Drawing`.

    Attributes:
        positions, orientations: (n, 3), (n, 4) of the bodies' own frames.
        report: one row of `taut.results.report.REPORT_DTYPE`: proof and cost of the step that led here.
        contacts: contact points that carry a force.
        reactions: (m, 6) force (N) and torque (N m) of joints on their body B.
        violations: (m,) m or rad.
        tensions: (m,) N, NaN for joints that do not act along a line.
        tight: (m,) rows of a joint that are at a bound.
    """

    positions: Array
    orientations: Array
    report: np.void
    contacts: ContactTable
    reactions: Array
    violations: Array
    tensions: Array
    tight: Any

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return float(self.report["time"])


def frame_of(simulation: Simulation) -> Frame:
    """The present state of a simulation; arrays are copies, so that it may go on."""
    state, meter = simulation.state, simulation.meter
    simulation.read_joints()
    return Frame(
        positions=simulation.origins().copy(),
        orientations=state.orientation.copy(),
        report=np.array([simulation.report.as_row()], REPORT_DTYPE)[0],
        contacts=simulation.contacts,
        reactions=meter.reaction.copy(),
        violations=meter.violation.copy(),
        tensions=meter.tension(state.force),
        tight=meter.tight(state.index_set),
    )


def frame_at(recording: Recording, index: int) -> Frame:
    """A frame of a recording; what was not recorded is zero, or NaN for tensions."""
    joints = len(recording.info.joint_names)
    place, turn = recording.positions[index], recording.orientations[index]
    return Frame(
        positions=np.vstack([np.zeros(3), place]),
        orientations=np.vstack([IDENTITY, turn]),
        report=recording.reports[index],
        contacts=recording.contacts(index),
        reactions=_joint_values(recording, "joint_reactions", index, np.zeros((joints, 6))),
        violations=_joint_values(recording, "joint_violations", index, np.zeros(joints)),
        tensions=_joint_values(recording, "joint_tensions", index, np.full(joints, np.nan)),
        tight=_joint_values(recording, "joint_tight", index, np.zeros(joints)),
    )


def overview(recording: Recording, indices: Sequence[int] | np.ndarray) -> list[Frame]:
    """Frames spread over some frames of a recording: what a camera is chosen by."""
    chosen = np.asarray(indices)[np.unique(np.linspace(0, len(indices) - 1, OVERVIEW).astype(int))]
    return [frame_at(recording, int(index)) for index in chosen]


def _joint_values(recording: Recording, name: str, index: int, missing: Array) -> Array:
    values = recording.joint_array(name)
    return missing if values is None else values[index]


def drawing_of(recording: Recording) -> Drawing:
    """What a recording's bodies look like; of one that was made without shapes, its scene is built anew."""
    if recording.drawing is not None:
        return recording.drawing
    from taut import scenes
    from taut.model.compile import compile_scene
    from taut.results.drawing import draw_model

    info = recording.info
    try:
        model, _ = compile_scene(scenes.build(info.scene, **info.parameters))
    except InputError as error:
        raise InputError(f"recording of {info.scene!r} has no shapes, and its scene cannot be built: {error}") from None
    if model.bodies.names[1:] != info.body_names:
        raise InputError(f"recording of {info.scene!r} has no shapes, and its scene has other bodies today")
    return draw_model(model)
