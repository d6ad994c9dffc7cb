"""A model as steps see it: arrays only, worked out once. A part of it, some groups of bodies, is one again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from taut.collide.collider import automatic_margin
from taut.collide.geometry import Geoms
from taut.contact.rows import Surroundings
from taut.model.articulation import ELIMINATED, Articulation, articulate
from taut.model.groups import joined_groups
from taut.model.model import Model
from taut.rows.law import FOLLOW, HOLD, LIMITS, SOFT
from taut.rows.layout import COMPANION
from taut.rows.parts import Parts
from taut.spatial import Array, Integers
from taut.stepping.tables import BodyTable, LawRows, LinkTable, LoadTable
from taut.structure.incidence import RowEntries

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Bodies, rows and geometry of a model, or of a part of one.

    Attributes:
        bodies, laws, loads, links, parts: tables, see `taut.stepping.tables`.
        trees: bodies in joint coordinates.
        entries: Jacobian blocks of the rows, and what solvers know of them.
        geoms, margin: what collides, and the gap within which bodies at rest count as near, (geoms,) m.
        around: what contacts need to know.
        slim: (n,) 1 for slim bodies that rows hold.
        held: (n,) group of every body, all that is fixed being one, group 0.
        hard: (rows,) hard rows of unlimited force.
        servos: (rows,) motors that hold a position.
        slot_body: (coordinates, 2) the bodies of each joint coordinate.
        accelerates: whether the geometric stiffness of some rows is left out in part.
    """

    bodies: BodyTable
    laws: LawRows
    loads: LoadTable
    links: LinkTable
    trees: Articulation
    parts: Parts
    entries: RowEntries
    geoms: Geoms
    margin: Array
    around: Surroundings
    slim: NDArray[np.uint8]
    held: Integers
    hard: Mask
    servos: Mask
    slot_body: Integers
    accelerates: bool

    @property
    def count(self) -> int:
        """Number of bodies, the world included."""
        return self.bodies.mass.size

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return self.laws.kind.size

    @property
    def slot_count(self) -> int:
        """Number of joint coordinates."""
        return len(self.slot_body)

    @cached_property
    def several(self) -> bool:
        """Whether joints leave more than one group of bodies."""
        return np.unique(self.links.joined[self.bodies.moves > 0]).size > 1

    @cached_property
    def gravity(self) -> float:
        """Size of gravity, m/s^2."""
        return float(np.linalg.norm(self.bodies.gravity))


def mechanism_of(model: Model, coordinates: str = "maximal") -> Mechanism:
    """The arrays of a model in these coordinates, see `taut.model.articulation`."""
    layout, laws, geoms = model.layout, model.layout.laws, model.geoms
    unbounded = np.isneginf(laws.lower_force) & np.isposinf(laws.upper_force)
    hard = unbounded & np.isin(laws.kind, (HOLD, FOLLOW))
    trees = articulate(model, coordinates)
    margin = (
        automatic_margin(geoms) if model.contact_margin is None else np.full(geoms.count, 0.5 * model.contact_margin)
    )
    return Mechanism(
        bodies=body_table(model, margin),
        laws=LawRows(
            kind=laws.kind, stiffness=laws.stiffness, damping=laws.damping,
            moves=flags(laws.drives), drives=flags(laws.drives & (laws.kind != SOFT)),
            limits=flags(laws.kind == LIMITS), hard=flags(hard),
            closes=flags((hard | (laws.kind == LIMITS)) & (trees.role != ELIMINATED)),
            companion=flags(laws.kind == COMPANION), joined=flags(trees.role == ELIMINATED),
        ),
        loads=LoadTable(*(getattr(model.loads, name) for name in LoadTable._fields)),
        links=link_table(model),
        trees=trees,
        parts=layout.parts,
        entries=model.entries,
        geoms=geoms,
        margin=margin,
        around=Surroundings(
            geoms, model.bodies.mass, model.bodies.moves, model.contact_compliance, layout.row_count,
            len(layout.entry_body),
        ),
        slim=model.slim,
        held=joined_groups(model, through_fixed=True),
        hard=hard,
        servos=laws.drives & (laws.kind == HOLD),
        slot_body=np.array([each.bodies[:2] for each in layout.coordinates], np.int64).reshape(-1, 2),
        accelerates=not all(spec.part.whole_stiffness for spec in layout.specs),
    )  # fmt: skip


def flags(mask: Mask) -> NDArray[np.uint8]:
    """A mask as kernels take it."""
    return mask.astype(np.uint8)


def body_table(model: Model, margin: Array) -> BodyTable:
    """Mass properties and sizes of bodies; `margin` (geoms,) m."""
    bodies, geoms = model.bodies, model.geoms
    extent, slack = np.zeros(bodies.count), np.full(bodies.count, np.inf)
    finite = np.isfinite(geoms.radius)
    np.maximum.at(extent, geoms.body[finite], (np.linalg.norm(geoms.position, axis=1) + geoms.radius)[finite])
    np.minimum.at(slack, geoms.body, margin)
    return BodyTable(
        moves=bodies.moves, mass=bodies.mass, inertia=bodies.inertia, slim_axis=bodies.slim_axis,
        linear_damping=bodies.linear_damping, angular_damping=bodies.angular_damping, slim_shape=model.slim_shape,
        extent=extent, slack=slack, gravity=np.array(model.gravity, float),
    )  # fmt: skip


def link_table(model: Model) -> LinkTable:
    """How rows connect bodies."""
    layout, bodies = model.layout, model.bodies
    jointed = np.zeros(bodies.count, np.uint8)
    jointed[layout.entry_body] = bodies.moves[layout.entry_body]
    weight = np.where(bodies.moves > 0, bodies.mass, 0.0) * float(np.linalg.norm(model.gravity))
    loads = np.abs(model.loads.force).sum(axis=1) + np.abs(model.loads.torque).sum(axis=1)
    np.add.at(weight, model.loads.body, loads)
    floating = floating_groups(model)
    return LinkTable(
        row_body=first_moving_body(layout.row_count, layout.entry_row, layout.entry_body, bodies.moves),
        entry_start=layout.entry_start, entry_row=layout.entry_row, entry_body=layout.entry_body,
        joined=joined_groups(model, through_fixed=False), jointed=jointed, weight=weight,
        floating_start=np.cumsum([0, *(len(group) for group in floating)]).astype(np.int64),
        floating_body=np.array([body for group in floating for body in group], np.int64),
    )  # fmt: skip


def floating_groups(model: Model) -> list[list[int]]:
    """Groups of two or more undamped moving bodies that rows join to each other and to nothing fixed.

    Bodies alone need no correction of their momentum, and damped ones exchange momentum with the world.
    """
    bodies, labels = model.bodies, joined_groups(model, through_fixed=True)
    damped = (bodies.linear_damping > 0.0) | (bodies.angular_damping > 0.0)
    groups = [np.flatnonzero((labels == label) & (bodies.moves > 0)) for label in np.unique(labels) if label > 0]
    return [group.tolist() for group in groups if len(group) > 1 and not damped[group].any()]


def first_moving_body(rows: int, entry_row: Integers, entry_body: Integers, moves: NDArray[np.uint8]) -> Integers:
    """First body of every row (rows,) that moves."""
    body, moving = np.zeros(rows, np.int64), np.flatnonzero(moves[entry_body] > 0)[::-1]
    body[entry_row[moving]] = entry_body[moving]  # backwards, so that the first moving one is written last
    return body
