"""The sparse baseline of the substructuring benchmark: its factor is that of dense algebra, its answers are right."""

from __future__ import annotations

import numpy as np
import pytest

from taut import solvers
from taut.benchmarks import _simplicial_kernels as kernels
from taut.benchmarks._pardiso import PardisoPivoting, pardiso
from taut.benchmarks._sparse_pivoting import SimplicialFactor, SimplicialPivoting, SimplicialStructure
from taut.problem.generators import chain, random_contacts
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import Status

SPARSE = [SimplicialPivoting(), PardisoPivoting()] if pardiso() else [SimplicialPivoting()]


def sparse_problem(rng, size=40, share=0.08):
    """A definite matrix with few entries, in several islands."""
    matrix = rng.normal(size=(size, size)) * (rng.random((size, size)) < share)
    matrix[: size // 4, size // 4 :] = matrix[size // 4 :, : size // 4] = 0.0
    matrix = matrix @ matrix.T + np.diag(rng.uniform(0.5, 2.0, size))
    return MlcpProblem.from_matrix(matrix, rng.normal(size=size), -0.4, 0.5)


def unit_scale(matrix):
    return 1.0 / np.sqrt(np.diag(matrix))


@pytest.mark.parametrize("shift", [0.0, 0.3])
@pytest.mark.parametrize("left_out", [0, 7])
def test_the_factor_solves_as_dense_algebra_does(rng, shift, left_out):
    problem = sparse_problem(rng)
    kept = np.sort(rng.permutation(problem.size)[left_out:])
    matrix = problem.sparse.toarray()[np.ix_(kept, kept)]
    scale = unit_scale(matrix)
    factor = SimplicialFactor(SimplicialStructure.of(problem.pattern), problem, kept, scale)
    matrix *= np.outer(scale, scale)
    lam, bias, w = rng.normal(size=kept.size), rng.normal(size=kept.size), np.empty(kept.size)
    factor.multiply(0, kept.size, lam, bias, w)
    np.testing.assert_allclose(w, matrix @ lam + bias, atol=1e-13)
    for labels in (np.zeros(kept.size, np.int64), rng.integers(-1, 2, kept.size), np.ones(kept.size, np.int64)):
        dependent, x = np.ones(kept.size, np.uint8), np.full(kept.size, 9.0)
        shifts = np.full(kept.size, shift) if shift else np.zeros(0)
        assert factor.factorise(0, kept.size, labels, shifts, dependent) == 0
        assert not dependent.any()
        factor.solve(lam, x)
        free = labels == 0
        expected = np.full(kept.size, 9.0)
        expected[free] = np.linalg.solve(matrix[np.ix_(free, free)] + shift * np.eye(free.sum()), lam[free])
        np.testing.assert_allclose(x, expected, rtol=1e-11, atol=1e-13)


def test_columns_have_the_entries_of_the_dense_factor(rng):
    problem = sparse_problem(rng, 30)
    structure = SimplicialStructure.of(problem.pattern)
    order = structure.symbolic.order
    dense = np.linalg.cholesky(problem.sparse.toarray()[np.ix_(order, order)])
    factor = SimplicialFactor(structure, problem, np.arange(30), np.ones(30))
    factor.factorise(0, 30, np.zeros(30, np.int64), np.zeros(0), np.zeros(30, np.uint8))
    found = np.diag(1.0 / factor.inverse)
    for column in range(30):
        where = slice(structure.column_start[column], factor.column_end[column])
        found[factor.row[where], column] = factor.value[where]
    np.testing.assert_allclose(found, dense, atol=1e-13)
    np.testing.assert_array_equal(np.diff(structure.column_start), np.count_nonzero(np.abs(dense) > 1e-14, axis=0) - 1)


def test_rows_that_depend_on_others_are_dropped_and_negative_ones_refused():
    problem = MlcpProblem.from_matrix([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], np.zeros(3))
    factor = SimplicialFactor(SimplicialStructure.of(problem.pattern), problem, np.arange(3), np.ones(3))
    dependent, x = np.zeros(3, np.uint8), np.zeros(3)
    assert factor.factorise(0, 3, np.zeros(3, np.int64), np.zeros(0), dependent) == 1
    assert dependent[:2].sum() == 1 and dependent[2] == 0
    factor.solve(np.array([2.0, 2.0, 3.0]), x)
    np.testing.assert_allclose([x[0] + x[1], x[2]], [2.0, 3.0])
    bad = MlcpProblem.from_matrix([[1.0, 2.0], [2.0, 1.0]], np.zeros(2))
    factor = SimplicialFactor(SimplicialStructure.of(bad.pattern), bad, np.arange(2), np.ones(2))
    assert factor.factorise(0, 2, np.zeros(2, np.int64), np.zeros(0), np.zeros(2, np.uint8)) < 0


def test_an_order_of_least_degree_leaves_no_fill_in_a_star():
    """Natural order with the hub first fills all; least degree eliminates it last."""
    matrix = 10.0 * np.eye(9)
    matrix[0, 1:] = matrix[1:, 0] = 1.0
    structure = SimplicialStructure.of(MlcpProblem.from_matrix(matrix, np.zeros(9)).pattern)
    assert structure.fill == 8


@pytest.mark.parametrize("solver", SPARSE, ids=lambda each: each.name)
def test_answers_are_those_of_bpp(solver, rng):
    known = random_contacts(40, 3, mass_ratio=100.0, tight_share=0.3)
    problems = [known.problem, chain(20).problem, *(sparse_problem(rng) for _ in range(5))]
    for problem in problems:
        expected, found = solvers.get("bpp").solve(problem), solver.solve(problem)
        assert found.solved and expected.solved
        np.testing.assert_allclose(found.w, expected.w, atol=1e-8)
        again = solver.solve(problem, found)
        assert again.iterations == 1 and again.factorizations == 1


@pytest.mark.parametrize("solver", SPARSE, ids=lambda each: each.name)
def test_numbers_that_are_none_are_refused(solver, rng):
    problem = sparse_problem(rng)
    problem.bias[2] = np.nan
    assert solver.solve(problem).status is Status.NON_FINITE


def test_it_is_for_the_benchmark_alone():
    assert "bpp-simplicial" not in solvers.names() and "bpp-pardiso" not in solvers.names()
    assert kernels.factor_up_looking.__doc__
