"""The collider: from poses to contacts. Finds pairs whose boxes overlap, and hands each to the routine of its kinds."""

from __future__ import annotations

import importlib
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from taut.collide.contacts import Contacts
from taut.collide.geometry import Geoms
from taut.collide.ground import GroundTable, tabulate_ground
from taut.collide.kinds import CYLINDER, GROUND, PLANE, POLYTOPES, ROUND, ROUTE_OF, TERRAIN
from taut.collide.polytopes import HullScratch, renumbered, solids_kept, tabulate, thickness_of
from taut.collide.site import MOST, Site
from taut.collide.sweep import Sweep
from taut.collide.table import GeomTable, NearTable, PairTable
from taut.spatial import Array, Integers
from taut.tables import Handle, held

MARGIN_OF_RADIUS, MARGIN_OF_THICKNESS = 0.01, 0.1
"""The automatic margin of a geom: this share of its bounding radius, but not more than this share of its least half
thickness. A geom then keeps the points of its manifold while it rocks by 0.01 rad."""


class Collider:
    """Finds the contacts of bodies at given poses.

    Args:
        geoms: of the model.
        moves: (n,) 1 for bodies that can move.
        margin: gap in m below which two geoms at rest count as near, or what of it is each geom's (g,); None = by size.
        spare: whose room for pairs may be used, if it is large enough.

    It keeps scratch memory, nothing that changes a result.
    """

    def __init__(
        self, geoms: Geoms, moves: NDArray[np.uint8], margin: Array | float | None = None, spare: Collider | None = None
    ) -> None:
        self.geoms, self.moves = geoms, moves
        given = 0.5 * margin if isinstance(margin, float) else margin
        self.margin = automatic_margin(geoms) if given is None else given + np.zeros(geoms.count)
        table = GeomTable.of(geoms, moves, self.margin)
        self.rods = bool((geoms.kind <= CYLINDER).any())
        self.near = NearTable.of(geoms.count, table.bounded.size)
        self.handles = held(table), held(self.near)
        self.pairs: PairTable
        if spare is not None and spare.pairs.starts.size > geoms.count:
            self.pairs, self.pairs_handle, self.points, self.marks = spare.room
        else:
            self.make_room(4 * geoms.count + 64)
        most = int(np.diff(geoms.vertex_start).max(initial=0))
        self.places, self.chosen, self.cores = np.zeros((max(most, 64), 3)), np.zeros(4, np.int64), np.zeros((4, 4))

    def make_room(self, pairs: int) -> None:
        """Make room for so many pairs, of a quarter as many geoms, and as many points each as there can be."""
        self.pairs = PairTable.of(pairs, pairs // 4)
        self.pairs_handle = held(self.pairs)
        self.points, self.marks = np.zeros((MOST * pairs, 11)), np.zeros((MOST * pairs, 2), np.int64)

    @property
    def room(self) -> tuple[PairTable, Handle, Array, Integers]:
        """Scratch for pairs."""
        return self.pairs, self.pairs_handle, self.points, self.marks

    def contacts(self, position: Array, rotation: Array, reach: Array) -> Contacts:
        """Contact points nearer than the margins and reaches of their two bodies, sorted by geom pair.

        Args:
            position: (n, 3) of the centres of mass, m.
            rotation: (n, 9) world-from-body.
            reach: (n,) how far any point of each body may still move before it is collided again, m.
        """
        if self.geoms.count == 0:
            return Contacts.none()
        pairs = self.near_pairs(position, rotation, reach)
        if pairs is None:  # kernels would follow what is not a number anywhere
            nowhere = np.logical_not(np.isfinite(np.hstack([self.near.centre, self.near.frame])).all(axis=1))
            lost = np.isin(np.arange(len(position)), self.geoms.body[nowhere])
            return self.contacts_without(lost, position, rotation, reach)
        count = self.collide(pairs)
        return self.finish(pairs, count, position, rotation)

    def contacts_with(self, chosen: NDArray[np.bool_], position: Array, rotation: Array) -> Contacts:
        """Contact points of pairs with at least one of the chosen geoms (g,), of bodies at rest at these places."""
        pairs = self.near_pairs(position, rotation, np.zeros(len(position)))
        if pairs is None:
            return Contacts.none()
        pairs = pairs[chosen[pairs[:, :2]].any(axis=1)]
        return self.finish(pairs, self.collide(pairs), position, rotation)

    def contacts_without(self, lost: NDArray[np.bool_], position: Array, rotation: Array, reach: Array) -> Contacts:
        """Contact points of all but these bodies (n,)."""
        position, rotation = np.where(lost[:, None], 0.0, position), np.where(lost[:, None], 0.0, rotation)
        found = self.contacts(position, rotation, reach)
        return found.take(np.flatnonzero(~lost[found.body_a] & ~lost[found.body_b]))

    def load(self) -> None:
        """Load the kernels and build the tables that these geoms can need, so that the first contact costs what the
        others do."""
        kind = self.geoms.kind
        flat, terrain = load_kernels(kind_set(kind), kind_set(kind[self.moves[self.geoms.body] > 0]))
        self.sweep.solids  # noqa: B018
        if flat:
            self.polytopes  # noqa: B018
        if terrain:
            self.site  # noqa: B018

    def near_pairs(self, position: Array, rotation: Array, reach: Array) -> Integers | None:
        """(pairs, 3): two geoms a < b whose boxes overlap, and their routine; sorted. None if a place is not finite."""
        from taut.collide.broad_kernels import find_near

        found = int(find_near(*self.handles, self.pairs_handle, position, rotation, reach))
        if found > len(self.pairs.pair):
            self.make_room(2 * found)
            found = int(find_near(*self.handles, self.pairs_handle, position, rotation, reach))
        return self.pairs.pair[:found] if found >= 0 else None

    def contacts_of(self, pair: Integers, position: Array, rotation: Array) -> Contacts:
        """Contact points of two geoms a < b, which `near` says where they are, of bodies at these places."""
        routine = ROUTE_OF[tuple(self.geoms.kind[pair])]
        self.pairs.routes[:] = np.arange(self.pairs.routes.size) == routine
        pairs = np.append(pair, routine)[None]
        return self.finish(pairs, self.collide(pairs), position, rotation)

    @cached_property
    def sweep(self) -> Sweep:
        """Finds what meets on its way."""
        return Sweep(self)

    def collide(self, pairs: Integers) -> int:
        """Write the contact points of all pairs and return how many; see `taut.collide.point_kernels.put`."""
        geoms, near, points, marks, count = self.geoms, self.near, self.points, self.marks, 0
        routes = self.pairs.routes.tolist()
        where = (geoms.kind, geoms.size, near.centre, near.frame, near.band)
        if routes[ROUND]:
            from taut.collide.round_kernels import collide_round

            count = collide_round(pairs, *where, count, points, marks)
        if routes[GROUND]:
            from taut.collide.plane_kernels import collide_planes

            count = collide_planes(
                pairs, *where, geoms.vertex_start, geoms.vertices, count, points, marks,
                self.places, self.chosen, self.cores,
            )  # fmt: skip
        flat = routes[POLYTOPES] + routes[TERRAIN] > 0
        if routes[ROUND] and not flat:
            flat = bool((pairs[:, 2] >= POLYTOPES).any())  # caps that round ones touch with
        return self.collide_flat(pairs, count, routes[TERRAIN] > 0) if flat else int(count)

    def collide_flat(self, pairs: Integers, count: int, terrain: bool) -> int:
        """Write the contact points of pairs with flat faces, after `count` others, and return how many there are."""
        from taut.collide.hull_kernels import collide_hulls, place_corners
        from taut.collide.rod_kernels import collide_rods

        geoms, near, points, marks = self.geoms, self.near, self.points, self.marks
        table, scratch = self.polytopes
        place = (geoms.size, near.centre, near.frame, near.band)
        place_corners(self.handles[1], table)
        faces = (table.planes, table.loop_start, table.loops)
        if self.rods:
            count = collide_rods(pairs, geoms.kind, *place, table.span, table.corners, *faces, count, points, marks)
        count = collide_hulls(pairs, self.handles[1], table, scratch, count, points, marks)
        if terrain:
            from taut.collide.terrain_kernels import collide_terrain

            count = collide_terrain(self.site, pairs, count, points, marks)
        return int(count)

    @cached_property
    def ground(self) -> GroundTable:
        """Heightfields and meshes."""
        return tabulate_ground(self.geoms)

    @cached_property
    def site(self) -> Handle:
        """What collides with them."""
        return held(Site.of(self.geoms, self.near, self.polytopes[0], self.ground))

    def take_tables(self, whole: Collider, chosen: Integers) -> None:
        """Take the tables of a collider of which this one has the chosen geoms (g,), as far as it has built them."""
        if "polytopes" in vars(whole):
            table, scratch = whole.polytopes
            own = table._replace(span=table.span[chosen], inset=table.inset[chosen])
            self.polytopes, self.thickness = (held(own), scratch), whole.thickness[chosen]
        if "ground" in vars(whole):
            self.ground = whole.ground._replace(grid=whole.ground.grid[chosen])

    def take_over(self, before: Collider) -> None:
        """Take the polytopes of the collider before an edit, if all of them are there still and no others."""
        kept = solids_kept(before.geoms, self.geoms) if "polytopes" in vars(before) else None
        if kept is not None:
            table, scratch = before.polytopes
            self.polytopes = held(renumbered(table, *kept, self.geoms.count)), scratch
            self.thickness = self.geoms.thickness.copy()
            self.thickness[kept[1]] = before.thickness[kept[0]]

    @cached_property
    def thickness(self) -> Array:
        """Least half thickness (g,) of geoms, m."""
        return thickness_of(self.geoms)

    @cached_property
    def polytopes(self) -> tuple[Handle, Handle]:
        """Handles of the `PolytopeTable` of boxes, hulls and cylinders, and of scratch to collide them with."""
        table = tabulate(self.geoms)
        return held(table), held(HullScratch.of(table))

    def finish(self, pairs: Integers, count: int, position: Array, rotation: Array) -> Contacts:
        """The first contact points that were written, sorted by pair, in body axes."""
        from taut.collide.point_kernels import finish_points

        whole, real = np.empty((5, count), np.int64), np.empty((3, count))
        normal, core_a, core_b = np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3))
        finish_points(
            self.points, self.marks, pairs, self.geoms.body, position, rotation, whole, normal, core_a, core_b, real
        )
        return Contacts(whole[0], whole[1], whole[2], whole[3], normal, whole[4], core_a, core_b, *real)


