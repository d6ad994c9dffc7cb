"""A part of a mechanism: some groups of bodies with their rows, as a mechanism of its own.

Bodies that neither joints nor contacts connect do not feel each other, so a part steps as it would in the whole. Its
arrays are those of the whole for the bodies, rows, joint coordinates and geoms that it has, renumbered in their order.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.collide.contacts import Contacts
from taut.collide.geometry import Geoms
from taut.contact.memory import ContactMemory
from taut.contact.rows import Surroundings
from taut.model.articulation import Articulation
from taut.model.state import State
from taut.rows.parts import Parts
from taut.spatial import Integers
from taut.stepping.mechanism import Mechanism
from taut.stepping.settings import DIVISION
from taut.stepping.stepper import Stepper
from taut.stepping.tables import LinkTable
from taut.structure.incidence import RowEntries

OF_BODIES = (
    "position", "orientation", "velocity", "spin", "slim_spin", "previous_velocity", "previous_spin",
    "previous_slim_spin", "displacement", "older", "lent", "history", "calm", "rest", "applied", "applied_point",
)  # fmt: skip
"""Arrays of a state with one entry a body."""

OF_ROWS = (
    "force", "index_set", "target", "reached", "limits", "reached_limits", "force_limits", "firmness", "command",
    "measure",
)  # fmt: skip
"""Arrays of a state with one entry a row."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Choice:
    """Some of the things in a list: which (k,), and the new number of each of all (n,), -1 for the others."""

    chosen: Integers
    number: Integers

    @classmethod
    def of(cls, mask: Mask) -> Choice:
        """Those that a mask (n,) says, in their order."""
        return cls(np.flatnonzero(mask), np.where(mask, np.cumsum(mask) - 1, -1))


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a mechanism, ready to step, and where its bodies, rows, coordinates and geoms are in the whole.

    `moving` (n,) are the bodies of the whole that move in it.
    """

    stepper: Stepper
    bodies: Choice
    rows: Choice
    slots: Choice
    geoms: Choice
    moving: Mask

    def take(self, whole: State) -> State:
        """The state of this part, of a state of the whole."""
        bodies = {name: getattr(whole, name)[self.bodies.chosen] for name in OF_BODIES}
        rows = {name: getattr(whole, name)[self.rows.chosen] for name in OF_ROWS}
        return replace(
            whole, **bodies, **rows, coordinate=whole.coordinate[self.slots.chosen],
            contacts=renumbered(
                chosen_contacts(whole.contacts, self.moving), self.bodies.number, self.geoms.number
            ),
        )  # fmt: skip

    def put(self, whole: State, own: State) -> State:
        """The state of the whole with what a state of this part says of its bodies; energy is left as it is."""
        moving = self.bodies.chosen[self.moving[self.bodies.chosen]]
        from_own = self.bodies.number[moving]
        changes = {}
        for name in OF_BODIES:
            changes[name] = getattr(whole, name).copy()
            changes[name][moving] = getattr(own, name)[from_own]
        for name, choice in {**dict.fromkeys(OF_ROWS, self.rows), "coordinate": self.slots}.items():
            changes[name] = getattr(whole, name).copy()
            changes[name][choice.chosen] = getattr(own, name)
        theirs = renumbered(own.contacts, self.bodies.chosen, self.geoms.chosen)
        return replace(whole, **changes, contacts=joined_contacts(whole.contacts, theirs, self.moving))


def part_of(stepper: Stepper, moving: Mask) -> Part:
    """The part of a mechanism in which only these bodies (n,) move; the latest are kept ready."""
    key = moving.tobytes()
    if key not in stepper.parts:
        while len(stepper.parts) >= DIVISION.kept:
            del stepper.parts[next(iter(stepper.parts))]
        stepper.parts[key] = make_part(stepper, moving)
    part: Part = stepper.parts[key]
    part.stepper.friction_passes = stepper.friction_passes
    return part


def make_part(stepper: Stepper, moving: Mask) -> Part:
    """Work out a part."""
    whole = stepper.mechanism
    fixed = whole.bodies.moves == 0
    bodies, rows = Choice.of(moving | fixed), Choice.of(moving[whole.links.row_body])
    turns = whole.slot_body
    here = (moving[turns] | fixed[turns]).all(axis=1) & moving[turns].any(axis=1)
    slots = Choice.of(here | whole.parts.routes.uses(rows.number >= 0, here.size))
    geoms = Choice.of((moving | fixed)[whole.geoms.body])
    own = Stepper(restricted(whole, bodies, rows, slots, geoms), stepper.settings, stepper)
    if own.collider is not None and stepper.collider is not None:
        own.collider.take_tables(stepper.collider, geoms.chosen)
    return Part(own, bodies, rows, slots, geoms, moving)


def restricted(whole: Mechanism, bodies: Choice, rows: Choice, slots: Choice, geoms: Choice) -> Mechanism:
    """The mechanism of these bodies, rows, coordinates and geoms."""
    entries, blocks = chosen_entries(whole, bodies, rows)
    own_geoms = chosen_geoms(whole.geoms, bodies, geoms)
    loads = bodies.number[whole.loads.body] >= 0
    body_table = whole.bodies._replace(
        **{name: getattr(whole.bodies, name)[bodies.chosen] for name in whole.bodies._fields if name != "gravity"}
    )
    return Mechanism(
        bodies=body_table,
        laws=whole.laws._replace(**{name: getattr(whole.laws, name)[rows.chosen] for name in whole.laws._fields}),
        curves=whole.curves,
        loads=whole.loads._replace(
            **{name: getattr(whole.loads, name)[loads] for name in whole.loads._fields if name != "body"},
            body=bodies.number[whole.loads.body[loads]],
        ),
        links=chosen_links(whole.links, entries, bodies, rows),
        trees=chosen_trees(whole.trees, bodies, rows),
        parts=chosen_parts(whole.parts, entries, blocks, bodies, rows, slots),
        entries=entries,
        geoms=own_geoms,
        margin=whole.margin[geoms.chosen],
        around=Surroundings(
            own_geoms, body_table.mass, body_table.moves, whole.around.compliance, entries.row_count,
            entries.entry_body.size, whole.around.damping,
        ),
        slim=whole.slim[bodies.chosen],
        held=bodies.number[whole.held[bodies.chosen]],
        hard=whole.hard[rows.chosen],
        servos=whole.servos[rows.chosen],
        slot_body=bodies.number[whole.slot_body[slots.chosen]],
        accelerates=whole.accelerates,
        names=tuple(whole.names[body] for body in bodies.chosen),
    )  # fmt: skip


def chosen_entries(whole: Mechanism, bodies: Choice, rows: Choice) -> tuple[RowEntries, Choice]:
    """Jacobian blocks of some rows, and which of all they are."""
    entries = whole.entries
    blocks = Choice.of(rows.number[entries.entry_row] >= 0)
    counts = np.diff(entries.entry_start)[rows.chosen]
    chosen = RowEntries(
        entry_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        entry_row=rows.number[entries.entry_row[blocks.chosen]],
        entry_body=bodies.number[entries.entry_body[blocks.chosen]],
        moves=entries.moves[bodies.chosen],
        unbounded=entries.unbounded[rows.chosen],
        owner=entries.owner[rows.chosen],
        group=None if entries.group is None else entries.group[bodies.chosen],
    )
    return chosen, blocks


def chosen_links(links: LinkTable, entries: RowEntries, bodies: Choice, rows: Choice) -> LinkTable:
    """How some rows connect some bodies."""
    size, floating = np.diff(links.floating_start), bodies.number[links.floating_body]
    kept = floating[links.floating_start[:-1]] >= 0  # a group is here as a whole, or not at all
    return LinkTable(
        row_body=bodies.number[links.row_body[rows.chosen]], entry_start=entries.entry_start,
        entry_row=entries.entry_row, entry_body=entries.entry_body, joined=bodies.number[links.joined[bodies.chosen]],
        jointed=links.jointed[bodies.chosen], weight=links.weight[bodies.chosen],
        floating_start=np.append(0, np.cumsum(size[kept])), floating_body=floating[np.repeat(kept, size)],
    )  # fmt: skip


def chosen_trees(trees: Articulation, bodies: Choice, rows: Choice) -> Articulation:
    """The trees of some bodies; a tree is here as a whole, or not at all."""
    size, here = np.diff(trees.tree_start), bodies.number[trees.body] >= 0
    freedom, number = np.diff(trees.dof_start), np.append(Choice.of(here).number, -1)  # the last for those without one
    names = (
        "flipped", "turn", "slides", "slide_axis", "axis_a", "axis_b", "point_a", "point_b", "relative", "row_count",
    )  # fmt: skip
    return trees._replace(
        node=number[trees.node[bodies.chosen]], body=bodies.number[trees.body[here]],
        parent=number[trees.parent[here]], carrier=np.append(bodies.number, -1)[trees.carrier[here]],
        tree_start=np.append(0, np.cumsum(size[here[trees.tree_start[:-1]]])),
        dof_start=np.append(0, np.cumsum(freedom[here])), first_row=np.maximum(rows.number[trees.first_row[here]], 0),
        role=trees.role[rows.chosen], **{name: getattr(trees, name)[here] for name in names},
    )  # fmt: skip


def chosen_parts(
    parts: Parts, entries: RowEntries, blocks: Choice, bodies: Choice, rows: Choice, slots: Choice
) -> Parts:
    """The parts of some rows and coordinates."""
    numbers = {
        "body_a": bodies.number, "body_b": bodies.number, "row": rows.number, "term_row": rows.number,
        "entry": blocks.number, "companion_entry": blocks.number, "block_a": blocks.number, "block_b": blocks.number,
        "slot": slots.number, "term_slot": slots.number,
    }  # fmt: skip
    tables: dict[str, Any] = {}
    for name, table in parts._asdict().items():
        if name == "routes":
            tables[name] = parts.routes.chosen(bodies.number, rows.number, blocks.number, slots.number)
            continue
        key = "slot" if name in ("slides", "angles", "spins") else "term_row" if name == "couplings" else "row"
        kept = numbers[key][getattr(table, key)] >= 0
        columns = {}
        for field in table._fields:
            values = getattr(table, field)
            if field == "entry_start":
                columns[field] = entries.entry_start
                continue
            taken = values[numbers["row"][values] >= 0] if name == "couplings" and field == "row" else values[kept]
            columns[field] = numbers[field][taken] if field in numbers else taken
        tables[name] = table._replace(**columns)
    return Parts(**tables)


def chosen_geoms(geoms: Geoms, bodies: Choice, chosen: Choice) -> Geoms:
    """Some of the geoms, with other numbers of their bodies."""
    sizes = np.diff(geoms.vertex_start)
    corner = np.repeat(chosen.number >= 0, sizes)
    first, second = np.divmod(geoms.excluded, bodies.number.size)
    both = (bodies.number[first] >= 0) & (bodies.number[second] >= 0)
    special = ("body", "shapes", "vertex_start", "vertices", "group_collides", "excluded")
    plain = {each.name: getattr(geoms, each.name)[chosen.chosen] for each in fields(geoms) if each.name not in special}
    return replace(
        geoms,
        **plain,
        body=bodies.number[geoms.body[chosen.chosen]],
        shapes=tuple(geoms.shapes[index] for index in chosen.chosen),
        vertex_start=np.concatenate([[0], np.cumsum(sizes[chosen.chosen])]).astype(np.int64),
        vertices=geoms.vertices[corner],
        excluded=bodies.number[first[both]] * bodies.chosen.size + bodies.number[second[both]],
    )


def renumbered(memory: ContactMemory, bodies: Integers, geoms: Integers) -> ContactMemory:
    """Contacts with other numbers of bodies and geoms: that of number k is now bodies[k]."""
    found = memory.contacts
    contacts = replace(
        found, body_a=bodies[found.body_a], body_b=bodies[found.body_b], geom_a=geoms[found.geom_a],
        geom_b=geoms[found.geom_b],
    )  # fmt: skip
    return replace(memory, contacts=contacts)


def chosen_contacts(memory: ContactMemory, moving: Mask) -> ContactMemory:
    """The contacts of moving bodies (n,)."""
    found: Contacts = memory.contacts
    touches = np.flatnonzero(moving[found.body_a] | moving[found.body_b])
    return ContactMemory.from_arrays({name: values[touches] for name, values in memory.arrays().items()})


def joined_contacts(whole: ContactMemory, own: ContactMemory, moving: Mask) -> ContactMemory:
    """Contacts of a part instead of those of its moving bodies (n,) in the whole, in the collider's order."""
    touches = moving[whole.contacts.body_a] | moving[whole.contacts.body_b]
    first, second = whole.arrays(), own.arrays()
    theirs, pairs = np.flatnonzero(touches), ("contacts_geom_b", "contacts_geom_a")
    if all(np.array_equal(first[name][theirs], second[name]) for name in pairs):  # each has its place already
        both = {name: values.copy() for name, values in first.items()}
        for name, values in both.items():
            values[theirs] = second[name]
        return ContactMemory.from_arrays(both)
    both = {name: np.concatenate([first[name][~touches], second[name]]) for name in first}
    order = np.lexsort([both[name] for name in pairs])
    return ContactMemory.from_arrays({name: values[order] for name, values in both.items()})
