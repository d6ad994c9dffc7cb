"""Geoms and where they are, as tables that kernels take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.collide.geometry import Geoms
from taut.collide.kinds import PLANE, ROUTE_OF
from taut.spatial import Array
from taut.tables import FlagRows, Flags, RealRows, Reals, WholeRows, Wholes


class GeomTable(NamedTuple):
    """What the search for near pairs knows of geoms (g,), see `Geoms`, and of bodies (n,).

    `margin` (g,) m is the gap below which a geom at rest counts as near, `moves` (n,) 1 for bodies that can move,
    `planes` the geoms that are planes, `bounded` the others, `route` (kinds, kinds) the routine of two kinds.
    """

    body: Wholes
    kind: Wholes
    size: RealRows
    position: RealRows
    rotation: RealRows
    radius: Reals
    margin: Reals
    group: Wholes
    group_collides: FlagRows
    excluded: Wholes
    moves: Flags
    planes: Wholes
    bounded: Wholes
    route: WholeRows

    @classmethod
    def of(cls, geoms: Geoms, moves: Flags, margin: Array) -> GeomTable:
        """The table of geoms."""
        plane = geoms.kind == PLANE
        return cls(
            body=geoms.body, kind=geoms.kind, size=geoms.size, position=geoms.position, rotation=geoms.rotation,
            radius=geoms.radius, margin=margin, group=geoms.group, group_collides=geoms.group_collides,
            excluded=geoms.excluded, moves=moves, planes=np.flatnonzero(plane), bounded=np.flatnonzero(~plane),
            route=ROUTE_OF,
        )  # fmt: skip


class NearTable(NamedTuple):
    """Where geoms (g,) are, for the narrow phase, and scratch of the sweep.

    Attributes:
        centre, frame: (g, 3) m, (g, 9) world-from-geom.
        band: (g,) m, margin and reach.
        box: (g, 6) m, lower and upper corner of the bounding box, the band included.
        axes: (3,) the axis that is swept, the one that is cut into strips, the third.
        start: (g,) m, lower corner along the axis that is swept.
        order: geoms that are no planes, in its order; spare: as long.
        strip: (g, 2) first and last strip that a geom is in.
        first, member: geoms in strip s, in their order, are member[first[s] : first[s + 1]].
    """

    centre: RealRows
    frame: RealRows
    band: Reals
    box: RealRows
    start: Reals
    order: Wholes
    spare: Wholes
    axes: Wholes
    strip: WholeRows
    first: Wholes
    member: Wholes

    @classmethod
    def of(cls, count: int, bounded: int) -> NearTable:
        """Room for so many geoms, of which so many are bounded."""
        order, spare = np.zeros((2, bounded), np.int64)
        return cls(
            centre=np.zeros((count, 3)), frame=np.zeros((count, 9)), band=np.zeros(count), box=np.zeros((count, 6)),
            start=np.zeros(count), order=order, spare=spare, axes=np.zeros(3, np.int64),
            strip=np.zeros((count, 2), np.int64), first=np.zeros(bounded + 2, np.int64),
            member=np.zeros(3 * bounded + 1, np.int64),
        )  # fmt: skip


class PairTable(NamedTuple):
    """Near pairs, up to a capacity.

    Attributes:
        found: (capacity, 2) geoms a < b, as they were found.
        order, spare, starts: their order by pair; scratch, as long, and one longer than there are geoms.
        pair: (capacity, 3) two geoms and their routine, sorted.
        routes: (5,) how many there are of each routine.
    """

    found: WholeRows
    order: Wholes
    spare: Wholes
    starts: Wholes
    pair: WholeRows
    routes: Wholes

    @classmethod
    def of(cls, capacity: int, geoms: int) -> PairTable:
        """Room for so many pairs of so many geoms."""
        order, spare = np.zeros((2, capacity), np.int64)
        found, pair = np.zeros((capacity, 2), np.int64), np.zeros((capacity, 3), np.int64)
        return cls(found, order, spare, np.zeros(geoms + 1, np.int64), pair, np.zeros(5, np.int64))
