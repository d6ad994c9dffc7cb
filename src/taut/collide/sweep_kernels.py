"""Which geoms meet on the way of a step, and when: swept boxes, then conservative advancement [Mirtich1996].

A solid is the hull of some corners with a ball of radius r around each of them. With d the distance of two solids along
the direction n between them, no point of one gets to the other before

    dt = d / c      c = n . (v_A - v_B) + |w_A x n| R_A + |w_B x n| R_B

has passed, with R the distance of a solid's farthest point from the axis about which its body turns. The way of a body
is a translation and a rotation vector, both passed at a constant rate from time 0 to 1.
"""

from __future__ import annotations

import math

from taut.collide.broad_kernels import extent, may_touch, place_geoms
from taut.collide.gjk_kernels import NEAR, nearest_direction
from taut.collide.kinds import CAPSULE, CYLINDER, SPHERE, TERRAIN
from taut.collide.sweep_table import MeetingTable, SolidTable, WayTable
from taut.collide.table import GeomTable, NearTable
from taut.kernel import kernel
from taut.spatial_kernels import rotation_matrices, times, turn
from taut.table_types import matrix, vector
from taut.tables import RealRows, Reals

DEEP = 0.8
"""Share of the half thicknesses of two geoms by which they may end in each other and still be told apart there: their
middles are on the right sides, so the contact that is found there pushes them back to where they came from."""

GRAZING = 0.1
"""Share of the half thickness of the thinner of two by which they may overlap on their way without having met."""

MET = 0.01
"""Share of the half thicknesses of two solids that is left of their distance where they meet."""

LEAST = 0.1
"""Share of the half thicknesses by which an advancement brings two solids nearer at least, so that what grazes is done
in a few: where they meet then, they do at the place before."""

ROUNDS, SAMPLES = 60, 8
"""Most advancements of a pair, and places on the way after a meeting at which is seen how deep it would lead: so many,
and as many again for each radian by which bodies turn. Where they do not turn a few advancements are enough."""

MOST_RADIANS = 64.0
"""Turns beyond this are followed no more finely, so that the search has an end."""

SAME_SIDE = 0.5
"""Cosine between the normals of a meeting and of a contact that is found where bodies end, below which the latter is of
bodies that are past each other."""

UNKNOWN = -1.0
"""Time of meetings that is found otherwise: on terrain, and of what overlaps from the start."""


@kernel(inner=True)
def angle_of(way: WayTable, body: int) -> float:
    """How far a body turns, rad."""
    p = way.path[body]
    return math.sqrt(p[3] * p[3] + p[4] * p[4] + p[5] * p[5])


@kernel(inner=True)
def longest_arm(g: GeomTable, geom: int) -> float:
    """Distance of the farthest point of a bounded geom from its body's centre of mass, m."""
    c = g.position[geom]
    return float(math.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]) + g.radius[geom])


@kernel(inner=True)
def arm_of(g: GeomTable, way: WayTable, geom: int) -> float:
    """Distance of the farthest point of a bounded geom that a turn moves from the axis of the turn, m.

    The axis is fixed in the world, so the distance stays. A ball that turns about its middle is where it was, and a log
    that rolls nearly so.
    """
    body, kind, size, own = g.body[geom], g.kind[geom], g.size[geom], g.rotation[geom]
    p, angle, arm, part = way.path[body], angle_of(way, body), 0.0, vector(3)
    if angle == 0.0:
        return 0.0
    for edge in range(4):  # the way to the middle, and half of each edge
        half = 1.0 if edge == 0 else size[edge - 1]
        if kind == SPHERE or kind == CAPSULE or kind == CYLINDER:
            half = half if edge == 0 else 0.0 if edge < 3 or kind == SPHERE else size[1]
        for k in range(3):
            part[k] = g.position[geom, k] if edge == 0 else half * own[3 * k + edge - 1]
        x, y, z = times(way.rotation[body], part)
        u, v, w = p[4] * z - p[5] * y, p[5] * x - p[3] * z, p[3] * y - p[4] * x
        arm += math.sqrt(u * u + v * v + w * w) / angle
    around = size[0] if kind == CYLINDER else 0.0
    return float(min(arm + around, longest_arm(g, geom)))


@kernel()
def find_fast(g: GeomTable, solid: SolidTable, way: WayTable, end: RealRows, velocity: RealRows, h: float) -> int:
    """Bodies that move so far from where they start to places (n, 3), with velocities (n, 6), that they could pass.

    Writes:  path, fast
    Returns: their number
    """
    count, path, fast = 0, way.path, way.fast
    for body in range(fast.shape[0]):
        fast[body] = 0
        for i in range(3):
            path[body, i] = end[body, i] - way.position[body, i]
            path[body, 3 + i] = h * velocity[body, 3 + i] if g.moves[body] != 0 else 0.0
    for i in range(g.body.shape[0]):
        body = g.body[i]
        if g.moves[body] == 0 or fast[body] != 0 or solid.thickness[i] == math.inf:
            continue
        p, angle, allowed = path[body], angle_of(way, body), DEEP * solid.thickness[i]
        moved = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
        if moved + angle * longest_arm(g, i) > allowed and moved + angle * arm_of(g, way, i) > allowed:
            fast[body] = 1
            count += 1
    return count


