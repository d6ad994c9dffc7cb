"""The model of what factors cost: its shape, not its constants."""

from __future__ import annotations

import numpy as np
import pytest
from matrix_examples import coupled, problem_of

from taut.structure import analyze_pattern
from taut.structure import cost_kernels as costs
from taut.structure.front_tree import weigh_islands


def test_times_are_positive_and_grow_with_what_is_done() -> None:
    sizes = [1.0, 2.0, 10.0, 100.0, 1e4]
    for times in (
        [costs.skyline_time(size, 10.0, 10.0) for size in sizes],
        [costs.skyline_time(10.0, size, 10.0) for size in sizes],
        [costs.skyline_time(10.0, 10.0, size) for size in sizes],
        [costs.dense_time(size) for size in sizes],
        [costs.plan_time(size, 10.0) for size in sizes],
        [costs.plan_time(10.0, size) for size in sizes],
    ):
        assert times[0] > 0.0 and (np.diff(times) > 0.0).all()


@pytest.mark.parametrize("time", [costs.front_time, costs.front_solve_time])
def test_fronts_cost_more_for_each_further_tile(time) -> None:
    for other in (1, 4, 33):
        wider = [time(4 * k, other) for k in range(1, 30)]
        higher = [time(other, 4 * k) for k in range(30)]
        assert min(wider[0], higher[0]) > 0.0
        assert (np.diff(wider) > 0.0).all() and (np.diff(higher) > 0.0).all()
        assert time(5, other) == time(8, other), "a tile that is begun is paid"
        assert time(other, 1) == time(other, 4)


def test_a_full_triangle_is_a_skyline() -> None:
    for rows in (1.0, 30.0, 700.0):
        assert costs.dense_time(rows) == costs.skyline_time(rows, 0.5 * rows**2, rows**3 / 6.0)
    assert costs.dense_time(0.0) == 0.0
    assert costs.dense_time(8000.0) > 7.0 * costs.dense_time(4000.0), "products rule"
    pattern = problem_of(coupled(90, [(a, b) for a in range(90) for b in range(a)])).pattern
    (skyline,), _ = weigh_islands(analyze_pattern(pattern))
    assert skyline == pytest.approx(costs.dense_time(90.0), rel=0.03)
