"""Labels that rows want, and when a search for them ends."""

from __future__ import annotations

import numpy as np
import pytest

from taut.solvers import index_set_kernels as kernels
from taut.solvers.island_workspace import Search
from taut.tables import held


def search_of(size: int, **values: object) -> Search:
    """A search with lam, w, bounds and labels as given, the same for all rows or one by one."""
    search = Search.of_size(size)
    search.lower[:], search.upper[:] = -np.inf, np.inf
    for name, value in values.items():
        getattr(search, name)[:] = value
    return search


def wanted(lam: float, w: float, lower: float, upper: float, label: int, dependent: int = 0) -> int:
    """Label of one row after an update at scale 1."""
    search = search_of(1, lam=lam, w=w, lower=lower, upper=upper, index_set=label, dependent=dependent)
    asked = kernels.update_index_set(0, 1, 1.0, 0, held(search))
    assert asked == (search.index_set[0] != label)
    return int(search.index_set[0])


def test_free_rows_go_to_the_bound_they_passed() -> None:
    assert wanted(0.5, 0.0, 0.0, 1.0, 0) == 0
    assert wanted(-0.1, 0.0, 0.0, 1.0, 0) == -1
    assert wanted(1.1, 0.0, 0.0, 1.0, 0) == 1
    assert wanted(-1e-13, 0.0, 0.0, 1.0, 0) == 0, "rounding is no reason to pivot"


def test_tight_rows_become_free_where_their_slack_has_the_wrong_sign() -> None:
    assert wanted(0.0, 1.0, 0.0, 1.0, -1) == -1
    assert wanted(0.0, -1.0, 0.0, 1.0, -1) == 0
    assert wanted(1.0, -1.0, 0.0, 1.0, 1) == 1
    assert wanted(1.0, 1.0, 0.0, 1.0, 1) == 0
    assert wanted(0.0, -1.0, 0.0, 0.0, -1) == -1, "fixed rows stay"


def test_dependent_rows_go_where_their_slack_points_if_there_is_a_bound() -> None:
    assert wanted(0.5, 1.0, 0.0, 1.0, 0, 1) == -1
    assert wanted(0.5, -1.0, 0.0, 1.0, 0, 1) == 1
    assert wanted(0.5, 1.0, -np.inf, 1.0, 0, 1) == 0
    assert wanted(0.5, 1.0, 0.0, 1.0, 0, 0) == 0
    assert wanted(0.5, 1e-11, 0.0, 1.0, 0, 1) == 0


def test_single_updates_change_the_last_row_only() -> None:
    search = search_of(5, lam=[-1.0, 2.0, -1.0, 0.5, 0.5], lower=0.0, upper=1.0)
    assert kernels.update_index_set(0, 5, 1.0, 1, held(search)) == 3
    np.testing.assert_array_equal(search.index_set, [0, 0, -1, 0, 0])
    assert kernels.update_index_set(0, 2, 1.0, 0, held(search)) == 2
    np.testing.assert_array_equal(search.index_set, [-1, 1, -1, 0, 0])


@pytest.mark.parametrize(
    ("patience", "changes", "limit", "ended"),
    [
        (kernels.FIRM, [1], 1, True),
        (kernels.FIRM, [1], 2, False),
        (kernels.FIRM, [3, 1], 2, True),
        (kernels.PATIENT, [1], 1, False),  # few rows change: twice the pivots
        (kernels.PATIENT, [1, 1], 1, True),
        (kernels.PATIENT, [17], 1, True),
        (kernels.PATIENT, [90, 91, 92, 93, 94], 9, False),
        (kernels.HASTY, [65, 66], 9, True),
        (kernels.HASTY, [63, 64], 9, False),
        (kernels.HASTY, [60, 50, 40, 31], 9, True),
        (kernels.HASTY, [60, 50, 40, 30], 9, False),
        (kernels.HASTY, [16, 16, 16, 16, 16], 9, False),
        (kernels.CROSSING, [49], 9, True),
        (kernels.CROSSING, [48], 9, False),
    ],
)
def test_searches_end_when_their_patience_does(patience: int, changes: list[int], limit: int, ended: bool) -> None:
    seen = np.zeros((2, 20), np.int64)
    seen[1, : len(changes)] = changes
    assert kernels.has_ended(len(changes) - 1, limit, patience, seen) == ended


def test_index_sets_that_come_back_are_known() -> None:
    search, seen = search_of(6), np.zeros((2, 20), np.int64)
    found = []
    for labels in ([0, 0, 0, 1, 0, 0], [0, 0, 0, -1, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]):
        search.index_set[:] = labels
        found.append(kernels.has_repeated(0, 6, len(found), held(search), seen))
    assert found == [0, 0, 0, 1]


def test_tight_rows_are_put_on_their_bounds_and_free_rows_step() -> None:
    search = search_of(4, lam=0.3, lower=-1.0, upper=2.0, index_set=[0, -1, 1, 0], step=0.1)
    kernels.put_on_bounds(0, 3, held(search))
    np.testing.assert_array_equal(search.lam, [0.3, -1.0, 2.0, 0.3])
    kernels.step_free_rows(0, 4, held(search))
    np.testing.assert_allclose(search.lam, [0.2, -1.0, 2.0, 0.2])


def test_a_shift_of_nothing_is_none() -> None:
    shift = np.zeros(5)
    assert kernels.shift_by(1, 3, 0.0, shift) == 0
    assert kernels.shift_by(1, 3, 0.5, shift) == 5
    np.testing.assert_array_equal(shift, [0.0, 0.5, 0.5, 0.0, 0.0])


def test_refinement_is_for_slack_of_free_rows_that_depend_on_no_others() -> None:
    for labels, dependent, expected in ((0, 0, 1), (1, 0, 0), (0, 1, 0)):
        search = search_of(1, bias=1.0, w=1e-12, index_set=labels, dependent=dependent)
        assert kernels.wants_refinement(0, 1, held(search)) == expected
    assert kernels.wants_refinement(0, 1, held(search_of(1, bias=1.0, w=1e-14))) == 0


def test_index_sets_that_fit_are_no_answer_where_slack_stays_or_multipliers_ran_off() -> None:
    def stuck(**values: object) -> int:
        return int(kernels.is_stuck(0, 2, 1.0, held(search_of(2, **values))))

    assert stuck(bias=1.0, w=0.0) == 0
    assert stuck(bias=1.0, w=[0.0, 1e-9]) == 1
    assert stuck(bias=1.0, w=np.nan) == 1
    assert stuck(bias=1.0, w=[0.0, 5.0], index_set=[0, -1], lower=0.0) == 0
    assert stuck(bias=1e-6, w=[0.0, -5e-12], index_set=[0, -1], lower=0.0) == 1, "large beside the data"