@kernel(inner=True)
def sweep_boxes(g: GeomTable, way: WayTable, m: MeetingTable) -> None:
    """Where bounded geoms start, and boxes that hold them wherever they are on their way.

    Writes:  centre, axes, arm, box
    """
    for i in g.bounded:
        body, box, axes = g.body[i], m.box[i], m.axes[i]
        rotation, own, offset, p = way.rotation[body], g.rotation[i], g.position[i], way.path[body]
        m.arm[i] = arm_of(g, way, i)
        aside = min(angle_of(way, body), 2.0) * m.arm[i]
        centre = times(rotation, offset)
        for j in range(3):
            x, y, z = 0.0, 0.0, 0.0
            for k in range(3):
                turned = rotation[3 * j + k]
                x, y, z = x + turned * own[3 * k], y + turned * own[3 * k + 1], z + turned * own[3 * k + 2]
            axes[3 * j], axes[3 * j + 1], axes[3 * j + 2] = x, y, z
            half = min(extent(g.kind[i], g.size[i], x, y, z), g.radius[i]) + aside
            place = m.centre[i, j] = way.position[body, j] + centre[j]
            box[j], box[3 + j] = place + min(p[j], 0.0) - half, place + max(p[j], 0.0) + half


@kernel(inner=True)
def corner_count(g: GeomTable, solid: SolidTable, geom: int) -> int:
    """Number of corners of a geom as a solid."""
    if g.kind[geom] == SPHERE or g.kind[geom] == CAPSULE:
        return 1 if g.kind[geom] == SPHERE else 2
    return int(solid.span[geom, 1] - solid.span[geom, 0])


@kernel(inner=True)
def solid_at(
    g: GeomTable, solid: SolidTable, way: WayTable, geom: int, time: float, frame: RealRows, corners: RealRows
) -> int:
    """Corners of a geom at a time on its body's way.

    Writes:  corners, in the world, m; frame (1, 9) scratch
    Returns: their number
    """
    body, kind, path = g.body[geom], g.kind[geom], way.path[g.body[geom]]
    quaternion, rotation, size = matrix(1, 4), frame, g.size[geom]
    turn(way.orientation[body], time * path[3], time * path[4], time * path[5], quaternion[0])
    rotation_matrices(quaternion, rotation)
    first, count = solid.span[geom, 0], int(corner_count(g, solid, geom))
    local, place = vector(3), vector(3)
    for i in range(count):
        if kind == SPHERE or kind == CAPSULE:
            local[0], local[1], local[2] = 0.0, 0.0, size[1] * (2.0 * i - 1.0)
        else:
            for k in range(3):
                local[k] = solid.corners[first + i, k]
        x, y, z = times(g.rotation[geom], local)
        place[0], place[1], place[2] = x + g.position[geom, 0], y + g.position[geom, 1], z + g.position[geom, 2]
        x, y, z = times(rotation[0], place)
        corners[i, 0] = way.position[body, 0] + time * path[0] + x
        corners[i, 1] = way.position[body, 1] + time * path[1] + y
        corners[i, 2] = way.position[body, 2] + time * path[2] + z
    return count


@kernel(inner=True)
def closing(g: GeomTable, way: WayTable, m: MeetingTable, geom: int, x: float, y: float, z: float) -> float:
    """How far a point of a geom gets along a direction on the whole way at most, m."""
    p = way.path[g.body[geom]]
    u, v, w = p[4] * z - p[5] * y, p[5] * x - p[3] * z, p[3] * y - p[4] * x
    return float(p[0] * x + p[1] * y + p[2] * z + m.arm[geom] * math.sqrt(u * u + v * v + w * w))


@kernel(inner=True)
def half_along(g: GeomTable, m: MeetingTable, geom: int, x: float, y: float, z: float) -> float:
    """Half extent of a geom where it starts along a direction, m."""
    f = m.axes[geom]
    own_x, own_y = f[0] * x + f[3] * y + f[6] * z, f[1] * x + f[4] * y + f[7] * z
    half = extent(g.kind[geom], g.size[geom], own_x, own_y, f[2] * x + f[5] * y + f[8] * z)
    return float(min(half, g.radius[geom]))


