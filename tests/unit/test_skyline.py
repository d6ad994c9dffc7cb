from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from taut.errors import InputError
from taut.linalg import skyline_kernels as kernels
from taut.linalg.skyline import SkylineCholesky
from taut.linalg.skyline_factor_kernels import multiply_triangle, skyline_shift
from taut.problem import MlcpProblem
from taut.problem.generators import random_contacts
from taut.structure.pattern import Pattern


def banded(rng, size, bandwidth, ragged=True):
    """Positive definite matrix whose rows start anywhere within a band, not in a staircase."""
    matrix = np.zeros((size, size))
    for row in range(size):
        width = min(row, int(rng.integers(0, bandwidth + 1)) if ragged else bandwidth)
        matrix[row, row - width : row] = rng.normal(size=width)
    matrix += matrix.T
    return matrix + np.diag(np.abs(matrix).sum(1) + 0.1)


def unpack(layout, panels, storage, inverse, size):
    """Dense L from panels."""
    dense = np.zeros((size, size))
    for start, offset, height, _, width in layout[:, :panels].T:
        block = storage[offset : offset + height * width].reshape(width, height).T
        rows, columns = min(height, size - start), min(width, size - start)
        dense[start : start + rows, start : start + columns] = np.tril(block[:rows, :columns], -1)
    dense[np.diag_indices(size)] = 1 / inverse[:size]
    return dense


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 16, 17, 61, 130])
@pytest.mark.parametrize("bandwidth", [0, 1, 6, 9, 30, 129])
def test_factor_and_solve_equal_dense(rng, size, bandwidth):
    matrix = banded(rng, size, bandwidth)
    factor = SkylineCholesky(MlcpProblem.from_matrix(matrix, np.zeros(size)).pattern)
    assert factor.factor(matrix[np.nonzero(matrix)])
    rhs = rng.normal(size=size)
    np.testing.assert_allclose(factor.solve(rhs), np.linalg.solve(matrix, rhs), rtol=1e-10, atol=1e-12)


def test_there_is_room_for_all_islands_at_once(rng):
    blocks = [banded(rng, 150, 149, ragged=False) for _ in range(5)]
    matrix = scipy.sparse.block_diag(blocks, format="csr").toarray()
    factor = SkylineCholesky(MlcpProblem.from_matrix(matrix, np.zeros(750)).pattern)
    assert factor._storage.size > 5 * 150 * 151 // 2
    assert factor.factor(matrix[np.nonzero(matrix)])
    rhs = rng.normal(size=750)
    np.testing.assert_allclose(factor.solve(rhs), np.linalg.solve(matrix, rhs), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("size", "bandwidth", "width"), [(40, 6, 4), (90, 30, 8), (150, 100, 16)])
