"""Spheres, capsules and the sides of cylinders against polytopes: a segment with a radius."""

from __future__ import annotations

import numpy as np

from taut.collide.contacts import CENTRE_LINE, NORMAL_OF_A, NORMAL_OF_B, WORLD_NORMAL
from taut.collide.face_kernels import best_face, face_axes, into_face
from taut.collide.gjk_kernels import APART, OVERLAP, nearest_direction
from taut.collide.kinds import CYLINDER, NO_ROUTE, POLYTOPES
from taut.collide.point_kernels import put
from taut.kernel import kernel
from taut.spatial_kernels import times
from taut.table_types import matrix, vector

FLAT = 2e-4
"""1 - cosine of the angle between the nearest line and a normal below which that face is touched: 0.02 rad."""

SIDE = 0.02
"""Cosine of the angle between the nearest line and the axis below which a cylinder touches with its side."""


@kernel(
    "UniTuple(float64, 2)(float64[:, ::1], int64[::1], float64[:, ::1], float64[:, ::1], float64, float64[:, ::1])",
    inner=True,
)
def clip_rod(
    corners, loop, axes,  # (v, 3), (c,), (4, 3) of a face
    ends,  # (1 or 2, 3) of the rod, world, m
    beyond,  # share of the length of an edge by which the rod may be beyond it
    places_out,  # (2, 3) ends in the axes of the face
):  # fmt: skip
    """Part of a segment that lies over a face.

    Writes:  places_out
    Returns: its two ends as shares of the segment; the first is larger where nothing is left
    """
    last = ends.shape[0] - 1
    into_face(axes, ends[0], places_out[0])
    into_face(axes, ends[last], places_out[1])
    p, q = places_out[0], places_out[1]
    corner, after = vector(3), vector(3)
    low, high = 0.0, 1.0
    for i in range(loop.shape[0]):
        into_face(axes, corners[loop[i]], corner)
        into_face(axes, corners[loop[(i + 1) % loop.shape[0]]], after)
        x, y = after[0] - corner[0], after[1] - corner[1]
        slack = beyond * (x * x + y * y)
        start = x * (p[1] - corner[1]) - y * (p[0] - corner[0]) + slack
        stop = x * (q[1] - corner[1]) - y * (q[0] - corner[0]) + slack
        if start < 0.0 and stop < 0.0:
            return 1.0, 0.0
        if start < 0.0:
            low = max(low, start / (start - stop))
        elif stop < 0.0:
            high = min(high, start / (start - stop))
    return low, high


@kernel(
    "int64(float64[:, ::1], int64[:, ::1], int64, int64, boolean, int64, float64[::1], float64[::1], float64, float64,"
    "float64)",
    inner=True,
)
def put_rod(
    points_out, marks_out, count, pair,
    first, turning,  # whether the polytope is A; how its normal turns if it is
    normal, core,  # (3,) unit from the polytope, (3,) core of the rod
    height,  # of the core above the surface of the polytope, m
    radius, limit,  # m
):  # fmt: skip
    """One contact of a rod with a polytope, if the gap is below the limit.

    Writes:  points_out, marks_out
    Returns: the number of points
    """
    if height - radius >= limit:
        return count
    nx, ny, nz, x, y, z = normal[0], normal[1], normal[2], core[0], core[1], core[2]
    sx, sy, sz = x - height * nx, y - height * ny, z - height * nz
    if first:
        return put(points_out, marks_out, count, pair, turning, nx, ny, nz, sx, sy, sz, x, y, z, 0.0, radius)
    turning = NORMAL_OF_B if turning == NORMAL_OF_A else turning
    return put(points_out, marks_out, count, pair, turning, -nx, -ny, -nz, x, y, z, sx, sy, sz, radius, 0.0)


@kernel("void(float64[::1], float64[::1], float64, float64[:, ::1])", inner=True)
def rod_ends(
    centre, frame,  # (3,), (9,)
    half,  # m
    ends_out,  # (2, 3)
):  # fmt: skip
    """Ends of the axis of a rod.

    Writes:  ends_out
    """
    for k in range(3):
        ends_out[0, k] = centre[k] - half * frame[3 * k + 2]
        ends_out[1, k] = centre[k] + half * frame[3 * k + 2]


