"""Cores over the triangles and ridges of ground: corners of polytopes, ends of rods, lowest points of cylinders."""

from __future__ import annotations

import numpy as np

from taut.collide.contacts import WORLD_NORMAL
from taut.collide.ground_kernels import BEND, BEYOND, NORMAL, rise_of
from taut.collide.kinds import CYLINDER
from taut.collide.plane_kernels import cylinder_cores
from taut.collide.site import MOST, PLACES, Site
from taut.kernel import kernel
from taut.table_types import matrix, vector
from taut.tables import RealRows, Reals

ROUNDED = 1e-12
"""Share of the length of an edge by which a point may be beyond it: one between two triangles must not be over neither.
"""

SAME = 1e-6
"""Share of the least half extent within which places are one, and by which a point must be behind a plane to be hidden.
"""

STEEP = 4.0
"""Slope of the walls of a valley down to whose bottom they hold a core that is below it: 76 degrees."""

ALIKE = 1e-6
"""1 - cosine of the angle between normals up to which they are one."""

NO_WAY = 1e-3
"""Share of the least half extent of a body below which the distance of a core from a ridge gives no direction."""


@kernel(apart=True)
def choose(s: Site, count: int, limit: float, thin: float) -> int:
    """The places that become contacts: the deepest, then those that would close most as the body turns and slides.

    A body that is held at place i closes place j by up to limit (|p_i - p_j| / thin + |n_i - n_j|).

    Writes:  chosen, increasing
    Returns: their number
    """
    rows, chosen, kept = s.rows, s.chosen, 0
    for i in range(count):
        if rows[i, 10] < limit and (kept == 0 or rows[i, 10] < rows[chosen[0], 10] - SAME * thin):
            chosen[0], kept = i, 1
    while 0 < kept < MOST:
        best, record = -1, SAME * thin
        for j in range(count):
            closing, b = np.inf, rows[j]
            for i in range(kept):
                a, way, turn = rows[chosen[i]], 0.0, 0.0
                for k in range(3):
                    way, turn = way + (a[3 + k] - b[3 + k]) ** 2, turn + (a[k] - b[k]) ** 2
                closing = min(closing, limit * (np.sqrt(way) / thin + np.sqrt(turn)))
            closing -= b[10] - rows[chosen[0], 10]
            if b[10] < limit and closing > record + SAME * thin:
                best, record = j, closing
        if best < 0:
            break
        chosen[kept] = best
        kept += 1
    for i in range(1, kept):
        for j in range(i, 0, -1):
            if chosen[j] < chosen[j - 1]:
                chosen[j], chosen[j - 1] = chosen[j - 1], chosen[j]
    return kept


@kernel(apart=True)
def settle(s: Site, count: int, limit: float, thin: float) -> int:
    """Keep the place in row `count`, unless it is noted already or hidden; drop what it hides.

    A core that is under one triangle is not under another that hides it: one it is less deep below, and behind which
    the other lies, as the two sides of a ridge do, or of a wall. Both sides of a valley hold it.

    Writes:  rows
    Returns: the number of places
    """
    rows, new, near = s.rows, s.rows[count], SAME * thin
    place = count
    for i in range(count):
        old = rows[i]
        cosine, apart, new_behind, old_behind = 0.0, 0.0, 0.0, 0.0
        for k in range(3):
            step = new[3 + k] - old[3 + k]
            cosine, apart = cosine + new[k] * old[k], apart + abs(step)
            new_behind, old_behind = new_behind + old[k] * step, old_behind - new[k] * step
        if cosine > 1.0 - ALIKE and apart <= near and abs(new[10] - old[10]) <= near:
            return count
        if new[11] < 0.0 or new[11] != old[11]:
            continue
        if old[10] >= new[10] and new_behind < -near:
            return count
        if new[10] > old[10] and old_behind < -near and place == count:
            place = i
    if place < count:
        for k in range(13):
            rows[place, k] = new[k]
        return count
    if count + 1 < PLACES:
        return count + 1
    kept = choose(s, count + 1, limit, thin)
    for i in range(kept):
        for k in range(13):
            rows[i, k] = rows[s.chosen[i], k]
    return kept


