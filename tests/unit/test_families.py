"""Families of problems have about as many rows as asked for, few of them tight, and can be solved."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from taut import solvers
from taut.problem.families import chain_like, pile_like
from taut.problem.mlcp import MlcpProblem

FAMILIES = pytest.mark.parametrize("family", [chain_like, pile_like])


@FAMILIES
@pytest.mark.parametrize("rows", [250, 700])
def test_families_have_the_size_asked_for(family: Callable[..., MlcpProblem], rows: int) -> None:
    problem = family(rows)
    assert problem.size == pytest.approx(rows, rel=0.15)
    solution = solvers.get("bpp").solve(problem)
    assert solution.solved and 0.0 < solution.tight_count < 0.1 * problem.size


@FAMILIES
def test_few_other_rows_leave_their_bounds_where_all_are_free(family: Callable[..., MlcpProblem]) -> None:
    problem = family(400)
    endless = np.full(problem.size, np.inf)
    free = solvers.get("bpp").solve(problem.with_bounds(-endless, endless))
    beyond = (free.lam < problem.lower) | (free.lam > problem.upper)
    assert np.count_nonzero(beyond) <= 0.2 * problem.size


@FAMILIES
def test_problems_are_the_same_for_the_same_seed_only(family: Callable[..., MlcpProblem]) -> None:
    first, again, other = (family(200, seed=seed) for seed in (1, 1, 2))
    assert (first.values == again.values).all() and (first.bias == again.bias).all()
    assert first.size != other.size or not np.array_equal(first.bias, other.bias)
