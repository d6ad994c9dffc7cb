"""Quaternions and rotations in NumPy, and their kernels against them."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import positive_part, random_quaternion, random_spd, random_unit, stiff_part
from hypothesis import assume, given
from hypothesis import strategies as st

from taut import spatial

SEEDS = st.integers(0, 2**32 - 1)


def generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(SEEDS)
def test_product_follows_matrices(seed: int) -> None:
    rng = generator(seed)
    left, right = random_quaternion(rng), random_quaternion(rng)
    product = spatial.matrix(spatial.multiply(left, right))
    assert product == pytest.approx(spatial.matrix(left) @ spatial.matrix(right), abs=1e-14)


@given(SEEDS)
def test_matrix_is_a_rotation_and_the_conjugate_its_inverse(seed: int) -> None:
    quaternion = random_quaternion(generator(seed))
    turn = spatial.matrix(quaternion)
    assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-14)
    assert np.linalg.det(turn) == pytest.approx(1.0, abs=1e-14)
    assert spatial.matrix(spatial.conjugate(quaternion)) == pytest.approx(turn.T, abs=1e-15)


def test_exponential_of_a_quarter_turn_about_z() -> None:
    quaternion = spatial.exponential([0.0, 0.0, np.pi / 2])
    assert spatial.rotate(quaternion, [1.0, 0.0, 0.0]) == pytest.approx([0.0, 1.0, 0.0], abs=1e-15)


@given(SEEDS, st.floats(0.0, np.pi - 1e-6))
def test_logarithm_undoes_the_exponential(seed: int, angle: float) -> None:
    vector = angle * np.array(random_unit(generator(seed)))
    assert spatial.logarithm(spatial.exponential(vector)) == pytest.approx(vector, abs=1e-9)
    assert spatial.logarithm(-spatial.exponential(vector)) == pytest.approx(vector, abs=1e-9)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-13, 1e-8, 1e-4])
def test_small_rotations_keep_full_precision(angle: float) -> None:
    vector = np.array([angle, 0.0, 0.0])
    assert spatial.exponential(vector)[1] == pytest.approx(np.sin(angle / 2), rel=1e-15)
    assert spatial.logarithm(spatial.exponential(vector)) == pytest.approx(vector, rel=1e-12)


@given(SEEDS)
def test_shortest_turn_between_two_vectors(seed: int) -> None:
    rng = generator(seed)
    start, end = 3.0 * np.array(random_unit(rng)), 0.1 * np.array(random_unit(rng))
    quaternion = spatial.from_two_vectors(start, end)
    assert spatial.rotate(quaternion, start / 3.0) == pytest.approx(10.0 * end, abs=1e-12)
    angle = np.linalg.norm(spatial.logarithm(quaternion))
    assert angle == pytest.approx(np.arccos(np.clip(start @ end / 0.3, -1, 1)), abs=1e-7)


@given(SEEDS)
def test_turn_between_opposite_vectors_is_a_half_turn(seed: int) -> None:
    start = np.array(random_unit(generator(seed)))
    quaternion = spatial.from_two_vectors(start, -start)
    assert spatial.rotate(quaternion, start) == pytest.approx(-start, abs=1e-12)


def test_axis_angle_needs_no_unit_axis() -> None:
    quaternion = spatial.from_axis_angle([0.0, 5.0, 0.0], 0.3)
    assert quaternion == pytest.approx([np.cos(0.15), 0.0, np.sin(0.15), 0.0])


@given(SEEDS)
def test_perpendicular_and_skew(seed: int) -> None:
    rng = generator(seed)
    a, b = rng.normal(size=3), rng.normal(size=3)
    across = spatial.perpendicular(a)
    assert across @ a == pytest.approx(0.0, abs=1e-14)
    assert np.linalg.norm(across) == pytest.approx(1.0)
    assert np.array_equal(across, spatial.perpendicular(a))
    assert spatial.skew(a) @ b == pytest.approx(np.cross(a, b), abs=1e-14)


def test_rotation_matrices_kernel(rng: np.random.Generator) -> None:
    from taut.spatial_kernels import rotation_matrices

    quaternions = np.array([random_quaternion(rng) for _ in range(20)])
    result = np.zeros((20, 9))
    rotation_matrices(quaternions, result)
    for quaternion, row in zip(quaternions, result, strict=True):
        assert row.reshape(3, 3) == pytest.approx(spatial.matrix(quaternion), abs=1e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 0.99e-4, 1.01e-4, 0.3, 2.0, 3.1, 6.0, 40.0])
def test_turn_kernel_is_the_exponential_from_the_left(rng: np.random.Generator, angle: float) -> None:
    from taut.spatial_kernels import turn

    start, vector = random_quaternion(rng), angle * np.array(random_unit(rng))
    result = np.zeros(4)
    turn(start, *vector, result)
    assert result == pytest.approx(spatial.multiply(spatial.exponential(vector), start), abs=2e-15)
    assert np.linalg.norm(result) == pytest.approx(1.0, abs=4e-16)
    turn(start, *vector, start)
    assert np.array_equal(start, result), "the output may be the input"


def test_turn_tensor_kernel(rng: np.random.Generator) -> None:
    from taut.spatial_kernels import turn_tensor

    for _ in range(10):
        rotation, tensor, result = spatial.matrix(random_quaternion(rng)), random_spd(rng), np.zeros(9)
        turn_tensor(rotation.ravel(), tensor.ravel(), result)
        assert result.reshape(3, 3) == pytest.approx(rotation @ tensor @ rotation.T, abs=1e-13)
        assert np.array_equal(result.reshape(3, 3), result.reshape(3, 3).T)


@pytest.mark.parametrize("spread", [1.0, 1e3, 1e6, 1e9])
def test_invert_spd_kernel(rng: np.random.Generator, spread: float) -> None:
    from taut.spatial_kernels import invert_spd

    for _ in range(20):
        tensor, result = random_spd(rng, spread), np.zeros(9)
        invert_spd(tensor.ravel(), result)
        # backward stable: the error of the product grows with the condition number
        assert tensor @ result.reshape(3, 3) == pytest.approx(np.eye(3), abs=1e-14 * spread)
        assert np.array_equal(result.reshape(3, 3), result.reshape(3, 3).T)


def test_invert_spd_keeps_the_small_axis_of_a_thin_rod() -> None:
    from taut.spatial_kernels import invert_spd

    result = np.zeros(9)
    invert_spd(np.diag([1.0, 1e12, 1.0]).ravel(), result)
    assert result.reshape(3, 3) == pytest.approx(np.diag([1.0, 1e-12, 1.0]), rel=1e-15)


MATRICES = {
    "zero": np.zeros((3, 3)),
    "identity": np.eye(3),
    "negative": -np.eye(3),
    "diagonal": np.diag([3.0, -2.0, 1e-9]),
    "rank one": np.outer([1.0, -2.0, 3.0], [1.0, -2.0, 3.0]),
    "double eigenvalue": np.ones((3, 3)) - 2.0 * np.eye(3),
    "tiny off-diagonal": np.diag([1.0, 2.0, 3.0]) + 1e-200 * np.ones((3, 3)),
    "skew": np.array([[0.0, 1.0, -2.0], [-1.0, 0.0, 3.0], [2.0, -3.0, 0.0]]),
}


def kept_stiff_part(matrix: np.ndarray) -> np.ndarray:
    from taut.spatial_kernels import keep_stiff_part

    result = matrix.ravel().copy()
    keep_stiff_part(result, np.zeros(9), np.zeros((3, 3)))
    return result.reshape(3, 3)


@pytest.mark.parametrize("name", [name for name in MATRICES if name != "skew"])
def test_stiff_part_of_symmetric_matrices_is_their_positive_part(name: str) -> None:
    assert kept_stiff_part(MATRICES[name]) == pytest.approx(positive_part(MATRICES[name]), abs=1e-13)


@given(SEEDS, st.floats(-8.0, 8.0))
def test_stiff_part_of_any_matrix(seed: int, exponent: float) -> None:
    matrix = 10.0**exponent * generator(seed).normal(size=(3, 3))
    singular = np.linalg.svd(matrix)[1]
    assume(singular[1] - singular[2] > 1e-3 * singular[0])  # else there is no one softest axis
    result, scale = kept_stiff_part(matrix), np.abs(matrix).max()
    assert result / scale == pytest.approx(stiff_part(matrix) / scale, abs=1e-9)
    assert np.linalg.eigvalsh(result).min() >= -1e-13 * scale
    assert (result == result.T).all()


@given(SEEDS)
def test_a_taut_rod_turns_freely_about_the_line_of_its_joints(seed: int) -> None:
    """N = (f . d) 1 - d f^T of end forces that are not along the line d: the symmetric part would resist the twist."""
    rng = generator(seed)
    line, tension = np.array(random_unit(rng)), 1e6
    force = tension * line + 1e5 * rng.normal(size=3)
    block = float(force @ line) * np.eye(3) - np.outer(line, force)
    assert np.abs(kept_stiff_part(block) @ line).max() <= 1e-14 * tension
    assert np.abs(positive_part(block) @ line).max() > 1e-4 * tension, "which is what it is for"


def test_axes_that_are_not_coupled_stay_exact() -> None:
    block = np.array([[3.0, 0.0, 0.7], [0.0, 2.0, 0.0], [-0.4, 0.0, 1.0]])
    assert (kept_stiff_part(block)[1, [0, 2]] == 0.0).all()


def test_cross_is_that_of_numpy_to_the_bit(rng: np.random.Generator) -> None:
    for a, b in rng.normal(size=(50, 2, 3)) * 10.0 ** rng.integers(-9, 9, (50, 2, 1)):
        assert np.array_equal(spatial.cross(a, b), np.cross(a, b))
