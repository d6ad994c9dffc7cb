"""Where every row and every Jacobian block lives: the frozen row structure of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.rows.coordinate import Coordinate
from taut.rows.coupling import single
from taut.rows.law import LIMITS, Law
from taut.rows.part import Part
from taut.rows.parts import Parts, pack_parts
from taut.rows.route import Wrap
from taut.spatial import Array, Integers
from taut.structure.incidence import RowEntries

COMPANION = 4
"""Law kind of a companion row: J v+ + lam = J v_k."""


@dataclass(frozen=True)
class RowSpec:
    """A part and the laws of its rows, as a joint declares them."""

    part: Part
    laws: tuple[Law, ...]


@dataclass(frozen=True, eq=False)
class LawTable:
    """The laws of all rows as arrays (rows,); units as in `Law`."""

    kind: Integers
    target: Array
    stiffness: Array
    damping: Array
    lower_limit: Array
    upper_limit: Array
    lower_force: Array
    upper_force: Array
    drives: NDArray[np.bool_]
    spring: NDArray[np.object_]
    """The curve of a spring, None where it is straight."""
    damper: NDArray[np.object_]
    """The curve of a damper, likewise."""

    @property
    def limits(self) -> Array:
        """Lower and upper limits (rows, 2), as a state starts with them."""
        return np.column_stack([self.lower_limit, self.upper_limit])

    @property
    def force_limits(self) -> Array:
        """Least and greatest forces (rows, 2), as a state starts with them."""
        return np.column_stack([self.lower_force, self.upper_force])


@dataclass(frozen=True, eq=False)
class RowLayout:
    """Rows in order of declaration, then companion rows; each row's Jacobian blocks are contiguous.

    Attributes:
        row_count: all rows, companions included.
        declared_count: rows that joints and forces declared.
        entry_start: (rows + 1,) first Jacobian block of each row.
        entry_row, entry_body: (entries,) row and body of each block.
        companion: (rows,) first companion row, or -1.
        row_spec: (rows,) what every row is part of, companions included.
        specs, first_row, owner: what was declared, where its rows start, and the joint or spring that declared it, in
            rising order.
        coordinates: joint coordinates, slot by slot.
        reported_slot, reported_owner: slots of the coordinates that joints report, and whose they are, in rising order.
        laws: the laws as arrays.
        parts: the parts by kind, ready for their kernel.
    """

    row_count: int
    declared_count: int
    entry_start: Integers
    entry_row: Integers
    entry_body: Integers
    companion: Integers
    row_spec: Integers
    specs: tuple[RowSpec, ...]
    first_row: Integers
    owner: Integers
    coordinates: tuple[Coordinate | Wrap, ...]
    reported_slot: Integers
    reported_owner: Integers
    laws: LawTable
    parts: Parts = field(init=False)

    @cached_property
    def slots(self) -> dict[Coordinate | Wrap, int]:
        """Slot of every joint coordinate."""
        return {coordinate: slot for slot, coordinate in enumerate(self.coordinates)}

    @cached_property
    def slot_body(self) -> Integers:
        """The two bodies of every joint coordinate, (coordinates, 2)."""
        return np.array([each.bodies[:2] for each in self.coordinates], np.int64).reshape(-1, 2)

    @cached_property
    def row_owner(self) -> Integers:
        """Joint or spring (rows,) that declared each row, companion rows included."""
        return self.owner[self.row_spec]

    def first_rows(self, owner: int) -> Integers:
        """First row of every part of a joint or spring."""
        first, end = np.searchsorted(self.owner, (owner, owner + 1))
        return self.first_row[first:end]


def entries_of(layout: RowLayout, moves: NDArray[np.uint8], group: Integers | None = None) -> RowEntries:
    """Which bodies the rows touch, and what of their laws never changes: whose they are and which have no bounds.

    Shapes: moves, group (bodies,), see `RowEntries`.
    """
    laws = layout.laws
    return RowEntries(
        entry_start=layout.entry_start,
        entry_row=layout.entry_row,
        entry_body=layout.entry_body,
        moves=moves,
        unbounded=(laws.lower_force == -np.inf) & (laws.upper_force == np.inf) & (laws.kind != LIMITS),
        owner=layout.row_owner,
        group=group,
    )


def lay_out(
    specs: Sequence[RowSpec],
    reported: Sequence[Coordinate] = (),
    owner: Sequence[int] | None = None,
    reported_owner: Sequence[int] | None = None,
) -> RowLayout:
    """Number rows, blocks, companions and coordinates (`reported` ones too), and pack the parts into tables.

    `owner` and `reported_owner` say which joint or spring these are of, in rising order; by default each is its own.
    """
    specs = tuple(as_row(spec) for spec in specs)
    owner = range(len(specs)) if owner is None else owner
    reported_owner = range(len(reported)) if reported_owner is None else reported_owner
    counts = [spec.part.rows for spec in specs]
    first_row = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    declared = int(first_row[-1])
    bodies_of_row = [spec.part.bodies for spec in specs for _ in range(spec.part.rows)]
    row_spec = [index for index, count in enumerate(counts) for _ in range(count)]
    companion = [-1] * declared
    for index, (spec, row) in enumerate(zip(specs, first_row, strict=False)):
        if spec.part.companions:
            companion[row] = len(bodies_of_row)
            bodies_of_row += [spec.part.bodies] * spec.part.companions
            row_spec += [index] * spec.part.companions
    entry_start = np.concatenate([[0], np.cumsum([len(bodies) for bodies in bodies_of_row])]).astype(np.int64)
    slots = number_coordinates(specs, owner, reported, reported_owner)
    layout = RowLayout(
        row_count=len(bodies_of_row),
        declared_count=declared,
        entry_start=entry_start,
        entry_row=np.repeat(np.arange(len(bodies_of_row)), np.diff(entry_start)).astype(np.int64),
        entry_body=np.array([body for bodies in bodies_of_row for body in bodies], np.int64),
        companion=np.array(companion + [-1] * (len(bodies_of_row) - declared), np.int64),
        row_spec=np.array(row_spec, np.int64),
        specs=specs,
        first_row=first_row[:-1],
        owner=np.array(owner, np.int64),
        coordinates=tuple(slots),
        reported_slot=np.array([slots[coordinate] for coordinate in reported], np.int64),
        reported_owner=np.array(reported_owner, np.int64),
        laws=tabulate([law for spec in specs for law in spec.laws], len(bodies_of_row)),
    )
    members = [(spec.part, int(row)) for spec, row in zip(specs, layout.first_row, strict=True)]
    object.__setattr__(layout, "parts", pack_parts(members, layout))  # which need the rest of the layout
    return layout


def as_row(spec: RowSpec) -> RowSpec:
    """A spec whose part is a bare coordinate measures that coordinate; one law serves all rows of a part."""
    part = single(spec.part) if isinstance(spec.part, Coordinate) else spec.part
    laws = spec.laws * part.rows if len(spec.laws) == 1 else spec.laws
    assert len(laws) == part.rows
    return RowSpec(part, laws)


def number_coordinates(
    specs: Sequence[RowSpec], owner: Sequence[int], reported: Sequence[Coordinate], reported_owner: Sequence[int]
) -> dict[Coordinate | Wrap, int]:
    """A slot for every distinct joint coordinate, joint by joint: those of its rows, then those it reports."""
    used = [
        (number, 0, coordinate)
        for spec, number in zip(specs, owner, strict=True)
        for coordinate in spec.part.coordinates
    ]
    told = [(number, 1, coordinate) for coordinate, number in zip(reported, reported_owner, strict=True)]
    in_order = sorted([*used, *told], key=lambda item: item[:2])
    return {coordinate: slot for slot, coordinate in enumerate(dict.fromkeys(item[2] for item in in_order))}


def tabulate(laws: Sequence[Law], row_count: int) -> LawTable:
    """Laws as arrays; rows beyond the declared ones are companions."""
    laws = [*laws, *[Law(kind=COMPANION)] * (row_count - len(laws))]
    types: dict[str, Any] = {"kind": np.int64, "drives": np.bool_, "spring": np.object_, "damper": np.object_}
    return LawTable(
        **{
            field.name: np.array([getattr(law, field.name) for law in laws], types.get(field.name, np.float64))
            for field in fields(LawTable)
        }
    )
