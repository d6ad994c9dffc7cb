"""Workspaces apart from structures: problems of one pattern and islands of one problem in several threads."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from fresh_python import run_python
from matrix_examples import coupled, tree_pairs

from taut import solvers
from taut.linalg.downdated import ANEW, CHEAPEST
from taut.problem import MlcpProblem
from taut.problem.families import pile_like
from taut.problem.generators import random_box, random_contacts
from taut.solvers.island_workspace import (
    CODE,
    FIRST,
    PLANNED_ABOVE,
    USEFUL_SHARE,
    IslandStructure,
)
from taut.structure.front_tree import front_costs, plant_tree
from taut.tables import held


def problems_of_one_pattern(count: int) -> list[MlcpProblem]:
    """Boxes of which some are solved by pivoting and some by the interior-point method."""
    given = [random_box(70, seed, 10.0 ** (seed % 9), 0.4).problem for seed in range(count)]
    return [MlcpProblem(given[0].pattern, each.values, each.bias, each.lower, each.upper) for each in given]


def problem_with_islands(count: int = 40) -> MlcpProblem:
    parts = [random_box(4 + k % 9, k, 1e4, 0.4).problem for k in range(count)]
    matrix = scipy.sparse.block_diag([each.sparse for each in parts]).tocsr()
    bias, lower, upper = (
        np.concatenate([getattr(each, name) for each in parts]) for name in ("bias", "lower", "upper")
    )
    return MlcpProblem.from_matrix(matrix, bias, lower, upper)


@pytest.mark.parametrize(
    "name",
    ["bpp", "bpp-refactor", "ipm", "bpp-dense", "bpp-downdate", "bpp-skyline", "bpp-cached", "linear-time", "pgs"],
)
def test_threads_solve_problems_of_one_pattern_at_once_with_the_same_bits(name: str) -> None:
    problems, solver = problems_of_one_pattern(24), solvers.get(name)
    expected = [solver.solve(each) for each in problems]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(solver.solve, problems * 4))
    for one, other in zip(found, expected * 4, strict=True):
        np.testing.assert_array_equal(one.lam, other.lam)
        np.testing.assert_array_equal(one.index_set, other.index_set)
        assert (one.status, one.residual, one.iterations) == (other.status, other.residual, other.iterations)


def test_threads_solve_islands_of_one_problem_at_once_with_the_same_bits() -> None:
    from taut.solvers.block_pivoting_kernels import pivot_islands
    from taut.solvers.index_set_kernels import HASTY
    from taut.solvers.island_kernels import load_islands, store_result

    problem = problem_with_islands()
    structure = IslandStructure.of_pattern(problem.pattern)
    count, size = structure.symbolic.island_count, problem.size
    work = structure.work()
    arrays = problem.values, problem.bias, problem.lower, problem.upper
    assert load_islands(held(work), *arrays, np.zeros(size, np.int64), np.zeros(size)) == 1
    parts = [held(work.beside()) for _ in range(4)]
    bounds = np.linspace(0, count, 5).astype(int).tolist()
    with ThreadPoolExecutor(4) as threads:
        unsolved = sum(
            threads.map(lambda k: pivot_islands(parts[k], bounds[k], bounds[k + 1], FIRST, 12, HASTY, 0.0), range(4))
        )
    assert unsolved == 0 and (work.report[:, CODE] == 0).all()
    lam, index_set = np.empty(size), np.empty(size, np.int64)
    store_result(held(work), problem.lower, problem.upper, lam, index_set)
    np.testing.assert_array_equal(lam, solvers.get("bpp").solve(problem).lam)


def test_a_solve_takes_an_idle_workspace_and_puts_it_back() -> None:
    problem = problems_of_one_pattern(1)[0]
    structure = IslandStructure.of_pattern(problem.pattern)
    assert structure.idle == []
    solvers.get("bpp").solve(problem)
    (only,) = structure.idle
    solvers.get("bpp").solve(problem)
    assert structure.idle == [only], "no second workspace was made"
    for _ in range(2):
        solvers.get("ipm").solve(problem)
        assert len(solvers.get("ipm").analyze(problem.pattern).idle) == 1, "nor by the interior-point method"
    problem.bias[0] = np.nan
    solvers.get("bpp").solve(problem)
    assert structure.idle == [only], "a problem that is refused gives it back"


def of_table(table: Any) -> tuple[Any, ...]:
    """A table, or the one that a handle is of."""
    return getattr(table, "unheld", table)


@pytest.mark.parametrize("name", ["bpp", "ipm"])
def test_nothing_that_a_solve_leaves_in_its_workspace_is_read_by_the_next(name: str) -> None:
    for problem in problems_of_one_pattern(9):
        solver = solvers.get(name)
        first = solver.solve(problem)
        (work,) = solver.analyze(problem.pattern).idle
        tables, (_, plain, rows, fronts, last) = work.tables, work.tables.factor
        for array in (*tables.search[:9], *plain[1:], *of_table(rows)[3:-1], *of_table(fronts)[1:], last, tables.seen,
                      tables.report, work.inner):  # fmt: skip
            array.fill(np.nan if array.dtype == np.float64 else -77)
        np.testing.assert_array_equal(solver.solve(problem).lam, first.lam)


def heap_and_bits() -> MlcpProblem:
    """A large island of a heap, a large dense one, and small ones."""
    heap = pile_like(3500).sparse
    parts = [heap, random_box(150, 1, 1e2).problem.sparse, scipy.sparse.eye_array(3), coupled(6, tree_pairs(6, 1))]
    matrix = scipy.sparse.block_diag(parts).tocsr()
    return MlcpProblem.from_matrix(matrix, np.zeros(matrix.shape[0]))


def test_islands_have_fronts_where_these_pay() -> None:
    structure = IslandStructure.of_pattern(heap_and_bits().pattern)
    symbolic, tree = structure.symbolic, structure.tree
    assert tree is not None and tree is structure.tree
    sizes = np.diff(symbolic.island_start)
    nodes = np.diff(tree.node_begin[symbolic.island_start])
    assert nodes[sizes > 1000] > 10
    assert not nodes[sizes <= 1000].any(), "neither small islands nor a dense one, which would be a single front"
    fronts = front_costs(symbolic, tree)
    assert (fronts[nodes > 0] < USEFUL_SHARE * structure.cost[0][nodes > 0]).all()
    small = IslandStructure.of_pattern(random_box(12, 1).problem.pattern)
    assert small.tree is None and small.work().factor.fronts.tree.nodes == 0


def test_fronts_that_turn_out_not_to_pay_are_dropped() -> None:
    """A long narrow chain is planned for, and its skyline costs less than its many small fronts."""
    chain = scipy.sparse.diags_array([np.ones(2999), np.full(3000, 3.0), np.ones(2999)], offsets=[-1, 0, 1]).tocsr()
    structure = IslandStructure.of_pattern(MlcpProblem.from_matrix(chain, np.zeros(3000)).pattern)
    skyline, _, plan = structure.cost[:, 0]
    assert skyline < PLANNED_ABOVE * plan, "it is not even planned for"
    structure.cost[2] = 0.0
    planned = plant_tree(structure.pattern, structure.symbolic, np.array([0]))
    assert front_costs(structure.symbolic, planned)[0] > USEFUL_SHARE * skyline
    assert structure.tree is None


def test_refactoring_has_neither_fronts_nor_rows_that_leave_a_factor() -> None:
    problem = heap_and_bits()
    structure = solvers.get("bpp-refactor").analyze(problem.pattern)
    work = structure.work()
    assert work.factor.fronts.tree.nodes == 0
    assert work.factor.rows.policy == ANEW and not work.cost.any(), "and no border"
    dense = random_box(150, 1).problem.pattern
    policies = [solvers.get(name).analyze(dense).work().factor.rows.policy for name in ("bpp-refactor", "bpp")]
    assert policies == [ANEW, CHEAPEST]


def test_a_workspace_that_is_lent_is_lent_once_and_comes_back_after_an_error() -> None:
    structure = IslandStructure.of_pattern(heap_and_bits().pattern)
    with structure.lent() as one, structure.lent() as other:
        assert one is not other and structure.idle == []
        for a, b in ((one.tables.search, other.tables.search), (one.tables.factor.last, other.tables.factor.last)):
            assert not np.shares_memory(a[0] if isinstance(a, tuple) else a, b[0] if isinstance(b, tuple) else b)
    assert len(structure.idle) == 2
    with pytest.raises(ZeroDivisionError), structure.lent():
        raise ZeroDivisionError
    assert len(structure.idle) == 2


def test_options_are_part_of_the_key_of_a_structure() -> None:
    problem = random_contacts(10, 1, 10.0, 0.3).problem
    one, other = solvers.get("bpp", cold_pivots=3), solvers.get("bpp", cold_pivots=20)
    one.analyze(problem.pattern), other.analyze(problem.pattern)
    assert {one, other} <= set(problem.pattern.structures)
    assert problem.pattern.structures[solvers.get("bpp", cold_pivots=3)] is one.analyze(problem.pattern)
    assert solvers.get("linear-time") not in problem.pattern.structures, "a subclass with the same options"


def test_structures_that_depend_on_options_do_not_collide() -> None:
    from dataclasses import dataclass

    from taut.solvers.projected_gauss_seidel import ProjectedGaussSeidel

    @dataclass(frozen=True)
    class Counting(ProjectedGaussSeidel):
        def make_structure(self, pattern):
            return self.iterations

    pattern = random_contacts(3, 1, 10.0, 0.3).problem.pattern
    assert Counting(iterations=3).analyze(pattern) == 3
    assert Counting(iterations=4).analyze(pattern) == 4


CALLER = """
from __future__ import annotations

