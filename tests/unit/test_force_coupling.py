"""Force-based interface coupling: its blocks are those of the matrix, and it says when it did not settle."""

from __future__ import annotations

import numpy as np
import pytest

from taut import scenes, solvers
from taut.errors import InputError
from taut.problem.generators import chain
from taut.problem.mlcp import MlcpProblem
from taut.problem.parts import row_parts
from taut.problem.solution import AT_LOWER, Status, WarmStart
from taut.simulation.simulation import Simulation
from taut.solvers import force_coupling
from taut.solvers.force_coupling import ForceCoupling


def recorded(name, seconds, **parameters):
    """The last problem of a run."""
    found = []
    sim = Simulation(scenes.build(name, **parameters), problems=lambda frame, solved: found.append(solved))
    sim.run(seconds, record=False)
    return found[-1]


@pytest.fixture(scope="module")
def wrapped():
    return recorded("chain_wrap", 1.0, links=20, ratio=10.0)


def test_blocks_are_those_of_the_matrix(wrapped):
    problem = wrapped.by_bodies
    parts = row_parts(problem, "minimum-degree", 6)
    assert (parts < 0).any() and parts.max() >= 2
    matrix, dense = problem.matrix(), problem.matrix().sparse.toarray()
    blocks = force_coupling.blocks_of(matrix.pattern, parts)
    assert force_coupling.blocks_of(matrix.pattern, parts) is blocks
    np.testing.assert_array_equal(np.sort(np.concatenate([block.rows for block in blocks])), np.arange(problem.size))
    np.testing.assert_array_equal(blocks[-1].rows, np.flatnonzero(parts < 0))
    for block in blocks:
        loaded = force_coupling.load_block(block, matrix)
        others = np.ones(problem.size, bool)
        others[block.rows] = False
        np.testing.assert_array_equal(loaded.problem.sparse.toarray(), dense[np.ix_(block.rows, block.rows)])
        np.testing.assert_array_equal(loaded.outer.toarray(), dense[block.rows] * others)


def banded(rng, size=40, lower=-0.3, upper=0.4):
    """A definite matrix with a few diagonals, which parts of few rows are weakly coupled in."""
    matrix = np.zeros((size, size))
    for k in range(1, 4):
        matrix += np.diag(rng.uniform(-0.5, 0.5, size - k), k)
    matrix += matrix.T
    return MlcpProblem.from_matrix(matrix + np.diag(np.abs(matrix).sum(1) + 0.2), rng.normal(size=size), lower, upper)


def test_a_sweep_solves_parts_first_and_then_the_interface(rng):
    """One sweep from zero by dense algebra, all rows free."""
    free = banded(rng, lower=None, upper=None)
    parts = row_parts(free, "rows", 8)
    assert parts.max() >= 2 and (parts < 0).any()
    dense, expected = free.sparse.toarray(), np.zeros(free.size)
    for part in [*range(parts.max() + 1), -1]:
        rows = np.flatnonzero(parts == part)
        pull = free.bias[rows] + dense[rows] @ expected - dense[np.ix_(rows, rows)] @ expected[rows]
        expected[rows] = -np.linalg.solve(dense[np.ix_(rows, rows)], pull)
    found = ForceCoupling(partition="rows", part_size=8, sweeps=1).solve(free)
    np.testing.assert_allclose(found.lam, expected, atol=1e-12)
    assert found.factorizations == parts.max() + 2


def test_weak_coupling_settles_and_the_answer_is_that_of_bpp(rng):
    for _ in range(5):
        problem = banded(rng)
        found = ForceCoupling(partition="rows", part_size=8).solve(problem)
        assert found.solved and found.iterations > 1 and found.tight_count > 0
        np.testing.assert_allclose(found.lam, solvers.get("bpp").solve(problem).lam, atol=1e-7)


def test_heavy_loads_do_not_settle_and_it_says_so():
    heavy = recorded("chain_wrap", 1.0, links=20, ratio=2000.0)
    solver = ForceCoupling(partition="minimum-degree", part_size=6, sweeps=3)
    found = solver.solve(heavy.by_bodies)
    assert found.status is Status.ITERATION_LIMIT and found.iterations == 3
    assert found.message == "parts and interface did not settle in 3 sweeps"
    assert found.residual > solver.accuracy
    longer = ForceCoupling(partition="minimum-degree", part_size=6, sweeps=100).solve(heavy.by_bodies)
    assert longer.residual < 0.1 * found.residual


def test_multipliers_that_are_nearly_right_save_sweeps(rng):
    solver, problem = ForceCoupling(partition="rows", part_size=8), banded(rng)
    cold = solver.solve(problem)
    assert solver.solve(problem, WarmStart(cold.index_set, 0.999 * cold.lam)).iterations < cold.iterations


def test_factors_of_earlier_solves_leave_no_trace(wrapped):
    """A solve keeps factors from sweep to sweep, and none for the next solve."""
    solver = ForceCoupling(partition="minimum-degree", part_size=6, sweeps=5)
    problem = wrapped.by_bodies
    first = solver.solve(problem)
    solver.solve(problem.with_bias(2.0 * problem.bias, problem.lower, problem.upper))
    np.testing.assert_array_equal(solver.solve(problem).lam, first.lam)


def test_one_part_is_solved_at_once():
    problem = chain(5).problem
    found = ForceCoupling(part_size=1000).solve(problem)
    assert found.solved and found.iterations == 1


def test_tight_rows_are_labelled(wrapped):
    problem = wrapped.by_bodies
    found = ForceCoupling(sweeps=20).solve(problem)
    tight = found.lam <= problem.lower
    assert tight.any()
    np.testing.assert_array_equal(found.index_set[tight], AT_LOWER)


@pytest.mark.parametrize("options", [{"sweeps": 0}, {"tolerance": -1.0}])
def test_wrong_options_are_refused(options):
    with pytest.raises(InputError, match="at least 1 and at least 0 are needed"):
        ForceCoupling(**options)
