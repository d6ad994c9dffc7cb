"""Elimination of all rows but those of a border against a dense Schur complement, and the way back."""

from __future__ import annotations

import numpy as np
import pytest
from matrix_examples import EXAMPLES, coupled, problem_of, tree_pairs

from taut.linalg.border_kernels import condense_part, expand_part
from taut.linalg.fronts import FrontFactor
from taut.structure import analyze_pattern
from taut.structure.front_tree import plant_tree
from taut.tables import held


class Condensed:
    """The fronts of one island of a matrix, ending at the rows that are late; all in the order of the islands."""

    def __init__(self, matrix: np.ndarray, late: np.ndarray, island: int = 0) -> None:
        problem = problem_of(matrix)
        symbolic = analyze_pattern(problem.pattern)
        tree = plant_tree(problem.pattern, symbolic, np.array([island]), late)
        self.factor = FrontFactor.of(tree, problem.values[symbolic.lower_source])
        self.handle = held(self.factor)
        self.begin, self.end = symbolic.island_start[island : island + 2].tolist()
        self.symbolic, self.size = symbolic, len(matrix)
        self.matrix = matrix[np.ix_(symbolic.order, symbolic.order)]
        self.border = tree.position[tree.first[-2] :]
        self.inner = np.setdiff1d(np.arange(self.begin, self.end), self.border)

    def condense(self, bias: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
        """Dependent rows, S and c."""
        count = self.border.size
        matrix, rest = np.full(count * count, np.nan), np.full(count, np.nan)
        free = np.zeros(self.size, np.int64)
        found = condense_part(self.handle, self.begin, self.end, free, bias, matrix, rest)
        return int(found), matrix.reshape(count, count), rest

    def expand(self, lam: np.ndarray) -> np.ndarray:
        full = np.full(self.size, 7.0)
        expand_part(self.handle, self.begin, self.end, lam, full)
        return full

    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A_II, A_IB, A_BB."""
        inner, border = self.inner, self.border
        return tuple(self.matrix[np.ix_(*rows)] for rows in ((inner, inner), (inner, border), (border, border)))


def some_late(size: int, share: float = 0.2) -> np.ndarray:
    late = (np.random.default_rng(size).random(size) < share).astype(np.int64)
    late[size // 2] = 1
    return late


@pytest.mark.parametrize("share", [0.0, 0.1, 0.6, 1.0])
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in ("diagonal", "islands")])
def test_border_is_the_schur_complement_and_back(name: str, share: float, rng: np.random.Generator) -> None:
    case = Condensed(EXAMPLES[name], some_late(len(EXAMPLES[name]), share))
    A_II, A_IB, A_BB = case.parts()
    for _ in range(2):  # the second time with what the first one left behind
        bias = rng.normal(size=case.size)
        found, S, c = case.condense(bias)
        assert found == 0
        np.testing.assert_allclose(S, A_BB - A_IB.T @ np.linalg.solve(A_II, A_IB), atol=1e-12)
        np.testing.assert_array_equal(S, S.T)
        np.testing.assert_allclose(c, bias[case.border] - A_IB.T @ np.linalg.solve(A_II, bias[case.inner]), atol=1e-12)
        lam = rng.normal(size=case.border.size)
        full = case.expand(lam)
        part = slice(case.begin, case.end)
        np.testing.assert_array_equal(full[case.border], lam)
        np.testing.assert_allclose(full[case.inner], -np.linalg.solve(A_II, A_IB @ lam + bias[case.inner]), atol=1e-12)
        w = case.matrix[part, part] @ full[part] + bias[part]
        np.testing.assert_allclose(w[case.inner - case.begin], 0.0, atol=1e-12)
        np.testing.assert_allclose(w[case.border - case.begin], S @ lam + c, atol=1e-12)


def test_other_islands_are_left_alone(rng: np.random.Generator) -> None:
    matrix = EXAMPLES["islands"]
    symbolic = analyze_pattern(problem_of(matrix).pattern)
    for island in range(symbolic.island_count):
        begin, end = symbolic.island_start[island : island + 2]
        late = np.zeros(len(matrix), np.int64)
        late[symbolic.order[begin:end:3]] = 1
        case = Condensed(matrix, late, island)
        bias = rng.normal(size=case.size)
        _, S, c = case.condense(bias)
        full = case.expand(np.linalg.solve(S, -c))
        expected = np.full(case.size, 7.0)
        part = slice(case.begin, case.end)
        expected[part] = np.linalg.solve(case.matrix[part, part], -bias[part])
        np.testing.assert_allclose(full, expected, atol=1e-12)


def test_inner_rows_that_repeat_others_are_counted_and_hold(rng: np.random.Generator) -> None:
    times = rng.choice([1, 1, 2], 40)
    basis = np.repeat(np.linalg.cholesky(coupled(40, tree_pairs(40, 3), 3)), times, axis=0)
    matrix = basis @ basis.T
    matrix[np.abs(matrix) < 1e-12] = 0.0
    late = np.repeat((times == 1) & (np.arange(40) % 3 == 0), times).astype(np.int64)
    case = Condensed(matrix, late)
    A_II, A_IB, A_BB = case.parts()
    bias = case.matrix @ rng.normal(size=case.size)
    found, S, c = case.condense(bias)
    assert found == A_II.shape[0] - np.linalg.matrix_rank(A_II, tol=1e-9) > 0
    inverse = np.linalg.pinv(A_II, rcond=1e-10, hermitian=True)
    np.testing.assert_allclose(S, A_BB - A_IB.T @ inverse @ A_IB, atol=1e-10)
    np.testing.assert_allclose(c, bias[case.border] - A_IB.T @ inverse @ bias[case.inner], atol=1e-10)
    lam = rng.normal(size=case.border.size)
    w = case.matrix @ case.expand(lam) + bias
    np.testing.assert_allclose(w[case.inner], 0.0, atol=1e-9)
    np.testing.assert_allclose(w[case.border], S @ lam + c, atol=1e-9)


def test_indefinite_inner_rows_are_refused_and_spoil_nothing(rng: np.random.Generator) -> None:
    good, late = EXAMPLES["grid"], some_late(64)
    case = Condensed(good, late)
    bias = rng.normal(size=64)
    _, S, c = case.condense(bias)
    entries = case.factor.entries.copy()
    ends = case.symbolic.lower_start[1:] - 1
    for row in case.inner[:5]:
        case.factor.entries[ends[row]] = -1.0
        assert case.condense(bias)[0] < 0
        case.factor.entries[:] = entries
        again = case.condense(bias)
        np.testing.assert_array_equal(again[1], S)
        np.testing.assert_array_equal(again[2], c)


def test_a_border_that_keeps_nothing_of_its_diagonal_is_refused() -> None:
    matrix, late = EXAMPLES["grid"].copy(), some_late(64)
    matrix[np.diag_indices(64)] -= 20.0 * late
    assert Condensed(matrix, late).condense(np.zeros(64))[0] < 0, "it is indefinite"
    rows = np.repeat(np.arange(20), 2)
    copies = coupled(20, tree_pairs(20, 3), 3)[np.ix_(rows, rows)]
    late = np.zeros(40, np.int64)
    late[7] = 1
    assert Condensed(copies, late).condense(np.zeros(40))[0] < 0, "it is a copy of a row that is eliminated"
