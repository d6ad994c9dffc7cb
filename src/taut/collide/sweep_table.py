"""Tables of the sweep: geoms as solids, the ways of their bodies, and where they meet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.collide.geometry import Geoms
from taut.collide.kinds import CAPSULE, SPHERE
from taut.spatial import Array
from taut.tables import Flags, Handle, RealRows, Reals, WholeRows


class SolidTable(NamedTuple):
    """Geoms (g,) as hulls of corners with a ball around each.

    Attributes:
        thickness: (g,) m, least half thickness; of hulls square to a face, not along their own axes only.
        radius: (g,) m, of the balls.
        span: (g, 6) of which the first two numbers are the first corner of each polytope, and that after its last.
        corners: (v, 3) m, own axes, moved inward by the radius.
    """

    thickness: Reals
    radius: Reals
    span: WholeRows
    corners: RealRows

    @classmethod
    def of(cls, geoms: Geoms, polytopes: Handle, thickness: Array) -> SolidTable:
        """The table of geoms, so thick (g,) m; cylinders are prisms."""
        is_round = (geoms.kind == SPHERE) | (geoms.kind == CAPSULE)
        radius = np.where(is_round, geoms.size[:, 0], polytopes.inset / np.sqrt(3.0))
        return cls(thickness, radius, polytopes.span, polytopes.inner)


class WayTable(NamedTuple):
    """Ways of bodies (n,) in a step.

    Attributes:
        position, orientation, rotation: (n, 3) m, (n, 4), (n, 9) where they start.
        path: (n, 6) m and rad, translation and rotation vector.
        fast: (n,) 1 for bodies that move farther than they are thick.
    """

    position: RealRows
    orientation: RealRows
    rotation: RealRows
    path: RealRows
    fast: Flags

    @classmethod
    def of(cls, bodies: int) -> WayTable:
        """Room for so many bodies."""
        return cls(
            np.zeros((bodies, 3)), np.zeros((bodies, 4)), np.zeros((bodies, 9)), np.zeros((bodies, 6)),
            np.zeros(bodies, np.uint8),
        )  # fmt: skip


class MeetingTable(NamedTuple):
    """Pairs of geoms that meet, up to a capacity, and scratch.

    Attributes:
        pair: (capacity, 2) geoms a < b.
        time: (capacity,) from 0 to 1 on their way, -1 where it is still to be found.
        box: (g, 6) m, of the ways of geoms.
        centre, axes: (g, 3) m, (g, 9) world-from-geom, where they start.
        arm: (g,) m, distance of their farthest points from the axes about which bodies turn.
        corners_a, corners_b: (.., 3) m, of one geom each.
        frame: (1, 9), rotation of one body.
        simplex, labels, witness: of the search for the nearest points, see `taut.collide.gjk_kernels`.
    """

    pair: WholeRows
    time: Reals
    box: RealRows
    centre: RealRows
    axes: RealRows
    arm: Reals
    corners_a: RealRows
    corners_b: RealRows
    frame: RealRows
    simplex: RealRows
    labels: WholeRows
    witness: RealRows

    @classmethod
    def of(cls, capacity: int, geoms: int, corners: int) -> MeetingTable:
        """Room for so many pairs, of so many geoms of at most so many corners."""
        return cls(
            np.zeros((capacity, 2), np.int64), np.zeros(capacity), np.zeros((geoms, 6)), np.zeros((geoms, 3)),
            np.zeros((geoms, 9)), np.zeros(geoms), np.zeros((corners, 3)), np.zeros((corners, 3)), np.zeros((1, 9)),
            np.zeros((6, 3)), np.zeros((5, 2), np.int64), np.zeros((2, 3)),
        )  # fmt: skip
