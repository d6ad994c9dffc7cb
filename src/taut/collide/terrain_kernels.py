"""Everything against a heightfield: each triangle of the terrain is a face that looks up, with solid ground below.

Bodies touch the triangles they are over: polytopes with their lowest face clipped to the triangle, round bodies with
the part of their axis over it, and with the nearest points of convex ridges beside it. What is under the terrain,
however deep, is pushed out of the triangle above it. A ball deep in the ground also minds slopes that it is not over
yet, as on a valley's other side.
"""

from __future__ import annotations

import numpy as np

from taut.collide.choice_kernels import keep_four
from taut.collide.contacts import WORLD_NORMAL
from taut.collide.face_kernels import clip_loop, facing_face, into_face
from taut.collide.gjk_kernels import NEAR, nearest_direction
from taut.collide.ground_kernels import cells_along, is_summit, place_triangle, rise_over
from taut.collide.kinds import CYLINDER, HEIGHTFIELD, SPHERE, TERRAIN
from taut.collide.plane_kernels import LYING
from taut.collide.point_kernels import put
from taut.collide.rod_kernels import clip_rod
from taut.kernel import kernel
from taut.spatial_kernels import times
from taut.table_types import matrix, vector

SAME_POINT = 1e-9
"""Distance in m below which points of two triangles are one point of their common edge."""

ROUNDED = 1e-12
"""Share of the length of an edge by which a point may be beyond it: one between two triangles must not be over neither.
"""

SAME_PLACE = 1e-6
"""Share of the radius of a round body within which points of a ridge are one."""

DEEP = 0.5
"""Share of its radius: a ball whose centre is less above the terrain is deep in it."""

PLACES = 64
"""Places that are kept before they are reduced to four."""


@kernel("float64(int64, float64[::1], float64[::1], float64[::1], float64[:, ::1], float64[:, ::1])", inner=True)
def rod_over(
    kind, size, centre, frame,  # of a round geom
    axes,  # (4, 3) of a triangle
    ends_out,  # (2, 3) world
):  # fmt: skip
    """The segment of a round geom that touches a plane: its axis, shifted for a leaning cylinder; see `cylinder_cores`.

    Writes:  ends_out
    Returns: the radius around the segment, m; 0 for a cylinder that stands
    """
    cosine = axes[2, 0] * frame[2] + axes[2, 1] * frame[5] + axes[2, 2] * frame[8]
    radius, shift = size[0], 0.0
    if kind == CYLINDER:
        sine = np.sqrt(max(1.0 - cosine * cosine, 0.0))
        if sine <= LYING:
            return 0.0
        radius, shift = size[0] / sine, size[0] / sine * cosine
    for k in range(3):
        ends_out[0, k] = centre[k] + (shift - size[1]) * frame[3 * k + 2]
        ends_out[1, k] = centre[k] + (shift + size[1]) * frame[3 * k + 2]
    return radius


