"""Bodies on ground: what the routines for heightfields and meshes know of all geoms, as one table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.collide.geometry import Geoms
from taut.collide.ground import GroundTable
from taut.collide.table import NearTable
from taut.tables import Handle, RealRows, Reals, WholeRows, Wholes

MOST = 8
"""Most contacts of a body with one ground: four on a face, and as many on walls and ridges beside it."""

PLACES = 64
"""Places that are noted before they are reduced to the few that become contacts."""


class Site(NamedTuple):
    """Geoms (g,) as in `Geoms`, where they are, as in `NearTable`, their polytopes, as in `PolytopeTable`, and scratch.

    Attributes:
        thin: (g,) m, least half extent.
        corners: of all polytopes, world, m.
        near: triangles that are near a geom, in as many places as a ground has triangles.
        found: (1,) how many they are.
        vectors: (e, 13) edges of a polytope, see `nearby_edges`.
        rows: (PLACES + 1, 13) places: normal from the ground, point on it, core of the body, its radius, gap, number of
            the core on the body, or -1, and how the normal turns.
        chosen: of them those that become contacts.
        way, middle: (3,) a direction, and a point inside a geom.
    """

    kind: Wholes
    size: RealRows
    radius: Reals
    thin: Reals
    centre: RealRows
    frame: RealRows
    band: Reals
    span: WholeRows
    corners: RealRows
    planes: RealRows
    edges: WholeRows
    sides: RealRows
    ground: GroundTable
    near: Wholes
    found: Wholes
    vectors: RealRows
    rows: RealRows
    chosen: Wholes
    way: Reals
    middle: Reals

    @classmethod
    def of(cls, geoms: Geoms, near: NearTable, polytopes: Handle, ground: GroundTable) -> Site:
        """The table of geoms that are placed in `near`, and their corners in `polytopes`."""
        cells = 2 * np.prod(ground.grid[:, 1:3] - 1, axis=1) * (ground.grid[:, 2] > 0)
        triangles = np.where(ground.grid[:, 2] > 0, cells, ground.grid[:, 0])
        edges = int(np.diff(polytopes.span[:, 4:6]).max(initial=0))
        thin = np.where(geoms.size > 0.0, geoms.size, np.inf).min(axis=1, initial=np.inf)
        return cls(
            kind=geoms.kind, size=geoms.size, radius=geoms.radius, thin=thin, centre=near.centre, frame=near.frame,
            band=near.band, span=polytopes.span, corners=polytopes.corners, planes=polytopes.planes,
            edges=polytopes.edges, sides=polytopes.sides, ground=ground,
            near=np.zeros(triangles.max(initial=0), np.int64), found=np.zeros(1, np.int64),
            vectors=np.zeros((edges, 13)), rows=np.zeros((PLACES + 1, 13)), chosen=np.zeros(MOST, np.int64),
            way=np.zeros(3), middle=np.zeros(3),
        )  # fmt: skip
