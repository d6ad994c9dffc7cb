"""Edges and axes of bodies that cross the ridges of ground."""

from __future__ import annotations

import numpy as np

from taut.collide.contacts import WORLD_NORMAL
from taut.collide.edge_kernels import PARALLEL
from taut.collide.facet_kernels import note_core_at_edge, settle, write_place
from taut.collide.gjk_kernels import farthest
from taut.collide.ground_kernels import BEYOND, NORMAL, rise_of
from taut.collide.kinds import CYLINDER
from taut.collide.site import Site
from taut.kernel import kernel
from taut.spatial_kernels import times
from taut.table_types import matrix, vector
from taut.tables import RealRows, Reals

ASIDE = 0.2
"""Sine of the angle by which the normal of two edges may be beyond the normals at a ridge: it is then that of the
triangle. A face that lies on a triangle, and hangs over its ridge, is held there too."""

SAME_SIDE = 0.9
"""Cosine between the normals of crossings with one ridge: those that differ more are of another side of the body."""

DEEP = 0.25
"""Share of the least half extent, beside twice the way of a step, down to which an edge that crosses a ridge is pushed
back: deeper, the body is no longer on the ridge but around it."""


SHALLOW = 0.05
"""Share of the least half extent by which the side of a cylinder may overlap beside its cap, which is nearer then."""


@kernel(inner=True)
def ridge_of(facet: RealRows, edge: int, ridge_out: RealRows) -> float:
    """A ridge of a facet.

    Its rows: where it starts, unit vectors along it and out of the triangle, the normals on both sides, what is out of
    the triangle beyond, the middle of the two normals, and its length.

    Writes:  ridge_out (8, 3)
    Returns: its length, m
    """
    p, q, n, m = facet[edge], facet[(edge + 1) % 3], facet[NORMAL], facet[BEYOND + edge]
    start, t, out, first, second, back, middle = (
        ridge_out[0], ridge_out[1], ridge_out[2], ridge_out[3], ridge_out[4], ridge_out[5], ridge_out[6]
    )  # fmt: skip
    square, both = 0.0, 0.0
    for k in range(3):
        start[k], first[k], second[k], t[k], middle[k] = p[k], n[k], m[k], q[k] - p[k], n[k] + m[k]
        square, both = square + t[k] * t[k], both + middle[k] * middle[k]
    length = np.sqrt(square)
    ridge_out[7, 0] = length
    for k in range(3):
        t[k] /= length
        middle[k] /= np.sqrt(max(both, 1e-30))
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        out[k], back[k] = t[i] * n[j] - t[j] * n[i], t[j] * m[i] - t[i] * m[j]
    return length


@kernel(inner=True)
def common_normal(ridge: RealRows, u: Reals, normal_out: Reals) -> float:
    """Normal of a ridge and a line along u (3,): that of both, or of a triangle at the ridge if it is a little beyond.

    Writes:  normal_out
    Returns: the sine of the angle between ridge and line, or 0 where the normal is not one of the ridge
    """
    t, out, back, d = ridge[1], ridge[2], ridge[5], normal_out
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        d[k] = t[i] * u[j] - t[j] * u[i]
    sine = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    if sine < PARALLEL:
        return 0.0
    up, beyond, before = 0.0, 0.0, 0.0
    for k in range(3):
        d[k] /= sine
        up, before, beyond = up + ridge[6, k] * d[k], before + out[k] * d[k], beyond + back[k] * d[k]
    if up < 0.0:
        before, beyond = -before, -beyond
        for k in range(3):
            d[k] = -d[k]
    if min(before, beyond) < -ASIDE:
        return 0.0
    if min(before, beyond) < 0.0:
        side = ridge[3] if before < beyond else ridge[4]
        for k in range(3):
            d[k] = side[k]
    return sine


@kernel(inner=True)
def goes_on(s: Site, h: int, ridge: RealRows, along: float, beyond: float) -> int:
    """Whether a ridge of ground h still holds a line that crosses it so far along, m.

    Between its ends it does, and by less than so many m beyond one where it meets higher ground, as at a saddle, and
    runs on below it.

    Returns: 1 if so
    """
    length = ridge[7, 0]
    if 0.0 <= along <= length:
        return 1
    if max(-along, along - length) > beyond:
        return 0
    end = s.way
    for k in range(3):
        end[k] = ridge[0, k] + along * ridge[1, k]
    return 1 if rise_of(s, h, end) < 0.0 else 0


