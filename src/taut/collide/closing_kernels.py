"""Where else two polytopes may close within a step: corners over faces and edges over edges beside the first contact.

Seen along the normal n of that contact, the gap between the two surfaces is a convex function, linear where a face of
one is over a face of the other. It grows or shrinks fastest at the corners of these pieces: where a corner of one is
over a face of the other, or two edges cross. A contact at a single one of them is a hinge about which all others close
unforeseen.
"""

from __future__ import annotations

import numpy as np

from taut.collide.contacts import NORMAL_OF_A, NORMAL_OF_B, WORLD_NORMAL
from taut.collide.face_kernels import LANES
from taut.collide.gjk_kernels import farthest
from taut.collide.point_kernels import put
from taut.collide.polytopes import HullScratch, PolytopeTable
from taut.collide.table import NearTable
from taut.kernel import kernel
from taut.spatial_kernels import times
from taut.table_types import vector
from taut.tables import RealRows, WholeRows

STEEP = 0.5
"""Cosine between the normals of the first contact and of another below which the other is left out."""

CROSSED = 0.1
"""Sine of the angle between two edges below which their corners say it all."""

SPREAD, NARROW = 0.05, 0.15
"""Shares of the least thickness: distance that added points keep, and extent below which a manifold is one point."""

WIDER = 1e-9
"""Share by which the tests that save exact ones are wider than these."""


@kernel("boolean(float64[:, ::1], int64, int64, float64[::1], float64[:, ::1])")
def face_the_way(
    faces, start, stop,  # (4, all faces) planes by columns; which are those of a polytope
    way,  # (3,) own axes
    along_out,  # (>= 4, >= f) cosine between the normals and the way, and -1 over it, or 0 where that is nearly 0; what
    #             leaves, added to a time, only those of faces where lines enter, and only those where they leave
):  # fmt: skip
    """How the faces of a polytope look at lines along a way.

    Writes:  along_out
    Returns: whether there are faces along the way
    """
    x, y, z, edgewise = way[0], way[1], way[2], False
    px, py, pz = faces[0, start:stop], faces[1, start:stop], faces[2, start:stop]
    cosine, back = along_out[0, : px.shape[0]], along_out[1, : px.shape[0]]
    entry, exits = along_out[2, : px.shape[0]], along_out[3, : px.shape[0]]
    for f in range(px.shape[0]):
        cosine[f] = px[f] * x + py[f] * y + pz[f] * z
    for f in range(px.shape[0]):
        back[f] = -1.0 / cosine[f] if abs(cosine[f]) > 1e-9 else 0.0
    for f in range(px.shape[0]):
        entry[f] = 0.0 if back[f] > 0.0 else -1e300
        exits[f] = 0.0 if back[f] < 0.0 else 1e300
        edgewise |= back[f] == 0.0
    return edgewise


@kernel("Tuple((int64, float64))(float64[:, ::1], int64, int64, float64[::1], boolean, float64[:, ::1])")
def face_ahead(
    faces, start, stop,  # as in `face_the_way`
    place,  # (3,) own axes, m
    edgewise,  # as of `face_the_way`
    along,  # (5, >= f) as of `face_the_way`; the last row is scratch
):  # fmt: skip
    """The face where a line along the way enters a convex polytope.

    A first look at all faces says which need an exact one: those where the line enters last or may leave before.

    Writes:  along
    Returns: the face, or -1 where the line passes by or all but touches, and the height of the place above the face, m
    """
    x, y, z, last, first = place[0], place[1], place[2], -1e300, 1e300
    px, py, pz, offset = faces[0, start:stop], faces[1, start:stop], faces[2, start:stop], faces[3, start:stop]
    cosine, back, entry = along[0, : px.shape[0]], along[1, : px.shape[0]], along[2, : px.shape[0]]
    exits, meets = along[3, : px.shape[0]], along[4, : px.shape[0]]
    for f in range(px.shape[0]):
        meets[f] = (px[f] * x + py[f] * y + pz[f] * z - offset[f]) * back[f]
    for f in range(px.shape[0]):
        last, first = max(last, meets[f] + entry[f]), min(first, meets[f] + exits[f])
    slack = WIDER * (1.0 + abs(last))
    if last - slack > first:
        return -1, 0.0
    enter, leave, face, height = -1e300, 1e300, -1, 0.0
    for f in range(px.shape[0]):
        if meets[f] + entry[f] < last - slack and meets[f] + exits[f] > last + slack and not edgewise:
            continue
        above = px[f] * x + py[f] * y + pz[f] * z - offset[f]
        if back[f] > 0.0 and above > -cosine[f] * enter:
            enter, face, height = above / -cosine[f], f if cosine[f] < -STEEP else -1, above
        elif back[f] < 0.0 and -above < cosine[f] * leave:
            leave = -above / cosine[f]
        elif back[f] == 0.0 and above > 0.0:
            return -1, 0.0
    return (face, height) if enter <= leave else (-1, 0.0)


