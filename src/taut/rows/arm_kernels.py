"""The block every force at an arm adds to its body's rotation."""

from __future__ import annotations

import math

from taut.kernel import kernel


@kernel("void(float64[::1], float64, float64, float64, float64, float64, float64)", inner=True)
def add_arm(
    stiffness_out,  # (9,) N m/rad, this body's -K~
    x, y, z,  # arm r, m, world axes
    fx, fy, fz,  # force on this body, N, world axes
):  # fmt: skip
    """Add the geometric stiffness of a force whose point of attack turns with the body.

    -K~ = (f . r) 1 - r f^T: the torque r x f changes by (theta x r) x f when the body turns by theta.

    Writes:  stiffness_out
    """
    work = x * fx + y * fy + z * fz
    stiffness_out[0] += work - x * fx
    stiffness_out[1] -= x * fy
    stiffness_out[2] -= x * fz
    stiffness_out[3] -= y * fx
    stiffness_out[4] += work - y * fy
    stiffness_out[5] -= y * fz
    stiffness_out[6] -= z * fx
    stiffness_out[7] -= z * fy
    stiffness_out[8] += work - z * fz


@kernel("void(float64[::1], float64, float64, float64, float64)", inner=True)
def add_square(
    stiffness_out,  # (9,) N m/rad, this body's -K~
    weight,  # N m/rad
    x, y, z,  # u
):  # fmt: skip
    """Add weight u u^T.

    Writes:  stiffness_out
    """
    stiffness_out[0] += weight * x * x
    stiffness_out[1] += weight * x * y
    stiffness_out[2] += weight * x * z
    stiffness_out[3] += weight * y * x
    stiffness_out[4] += weight * y * y
    stiffness_out[5] += weight * y * z
    stiffness_out[6] += weight * z * x
    stiffness_out[7] += weight * z * y
    stiffness_out[8] += weight * z * z


@kernel("void(float64[::1], float64, float64, float64, float64[::1])", inner=True)
def spin_entry(jacobian_out, x, y, z, opposite_out):
    """Jacobian blocks of a relative rotation rate along (x, y, z).

    Writes:  jacobian_out (6,) of B, opposite_out (6,) of A
    """
    for i in range(3):
        jacobian_out[i] = 0.0
        opposite_out[i] = 0.0
    jacobian_out[3], jacobian_out[4], jacobian_out[5] = x, y, z
    opposite_out[3], opposite_out[4], opposite_out[5] = -x, -y, -z


@kernel("void(float64[::1], float64, float64, float64, float64, float64, float64, float64)", inner=True)
def point_entry(
    jacobian_out,  # (6,)
    sign,
    nx, ny, nz,  # direction n
    x, y, z,  # arm r, m
):  # fmt: skip
    """One Jacobian block of a row that measures along n at arm r: sign * (n, r x n).

    Writes:  jacobian_out
    """
    jacobian_out[0] = sign * nx
    jacobian_out[1] = sign * ny
    jacobian_out[2] = sign * nz
    jacobian_out[3] = sign * (y * nz - z * ny)
    jacobian_out[4] = sign * (z * nx - x * nz)
    jacobian_out[5] = sign * (x * ny - y * nx)


@kernel("UniTuple(float64, 3)(float64, float64, float64)", inner=True)
def least_along(x, y, z):
    """A unit vector across n, at right angles to the axis that n is least along.

    Returns: the three components
    """
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        u, v, w = 0.0, z, -y
    elif abs(y) <= abs(z):
        u, v, w = -z, 0.0, x
    else:
        u, v, w = y, -x, 0.0
    norm = 1.0 / math.sqrt(u * u + v * v + w * w)
    return u * norm, v * norm, w * norm
