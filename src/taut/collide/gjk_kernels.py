"""The direction between two convex bodies: the point of their difference that is nearest the origin.

Gilbert, Johnson and Keerthi's method [GJK1988] on two sets of corners. It is at its best where the bodies are clearly
apart, so bodies that touch are given to it with their corners moved inward. Gaps are measured afterwards, on the faces
and edges themselves.
"""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel

ROUNDS = 40
"""Most supports that are tried; a few are enough for bodies of a hundred corners."""

APART, NEAR, OVERLAP = 0, 1, 2
"""Outcome: farther apart than the limit; near, with a direction; overlapping."""


@kernel("int64(float64[:, ::1], float64, float64, float64)", inner=True)
def support(
    corners,  # (v, 3) m
    x, y, z,
):  # fmt: skip
    """The corner that is farthest along a direction; the first of equals."""
    best, record = 0, -1e300
    for i in range(corners.shape[0]):
        c = corners[i]
        value = c[0] * x + c[1] * y + c[2] * z
        if value > record:
            best, record = i, value
    return best


@kernel("float64(float64[:, ::1], float64[::1])", inner=True)
def farthest(
    corners,  # (v, 3) m
    way,  # (3,) unit
):  # fmt: skip
    """How far corners reach along a direction, m."""
    tip = corners[support(corners, way[0], way[1], way[2])]
    return tip[0] * way[0] + tip[1] * way[1] + tip[2] * way[2]


@kernel("UniTuple(float64, 3)(float64[::1], float64[::1], float64[::1])", inner=True)
def triangle_nearest(
    a, b, c,  # (3,) m; c may be b, and both may be a
):  # fmt: skip
    """Weights of the point of a triangle that is nearest the origin [Ericson2005, sec. 5.1.5].

    Returns: the weights of a, b and c
    """
    d1, d2, d3, d4, d5, d6 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        ab, ac = b[k] - a[k], c[k] - a[k]
        d1, d2 = d1 - ab * a[k], d2 - ac * a[k]
        d3, d4 = d3 - ab * b[k], d4 - ac * b[k]
        d5, d6 = d5 - ab * c[k], d6 - ac * c[k]
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vc, vb, va = d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4
    # no area, up to rounding: a segment
    flat = va + vb + vc <= 1e-13 * (d1 - d3) * (d2 - d6)
    if (vc <= 0.0 or flat) and d1 >= 0.0 and d3 <= 0.0:
        share = d1 / (d1 - d3)
        return 1.0 - share, share, 0.0
    if (vb <= 0.0 or flat) and d2 >= 0.0 and d6 <= 0.0:
        share = d2 / (d2 - d6)
        return 1.0 - share, 0.0, share
    if (va <= 0.0 or flat) and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        share = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - share, share
    scale = 1.0 / (va + vb + vc)
    return 1.0 - (vb + vc) * scale, vb * scale, vc * scale


@kernel("boolean(float64[:, ::1])", inner=True)
def holds_origin(
    simplex,  # (4, 3)
):
    """Whether the origin is inside a tetrahedron: on the same side of each face as the fourth corner."""
    for i in range(4):
        p, q, r, t = simplex[i], simplex[(i + 1) % 4], simplex[(i + 2) % 4], simplex[(i + 3) % 4]
        x, y, z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        u, v, w = r[0] - p[0], r[1] - p[1], r[2] - p[2]
        nx, ny, nz = y * w - z * v, z * u - x * w, x * v - y * u
        own = nx * (t[0] - p[0]) + ny * (t[1] - p[1]) + nz * (t[2] - p[2])
        if own * (nx * p[0] + ny * p[1] + nz * p[2]) >= 0.0:
            return False
    return True


