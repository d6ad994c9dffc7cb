"""Factors by fronts against dense Cholesky factors, however rows become tight and free again."""

from __future__ import annotations

import numpy as np
import pytest
from matrix_examples import EXAMPLES, coupled, grid_pairs, problem_of, tree_pairs

from taut.linalg.front_kernels import factor_fronts, mark_fronts, solve_fronts
from taut.linalg.fronts import BELOW, FREE, INVERSE, MARK, VALID, FrontFactor
from taut.structure import analyze_pattern
from taut.structure.front_tree import FrontTree, plant_tree
from taut.tables import held

NO_SHIFT = np.zeros(0)


class Fronts:
    """A factor by fronts with the matrix in the order of its islands, and dense answers to the same questions."""

    def __init__(self, matrix: np.ndarray) -> None:
        problem = problem_of(matrix)
        self.symbolic = analyze_pattern(problem.pattern)
        self.size = len(matrix)
        tree = plant_tree(problem.pattern, self.symbolic, np.arange(self.symbolic.island_count))
        self.factor = FrontFactor.of(tree, np.empty(self.symbolic.lower_source.size))
        self.handle = held(self.factor)
        self.dependent = np.zeros(self.size, np.uint8)
        self.load(matrix)

    def load(self, matrix: np.ndarray) -> None:
        """Another matrix of the pattern."""
        order = self.symbolic.order
        self.factor.entries[:] = problem_of(matrix).values[self.symbolic.lower_source]
        self.factor.state[VALID] = 0
        self.matrix = matrix[np.ix_(order, order)]

    @property
    def tree(self) -> FrontTree:
        return self.factor.tree

    def factorise(self, labels: np.ndarray, shift: np.ndarray = NO_SHIFT, part: tuple[int, int] | None = None) -> int:
        begin, end = part or (0, self.size)
        mark_fronts(self.handle, begin, end, labels, int(shift.size > 0))
        return int(factor_fronts(self.handle, begin, end, shift, self.dependent))

    def solve(self, rhs: np.ndarray, part: tuple[int, int] | None = None) -> np.ndarray:
        x = np.full(self.size, 7.0)
        solve_fronts(self.handle, *(part or (0, self.size)), rhs, x)
        return x

    def lower(self) -> np.ndarray:
        """Dense L (n, n) in the order of elimination; rows and columns of tight rows are 0."""
        factor, tree, dense = self.factor, self.tree, np.zeros((self.size, self.size))
        for k in range(tree.nodes):
            free, below = factor.state[FREE, k], factor.state[BELOW, k]
            wide, rest = -(-free // 4) * 4, -(-below // 4) * 4
            columns = factor.column[tree.padded[k] : tree.padded[k] + free]
            rows = factor.below[tree.row_start[k] : tree.row_start[k] + below]
            block = factor.storage[tree.offset[k] : tree.offset[k] + wide * (wide + rest)].reshape(wide, wide + rest).T
            dense[np.ix_(columns, columns)] = np.tril(block[:free, :free], -1)
            dense[columns, columns] = 1.0 / factor.real[INVERSE, tree.padded[k] : tree.padded[k] + free]
            dense[np.ix_(rows, columns)] = block[wide : wide + below, :free]
        dense[factor.label[0] == 1] = 0.0
        return dense

    def check(self, labels: np.ndarray, shift: np.ndarray = NO_SHIFT) -> None:
        """Factorise, and compare factor and solution with dense ones."""
        assert self.factorise(labels, shift) == 0
        free, position = labels == 0, self.tree.position
        A = self.matrix + (np.diag(shift) if shift.size else 0.0)
        rows = np.flatnonzero(free[position])
        expected = np.linalg.cholesky(A[np.ix_(position[rows], position[rows])])
        np.testing.assert_allclose(self.lower()[np.ix_(rows, rows)], expected, atol=1e-12)
        rhs = np.cos(np.arange(self.size))
        x = self.solve(rhs)
        np.testing.assert_allclose(x[free], np.linalg.solve(A[np.ix_(free, free)], rhs[free]), atol=1e-11)
        assert (x[~free] == 7.0).all(), "other rows are left alone"


def walk(rng: np.random.Generator, labels: np.ndarray) -> None:
    """Change the labels of a row, a few or many."""
    count = max(1, int(rng.choice([0.0, 0.05, 0.3]) * labels.size))
    changed = rng.choice(labels.size, count, replace=False)
    labels[changed] = np.where(labels[changed] == 0, rng.choice([-1, 1], count), 0)


@pytest.mark.parametrize("name", EXAMPLES)
def test_rows_become_tight_and_free_again_many_times(name: str, rng: np.random.Generator) -> None:
    fronts = Fronts(EXAMPLES[name])
    for share in (0.0, 0.5):  # rows that are tight from the first are left out of all fronts
        fronts.load(EXAMPLES[name])
        labels = np.where(rng.random(fronts.size) < share, 1, 0)
        for _ in range(15):
            fronts.check(labels)
            walk(rng, labels)


@pytest.mark.parametrize("name", EXAMPLES)
def test_all_rows_tight_none_and_one(name: str) -> None:
    fronts = Fronts(EXAMPLES[name])
    all_tight, none = np.ones(fronts.size, np.int64), np.zeros(fronts.size, np.int64)
    one = all_tight.copy()
    one[fronts.size // 2] = 0
    for labels in (all_tight, none, one, all_tight, one, none):
        fronts.check(labels)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_shift_is_good_for_one_factor(name: str, rng: np.random.Generator) -> None:
    fronts = Fronts(EXAMPLES[name])
    labels = np.where(rng.random(fronts.size) < 0.2, 1, 0)
    for _ in range(4):
        fronts.check(labels)
        fronts.check(labels, rng.uniform(0.1, 1.0, fronts.size))
        fronts.check(labels, rng.uniform(0.1, 1.0, fronts.size))
        fronts.check(labels)
        walk(rng, labels)


def path(tree: FrontTree, nodes: set[int]) -> set[int]:
    """Nodes and all their ancestors."""
    found: set[int] = set()
    for k in nodes:
        while k >= 0:
            found.add(k)
            k = int(tree.parent[k])
    return found


@pytest.mark.parametrize("name", ["tree", "fat-tree", "large-grid", "contacts", "islands"])
def test_exactly_the_fronts_that_change_are_done_again(name: str, rng: np.random.Generator) -> None:
    fronts = Fronts(EXAMPLES[name])
    tree, state, storage = fronts.tree, fronts.factor.state, fronts.factor.storage
    labels = np.where(rng.random(fronts.size) < 0.3, 1, 0)
    dropped = labels.astype(bool)  # rows that no front has, until they become free
    fronts.factorise(labels)
    assert (state[MARK] == 1).all() and (state[VALID] == 1).all()
    for _ in range(60):
        position = int(rng.integers(fronts.size))
        column = int(np.flatnonzero(tree.position == position)[0])
        changed = {int(tree.node[column])}
        if labels[position] and dropped[position]:
            starts = np.repeat(np.arange(tree.nodes), np.diff(tree.row_start))
            changed |= {int(k) for k in starts[tree.row == column]}
            dropped[position] = False
        labels[position] = 1 - labels[position]
        before = storage.copy()
        fronts.check(labels)
        assert set(np.flatnonzero(state[MARK]).tolist()) == path(tree, changed)
        for k in np.flatnonzero(state[MARK] == 0):
            part = slice(tree.offset[k], tree.offset[k + 1])
            np.testing.assert_array_equal(storage[part], before[part])
    fronts.factorise(labels)
    assert not state[MARK].any(), "nothing changed"


def test_labels_of_either_bound_are_the_same_to_a_factor() -> None:
    fronts = Fronts(EXAMPLES["grid"])
    labels = np.zeros(fronts.size, np.int64)
    labels[::5] = -1
    fronts.factorise(labels)
    fronts.factorise(-labels)
    assert not fronts.factor.state[MARK].any()


def test_the_bits_do_not_depend_on_what_the_storage_held() -> None:
    fronts = Fronts(EXAMPLES["contacts"])
    rng = np.random.default_rng(1)
    answers = []
    for junk in (0.0, np.nan, 1e300):
        fronts.load(EXAMPLES["contacts"])
        for array in (fronts.factor.storage, fronts.factor.real, fronts.factor.x, fronts.factor.vector):
            array.fill(junk)
        for whole in (fronts.factor.column, fronts.factor.number, fronts.factor.label, fronts.factor.local):
            whole.fill(-77)
        rng = np.random.default_rng(1)
        labels = np.zeros(fronts.size, np.int64)
        for _ in range(4):
            walk(rng, labels)
            fronts.factorise(labels)
        answers.append(fronts.solve(np.arange(float(fronts.size))))
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


def laplacian(matrix: np.ndarray) -> np.ndarray:
    """A singular matrix of the same graph, whole numbers, with ones as its null vector."""
    graph = -(matrix != 0.0).astype(float)
    np.fill_diagonal(graph, 0.0)
    return graph - np.diag(graph.sum(1))


@pytest.mark.parametrize("name", ["pair", "chain", "ring", "star", "tree", "grid", "large-grid"])
def test_dependent_rows_are_found_and_given_no_unknown(name: str, rng: np.random.Generator) -> None:
    matrix = laplacian(EXAMPLES[name])
    fronts = Fronts(matrix)
    labels = np.zeros(fronts.size, np.int64)
    for _ in range(5):
        labels[:] = 0
        assert fronts.factorise(labels) == 1 and fronts.dependent.sum() == 1
        rhs = fronts.matrix @ rng.normal(size=fronts.size)
        x = fronts.solve(rhs)
        assert x[fronts.dependent == 1] == 0.0
        np.testing.assert_allclose(fronts.matrix @ x, rhs, atol=1e-9)
        labels[rng.integers(fronts.size)] = 1
        fronts.check(labels)
        assert not fronts.dependent[labels == 0].any()


def test_rows_that_repeat_others_are_as_many_as_are_lost(rng: np.random.Generator) -> None:
    basis = np.repeat(np.linalg.cholesky(EXAMPLES["tree"]), rng.choice([1, 1, 1, 2, 3], 70), axis=0)
    matrix = basis @ basis.T
    matrix[np.abs(matrix) < 1e-12] = 0.0
    fronts = Fronts(matrix)
    labels = np.zeros(fronts.size, np.int64)
    for _ in range(12):
        free = labels == 0
        part = fronts.matrix[np.ix_(free, free)]
        lost = part.shape[0] - np.linalg.matrix_rank(part, tol=1e-9)
        assert fronts.factorise(labels) == lost == fronts.dependent[free].sum()
        rhs = np.zeros(fronts.size)
        rhs[free] = part @ rng.normal(size=part.shape[0])
        np.testing.assert_allclose(part @ fronts.solve(rhs)[free], rhs[free], atol=1e-9)
        fronts.dependent[:] = 0
        walk(rng, labels)


@pytest.mark.parametrize("name", ["single", "chain", "star", "large-grid", "contacts", "islands"])
def test_a_negative_pivot_is_seen_and_spoils_nothing_after_it(name: str, rng: np.random.Generator) -> None:
    good = EXAMPLES[name]
    for bad in rng.integers(0, len(good), 4):
        matrix = good.copy()
        matrix[bad, bad] = -1.0
        fronts = Fronts(matrix)
        labels = np.zeros(fronts.size, np.int64)
        tight = labels.copy()
        tight[np.flatnonzero(fronts.symbolic.order == bad)] = 1
        assert fronts.factorise(labels) < 0
        fronts.check(tight)
        walk(rng, tight)
        tight[fronts.symbolic.order == bad] = 1
        fronts.check(tight)
        assert fronts.factorise(labels) < 0, "after a good one too"
        assert fronts.factorise(labels) < 0, "and again, although no label changed"
        fronts.check(tight)
        fronts.check(labels, np.full(fronts.size, 5.0 + np.abs(matrix).sum()))
        fronts.load(good)
        fronts.check(labels)


def test_parts_have_fronts_of_their_own(rng: np.random.Generator) -> None:
    fronts = Fronts(EXAMPLES["islands"])
    starts, labels = fronts.symbolic.island_start, np.zeros(fronts.size, np.int64)
    rhs = np.sin(np.arange(fronts.size))
    for _ in range(40):
        island = int(rng.integers(starts.size - 1))
        begin, end = part = int(starts[island]), int(starts[island + 1])
        walk(rng, labels[begin:end])
        free = begin + np.flatnonzero(labels[begin:end] == 0)
        assert fronts.factorise(labels, part=part) == 0
        x = fronts.solve(rhs, part)
        expected = np.full(fronts.size, 7.0)
        expected[free] = np.linalg.solve(fronts.matrix[np.ix_(free, free)], rhs[free])
        np.testing.assert_allclose(x, expected, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_many_graphs_and_many_labels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size, block = int(rng.integers(2, 120)), int(rng.integers(1, 5))
    extra = [(int(a), int(b)) for a, b in rng.integers(0, size, (int(rng.integers(0, 30)), 2)) if a != b]
    pairs = grid_pairs(max(2, int(size**0.5))) if seed % 3 == 0 else tree_pairs(size, seed)
    fronts = Fronts(coupled(max(size, 4), pairs + extra, seed, block))
    labels = np.where(rng.random(fronts.size) < rng.choice([0.0, 0.3, 0.8]), 1, 0)
    for _ in range(60):
        fronts.check(labels, rng.uniform(0.1, 1.0, fronts.size) if rng.random() < 0.1 else NO_SHIFT)
        walk(rng, labels)
