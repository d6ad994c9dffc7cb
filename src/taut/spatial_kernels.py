"""Rotations in compiled code: matrices as nine numbers a body, row by row."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel


@kernel("void(float64[:, ::1], float64[:, ::1])")
def rotation_matrices(
    orientation,  # (bodies, 4)
    rotation_out,  # (bodies, 9)
):
    """Rotation matrices of unit quaternions.

    Writes:  rotation_out
    Cost:    about 30 flops a body
    """
    for body in range(orientation.shape[0]):
        q = orientation[body]
        r = rotation_out[body]
        w, x, y, z = q[0], q[1], q[2], q[3]
        r[0] = 1.0 - 2.0 * (y * y + z * z)
        r[1] = 2.0 * (x * y - w * z)
        r[2] = 2.0 * (x * z + w * y)
        r[3] = 2.0 * (x * y + w * z)
        r[4] = 1.0 - 2.0 * (x * x + z * z)
        r[5] = 2.0 * (y * z - w * x)
        r[6] = 2.0 * (x * z - w * y)
        r[7] = 2.0 * (y * z + w * x)
        r[8] = 1.0 - 2.0 * (x * x + y * y)


@kernel("UniTuple(float64, 3)(float64[::1], float64[::1])", inner=True)
def times(
    matrix,  # (9,) row by row
    vector,  # (3,)
):
    """A 3 x 3 matrix times a vector, such as R v: a vector of a body in world axes.

    Returns: the three components
    """
    x, y, z = vector[0], vector[1], vector[2]
    return (
        matrix[0] * x + matrix[1] * y + matrix[2] * z,
        matrix[3] * x + matrix[4] * y + matrix[5] * z,
        matrix[6] * x + matrix[7] * y + matrix[8] * z,
    )


@kernel("void(float64[::1], float64, float64, float64, float64[::1])")
def turn(
    orientation,  # (4,)
    x,
    y,
    z,  # rotation vector, rad, world axes
    orientation_out,  # (4,)
):
    """Turn one orientation by a rotation vector: q+ = exp(theta) q, normalised.

    Writes:  orientation_out (may be the input)
    """
    angle = np.sqrt(x * x + y * y + z * z)
    half = 0.5 * angle
    # sin(a/2)/a -> 1/2 - a^2/48: the next term is below rounding for a < 1e-4
    scale = np.sin(half) / angle if angle > 1e-4 else 0.5 - angle * angle / 48.0
    a, b, c, d = np.cos(half), scale * x, scale * y, scale * z
    w, i, j, k = orientation[0], orientation[1], orientation[2], orientation[3]
    nw = a * w - b * i - c * j - d * k
    ni = a * i + b * w + c * k - d * j
    nj = a * j - b * k + c * w + d * i
    nk = a * k + b * j - c * i + d * w
    norm = 1.0 / np.sqrt(nw * nw + ni * ni + nj * nj + nk * nk)
    orientation_out[0] = nw * norm
    orientation_out[1] = ni * norm
    orientation_out[2] = nj * norm
    orientation_out[3] = nk * norm


@kernel("void(float64[::1], float64[::1], float64[::1])")
def turn_tensor(
    rotation,  # (9,)
    tensor,  # (9,) symmetric, body axes
    tensor_out,  # (9,) world axes
):
    """Turn a symmetric tensor from body to world axes: R T R^T.

    Writes:  tensor_out
    """
    for i in range(3):
        a, b, c = rotation[3 * i], rotation[3 * i + 1], rotation[3 * i + 2]
        x = a * tensor[0] + b * tensor[3] + c * tensor[6]
        y = a * tensor[1] + b * tensor[4] + c * tensor[7]
        z = a * tensor[2] + b * tensor[5] + c * tensor[8]
        for j in range(i + 1):
            value = x * rotation[3 * j] + y * rotation[3 * j + 1] + z * rotation[3 * j + 2]
            tensor_out[3 * i + j] = value
            tensor_out[3 * j + i] = value


@kernel("void(float64[::1], float64[::1])")
def invert_spd(
    tensor,  # (9,) symmetric positive definite
    inverse_out,  # (9,)
):
    """Inverse of a symmetric positive definite 3 x 3 matrix through its Cholesky factor.

    Cofactors would lose the small axis of a thin rod under tension; Cholesky is backward stable.

    Writes:  inverse_out
    """
    l00 = 1.0 / np.sqrt(tensor[0])
    l10 = tensor[3] * l00
    l20 = tensor[6] * l00
    l11 = 1.0 / np.sqrt(tensor[4] - l10 * l10)
    l21 = (tensor[7] - l20 * l10) * l11
    l22 = 1.0 / np.sqrt(tensor[8] - l20 * l20 - l21 * l21)
    # rows of the inverse factor
    m10 = -l10 * l00 * l11
    m21 = -l21 * l11 * l22
    m20 = -(l20 * l00 + l21 * m10) * l22
    inverse_out[0] = l00 * l00 + m10 * m10 + m20 * m20
    inverse_out[1] = m10 * l11 + m20 * m21
    inverse_out[2] = m20 * l22
    inverse_out[4] = l11 * l11 + m21 * m21
    inverse_out[5] = m21 * l22
    inverse_out[8] = l22 * l22
    inverse_out[3] = inverse_out[1]
    inverse_out[6] = inverse_out[2]
    inverse_out[7] = inverse_out[5]


@kernel("UniTuple(float64, 3)(float64, float64, float64)", inner=True)
def jacobi_rotation(
    first, second, off,  # entries a_pp, a_qq, a_pq of a symmetric matrix
):  # fmt: skip
    """Rotation that makes a_pq vanish.

    Returns: its tangent, cosine and sine
    """
    if off == 0.0:
        return 0.0, 1.0, 0.0
    theta = 0.5 * (second - first) / off
    t = 1.0 / (abs(theta) + np.sqrt(theta * theta + 1.0))
    t = t if theta >= 0.0 else -t
    c = 1.0 / np.sqrt(t * t + 1.0)
    return t, c, t * c


@kernel("void(float64[::1], float64[:, ::1])", inner=True)
def symmetric_eigenvectors(
    matrix,  # (9,) symmetric; diagonal on return, with the eigenvalues
    vectors_out,  # (3, 3) eigenvectors in rows
):
    """Eigenvectors of a symmetric 3 x 3 matrix by cyclic Jacobi rotations; axes that are not coupled stay exact.

    Writes:  matrix, vectors_out
    Cost:    about 3 sweeps of 3 rotations
    """
    a, u, size = matrix, vectors_out, 0.0
    for i in range(3):
        for j in range(3):
            u[i, j] = 1.0 if i == j else 0.0
            size += abs(a[3 * i + j])
    for _ in range(12):
        if abs(a[1]) + abs(a[2]) + abs(a[5]) <= 1e-17 * size:
            break
        for p in range(2):
            for q in range(p + 1, 3):
                k = 3 - p - q
                t, c, s = jacobi_rotation(a[4 * p], a[4 * q], a[3 * p + q])
                a[4 * p] -= t * a[3 * p + q]
                a[4 * q] += t * a[3 * p + q]
                a[3 * p + q] = a[3 * q + p] = 0.0
                x, y = a[3 * k + p], a[3 * k + q]
                a[3 * k + p] = a[3 * p + k] = c * x - s * y
                a[3 * k + q] = a[3 * q + k] = s * x + c * y
                for j in range(3):
                    u[p, j], u[q, j] = c * u[p, j] - s * u[q, j], s * u[p, j] + c * u[q, j]


@kernel("float64(float64[::1], float64[::1], float64[::1])", inner=True)
def form(
    matrix,  # (9,) any 3 x 3 matrix N
    x, y,  # (3,)
):  # fmt: skip
    """Symmetric form of a matrix, x . (N + N^T) y / 2.

    Returns: its value
    """
    value = 0.0
    for i in range(3):
        for j in range(3):
            value += 0.5 * matrix[3 * i + j] * (x[i] * y[j] + x[j] * y[i])
    return value


@kernel("void(float64[::1], float64[::1], float64[:, ::1])")
def keep_stiff_part(
    stiffness,  # (9,) any 3 x 3 matrix N
    scratch, vectors_out,  # (9,), (3, 3) scratch: orthonormal axes in rows on return, the soft one first
):  # fmt: skip
    """Replace a stiffness N = -K~ by a symmetric positive semidefinite one with the same soft axis.

        N' = [u.N u]+ u u^T + [P sym(N) P]+        u: least singular direction of N,  P = 1 - u u^T,  [ ]+ positive part

    A taut rod may turn freely about the line of its joints: N u = 0. The symmetric part of N has another soft axis,
    and its clipping would put a torque on that turn, which has next to no inertia. For a symmetric N this is its
    positive part.

    Writes:  stiffness, scratch, vectors_out
    Cost:    about 400 flops
    """
    n, a, u = stiffness, scratch, vectors_out
    for i in range(3):
        for j in range(3):
            a[3 * i + j] = n[i] * n[j] + n[3 + i] * n[3 + j] + n[6 + i] * n[6 + j]
    symmetric_eigenvectors(a, u)
    least = 0
    for i in range(1, 3):
        if a[4 * i] < a[4 * least]:
            least = i
    for j in range(3):
        u[0, j], u[least, j] = u[least, j], u[0, j]
    # the two axes across the soft one are turned in their plane until the symmetric part does not couple them
    t, c, s = jacobi_rotation(form(n, u[1], u[1]), form(n, u[2], u[2]), form(n, u[1], u[2]))
    for j in range(3):
        u[1, j], u[2, j] = c * u[1, j] - s * u[2, j], s * u[1, j] + c * u[2, j]
    for i in range(3):
        a[i] = max(form(n, u[i], u[i]), 0.0)
    for i in range(3):
        for j in range(i + 1):
            n[3 * i + j] = a[0] * u[0, i] * u[0, j] + a[1] * u[1, i] * u[1, j] + a[2] * u[2, i] * u[2, j]
            n[3 * j + i] = n[3 * i + j]
