"""The factor that chooses: both ways are right, the one predicted to cost less is taken, nothing is kept too long."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from matrix_examples import EXAMPLES, coupled, problem_of, tree_pairs

from taut.linalg import downdated
from taut.linalg.chosen import ANEW, FRONTS, LARGEST, ROWS, TAKEN, WAY, WAYS, ChosenFactor
from taut.linalg.downdated import CHEAPEST, COPIES, DELETED
from taut.linalg.fronts import MARK, VALID
from taut.problem.generators import random_box
from taut.structure import analyze_pattern
from taut.structure.cost_kernels import front_solve_time, front_time, skyline_time
from taut.structure.front_tree import plant_tree

NO_SHIFT = np.zeros(0)
LARGE = {
    "hubs": coupled(60, tree_pairs(60, 8), 1, block=4),
    "branches": coupled(80, tree_pairs(80, 9), 2, block=6),
    "spider": coupled(91, [(k, max(k - 9, 0)) for k in range(1, 91)], 3, block=5),
}
"""Matrices of which a few fronts cost less than a skyline."""
MATRICES = EXAMPLES | LARGE


def planted(matrix: np.ndarray, islands: np.ndarray | None = None) -> tuple[ChosenFactor, np.ndarray]:
    """A factor that has fronts for some islands, or all, loaded with a matrix; and the matrix in its order."""
    problem = problem_of(matrix)
    symbolic = analyze_pattern(problem.pattern)
    tree = plant_tree(problem.pattern, symbolic, np.arange(symbolic.island_count) if islands is None else islands)
    factor = ChosenFactor.of(symbolic, tree)
    assert factor.load(problem.values, np.ones(len(matrix))) == 1
    return factor, matrix[np.ix_(symbolic.order, symbolic.order)]


def walk(rng: np.random.Generator, labels: np.ndarray) -> None:
    count = max(1, int(rng.choice([0.0, 0.02, 0.4]) * labels.size))
    changed = rng.choice(labels.size, count, replace=False)
    labels[changed] = np.where(labels[changed] == 0, rng.choice([-1, 1], count), 0)


def check(factor: ChosenFactor, matrix: np.ndarray, labels: np.ndarray, shift: np.ndarray, begin: int, end: int):
    """Factorise a part, and compare with a dense solution."""
    rhs, x, dependent = np.sin(np.arange(labels.size)), np.full(labels.size, 7.0), np.zeros(labels.size, np.uint8)
    assert factor.factorise(begin, end, labels, shift, dependent) == 0
    factor.solve(rhs, x)
    free = begin + np.flatnonzero(labels[begin:end] == 0)
    expected = np.full(labels.size, 7.0)
    shifted = matrix + (np.diag(shift) if shift.size else 0.0)
    expected[free] = np.linalg.solve(shifted[np.ix_(free, free)], rhs[free])
    np.testing.assert_allclose(x, expected, atol=1e-11)


def predicted(factor: ChosenFactor, begin: int, end: int) -> tuple[float, float]:
    """Costs of fronts and of a skyline, by the model, of what was asked for last."""
    fronts, tree = factor.fronts, factor.fronts.tree
    tight, dropped = fronts.label
    total = 0.0
    for k in range(tree.node_begin[begin], tree.node_begin[end]):
        free = int(np.count_nonzero(tight[tree.first[k] : tree.first[k + 1]] == 0))
        below = int(np.count_nonzero(dropped[tree.row[tree.row_start[k] : tree.row_start[k + 1]]] == 0))
        total += front_solve_time(free, below) + (front_time(free, below) if fronts.state[MARK, k] else 0.0)
    plain = factor.plain
    panels = int(plain.panels[0])
    layout = plain.layout.astype(float)
    products = 0.5 * float((layout[4, :panels] * layout[2, :panels] ** 2).sum())
    return total, skyline_time(layout[0, panels], layout[1, panels], products)


@pytest.mark.parametrize("name", MATRICES)
def test_the_way_predicted_to_cost_less_is_taken_and_is_right(name: str, rng: np.random.Generator) -> None:
    factor, matrix = planted(MATRICES[name])
    size = len(matrix)
    labels, ways = np.zeros(size, np.int64), np.zeros(WAYS, np.int64)
    for step in range(25):
        shift = rng.uniform(0.1, 1.0, size) if step % 9 == 8 else NO_SHIFT
        check(factor, matrix, labels, shift, 0, size)
        by_fronts, by_rows = predicted(factor, 0, size)
        assert factor.last[WAY] == (FRONTS if by_fronts < by_rows else ANEW)
        ways[factor.last[WAY]] += 1
        np.testing.assert_array_equal(factor.last[TAKEN : TAKEN + WAYS], ways)
        walk(rng, labels)
    if name in LARGE:
        assert ways[FRONTS] > 0
    if name in ("dense", "single"):
        assert ways[ANEW] > 0


def test_both_ways_are_taken_in_one_walk(rng: np.random.Generator) -> None:
    """Fronts that a skyline was preferred to are done when they are asked for again."""
    factor, matrix = planted(LARGE["branches"])
    size = len(matrix)
    labels = np.zeros(size, np.int64)
    turns, last = 0, -1
    for step in range(60):
        share = 0.95 if step % 5 == 3 else 0.0
        asked = np.where(rng.random(size) < share, 1, labels)
        check(factor, matrix, asked, NO_SHIFT, 0, size)
        turns += last >= 0 and factor.last[WAY] != last
        last = int(factor.last[WAY])
        labels[rng.integers(size)] ^= 1
    assert turns >= 4


def test_a_new_matrix_ends_all_that_was_kept(rng: np.random.Generator) -> None:
    factor, matrix = planted(LARGE["spider"])
    order, size, labels = factor.symbolic.order, len(matrix), np.zeros(len(matrix), np.int64)
    for _ in range(3):
        check(factor, matrix, labels, NO_SHIFT, 0, size)
        scale = rng.uniform(0.5, 2.0, size)
        other = LARGE["spider"] + np.diag(rng.uniform(0.0, 1.0, size))
        assert factor.load(problem_of(other).values, scale) == 1
        assert not factor.last[TAKEN : TAKEN + WAYS].any() and not factor.fronts.state[VALID].any()
        matrix = other[np.ix_(order, order)] * np.outer(scale, scale)


def test_islands_with_and_without_fronts_take_turns(rng: np.random.Generator) -> None:
    matrix = EXAMPLES["islands"]
    starts = analyze_pattern(problem_of(matrix).pattern).island_start
    large = np.flatnonzero(np.diff(starts) > 20)
    factor, permuted = planted(matrix, large)
    labels = np.zeros(len(matrix), np.int64)
    for _ in range(60):
        island = int(rng.integers(starts.size - 1))
        begin, end = int(starts[island]), int(starts[island + 1])
        walk(rng, labels[begin:end])
        check(factor, permuted, labels, NO_SHIFT, begin, end)
        if island not in large:
            assert factor.last[WAY] == ANEW


def test_rows_leave_wide_factors_that_have_no_fronts() -> None:
    problem = random_box(160, 1, 1e2).problem
    factor = ChosenFactor.of(analyze_pattern(problem.pattern))
    assert factor.rows.policy == CHEAPEST
    factor.load(problem.values, np.ones(160))
    labels = np.zeros(160, np.int64)
    matrix = problem.sparse.toarray()[np.ix_(factor.symbolic.order, factor.symbolic.order)]
    for tight in ([], [150], [150, 155], [155]):
        labels[:] = 0
        labels[tight] = 1
        check(factor, matrix, labels, NO_SHIFT, 0, 160)
        assert factor.last[WAY] == ROWS
    assert factor.rows.counts[DELETED] >= 2 and factor.rows.counts[COPIES] >= 1
    plain = ChosenFactor.of(factor.symbolic, exchanges=False)
    assert plain.rows.policy == downdated.ANEW
    plain.load(problem.values, np.ones(160))
    check(plain, matrix, labels, NO_SHIFT, 0, 160)


def test_narrow_factors_and_huge_ones_are_made_anew() -> None:
    narrow = analyze_pattern(problem_of(EXAMPLES["chain"]).pattern)
    assert ChosenFactor.of(narrow).rows.policy == downdated.ANEW
    wide = analyze_pattern(random_box(160, 1).problem.pattern)
    assert ChosenFactor.of(wide).rows.policy == CHEAPEST
    huge = wide._replace(storage_size=wide.storage_size + LARGEST)
    assert ChosenFactor.of(huge).rows.policy == downdated.ANEW


def test_threads_beside_share_the_matrix_and_nothing_else(rng: np.random.Generator) -> None:
    for matrix in (LARGE["branches"], random_box(120, 2, 1e2).problem.sparse.toarray()):
        factor, permuted = planted(matrix)
        other = factor.beside()
        assert other.rows.policy == factor.rows.policy
        assert other.plain.entries is factor.plain.entries is other.fronts.entries
        for one, two in ((factor.last, other.last), (factor.fronts.storage, other.fronts.storage),
                         (factor.fronts.state, other.fronts.state), (factor.fronts.label, other.fronts.label),
                         (factor.plain.storage, other.plain.storage)):  # fmt: skip
            assert not np.shares_memory(one, two)
        size = len(matrix)
        labels = np.zeros((2, size), np.int64)
        for _ in range(6):
            for which, own in zip((factor, other), labels, strict=True):
                check(which, permuted, own, NO_SHIFT, 0, size)
                walk(rng, own)


def test_indefinite_matrices_are_seen_both_ways() -> None:
    for name in ("spider", "branches"):
        matrix = LARGE[name].copy()
        matrix[40, 40] = -1.0
        factor, permuted = planted(matrix)
        size, dependent = len(matrix), np.zeros(len(matrix), np.uint8)
        bad = int(np.flatnonzero(factor.symbolic.order == 40)[0])
        labels = np.zeros(size, np.int64)
        for many in (0, 1):
            labels[:] = many
            labels[bad] = 0
            assert factor.factorise(0, size, labels, NO_SHIFT, dependent) < 0
            labels[bad] = 1
            check(factor, permuted, labels, NO_SHIFT, 0, size)


def test_islands_of_a_pattern_with_fronts_have_no_rows_that_leave() -> None:
    wide, small = random_box(160, 1, 1e2).problem.sparse.toarray(), coupled(6, tree_pairs(6, 1))
    matrix = scipy.linalg.block_diag(wide, small)
    sizes = np.diff(analyze_pattern(problem_of(matrix).pattern).island_start)
    factor, permuted = planted(matrix, np.flatnonzero(sizes == 6))
    assert factor.rows.policy == downdated.ANEW
    starts, labels = factor.symbolic.island_start, np.zeros(166, np.int64)
    for island in (0, 1, 0):
        check(factor, permuted, labels, NO_SHIFT, int(starts[island]), int(starts[island + 1]))


def test_a_factor_of_one_island_is_not_mistaken_for_that_of_another() -> None:
    """Rows left the factor of one wide island, then of the other, and so on."""
    parts = [random_box(160, seed, 1e2).problem.sparse.toarray() for seed in (1, 2)]
    problem = problem_of(scipy.linalg.block_diag(*parts))
    factor = ChosenFactor.of(analyze_pattern(problem.pattern))
    assert factor.rows.policy == CHEAPEST and factor.load(problem.values, np.ones(320)) == 1
    permuted = problem.sparse.toarray()[np.ix_(factor.symbolic.order, factor.symbolic.order)]
    labels = np.zeros(320, np.int64)
    for tight in ([], [150], [150, 155]):
        for begin in (0, 160, 0):
            labels[begin + np.array(tight, np.int64)] = 1
            check(factor, permuted, labels, NO_SHIFT, begin, begin + 160)
            assert factor.last[WAY] == ROWS
