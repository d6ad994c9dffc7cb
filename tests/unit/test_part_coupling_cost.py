"""When parts are given up: by counted work, so that a detour costs about as much again as all rows at once."""

from __future__ import annotations

import numpy as np
import pytest
from body_problems import body_problem

from taut import solvers
from taut.problem import MlcpProblem, families
from taut.problem.generators import random_friction
from taut.solvers.island_workspace import FACTORIZATIONS, PIVOTS, REPORT_COLUMNS
from taut.solvers.part_coupling import Coupling
from taut.solvers.part_coupling_cost import CouplingCost
from taut.solvers.part_coupling_work import CouplingStructure
from taut.structure.cost_kernels import BODY_PRODUCT, BODY_ROW, COLD_PIVOTS

BOTH = ("schur-bpp", "schur-pgs-sm")
both = pytest.mark.parametrize("solver", BOTH)


def seen_runs(monkeypatch: pytest.MonkeyPatch) -> list[Coupling]:
    """Couplings that are run from now on."""
    runs, run = [], Coupling.run

    def seen(self: Coupling) -> bool:
        runs.append(self)
        return run(self)

    monkeypatch.setattr(Coupling, "run", seen)
    return runs


@both
def test_what_does_not_pay_is_left_to_all_rows_and_has_their_bits(solver, monkeypatch):
    problem = random_friction(600, 3)
    monkeypatch.setattr(CouplingCost, "of_whole", lambda *_: 1.0)
    found = solvers.get(solver, cold_pivots=1, part_size=100).solve(problem)
    whole = solvers.get("bpp").solve(problem)
    assert found.solved and "does not pay" in found.message and found.coupling_iterations <= 2
    np.testing.assert_array_equal(found.lam, whole.lam)
    np.testing.assert_array_equal(found.index_set, whole.index_set)
    assert found.factorizations >= whole.factorizations, "the detour is counted"


@both
def test_smooth_motion_is_not_even_asked(solver, monkeypatch):
    def of_whole(*_: object) -> float:
        raise AssertionError

    monkeypatch.setattr(CouplingCost, "of_whole", of_whole)
    problem = families.chain_like(600)
    cold = solvers.get(solver, part_size=40).solve(problem)
    assert solvers.get(solver, part_size=40).solve(problem, cold).coupling_iterations == 1


@both
@pytest.mark.parametrize("make", [lambda: families.pile_like(500), lambda: random_friction(400, 1)])
def test_no_iteration_begins_beyond_the_bound(solver, make, monkeypatch):
    runs, beyond = seen_runs(monkeypatch), []
    complement = Coupling.complement

    def check(self: Coupling) -> bool:
        if self.iterations >= 2:
            beyond.append(self.counted() / self.whole)
        return complement(self)

    monkeypatch.setattr(Coupling, "complement", check)
    for _ in range(2):
        found = solvers.get(solver, part_size=20, warm_pivots=2, cold_pivots=2).solve(make())
        assert found.solved
    assert max(beyond, default=0.0) <= 1.0
    assert [run.counted() for run in runs[:1]] == [run.counted() for run in runs[1:]], "counted, not measured"


def structure_of(problem: MlcpProblem) -> CouplingStructure:
    return CouplingStructure.of(problem, problem.matrix().pattern, "auto", 20)


def test_pivots_count_by_part() -> None:
    cost = structure_of(families.chain_like(600)).cost
    report = np.zeros((cost.solve.size, REPORT_COLUMNS), np.int64)
    assert cost.of_parts(report) == cost.of_interior(report) == 0.0
    report[1, PIVOTS], report[2, FACTORIZATIONS] = 3, 2
    assert cost.of_parts(report) == pytest.approx(3 * cost.solve[1] + 2 * cost.factor[2])
    assert cost.of_interior(report) == pytest.approx(2 * cost.interior[2])
    stuck = np.arange(cost.solve.size) == 2
    assert cost.about_interior(stuck) == pytest.approx(COLD_PIVOTS * cost.interior[2])


def test_all_rows_at_once_go_by_bodies_where_these_suit(rng: np.random.Generator) -> None:
    rows = families.pile_like(500)
    cost = structure_of(rows).cost
    assert cost.of_whole(rows) == pytest.approx(COLD_PIVOTS * cost.round)
    pile = body_problem(rng, bodies=30, contacts=60, joints=0, softness=1e-6)
    cost = structure_of(pile).cost
    bound = COLD_PIVOTS * cost.round
    assert cost.of_whole(pile) <= bound
    least = COLD_PIVOTS * (BODY_ROW * pile.size + BODY_PRODUCT)
    assert cost.of_whole(pile) >= min(least, bound)