def kind_set(kind: Integers) -> bytes:
    """Which kinds there are among those of geoms (g,)."""
    return (np.bincount(kind, minlength=len(ROUTE_OF)) > 0).tobytes()


@cache
def load_kernels(kinds: bytes, moving: bytes) -> tuple[bool, bool]:
    """Load the kernels for geoms of these kinds, and of these that move; whether some have flat faces, and terrain."""
    there, moves = (np.frombuffer(each, bool).nonzero()[0] for each in (kinds, moving))
    routes = set(ROUTE_OF[np.ix_(there, there)].ravel().tolist())
    terrain = TERRAIN in routes
    flat = terrain or (POLYTOPES in routes and bool((moves != PLANE).any()))
    modules = ["broad_kernels", "point_kernels", "sweep_kernels"]
    modules += ["round_kernels"] * (ROUND in routes) + ["plane_kernels"] * (GROUND in routes)
    modules += ["hull_kernels", "rod_kernels"] * flat + ["terrain_kernels"] * terrain
    for module in modules:
        importlib.import_module(f"taut.collide.{module}")
    return flat, terrain


def automatic_margin(geoms: Geoms) -> Array:
    """Margin (g,) of each geom, m; 0 for planes, heightfields and meshes."""
    thickness = np.where(geoms.size > 0.0, geoms.size, np.inf).min(axis=1, initial=np.inf)
    margin = np.minimum(MARGIN_OF_RADIUS * geoms.radius, MARGIN_OF_THICKNESS * thickness)
    return np.where(geoms.kind >= PLANE, 0.0, margin)
