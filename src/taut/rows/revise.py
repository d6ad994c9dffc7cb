"""A row structure after joints came and went: what stays is renumbered, what is new is laid out alone and joined to it.

The result is what `lay_out` would make of all that is there now, up to the order of shared joint coordinates; but only
what is new is worked out, and the rest is moved by arrays of numbers. That is what makes an edit local.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.rows.coordinate import Coordinate
from taut.rows.layout import LawTable, RowLayout, RowSpec, tabulate
from taut.rows.parts import Parts
from taut.rows.route import Wrap
from taut.rows.route_table import Routes
from taut.spatial import Integers
from taut.structure.numbering import Numbering, joined, runs_where

Mask = NDArray[np.bool_]

NUMBERED = {
    "body": ("body_a", "body_b"), "entry": ("entry", "companion_entry", "block_a", "block_b"),
    "row": ("row", "term_row"), "slot": ("slot", "term_slot"),
}  # fmt: skip
"""Columns of tables of parts that hold numbers of something, by what they number."""


@dataclass(frozen=True)
class Numbers:
    """New numbers of what one layout has, -1 for what is gone.

    Shapes: body (bodies,), row (rows,), entry (entries + 1,) with the end of all entries last, slot (coordinates,),
    own_slot (coordinates,), which is -1 also for those that the other layout has already.
    """

    body: Integers
    row: Numbering
    entry: Integers
    slot: Integers
    own_slot: Integers


@dataclass(frozen=True)
class Renewed:
    """A joint or spring that stays, but touches bodies with other numbers or masses: its rows, and what it reports."""

    rows: tuple[RowSpec, ...]
    coordinates: tuple[Coordinate, ...]


def revise_layout(
    before: RowLayout, body: Numbering, link: Numbering, renewed: dict[int, Renewed], added: RowLayout, bodies: int
) -> tuple[RowLayout, Numbers]:
    """The layout of what stays of one before, and of what is added after it; new numbers of what was before.

    Args:
        body, link: new numbers of bodies and of joints, in rising order.
        renewed: joints, by their number before, that touch bodies with other numbers now.
        added: rows of the new joints, with owners from 0 on.
        bodies: how many there are now.
    """
    owner = link[before.owner]
    kept = owner >= 0
    spec = Numbering(numbered(kept))
    row, added_row = renumber_rows(before, kept, added)
    sizes, more = (each.entry_start[1:] - each.entry_start[:-1] for each in (before, added))
    counts = joined(sizes, row, more, added_row)
    start = np.concatenate([[0], counts.cumsum()])
    slot, added_slot, coordinates = renumber_slots(before, row.number, link, renewed, added)
    own_slot = np.where(added_slot < np.count_nonzero(slot >= 0), -1, added_slot)
    old = Numbers(body.number, row, moved_entries(before, row.number, start), slot, slot)
    new = Numbers(np.arange(bodies), added_row, moved_entries(added, added_row.number, start), added_slot, own_slot)
    entry, added_entry = Numbering(old.entry[:-1]), Numbering(new.entry[:-1])
    told, specs = link[before.reported_owner] >= 0, list(before.specs)
    for number, joint in renewed.items():
        first = int(np.searchsorted(before.owner, number))
        specs[first : first + len(joint.rows)] = joint.rows
    layout = RowLayout(
        row_count=counts.size,
        declared_count=int(np.count_nonzero(row.number[: before.declared_count] >= 0)) + added.declared_count,
        entry_start=start,
        entry_row=joined(row[before.entry_row], entry, added_row[added.entry_row], added_entry),
        entry_body=joined(body[before.entry_body], entry, added.entry_body, added_entry),
        companion=joined(companions(before, row.number), row, companions(added, added_row.number), added_row),
        row_spec=joined(spec[before.row_spec], row, added.row_spec + spec.left, added_row),
        specs=(*spec.stay(specs), *added.specs),
        first_row=np.concatenate([row[before.first_row[kept]], added_row[added.first_row]]),
        owner=np.concatenate([owner[kept], added.owner + link.left]),
        coordinates=coordinates,
        reported_slot=np.concatenate([slot[before.reported_slot[told]], added_slot[added.reported_slot]]),
        reported_owner=np.concatenate([link[before.reported_owner[told]], added.reported_owner + link.left]),
        laws=revise_laws(before, row, renewed, added, added_row),
    )
    object.__setattr__(layout, "parts", revise_parts(before.parts, old, added.parts, new, start))
    return layout, old


def numbered(stays: Mask) -> Integers:
    """New numbers (before,) where some things stay, in their old order."""
    return np.where(stays, stays.cumsum() - 1, -1)


def companions(layout: RowLayout, row: Integers) -> Integers:
    """First companion (rows,) of every row, in numbers that rows have now; -1 for none."""
    return np.where(layout.companion >= 0, row[layout.companion], -1)


def revise_laws(
    before: RowLayout, row: Numbering, renewed: dict[int, Renewed], added: RowLayout, added_row: Numbering
) -> LawTable:
    """The laws of rows that stay and of those added."""
    names = [each.name for each in fields(LawTable)]
    columns = {name: joined(getattr(before.laws, name), row, getattr(added.laws, name), added_row) for name in names}
    declared = slice(before.declared_count)
    for number, joint in renewed.items():
        laws = tabulate([law for spec in joint.rows for law in spec.laws], 0)
        place = row.number[declared][before.row_owner[declared] == number]
        for name, column in columns.items():
            column[place] = getattr(laws, name)
    return LawTable(**columns)


def renumber_rows(before: RowLayout, kept: Mask, added: RowLayout) -> tuple[Numbering, Numbering]:
    """New numbers of the rows before and of those added: declared rows come first, then companions.

    `kept` (specs before,) says which of the parts stay.
    """
    stays, first, more = kept[before.row_spec], before.declared_count, added.declared_count
    row = numbered(stays)
    left = int(np.count_nonzero(stays[:first]))
    row[first:][stays[first:]] += more
    added_row = np.arange(added.row_count) + left
    added_row[more:] += int(np.count_nonzero(stays[first:]))
    return Numbering(row), Numbering(added_row)


def moved_entries(layout: RowLayout, row: Integers, start: Integers) -> Integers:
    """New numbers (entries + 1,) of Jacobian blocks whose rows have these new numbers, blocks starting at `start`."""
    count = layout.entry_row.size
    shift = np.where(row >= 0, start[row] - layout.entry_start[:-1], -1 - count)
    new = np.full(count + 1, start[-1])
    np.maximum(shift[layout.entry_row] + np.arange(count), -1, out=new[:-1])
    return new


def renumber_slots(
    before: RowLayout, row: Integers, link: Numbering, renewed: dict[int, Renewed], added: RowLayout
) -> tuple[Integers, Integers, tuple[Coordinate | Wrap, ...]]:
    """New slots of the joint coordinates before and of those added, and the coordinates.

    A coordinate goes with the last joint that uses or reports it; new joints share those that are there.
    """
    terms, told = before.parts.couplings, before.reported_slot[link[before.reported_owner] >= 0]
    used = np.zeros(len(before.coordinates), bool)
    used[terms.term_slot[row[terms.term_row] >= 0]] = True
    used[told] = True
    used |= before.parts.routes.uses(row >= 0, used.size)
    slot = numbered(used)
    coordinates = list(compress(before.coordinates, used.tolist()))
    for number, joint in renewed.items():
        rows = [before.specs[index] for index in np.flatnonzero(before.owner == number)]
        old = [before.coordinates[place] for place in before.reported_slot[before.reported_owner == number]]
        for was, now in zip([*terms_of(rows), *old], [*terms_of(joint.rows), *joint.coordinates], strict=True):
            coordinates[slot[before.slots[was]]] = now
    numbers = np.zeros(len(added.coordinates), np.int64)
    for index, coordinate in enumerate(added.coordinates):
        alike = (place for place, each in enumerate(coordinates) if each.bodies == coordinate.bodies)
        same = [place for place in alike if coordinates[place] == coordinate]
        numbers[index] = same[0] if same else len(coordinates)
        if not same:
            coordinates.append(coordinate)
    return slot, numbers, tuple(coordinates)


def terms_of(rows: Sequence[RowSpec]) -> list[Coordinate | Wrap]:
    """The joint coordinates that rows combine."""
    return [coordinate for row in rows for coordinate in row.part.coordinates]


def revise_parts(before: Parts, old: Numbers, added: Parts, new: Numbers, start: Integers) -> Parts:
    """The tables of parts: members that stay, renumbered, then new ones."""
    tables: Any = [
        type(first)(**revise_columns(first, old, second, new, start)) if first[0].size + second[0].size else first
        for first, second in zip(before[:-1], added[:-1], strict=True)
    ]
    tables.append(revise_routes(before.routes, old, added.routes, new))
    parts = Parts(*tables)
    return parts._replace(couplings=parts.couplings._replace(entry_start=start))


def revise_routes(first: Routes, old: Numbers, second: Routes, new: Numbers) -> Routes:
    """The table of ropes, which have as many stops as they like."""
    if not first.row.size + second.row.size:
        return first
    halves = [
        table.chosen(numbers.body, numbers.row.number, numbers.entry, numbers.slot)
        for table, numbers in ((first, old), (second, new))
    ]
    return Routes(*(np.concatenate(columns) for columns in zip(*halves, strict=True)))


def revise_columns(first: Any, old: Numbers, second: Any, new: Numbers, start: Integers) -> dict[str, Any]:
    """The columns of one table of parts by name."""
    pieces = [pieces_of(table, numbers) for table, numbers in ((first, old), (second, new)) if table[0].size]
    columns = {
        name: np.concatenate([piece for each in pieces for piece in each[name]])
        for name in first._fields
        if name != "entry_start"
    }
    return columns | ({"entry_start": start} if "entry_start" in first._fields else {})


def pieces_of(table: Any, numbers: Numbers) -> dict[str, list[Any]]:
    """The columns of a table for the members that stay, with new numbers, in pieces."""
    keys, columns = plan_of(table._fields)
    by_number = {"row": numbers.row.number, "slot": numbers.slot, "own_slot": numbers.own_slot}
    by_number |= {"body": numbers.body, "entry": numbers.entry}
    runs = {key: runs_where(by_number[kind][getattr(table, key)] >= 0) for key, kind in keys.items()}
    pieces = {}
    for name, kind, key in columns:
        column = getattr(table, name)
        parts = [column[run] for run in runs[key]]
        pieces[name] = parts if kind is None else [by_number[kind][part] for part in parts]
    return pieces


@cache
def plan_of(names: tuple[str, ...]) -> tuple[dict[str, str], list[tuple[str, str | None, str]]]:
    """How tables with columns of these names are carried over: what the columns number that say which members stay;
    then every column, what it numbers, None for plain values, and which of the first says what of it stays."""
    own = "row" if "row" in names else "slot"
    keys = {own: "row" if own == "row" else "own_slot"} | ({"term_row": "row"} if "term_row" in names else {})
    by_term = TERM_COLUMNS if "term_row" in keys else ()
    columns = [(name, kind_of(name), "term_row" if name in by_term else own) for name in names if name != "entry_start"]
    return keys, columns


def kind_of(name: str) -> str | None:
    """What a column of a table numbers, None for plain values."""
    return next((kind for kind, names in NUMBERED.items() if name in names), None)


TERM_COLUMNS = ("term_row", "term_slot", "factor", "block_a", "block_b")
"""Columns of a table of couplings that go by term, not by row."""