@kernel("UniTuple(float64, 2)(float64[:, ::1], float64[::1], float64[::1])", inner=True)
def crossing_of(
    ridge,  # (8, 3) as of `ridge_of`
    line, normal,  # (13,) as of `nearby_edges`; (3,)
):  # fmt: skip
    """Where a line crosses a ridge, seen along their normal.

    b + s u - (p + a t) is along the normal d:  s = -(b - p).(d x t) / u.(d x t),  a = (b - p).(d x u) / t.(d x u)

    Returns: s and a, m; inf where they do not cross
    """
    p, t, d = ridge[0], ridge[1], normal
    top, bottom, above, below = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        across, aside = d[i] * t[j] - d[j] * t[i], d[i] * line[j] - d[j] * line[i]
        top, bottom = top - (line[9 + k] - p[k]) * across, bottom + line[k] * across
        above, below = above + (line[9 + k] - p[k]) * aside, below + t[k] * aside
    if abs(bottom) < 0.1 * PARALLEL or abs(below) < 0.1 * PARALLEL:
        return np.inf, np.inf
    return top / bottom, above / below


@kernel(apart=True)
def note_crossing(
    s: Site, h: int, g: int, ridge: RealRows, line: Reals, normal: Reals, radius: float, limit: float, count: int
) -> int:
    """Note where a line (13,) of geom g, as of `nearby_edges`, crosses a ridge of ground h, seen along their normal.

    Writes:  rows
    Returns: the number of places
    """
    p, t, d, core, height = ridge[0], ridge[1], normal, s.way, 0.0
    place, along = crossing_of(ridge, line, normal)
    if abs(place) > line[12]:
        return count
    for k in range(3):
        height += d[k] * (line[9 + k] + place * line[k] - p[k] - along * t[k])
    if height - radius >= limit or height < -2.0 * limit - DEEP * s.thin[g]:
        return count
    if s.kind[g] == CYLINDER and radius - height > max(line[12] - abs(place), SHALLOW * s.thin[g]):
        return count  # out over its cap sooner than over its side
    if goes_on(s, h, ridge, along, limit + max(-height, 0.0)) == 0:
        return count
    for k in range(3):
        core[k] = line[9 + k] + place * line[k]
    write_place(s.rows[count], d, core, height, radius, -1, WORLD_NORMAL)
    return settle(s, count, limit, s.thin[g])


@kernel(apart=True)
def best_way(s: Site, g: int, ridge: RealRows, edges: int, way_out: Reals) -> float:
    """The normal at a ridge along which geom g is farthest from it: of a triangle, or of the ridge and an edge.

    Writes:  way_out
    Returns: the gap, m
    """
    p, d, corners = ridge[0], vector(3), s.corners[s.span[g, 0] : s.span[g, 1]]
    record = -np.inf
    for side in range(3, 5):
        for k in range(3):
            d[k] = -ridge[side, k]
        gap = -farthest(corners, d) + d[0] * p[0] + d[1] * p[1] + d[2] * p[2]
        if gap > record:
            record = gap
            for k in range(3):
                way_out[k] = -d[k]
    for e in range(edges):
        row = s.vectors[e]
        if common_normal(ridge, row[:3], d) == 0.0:
            continue
        left, right, gap = 0.0, 0.0, 0.0
        for k in range(3):
            left, right = left - row[3 + k] * d[k], right - row[6 + k] * d[k]
            gap += d[k] * (row[9 + k] - p[k])
        if left > 0.0 and right > 0.0 and gap > record:
            record = gap
            for k in range(3):
                way_out[k] = d[k]
    return record


@kernel(apart=True)
def tangent_to_rim(s: Site, g: int, ridge: RealRows, side: Reals, normal: Reals, line_out: Reals) -> int:
    """The tangent (13,) to the rim of a cylinder where a side (13,) of its prism crosses a ridge, seen along a normal.

    Where a rim crosses a ridge, the prism would be up to 0.5 % of the radius too small, and its normal 6 degrees off.

    Writes:  line_out, as of `nearby_edges`
    Returns: 1, or 0 where the side does not cross the ridge
    """
    c, f, along, square = s.centre[g], s.frame[g], 0.0, 0.0
    place, _ = crossing_of(ridge, side, normal)
    if abs(place) > side[12]:
        return 0
    for k in range(3):
        line_out[3 + k] = side[9 + k] + place * side[k] - c[k]
        along += f[3 * k + 2] * line_out[3 + k]
    for k in range(3):
        line_out[3 + k] -= along * f[3 * k + 2]
        square += line_out[3 + k] ** 2
    scale = s.size[g, 0] / np.sqrt(square)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        line_out[k] = (f[3 * i + 2] * line_out[3 + j] - f[3 * j + 2] * line_out[3 + i]) / np.sqrt(square)
        line_out[9 + k] = c[k] + along * f[3 * k + 2] + scale * line_out[3 + k]
    line_out[12] = 2.0 * side[12]
    return 1


