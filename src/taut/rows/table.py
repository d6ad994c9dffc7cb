"""The memory of one linearisation: everything a step knows about its rows, as one table."""

from __future__ import annotations

from typing import NamedTuple

from taut.spatial import Array
from taut.tables import Layout, RealRows, Reals


class Places(NamedTuple):
    """Where bodies are: positions (n, 3) of centres of mass in m, orientations (n, 4), rotations (n, 9)."""

    position: RealRows
    orientation: RealRows
    rotation: RealRows

    @classmethod
    def empty(cls, count: int) -> Places:
        """Room for so many bodies."""
        room: Places = PLACES.room({"bodies": count})
        return room


PLACES = Layout(Places, {"position": 3, "orientation": 4, "rotation": 9}, by="bodies")
"""How places lie in memory."""


class RowTable(NamedTuple):
    """Arrays that parts and laws write and the assembly reads: the layout's own rows first, then those of contacts.

    Attributes:
        value: (rows,) measures q in m or rad.
        jacobian: (entries, 6) Jacobian blocks by twist.
        force: (rows,) latest force along q in N or N m, for the geometric stiffness.
        stiffness: (bodies, 9) -K~ of each body's rotation in N m/rad.
        gap: (rows,) what the law holds at zero, m or rad.
        sign: (rows,) -1 where an upper limit turned the row around.
        compliance: (rows,) S in m/(s N s), 0 for hard rows.
        bias, lower, upper: (rows,) of the laws.
        step: (1,) h, s.
        beta: (rows,) the integrator's position weight, s.
        coordinate, coordinate_jacobian, coordinate_force: (coordinates,), (2 coordinates, 6), (coordinates,) of joints.
        coordinate_reference, coordinate_path: (coordinates,), (bodies, 6), see `count_from`.
    """

    value: Reals
    jacobian: RealRows
    force: Reals
    stiffness: RealRows
    gap: Reals
    sign: Reals
    compliance: Reals
    bias: Reals
    lower: Reals
    upper: Reals
    step: Reals
    beta: Reals
    coordinate: Reals
    coordinate_jacobian: RealRows
    coordinate_force: Reals
    coordinate_reference: Reals
    coordinate_path: RealRows

    @classmethod
    def of(cls, bodies: int, slots: int, rows: int, entries: int, spare: RowTable | None = None) -> RowTable:
        """Room for so many bodies, joint coordinates, rows and Jacobian blocks; that of a spare one if it will do."""
        counts = {"bodies": bodies, "slots": slots, "sides": 2 * slots, "rows": rows, "entries": entries}
        room: RowTable = ROWS.room(counts, spare)
        return room

    def count_from(self, coordinate: Array, path: Array | float) -> None:
        """Count turns on from these coordinates (coordinates,), along a path (bodies, 6) in m and rad that led here.

        An orientation alone does not tell how many turns a body made since.
        """
        self.coordinate_reference[:] = coordinate
        self.coordinate_path[:] = path


ROWS = Layout(
    RowTable,
    {"jacobian": ("entries", 6), "stiffness": ("bodies", 9), "step": (1,), "coordinate_path": ("bodies", 6)}
    | dict.fromkeys(("coordinate", "coordinate_force", "coordinate_reference"), ("slots",))
    | {"coordinate_jacobian": ("sides", 6)},
    by="rows",
)
"""How rows lie in memory; there are two sides to a coordinate slot."""
