"""What joints report: coordinates and their rates, reactions, violations, read off the rows after a step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from taut.forces import Spring
from taut.model.index_map import IndexMap
from taut.model.model import Link, Model
from taut.model.state import State
from taut.rows.distance import DistancePart
from taut.rows.law import FOLLOW
from taut.rows.route import RoutePart
from taut.rows.table import RowTable
from taut.spatial import Array, Integers


class JointMeter:
    """Readings of all joints and springs of a model, in the order they were added; what they need is found when asked.

    Attributes:
        names: joint names.
        anchor: (joints, 3) m, the joint's point on body B, in B's axes from its centre of mass.
        pulls: (joints,) whether a joint acts along a line and so has a tension: rods, ropes and springs.
        body_b: (joints,) number of body B.
    """

    def __init__(self, model: Model) -> None:
        """Look at every joint and spring."""
        self.model = model
        self.names, self.anchor, self.pulls, self.body_b = look_at(model.links)

    def revised(self, model: Model, index: IndexMap) -> JointMeter:
        """Readings of a model that was edited: `index` says what became of what was before."""
        meter, left = JointMeter.__new__(JointMeter), index.link
        names, *new = look_at(model.links[left.left :])
        before = self.anchor, self.pulls, index.body[self.body_b]
        meter.model, meter.names = model, (*left.stay(self.names), *names)
        meter.anchor, meter.pulls, meter.body_b = left.followed(before, new)
        return meter

    @property
    def width(self) -> int:
        """Most coordinates of one joint."""
        return int(np.diff(self.slot_start).max(initial=0))

    @cached_property
    def row_link(self) -> Integers:
        """Joint or spring (declared rows,) of every row."""
        return self.model.layout.row_owner[: self.model.layout.declared_count]

    @cached_property
    def slot_start(self) -> Integers:
        """Where the coordinates that every joint reports begin (joints + 1,)."""
        return np.searchsorted(self.model.layout.reported_owner, np.arange(len(self.names) + 1))

    @cached_property
    def kind(self) -> Integers:
        """What laws ask of rows (rows,): a motor on its way is no violation."""
        laws = self.model.layout.laws
        return np.where(laws.drives, FOLLOW, laws.kind)

    @cached_property
    def blocks(self) -> tuple[Integers, Integers, Integers]:
        """The Jacobian blocks at body B of every joint, their rows and their joints."""
        layout = self.model.layout
        declared = np.flatnonzero(layout.entry_row < layout.declared_count)
        owner = self.row_link[layout.entry_row[declared]]
        entry = declared[layout.entry_body[declared] == self.body_b[owner]]
        row = layout.entry_row[entry]
        return entry, row, self.row_link[row]

    @cached_property
    def reaction(self) -> Array:
        """Force (N) and torque (N m) (joints, 6) about the joint's point on body B, world axes, over the step."""
        return np.zeros((len(self.names), 6))

    @cached_property
    def violation(self) -> Array:
        """How far joints (joints,) are from what they ask, m or rad."""
        return np.zeros(len(self.names))

    def read(self, rows: RowTable, rotation: Array, state: State) -> None:
        """Refresh reactions and violations from the rows of a state, and where its bodies are turned to (n, 9)."""
        from taut.rows.reaction_kernels import gather_reactions

        gather_reactions(
            *self.blocks, self.row_link, self.body_b, self.anchor, self.kind, state.target, state.limits,
            rotation, rows.jacobian, state.force, rows.value, self.reaction, self.violation,
        )  # fmt: skip

    def coordinates(self, values: Array) -> Array:
        """Values by slot (coordinates,) as a table (joints, width), NaN where a joint has fewer."""
        table = np.full((len(self.names), self.width), np.nan)
        owner = self.model.layout.reported_owner
        table[owner, np.arange(owner.size) - self.slot_start[owner]] = values[self.model.layout.reported_slot]
        return table

    def tension(self, force: Array) -> Array:
        """Tension (joints,) with these forces of the rows (rows,), N, positive = pulling; NaN where there is none.

        A spring of rest length zero, which has a row for every direction, only pulls; of a rope that rubs, the tension
        of the first span counts; of a `DistanceDrive`, all that acts along its line.
        """
        tension = np.full(len(self.names), np.nan)
        for joints, rows, along in self.pull_rows:
            tension[joints] = -force[rows].sum(axis=1) if along else np.linalg.norm(force[rows], axis=1)
        return tension

    @cached_property
    def pull_rows(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64], bool]]:
        """Joints (k,) that have a tension, its rows (k, n), and whether these act along the line or in directions.

        They are in groups of those that are alike.
        """
        layout, alike = self.model.layout, defaultdict(list)
        for joint in np.flatnonzero(self.pulls).tolist():
            part, firsts = self.model.links[joint].parts[0], layout.first_rows(joint)
            along = part.rows == 1 or isinstance(part, RoutePart)
            rows = firsts if along else firsts[0] + np.arange(part.rows)
            alike[rows.size, along].append((joint, rows))
        return [
            (np.array([joint for joint, _ in group]), np.array([rows for _, rows in group]), along)
            for (_, along), group in alike.items()
        ]

    def slots(self, joint: int) -> list[int]:
        """Slots of the coordinates that a joint reports."""
        return self.model.layout.reported_slot[self.slot_start[joint] : self.slot_start[joint + 1]].tolist()

    def tight(self, index_set: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number (joints,) of each joint's rows that are at a bound, with these labels of the rows (rows,)."""
        at_bound = self.row_link[np.flatnonzero(index_set[: self.row_link.size])]
        return np.bincount(at_bound, minlength=len(self.names))

    def rates(self, rows: RowTable, state: State) -> Array:
        """Rates of all coordinates (coordinates,), m/s or rad/s, from the rows of a state."""
        blocks = rows.coordinate_jacobian.reshape(-1, 2, 6)
        return np.einsum("cbi,cbi->c", blocks, state.velocity[self.model.layout.slot_body])


def look_at(links: Sequence[Link]) -> tuple[tuple[str, ...], Array, NDArray[np.bool_], Integers]:
    """Names, anchors, whether they pull, and bodies B of joints and springs."""
    return (
        tuple([link.spec.name for link in links]),
        np.array([anchor_of(link) for link in links], float).reshape(-1, 3),
        np.array([acts_along_a_line(link) for link in links], bool),
        np.array([link.frame.b for link in links], np.int64),
    )


def acts_along_a_line(link: Link) -> bool:
    """Whether a joint or spring pulls two points together or pushes them apart, and does nothing else."""
    return isinstance(link.spec.kind, Spring) or any(isinstance(part, DistancePart | RoutePart) for part in link.parts)


def anchor_of(link: Link) -> tuple[float, float, float]:
    """The joint's point on body B, in B's axes from its centre of mass."""
    points = [part.point_b for part in link.parts if hasattr(part, "point_b")]
    return points[0] if points else link.frame.point_b(link.spec.at)