@kernel(apart=True)
def note_crossings_of_edges(s: Site, h: int, g: int, ridge: RealRows, edges: int, limit: float, count: int) -> int:
    """Note where edges of geom g cross a ridge of ground h: those on the side of the body that is nearest to it.

    Writes:  rows
    Returns: the number of places
    """
    way, d, line = vector(3), vector(3), vector(13)
    gap = best_way(s, g, ridge, edges, way)
    if gap >= limit:
        return count
    for e in range(edges):
        row = s.vectors[e]
        if common_normal(ridge, row[:3], d) == 0.0:
            continue
        if d[0] * way[0] + d[1] * way[1] + d[2] * way[2] < SAME_SIDE:
            continue
        if s.kind[g] != CYLINDER:
            count = note_crossing(s, h, g, ridge, row, d, 0.0, limit, count)
        elif tangent_to_rim(s, g, ridge, row, d, line) == 1 and common_normal(ridge, line[:3], d) > 0.0:
            count = note_crossing(s, h, g, ridge, line, d, 0.0, limit, count)
    return count


@kernel(inner=True)
def rod_line(s: Site, g: int, line_out: Reals) -> None:
    """The axis of a round geom as a line (13,), as of `nearby_edges`.

    Writes:  line_out
    """
    for k in range(3):
        line_out[k], line_out[9 + k] = s.frame[g, 3 * k + 2], s.centre[g, k]
    line_out[12] = s.size[g, 1]


@kernel(apart=True)
def note_edge(s: Site, h: int, g: int, facet: RealRows, edge: int, edges: int, limit: float, count: int) -> int:
    """Note what of geom g is at a ridge of ground h, an edge of a facet: its cores, its axis, its edges.

    Writes:  rows
    Returns: the number of places
    """
    ridge, line, d, c = matrix(8, 3), vector(13), vector(3), s.centre[g]
    length = ridge_of(facet, edge, ridge)
    p, t, along, square = ridge[0], ridge[1], 0.0, 0.0
    for k in range(3):
        along += t[k] * (c[k] - p[k])
    along = min(max(along, 0.0), length)
    for k in range(3):
        square += (c[k] - p[k] - along * t[k]) ** 2
    if square >= (s.radius[g] + limit) ** 2:
        return count
    if s.kind[g] <= CYLINDER:
        rod_line(s, g, line)
        if line[12] > 0.0 and common_normal(ridge, line[:3], d) > 0.0:
            count = note_crossing(s, h, g, ridge, line, d, s.size[g, 0], limit, count)
    if s.kind[g] < CYLINDER:
        for i in range(1 if line[12] == 0.0 else 2):
            for k in range(3):
                d[k] = line[9 + k] + (2.0 * i - 1.0) * line[12] * line[k]
            count = note_core_at_edge(s, g, facet, edge, d, s.size[g, 0], i, limit, count)
        return count
    for i in range(s.span[g, 0], s.span[g, 1]):
        count = note_core_at_edge(s, g, facet, edge, s.corners[i], 0.0, 4 + i, limit, count)
    return note_crossings_of_edges(s, h, g, ridge, edges, limit, count)


@kernel(apart=True)
def edges_of(s: Site, g: int) -> int:
    """Edges of a polytope, or of the rims of a cylinder, in the world, as of `nearby_edges`.

    Writes:  vectors
    Returns: their number
    """
    count, f, first = 0, s.frame[g], s.span[g, 0]
    for e in range(s.span[g, 4], s.span[g, 5]):
        p, q = s.corners[first + s.edges[e, 0]], s.corners[first + s.edges[e, 1]]
        row, square, along = s.vectors[count], 0.0, 0.0
        for k in range(3):
            row[k], row[9 + k] = q[k] - p[k], 0.5 * (p[k] + q[k])
            square, along = square + row[k] * row[k], along + row[k] * f[3 * k + 2]
        length = np.sqrt(square)
        if s.kind[g] == CYLINDER and abs(along) > 0.5 * length:
            continue
        for k in range(3):
            row[k] /= length
        row[3], row[4], row[5] = times(f, s.sides[e, :3])
        row[6], row[7], row[8] = times(f, s.sides[e, 3:])
        row[12] = 0.5 * length
        count += 1
    return count