@kernel(inner=True)
def write_place(
    row: Reals, normal: Reals, core: Reals, height: float, radius: float, number: int, turning: int
) -> None:
    """Write a place (13,): a core (3,) of the body, m above the ground along a normal (3,).

    Writes:  row
    """
    for k in range(3):
        row[k], row[3 + k], row[6 + k] = normal[k], core[k] - height * normal[k], core[k]
    row[9], row[10], row[11], row[12] = radius, height - radius, number, turning


@kernel(apart=True)
def round_cores(s: Site, g: int, normal: Reals, cores_out: RealRows) -> int:
    """Cores (4, 4) of a round geom over a plane with this normal: world, m, and radius.

    Writes:  cores_out
    Returns: their number
    """
    size, f, c = s.size[g], s.frame[g], s.centre[g]
    count = 1 if size[1] == 0.0 else 2
    if s.kind[g] == CYLINDER:
        x = normal[0] * f[0] + normal[1] * f[3] + normal[2] * f[6]
        y = normal[0] * f[1] + normal[1] * f[4] + normal[2] * f[7]
        z = normal[0] * f[2] + normal[1] * f[5] + normal[2] * f[8]
        count = cylinder_cores(size, x, y, z, cores_out)
    else:
        for i in range(count):
            cores_out[i, 0] = cores_out[i, 1] = 0.0
            cores_out[i, 2], cores_out[i, 3] = (2.0 * i - 1.0) * size[1], size[0]
    for i in range(count):
        x, y, z = cores_out[i, 0], cores_out[i, 1], cores_out[i, 2]
        for k in range(3):
            cores_out[i, k] = c[k] + f[3 * k] * x + f[3 * k + 1] * y + f[3 * k + 2] * z
    return count


@kernel(inner=True)
def is_over(facet: RealRows, core: Reals, beyond: float, level: float) -> int:
    """Whether a core is over a triangle, or beside it by less than so many m over a valley, or over level ground.

    The plane of a triangle goes on under the ground beyond a valley: there it holds nothing back that the ground does
    not, and it holds what moves on to the other side.

    Returns: 2 over it or level with it, 1 over a valley, else 0
    """
    n, over = facet[NORMAL], 2
    for edge in range(3):
        p, q = facet[edge], facet[(edge + 1) % 3]
        x, y, z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        u, v, w = core[0] - p[0], core[1] - p[1], core[2] - p[2]
        out = u * (y * n[2] - z * n[1]) + v * (z * n[0] - x * n[2]) + w * (x * n[1] - y * n[0])
        square = x * x + y * y + z * z
        if out > ROUNDED * square:
            bend = facet[BEND, edge]
            if out > np.sqrt(square) * (beyond if bend < 0.0 else level if bend == 0.0 else 0.0):
                return 0
            over = 1 if bend < 0.0 else over
    return over


@kernel(inner=True)
def note_core(
    s: Site, h: int, g: int, facet: RealRows, core: Reals, radius: float, number: int, limit: float, count: int
) -> int:
    """Note a core of geom g that is over a triangle of ground h, or under it.

    What is in the ground is not much deeper along a normal than it is at all: a core that seems to be is on the other
    side of a ridge, or before a wall.

    Writes:  rows
    Returns: the number of places
    """
    n, p, height = facet[NORMAL], facet[0], 0.0
    for k in range(3):
        height += n[k] * (core[k] - p[k])
    # a few are noted beyond the limit: they hide what is behind them
    if height - radius >= 3.0 * limit:
        return count
    over = is_over(facet, core, limit + STEEP * max(-height, 0.0), 0.0)
    if over == 0:
        return count
    # the other side of a valley hides nothing
    write_place(s.rows[count], n, core, height, radius, number if over == 2 else -1, WORLD_NORMAL)
    # the core of a leaning cylinder may be anywhere on its axis: the point of its rim counts
    inward = radius if s.kind[g] == CYLINDER else 0.0
    if height < inward:
        for k in range(3):
            s.way[k] = core[k] - inward * n[k]
        if height - inward < min(rise_of(s, h, s.way), 0.0) - SAME * s.thin[g]:
            return count
    return settle(s, count, limit, s.thin[g])


