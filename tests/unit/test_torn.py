"""Factors of parts that carry a border along, against dense elimination."""

from __future__ import annotations

import numpy as np
import pytest
from matrix_examples import EXAMPLES, problem_of
from torn_examples import NAMES, random_parts

from taut.linalg.torn import TornFactor
from taut.linalg.torn_kernels import complement_part
from taut.structure.tearing import tear
from taut.tables import held

NONE = np.zeros(0)


class Torn:
    """A matrix torn into parts at random, loaded into a factor; all by position."""

    def __init__(self, name: str, parts: int, seed: int) -> None:
        given = EXAMPLES[name]
        problem = problem_of(given)
        self.tearing = tear(problem.pattern, random_parts(given, parts, seed))
        self.symbolic, self.copy = self.tearing.symbolic, self.tearing.interface.copy
        row = self.symbolic.order
        self.matrix = given[np.ix_(row, row)]
        self.factor = TornFactor.of(self.symbolic, self.tearing.tree, self.copy)
        assert self.factor.load(problem.values, np.ones(row.size)) == 1
        self.handle, self.dependent = held(self.factor), np.zeros(row.size, np.uint8)

    def parts(self) -> list[tuple[int, int]]:
        start = self.symbolic.island_start.tolist()
        return list(zip(start[:-1], start[1:], strict=True))

    def complement(self, begin: int, end: int, labels: np.ndarray) -> np.ndarray:
        """Lower triangle of what a part leaves at its border."""
        assert complement_part(self.handle, begin, end, labels, self.dependent, NONE) == 0
        size, tree = int((self.copy[begin:end] >= 0).sum()), self.tearing.tree
        offset, height = tree.offset[tree.node_begin[end] - 1], -(-size // 4) * 4
        return np.tril(self.factor.fronts.storage[offset : offset + height * size].reshape(size, height)[:, :size].T)

    def expected(self, begin: int, end: int, labels: np.ndarray) -> np.ndarray:
        """The same by dense elimination, rows in the order of the tree."""
        own = np.arange(begin, end)
        free = own[(self.copy[own] < 0) & (labels[own] == 0)]
        position, start = self.tearing.interface.position, self.tearing.interface.border_start
        part = self.symbolic.island_start.tolist().index(begin)
        border = position[start[part] : start[part + 1]]
        G = self.matrix[np.ix_(border, free)]
        return np.tril(-G @ np.linalg.solve(self.matrix[np.ix_(free, free)], G.T))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("parts", [2, 4])
def test_border_is_the_schur_complement_of_free_rows(name, parts, rng):
    torn = Torn(name, parts, seed=parts)
    for share in (0.0, 0.5, 0.2, 1.0, 0.0):  # rows leave and come back
        labels = np.where(rng.random(torn.copy.size) < share, 1, 0)
        for begin, end in torn.parts():
            if (torn.copy[begin:end] >= 0).any():
                found = torn.complement(begin, end, labels)
                np.testing.assert_allclose(found, torn.expected(begin, end, labels), atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_solves_for_free_rows_and_leaves_others_alone(name, rng):
    torn = Torn(name, 3, seed=1)
    for share in (0.3, 0.0):
        labels = np.where((rng.random(torn.copy.size) < share) | (torn.copy >= 0), -1, 0)
        for begin, end in torn.parts():
            assert torn.factor.factorise(begin, end, labels, NONE, torn.dependent) == 0
            rhs, x = rng.normal(size=torn.copy.size), np.full(torn.copy.size, 7.0)
            torn.factor.solve(rhs, x)
            free = np.arange(begin, end)[labels[begin:end] == 0]
            np.testing.assert_allclose(torn.matrix[np.ix_(free, free)] @ x[free], rhs[free], atol=1e-11)
            assert (np.delete(x, free) == 7.0).all()
            w, own = np.zeros(x.size), slice(begin, end)
            torn.factor.multiply(begin, end, x, rhs, w)
            border = torn.copy[own] >= 0
            matrix = torn.matrix[own, own] * ~np.outer(border, border)
            np.testing.assert_allclose(w[own], matrix @ x[own] + rhs[own], atol=1e-11)


def test_what_did_not_change_is_not_done_again():
    torn = Torn("large-grid", 4, seed=3)
    begin, end = max(torn.parts(), key=lambda each: each[1] - each[0])
    labels = np.zeros(torn.copy.size, np.int64)
    first = torn.complement(begin, end, labels)
    torn.factor.plain.entries[:] = np.nan  # so nothing is gathered from here on
    np.testing.assert_array_equal(torn.complement(begin, end, labels), first)


def test_two_share_all_but_their_vectors(rng):
    torn = Torn("large-grid", 4, seed=3)
    other = torn.factor.beside()
    handle, labels = held(other), np.zeros(torn.copy.size, np.int64)
    for begin, end in torn.parts():
        if (torn.copy[begin:end] >= 0).any():
            assert complement_part(handle, begin, end, labels, torn.dependent, NONE) == 0
            np.testing.assert_allclose(
                torn.complement(begin, end, labels), torn.expected(begin, end, labels), atol=1e-12
            )
    assert other.fronts.vector is not torn.factor.fronts.vector and other.last is not torn.factor.last