@kernel(
    "int64(float64[:, ::1], int64, float64[::1], float64[:, ::1], float64[::1], float64, float64, float64, float64,"
    "float64, int64[::1])",
    inner=True,
)
def note_place(
    places_out, count,  # (PLACES, 10) place along the terrain, gap, normal, point on the ground, radius
    ground,  # (9,) rotation of the heightfield
    axes,  # (4, 3) of the triangle
    facing,  # (3,) against the normal of the geom's face, or zeros for a round geom
    u, v, height, radius,  # place of a core over the triangle, m
    size,  # m, as in `keep_four`
    chosen,  # scratch (4,)
):  # fmt: skip
    """Note a core over a triangle; where there are too many, only the best four stay.

    The same point of two triangles is on the edge between them: its normal is that of the geom's face if that is
    between theirs, as of a box on a ridge, else their mean.

    Writes:  places_out, chosen
    Returns: the number of places
    """
    x = axes[3, 0] + u * axes[0, 0] + v * axes[1, 0]
    y = axes[3, 1] + u * axes[0, 1] + v * axes[1, 1]
    z = axes[3, 2] + u * axes[0, 2] + v * axes[1, 2]
    for i in range(count):
        row = places_out[i]
        if abs(row[6] - x) + abs(row[7] - y) + abs(row[8] - z) <= SAME_POINT and row[9] == radius:
            nx, ny, nz = facing[0], facing[1], facing[2]
            between = row[3] * axes[2, 0] + row[4] * axes[2, 1] + row[5] * axes[2, 2] - 1e-9
            own, other = nx * row[3] + ny * row[4] + nz * row[5], nx * axes[2, 0] + ny * axes[2, 1] + nz * axes[2, 2]
            if own < between or other < between:
                nx, ny, nz = row[3] + axes[2, 0], row[4] + axes[2, 1], row[5] + axes[2, 2]
            scale = 1.0 / np.sqrt(nx * nx + ny * ny + nz * nz)
            row[3], row[4], row[5] = nx * scale, ny * scale, nz * scale
            row[2] = min(row[2], height - radius)
            return count
    if count == PLACES:
        count = keep_four(places_out, count, size, chosen)
        for i in range(count):
            for k in range(10):
                places_out[i, k] = places_out[chosen[i], k]
    row = places_out[count]
    row[3], row[4], row[5] = axes[2, 0], axes[2, 1], axes[2, 2]
    row[6], row[7], row[8] = x, y, z
    row[0] = ground[0] * row[6] + ground[3] * row[7] + ground[6] * row[8]
    row[1] = ground[1] * row[6] + ground[4] * row[7] + ground[7] * row[8]
    row[2], row[9] = height - radius, radius
    return count + 1


@kernel(
    "int64(int64, float64[::1], float64[::1], float64[::1], float64[:, ::1], float64[:, ::1], int64[::1], int64[::1],"
    "int64[::1], float64[:, ::1], float64[:, ::1], float64[::1], float64, float64[:, ::1], int64, float64[:, :, ::1],"
    "int64[::1])",
    inner=True,
)
def touch_triangle(
    kind, size, centre, frame,  # of a geom
    corners, planes, starts, loops,  # of its polytope, if it is one
    loop, triangle, axes,  # 0, 1, 2; as of `place_triangle`
    ground,  # (9,) rotation of the heightfield
    limit,  # m
    places_out, count,  # as in `note_place`
    work,  # scratch (4, >= corners of two faces, 3)
    chosen,  # scratch (4,)
):  # fmt: skip
    """Note where a geom is over a triangle and nearer than the limit.

    Writes:  places_out, work, chosen
    Returns: the number of places
    """
    radius, polygon, extent_sum = 0.0, work[0], size[0] + size[1] + size[2]
    if kind <= CYLINDER:
        ends = work[1, :2]
        radius = rod_over(kind, size, centre, frame, axes, ends)
    local = work[3, 0]
    local[0] = local[1] = local[2] = 0.0
    if radius > 0.0:
        used = work[1, : 1 if size[1] == 0.0 else 2]
        low, high = clip_rod(triangle, loop, axes, used, ROUNDED, work[2, :2])
        if low <= high:
            p, q = work[2, 0], work[2, 1]
            for end in range(used.shape[0]):
                share = low if end == 0 else high
                u, v, height = p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1]), p[2] + share * (q[2] - p[2])
                if height - radius < limit:
                    count = note_place(places_out, count, ground, axes, local, u, v, height, radius, extent_sum, chosen)
        return count
    x, y, z = -axes[2, 0], -axes[2, 1], -axes[2, 2]
    face = facing_face(planes, starts, loops, frame, corners, x, y, z)
    x, y, z = times(frame, planes[face, :3])
    local[0], local[1], local[2] = -x, -y, -z
    found = clip_loop(triangle, loop, corners, loops[starts[face] : starts[face + 1]], axes, work[2], polygon, work[1])
    for i in range(found):
        if polygon[i, 2] < limit:
            u, v, height = polygon[i, 0], polygon[i, 1], polygon[i, 2]
            count = note_place(places_out, count, ground, axes, local, u, v, height, 0.0, extent_sum, chosen)
    return count