@kernel(
    "int64(float64[:, ::1], int64, float64[:, ::1], float64[:, ::1], int64, int64, float64[::1], float64[::1],"
    "float64[::1], boolean, float64, float64, float64[:, ::1])",
    inner=True,
)
def note_corners(
    rows_out, count,  # (CANDIDATES, 12) normal, core of A, core of B, world; gap; turning; scratch
    corners,  # (v, 3) of one polytope, world, m
    faces, start, stop, centre, frame,  # of the other, as in `face_the_way`
    way,  # (3,) unit, toward the other
    first,  # whether the other is A
    level, limit,  # m; only corners farther along than the level are looked at
    along,  # scratch (5, >= f)
):  # fmt: skip
    """Note corners of one polytope that are over faces of the other.

    Writes:  rows_out, along
    Returns: the number of rows
    """
    sign, place, local, normal = 1.0 if first else -1.0, vector(3), vector(3), vector(3)
    for k in range(3):
        local[k] = frame[k] * way[0] + frame[3 + k] * way[1] + frame[6 + k] * way[2]
    edgewise = face_the_way(faces, start, stop, local, along)
    for i in range(corners.shape[0]):
        c = corners[i]
        if c[0] * way[0] + c[1] * way[1] + c[2] * way[2] <= level or count == rows_out.shape[0]:
            continue
        x, y, z = c[0] - centre[0], c[1] - centre[1], c[2] - centre[2]
        for k in range(3):
            place[k] = frame[k] * x + frame[3 + k] * y + frame[6 + k] * z
        face, gap = face_ahead(faces, start, stop, place, edgewise, along)
        if face < 0 or gap >= limit:
            continue
        for k in range(3):
            normal[k] = faces[k, start + face]
        turned, row = times(frame, normal), rows_out[count]
        for k in range(3):
            row[k] = sign * turned[k]
            below = c[k] - gap * turned[k]
            row[3 + k], row[6 + k] = (below, c[k]) if first else (c[k], below)
        row[9], row[10] = gap, NORMAL_OF_A if first else NORMAL_OF_B
        count += 1
    return count


@kernel("boolean(float64[::1], float64[:, ::1], int64, float64[::1], float64, float64, float64[::1])", inner=True)
def put_crossed(
    u,  # (13,) an edge of A
    columns_b, j,  # (13, ..) edges of B, and which
    way, level, limit,  # as in `note_crossings`
    row_out,  # (12,)
):  # fmt: skip
    """Note where two edges cross, seen along the way.

    Writes:  row_out
    Returns: whether they do
    """
    v, x, y, z = vector(13), way[0], way[1], way[2]
    for k in range(13):
        v[k] = columns_b[k, j]
    nx, ny, nz = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
    rise, length = nx * x + ny * y + nz * z, np.sqrt(nx * nx + ny * ny + nz * nz)
    if length < CROSSED or abs(rise) < STEEP * length:
        return False
    if v[9] * x + v[10] * y + v[11] * z - v[12] * abs(v[0] * x + v[1] * y + v[2] * z) >= level:
        return False
    # p + s u and q + t v meet, seen along the way: s = (q - p) x v . n / (u x v . n), t with u for v
    ox, oy, oz = v[9] - u[9], v[10] - u[10], v[11] - u[11]
    cx, cy, cz = oy * z - oz * y, oz * x - ox * z, ox * y - oy * x
    s = -(cx * v[0] + cy * v[1] + cz * v[2]) / rise
    t = -(cx * u[0] + cy * u[1] + cz * u[2]) / rise
    scale = 1.0 / length if rise > 0.0 else -1.0 / length
    gap = scale * (nx * ox + ny * oy + nz * oz)
    if abs(s) > u[12] or abs(t) > v[12] or gap >= limit:
        return False
    row_out[0], row_out[1], row_out[2] = scale * nx, scale * ny, scale * nz
    for k in range(3):
        row_out[3 + k], row_out[6 + k] = u[9 + k] + s * u[k], v[9 + k] + t * v[k]
    row_out[9], row_out[10] = gap, WORLD_NORMAL
    return True


