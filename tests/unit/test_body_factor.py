"""Factors that eliminate contacts, not bodies, against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from body_problems import body_problem

from taut.linalg.body_factor import BodyFactor
from taut.problem.kkt import KktProblem
from taut.solvers.body_space import BodyStructure

CASES = {
    "pile": dict(bodies=12, contacts=40),
    "heavy on light": dict(bodies=12, contacts=40, ratio=1e6),
    "jointed": dict(bodies=9, contacts=12, joints=8),
    "jointed, 1e6": dict(bodies=9, contacts=12, joints=8, ratio=1e6),
    "only joints": dict(bodies=6, contacts=0, joints=5),
    "islands": dict(bodies=20, contacts=30, halves=True),
    "hard contacts": dict(bodies=12, contacts=6, softness=1e-9),
}


class Loaded:
    """The factor of a problem, and A~ with its rows in the order of the factor."""

    def __init__(self, problem: KktProblem) -> None:
        from taut.solvers.body_space_kernels import take_blocks

        with BodyStructure.of(problem.entries).lent() as work:
            zeros = np.zeros(problem.size)
            assert take_blocks(work.handle, problem.handle, zeros.astype(np.int64), zeros) == 1
            self.factor: BodyFactor = work.tables.factor
            self.search = work.tables.search
        order = self.factor.symbolic.order
        dense = problem.matrix().sparse.toarray()[np.ix_(order, order)]
        self.matrix = dense * self.search.scale * self.search.scale[:, None]
        self.size, self.starts = problem.size, self.factor.symbolic.island_start

    def parts(self) -> list[tuple[int, int]]:
        """Every island, and all of them at once."""
        return [(0, self.size), *zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True)]


@pytest.fixture(params=CASES, ids=str)
def loaded(request: pytest.FixtureRequest, rng: np.random.Generator) -> Loaded:
    return Loaded(body_problem(rng, **CASES[request.param]))


def test_scaled_rows_have_unit_diagonal(loaded: Loaded) -> None:
    assert np.diag(loaded.matrix) == pytest.approx(np.ones(loaded.size))


def test_products_are_those_of_the_matrix(loaded: Loaded, rng: np.random.Generator) -> None:
    for begin, end in loaded.parts():
        lam, bias, w = rng.normal(size=loaded.size), rng.normal(size=loaded.size), np.full(loaded.size, 7.0)
        loaded.factor.multiply(begin, end, lam, bias, w)
        part = slice(begin, end)
        assert w[part] == pytest.approx(loaded.matrix[part, part] @ lam[part] + bias[part], abs=1e-9)
        assert (np.delete(w, np.arange(begin, end)) == 7.0).all()


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("shifted", [False, True])
def test_solves_are_those_of_the_free_rows(
    loaded: Loaded, rng: np.random.Generator, share: float, shifted: bool
) -> None:
    for begin, end in loaded.parts():
        labels = np.where(rng.uniform(size=loaded.size) < share, rng.choice([-1, 1, 2], loaded.size), 0)
        shift = rng.uniform(0.0, 1.0, loaded.size) if shifted else np.zeros(0)
        free = np.flatnonzero(labels[begin:end] == 0) + begin
        dense = loaded.matrix[np.ix_(free, free)] + (np.diag(shift[free]) if shifted else 0.0)
        if free.size and np.linalg.cond(dense) > 1e13:
            continue
        dependent = np.ones(loaded.size, np.uint8)
        assert loaded.factor.factorise(begin, end, labels, shift, dependent) == 0
        assert not dependent[begin:end].any()
        rhs, x = rng.normal(size=loaded.size), np.full(loaded.size, 7.0)
        loaded.factor.solve(rhs, x)
        # one step of refinement, as pivoting takes it
        left, more = rhs.copy(), np.zeros(loaded.size)
        left[free] -= dense @ x[free]
        loaded.factor.solve(left, more)
        assert (np.delete(x, free) == 7.0).all()
        expected = np.linalg.solve(dense, rhs[free])
        error = np.abs(dense @ (x + more)[free] - rhs[free]).max(initial=0.0)
        assert error <= 1e-11 * max(1.0, np.abs(expected).max(initial=0.0))


def test_a_solution_may_be_written_over_its_right_hand_side(loaded: Loaded, rng: np.random.Generator) -> None:
    labels, shift = np.zeros(loaded.size, np.int64), np.full(loaded.size, 0.1)
    loaded.factor.factorise(0, loaded.size, labels, shift, np.zeros(loaded.size, np.uint8))
    rhs = rng.normal(size=loaded.size)
    x = np.empty(loaded.size)
    loaded.factor.solve(rhs, x)
    loaded.factor.solve(rhs, rhs)
    assert (x == rhs).all()


def test_hard_rows_that_say_the_same_are_not_definite(rng: np.random.Generator) -> None:
    problem = body_problem(rng, bodies=2, contacts=0, joints=1)
    again = body_problem(rng, bodies=2, contacts=0, joints=3)
    again.blocks.jacobian[6:12], again.blocks.jacobian[12:18] = (problem.blocks.jacobian[:6],) * 2
    loaded = Loaded(again)
    labels, dependent = np.zeros(loaded.size, np.int64), np.zeros(loaded.size, np.uint8)
    assert loaded.factor.factorise(0, loaded.size, labels, np.zeros(0), dependent) < 0


def test_scratch_of_a_factor_is_never_read(loaded: Loaded, rng: np.random.Generator) -> None:
    labels, shift = rng.choice([0, 0, -1], loaded.size), np.full(loaded.size, 0.1)
    rhs, answers = rng.normal(size=loaded.size), []
    for dirt in (0.0, np.nan):
        for scratch in (
            loaded.factor.weight,
            loaded.factor.row,
            loaded.factor.x,
            loaded.factor.diagonal,
            loaded.factor.block,
        ):
            scratch.fill(dirt)
        x = np.zeros(loaded.size)
        loaded.factor.factorise(0, loaded.size, labels, shift, np.zeros(loaded.size, np.uint8))
        loaded.factor.solve(rhs, x)
        answers.append(x)
    assert (answers[0] == answers[1]).all()
