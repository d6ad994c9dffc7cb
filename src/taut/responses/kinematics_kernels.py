"""Kernels of trees: joint coordinates from where bodies are, bodies from their joint coordinates, and how joints move.

Joint coordinates are read off poses, and poses are made of them from the root on: the nearest configuration in which
no joint is open. Nobody keeps them, so nothing drifts and nothing has to be kept in step with them.
"""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.model.articulation import ABOUT_AXIS, ABOUT_TWO_AXES, ANY_TURN, NO_TURN, Articulation
from taut.rows.table import Places
from taut.spatial_kernels import times
from taut.table_types import matrix, vector
from taut.tables import RealRows, Reals


@kernel(inner=True)
def compose(left: Reals, right: Reals, out: Reals) -> None:
    """Product of two quaternions (4,); `out` is neither of them.

    Writes:  out
    """
    a, b, c, d = left[0], left[1], left[2], left[3]
    w, x, y, z = right[0], right[1], right[2], right[3]
    out[0] = a * w - b * x - c * y - d * z
    out[1] = a * x + b * w + c * z - d * y
    out[2] = a * y - b * z + c * w + d * x
    out[3] = a * z + b * y - c * x + d * w


@kernel(inner=True)
def reverse(quaternion: Reals, out: Reals) -> None:
    """The inverse of a unit quaternion (4,).

    Writes:  out
    """
    out[0], out[1], out[2], out[3] = quaternion[0], -quaternion[1], -quaternion[2], -quaternion[3]


@kernel(inner=True)
def compose_back(left: Reals, right: Reals, out: Reals) -> None:
    """The inverse of a unit quaternion (4,) times another: what turns the first into the second, in its axes.

    Writes:  out
    """
    back = vector(4)
    reverse(left, back)
    compose(back, right, out)


@kernel(inner=True)
def unit_factor(square: float) -> float:
    """What makes a quaternion of this size, squared, a unit one; most are nearly, so that 1 / sqrt(1 + e) = 1 - e / 2.

    Returns: 1 / sqrt(square), to rounding
    """
    excess = square - 1.0
    return 1.0 - 0.5 * excess if abs(excess) < 1e-8 else 1.0 / math.sqrt(square)


@kernel(inner=True)
def keep_turn_about(axis: Reals, quaternion: Reals) -> None:
    """Keep of a rotation (4,) what turns about an axis (3,): the nearest rotation about it.

    Writes:  quaternion
    """
    w = quaternion[0]
    s = quaternion[1] * axis[0] + quaternion[2] * axis[1] + quaternion[3] * axis[2]
    square = w * w + s * s
    if square > 0.0:
        size = unit_factor(square)
        w, s = size * w, size * s
    else:
        w, s = 1.0, 0.0
    quaternion[0], quaternion[1], quaternion[2], quaternion[3] = w, s * axis[0], s * axis[1], s * axis[2]


@kernel("UniTuple(float64, 3)(float64[::1], float64[::1])", inner=True)
def turned(quaternion, direction):
    """A vector (3,) turned by a unit quaternion (4,).

    Returns: its components
    """
    w, x, y, z = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    a, b, c = direction[0], direction[1], direction[2]
    i, j, k = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * i + y * k - z * j, b + w * j + z * i - x * k, c + w * k + x * j - y * i


