"""Kernels that trace ropes of `route.py` on the stack, stop by stop; `route_kernels.py` writes their rows."""

from __future__ import annotations

import math

import numpy as np

from taut.kernel import kernel
from taut.rows.coordinate_kernels import LONG_TURN
from taut.rows.route import LEAST_DISTANCE, NEWTON_PASSES
from taut.rows.route_table import Routes
from taut.rows.table import Places, RowTable
from taut.spatial_kernels import times
from taut.table_types import vector
from taut.tables import RealRows, Wholes

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


@kernel()
def trace_routes(parts: Routes, places: Places, rows: RowTable, g_out: RealRows, onward_out: Wholes) -> None:
    """Where all ropes run.

    Shapes:  g_out (stops, COLUMNS), onward_out (stops,)
    Writes:  g_out, and the stop to which a span between two bodies runs from each, -1 where there is none
    """
    first, stops = 0, parts.row.shape[0]
    while first < stops:
        count = 1
        while first + count < stops and parts.row[first + count] == parts.row[first]:
            count += 1
        g = g_out[first : first + count]
        trace(parts, first, count, places, rows, g)
        for i in range(first, first + count):
            onward_out[i] = -1
        i = 0
        while int(g[i, NEXT]) < count:
            j = int(g[i, NEXT])
            if parts.body[first + i] != parts.body[first + j]:
                onward_out[first + i] = first + j
            i = j
        first += count