@kernel(
    "int64(float64[:, ::1], int64[:, ::1], int64, int64, boolean, float64[:, ::1], int64, float64, int64[::1])",
    inner=True,
)
def put_places(
    points_out, marks_out, count, pair,
    first,  # whether the terrain, which never moves, is A
    places, found,  # as of `note_place`
    size, chosen,  # m, as in `keep_four`; scratch (4,)
):  # fmt: skip
    """Contacts with a heightfield: the places noted, reduced to four.

    Writes:  points_out, marks_out, chosen
    Returns: the number of points
    """
    for i in range(keep_four(places, found, size, chosen)):
        row = places[chosen[i]]
        radius, height, side = row[9], row[2] + row[9], 1.0 if first else -1.0
        nx, ny, nz, x, y, z = side * row[3], side * row[4], side * row[5], row[6], row[7], row[8]
        bx, by, bz = x + height * row[3], y + height * row[4], z + height * row[5]
        ra, rb = 0.0, radius
        if not first:
            x, y, z, bx, by, bz, ra, rb = bx, by, bz, x, y, z, radius, 0.0
        count = put(points_out, marks_out, count, pair, WORLD_NORMAL, nx, ny, nz, x, y, z, bx, by, bz, ra, rb)
    return count


@kernel(
    "int64(float64[:, ::1], int64, float64[::1], int64, int64, float64[::1], float64[::1], float64[::1],"
    "float64[:, ::1], float64[:, ::1], float64[::1], float64, float64, float64[:, ::1])",
    inner=True,
    allocates=True,
)
def note_ridge(
    places_out, found,  # as in `note_place`
    heights, rows, columns, ground_centre, ground_frame, ground_size,  # of the heightfield
    triangle, axes,  # as of `place_triangle`
    middle,  # (3,) of the round geom
    radius, limit,  # m
    ends,  # (1 or 2, 3) of its axis
):  # fmt: skip
    """Note the point of a triangle that is nearest a round geom, if it is on a convex ridge or peak.

    Writes:  places_out
    Returns: the number of places
    """
    simplex, index, witness, toward = matrix(6, 3), np.empty((5, 2), np.int64), matrix(2, 3), vector(3)
    for k in range(3):
        toward[k] = middle[k] - triangle[0, k]
    if found == PLACES or nearest_direction(triangle, ends, limit + radius, simplex, index, toward, witness) != NEAR:
        return found
    point, height, rise = witness[0], 0.0, 0.0
    for k in range(3):
        height += toward[k] * (witness[1, k] - point[k])
        rise += toward[k] * axes[2, k]
    # within the triangle it is noted as what is straight over it
    if rise <= 0.0 or rise > 1.0 - 1e-9 or height - radius >= limit:
        return found
    if not is_summit(heights, rows, columns, ground_centre, ground_frame, ground_size, point, toward):
        return found
    for i in range(found):
        row = places_out[i]
        if abs(row[6] - point[0]) + abs(row[7] - point[1]) + abs(row[8] - point[2]) <= SAME_PLACE * radius:
            return found
    row = places_out[found]
    for k in range(3):
        row[3 + k], row[6 + k] = toward[k], point[k]
    for k in range(2):
        row[k] = ground_frame[k] * point[0] + ground_frame[3 + k] * point[1] + ground_frame[6 + k] * point[2]
    row[2], row[9] = height - radius, radius
    return found + 1


