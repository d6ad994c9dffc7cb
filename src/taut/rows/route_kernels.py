"""Kernels of `route.py`: a rope is traced on the stack, stop by stop, and its rows are written span by span."""

from __future__ import annotations

import math

import numpy as np

from taut.kernel import kernel
from taut.rows.arm_kernels import add_arm, least_along, point_entry
from taut.rows.coordinate_kernels import LONG_TURN
from taut.rows.route import LEAST_COSINE, LEAST_DISTANCE, MOST_STOPS, NEWTON_PASSES
from taut.rows.route_table import Routes
from taut.rows.table import Places, RowTable
from taut.spatial_kernels import times
from taut.table_types import matrix, vector
from taut.tables import RealRows

CENTRE, AXIS, ARM, RIM, RADIUS, WRAP, NEXT = 0, 3, 6, 9, 12, 13, 14
"""Columns of a traced stop: centre and axis, arm of the centre, way of the rope where a drum holds it, s r, wrap, and
the next stop of the route."""

NORMAL, LENGTH, RIM_A, RIM_B = 15, 18, 19, 22
"""Columns of the span from a stop on: n, its length, s r rho at its two ends."""

COLUMNS = 25
"""Columns in all."""


@kernel("float64(float64[:, ::1], int64, int64, int64, int64)", inner=True)
def dot(g, i, a, j, b):
    """Product of the vectors in columns a of row i and b of row j."""
    return g[i, a] * g[j, b] + g[i, a + 1] * g[j, b + 1] + g[i, a + 2] * g[j, b + 2]


@kernel("UniTuple(float64, 3)(float64, float64, float64, float64, float64, float64)", inner=True)
def cross(a, b, c, x, y, z):
    """Cross product.

    Returns: the three components
    """
    return b * z - c * y, c * x - a * z, a * y - b * x


@kernel("UniTuple(float64, 3)(float64, float64, float64, float64[:, ::1], int64)", inner=True)
def across(x, y, z, g, i):
    """n x a / |n x a| with the axis of a stop.

    Returns: the three components
    """
    u, v, w = cross(x, y, z, g[i, AXIS], g[i, AXIS + 1], g[i, AXIS + 2])
    size = 1.0 / max(math.sqrt(u * u + v * v + w * w), 1e-300)
    return u * size, v * size, w * size


@kernel("float64(float64[:, ::1], int64, int64, float64[::1])", inner=True)
def start_tangent(g, i, j, d):
    """Where a span between circles starts, as if they had one axis, see `taut.rows.route.tangent`.

    Writes:  RIM_A, RIM_B of row i as rho, d (3,) the line between the centres
    Returns: by what radii are shrunk
    """
    k = i if abs(g[i, RADIUS]) >= abs(g[j, RADIUS]) else j
    x, y, z = g[k, AXIS], g[k, AXIS + 1], g[k, AXIS + 2]
    for c in range(3):
        d[c] = g[j, CENTRE + c] - g[i, CENTRE + c]
    height = x * d[0] + y * d[1] + z * d[2]
    fx, fy, fz = d[0] - height * x, d[1] - height * y, d[2] - height * z
    distance = max(math.sqrt(fx * fx + fy * fy + fz * fz), 1e-12)
    same = 1.0 if dot(g, i, AXIS, j, AXIS) >= 0.0 else -1.0
    offset = g[j, RADIUS] - same * g[i, RADIUS] if k == j else same * g[j, RADIUS] - g[i, RADIUS]
    shrink = min(1.0, distance / max(LEAST_DISTANCE * abs(offset), 1e-300))
    offset *= shrink
    along = math.sqrt(distance * distance - offset * offset)
    u, v, w = cross(x, y, z, fx, fy, fz)
    scale = along / (distance * distance)
    nx = scale * (along * fx - offset * u) + height * x
    ny = scale * (along * fy - offset * v) + height * y
    nz = scale * (along * fz - offset * w) + height * z
    g[i, RIM_A], g[i, RIM_A + 1], g[i, RIM_A + 2] = across(nx, ny, nz, g, i)
    g[i, RIM_B], g[i, RIM_B + 1], g[i, RIM_B + 2] = across(nx, ny, nz, g, j)
    return shrink


