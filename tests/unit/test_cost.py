"""The model of what factors cost: its shape, not its constants."""

from __future__ import annotations

import numpy as np
import pytest

from taut.structure import cost_kernels as costs


def test_times_are_positive_and_grow_with_what_is_done() -> None:
    sizes = [1.0, 2.0, 10.0, 100.0, 1e4]
    for times in (
        [costs.skyline_time(size, 10.0, 10.0) for size in sizes],
        [costs.skyline_time(10.0, size, 10.0) for size in sizes],
        [costs.skyline_time(10.0, 10.0, size) for size in sizes],
        [costs.pivot_time(size, 10.0, 10.0, 10.0) for size in sizes],
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


def test_a_border_gains_with_the_cost_of_a_pivot_and_loses_with_its_rows_and_with_planning() -> None:
    gain = costs.border_gain
    assert gain(1e5, 1e5, 30.0, 1) > gain(1e5, 1e5, 30.0, 0) > gain(1e5, 1e5, 60.0, 0)
    assert gain(2e5, 1e5, 30.0, 0) > gain(1e5, 1e5, 30.0, 0) > gain(1e5, 2e5, 30.0, 0)
    rows = 200.0
    dense = costs.pivot_time(rows, 0.5 * rows**2, 0.5 * rows**2, rows**3 / 6.0)
    assert gain(dense, 0.0, rows, 1) < 0.0, "a border of all rows is a detour for nothing"
