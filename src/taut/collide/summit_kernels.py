"""Summits of ground, where it falls off on all sides, under faces and axes and beside corners of bodies."""

from __future__ import annotations

import numpy as np

from taut.collide.contacts import CENTRE_LINE, NORMAL_OF_A, NORMAL_OF_B, WORLD_NORMAL
from taut.collide.crossing_kernels import DEEP, SHALLOW
from taut.collide.facet_kernels import NO_WAY, SAME, settle, write_place
from taut.collide.ground_kernels import is_summit
from taut.collide.kinds import CYLINDER
from taut.collide.site import Site
from taut.kernel import kernel
from taut.spatial_kernels import times
from taut.table_types import vector
from taut.tables import Reals


@kernel(inner=True)
def note_under_axis(s: Site, h: int, g: int, vertex: int, place: Reals, limit: float, count: int) -> int:
    """Note a summit (3,) beside a round geom: under its axis, or under an end of it unless that is flat.

    Writes:  rows
    Returns: the number of places
    """
    f, c, size, core, way, along, square = s.frame[g], s.centre[g], s.size[g], vector(3), vector(3), 0.0, 0.0
    for k in range(3):
        along += f[3 * k + 2] * (place[k] - c[k])
    if s.kind[g] == CYLINDER and abs(along) > size[1]:
        return count
    at_end = abs(along) >= size[1]
    along = min(max(along, -size[1]), size[1])
    for k in range(3):
        core[k] = c[k] + along * f[3 * k + 2]
        way[k] = core[k] - place[k]
        square += way[k] * way[k]
    height = np.sqrt(square)
    if height - size[0] >= limit or height <= NO_WAY * size[0]:
        return count
    if s.kind[g] == CYLINDER and size[0] - height > max(size[1] - abs(along), SHALLOW * s.thin[g]):
        return count  # out over its cap sooner than over its side
    for k in range(3):
        way[k] /= height
    if is_summit(s, h, vertex, place, way) == 0:
        return count
    write_place(s.rows[count], way, core, height, size[0], -1, CENTRE_LINE if at_end else WORLD_NORMAL)
    return settle(s, count, limit, s.thin[g])


@kernel(apart=True)
def face_over(s: Site, h: int, g: int, vertex: int, place: Reals, limit: float, normal_out: Reals) -> float:
    """The face of a polytope, or the cap of a cylinder, that a summit (3,) is under: the one it is least deep behind.

    Writes:  normal_out, from the ground
    Returns: how far the face is above the summit, m; the limit or more where there is none
    """
    f, c, own, foot = s.frame[g], s.centre[g], vector(3), vector(3)
    first, last, outside, best = s.span[g, 2], s.span[g, 3], -np.inf, -np.inf
    for k in range(3):
        own[k] = f[k] * (place[0] - c[0]) + f[3 + k] * (place[1] - c[1]) + f[6 + k] * (place[2] - c[2])
    for i in range(first, last):
        q = s.planes[i]
        outside = max(outside, q[0] * own[0] + q[1] * own[1] + q[2] * own[2] - q[3])
    deep = -2.0 * limit - DEEP * s.thin[g]
    if outside >= limit or outside < deep:
        return limit
    for i in range(first, last):
        q = s.planes[i]
        gap = q[0] * own[0] + q[1] * own[1] + q[2] * own[2] - q[3]
        if gap <= max(best, deep) or (s.kind[g] == CYLINDER and abs(q[2]) < 0.5):
            continue
        inside = True
        for k in range(3):
            foot[k] = own[k] - gap * q[k]
        for j in range(first, last):
            r = s.planes[j]
            inside = inside and r[0] * foot[0] + r[1] * foot[1] + r[2] * foot[2] - r[3] <= SAME * s.thin[g]
        if not inside:
            continue
        foot[0], foot[1], foot[2] = times(f, q[:3])
        for k in range(3):
            foot[k] = -foot[k]
        if is_summit(s, h, vertex, place, foot) == 1:
            best = gap
            for k in range(3):
                normal_out[k] = foot[k]
    return best if best > -np.inf else limit


@kernel(apart=True)
def note_summit(s: Site, h: int, g: int, vertex: int, place: Reals, limit: float, count: int) -> int:
    """Note a vertex (3,) of ground h that geom g may stand on.

    Writes:  rows
    Returns: the number of places
    """
    c, square = s.centre[g], 0.0
    for k in range(3):
        square += (place[k] - c[k]) ** 2
    if square >= (s.radius[g] + limit) ** 2:
        return count
    if s.kind[g] <= CYLINDER:
        count = note_under_axis(s, h, g, vertex, place, limit, count)
    if s.kind[g] < CYLINDER:
        return count
    way, core = vector(3), vector(3)
    height = face_over(s, h, g, vertex, place, limit, way)
    if height < limit:
        for k in range(3):
            core[k] = place[k] + height * way[k]
        write_place(s.rows[count], way, core, height, 0.0, -1, NORMAL_OF_B if h < g else NORMAL_OF_A)
        count = settle(s, count, limit, s.thin[g])
    for i in range(s.span[g, 0], s.span[g, 1]):
        square = 0.0
        for k in range(3):
            way[k] = s.corners[i, k] - place[k]
            square += way[k] * way[k]
        if square >= limit * limit or square <= (NO_WAY * s.thin[g]) ** 2:
            continue
        height = np.sqrt(square)
        for k in range(3):
            way[k] /= height
        if is_summit(s, h, vertex, place, way) == 1:
            write_place(s.rows[count], way, s.corners[i], height, 0.0, 4 + i, WORLD_NORMAL)
            count = settle(s, count, limit, s.thin[g])
    return count