@kernel("void(float64[:, ::1], int64, int64, float64, float64[::1])", inner=True)
def improve_tangent(g, i, j, shrink, d):
    """Newton's method for w . rho_i = w . rho_j = 0, w = d + s_j r_j rho_j - s_i r_i rho_i.

    Writes:  RIM_A, RIM_B of row i
    """
    a, b = shrink * g[i, RADIUS], shrink * g[j, RADIUS]
    for _ in range(NEWTON_PASSES):
        ax, ay, az = g[i, RIM_A], g[i, RIM_A + 1], g[i, RIM_A + 2]
        bx, by, bz = g[i, RIM_B], g[i, RIM_B + 1], g[i, RIM_B + 2]
        wx, wy, wz = d[0] + b * bx - a * ax, d[1] + b * by - a * ay, d[2] + b * bz - a * az
        miss_a = wx * ax + wy * ay + wz * az if a != 0.0 else 0.0
        miss_b = wx * bx + wy * by + wz * bz if b != 0.0 else 0.0
        if max(abs(miss_a), abs(miss_b)) <= 1e-15 * math.sqrt(wx * wx + wy * wy + wz * wz):
            return
        px, py, pz = cross(g[i, AXIS], g[i, AXIS + 1], g[i, AXIS + 2], ax, ay, az)
        qx, qy, qz = cross(g[j, AXIS], g[j, AXIS + 1], g[j, AXIS + 2], bx, by, bz)
        first, second = wx * px + wy * py + wz * pz, wx * qx + wy * qy + wz * qz
        upper, lower = b * (ax * qx + ay * qy + az * qz), -a * (bx * px + by * py + bz * pz)
        scale = 1.0 / (first * second - upper * lower)
        s, t = scale * (upper * miss_b - second * miss_a), scale * (lower * miss_a - first * miss_b)
        u, v = 1.0 / math.sqrt(1.0 + s * s), 1.0 / math.sqrt(1.0 + t * t)
        g[i, RIM_A], g[i, RIM_A + 1], g[i, RIM_A + 2] = (ax + s * px) * u, (ay + s * py) * u, (az + s * pz) * u
        g[i, RIM_B], g[i, RIM_B + 1], g[i, RIM_B + 2] = (bx + t * qx) * v, (by + t * qy) * v, (bz + t * qz) * v


@kernel("void(float64[:, ::1], int64, int64)", inner=True)
def find_span(g, i, j):
    """The straight span from stop i to stop j.

    Writes:  NORMAL, LENGTH, RIM_A, RIM_B of row i
    """
    d = vector(3)
    shrink = start_tangent(g, i, j, d)
    improve_tangent(g, i, j, shrink, d)
    for c in range(3):
        g[i, RIM_A + c] *= shrink * g[i, RADIUS]
        g[i, RIM_B + c] *= shrink * g[j, RADIUS]
        g[i, NORMAL + c] = d[c] + g[i, RIM_B + c] - g[i, RIM_A + c]
    length = math.sqrt(dot(g, i, NORMAL, i, NORMAL))
    g[i, LENGTH] = length
    for c in range(3):
        # points that coincide have no direction of their own: any unit vector is a valid subgradient
        g[i, NORMAL + c] = g[i, NORMAL + c] / length if length > 1e-12 else (0.0 if c < 2 else 1.0)


@kernel("float64(float64[:, ::1], int64, int64, int64, int64, int64, float64)", inner=True)
def wrap_of(g, i, j, into, k, onto, near):
    """How far a rope lies around stop i, rad, counted next to `near`.

    It comes along the vector in columns `into` of row j and goes on along that in columns `onto` of row k.

    Returns: the wrap
    """
    ax, ay, az = g[j, into], g[j, into + 1], g[j, into + 2]
    bx, by, bz = g[k, onto], g[k, onto + 1], g[k, onto + 2]
    if g[i, RADIUS] == 0.0:
        x, y, z = cross(ax, ay, az, bx, by, bz)
        return math.atan2(math.sqrt(x * x + y * y + z * z), ax * bx + ay * by + az * bz)
    ax, ay, az = across(ax, ay, az, g, i)
    bx, by, bz = across(bx, by, bz, g, i)
    x, y, z = cross(ax, ay, az, bx, by, bz)
    sense = 1.0 if g[i, RADIUS] > 0.0 else -1.0
    sine = sense * (g[i, AXIS] * x + g[i, AXIS + 1] * y + g[i, AXIS + 2] * z)
    turn = math.atan2(sine, ax * bx + ay * by + az * bz)
    return turn + 2.0 * math.pi * np.round((near - turn) / (2.0 * math.pi))


