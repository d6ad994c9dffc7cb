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
from taut.model.groups import first_moving_body, held_groups, joined_groups
from taut.model.model import Model
from taut.rows.curve import Curves, number_curves
from taut.rows.law import FOLLOW, HOLD, LIMITS, SOFT
from taut.rows.layout import COMPANION
from taut.rows.parts import Parts, kinds_of
from taut.spatial import Array, Integers
from taut.stepping.tables import BodyTable, LawRows, LinkTable, LoadTable
from taut.structure.incidence import RowEntries

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Bodies, rows and geometry of a model, or of a part of one.

    Attributes:
        bodies, laws, curves, loads, links, parts: tables, see `taut.stepping.tables`.
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
        names: of bodies, for projections and messages.
    """

    bodies: BodyTable
    laws: LawRows
    curves: Curves
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
    names: tuple[str, ...]

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
        joined = self.links.joined[self.bodies.moves > 0]
        return bool((joined != joined[:1]).any())

    @cached_property
    def gravity(self) -> float:
        """Size of gravity, m/s^2."""
        return float(np.linalg.norm(self.bodies.gravity))


def mechanism_of(model: Model, coordinates: str = "maximal", before: Mechanism | None = None) -> Mechanism:
    """The arrays of a model in these coordinates, see `taut.model.articulation`.

    Tables of what is the same in the mechanism `before` an edit are used again.
    """
    layout, laws, geoms = model.layout, model.layout.laws, model.geoms
    unbounded = (laws.lower_force == -np.inf) & (laws.upper_force == np.inf)
    hard = unbounded & ((laws.kind == HOLD) | (laws.kind == FOLLOW))
    trees, joined = articulate(model, coordinates), joined_groups(model)
    row_body = first_moving_body(layout, model.bodies.moves)
    held = held_groups(model, joined, row_body)
    curves, (spring, damper) = number_curves(laws.spring, laws.damper)
    if before is not None and before.bodies.mass is model.bodies.mass and before.geoms.size is geoms.size:
        margin, bodies = before.margin, before.bodies
    else:
        margin = margin_of(model)
        bodies = body_table(model, margin)
    if before is not None and before.loads.force is model.loads.force:
        loads = before.loads
    else:
        loads = LoadTable(*(getattr(model.loads, name) for name in LoadTable._fields))
    return Mechanism(
        bodies=bodies,
        laws=LawRows(
            kind=laws.kind, stiffness=laws.stiffness, damping=laws.damping,
            moves=flags(laws.drives), drives=flags(laws.drives & (laws.kind != SOFT)),
            limits=flags(laws.kind == LIMITS), hard=flags(hard),
            closes=flags((hard | (laws.kind == LIMITS)) & (trees.role != ELIMINATED)),
            companion=flags(laws.kind == COMPANION), joined=flags(trees.role == ELIMINATED),
            spring=spring, damper=damper,
        ),
        curves=curves,
        loads=loads,
        links=link_table(model, joined, held, row_body),
        trees=trees,
        parts=layout.parts,
        entries=model.entries,
        geoms=geoms,
        margin=margin,
        around=Surroundings(
            geoms, model.bodies.mass, model.bodies.moves, model.contact_compliance, layout.row_count,
            len(layout.entry_body), model.contact_damping,
        ),
        slim=model.slim,
        held=held,
        hard=hard,
        servos=laws.drives & (laws.kind == HOLD),
        slot_body=layout.slot_body,
        accelerates=not all(kind.whole_stiffness for kind in kinds_of(layout.parts)),
        names=model.bodies.names,
    )  # fmt: skip


def margin_of(model: Model) -> Array:
    """Gap within which geoms (geoms,) at rest count as near, m."""
    geoms = model.geoms
    return automatic_margin(geoms) if model.contact_margin is None else np.full(geoms.count, 0.5 * model.contact_margin)


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


def link_table(model: Model, joined: Integers, held: Integers, row_body: Integers) -> LinkTable:
    """How rows (rows,) connect bodies: the first of each that moves, and their groups (n,), in `held` with all that is
    fixed as one."""
    layout, bodies = model.layout, model.bodies
    jointed = np.zeros(bodies.count, np.uint8)
    jointed[layout.entry_body] = bodies.moves[layout.entry_body]
    weight = np.where(bodies.moves > 0, bodies.mass, 0.0) * float(np.linalg.norm(model.gravity))
    loads = np.abs(model.loads.force).sum(axis=1) + np.abs(model.loads.torque).sum(axis=1)
    np.add.at(weight, model.loads.body, loads)
    floating_start, floating_body = floating_groups(model, held)
    return LinkTable(
        row_body=row_body,
        entry_start=layout.entry_start, entry_row=layout.entry_row, entry_body=layout.entry_body,
        joined=joined, jointed=jointed, weight=weight,
        floating_start=floating_start, floating_body=floating_body,
    )  # fmt: skip


def floating_groups(model: Model, labels: Integers) -> tuple[Integers, Integers]:
    """Groups of two or more undamped moving bodies that rows join to each other and to nothing fixed, labels (n,) being
    those of groups with all that is fixed as group 0: where each begins, and its bodies.

    Bodies alone need no correction of their momentum, and damped ones exchange momentum with the world.
    """
    bodies = model.bodies
    moving = bodies.moves > 0
    floats = np.bincount(labels[moving], minlength=bodies.count) > 1
    floats[labels[(bodies.linear_damping > 0.0) | (bodies.angular_damping > 0.0)]] = False
    floats[0] = False
    chosen = np.flatnonzero(moving & floats[labels])
    body = chosen[np.argsort(labels[chosen], kind="stable")]
    label = labels[body]
    first = np.flatnonzero(label[1:] != label[:-1]) + 1
    return np.concatenate([np.zeros(min(body.size, 1), np.int64), first, [body.size]]), body
