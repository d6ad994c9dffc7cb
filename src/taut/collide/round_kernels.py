"""Round against round: spheres, capsules and the sides of cylinders, as segments with a radius."""

from __future__ import annotations

import numpy as np

from taut.collide.contacts import CENTRE_LINE, NORMAL_OF_A, NORMAL_OF_B, WORLD_NORMAL
from taut.collide.kinds import CYLINDER, POLYTOPES, ROUND, SPHERE
from taut.collide.point_kernels import put
from taut.collide.segment_kernels import clamp, direction, nearest_on_segments
from taut.kernel import kernel

TWO_POINTS, ONE_POINT = 0.01, 0.03
"""Sine of the angle between two axes: below the first, logs touch at both ends of their overlap; between the two these
points move to the nearest points, so that nothing jumps; above the second there is one point."""

HIDDEN = 1e-4
"""Square of the way aside from the nearest point to the end of an overlap, over both radii, that may stay unseen."""

OBLIQUE = 0.5
"""Sine below which the ends of the overlap are looked at as well as the nearest points."""

CORES_MEET = 1e-3
"""Share of the radii below which the distance of two cores gives no direction."""

SIDE = 1e-3
"""Sine of the angle by which the nearest line may lean over the end of a cylinder and still touch its side."""


@kernel(
    "int64(float64[:, ::1], int64[:, ::1], int64, int64, int64, float64[::1], float64[::1], float64[::1], float64[::1],"
    "float64, float64, float64, float64, float64)",
    inner=True,
)
def touch_at(
    points_out, marks_out, count, pair, turning,
    centre_a, centre_b, frame_a, frame_b,  # (3,), (3,), (9,), (9,)
    s, t,  # places on the axes, m
    radius_a, radius_b, limit,  # m
):  # fmt: skip
    """One contact between the point at s on A's axis and that at t on B's, if the gap is below the limit.

    Writes:  points_out, marks_out
    Returns: the number of points
    """
    ux, uy, uz = frame_a[2], frame_a[5], frame_a[8]
    ax, ay, az = centre_a[0] + s * ux, centre_a[1] + s * uy, centre_a[2] + s * uz
    bx, by, bz = centre_b[0] + t * frame_b[2], centre_b[1] + t * frame_b[5], centre_b[2] + t * frame_b[8]
    x, y, z = bx - ax, by - ay, bz - az
    nx, ny, nz = direction(x, y, z, ux, uy, uz)
    apart = nx * x + ny * y + nz * z
    if apart - radius_a - radius_b >= limit:
        return count
    # cores that all but meet have no line between them that could turn
    turning = turning if apart > CORES_MEET * (radius_a + radius_b) else WORLD_NORMAL
    return put(
        points_out, marks_out, count, pair, turning, nx, ny, nz, ax, ay, az, bx, by, bz, radius_a, radius_b
    )  # fmt: skip


@kernel(
    "int64(float64[:, ::1], int64[:, ::1], int64, int64, float64[::1], float64[::1], float64[::1], float64[::1],"
    "float64[::1], float64[::1], boolean, boolean, float64)",
    inner=True,
)
def collide_segments(
    points_out, marks_out, count, pair,
    centre_a, centre_b, frame_a, frame_b, size_a, size_b,
    flat_a, flat_b,  # whether a segment ends in flat caps
    limit,
):  # fmt: skip
    """Contacts of two segments with a radius: one at the nearest points, two where the axes are nearly parallel.

    Writes:  points_out, marks_out
    Returns: the number of points, or -1 where a flat cap is nearest
    """
    x, y, z = centre_b[0] - centre_a[0], centre_b[1] - centre_a[1], centre_b[2] - centre_a[2]
    ux, uy, uz = frame_a[2], frame_a[5], frame_a[8]
    vx, vy, vz = frame_b[2], frame_b[5], frame_b[8]
    half_a, half_b, ra, rb = size_a[1], size_b[1], size_a[0], size_b[0]
    along_a, along_b = x * ux + y * uy + z * uz, x * vx + y * vy + z * vz
    cosine = ux * vx + uy * vy + uz * vz
    sine2 = (uy * vz - uz * vy) ** 2 + (uz * vx - ux * vz) ** 2 + (ux * vy - uy * vx) ** 2
    s, t = nearest_on_segments(along_a, along_b, cosine, sine2, half_a, half_b)
    low, high = max(-half_a, along_a - half_b * abs(cosine)), min(half_a, along_a + half_b * abs(cosine))
    if flat_a or flat_b:
        x, y, z = x + t * vx - s * ux, y + t * vy - s * uy, z + t * vz - s * uz
        apart = np.sqrt(x * x + y * y + z * z)
        over_a, over_b = abs(x * ux + y * uy + z * uz), abs(x * vx + y * vy + z * vz)
        if (flat_a and over_a > SIDE * apart) or (flat_b and over_b > SIDE * apart):
            return -1
        # sides that overlap by more than their length left to the cap: pushed out along the axis sooner
        room = min(half_a - abs(s) if flat_a else np.inf, half_b - abs(t) if flat_b else np.inf)
        if ra + rb - apart > max(room, high - low if sine2 < ONE_POINT * ONE_POINT else 0.0):
            return -1
    if sine2 < ONE_POINT * ONE_POINT and high > low:
        share = clamp((ONE_POINT - np.sqrt(sine2)) / (ONE_POINT - TWO_POINTS), 0.0, 1.0)
        share *= share * (3.0 - 2.0 * share)
        for end in (low, high):
            s_end = s + share * (end - s)
            t_end = clamp(s_end * cosine - along_b, -half_b, half_b)
            count = touch_at(
                points_out, marks_out, count, pair, WORLD_NORMAL, centre_a, centre_b, frame_a, frame_b, s_end, t_end,
                ra, rb, limit,
            )  # fmt: skip
        # the nearest points lie between: left out only where they are no nearer than the ends, as on parallel logs
        if share * share * sine2 * min(s - low, high - s) ** 2 > HIDDEN * (ra + rb) ** 2:
            count = touch_at(
                points_out, marks_out, count, pair, WORLD_NORMAL, centre_a, centre_b, frame_a, frame_b, s, t, ra, rb,
                limit,
            )  # fmt: skip
        return count
    ends = abs(s) >= half_a and abs(t) >= half_b and not flat_a and not flat_b
    count = touch_at(
        points_out, marks_out, count, pair, CENTRE_LINE if ends else WORLD_NORMAL, centre_a, centre_b, frame_a,
        frame_b, s, t, ra, rb, limit,
    )  # fmt: skip
    if sine2 < OBLIQUE * OBLIQUE and high > low:
        # one point is a hinge: as one log turns about it the ends of the overlap close long before they are nearest
        for end in (low, high):
            if abs(end - s) > ra + rb:
                count = touch_at(
                    points_out, marks_out, count, pair, WORLD_NORMAL, centre_a, centre_b, frame_a, frame_b, end,
                    clamp(end * cosine - along_b, -half_b, half_b), ra, rb, limit,
                )  # fmt: skip
    return count


