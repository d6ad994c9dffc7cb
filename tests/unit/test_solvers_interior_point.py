"""Interior points: rows that settle and come back, and problems that are hard for them."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from taut import solvers
from taut.problem.generators import random_friction
from taut.problem.mlcp import MlcpProblem
from taut.problem.residuals import natural_residual
from taut.solvers.interior_point_kernels import (
    DUAL,
    EXISTS,
    FIXED,
    SETTLED,
    SETTLED_ABOVE,
    SIDE,
    SLACK,
    release_rows,
    settle_rows,
    start_interior,
)
from taut.solvers.island_workspace import INNER_ROWS, Search
from taut.tables import held

ROWS = 5


@pytest.fixture
def inside() -> tuple[Search, np.ndarray]:
    """Rows well within boxes from -1 to 1, the last one fixed."""
    search, inner = Search.of_size(ROWS), np.zeros((INNER_ROWS, ROWS))
    search.bias.fill(1.0)
    search.lower.fill(-1.0)
    search.upper.fill(1.0)
    search.lower[-1] = search.upper[-1] = 0.25
    start_interior(0, ROWS, 0.1, held(search), inner)
    return search, inner


def test_rows_with_a_large_dual_settle_at_their_bounds(inside: tuple[Search, np.ndarray]) -> None:
    search, inner = inside
    assert settle_rows(0, ROWS, held(search), inner) == 8
    np.testing.assert_array_equal(search.index_set, [0, 0, 0, 0, FIXED])
    inner[SLACK, 1], inner[DUAL, 1] = 1.0, 1.01 * SETTLED_ABOVE
    inner[SLACK + 1, 2], inner[DUAL + 1, 2] = 1.0, 1.01 * SETTLED_ABOVE
    inner[SLACK, 3], inner[DUAL, 3] = 1.0, 0.99 * SETTLED_ABOVE
    assert settle_rows(0, ROWS, held(search), inner) == 4
    np.testing.assert_array_equal(search.index_set, [0, SETTLED, SETTLED, 0, FIXED])
    np.testing.assert_array_equal(search.lam[1:3], [-1.0, 1.0])
    np.testing.assert_array_equal(inner[EXISTS : EXISTS + 2, 1:3], 0.0)
    np.testing.assert_array_equal(inner[DUAL : DUAL + 2, 1:3], 0.0)


def test_a_row_settles_at_the_bound_with_the_larger_dual(inside: tuple[Search, np.ndarray]) -> None:
    """Boxes that are small beside b have both slacks small and both duals large on the way."""
    search, inner = inside
    inner[SLACK, 0], inner[DUAL, 0] = 1e-6, 10.0
    inner[SLACK + 1, 0], inner[DUAL + 1, 0] = 1e-3, 20.0
    settle_rows(0, ROWS, held(search), inner)
    assert search.lam[0] == 1.0 and inner[SIDE, 0] == 1.0


def test_a_settled_row_whose_slack_disagrees_comes_back_for_good(inside: tuple[Search, np.ndarray]) -> None:
    search, inner = inside
    inner[SLACK, :2], inner[DUAL, :2] = 1e-9, 10.0
    settle_rows(0, ROWS, held(search), inner)
    search.w[:2] = 2.0, -2.0  # lower bounds want w >= 0
    assert release_rows(0, ROWS, 1e-4, held(search), inner) == 2
    np.testing.assert_array_equal(search.index_set[:2], [SETTLED, 0])
    np.testing.assert_allclose(inner[SLACK : SLACK + 2, 1], [1e-2, 2.0])
    np.testing.assert_allclose(inner[SLACK : SLACK + 2, 1] * inner[DUAL : DUAL + 2, 1], 1e-4)
    inner[SLACK, 1], inner[DUAL, 1] = 1e-9, 10.0
    settle_rows(0, ROWS, held(search), inner)
    assert search.index_set[1] == 0, "once is enough"


@pytest.mark.parametrize("rows", [1, 5, 80])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_boxes_that_are_tiny_beside_b(rows: int, sign: float) -> None:
    """The slacks start far outside such boxes; nearly every row is tight in the end, whatever A."""
    rng = np.random.default_rng(rows)
    factor = rng.normal(size=(rows, max(rows // 2, 1)))
    A = sign * (factor @ factor.T)
    b = 1e6 * rng.normal(size=rows)
    lower, upper = np.sort(rng.normal(size=(2, rows)), axis=0)
    problem = MlcpProblem.from_matrix(A, b, lower, upper)
    solution = solvers.get("ipm").solve(problem)
    assert solution.solved and solution.factorizations <= 10
    assert natural_residual(problem, solution.lam) <= 1e-9


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("compliance", [0.0, 1e-14, 1e-10, 1e-8])
@pytest.mark.parametrize("size", [50, 200])
def test_friction_with_dependent_rows(dense: bool, compliance: float, size: int) -> None:
    problem = random_friction(size, 77, dense, compliance=compliance)
    solution = solvers.get("ipm").solve(problem)
    assert solution.solved and natural_residual(problem, solution.lam) <= 1e-12
    assert solution.factorizations <= 16


def test_what_a_solve_kept_goes_with_its_problem() -> None:
    """Workspaces are freed at once, not when somebody collects garbage."""
    gc.disable()
    try:
        for name in ("ipm", "bpp", "bpp-refactor"):
            problem = random_friction(30, 1)
            assert solvers.get(name).solve(problem).solved
            pattern = weakref.ref(problem.pattern)
            del problem
            assert pattern() is None, name
    finally:
        gc.enable()