@kernel("boolean(float64[:, ::1], int64, boolean, float64[::1], float64[::1])", inner=True)
def shrink_simplex(
    simplex,  # (4, 3) points, the newest first
    count,  # points in use
    apart,  # whether the origin is known to be outside: rounding decides which side of a flat tetrahedron it is on
    weight_out,  # (4,): zeros for points that are not needed
    nearest_out,  # (3,)
):  # fmt: skip
    """The point of a simplex of 1 to 4 points that is nearest the origin, and the points that carry it.

    Writes:  weight_out, nearest_out
    Returns: whether the origin is inside
    """
    if count == 4 and not apart and holds_origin(simplex):
        return True
    record = 1e300
    for face in range(3 if count == 4 else 1):
        # faces that hold the newest point; where there are fewer points, the last is repeated
        j, k = min(1 + face % 2, count - 1), min(2 + (face + 1) // 2, count - 1)
        p, q, r = triangle_nearest(simplex[0], simplex[j], simplex[k])
        x = p * simplex[0, 0] + q * simplex[j, 0] + r * simplex[k, 0]
        y = p * simplex[0, 1] + q * simplex[j, 1] + r * simplex[k, 1]
        z = p * simplex[0, 2] + q * simplex[j, 2] + r * simplex[k, 2]
        value = x * x + y * y + z * z
        if value < record:
            record = value
            nearest_out[0], nearest_out[1], nearest_out[2] = x, y, z
            for i in range(4):
                weight_out[i] = 0.0
            weight_out[0] += p
            weight_out[j] += q
            weight_out[k] += r
    return False


@kernel("int64(float64[:, ::1], int64[:, ::1], int64, float64[::1])", inner=True)
def drop_unused(
    simplex, index, count, weight,  # as in `shrink_simplex`
):  # fmt: skip
    """Keep the points that carry weight.

    Writes:  simplex, index, weight
    Returns: their number
    """
    kept = 0
    for i in range(count):
        if weight[i] > 0.0:
            weight[kept] = weight[i]
            index[kept, 0], index[kept, 1] = index[i, 0], index[i, 1]
            for k in range(3):
                simplex[kept, k] = simplex[i, k]
            kept += 1
    return kept


@kernel("void(float64[:, ::1], int64[:, ::1], int64, float64[:, ::1], float64[:, ::1], int64, int64)", inner=True)
def push_corner(
    simplex, index,  # as in `nearest_direction`
    count,
    corners_a, corners_b, a, b,
):  # fmt: skip
    """Put the difference of two corners in front of the simplex.

    Writes:  simplex, index
    """
    for i in range(count, 0, -1):
        index[i, 0], index[i, 1] = index[i - 1, 0], index[i - 1, 1]
        for k in range(3):
            simplex[i, k] = simplex[i - 1, k]
    index[0, 0], index[0, 1] = a, b
    for k in range(3):
        simplex[0, k] = corners_b[b, k] - corners_a[a, k]


@kernel(
    "int64(float64[:, ::1], float64[:, ::1], float64, float64[:, ::1], int64[:, ::1], float64[::1], float64[:, ::1])",
    apart=True,
)
def nearest_direction(
    corners_a, corners_b,  # (v, 3) m
    limit,  # m
    simplex, index,  # scratch (6, 3), (5, 2); index[4, 0] is 1 if both nearest points are corners, else more
    normal_out,  # (3,) unit, from A to B; a first guess of any length on entry
    witness_out,  # (2, 3) nearest points
):  # fmt: skip
    """Direction from A to B along which the two bodies are farthest apart.

    Writes:  simplex, index, normal_out, witness_out
    Returns: `APART`, `NEAR` or `OVERLAP`; without a direction for the first, with neither for the last
    """
    weight, v, count = simplex[4:6].reshape(6)[:4], normal_out, 0
    for _ in range(ROUNDS):
        length2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
        a, b = support(corners_a, v[0], v[1], v[2]), support(corners_b, -v[0], -v[1], -v[2])
        p, q = corners_a[a], corners_b[b]
        ahead = v[0] * (q[0] - p[0]) + v[1] * (q[1] - p[1]) + v[2] * (q[2] - p[2])
        if ahead > 0.0 and ahead * ahead > limit * limit * length2:
            return APART
        known = False
        for i in range(count):
            known = known or (index[i, 0] == a and index[i, 1] == b)
        if count > 0 and (known or length2 - ahead <= 1e-13 * length2):
            break
        push_corner(simplex, index, count, corners_a, corners_b, a, b)
        if shrink_simplex(simplex, count + 1, ahead > 0.0, weight, v):
            return OVERLAP
        size2 = simplex[0, 0] ** 2 + simplex[0, 1] ** 2 + simplex[0, 2] ** 2
        if v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= 1e-20 * size2:
            return OVERLAP
        count = drop_unused(simplex, index, count + 1, weight)
    scale = 1.0 / np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    for k in range(3):
        witness_out[0, k] = witness_out[1, k] = 0.0
        for i in range(count):
            witness_out[0, k] += weight[i] * corners_a[index[i, 0], k]
            witness_out[1, k] += weight[i] * corners_b[index[i, 1], k]
        v[k] *= scale
    index[4, 0] = count
    return NEAR
