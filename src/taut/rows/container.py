"""The rows of a layout while a step works on them: their table, and what evaluates it."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.rows.layout import RowLayout
from taut.rows.table import Places, RowTable
from taut.spatial import Array
from taut.tables import held


class RowWork:
    """A `RowTable` with its arrays as attributes, which grows with contacts."""

    value: Array
    jacobian: Array
    force: Array
    stiffness: Array
    gap: Array
    sign: Array
    compliance: Array
    bias: Array
    lower: Array
    upper: Array
    left: Array
    beta: Array
    coordinate: Array
    coordinate_jacobian: Array
    coordinate_force: Array
    coordinate_reference: Array
    coordinate_path: Array

    def __init__(self, layout: RowLayout, body_count: int) -> None:
        """Allocate for this layout."""
        self.layout, self.body_count = layout, body_count
        self.parts = held(layout.parts)
        self.take(RowTable.of(layout, body_count))

    def take(self, table: RowTable) -> None:
        """Go on with this table."""
        self.table, self.handle = table, held(table)
        for name, values in table._asdict().items():
            if name != "step":
                setattr(self, name, values)

    @property
    def step(self) -> float:
        """h, s."""
        return float(self.table.step[0])

    @step.setter
    def step(self, h: float) -> None:
        """Set h."""
        self.table.step[0] = h

    def resize(self, rows: int, entries: int) -> None:
        """Make room for rows and Jacobian blocks: the layout's own, which are kept, then those of contacts."""
        old, own, blocks = self.table, self.layout.row_count, len(self.layout.entry_body)
        new = RowTable.of(self.layout, self.body_count, rows, entries)
        new = new._replace(
            stiffness=old.stiffness, left=old.left, step=old.step, coordinate=old.coordinate,
            coordinate_jacobian=old.coordinate_jacobian, coordinate_force=old.coordinate_force,
            coordinate_reference=old.coordinate_reference, coordinate_path=old.coordinate_path,
        )  # fmt: skip
        new.value[:own], new.jacobian[:blocks] = old.value[:own], old.jacobian[:blocks]
        self.take(new)

    def evaluate(self, position: Array, rotation: Array) -> None:
        """Measures, Jacobians and geometric stiffness of every part at this configuration."""
        from taut.rows.parts_kernels import evaluate

        position, rotation = np.ascontiguousarray(position), np.ascontiguousarray(rotation)
        evaluate(self.parts, held(Places(position, np.zeros((len(position), 4)), rotation)), self.handle)

    def count_from(self, coordinate: Array, path: Array | float) -> None:
        """See `RowTable.count_from`."""
        self.table.count_from(coordinate, path)

    def apply_laws(self, target: Array, velocity: Array, repair: float = 1.0) -> None:
        """Turn measures into gap, sign, compliance, bias and bounds; a share `repair` of a violation is taken back."""
        from taut.rows.law_kernels import apply_laws

        laws: Any = self.layout.laws
        apply_laws(
            laws.kind, target, laws.stiffness, laws.damping,
            laws.lower_limit, laws.upper_limit, laws.lower_force, laws.upper_force,
            self.layout.entry_start, self.layout.entry_body, velocity, self.step, self.beta, repair, self.left,
            self.value, self.jacobian,
            self.gap, self.sign, self.compliance, self.bias, self.lower, self.upper,
        )  # fmt: skip