@kernel(inner=True)
def nearest_turn(t: Articulation, node: int, relative: Reals) -> None:
    """Put the orientation (4,) of B relative to A where the joint of a node allows it to be.

        R = exp(a alpha) R_0 exp(b beta)        alpha about an axis of A, beta about one of B, each if there is one

    Writes:  relative
    """
    kind, start = t.turn[node], t.relative[node]
    error, first = vector(4), vector(4)
    if kind == NO_TURN:
        for i in range(4):
            relative[i] = start[i]
    elif kind == ABOUT_AXIS:
        # the rotation in A's axes that leads from R_0 here
        back = vector(4)
        reverse(start, back)
        compose(relative, back, error)
        keep_turn_about(t.axis_a[node], error)
        compose(error, start, relative)
    elif kind == ABOUT_TWO_AXES:
        a, b = t.axis_a[node], t.axis_b[node]
        px, py, pz = turned(start, b)
        x, y, z = turned(relative, b)
        sine = a[0] * (py * z - pz * y) + a[1] * (pz * x - px * z) + a[2] * (px * y - py * x)
        half = 0.5 * math.atan2(sine, px * x + py * y + pz * z)
        s, both = math.sin(half), vector(4)
        first[0], first[1], first[2], first[3] = math.cos(half), s * a[0], s * a[1], s * a[2]
        compose(first, start, both)
        compose_back(both, relative, error)
        keep_turn_about(b, error)
        compose(both, error, relative)


@kernel()
def read_coordinates(t: Articulation, places: Places, coordinate_out: RealRows) -> None:
    """Joint coordinates of where bodies are: the nearest relative orientation that each joint allows, and its slides.

    Shapes:  coordinate_out (nodes, 7), a unit quaternion and up to three slides in m
    Writes:  coordinate_out
    """
    for node in range(t.body.shape[0]):
        if t.carrier[node] < 0:
            continue
        a, b = (t.body[node], t.carrier[node]) if t.flipped[node] != 0 else (t.carrier[node], t.body[node])
        out = coordinate_out[node]
        compose_back(places.orientation[a], places.orientation[b], out[:4])
        nearest_turn(t, node, out[:4])
        if t.slides[node] == 0:
            continue
        r, p, x, y = places.rotation[a], t.point_a[node], places.position[a], places.position[b]
        dx, dy, dz = times(places.rotation[b], t.point_b[node])
        dx, dy, dz = dx + y[0] - x[0], dy + y[1] - x[1], dz + y[2] - x[2]
        i = r[0] * dx + r[3] * dy + r[6] * dz - p[0]
        j = r[1] * dx + r[4] * dy + r[7] * dz - p[1]
        k = r[2] * dx + r[5] * dy + r[8] * dz - p[2]
        for slide in range(t.slides[node]):
            axis = t.slide_axis[node, 3 * slide : 3 * slide + 3]
            out[4 + slide] = axis[0] * i + axis[1] * j + axis[2] * k


@kernel(inner=True)
def set_orientation(source: Reals, orientation_out: Reals, rotation_out: Reals) -> None:
    """A quaternion (4,), normalised, and its rotation matrix (9,).

    Writes:  orientation_out, rotation_out
    """
    w, x, y, z = source[0], source[1], source[2], source[3]
    size = unit_factor((w * w + x * x) + (y * y + z * z))
    w, x, y, z = size * w, size * x, size * y, size * z
    orientation_out[0], orientation_out[1], orientation_out[2], orientation_out[3] = w, x, y, z
    r = rotation_out
    r[0], r[1], r[2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    r[3], r[4], r[5] = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    r[6], r[7], r[8] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)


@kernel()
def place_nodes(t: Articulation, coordinate: RealRows, places: Places) -> None:
    """Bodies of trees from their joint coordinates, root by root and leaf by leaf; those that float stay.

    Shapes:  coordinate (nodes, 7), see `read_coordinates`
    Writes:  places of bodies in trees
    """
    product, back, slid = vector(4), vector(4), vector(3)
    for node in range(t.body.shape[0]):
        carrier, body, q = t.carrier[node], t.body[node], coordinate[node]
        if carrier < 0:
            continue
        p = t.point_a[node]
        for i in range(3):
            slid[i] = p[i]
            for slide in range(t.slides[node]):
                slid[i] += t.slide_axis[node, 3 * slide + i] * q[4 + slide]
        if t.flipped[node] != 0:
            reverse(q, back)
            compose(places.orientation[carrier], back, product)
        else:
            compose(places.orientation[carrier], q[:4], product)
        set_orientation(product, places.orientation[body], places.rotation[body])
        # the joint's point as its carrier has it, less that of the body
        r, s = places.rotation[carrier], places.rotation[body]
        if t.flipped[node] != 0:
            x, y, z = times(r, t.point_b[node])
            i, j, k = times(s, slid)
        else:
            x, y, z = times(r, slid)
            i, j, k = times(s, t.point_b[node])
        start, end = places.position[carrier], places.position[body]
        end[0], end[1], end[2] = start[0] + x - i, start[1] + y - j, start[2] + z - k


