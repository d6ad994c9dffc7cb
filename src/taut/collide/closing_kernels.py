"""Where else two polytopes may close within a step: corners over faces and edges over edges beside the first contact.

Seen along the normal n of that contact, the gap between the two surfaces is a convex function, linear where a face of
one is over a face of the other. It grows or shrinks fastest at the corners of these pieces: where a corner of one is
over a face of the other, or two edges cross. A contact at a single one of them is a hinge about which all others close
unforeseen.
"""

from __future__ import annotations

import numpy as np

from taut.collide.contacts import NORMAL_OF_A, NORMAL_OF_B, WORLD_NORMAL
from taut.collide.gjk_kernels import farthest
from taut.collide.point_kernels import put
from taut.kernel import kernel
from taut.spatial_kernels import times

STEEP = 0.5
"""Cosine between the normals of the first contact and of another below which the other is left out."""

CROSSED = 0.1
"""Sine of the angle between two edges below which their corners say it all."""

SPREAD, NARROW = 0.05, 0.15
"""Shares of the least thickness: distance that added points keep, and extent below which a manifold is one point."""

CANDIDATES = 64
"""Places that are looked at a pair."""


@kernel("Tuple((int64, float64))(float64[:, ::1], float64[::1], float64[::1])", inner=True)
def face_ahead(
    planes,  # (f, 4) of a polytope
    place, way,  # (3,), (3,) own axes, m
):  # fmt: skip
    """The face where a line enters a convex polytope.

    Returns: the face, or -1 where the line passes by or all but touches, and the height of the place above the face, m
    """
    enter, leave, face, height = -1e300, 1e300, -1, 0.0
    for f in range(planes.shape[0]):
        plane = planes[f]
        along = plane[0] * way[0] + plane[1] * way[1] + plane[2] * way[2]
        above = plane[0] * place[0] + plane[1] * place[1] + plane[2] * place[2] - plane[3]
        if along < -1e-9 and above > -along * enter:
            enter, face, height = above / -along, f if along < -STEEP else -1, above
        elif along > 1e-9 and -above < along * leave:
            leave = -above / along
        elif abs(along) <= 1e-9 and above > 0.0:
            return -1, 0.0
    return (face, height) if enter <= leave else (-1, 0.0)


@kernel(
    "int64(float64[:, ::1], int64, float64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[::1],"
    "boolean, float64, float64, float64[:, ::1])",
    inner=True,
)
def note_corners(
    rows_out, count,  # (CANDIDATES, 11) normal, core of A, core of B, world; gap; turning
    corners,  # (v, 3) of one polytope, world, m
    planes, centre, frame,  # of the other
    way,  # (3,) unit, toward the other
    first,  # whether the other is A
    level, limit,  # m; only corners farther along than the level are looked at
    local,  # scratch (2, 3)
):  # fmt: skip
    """Note corners of one polytope that are over faces of the other.

    Writes:  rows_out, local
    Returns: the number of rows
    """
    sign = 1.0 if first else -1.0
    for k in range(3):
        local[1, k] = frame[k] * way[0] + frame[3 + k] * way[1] + frame[6 + k] * way[2]
    for i in range(corners.shape[0]):
        c = corners[i]
        if c[0] * way[0] + c[1] * way[1] + c[2] * way[2] <= level or count == rows_out.shape[0]:
            continue
        x, y, z = c[0] - centre[0], c[1] - centre[1], c[2] - centre[2]
        for k in range(3):
            local[0, k] = frame[k] * x + frame[3 + k] * y + frame[6 + k] * z
        face, gap = face_ahead(planes, local[0], local[1])
        if face < 0 or gap >= limit:
            continue
        normal, row = times(frame, planes[face, :3]), rows_out[count]
        for k in range(3):
            row[k] = sign * normal[k]
            below = c[k] - gap * normal[k]
            row[3 + k], row[6 + k] = (below, c[k]) if first else (c[k], below)
        row[9], row[10] = gap, NORMAL_OF_A if first else NORMAL_OF_B
        count += 1
    return count


@kernel(
    "int64(float64[:, ::1], int64, float64[:, ::1], int64, float64[:, ::1], int64, float64[::1], float64, float64,"
    "float64)",
    inner=True,
)
def note_crossings(
    rows_out, count,  # as in `note_corners`
    edges_a, count_a, edges_b, count_b,  # (.., 13) as of `nearby_edges`
    way,  # (3,) unit, from A to B
    level_a, level_b, limit,  # m; how far along A's edges must reach at least and B's at most
):  # fmt: skip
    """Note where an edge of A and one of B cross, seen along the way.

    Writes:  rows_out
    Returns: the number of rows
    """
    x, y, z = way[0], way[1], way[2]
    for i in range(count_a):
        u = edges_a[i]
        if u[9] * x + u[10] * y + u[11] * z + u[12] * abs(u[0] * x + u[1] * y + u[2] * z) <= level_a:
            continue
        for j in range(count_b):
            v = edges_b[j]
            nx, ny, nz = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
            rise, length = nx * x + ny * y + nz * z, np.sqrt(nx * nx + ny * ny + nz * nz)
            if length < CROSSED or abs(rise) < STEEP * length or count == rows_out.shape[0]:
                continue
            if v[9] * x + v[10] * y + v[11] * z - v[12] * abs(v[0] * x + v[1] * y + v[2] * z) >= level_b:
                continue
            # p + s u and q + t v meet, seen along the way: s = (q - p) x v . n / (u x v . n), t with u for v
            ox, oy, oz = v[9] - u[9], v[10] - u[10], v[11] - u[11]
            cx, cy, cz = oy * z - oz * y, oz * x - ox * z, ox * y - oy * x
            s = -(cx * v[0] + cy * v[1] + cz * v[2]) / rise
            t = -(cx * u[0] + cy * u[1] + cz * u[2]) / rise
            scale = 1.0 / length if rise > 0.0 else -1.0 / length
            gap = scale * (nx * ox + ny * oy + nz * oz)
            if abs(s) > u[12] or abs(t) > v[12] or gap >= limit:
                continue
            row = rows_out[count]
            row[0], row[1], row[2] = scale * nx, scale * ny, scale * nz
            for k in range(3):
                row[3 + k], row[6 + k] = u[9 + k] + s * u[k], v[9 + k] + t * v[k]
            row[9], row[10] = gap, WORLD_NORMAL
            count += 1
    return count