@kernel(
    "int64(int64[:, ::1], int64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], int64[:, ::1],"
    "float64[:, ::1], float64[:, ::1], int64[::1], int64[::1], int64, float64[:, ::1], int64[:, ::1])",
    allocates=True,
)
def collide_rods(
    pairs, kind, size, centre, frame, band,  # as in `collide_round`; route of pairs done here is cleared
    span, corners, planes, loop_start, loops,  # as in `collide_hulls`
    found, points_out, marks_out,
):  # fmt: skip
    """Contacts of rods with polytopes: two over a face, one at an edge or corner. Cylinders only with their sides.

    Writes:  points_out, marks_out, pairs
    Returns: the number of points
    """
    count = found
    simplex, index, witness, axes = matrix(6, 3), np.empty((5, 2), np.int64), matrix(2, 3), matrix(4, 3)
    normal, local, both, places, core = vector(3), vector(3), matrix(2, 3), matrix(2, 3), vector(3)
    for p in range(pairs.shape[0]):
        if pairs[p, 2] != POLYTOPES or kind[pairs[p, 0]] > CYLINDER and kind[pairs[p, 1]] > CYLINDER:
            continue
        first = kind[pairs[p, 1]] < kind[pairs[p, 0]]
        g, rod = (pairs[p, 0], pairs[p, 1]) if first else (pairs[p, 1], pairs[p, 0])
        if kind[g] == kind[rod]:
            continue
        limit, radius = band[g] + band[rod], size[rod, 0]
        rod_ends(centre[rod], frame[rod], size[rod, 1], both)
        ends, own = both[: 1 if size[rod, 1] == 0.0 else 2], corners[span[g, 0] : span[g, 1]]
        for k in range(3):
            normal[k] = centre[rod, k] - centre[g, k]
        outcome = nearest_direction(own, ends, limit + radius, simplex, index, normal, witness)
        lean = normal[0] * frame[rod, 2] + normal[1] * frame[rod, 5] + normal[2] * frame[rod, 8]
        if kind[rod] == CYLINDER and (outcome == OVERLAP or (outcome != APART and abs(lean) > SIDE)):
            continue
        if kind[rod] == CYLINDER and outcome != APART:
            # a side that overlaps by more than its length left to the cap is pushed out along the axis sooner
            deep, place = radius, 0.0
            for k in range(3):
                deep -= normal[k] * (witness[1, k] - witness[0, k])
                place += frame[rod, 3 * k + 2] * (witness[1, k] - centre[rod, k])
            if deep > size[rod, 1] - abs(place):
                continue
        pairs[p, 2] = NO_ROUTE
        if outcome == APART:
            continue
        least = -1e300 if outcome == OVERLAP else 1.0 - FLAT
        face, _ = best_face(planes[span[g, 2] : span[g, 3]], centre[g], frame[g], ends, normal, least, local)
        low, high = 1.0, 0.0
        if face >= 0:
            f = span[g, 2] + face
            loop = loops[loop_start[f] : loop_start[f + 1]]
            local[0], local[1], local[2] = times(frame[g], planes[f, :3])
            face_axes(local, own[loop[0]], own[loop[1]], axes)
            low, high = clip_rod(own, loop, axes, ends, 0.0, places)
        if low > high and outcome == OVERLAP:
            low, high = 0.0, 1.0
        if low > high:
            height = 0.0
            for k in range(3):
                height += normal[k] * (witness[1, k] - witness[0, k])
            turning = CENTRE_LINE if index[4, 0] == 1 and kind[rod] != CYLINDER else WORLD_NORMAL
            count = put_rod(points_out, marks_out, count, p, first, turning, normal, witness[1], height, radius, limit)
            continue
        for end in range(ends.shape[0]):
            share = low if end == 0 else high
            for k in range(3):
                core[k] = both[0, k] + share * (both[1, k] - both[0, k])
            height = places[0, 2] + share * (places[1, 2] - places[0, 2])
            count = put_rod(points_out, marks_out, count, p, first, NORMAL_OF_A, local, core, height, radius, limit)
    return count
