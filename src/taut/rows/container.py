"""The memory of one linearisation: everything a step knows about its rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.rows.layout import RowLayout
from taut.spatial import Array


class RowWork:
    """Arrays that parts and laws write and the assembly reads.

    Attributes:
        value: (rows,) measures q in m or rad.
        jacobian: (entries, 6) Jacobian blocks by twist.
        force: (rows,) latest force along q in N or N m, for the geometric stiffness.
        stiffness: (bodies, 9) -K~ of each body's rotation in N m/rad.
        gap: (rows,) what the law holds at zero, m or rad.
        sign: (rows,) -1 where an upper limit turned the row around.
        compliance: (rows,) S in m/(s N s); negative = hard, relative to the Delassus diagonal.
        bias, lower, upper: (rows,) of the MLCP.
        left: (rows of the layout,) gap that the step leaves for the rest of its frame to close, m or rad.
        step: h, s.
        beta: (rows,) the integrator's position weight, s.
        coordinate, coordinate_jacobian, coordinate_force: (coordinates,), (2 coordinates, 6), (coordinates,) of joints.
        coordinate_reference, coordinate_path: (coordinates,), (bodies, 6), see `count_from`.
    """

    def __init__(self, layout: RowLayout, body_count: int) -> None:
        """Allocate for this layout."""
        slots = len(layout.coordinates)
        self.layout = layout
        self.step = 0.0
        self.resize(layout.row_count, len(layout.entry_body))
        self.stiffness = np.zeros((body_count, 9))
        self.left = np.zeros(layout.row_count)
        self.coordinate, self.coordinate_force, self.coordinate_reference = (np.zeros(slots) for _ in range(3))
        self.coordinate_jacobian = np.zeros((2 * slots, 6))
        self.coordinate_path = np.zeros((body_count, 6))

    def resize(self, rows: int, entries: int) -> None:
        """Make room for rows and Jacobian blocks: the layout's own, which are kept, then those of contacts."""
        own, old = self.layout.row_count, vars(self).copy()
        self.value, self.force, self.gap, self.sign, self.compliance, self.bias, self.lower, self.upper, self.beta = (
            np.zeros(rows) for _ in range(9)
        )
        self.sign.fill(1.0)
        self.jacobian = np.zeros((entries, 6))
        if "value" in old:
            blocks = len(self.layout.entry_body)
            self.value[:own], self.jacobian[:blocks] = old["value"][:own], old["jacobian"][:blocks]

    def evaluate(self, position: Array, rotation: Array) -> None:
        """Measures, Jacobians and geometric stiffness of every part at this configuration."""
        self.stiffness.fill(0.0)
        for pool in self.layout.pools:
            pool.evaluate(position, rotation, self)

    def count_from(self, coordinate: Array, path: Array | float) -> None:
        """Count turns on from these coordinates (coordinates,), along a path (bodies, 6) in m and rad that led here.

        An orientation alone does not tell how many turns a body made since.
        """
        self.coordinate_reference[:] = coordinate
        self.coordinate_path[:] = path

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