from taut.kernel import kernel
from taut.solvers.block_pivoting_kernels import solve_islands
from taut.solvers.island_workspace import SkylineWork
from taut.tables import Reals, Wholes


@kernel()
def twice(work: SkylineWork, values: Reals, bias: Reals, lower: Reals, upper: Reals, labels: Wholes, lam: Reals) -> int:
    cold = solve_islands(work, values, bias, lower, upper, labels, lam, 12, lam, labels)
    return cold + solve_islands(work, values, bias, lower, upper, labels, lam, 8, lam, labels)
"""

PROBE = """
import numpy as np
from caller_kernels import twice
from taut import solvers
from taut.problem.generators import random_contacts
from taut.solvers.island_workspace import IslandStructure, SkylineWork
from taut.tables import held

problem = random_contacts(20, 3, 10.0, 0.3).problem
work = held(SkylineWork.of(IslandStructure.of_pattern(problem.pattern).symbolic))
labels, lam = np.zeros(problem.size, np.int64), np.zeros(problem.size)
print(twice(work, problem.values, problem.bias, problem.lower, problem.upper, labels, lam))
solver = solvers.get("bpp")
solution = solver.solve(problem, solver.solve(problem))
print((lam == solution.lam).all() and (labels == solution.index_set).all())
problem.bias[0] = np.nan
print(twice(work, problem.values, problem.bias, problem.lower, problem.upper, labels, lam))
"""


@pytest.mark.parametrize("environment", [{}, {"NUMBA_DISABLE_JIT": "1"}], ids=["compiled", "plain"])
def test_kernels_solve_islands_with_no_python_between(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "caller_kernels.py").write_text(CALLER)
    done = run_python("-c", PROBE, search=[tmp_path, *map(Path, sys.path)], **environment)
    assert done.stdout.split() == ["0", "True", "-2"], done.stderr
