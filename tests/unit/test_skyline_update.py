"""Rows that leave a factor and come back, against dense factors made anew."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

from taut.linalg.downdated import dense_lower
from taut.linalg.skyline_kernels import skyline_assemble, skyline_factor, skyline_solve
from taut.linalg.skyline_update_kernels import LANES, skyline_exchange

SHAPES = [(1, 0), (3, 2), (5, 2), (17, 6), (40, 6), (61, 61), (90, 30), (150, 100), (150, 150)]
"""Rows and bandwidths, with panels of 4, 8 and 16 columns."""


class Panels(NamedTuple):
    """A factor in panels, and what it was made of."""

    matrix: np.ndarray
    layout: np.ndarray
    count: int
    entries: np.ndarray
    diagonal: np.ndarray
    storage: np.ndarray
    inverse: np.ndarray
    vectors: np.ndarray

    def exchange(self, rows: list[int] | np.ndarray) -> int:
        """Let rows leave, or come back."""
        return skyline_exchange(
            self.layout, self.count, self.entries, self.diagonal, np.array(rows, np.int64), self.storage, self.inverse,
            self.vectors,
        )  # fmt: skip

    def lower(self) -> np.ndarray:
        return dense_lower(self.layout, self.count, self.storage, self.inverse)

    def check(self, free: np.ndarray, tolerance: float = 1e-12) -> None:
        """The factor is that of the free rows, and solves; the other rows are ready to come back."""
        matrix, lower = self.matrix, self.lower()
        expected = np.linalg.cholesky(matrix[np.ix_(free, free)])
        np.testing.assert_allclose(lower[np.ix_(free, free)], expected, atol=tolerance)
        x, rhs = np.zeros(self.inverse.size), np.cos(np.arange(free.size))
        x[free] = rhs
        skyline_solve(self.layout, self.count, self.storage, self.inverse, x)
        np.testing.assert_allclose(matrix[np.ix_(free, free)] @ x[free], rhs, atol=1e2 * tolerance)
        for row in np.setdiff1d(np.arange(len(matrix)), free):
            assert not lower[row:, row].any() and x[row] == 0.0
            before = free[free < row]
            if before.size:
                top = expected[: before.size, : before.size]
                ready = scipy.linalg.solve_triangular(top, matrix[before, row], lower=True)
                np.testing.assert_allclose(lower[row, before], ready, atol=tolerance)


def panels_of(matrix: np.ndarray, dependent: int = 0) -> Panels:
    """The factor of all rows, of which so many depend on others."""
    size = len(matrix)
    lower = scipy.sparse.csr_array(np.tril(matrix))
    layout, storage = np.zeros((5, size // 4 + 3), np.int64), np.empty(size * (size + 64))
    diagonal, inverse = np.zeros((2, size + 4))
    count = skyline_assemble(
        0, size, lower.indptr.astype(np.int64), lower.indices.astype(np.int64), lower.data, np.zeros(size, np.int64),
        np.zeros((4, size + 16), np.int64), layout, storage, diagonal,
    )  # fmt: skip
    entries, vectors = storage.copy(), np.full((LANES, size + 4), np.nan)
    assert skyline_factor(layout, count, diagonal, storage, inverse) == dependent
    return Panels(matrix, layout, count, entries, diagonal, storage, inverse, vectors)


def banded(rng: np.random.Generator, size: int, bandwidth: int) -> np.ndarray:
    """Positive definite matrix of unit diagonal, not diagonally dominant, whose rows start anywhere in a band."""
    lower = np.eye(size)
    for row in range(size):
        width = min(row, int(rng.integers(0, bandwidth + 1)))
        lower[row, row - width : row] = rng.normal(size=width) / np.sqrt(width + 1)
    matrix = lower @ lower.T + 1e-3 * np.eye(size)
    root = np.sqrt(np.diag(matrix))
    return matrix / np.outer(root, root)


@pytest.mark.parametrize(("size", "bandwidth"), SHAPES)
def test_rows_leave_and_come_back_in_any_order(rng: np.random.Generator, size: int, bandwidth: int) -> None:
    panels, tight = panels_of(banded(rng, size, bandwidth)), np.zeros(size, bool)
    for share in (0.1, 0.0, 0.05, 0.6, 0.3, 0.9, 0.2, 1.0, 0.0):
        wanted = rng.random(size) < share
        assert panels.exchange(np.flatnonzero(wanted != tight)) == 0
        tight = wanted
        panels.check(np.flatnonzero(~tight), 1e-10)


@pytest.mark.parametrize("row", [0, 3, 4, 17, 38, 39])
def test_one_row_at_any_place_of_its_tile_and_panel(rng: np.random.Generator, row: int) -> None:
    panels = panels_of(banded(rng, 40, 20))
    first = panels.lower()
    panels.exchange([row])
    np.testing.assert_array_equal(panels.lower()[:, :row], first[:, :row])
    panels.check(np.delete(np.arange(40), row))
    panels.exchange([row])
    np.testing.assert_allclose(panels.lower(), first, atol=1e-13)


def test_a_pass_may_let_rows_leave_and_others_come_back(rng: np.random.Generator) -> None:
    panels = panels_of(banded(rng, 60, 25))
    panels.exchange([2, 9, 30, 31])
    panels.exchange([1, 2, 8, 9, 30, 32, 33])
    panels.check(np.setdiff1d(np.arange(60), [1, 8, 31, 32, 33]))


def test_nothing_to_exchange(rng: np.random.Generator) -> None:
    panels = panels_of(banded(rng, 20, 9))
    first = panels.lower()
    assert panels.exchange([]) == 0
    np.testing.assert_array_equal(panels.lower(), first)


def test_rows_that_leave_need_no_entries(rng: np.random.Generator) -> None:
    panels = panels_of(banded(rng, 30, 9))._replace(entries=np.zeros(0))
    assert panels.exchange([4, 7, 22]) == 0
    panels.check(np.setdiff1d(np.arange(30), [4, 7, 22]))


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6])
def test_twins_one_leaves_and_the_other_takes_over(rng: np.random.Generator, gap: float) -> None:
    """Row 20 is nearly row 5: its pivot is tiny until row 5 leaves; the factor is then as good as a new one."""
    rows = rng.normal(size=(40, 60))
    rows[20] = rows[5] + gap * rng.normal(size=60)
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    panels = panels_of(rows @ rows.T)
    panels.exchange([5])
    panels.check(np.delete(np.arange(40), 5), 1e-13)


def test_of_two_rows_that_are_the_same_one_can_be_in_the_factor(rng: np.random.Generator) -> None:
    rows = rng.normal(size=(30, 40))
    rows[20] = rows[5]
    panels = panels_of(rows @ rows.T, dependent=1)
    assert panels.inverse[20] == 0.0
    assert panels.exchange([20]) == -21, "it depends on row 5"
    panels = panels_of(rows @ rows.T, dependent=1)
    assert panels.exchange([5]) == 0
    assert panels.exchange([20]) == 0
    panels.check(np.delete(np.arange(30), 5), 1e-11)
    assert panels.exchange([5]) == -21, "row 20 would depend on it"