@kernel()
def find_subspace(t: Articulation, places: Places, arm_out: RealRows, subspace_out: RealRows) -> None:
    """How each degree of freedom moves its body, at its centre of mass in world axes.           [Baxter2019, eq. 2.19]

        V = X V_parent + S qdot

    Shapes:  arm_out (nodes, 3) m from the parent's centre of mass; subspace_out (dofs, 6) columns of S, (linear,
             angular)
    Writes:  arm_out, subspace_out
    """
    axes = matrix(6, 3)
    for node in range(t.body.shape[0]):
        body, carrier, dof = t.body[node], t.carrier[node], t.dof_start[node]
        x, parent = places.position[body], t.parent[node]
        for i in range(3):
            arm_out[node, i] = x[i] - places.position[t.body[parent], i] if parent >= 0 else 0.0
        if carrier < 0:
            for i in range(6):
                for j in range(6):
                    subspace_out[dof + i, j] = 1.0 if i == j else 0.0
            continue
        a, b = (body, carrier) if t.flipped[node] != 0 else (carrier, body)
        ra, rb, sign = places.rotation[a], places.rotation[b], -1.0 if t.flipped[node] != 0 else 1.0
        slides, kind = t.slides[node], t.turn[node]
        for slide in range(slides):
            column = subspace_out[dof + slide]
            column[0], column[1], column[2] = times(ra, t.slide_axis[node, 3 * slide : 3 * slide + 3])
            for i in range(3):
                column[i] *= sign
                column[3 + i] = 0.0
        turns = 0
        if kind == ANY_TURN:
            turns = 3
            for i in range(3):
                for j in range(3):
                    axes[i, j] = 1.0 if i == j else 0.0
        elif kind != NO_TURN:
            axes[0, 0], axes[0, 1], axes[0, 2] = times(ra, t.axis_a[node])
            axes[1, 0], axes[1, 1], axes[1, 2] = times(rb, t.axis_b[node])
            turns = 1 if kind == ABOUT_AXIS else 2
        px, py, pz = times(rb, t.point_b[node])
        dx = x[0] - places.position[b, 0] - px
        dy = x[1] - places.position[b, 1] - py
        dz = x[2] - places.position[b, 2] - pz
        for i in range(turns):
            u, v, w = sign * axes[i, 0], sign * axes[i, 1], sign * axes[i, 2]
            column = subspace_out[dof + slides + i]
            column[0], column[1], column[2] = v * dz - w * dy, w * dx - u * dz, u * dy - v * dx
            column[3], column[4], column[5] = u, v, w


@kernel(inner=True)
def turn_between(start: Reals, end: Reals, turn_out: Reals) -> None:
    """Rotation vector (3,) from one orientation (4,) to another, in world axes, the shorter way.

    Writes:  turn_out
    """
    a, b, c, d = start[0], -start[1], -start[2], -start[3]
    w, x, y, z = end[0], end[1], end[2], end[3]
    p = w * a - x * b - y * c - z * d
    i = w * b + x * a + y * d - z * c
    j = w * c - x * d + y * a + z * b
    k = w * d + x * c - y * b + z * a
    square = i * i + j * j + k * k
    if p < 0.0:
        p, i, j, k = -p, -i, -j, -k
    if square < 1e-4:
        # 2 arcsin(s) / s, whose next term is below rounding
        share = 2.0 + square * (1.0 / 3.0 + square * (0.15 + square * (5.0 / 56.0)))
    else:
        size = math.sqrt(square)
        share = 2.0 * math.atan2(size, p) / size
    turn_out[0], turn_out[1], turn_out[2] = share * i, share * j, share * k