@kernel(inner=True)
def expected_wrap(parts: Routes, stop: int, rows: RowTable, g: RealRows, i: int) -> float:
    """The wrap next to which turns of a stop are counted, rad: that of before, and what a drum turned since."""
    near, path = rows.coordinate_reference[parts.slot[stop]], rows.coordinate_path[parts.body[stop]]
    turn = g[i, AXIS] * path[3] + g[i, AXIS + 1] * path[4] + g[i, AXIS + 2] * path[5]
    if parts.drum[stop] != 0 and abs(turn) > LONG_TURN:
        sense = 1.0 if parts.radius[stop] > 0.0 else -1.0
        near += sense * turn * (1.0 if i > 0 else -1.0)
    return near


@kernel(inner=True)
def place_stops(parts: Routes, first: int, count: int, places: Places, g: RealRows) -> None:
    """Where the stops of a rope are.

    Writes:  CENTRE to NEXT of g
    """
    for i in range(count):
        stop = first + i
        body, sense = parts.body[stop], 1.0 if parts.radius[stop] > 0.0 else -1.0
        turn = places.rotation[body]
        g[i, ARM], g[i, ARM + 1], g[i, ARM + 2] = times(turn, parts.point[stop])
        g[i, AXIS], g[i, AXIS + 1], g[i, AXIS + 2] = times(turn, parts.axis[stop])
        x, y, z = times(turn, parts.start[stop])
        x, y, z = cross(g[i, AXIS], g[i, AXIS + 1], g[i, AXIS + 2], x, y, z)
        g[i, RIM], g[i, RIM + 1], g[i, RIM + 2] = sense * x, sense * y, sense * z
        for c in range(3):
            g[i, CENTRE + c] = places.position[body, c] + g[i, ARM + c]
        g[i, RADIUS], g[i, WRAP], g[i, NEXT] = parts.radius[stop], 0.0, i + 1.0


@kernel(inner=True)
def leave_out(parts: Routes, first: int, i: int, places: Places, g: RealRows) -> None:
    """Leave stop i out of the route; a drum that no rope is left on holds it at a point of its rim.

    Writes:  NEXT of the stop before, or CENTRE, ARM and RADIUS
    """
    if parts.drum[first + i] != 0:
        radius = abs(g[i, RADIUS])
        x, y, z = times(places.rotation[parts.body[first + i]], parts.start[first + i])
        for k in (CENTRE, ARM):
            g[i, k] += radius * x
            g[i, k + 1] += radius * y
            g[i, k + 2] += radius * z
        g[i, RADIUS] = 0.0
        return
    before = 0
    while int(g[before, NEXT]) != i:
        before = int(g[before, NEXT])
    g[before, NEXT] = g[i, NEXT]


@kernel(inner=True)
def trace(parts: Routes, first: int, count: int, places: Places, rows: RowTable, g: RealRows) -> None:
    """The route of a rope; the stop whose wrap is the most negative is left out first, until none is.

    Writes:  g
    """
    place_stops(parts, first, count, places, g)
    again = True
    while again:
        i, before, worst, least = 0, -1, -1, 0.0
        while i < count:
            stop, onward = first + i, int(g[i, NEXT])
            if onward < count:
                find_span(g, i, onward)
            drum = parts.drum[stop] != 0
            if parts.slot[stop] >= 0 and (g[i, RADIUS] != 0.0 or not drum):
                j, into = (before, NORMAL) if before >= 0 else (i, RIM)
                onto = NORMAL if onward < count else RIM
                g[i, WRAP] = wrap_of(g, i, j, into, i, onto, expected_wrap(parts, stop, rows, g, i))
                if g[i, RADIUS] != 0.0 and g[i, WRAP] < least:
                    worst, least = i, g[i, WRAP]
            before, i = i, onward
        again = worst >= 0
        if again:
            leave_out(parts, first, worst, places, g)


@kernel("void(float64[::1], float64[::1], float64[::1], float64, float64, float64, float64)", inner=True)
def add_block(
    block_out,  # (6,)
    pull, arm,  # (3,) at arm, m
    sign, x, y, z,  # and a couple
):  # fmt: skip
    """Add sign (n, r x n) and a couple (0, c) to a Jacobian block.

    Writes:  block_out
    """
    u, v, w = cross(arm[0], arm[1], arm[2], pull[0], pull[1], pull[2])
    block_out[3] += sign * u + x
    block_out[4] += sign * v + y
    block_out[5] += sign * w + z
    for c in range(3):
        block_out[c] += sign * pull[c]


