"""Which islands get a border, and how they begin: what kernels see of a problem before any pivot."""

from __future__ import annotations

import numpy as np
import pytest
from matrix_examples import coupled, tree_pairs

from taut.problem import MlcpProblem
from taut.solvers.block_pivoting_kernels import pivot_islands, take_border
from taut.solvers.index_set_kernels import HASTY
from taut.solvers.island_kernels import load_islands
from taut.solvers.island_workspace import BORDER, CODE, FIRST, LIMIT, PIVOTS, SOLVED, STAGE, IslandStructure, Workspace
from taut.structure.cost_kernels import border_gain

MATRIX = coupled(70, tree_pairs(70, 3), 3, block=4)
SIZE = 280


def problem_with(bounded: np.ndarray, fixed: int = 0) -> MlcpProblem:
    """Rows that are pushed below a lower bound of 0; the first few of them are fixed at 0."""
    lower, upper = np.where(bounded, 0.0, -np.inf), np.full(SIZE, np.inf)
    upper[np.flatnonzero(bounded)[:fixed]] = 0.0
    return MlcpProblem.from_matrix(MATRIX, np.where(np.arange(SIZE) % 3, 1.0, -0.5), lower, upper)


def started(
    problem: MlcpProblem, labels: np.ndarray | None = None, lam: np.ndarray | None = None, cost: float | None = None
) -> np.ndarray:
    """Report of the island after its first stage."""
    work = Workspace(IslandStructure.of_pattern(problem.pattern).work())
    if cost is not None:
        work.tables.cost[0] = cost
    labels = np.zeros(SIZE, np.int64) if labels is None else labels
    arrays = problem.values, problem.bias, problem.lower, problem.upper
    assert load_islands(work.handle, *arrays, labels, np.zeros(SIZE) if lam is None else lam) == 1
    left = pivot_islands(work.handle, 0, 1, FIRST, 12, HASTY, 0.0)
    report = work.tables.report[0]
    assert left == (report[CODE] != SOLVED)
    return report


FEW = np.arange(SIZE) % 14 == 3


def test_a_cold_island_goes_to_its_border_at_once() -> None:
    report = started(problem_with(FEW))
    assert (report[STAGE], report[PIVOTS], report[CODE]) == (BORDER, 0, LIMIT)


def test_fixed_rows_alone_are_no_start() -> None:
    report = started(problem_with(FEW, fixed=4))
    assert (report[STAGE], report[PIVOTS]) == (BORDER, 0)


@pytest.mark.parametrize("what", ["a label", "a multiplier"])
def test_an_island_of_which_something_is_known_gets_one_pivot(what: str) -> None:
    labels, lam = np.zeros(SIZE, np.int64), np.zeros(SIZE)
    if what == "a label":
        labels[3] = -1
    else:
        lam[7] = 1.0
    report = started(problem_with(FEW), labels, lam)
    assert (report[STAGE], report[PIVOTS]) == (BORDER, 1)


@pytest.mark.parametrize("cold", [0, 1])
@pytest.mark.parametrize("every", [14, 2])
def test_a_border_is_for_islands_where_it_gains(every: int, cold: int) -> None:
    bounded = np.arange(SIZE) % every == 0
    problem, lam = problem_with(bounded), np.full(SIZE, 1.0 - cold)
    plan = float(IslandStructure.of_pattern(problem.pattern).cost[2, 0])
    low, high = 0.0, 1e9
    while high - low > 1.0:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if border_gain(middle, plan, float(bounded.sum()), cold) > 0.0 else (middle, high)
    assert started(problem, lam=lam, cost=1.01 * high)[STAGE] == BORDER
    assert started(problem, lam=lam, cost=0.99 * low)[STAGE] == FIRST


def test_upper_bounds_are_bounds() -> None:
    problem = problem_with(np.zeros(SIZE, bool))
    assert started(problem)[STAGE] == FIRST
    problem.upper[5] = 1e-3
    assert started(problem)[STAGE] == BORDER


def test_islands_with_bounds_everywhere_or_nowhere_pivot_on_all_rows() -> None:
    assert started(problem_with(np.ones(SIZE, bool)), cost=1e9)[STAGE] == FIRST
    report = started(problem_with(np.zeros(SIZE, bool)), cost=1e9)
    assert (report[STAGE], report[PIVOTS], report[CODE]) == (FIRST, 1, SOLVED)


def test_what_a_border_found_is_taken_only_if_it_is_exact_on_all_rows() -> None:
    problem = problem_with(FEW)
    structure = IslandStructure.of_pattern(problem.pattern)
    work, order = Workspace(structure.work()), structure.symbolic.order
    root = np.sqrt(np.diag(MATRIX))[order]
    tight = np.zeros(SIZE, bool)
    for _ in range(20):  # plain pivoting
        free = ~tight
        lam = np.zeros(SIZE)
        lam[free] = np.linalg.solve(MATRIX[np.ix_(free, free)], -problem.bias[free])
        w = MATRIX @ lam + problem.bias
        tight = FEW & np.where(tight, w > 0.0, lam < 0.0)
    arrays = problem.values, problem.bias, problem.lower, problem.upper
    load_islands(work.handle, *arrays, np.zeros(SIZE, np.int64), np.zeros(SIZE))
    search, report = work.tables.search, work.tables.report
    for error in (0.0, 1e-6):
        report[0, CODE] = LIMIT
        search.lam[:], search.index_set[:] = (lam + error)[order] * root, -tight[order].astype(np.int64)
        assert take_border(work.handle, 0) == (error == 0.0)
        assert report[0, CODE] == (SOLVED if error == 0.0 else LIMIT)
        assert (search.lam[tight[order]] == 0.0).all(), "tight rows are put on their bounds"
    wrong = tight.copy()
    wrong[np.flatnonzero(FEW & ~tight)[0]] = True
    search.lam[:], search.index_set[:] = lam[order] * root, -wrong[order].astype(np.int64)
    assert take_border(work.handle, 0) == 0
    lost = -tight[order].astype(np.int64)
    lost[np.flatnonzero(lost)[0]] = 0
    search.lam[:], search.index_set[:] = lam[order] * root, lost
    assert take_border(work.handle, 0) == 0, "a free row has a slack, although lam is at the bound that it asks for"
    place = int(np.flatnonzero(tight[order])[0])
    search.bias[place] -= w[order][place] / root[place] + 1e-8
    search.lam[:], search.index_set[:] = lam[order] * root, -tight[order].astype(np.int64)
    assert take_border(work.handle, 0) == 0, "a tight row has a slack of the wrong sign, if only a little"
    search.bias[place] += 2e-8
    assert take_border(work.handle, 0) == 1