@kernel(
    "int64(float64[:, ::1], int64[:, ::1], int64, int64, float64[::1], float64, float64[::1], float64[::1],"
    "float64[::1], boolean, float64)",
    inner=True,
)
def collide_sphere_cylinder(
    points_out, marks_out, count, pair,
    sphere, radius,  # centre (3,) and radius, m
    centre, frame, size,  # of the cylinder
    swapped,  # whether the cylinder is A
    limit,
):  # fmt: skip
    """Contact of a sphere with a cylinder: side, cap or rim, whichever is nearest.

    Writes:  points_out, marks_out
    Returns: the number of points
    """
    ux, uy, uz = frame[2], frame[5], frame[8]
    x, y, z = sphere[0] - centre[0], sphere[1] - centre[1], sphere[2] - centre[2]
    height = x * ux + y * uy + z * uz
    x, y, z = x - height * ux, y - height * uy, z - height * uz
    across = np.sqrt(x * x + y * y + z * z)
    up = 1.0 if height >= 0.0 else -1.0
    ox, oy, oz = direction(x, y, z, ux, uy, uz)
    side, cap = across - size[0], abs(height) - size[1]
    own = NORMAL_OF_A if swapped else NORMAL_OF_B
    if cap <= 0.0 and (side > 0.0 or side >= cap):
        turning, level, arm, core = WORLD_NORMAL, height, 0.0, size[0]
    elif side <= 0.0:
        turning, level, arm, core = own, up * size[1], across, 0.0
        ox, oy, oz = up * ux, up * uy, up * uz
    else:
        turning, level, arm, core = WORLD_NORMAL, up * size[1], size[0], 0.0
        length = np.sqrt(side * side + cap * cap)
        cap, side = up * cap / length, side / length
        ox, oy, oz = side * ox + cap * ux, side * oy + cap * uy, side * oz + cap * uz
    scale = arm / across if arm > 0.0 else 0.0
    px, py, pz = centre[0] + level * ux, centre[1] + level * uy, centre[2] + level * uz
    px, py, pz = px + scale * x, py + scale * y, pz + scale * z
    sx, sy, sz = sphere[0], sphere[1], sphere[2]
    if (sx - px) * ox + (sy - py) * oy + (sz - pz) * oz - core - radius >= limit:
        return count
    if swapped:
        return put(points_out, marks_out, count, pair, turning, ox, oy, oz, px, py, pz, sx, sy, sz, core, radius)
    return put(points_out, marks_out, count, pair, turning, -ox, -oy, -oz, sx, sy, sz, px, py, pz, radius, core)


@kernel(
    "int64(int64[:, ::1], int64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], int64,"
    "float64[:, ::1], int64[:, ::1])"
)
def collide_round(
    pairs,  # (pairs, 3) geom A, geom B, route: rewritten to POLYTOPES where a flat cap is nearest
    kind, size, centre, frame, band,  # (g,), (g, 3), (g, 3), (g, 9), (g,)
    found,  # points already written
    points_out, marks_out,
):  # fmt: skip
    """Contacts of all pairs of round geoms.

    Writes:  points_out, marks_out, pairs
    Returns: the number of points
    """
    count = found
    for p in range(pairs.shape[0]):
        if pairs[p, 2] != ROUND:
            continue
        a, b = pairs[p, 0], pairs[p, 1]
        limit = band[a] + band[b]
        if kind[a] == SPHERE and kind[b] == CYLINDER:
            count = collide_sphere_cylinder(
                points_out, marks_out, count, p, centre[a], size[a, 0], centre[b], frame[b], size[b], False, limit
            )
        elif kind[a] == CYLINDER and kind[b] == SPHERE:
            count = collide_sphere_cylinder(
                points_out, marks_out, count, p, centre[b], size[b, 0], centre[a], frame[a], size[a], True, limit
            )
        else:
            after = collide_segments(
                points_out, marks_out, count, p, centre[a], centre[b], frame[a], frame[b], size[a], size[b],
                kind[a] == CYLINDER, kind[b] == CYLINDER, limit,
            )  # fmt: skip
            if after < 0:
                pairs[p, 2] = POLYTOPES
            else:
                count = after
    return count