@kernel(apart=True)
def note_cores(s: Site, h: int, g: int, facet: RealRows, limit: float, count: int) -> int:
    """Note all cores of geom g that are over a triangle of ground h.

    The lowest point of a rim of a cylinder is enough where it is over the triangle. Where it is beside it, other points
    of the rim may be over it.

    Writes:  rows
    Returns: the number of places
    """
    n, p, c, f, cores = facet[NORMAL], facet[0], s.centre[g], s.frame[g], matrix(4, 4)
    missed, lean = vector(2), n[0] * f[2] + n[1] * f[5] + n[2] * f[8]
    missed[0] = missed[1] = 1.0
    if s.kind[g] <= CYLINDER:
        cores_on = round_cores(s, g, n, cores)
        lowest = 0
        for i in range(cores_on):
            number = -1 if s.kind[g] == CYLINDER else i  # its cores are other points over another triangle
            count = note_core(s, h, g, facet, cores[i, :3], cores[i, 3], number, limit, count)
            lower = n[0] * (cores[i, 0] - cores[lowest, 0]) + n[1] * (cores[i, 1] - cores[lowest, 1])
            lowest = i if lower + n[2] * (cores[i, 2] - cores[lowest, 2]) < 0.0 else lowest
        if s.kind[g] < CYLINDER:
            return count
        for rim in range(2):
            core = rim if cores_on == 2 else lowest
            if cores_on == 2 or (rim == 0) == (lean >= 0.0):
                missed[rim] = 0.0 if is_over(facet, cores[core, :3], limit, np.inf) == 2 else 1.0
    level = n[0] * p[0] + n[1] * p[1] + n[2] * p[2] + 3.0 * limit
    for i in range(s.span[g, 0], s.span[g, 1]):
        q = s.corners[i]
        rim = 1 if (q[0] - c[0]) * f[2] + (q[1] - c[1]) * f[5] + (q[2] - c[2]) * f[8] > 0.0 else 0
        if n[0] * q[0] + n[1] * q[1] + n[2] * q[2] < level and (s.kind[g] != CYLINDER or missed[rim] > 0.0):
            count = note_core(s, h, g, facet, q, 0.0, 4 + i, limit, count)
    return count


@kernel(apart=True)
def note_core_at_edge(
    s: Site, g: int, facet: RealRows, edge: int, core: Reals, radius: float, number: int, limit: float, count: int
) -> int:
    """Note a core of geom g that is nearest a ridge: beyond both triangles at an edge, between their normals.

    Writes:  rows
    Returns: the number of places
    """
    p, q, n, m, w = facet[edge], facet[(edge + 1) % 3], facet[NORMAL], facet[BEYOND + edge], s.way
    x, y, z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    length = np.sqrt(x * x + y * y + z * z)
    x, y, z = x / length, y / length, z / length
    along = x * (core[0] - p[0]) + y * (core[1] - p[1]) + z * (core[2] - p[2])
    if along < 0.0 or along > length:
        return count
    w[0], w[1], w[2] = core[0] - p[0] - along * x, core[1] - p[1] - along * y, core[2] - p[2] - along * z
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    if square >= (limit + radius) ** 2:
        return count
    # not over the triangle itself, nor over the one beyond
    if w[0] * (y * n[2] - z * n[1]) + w[1] * (z * n[0] - x * n[2]) + w[2] * (x * n[1] - y * n[0]) < 0.0:
        return count
    if w[0] * (y * m[2] - z * m[1]) + w[1] * (z * m[0] - x * m[2]) + w[2] * (x * m[1] - y * m[0]) > 0.0:
        return count
    height = np.sqrt(square)
    if height > NO_WAY * s.thin[g]:
        for k in range(3):
            w[k] /= height
    else:
        # on the ridge itself: between the two
        scale = 1.0 / np.sqrt((n[0] + m[0]) ** 2 + (n[1] + m[1]) ** 2 + (n[2] + m[2]) ** 2)
        height = 0.0
        for k in range(3):
            height += scale * (n[k] + m[k]) * w[k]
            w[k] = scale * (n[k] + m[k])
    write_place(s.rows[count], w, core, height, radius, number, WORLD_NORMAL)
    return settle(s, count, limit, s.thin[g])
