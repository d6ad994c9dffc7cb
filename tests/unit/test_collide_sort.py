"""Sorting by a key: the same order as NumPy's stable sort, and nothing moved that need not be."""

from __future__ import annotations

import numpy as np
import pytest

from taut.collide.sort_kernels import sort_by


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 64, 65, 500])
@pytest.mark.parametrize("different", [1, 3, 1000])
def test_order_is_that_of_a_stable_sort(count: int, different: int) -> None:
    rng = np.random.default_rng(count + different)
    key = rng.integers(0, different, 2 * count + 1).astype(float)
    order = rng.permutation(2 * count + 1)[:count]
    wanted = order[np.argsort(key[order], kind="stable")]
    rest = np.full(5, -7)
    given = np.concatenate([order, rest])
    sort_by(key, given, np.zeros(count + 5, np.int64), count)
    assert given.tolist() == [*wanted, *rest], "the first ones are sorted, others stay"


def test_what_is_in_order_is_left_alone() -> None:
    """Runs are compared, not copied: scratch is not even written to."""
    order, spare = np.arange(100), np.full(100, -1)
    sort_by(np.linspace(-1.0, 1.0, 100), order, spare, 100)
    assert order.tolist() == list(range(100)) and (spare == -1).all()
