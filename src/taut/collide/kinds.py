"""Kinds of geometry, and which routine collides two of them."""

from __future__ import annotations

import numpy as np

SPHERE, CAPSULE, CYLINDER, BOX, CONVEX, PLANE, HEIGHTFIELD, MESH = range(8)

NO_ROUTE, ROUND, GROUND, POLYTOPES, TERRAIN = range(5)
"""Routines: none; round against round; against a plane; with a flat face; against a heightfield or mesh."""

ROUTE_OF = np.full((8, 8), POLYTOPES)
"""(kinds, kinds) routine of two kinds."""

ROUTE_OF[: CYLINDER + 1, : CYLINDER + 1] = ROUND
ROUTE_OF[HEIGHTFIELD:] = TERRAIN
ROUTE_OF[:, HEIGHTFIELD:] = TERRAIN
ROUTE_OF[PLANE] = ROUTE_OF[:, PLANE] = GROUND
ROUTE_OF[PLANE:, PLANE:] = NO_ROUTE