@kernel(
    "int64(float64[:, ::1], int64, float64[::1], int64, int64, float64[::1], float64[::1], float64[::1], float64)",
    inner=True,
)
def drop_hidden(
    places_out, found,  # as of `note_place`
    heights, rows, columns, centre, frame, size,  # of the heightfield
    limit,  # m
):  # fmt: skip
    """Drop places deep below a triangle that are not as deep in the ground: on the other side of a sharp ridge.

    What is straight under a triangle is no deeper along its normal than straight down.

    Writes:  places_out
    Returns: the number of places
    """
    kept = 0
    for i in range(found):
        row = places_out[i]
        height = row[2] + row[9]
        if height < -limit:
            x, y, z = row[6] + height * row[3], row[7] + height * row[4], row[8] + height * row[5]
            if height + limit < min(rise_over(heights, rows, columns, centre, frame, size, x, y, z)[0], 0.0):
                continue
        for k in range(10):
            places_out[kept, k] = row[k]
        kept += 1
    return kept


@kernel(
    "int64(int64, float64[::1], float64[::1], float64[::1], float64[:, ::1], float64[::1], int64, int64, float64[::1],"
    "float64[::1], float64[::1], int64[::1], float64, float64[:, ::1], int64, float64[:, :, ::1], int64[::1])",
    inner=True,
)
def note_ends(
    kind, size, centre, frame, corners,  # of a geom
    heights, rows, columns, ground_centre, ground_frame, ground_size,  # of the heightfield
    cells,  # (4,) first column, columns, first row, rows whose slopes count
    limit,  # m
    places_out, found,  # as in `note_place`
    work,  # scratch (4, >= 4, 3)
    chosen,  # as in `note_place`
):  # fmt: skip
    """Note the corners, or ends of the axis, of a geom under the terrain, and before slopes that it is not over.

    Under the terrain, where nothing is noted yet, the triangle above counts. The plane of any other triangle counts
    where it runs under the ground: there it holds nothing back that the ground does not.

    Writes:  places_out, work, chosen
    Returns: the number of places
    """
    cores, axes, none, place, radius, count = corners, work[1, :4], work[2, 0], work[2, 1], 0.0, found
    none[0] = none[1] = none[2] = 0.0
    if kind < CYLINDER:
        radius = rod_over(kind, size, centre, frame, axes, work[0, :2])
        cores = work[0, : 1 if size[1] == 0.0 else 2]
    ends, extent_sum = cores.shape[0], size[0] + size[1] + size[2]
    for turn in range(ends + 2 * cells[1] * cells[3]):
        cell, first, last, level = turn - ends, 0, ends, 0.0
        row, column = cells[2] + cell // 2 // max(cells[1], 1), cells[0] + cell // 2 % max(cells[1], 1)
        if turn < ends:
            x, y, z = cores[turn, 0], cores[turn, 1], cores[turn, 2]
            level, cell = rise_over(heights, rows, columns, ground_centre, ground_frame, ground_size, x, y, z)
            first, last, row, column = turn, turn + 1, cell // 2 // (columns - 1), cell // 2 % (columns - 1)
            if found > 0 or level >= 0.0:
                continue
        place_triangle(
            heights, rows, columns, ground_centre, ground_frame, ground_size, row, column, cell % 2, work[3, :3], axes
        )
        into_face(axes, centre, place)
        if place[2] - extent_sum >= limit:
            continue
        for i in range(first, last):
            into_face(axes, cores[i], place)
            if turn >= ends:
                x = axes[3, 0] + place[0] * axes[0, 0] + place[1] * axes[1, 0]
                y = axes[3, 1] + place[0] * axes[0, 1] + place[1] * axes[1, 1]
                z = axes[3, 2] + place[0] * axes[0, 2] + place[1] * axes[1, 2]
                level, _ = rise_over(heights, rows, columns, ground_centre, ground_frame, ground_size, x, y, z)
            if place[2] - radius < limit and level < -SAME_POINT:
                count = note_place(
                    places_out, count, ground_frame, axes, none, place[0], place[1], place[2], radius, extent_sum,
                    chosen,
                )  # fmt: skip
    return count