@kernel("void(float64[:, ::1], int64, int64, float64[:, ::1])", inner=True)
def pull_of(g, i, j, out):
    """How the span from stop i to stop j pulls, with the wraps at its ends, see `RoutePart.blocks`.

    Writes:  rows of out (5, 3): pull, arms at both ends, couples at both ends
    """
    turns, weight, size, inverse = matrix(2, 3), vector(2), vector(2), 1.0 / max(g[i, LENGTH], 1e-12)
    nx, ny, nz = g[i, NORMAL], g[i, NORMAL + 1], g[i, NORMAL + 2]
    for k in range(2):
        stop, rim = (i, RIM_A) if k == 0 else (j, RIM_B)
        sine = dot(g, stop, AXIS, i, NORMAL)
        cosine = max(math.sqrt(max(1.0 - sine * sine, 0.0)), LEAST_COSINE)
        size[k] = math.copysign(math.sqrt(dot(g, i, rim, i, rim)), g[stop, RADIUS])
        weight[k] = (1.0 - 2.0 * k) * size[k] * (1.0 - cosine)
        x, y, z = cross(g[stop, AXIS], g[stop, AXIS + 1], g[stop, AXIS + 2], nx, ny, nz)
        turns[k, 0], turns[k, 1], turns[k, 2] = x / cosine**2, y / cosine**2, z / cosine**2
        for c in range(3):
            out[1 + k, c] = g[stop, ARM + c] + g[i, rim + c]
    # (1, p; q, 1)^T f = e: how far turns at the two ends hang together
    x, y, z = cross(g[j, AXIS], g[j, AXIS + 1], g[j, AXIS + 2], g[i, RIM_B], g[i, RIM_B + 1], g[i, RIM_B + 2])
    p = -inverse * (turns[0, 0] * x + turns[0, 1] * y + turns[0, 2] * z)
    x, y, z = cross(g[i, AXIS], g[i, AXIS + 1], g[i, AXIS + 2], g[i, RIM_A], g[i, RIM_A + 1], g[i, RIM_A + 2])
    q = inverse * (turns[1, 0] * x + turns[1, 1] * y + turns[1, 2] * z)
    scale = 1.0 / (1.0 - p * q)
    weight[0], weight[1] = scale * (weight[0] - q * weight[1]), scale * (weight[1] - p * weight[0])
    for c in range(3):
        out[0, c] = g[i, NORMAL + c] + inverse * (weight[0] * turns[0, c] + weight[1] * turns[1, c])
    for k in range(2):
        x, y, z = cross(nx, ny, nz, turns[k, 0], turns[k, 1], turns[k, 2])
        out[3 + k, 0], out[3 + k, 1], out[3 + k, 2] = -weight[k] * x, -weight[k] * y, -weight[k] * z


@kernel(inner=True)
def write_span(parts: Routes, first: int, i: int, j: int, rows: RowTable, g: RealRows) -> float:
    """Add the span from stop i to stop j to the rows of its rope: to the length, and to the slips at stops up to i.

    Writes:  jacobian of rows
    Returns: the force along it, N, negative where it pulls
    """
    pull, a, b, force = matrix(5, 3), first + i, first + j, rows.force[parts.row[first]]
    pull_of(g, i, j, pull)
    for stop in range(first - 1, a + 1):
        row = parts.row[first] if stop < first else parts.slip[stop]
        if row < 0:
            continue
        if stop >= first:
            force += rows.force[row]
        entry = parts.entry[a] + parts.width[a] * (row - parts.row[a])
        x, y, z = pull[3, 0], pull[3, 1], pull[3, 2]
        add_block(rows.jacobian[entry + parts.block[a]], pull[0], pull[1], -1.0, x, y, z)
        x, y, z = pull[4, 0], pull[4, 1], pull[4, 2]
        add_block(rows.jacobian[entry + parts.block[b]], pull[0], pull[2], 1.0, x, y, z)
    return force