@kernel(
    "int64(float64[:, ::1], int64, float64[:, ::1], int64, float64[:, ::1], int64, float64[::1], float64, float64,"
    "float64)"
)
def note_crossings(
    rows_out, count,  # as in `note_corners`
    columns_a, count_a, columns_b, count_b,  # (13, ..) edges, as of `nearby_edges`
    way,  # (3,) unit, from A to B
    level_a, level_b, limit,  # m; how far along A's edges must reach at least and B's at most
):  # fmt: skip
    """Note where an edge of A and one of B cross, seen along the way.

    Most pairs fail a test without a root or a quotient, many at once, which is a little wider than the exact one.

    Writes:  rows_out
    Returns: the number of rows
    """
    x, y, z, crosses, u = way[0], way[1], way[2], vector(LANES), vector(13)
    for i in range(count_a):
        for k in range(13):
            u[k] = columns_a[k, i]
        ux, uy, uz, px, py, pz, half = u[0], u[1], u[2], u[9], u[10], u[11], u[12]
        if px * x + py * y + pz * z + half * abs(ux * x + uy * y + uz * z) <= level_a:
            continue
        for start in range(0, count_b, LANES):
            stop = min(count_b, start + LANES)
            vx, vy, vz = columns_b[0, start:stop], columns_b[1, start:stop], columns_b[2, start:stop]
            qx, qy, qz = columns_b[9, start:stop], columns_b[10, start:stop], columns_b[11, start:stop]
            halves = columns_b[12, start:stop]
            for j in range(vx.shape[0]):
                nx, ny, nz = uy * vz[j] - uz * vy[j], uz * vx[j] - ux * vz[j], ux * vy[j] - uy * vx[j]
                rise, square = nx * x + ny * y + nz * z, nx * nx + ny * ny + nz * nz
                ox, oy, oz = qx[j] - px, qy[j] - py, qz[j] - pz
                cx, cy, cz = oy * z - oz * y, oz * x - ox * z, ox * y - oy * x
                reach = (1.0 + WIDER) * abs(rise)
                along_a = half * reach - abs(cx * vx[j] + cy * vy[j] + cz * vz[j])
                along_b = halves[j] * reach - abs(cx * ux + cy * uy + cz * uz)
                steep = rise * rise - (1.0 - WIDER) * STEEP * STEEP * square
                crosses[j] = min(min(along_a, along_b), steep)
            for j in range(vx.shape[0]):
                if crosses[j] >= 0.0 and count < rows_out.shape[0]:
                    count += put_crossed(u, columns_b, start + j, way, level_b, limit, rows_out[count])
    return count


@kernel("float64(float64[::1], float64[::1])", inner=True)
def apart2(
    p, q,  # (>= 9,) contact points, as `put` wrote them
):  # fmt: skip
    """Squared distance between two contact points, m^2."""
    square = 0.0
    for k in range(3, 6):
        square += 0.25 * (q[k] + q[3 + k] - p[k] - p[3 + k]) ** 2
    return square


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
        if np.sqrt(apart2(points_out[start], points_out[i])) > narrow:
            return count
    return start + 1


@kernel(
    "int64(float64[:, ::1], int64[:, ::1], int64, int64, int64, float64[:, ::1], int64, float64, float64)", inner=True
)
def put_spread(
    points_out, marks_out, start, count, pair,  # points from `start` on are those of this pair, the deepest first
    rows, found,  # as of `note_corners`; the last column becomes the squared distance from the points
    slope,  # angle by which the bodies may turn about a point
    least,  # m: distance between points
):  # fmt: skip
    """Add the places that such a turn about the points so far would close most, until there are four.

    Where there are four already, one that is farther from all than they are from the deepest replaces the nearest to
    that.

    Writes:  points_out, marks_out, rows
    Returns: the number of points
    """
    p = points_out[start]
    depth = p[0] * (p[6] - p[3]) + p[1] * (p[7] - p[4]) + p[2] * (p[8] - p[5])
    full, closest, spare = count == start + 4, 1e300, count
    for i in range(start + 1, count if full else 0):
        distance = np.sqrt(apart2(p, points_out[i]))
        least = max(least, distance)
        if distance < closest:
            closest, spare = distance, i
    for j in range(found):
        rows[j, 11] = 1e300
        for i in range(start, count):
            rows[j, 11] = min(rows[j, 11], apart2(points_out[i], rows[j]))
    while count < start + 4 or full:
        best, record = -1, 0.0
        for j in range(found):
            nearest = np.sqrt(rows[j, 11])
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
        for j in range(found):
            rows[j, 11] = min(rows[j, 11], apart2(points_out[count], rows[j]))
        count = after
    return count


@kernel(apart=True)
def add_closing(
    t: PolytopeTable, s: HullScratch, n: NearTable, a: int, b: int, limit: float, thin: float, points_out: RealRows,
    marks_out: WholeRows, start: int, found: int, pair: int,
) -> int:  # fmt: skip
    """Add points where A and B may close as well to those of a pair, which are from `start` up to `found`.

    Edges that look at each other are in scratch; `limit` and `thin` in m.

    Writes:  points_out, marks_out, rows, way, along
    Returns: the number of points
    """
    span, rows, way, along = t.span, s.rows, s.way, s.along
    corners_a, corners_b = t.corners[span[a, 0] : span[a, 1]], t.corners[span[b, 0] : span[b, 1]]
    count = deepest_first(points_out, marks_out, start, found, NARROW * thin)
    for k in range(3):
        way[0, k], way[1, k] = points_out[start, k], -points_out[start, k]
    level_a, level_b = -farthest(corners_b, way[1]) - limit, -farthest(corners_a, way[0]) - limit
    noted = note_corners(
        rows, 0, corners_a, t.faces, span[b, 2], span[b, 3], n.centre[b], n.frame[b], way[0], False, level_a, limit,
        along,
    )  # fmt: skip
    noted = note_corners(
        rows, noted, corners_b, t.faces, span[a, 2], span[a, 3], n.centre[a], n.frame[a], way[1], True, level_b, limit,
        along,
    )  # fmt: skip
    noted = note_crossings(
        rows, noted, s.edges[0], s.looking[0], s.edges[1], s.looking[1], way[0], level_a, -level_b, limit
    )
    return put_spread(points_out, marks_out, start, count, pair, rows, noted, limit / thin, SPREAD * thin)
