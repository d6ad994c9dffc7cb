"""One instant of a motion, as much of it as can be seen: what a running simulation and a recording both give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.errors import InputError
from taut.results.contact_table import ContactTable
from taut.results.drawing import Drawing, Flags, drawn_links
from taut.results.drawing_union import Placement
from taut.results.record_info import JOINT_ARRAYS
from taut.results.report import REPORT_DTYPE
from taut.spatial import IDENTITY, Array, Integers

if TYPE_CHECKING:
    from taut.results.record import Recording
    from taut.simulation.simulation import Simulation


OVERVIEW = 24
"""Frames that stand for a whole motion."""


@dataclass(frozen=True, eq=False)
class Frame:
    """What there is to see at one time; world axes, SI units, bodies with the world first as in `Drawing`.

    Where bodies come and go, the drawing has all that ever were: numbers of those that are not there are NaN.

    Attributes:
        positions, orientations: (n, 3), (n, 4) of the bodies' own frames.
        report: one row of `taut.results.report.REPORT_DTYPE`: proof and cost of the step that led here.
        contacts: contact points that carry a force.
        reactions: (m, 6) force (N) and torque (N m) of joints on their body B.
        violations: (m,) m or rad.
        tensions: (m,) N, NaN for joints that do not act along a line.
        tight: (m,) rows of a joint that are at a bound.
        present, joined: (n,), (m,) whether a body or a joint is there.
        bonds: (b, 2) pairs of moving bodies that joints connect now.
    """

    positions: Array
    orientations: Array
    report: np.void
    contacts: ContactTable
    reactions: Array
    violations: Array
    tensions: Array
    tight: Any
    present: Flags
    joined: Flags
    bonds: Integers

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return float(self.report["time"])


def frame_of(simulation: Simulation, drawing: Drawing | None = None, here: Placement | None = None) -> Frame:
    """The present state of a simulation; arrays are copies, so that it may go on.

    Its bodies and joints are at a place of a drawing, by default its own.
    """
    drawing = simulation.drawing if drawing is None else drawing
    here = whole(drawing) if here is None else here
    state, meter, links = simulation.state, simulation.meter, drawn_links(simulation.model)
    simulation.read_joints()
    return placed(
        here, drawing,
        positions=simulation.origins(),
        orientations=state.orientation,
        report=np.array([simulation.report.as_row()], REPORT_DTYPE)[0],
        contacts=simulation.contacts,
        reactions=meter.reaction[links],
        violations=meter.violation[links],
        tensions=meter.tension(state.force)[links],
        tight=meter.tight(state.index_set)[links],
    )  # fmt: skip


def frame_at(recording: Recording, index: int) -> Frame:
    """A frame of a recording; what was not recorded is zero, or NaN for tensions."""
    number, own = recording.find(index)
    era = recording.eras[number]
    block, joints = era.merged(), len(era.info.joint_names)
    drawing = drawing_of(recording)
    known = {name: values[own] for name, values in block.items() if name in JOINT_ARRAYS}
    return placed(
        recording.placement(number) if len(recording.eras) > 1 else whole(drawing), drawing,
        positions=np.vstack([np.zeros(3), block["positions"][own]]),
        orientations=np.vstack([IDENTITY, block["orientations"][own]]),
        report=block["reports"][own],
        contacts=era.contacts(own),
        reactions=known.get("joint_reactions", np.zeros((joints, 6))),
        violations=known.get("joint_violations", np.zeros(joints)),
        tensions=known.get("joint_tensions", np.full(joints, np.nan)),
        tight=known.get("joint_tight", np.zeros(joints)),
    )  # fmt: skip


def whole(drawing: Drawing) -> Placement:
    """Where all of a drawing is in itself."""
    return Placement(np.arange(len(drawing.body_names)), np.arange(len(drawing.link_names)), drawing.bonds)


def placed(
    here: Placement,
    drawing: Drawing,
    *,
    positions: Array,
    orientations: Array,
    report: np.void,
    contacts: ContactTable,
    **joints: np.ndarray,
) -> Frame:
    """What there is to see of bodies (n, ...) and joints (m, ...) that are at a place of a drawing."""
    bodies, links = len(drawing.body_names), len(drawing.link_names)
    present, joined = np.zeros(bodies, bool), np.zeros(links, bool)
    present[here.bodies], joined[here.links] = True, True
    return Frame(
        positions=laid_out(positions, here.bodies, bodies),
        orientations=laid_out(orientations, here.bodies, bodies),
        report=report,
        contacts=replace(
            contacts, names=drawing.body_names, index_a=here.bodies[contacts.index_a],
            index_b=here.bodies[contacts.index_b],
        ),
        present=present,
        joined=joined,
        bonds=here.bonds,
        **{name: laid_out(values, here.links, links) for name, values in joints.items()},
    )  # fmt: skip


def laid_out(values: np.ndarray, numbers: Integers, count: int) -> Array:
    """Values (k, ...) at these places (k,) among so many, NaN at the others."""
    spread = np.full((count, *values.shape[1:]), np.nan)
    spread[numbers] = values
    return spread


def overview(recording: Recording, indices: Sequence[int] | np.ndarray) -> list[Frame]:
    """Frames spread over some frames of a recording: what a camera is chosen by."""
    chosen = np.asarray(indices)[np.unique(np.linspace(0, len(indices) - 1, OVERVIEW).astype(int))]
    return [frame_at(recording, int(index)) for index in chosen]


def drawing_of(recording: Recording) -> Drawing:
    """What a recording's bodies look like; of one that was made without shapes, its scene is built anew."""
    if recording.drawing is not None:
        return recording.drawing
    from taut import scenes
    from taut.model.compile import compile_scene
    from taut.results.drawing import draw_model

    info = recording.info
    if len(recording.eras) > 1:
        raise InputError(f"recording of {info.scene!r} has no shapes, and its bodies and joints came and went")
    try:
        model, _ = compile_scene(scenes.build(info.scene, **info.parameters))
    except InputError as error:
        raise InputError(f"recording of {info.scene!r} has no shapes, and its scene cannot be built: {error}") from None
    if model.bodies.names[1:] != info.body_names:
        raise InputError(f"recording of {info.scene!r} has no shapes, and its scene has other bodies today")
    drawing = recording.eras[0].drawing = draw_model(model)  # kept, because every frame asks for it
    return drawing