def test_kernel_factor_is_the_cholesky_factor_for_every_panel_width(rng, size, bandwidth, width):
    matrix = banded(rng, size, bandwidth, ragged=False)
    lower = scipy.sparse.csr_array(np.tril(matrix))
    numbers, layout = np.zeros((4, size + 16), np.int64), np.zeros((5, size // 4 + 3), np.int64)
    storage, diagonal, inverse = np.empty(size * (size + 64)), np.zeros(size + 4), np.zeros(size + 4)
    panels = kernels.skyline_assemble(
        0, size, lower.indptr.astype(np.int64), lower.indices.astype(np.int64), lower.data,
        np.zeros(size, np.int64), numbers, layout, storage, diagonal,
    )  # fmt: skip
    assert layout[4, 0] == width
    assert kernels.skyline_factor(layout, panels, diagonal, storage, inverse) == 0
    np.testing.assert_allclose(unpack(layout, panels, storage, inverse, size), np.linalg.cholesky(matrix), atol=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 1.0])
def test_tight_rows_are_left_out(rng, share):
    size = 70
    matrix = banded(rng, size, 20)
    lower = scipy.sparse.csr_array(np.tril(matrix))
    labels = np.where(rng.random(size) < share, rng.choice([-1, 1], size), 0)
    free = np.flatnonzero(labels == 0)
    numbers, layout = np.zeros((4, size + 16), np.int64), np.zeros((5, size // 4 + 3), np.int64)
    storage, diagonal, inverse = np.empty(size * (size + 64)), np.zeros(size + 4), np.zeros(size + 4)
    panels = kernels.skyline_assemble(
        0, size, lower.indptr.astype(np.int64), lower.indices.astype(np.int64), lower.data,
        labels, numbers, layout, storage, diagonal,
    )  # fmt: skip
    assert layout[0, panels] == free.size
    assert kernels.skyline_factor(layout, panels, diagonal, storage, inverse) == 0
    x = np.zeros(size + 4)
    rhs = rng.normal(size=free.size)
    x[: free.size] = rhs
    kernels.skyline_solve(layout, panels, storage, inverse, x)
    np.testing.assert_allclose(x[: free.size], np.linalg.solve(matrix[np.ix_(free, free)], rhs), atol=1e-11)


@pytest.mark.parametrize(("size", "bandwidth"), [(1, 0), (14, 3), (40, 6), (90, 30), (150, 100)])
def test_shift_adds_a_diagonal(rng, size, bandwidth):
    matrix = banded(rng, size, bandwidth)
    lower = scipy.sparse.csr_array(np.tril(matrix))
    numbers, layout = np.zeros((4, size + 16), np.int64), np.zeros((5, size // 4 + 3), np.int64)
    storage, diagonal, inverse = np.empty(size * (size + 64)), np.zeros(size + 4), np.zeros(size + 4)
    panels = kernels.skyline_assemble(
        0, size, lower.indptr.astype(np.int64), lower.indices.astype(np.int64), lower.data,
        np.zeros(size, np.int64), numbers, layout, storage, diagonal,
    )  # fmt: skip
    shift = rng.random(size)
    skyline_shift(layout, panels, shift, storage)
    assert kernels.skyline_factor(layout, panels, diagonal, storage, inverse) == 0
    expected = np.linalg.cholesky(matrix + np.diag(shift))
    np.testing.assert_allclose(unpack(layout, panels, storage, inverse, size), expected, atol=1e-12)


@pytest.mark.parametrize("size", [6, 23, 80])
def test_dependent_rows_are_dropped_and_counted(rng, size):
    rank = 2 * size // 3
    repeated = np.concatenate([np.arange(rank), rng.integers(0, rank, size - rank)])
    basis = rng.normal(size=(rank, 2 * rank))[repeated]
    matrix = basis @ basis.T
    factor = SkylineCholesky(MlcpProblem.from_matrix(matrix, np.zeros(size)).pattern)
    assert factor.factor(matrix.ravel())
    assert factor.dependent == size - rank
    rhs = matrix @ rng.normal(size=size)
    x = factor.solve(rhs)
    assert np.count_nonzero(x) == rank
    np.testing.assert_allclose(matrix @ x, rhs, atol=1e-11 * np.abs(rhs).max())


def test_first_failing_pivot_is_named():
    matrix = np.diag([1.0, 2.0, -3.0, 4.0, -5.0])
    factor = SkylineCholesky(MlcpProblem.from_matrix(matrix, np.zeros(5)).pattern)
    assert not factor.factor(np.diag(matrix).copy())
    order = list(factor.symbolic.order)
    assert factor.failed_row == min((2, 4), key=order.index)
    with pytest.raises(InputError, match="factor complete"):
        factor.solve(np.zeros(5))
    assert factor.factor(np.ones(5)) and factor.failed_row is None


def test_a_pivot_that_is_no_number_is_a_failure():
    factor = SkylineCholesky(MlcpProblem.from_matrix(np.eye(3), np.zeros(3)).pattern)
    assert not factor.factor(np.array([1.0, np.nan, 1.0]))


def test_a_factor_that_fails_names_no_rows_of_the_one_before():
    factor = SkylineCholesky(MlcpProblem.from_matrix(np.eye(8), np.zeros(8)).pattern)
    assert factor.dependent_rows(np.zeros(8), 1e-9).size == 8
    assert factor.dependent_rows(np.full(8, np.nan), 1e-9).size == 0


@pytest.mark.parametrize("seed", range(5))
def test_storage_suffices_for_any_subset_of_rows(seed):
    """The bound on the storage of a subset is argued in `PANEL_SLACK`; here it is tried."""
    rng = np.random.default_rng(seed)
    symbolic = SkylineCholesky(random_contacts(30, seed).problem.pattern).symbolic
    size = symbolic.size
    numbers, layout = np.zeros((4, size + 16), np.int64), np.zeros((5, size // 4 + 3), np.int64)
    for share in (0.0, 0.05, 0.2, 0.5, 0.8):
        labels = (rng.random(size) < share).astype(np.int64)
        panels = kernels.skyline_assemble(
            0, size, symbolic.lower_start, symbolic.lower_column, np.ones(symbolic.lower_column.size),
            labels, numbers, layout, np.empty(4 * symbolic.storage_size), np.empty(size + 16),
        )  # fmt: skip
        assert layout[1, panels] <= symbolic.storage_size


@pytest.mark.parametrize("size", [1, 7, 8, 9, 25])
def test_full_triangles_multiply(size):
    rng = np.random.default_rng(size)
    matrix = rng.normal(size=(size, size))
    matrix = matrix + matrix.T
    lam, bias, w = rng.normal(size=size), rng.normal(size=size), np.full(size, np.nan)
    multiply_triangle(matrix[np.tril_indices(size)], lam, bias, w)
    np.testing.assert_allclose(w, matrix @ lam + bias, rtol=1e-13, atol=1e-13)


def test_rows_after_one_that_rounding_made_negative_are_looked_at_too() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [1.0, 0.0]])
    values = rows @ rows.T
    values[2, 2] -= 1e-8  # its pivot
    pattern = Pattern(np.arange(0, 17, 4), np.tile(np.arange(4), 4))
    assert SkylineCholesky(pattern).dependent_rows(values.ravel(), 1e-9).size == 2
    values[1, 1] = np.nan
    SkylineCholesky(pattern).dependent_rows(values.ravel(), 1e-9)  # which ends