@kernel("float64(float64[:, ::1], int64, int64, float64[::1])", inner=True)
def nearest_of(
    points, start, stop,  # as `put` wrote them
    row,  # (>= 9,) likewise
):  # fmt: skip
    """Distance between a point and the nearest of others, m."""
    nearest = 1e300
    for i in range(start, stop):
        p, square = points[i], 0.0
        for k in range(3, 6):
            square += 0.25 * (row[k] + row[3 + k] - p[k] - p[3 + k]) ** 2
        nearest = min(nearest, square)
    return np.sqrt(nearest)


@kernel("int64(float64[:, ::1], int64[:, ::1], int64, int64, float64)", inner=True)
def deepest_first(
    points_out, marks_out, start, count,  # points from `start` on are those of a pair
    narrow,  # m
):  # fmt: skip
    """Put the deepest point of a pair first, and drop the others if none is farther from it than `narrow`.

    Writes:  points_out, marks_out
    Returns: the number of points
    """
    depth = 1e300
    for i in range(start, count):
        p, q = points_out[i], points_out[start]
        gap = p[0] * (p[6] - p[3]) + p[1] * (p[7] - p[4]) + p[2] * (p[8] - p[5])
        if gap < depth:
            depth = gap
            for k in range(11):
                p[k], q[k] = q[k], p[k]
            marks_out[i, 1], marks_out[start, 1] = marks_out[start, 1], marks_out[i, 1]
    for i in range(start + 1, count):
        if nearest_of(points_out, start, start + 1, points_out[i]) > narrow:
            return count
    return start + 1


@kernel(
    "int64(float64[:, ::1], int64[:, ::1], int64, int64, int64, float64[:, ::1], int64, float64, float64)", inner=True
)
def put_spread(
    points_out, marks_out, start, count, pair,  # points from `start` on are those of this pair, the deepest first
    rows, found,  # as of `note_corners`
    slope,  # angle by which the bodies may turn about a point
    least,  # m: distance between points
):  # fmt: skip
    """Add the places that such a turn about the points so far would close most, until there are four.

    Where there are four already, one that is farther from all than they are from the deepest replaces the nearest to
    that.

    Writes:  points_out, marks_out
    Returns: the number of points
    """
    p = points_out[start]
    depth = p[0] * (p[6] - p[3]) + p[1] * (p[7] - p[4]) + p[2] * (p[8] - p[5])
    full, closest, spare = count == start + 4, 1e300, count
    for i in range(start + 1, count if full else 0):
        distance = nearest_of(points_out, start, start + 1, points_out[i])
        least = max(least, distance)
        if distance < closest:
            closest, spare = distance, i
    while count < start + 4 or full:
        best, record = -1, 0.0
        for j in range(found):
            nearest = nearest_of(points_out, start, count, rows[j])
            closing = slope * nearest - rows[j, 9] + depth
            if closing > record and nearest > least:
                best, record = j, closing
        if best < 0:
            break
        row = rows[best]
        after = put(
            points_out, marks_out, spare if full else count, pair, int(row[10]), row[0], row[1], row[2], row[3], row[4],
            row[5], row[6], row[7], row[8], 0.0, 0.0,
        )  # fmt: skip
        if full:
            break
        count = after
    return count


@kernel(
    "int64(float64[:, ::1], int64[:, ::1], int64, int64, int64, float64[:, ::1], float64[:, ::1], float64[:, ::1],"
    "float64[:, ::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[:, :, ::1], int64, int64,"
    "float64, float64, float64[:, ::1], float64[:, ::1])",
    inner=True,
)
def add_closing(
    points_out, marks_out, start, count, pair,  # points from `start` on are those of this pair
    corners_a, corners_b, planes_a, planes_b, centre_a, centre_b, frame_a, frame_b,  # of the two polytopes
    vectors, count_a, count_b,  # (2, .., 13) their edges, as of `nearby_edges`
    limit, thin,  # m
    rows, way,  # scratch (CANDIDATES, 11), (4, 3)
):  # fmt: skip
    """Add points where A and B may close as well.

    Writes:  points_out, marks_out, rows, way
    Returns: the number of points
    """
    count = deepest_first(points_out, marks_out, start, count, NARROW * thin)
    for k in range(3):
        way[0, k], way[1, k] = points_out[start, k], -points_out[start, k]
    level_a, level_b = -farthest(corners_b, way[1]) - limit, -farthest(corners_a, way[0]) - limit
    found = note_corners(rows, 0, corners_a, planes_b, centre_b, frame_b, way[0], False, level_a, limit, way[2:])
    found = note_corners(rows, found, corners_b, planes_a, centre_a, frame_a, way[1], True, level_b, limit, way[2:])
    found = note_crossings(rows, found, vectors[0], count_a, vectors[1], count_b, way[0], level_a, -level_b, limit)
    return put_spread(points_out, marks_out, start, count, pair, rows, found, limit / thin, SPREAD * thin)
