"""What joints report: coordinates and their rates, reactions, violations, read off the rows after a step."""

from __future__ import annotations

from itertools import compress

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
from taut.spatial import Array


class JointMeter:
    """Readings of all joints and springs of a model, in the order they were added.

    Attributes:
        names: joint names.
        reaction: (joints, 6) force (N) and torque (N m) about the joint's point on body B, world axes, over the step.
        violation: (joints,) m or rad.
        width: most coordinates of one joint.
        pulls: (joints,) whether a joint acts along a line and so has a tension: rods, ropes and springs.
    """

    def __init__(self, model: Model) -> None:
        """Work out which Jacobian blocks belong to which joint."""
        self.names: tuple[str, ...] = tuple([link.spec.name for link in model.links])
        self.anchor = np.array([anchor_of(link) for link in model.links], float).reshape(-1, 3)
        self.pulls = np.array([acts_along_a_line(link) for link in model.links], bool)
        self.body_b = np.array([link.frame.b for link in model.links], np.int64)
        self.find_blocks(model)

    def revised(self, model: Model, index: IndexMap) -> JointMeter:
        """Readings of a model that was edited: `index` says what became of what was before."""
        meter, left = JointMeter.__new__(JointMeter), index.link >= 0
        new = model.links[int(np.count_nonzero(left)) :]
        meter.names = (*compress(self.names, left.tolist()), *(link.spec.name for link in new))
        meter.anchor = np.vstack([self.anchor[left], *(np.array([anchor_of(link)], float) for link in new)])
        meter.pulls = np.append(self.pulls[left], [acts_along_a_line(link) for link in new]).astype(bool)
        meter.body_b = np.append(index.body[self.body_b[left]], np.array([link.frame.b for link in new], np.int64))
        meter.find_blocks(model)
        return meter

    def find_blocks(self, model: Model) -> None:
        """Find the Jacobian blocks of every joint, and room for what is read."""
        layout = model.layout
        self.model = model
        self.row_link = layout.row_owner[: layout.declared_count]
        declared = np.flatnonzero(layout.entry_row < layout.declared_count)
        owner = self.row_link[layout.entry_row[declared]]
        self.entry = declared[layout.entry_body[declared] == self.body_b[owner]]
        self.entry_row = layout.entry_row[self.entry]
        self.entry_link = self.row_link[self.entry_row]
        self.slot_start = np.searchsorted(layout.reported_owner, np.arange(len(model.links) + 1))
        self.width = int(np.diff(self.slot_start).max(initial=0))
        # a motor on its way is no violation
        self.kind = np.where(layout.laws.drives, FOLLOW, layout.laws.kind)
        self.reaction = np.zeros((len(model.links), 6))
        self.violation = np.zeros(len(model.links))

    def read(self, rows: RowTable, rotation: Array, state: State) -> None:
        """Refresh reactions and violations from the rows of a state, and where its bodies are turned to (n, 9)."""
        from taut.rows.reaction_kernels import gather_reactions

        gather_reactions(
            self.entry, self.entry_row, self.entry_link, self.row_link, self.body_b, self.anchor,
            self.kind, state.target, state.limits,
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
        layout, tension = self.model.layout, np.full(len(self.names), np.nan)
        for joint in np.flatnonzero(self.pulls):
            rows, part = layout.first_rows(int(joint)), self.model.links[joint].parts[0]
            along = part.rows == 1 or isinstance(part, RoutePart)
            tension[joint] = -force[rows].sum() if along else np.linalg.norm(force[rows[0] : rows[0] + part.rows])
        return tension

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


def acts_along_a_line(link: Link) -> bool:
    """Whether a joint or spring pulls two points together or pushes them apart, and does nothing else."""
    return isinstance(link.spec.kind, Spring) or any(isinstance(part, DistancePart | RoutePart) for part in link.parts)


def anchor_of(link: Link) -> tuple[float, float, float]:
    """The joint's point on body B, in B's axes from its centre of mass."""
    points = [part.point_b for part in link.parts if hasattr(part, "point_b")]
    return points[0] if points else link.frame.point_b(link.spec.at)