@kernel(inner=True)
def stay_apart(g: GeomTable, solid: SolidTable, way: WayTable, m: MeetingTable, a: int, b: int) -> int:
    """Whether a direction tells that two geoms do not touch, or only graze each other.

    To be deep along some direction is not asked: a bullet in the joint between two bricks is half of its width in each.

    That may be the line between their middles, that square to one's z axis or to both of them, or an axis of one.

        depth <= e_A + e_B - n . (x_B - x_A) + n . (u_A - u_B) + turns        e: half extents, u: ways, x: middles

    Middles that stay on their sides of a plane do not pass. This costs a tenth of an advancement.

    Returns: 1 if so
    """
    allowed = GRAZING * min(solid.thickness[a], solid.thickness[b])
    d, n, p, q = vector(3), vector(3), m.axes[a], m.axes[b]
    for k in range(3):
        d[k] = m.centre[b, k] - m.centre[a, k]
    along_a, along_b = d[0] * p[2] + d[1] * p[5] + d[2] * p[8], d[0] * q[2] + d[1] * q[5] + d[2] * q[8]
    for axis in range(10):
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            if axis < 3:
                n[k] = d[k] if axis == 0 else d[k] - (along_a * p[3 * k + 2] if axis == 1 else along_b * q[3 * k + 2])
            elif axis == 3:
                n[k] = p[3 * i + 2] * q[3 * j + 2] - p[3 * j + 2] * q[3 * i + 2]
            else:
                n[k] = p[3 * k + axis - 4] if axis < 7 else q[3 * k + axis - 7]
        length, along = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
        if length < 1e-9:
            continue
        scale = 1.0 / length if along >= 0.0 else -1.0 / length
        x, y, z = scale * n[0], scale * n[1], scale * n[2]
        depth = half_along(g, m, a, x, y, z) + half_along(g, m, b, x, y, z) - scale * along
        if depth < allowed and depth + closing(g, way, m, a, x, y, z) + closing(g, way, m, b, -x, -y, -z) <= allowed:
            return 1
    return 0


@kernel(inner=True)
def overlap(corners_a: RealRows, corners_b: RealRows, normal: Reals) -> float:
    """How far corners of A are beyond those of B along a direction from A to B, m."""
    ahead, behind = -1e300, 1e300
    for i in range(corners_a.shape[0]):
        c = corners_a[i]
        ahead = max(ahead, c[0] * normal[0] + c[1] * normal[1] + c[2] * normal[2])
    for i in range(corners_b.shape[0]):
        c = corners_b[i]
        behind = min(behind, c[0] * normal[0] + c[1] * normal[1] + c[2] * normal[2])
    return float(ahead - behind)


@kernel(apart=True)
def distance_at(
    g: GeomTable, solid: SolidTable, way: WayTable, m: MeetingTable, a: int, b: int, time: float, normal: Reals
) -> float:
    """Distance of two geoms at a time on their way, and the direction from A to B.

    Writes:  normal; corners, frame, simplex, labels, witness
    Returns: the distance, m; -inf where the hulls of their corners overlap, without a direction
    """
    count_a = solid_at(g, solid, way, a, time, m.frame, m.corners_a)
    count_b = solid_at(g, solid, way, b, time, m.frame, m.corners_b)
    corners_a, corners_b = m.corners_a[:count_a], m.corners_b[:count_b]
    for k in range(3):
        normal[k] = corners_b[0, k] - corners_a[0, k]
    if nearest_direction(corners_a, corners_b, 1e300, m.simplex, m.labels, normal, m.witness) != NEAR:
        return -math.inf
    return float(-overlap(corners_a, corners_b, normal) - solid.radius[a] - solid.radius[b])


@kernel(inner=True)
def radians(g: GeomTable, way: WayTable, a: int, b: int) -> int:
    """Number of radians by which the bodies of two geoms turn, one that is begun included."""
    return 1 + int(min(angle_of(way, g.body[a]) + angle_of(way, g.body[b]), MOST_RADIANS))


@kernel(inner=True)
def leads_deep(
    g: GeomTable, solid: SolidTable, way: WayTable, m: MeetingTable, a: int, b: int, time: float, normal: Reals
) -> int:
    """Whether geoms that meet at a time get deep into each other afterwards, along the direction from A to B.

    Those that turn together, as dominoes do, are beyond the plane in which they met but not in each other.

    Writes:  what `distance_at` does, but for the normal
    Returns: 1 if so
    """
    allowed, there = DEEP * (solid.thickness[a] + solid.thickness[b]), vector(3)
    radii, count = solid.radius[a] + solid.radius[b], SAMPLES * radians(g, way, a, b)
    for k in range(count):
        distance = distance_at(g, solid, way, m, a, b, time + (1.0 - time) * (k + 1) / count, there)
        turned = distance > -math.inf and (
            there[0] * normal[0] + there[1] * normal[1] + there[2] * normal[2] < SAME_SIDE
        )
        count_a, count_b = corner_count(g, solid, a), corner_count(g, solid, b)
        beyond = overlap(m.corners_a[:count_a], m.corners_b[:count_b], normal) + radii
        if beyond > allowed and (turned or distance < -allowed):
            return 1
    return 0


