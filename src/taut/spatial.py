"""Quaternions and rotations in plain NumPy: (w, x, y, z), unit length, world-from-body.

A rotation vector is axis times angle in radians. Twists are (linear, angular) in world axes at the centre of mass.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

IDENTITY: Array = np.array([1.0, 0.0, 0.0, 0.0])
"""The quaternion that rotates nothing."""


def multiply(left: ArrayLike, right: ArrayLike) -> Array:
    """Quaternion product: the rotation `right` followed by the rotation `left`."""
    a, b, c, d = np.asarray(left, float).tolist()  # plain floats: arithmetic of NumPy's scalars is ten times as slow
    e, f, g, h = np.asarray(right, float).tolist()
    return np.array(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ]
    )


def conjugate(quaternion: ArrayLike) -> Array:
    """The inverse rotation."""
    w, x, y, z = np.asarray(quaternion, float)
    return np.array([w, -x, -y, -z])


def matrix(quaternion: ArrayLike) -> Array:
    """Rotation matrix (3, 3) of a unit quaternion."""
    w, x, y, z = np.asarray(quaternion, float).tolist()
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def rotate(quaternion: ArrayLike, vector: ArrayLike) -> Array:
    """The vector (3,) turned by the quaternion."""
    return matrix(quaternion) @ np.asarray(vector, float)


def rotate_each(quaternions: Array, vectors: Array) -> Array:
    """Vectors (k, 3) turned by unit quaternions (k, 4), one each."""
    axis = quaternions[:, 1:]
    side = 2.0 * cross_each(axis, vectors)
    return vectors + quaternions[:, :1] * side + cross_each(axis, side)


def multiply_each(left: Array, right: Array) -> Array:
    """Quaternion products (k, 4): the rotation `right` followed by the rotation `left`."""
    if (right == IDENTITY).all():
        return left
    real = left[:, 0] * right[:, 0] - np.einsum("ki,ki->k", left[:, 1:], right[:, 1:])
    imaginary = left[:, :1] * right[:, 1:] + right[:, :1] * left[:, 1:] + cross_each(left[:, 1:], right[:, 1:])
    return np.column_stack([real, imaginary])


def exponential(rotation_vector: ArrayLike) -> Array:
    """Quaternion of a rotation vector (3,) in radians."""
    vector = np.asarray(rotation_vector, float)
    half = 0.5 * math.sqrt(vector @ vector)
    angle = np.pi * (half / np.pi)  # what NumPy's sinc divides by, but without its overhead
    scale = 0.5 * np.sin(angle) / angle if half > 0.0 else 0.5
    return np.concatenate([[np.cos(half)], scale * vector])


def logarithm(quaternion: ArrayLike) -> Array:
    """Rotation vector (3,), at most pi long, of a unit quaternion."""
    q = np.asarray(quaternion, float)
    q = -q if q[0] < 0 else q
    length = float(np.linalg.norm(q[1:]))
    if length < 1e-12:
        return 2.0 * q[1:]
    return 2.0 * np.arctan2(length, q[0]) / length * q[1:]


def from_axis_angle(axis: ArrayLike, angle: float) -> Array:
    """Quaternion of a turn by `angle` radians about `axis`, which need not have unit length."""
    direction = np.asarray(axis, float)
    return exponential(direction / np.linalg.norm(direction) * angle)


def from_two_vectors(start: ArrayLike, end: ArrayLike) -> Array:
    """Quaternion of the shortest turn that takes the direction `start` to the direction `end`."""
    a = np.asarray(start, float) / np.linalg.norm(start)
    b = np.asarray(end, float) / np.linalg.norm(end)
    cosine = float(a @ b)
    if cosine < -1 + 1e-12:
        return from_axis_angle(perpendicular(a), np.pi)
    quaternion = np.concatenate([[1 + cosine], cross(a, b)])
    return quaternion / np.linalg.norm(quaternion)


def from_axes(x: ArrayLike, z: ArrayLike) -> Array:
    """Unit quaternion (4,) that turns the x and z axes to unit vectors x (3,) and z (3,) at right angles."""
    first = from_two_vectors((1.0, 0.0, 0.0), x)
    third, along = rotate(first, (0.0, 0.0, 1.0)), np.asarray(x, float)
    angle = float(np.arctan2(cross(third, z) @ along, third @ np.asarray(z, float)))
    return multiply(from_axis_angle(along, angle), first)


def perpendicular(vector: ArrayLike) -> Array:
    """A unit vector at right angles to `vector`, the same one for the same input."""
    direction = np.asarray(vector, float)
    helper = np.zeros(3)
    helper[np.argmin(np.abs(direction))] = 1.0
    result = cross(direction, helper)
    return result / np.linalg.norm(result)


def cross(a: ArrayLike, b: ArrayLike) -> Array:
    """a x b of two vectors (3,), to the bit as `np.cross` but without its overhead."""
    (ax, ay, az), (bx, by, bz) = np.asarray(a, float).tolist(), np.asarray(b, float).tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def skew(vector: ArrayLike) -> Array:
    """The matrix (3, 3) with skew(a) b = a x b."""
    x, y, z = np.asarray(vector, float)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def cross_each(a: Array, b: Array) -> Array:
    """Cross products (k, 3), row by row; NumPy's own takes ten times as long for short lists."""
    (ax, ay, az), (bx, by, bz) = a.T, b.T
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=1)