@kernel(inner=True)
def stiffen_span(parts: Routes, first: int, i: int, j: int, force: float, rows: RowTable, g: RealRows) -> None:
    """Geometric stiffness of the span from stop i to stop j with this force along it, see `RoutePart`.

    Writes:  stiffness of rows, jacobian of companions
    """
    a, b = first + i, first + j
    nx, ny, nz = g[i, NORMAL], g[i, NORMAL + 1], g[i, NORMAL + 2]
    x, y, z, u, v, w = g[i, ARM], g[i, ARM + 1], g[i, ARM + 2], g[j, ARM], g[j, ARM + 1], g[j, ARM + 2]
    add_arm(rows.stiffness[parts.body[a]], x, y, z, -force * nx, -force * ny, -force * nz)
    add_arm(rows.stiffness[parts.body[b]], u, v, w, force * nx, force * ny, force * nz)
    stop = a
    while parts.companion[stop] < 0:  # of stops that are left out between the two, one has some
        stop += 1
    tx, ty, tz = least_along(nx, ny, nz)
    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
    beta = rows.beta[parts.row[a]]
    root = math.sqrt(rows.step[0] * beta * max(-force, 0.0) / max(g[i, LENGTH], 1e-12))
    entry, other = parts.companion[stop], parts.companion[stop] + parts.width[a]
    point_entry(rows.jacobian[entry + parts.block[a]], -root, tx, ty, tz, x, y, z)
    point_entry(rows.jacobian[entry + parts.block[b]], root, tx, ty, tz, u, v, w)
    point_entry(rows.jacobian[other + parts.block[a]], -root, sx, sy, sz, x, y, z)
    point_entry(rows.jacobian[other + parts.block[b]], root, sx, sy, sz, u, v, w)


@kernel(inner=True)
def clear(parts: Routes, first: int, count: int, rows: RowTable) -> None:
    """Begin with nothing in the rows of a rope.

    Writes:  value, jacobian of rows
    """
    row, entry, width = parts.row[first], parts.entry[first], parts.width[first]
    rows.value[row] = 0.0
    clear_blocks(rows.jacobian, entry, width)
    for stop in range(first, first + count):
        if parts.slip[stop] >= 0:
            rows.value[parts.slip[stop]] = 0.0
            clear_blocks(rows.jacobian, entry + width * (parts.slip[stop] - row), width)
        if parts.companion[stop] >= 0:
            clear_blocks(rows.jacobian, parts.companion[stop], 2 * width)


@kernel("void(float64[:, ::1], int64, int64)", inner=True)
def clear_blocks(jacobian_out, first, count):
    """Set so many blocks to zero.

    Writes:  jacobian_out
    """
    for block in range(first, first + count):
        for c in range(6):
            jacobian_out[block, c] = 0.0


@kernel(apart=True)
def evaluate_routes(parts: Routes, places: Places, rows: RowTable) -> None:
    """Lengths and slips of ropes, Jacobians, arm blocks and companion rows, see `RoutePart`; angles are there already.

    Writes:  value, jacobian, stiffness, coordinate of wraps of rows
    """
    g, first, stops = matrix(MOST_STOPS, COLUMNS), 0, parts.row.shape[0]
    while first < stops:
        row, count = parts.row[first], 1
        while first + count < stops and parts.row[first + count] == row:
            count += 1
        clear(parts, first, count, rows)
        trace(parts, first, count, places, rows, g)
        for i in range(count):
            if parts.slot[first + i] >= 0:
                rows.coordinate[parts.slot[first + i]] = g[i, WRAP]
                rows.value[row] += abs(parts.radius[first + i]) * max(g[i, WRAP], 0.0)
        i = 0
        while int(g[i, NEXT]) < count:
            j = int(g[i, NEXT])
            rows.value[row] += g[i, LENGTH]
            if parts.body[first + i] != parts.body[first + j]:
                stiffen_span(parts, first, i, j, write_span(parts, first, i, j, rows, g), rows, g)
            i = j
        first += count
    for term in range(parts.factor.shape[0]):
        slot, c = parts.winding_slot[term], parts.factor[term]
        rows.value[parts.winding_row[term]] += c * rows.coordinate[slot]
        for k in range(6):
            rows.jacobian[parts.block_a[term], k] += c * rows.coordinate_jacobian[2 * slot, k]
            rows.jacobian[parts.block_b[term], k] += c * rows.coordinate_jacobian[2 * slot + 1, k]
