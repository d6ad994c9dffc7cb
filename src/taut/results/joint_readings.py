"""What joints report: coordinates and their rates, reactions, violations, read off the rows after a step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.forces import Spring
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
        layout = model.layout
        self.model = model
        self.names = tuple(link.spec.name for link in model.links)
        self.row_link = np.array([spec.owner for spec in layout.specs for _ in range(spec.part.rows)], np.int64)
        self.body_b = np.array([link.spec.b for link in model.links], np.int64)
        declared = np.flatnonzero(layout.entry_row < layout.declared_count)
        owner = self.row_link[layout.entry_row[declared]]
        self.entry = declared[layout.entry_body[declared] == self.body_b[owner]]
        self.entry_row = layout.entry_row[self.entry]
        self.entry_link = self.row_link[self.entry_row]
        self.anchor = np.array([anchor_of(model, link) for link in model.links], float).reshape(-1, 3)
        self.slots = [[layout.coordinates[coordinate] for coordinate in link.coordinates] for link in model.links]
        self.width = max((len(slots) for slots in self.slots), default=0)
        self.slot_bodies = np.array([coordinate.bodies[:2] for coordinate in layout.coordinates], np.int64).reshape(
            -1, 2
        )
        # a motor on its way is no violation
        self.kind = np.where(layout.laws.drives, FOLLOW, layout.laws.kind)
        self.pulls = np.array([acts_along_a_line(model, link) for link in model.links], bool)
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
        for joint, slots in enumerate(self.slots):
            table[joint, : len(slots)] = values[slots]
        return table

    def tension(self, force: Array) -> Array:
        """Tension (joints,) with these forces of the rows (rows,), N, positive = pulling; NaN where there is none.

        A spring of rest length zero, which has a row for every direction, only pulls; of a rope that rubs, the tension
        of the first span counts.
        """
        layout, tension = self.model.layout, np.full(len(self.names), np.nan)
        for joint in np.flatnonzero(self.pulls):
            spec = self.model.links[joint].specs[0]
            row, part = layout.first_row[spec], layout.specs[spec].part
            along = part.rows == 1 or isinstance(part, RoutePart)
            tension[joint] = -force[row] if along else np.linalg.norm(force[row : row + part.rows])
        return tension

    def tight(self, index_set: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number (joints,) of each joint's rows that are at a bound, with these labels of the rows (rows,)."""
        at_bound = self.row_link[np.flatnonzero(index_set[: self.row_link.size])]
        return np.bincount(at_bound, minlength=len(self.names))

    def rates(self, rows: RowTable, state: State) -> Array:
        """Rates of all coordinates (coordinates,), m/s or rad/s, from the rows of a state."""
        blocks = rows.coordinate_jacobian.reshape(-1, 2, 6)
        return np.einsum("cbi,cbi->c", blocks, state.velocity[self.slot_bodies])


def acts_along_a_line(model: Model, link: Link) -> bool:
    """Whether a joint or spring pulls two points together or pushes them apart, and does nothing else."""
    parts = [model.layout.specs[index].part for index in link.specs]
    return isinstance(link.spec.kind, Spring) or any(isinstance(part, DistancePart | RoutePart) for part in parts)


def anchor_of(model: Model, link: Link) -> tuple[float, float, float]:
    """The joint's point on body B, in B's axes from its centre of mass."""
    parts = [model.layout.specs[index].part for index in link.specs]
    points = [part.point_b for part in parts if hasattr(part, "point_b")]
    return points[0] if points else link.frame.point_b(link.spec.at)