@kernel(inner=True)
def meeting_time(g: GeomTable, solid: SolidTable, way: WayTable, m: MeetingTable, a: int, b: int) -> float:
    """When two geoms that would get deep into each other meet.

    Writes:  what `distance_at` does
    Returns: the time, 2 if they do not meet, or not so that it matters; UNKNOWN if they overlap from the start. A
             search that does not end is a meeting where it got to.
    """
    thick = solid.thickness[a] + solid.thickness[b]
    time, last, near, normal, there = 0.0, 0.0, False, vector(3), vector(3)
    for _ in range(ROUNDS * radians(g, way, a, b)):
        distance = distance_at(g, solid, way, m, a, b, time, there)
        if distance == -math.inf and time == 0.0:
            return UNKNOWN
        if distance <= MET * thick and (near or distance == -math.inf):
            return last if leads_deep(g, solid, way, m, a, b, last, normal) == 1 else 2.0
        for k in range(3):
            normal[k] = there[k]
        if distance <= MET * thick:
            return time if leads_deep(g, solid, way, m, a, b, time, normal) == 1 else 2.0
        closest = closing(g, way, m, a, normal[0], normal[1], normal[2])
        closest += closing(g, way, m, b, -normal[0], -normal[1], -normal[2])
        near, last = distance < LEAST * thick, time
        if (1.0 - time) * closest <= max(distance, LEAST * thick):
            return 2.0
        time += max(distance, LEAST * thick) / closest
    return time


@kernel(inner=True)
def slow_pair(g: GeomTable, solid: SolidTable, way: WayTable, m: MeetingTable, a: int, b: int) -> int:
    """Whether two geoms move so little as seen from each other that they cannot pass.

    Returns: 1 if so
    """
    p, q = way.path[g.body[a]], way.path[g.body[b]]
    x, y, z = p[0] - q[0], p[1] - q[1], p[2] - q[2]
    moved = angle_of(way, g.body[a]) * m.arm[a] + angle_of(way, g.body[b]) * m.arm[b]
    moved += math.sqrt(x * x + y * y + z * z)
    return 1 if moved <= DEEP * (solid.thickness[a] + solid.thickness[b]) else 0


@kernel(inner=True)
def boxes_apart(a: Reals, b: Reals) -> int:
    """Whether two boxes have a gap between them.

    Returns: 1 if so
    """
    for j in range(3):
        if a[j] > b[3 + j] or b[j] > a[3 + j]:
            return 1
    return 0


@kernel()
def find_meetings(g: GeomTable, solid: SolidTable, way: WayTable, m: MeetingTable) -> int:
    """Pairs of geoms, one of a fast body at least, that meet on their way and would pass or get deep into each other.

    The time is `UNKNOWN` of what moves over terrain, or overlaps from the start.

    Writes:  pair, time; all scratch
    Returns: the number of pairs, also where it is above the capacity
    """
    count = 0
    sweep_boxes(g, way, m)
    for i in g.bounded:
        if way.fast[g.body[i]] == 0:
            continue
        for j in g.bounded:
            if way.fast[g.body[j]] != 0 and j < i or boxes_apart(m.box[i], m.box[j]) == 1 or may_touch(g, i, j) == 0:
                continue
            a, b = min(i, j), max(i, j)
            time = UNKNOWN
            if g.route[g.kind[a], g.kind[b]] != TERRAIN:
                if slow_pair(g, solid, way, m, a, b) == 1 or stay_apart(g, solid, way, m, a, b) == 1:
                    continue
                time = meeting_time(g, solid, way, m, a, b)
            if time <= 1.0:
                if count < m.time.shape[0]:
                    m.pair[count, 0], m.pair[count, 1], m.time[count] = a, b, time
                count += 1
    return count


@kernel()
def place_at(
    g: GeomTable, n: NearTable, way: WayTable, time: float, reach: Reals, position: RealRows, rotation: RealRows
) -> None:
    """Where bodies and their geoms are at a time on their way; points of bodies may still move by `reach` (n,).

    Writes:  position (n, 3), rotation (n, 9); centre, frame, band, box
    """
    quaternion = matrix(1, 4)
    for body in range(position.shape[0]):
        p = way.path[body]
        turn(way.orientation[body], time * p[3], time * p[4], time * p[5], quaternion[0])
        rotation_matrices(quaternion, rotation[body : body + 1])
        for j in range(3):
            position[body, j] = way.position[body, j] + time * p[j]
    place_geoms(g, n, position, rotation, reach)