@kernel(
    "int64(int64[:, ::1], int64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], int64[:, ::1],"
    "float64[::1], int64[:, ::1], float64[:, ::1], float64[:, ::1], int64[::1], int64[::1], int64, float64[:, ::1],"
    "int64[:, ::1], int64)",
    allocates=True,
)
def collide_terrain(
    pairs, kind, size, centre, frame, band,  # as in `collide_round`
    grid, heights,  # as of `tabulate_heights`
    span, corners, planes, loop_start, loops,  # as in `collide_hulls`
    found, points_out, marks_out,
    most_corners,  # of a polytope
):  # fmt: skip
    """Contacts of all pairs of a heightfield and another geom.

    Writes:  points_out, marks_out
    Returns: the number of points
    """
    count = found
    triangle, axes, loop, chosen = matrix(3, 3), matrix(4, 3), np.arange(3), np.empty(4, np.int64)
    places, work, ends = np.empty((PLACES, 10)), np.empty((4, 2 * most_corners + 8, 3)), matrix(2, 3)
    cells = np.empty(4, np.int64)
    for p in range(pairs.shape[0]):
        if pairs[p, 2] != TERRAIN:
            continue
        first = kind[pairs[p, 0]] == HEIGHTFIELD
        h, g = (pairs[p, 0], pairs[p, 1]) if first else (pairs[p, 1], pairs[p, 0])
        limit, rows, columns = band[h] + band[g], grid[h, 1], grid[h, 2]
        field = heights[grid[h, 0] : grid[h, 0] + rows * columns]
        own, faces = corners[span[g, 0] : span[g, 1]], planes[span[g, 2] : span[g, 3]]
        starts, where = loop_start[span[g, 2] : span[g, 3] + 1], (centre[g], frame[g], size[g])
        left, right = cells_along(0, centre[h], frame[h], size[h, 0], columns, kind[g], *where, limit)
        low, high = cells_along(1, centre[h], frame[h], size[h, 1], rows, kind[g], *where, limit)
        noted, ground = 0, (field, rows, columns, centre[h], frame[h], size[h])
        rise, _ = rise_over(*ground, centre[g, 0], centre[g, 1], centre[g, 2])
        for attempt in range(2):
            # first what is straight over a triangle; a round body may touch ridges beside it
            if attempt == 1 and (kind[g] > CYLINDER or rise < 0.0):
                break
            for cell in range((high - low + 1) * (right - left + 1) * 2 if high >= low and right >= left else 0):
                row, column = low + cell // (2 * (right - left + 1)), left + cell // 2 % (right - left + 1)
                place_triangle(*ground, row, column, cell % 2, triangle, axes)
                if attempt == 0:
                    noted = touch_triangle(
                        kind[g], size[g], centre[g], frame[g], own, faces, starts, loops, loop, triangle, axes,
                        frame[h], limit, places, noted, work, chosen,
                    )  # fmt: skip
                else:
                    radius = rod_over(kind[g], size[g], centre[g], frame[g], axes, ends)
                    if radius > 0.0:
                        used = ends[: 1 if size[g, 1] == 0.0 else 2]
                        noted = note_ridge(places, noted, *ground, triangle, axes, centre[g], radius, limit, used)
            if attempt == 0:
                noted = drop_hidden(places, noted, *ground, limit)
        extent_sum = size[g, 0] + size[g, 1] + size[g, 2]
        slopes = kind[g] == SPHERE and high >= low and right >= left and rise < DEEP * size[g, 0]
        cells[0], cells[1], cells[2], cells[3] = left, right - left + 1 if slopes else 0, low, high - low + 1
        if noted == 0 or slopes:
            noted = note_ends(kind[g], size[g], *where[:2], own, *ground, cells, limit, places, noted, work, chosen)
        count = put_places(points_out, marks_out, count, p, first, places, noted, extent_sum, chosen)
    return count
