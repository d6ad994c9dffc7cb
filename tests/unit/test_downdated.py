"""The factor that tight rows are taken out of: policies, counts, costs and the estimate of its error."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from taut.linalg.downdated import (
    CHEAPEST,
    COPIES,
    DELETED,
    DOUBTFUL,
    ERROR,
    EXCHANGED,
    FAILED,
    FIRST_GROWTH,
    FIRSTS,
    FROM_FIRST,
    GROWTH,
    IN_USE,
    INCREMENTAL,
    INSERTED,
    PANELS,
    REFACTORED,
    SWEEPS,
    DowndatedFactor,
    dense_lower,
)
from taut.linalg.skyline import INVERSE
from taut.problem import MlcpProblem
from taut.problem.generators import chain, random_box, random_contacts
from taut.structure.symbolic import analyze_pattern, natural_structure

NO_SHIFT = np.zeros(0)


def loaded(problem: MlcpProblem, policy: int = FROM_FIRST, dense: bool = False) -> tuple[DowndatedFactor, np.ndarray]:
    """A factor that holds the matrix of a problem, and the matrix as it holds it."""
    symbolic = natural_structure(problem.pattern) if dense else analyze_pattern(problem.pattern)
    matrix = problem.sparse.toarray()[np.ix_(symbolic.order, symbolic.order)]
    scale = 1.0 / np.sqrt(np.diag(matrix))
    factor = DowndatedFactor.of(symbolic, policy, dense)
    assert factor.load(problem.values, scale) == 1
    return factor, matrix * np.outer(scale, scale)


def largest_part(factor: DowndatedFactor) -> tuple[int, int]:
    starts = factor.symbolic.island_start
    island = int(np.argmax(np.diff(starts)))
    return int(starts[island]), int(starts[island + 1])


def walk(rng: np.random.Generator, begin: int, end: int, labels: np.ndarray) -> None:
    """Change the labels of a few rows, or of many."""
    count = max(1, int(rng.choice([0.02, 0.05, 0.2]) * (end - begin)))
    changed = rng.choice(np.arange(begin, end), count, replace=False)
    labels[changed] = np.where(labels[changed] == 0, rng.choice([-1, 1], count), 0)


def fresh_error(factor: DowndatedFactor, begin: int, end: int, labels: np.ndarray) -> float | None:
    """max |L - L_new| / max |L_new| with L_new factored anew; None where that has dependent rows."""
    rows, lower = factor.triangle()
    plain = factor.plain
    if plain.factorise(begin, end, labels, NO_SHIFT, np.zeros(labels.size, np.uint8)) != 0:
        return None
    new = dense_lower(plain.layout, int(plain.panels[0]), plain.storage, plain.real[INVERSE])
    np.testing.assert_array_equal(rows, begin + np.flatnonzero(labels[begin:end] == 0))
    return float(np.abs(lower - new).max(initial=0.0) / np.abs(new).max(initial=1e-300))


@pytest.mark.parametrize("policy", [FROM_FIRST, INCREMENTAL, CHEAPEST])
@pytest.mark.parametrize("dense", [False, True])
def test_every_policy_gives_the_factor_of_the_free_rows(policy: int, dense: bool, rng: np.random.Generator) -> None:
    for problem in (random_box(50, 1, 1e3).problem, random_contacts(20, 2, 10.0, 0.3, 1e-3).problem, chain(30).problem):
        factor, matrix = loaded(problem, policy, dense)
        begin, end = largest_part(factor)
        labels = np.zeros(problem.size, np.int64)
        for _ in range(8):
            walk(rng, begin, end, labels)
            assert factor.factorise(begin, end, labels, NO_SHIFT, np.zeros(problem.size, np.uint8)) == 0
            rows, lower = factor.triangle()
            np.testing.assert_allclose(lower, np.linalg.cholesky(matrix[np.ix_(rows, rows)]), atol=1e-12)


def test_dense_factors_keep_the_given_order_and_the_full_triangle() -> None:
    problem = random_contacts(20, 2, 10.0, 0.3, 1e-3).problem
    dense, skyline = loaded(problem, dense=True)[0], loaded(problem)[0]
    for begin, end in zip(dense.symbolic.island_start[:-1], dense.symbolic.island_start[1:], strict=True):
        assert (np.diff(dense.symbolic.order[begin:end]) > 0).all()
        assert (dense.first_column[begin:end] == begin).all()
    assert dense.storage.size > skyline.storage.size
    assert dense.entries.size == 0, "no row ever comes back"


def test_from_first_copies_and_incremental_does_not() -> None:
    problem = random_box(40, 3, 1e3).problem
    labels = np.zeros(40, np.int64)
    counts = {}
    for policy in (FROM_FIRST, INCREMENTAL):
        factor, _ = loaded(problem, policy)
        for tight in ([1, 5, 9], [1, 5, 9, 20], [5, 9, 20], [5, 9, 20]):
            labels[:] = 0
            labels[tight] = 1
            assert factor.factorise(0, 40, labels, NO_SHIFT, np.zeros(40, np.uint8)) == 0
        counts[policy] = factor.counts.tolist()
    firsts, copies, sweeps, deleted, inserted, *rest = counts[FROM_FIRST]
    assert (firsts, copies, sweeps, deleted, inserted, rest) == (1, 4, 4, 13, 0, [0, 0, 0])
    firsts, copies, sweeps, deleted, inserted, *rest = counts[INCREMENTAL]
    assert (firsts, copies, sweeps, deleted, inserted, rest) == (1, 1, 3, 4, 1, [0, 0, 0])


def test_parts_have_first_factors_of_their_own_and_a_problem_ends_them() -> None:
    two = [random_box(size, 1, 1e2).problem.sparse for size in (9, 14)]
    problem = MlcpProblem.from_matrix(scipy.sparse.block_diag(two).tocsr(), np.zeros(23))
    factor, _ = loaded(problem)
    starts = factor.symbolic.island_start
    labels, dependent = np.zeros(problem.size, np.int64), np.zeros(problem.size, np.uint8)
    for begin, end in ((starts[0], starts[1]), (starts[0], starts[1]), (starts[1], starts[2])):
        factor.factorise(int(begin), int(end), labels, NO_SHIFT, dependent)
    assert factor.counts[FIRSTS] == 2
    factor.load(problem.values, np.ones(problem.size))
    factor.factorise(int(starts[1]), int(starts[2]), labels, NO_SHIFT, dependent)
    assert factor.counts[FIRSTS] == 3


def test_dependent_rows_and_shifts_are_factored_anew() -> None:
    rows = np.random.default_rng(5).normal(size=(12, 20))
    rows[7] = rows[2]
    factor, matrix = loaded(MlcpProblem.from_matrix(rows @ rows.T, np.zeros(12)), INCREMENTAL)
    labels, dependent = np.zeros(12, np.int64), np.zeros(12, np.uint8)
    assert factor.factorise(0, 12, labels, NO_SHIFT, dependent) == 1 and dependent.sum() == 1
    labels[np.flatnonzero(factor.symbolic.order == 2)] = 1
    assert factor.factorise(0, 12, labels, NO_SHIFT, dependent) == 0, "its twin is independent without it"
    assert factor.counts[REFACTORED] == 2 and not factor.state[IN_USE]
    good, matrix = loaded(random_box(12, 1, 10.0).problem)
    shift = np.full(12, 0.5)
    assert good.factorise(0, 12, labels, shift, dependent) == 0
    kept, lower = good.triangle()
    np.testing.assert_allclose(lower @ lower.T, matrix[np.ix_(kept, kept)] + 0.5 * np.eye(kept.size), atol=1e-13)
    assert good.counts[REFACTORED] == 1


def nearly_dependent(gap: float) -> MlcpProblem:
    """Row 9 is nearly row 3."""
    *rows, apart = np.random.default_rng(8).normal(size=(21, 30))
    rows[9] = rows[3] + gap * apart
    return MlcpProblem.from_matrix(np.array(rows) @ np.array(rows).T, np.zeros(20))


def test_the_estimate_grows_with_nearly_dependent_rows_and_then_rows_are_factored_anew() -> None:
    from taut.linalg.downdated_factor_kernels import LARGEST_ESTIMATE

    estimates = []
    for gap in (1.0, 1e-2, 1e-4, 1e-6):
        factor, _ = loaded(nearly_dependent(gap))
        place = np.argsort(factor.symbolic.order)
        labels, dependent = np.zeros(20, np.int64), np.zeros(20, np.uint8)
        labels[place[5]] = 1
        assert factor.factorise(0, 20, labels, NO_SHIFT, dependent) == 0
        estimates.append(factor.estimate[ERROR])
        is_doubtful = estimates[-1] > LARGEST_ESTIMATE
        assert factor.state[IN_USE] == (not is_doubtful)
        assert factor.counts[DOUBTFUL] == factor.counts[REFACTORED] == is_doubtful
    assert (np.diff(np.log10(estimates)) > 2.0).all() and estimates[-1] > LARGEST_ESTIMATE
    labels[place[9]] = 1
    factor.factorise(0, 20, labels, NO_SHIFT, dependent)
    assert factor.state[IN_USE] == 1, "without the twin the same first factor is good enough"
    assert factor.estimate[ERROR] < 1e-12
    assert factor.estimate[FIRST_GROWTH] > 1e6 * factor.estimate[GROWTH]


def test_a_long_way_to_a_factor_is_begun_again_only_where_that_helps() -> None:
    factor, _ = loaded(random_box(30, 1, 1e4).problem, INCREMENTAL)
    labels, dependent = np.zeros(30, np.int64), np.zeros(30, np.uint8)
    labels[4] = 1
    factor.factorise(0, 30, labels, NO_SHIFT, dependent)
    factor.state[EXCHANGED] = 10**14  # as if as many rows had left and come back
    labels[7] = 1
    factor.factorise(0, 30, labels, NO_SHIFT, dependent)
    assert factor.counts[COPIES] == 2 and factor.state[EXCHANGED] == 2
    assert factor.counts[DOUBTFUL] == 1 and factor.counts[REFACTORED] == 0
    twins, _ = loaded(nearly_dependent(1e-6), INCREMENTAL)
    for tight in (5, 6, 7):
        labels = np.zeros(20, np.int64)
        labels[tight] = 1
        twins.factorise(0, 20, labels, NO_SHIFT, dependent[:20])
    assert twins.counts[COPIES] == 1 and twins.counts[REFACTORED] == 3, "the matrix is to blame"


def test_a_row_that_cannot_come_back_leads_back_to_the_first_factor() -> None:
    """Rows 3 and 9 are twins to 1e-7: the first factor has a pivot of 1e-14, and which way it falls is rounding."""
    for gap in np.logspace(-7.5, -6, 12):
        factor, _ = loaded(nearly_dependent(gap), INCREMENTAL)
        place = np.argsort(factor.symbolic.order)
        dependent = np.zeros(20, np.uint8)
        for tight in ([3], [], [9], [], [3, 9], []):
            labels = np.zeros(20, np.int64)
            labels[place[tight]] = 1
            found = factor.factorise(0, 20, labels, NO_SHIFT, dependent)
            assert found in (0, 1)
            error = fresh_error(factor, 0, 20, labels)
            assert error is None or error <= 1e-7
        assert factor.counts[FAILED] <= factor.counts[INSERTED]


def cases() -> list[MlcpProblem]:
    boxes = [random_box(60, seed, 10.0**power, 0.2).problem for power in range(2, 15, 2) for seed in range(2)]
    contacts = [
        random_contacts(15, seed, 1e3, 0.2, 10.0**-power).problem for power in range(3, 15) for seed in range(2)
    ]
    return [*boxes, *contacts]


@pytest.mark.parametrize("policy", [FROM_FIRST, INCREMENTAL])
def test_the_error_is_below_its_estimate_and_below_1e_7_where_the_factor_is_used(policy: int) -> None:
    """Conditions from 1e2 to 1e14; errors against factors made anew."""
    rng = np.random.default_rng(11)
    used = errors = 0
    for problem in cases():
        factor, _ = loaded(problem, policy)
        begin, end = largest_part(factor)
        labels, dependent = np.zeros(problem.size, np.int64), np.zeros(problem.size, np.uint8)
        for _ in range(6):
            walk(rng, begin, end, labels)
            factor.factorise(begin, end, labels, NO_SHIFT, dependent)
            if not factor.state[IN_USE]:
                continue
            used += 1
            error = fresh_error(factor, begin, end, labels)
            if error is not None:
                errors += error > 0.0
                assert error <= factor.estimate[ERROR]
                assert error <= 3e-8
    assert used > 100 and errors > 100


def test_estimate_counts_the_rows_that_were_exchanged() -> None:
    from taut.linalg.downdated_factor_kernels import error_estimate

    assert error_estimate(0, 1.0) == pytest.approx(2.2e-16, rel=0.02)
    assert error_estimate(100, 1e3) == pytest.approx(6.0 * error_estimate(0, 1e3))
    factor, _ = loaded(random_box(30, 1, 1e2).problem, INCREMENTAL)
    for pivot in range(6):
        labels = np.zeros(30, np.int64)
        labels[pivot] = 1
        factor.factorise(0, 30, labels, NO_SHIFT, np.zeros(30, np.uint8))
    assert factor.state[EXCHANGED] == 11 == factor.counts[DELETED] + factor.counts[INSERTED]


def test_costs_are_plain_functions_of_sizes() -> None:
    from taut.linalg import downdated_cost_kernels as costs

    assert costs.cost_of_copy(2000.0) == 2 * costs.cost_of_copy(1000.0) > 0.0
    whole, half = (costs.cost_of_refactor(1000.0, 1e5, 1e7, share) for share in (1.0, 0.5))
    assert 0.125 * whole < half < 0.5 * whole
    assert costs.cost_of_refactor(1000.0, 1e5, 1e7, 0.0) == 0.0
    factor, _ = loaded(random_box(200, 1, 1e2).problem, INCREMENTAL)
    labels = np.zeros(200, np.int64)
    labels[150] = 1
    factor.factorise(0, 200, labels, NO_SHIFT, np.zeros(200, np.uint8))
    panels, inverse = int(factor.state[PANELS]), factor.real[INVERSE]

    def cost(*rows: int) -> float:
        return costs.cost_of_exchange(factor.layout, panels, np.array(rows, np.int64), inverse)

    assert cost() == 0.0
    assert cost(10) > cost(100) > cost(190), "early rows cost most"
    assert cost(150) > cost(149), "to come back costs more than to leave"
    assert cost(100) < cost(100, 101) < 2 * cost(100), "rows share a pass"


def test_the_cheapest_way_is_a_new_factor_for_many_rows_and_the_last_factor_for_few() -> None:
    factor, _ = loaded(random_box(200, 1, 1e2).problem, CHEAPEST)
    dependent = np.zeros(200, np.uint8)

    def counts_after(tight: np.ndarray) -> np.ndarray:
        labels, before = np.zeros(200, np.int64), factor.counts.copy()
        labels[tight] = 1
        assert factor.factorise(0, 200, labels, NO_SHIFT, dependent) == 0
        return factor.counts - before

    assert counts_after(np.arange(0, 200, 2))[REFACTORED] == 1
    asked = 0
    few = counts_after(np.array([100, 150]))
    while few[REFACTORED]:  # until the first factor would have paid for itself
        few, asked = counts_after(np.array([100, 150])), asked + 1
    assert 1 <= asked <= 3 and few[FIRSTS] == 1
    assert few[COPIES] == 1 and few[DELETED] == 2
    one_more = counts_after(np.array([100, 120, 150]))
    assert one_more[COPIES] == 0 and one_more[DELETED] == 1 and one_more[SWEEPS] == 1
    assert counts_after(np.arange(0, 200, 2))[REFACTORED] == 1
    again = counts_after(np.array([100, 150]))
    assert again[COPIES] == 0 and again[INSERTED] == 1, "a new factor does not spoil the one at hand"


def test_the_cheapest_way_makes_a_factor_of_all_rows_the_first_one_when_a_row_leaves_it() -> None:
    factor, matrix = loaded(random_box(60, 1, 1e2).problem, CHEAPEST)
    labels = np.zeros(60, np.int64)
    factor.factorise(0, 60, labels, NO_SHIFT, np.zeros(60, np.uint8))
    assert factor.counts[FIRSTS] == 0 and factor.counts[REFACTORED] == 1, "there may be no second pivot"
    labels[7] = 1
    factor.factorise(0, 60, labels, NO_SHIFT, np.zeros(60, np.uint8))
    assert factor.counts[FIRSTS] == 1 and factor.counts[REFACTORED] == 1 and factor.counts[DELETED] == 1
    rows, lower = factor.triangle()
    np.testing.assert_allclose(lower @ lower.T, matrix[np.ix_(rows, rows)], atol=1e-13)


def test_nothing_that_is_left_in_a_factor_is_read_by_the_next_problem() -> None:
    problem = random_contacts(20, 2, 10.0, 0.3, 1e-3).problem
    for policy in (FROM_FIRST, INCREMENTAL, CHEAPEST):
        factor, _ = loaded(problem, policy)
        begin, end = largest_part(factor)
        labels = np.random.default_rng(3).choice([-1, 0, 0, 0, 1], problem.size)
        rhs, dependent = np.arange(float(problem.size)), np.zeros(problem.size, np.uint8)
        answers = []
        for _ in range(2):
            factor.load(problem.values, np.ones(problem.size))
            factor.factorise(begin, end, labels, NO_SHIFT, dependent)
            answers.append(rhs.copy())
            factor.solve(rhs, answers[-1])
            for array in (factor.entries, factor.first, factor.storage, factor.real, factor.vectors, factor.estimate):
                array.fill(np.nan)
            for array in (factor.numbers, factor.layout, factor.rows, factor.state):
                array.fill(-77)
        np.testing.assert_array_equal(*answers)
