"""Kernels of `route.py`: ropes are traced, and their rows written span by span."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.rows.arm_kernels import add_arm, least_along, point_entry
from taut.rows.route import LEAST_COSINE, MOST_STOPS
from taut.rows.route_table import Routes
from taut.rows.route_trace_kernels import (
    ARM,
    AXIS,
    COLUMNS,
    LENGTH,
    NEXT,
    NORMAL,
    RADIUS,
    RIM_A,
    RIM_B,
    WRAP,
    cross,
    dot,
    trace,
)
from taut.rows.table import Places, RowTable
from taut.table_types import matrix, vector
from taut.tables import RealRows


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
    """Lengths and slips of ropes, Jacobians, arm blocks and companion rows, see `RoutePart`.

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


@kernel(inner=True)
def bound_slips(parts: Routes, rows: RowTable) -> None:
    """Bounds of slips with the tensions that rows have now, T_out = T_in - f with T_in e^-mu theta <= T_out <= T_in
    e^mu theta [capstan].

    Writes:  lower, upper of rows
    """
    tension, row, h = 0.0, -1, rows.step[0]
    for stop in range(parts.row.shape[0]):
        if parts.row[stop] != row:
            row = parts.row[stop]
            tension = -rows.force[row]
        slip = parts.slip[stop]
        if slip >= 0:
            grip = math.exp(parts.friction[stop] * max(rows.coordinate[parts.slot[stop]], 0.0))
            rows.lower[slip] = -h * (grip - 1.0) * max(tension, 0.0)
            rows.upper[slip] = h * (1.0 - 1.0 / grip) * max(tension, 0.0)
            tension -= rows.force[slip]
