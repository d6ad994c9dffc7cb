"""Values by number are carried over as if one by one."""

from __future__ import annotations

import numpy as np
import pytest

from taut.structure.numbering import Numbering, joined, runs_where

NUMBERS = [
    [], [-1], [0], [0, 1, 2], [0, -1, 1], [-1, 0, 1], [2, 0, -1, 1], [3, 4, 5, -1, 0, 1], [-1, -1],
    [2 * k if k % 3 else -1 for k in range(60)],
]  # fmt: skip


def one_by_one(number: list[int], old: np.ndarray, count: int) -> np.ndarray:
    new = np.zeros((count, *old.shape[1:]), old.dtype)
    for before, after in enumerate(number):
        if after >= 0:
            new[after] = old[before]
    return new


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("width", [(), (3,)])
def test_values_go_where_their_numbers_say(number: list[int], width: tuple[int, ...], rng: np.random.Generator) -> None:
    numbering = Numbering(np.array(number, np.int64))
    old, count = rng.normal(size=(len(number), *width)), max(number, default=0) + 2
    np.testing.assert_array_equal(numbering.carried(old, count), one_by_one(number, old, count))
    assert numbering.known(count).tolist() == [k in number for k in range(count)]
    assert numbering.left == sum(each >= 0 for each in number)
    assert list(numbering.stay(range(len(number)))) == [k for k, each in enumerate(number) if each >= 0]
    assert numbering.keeps_all == (number == list(range(len(number))))


def test_what_stays_as_it_is_is_one_run() -> None:
    assert Numbering(np.arange(5)).runs == ((slice(0, 5), slice(0, 5)),)
    assert Numbering(np.array([0, 1, -1, 2, 3])).runs == ((slice(0, 2), slice(0, 2)), (slice(3, 5), slice(2, 4)))


def test_values_are_copied_where_they_are_carried_and_shared_where_nothing_changed() -> None:
    stays, values = Numbering(np.arange(4)), np.arange(4.0)
    assert stays.carried(values, 4) is not values
    assert joined(values, stays, np.zeros(0), Numbering(np.arange(0))) is values
    assert stays.followed([values], [np.zeros(0)])[0] is values
    assert stays.followed([values], [np.ones(1)])[0].tolist() == [0.0, 1.0, 2.0, 3.0, 1.0]


def test_values_of_two_are_joined() -> None:
    stays, added = Numbering(np.array([0, -1, 3])), Numbering(np.array([2, 1]))
    values = joined(np.array([10.0, 11.0, 12.0]), stays, np.array([20.0, 21.0]), added)
    assert values.tolist() == [10.0, 21.0, 20.0, 12.0]


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.95, 1.0])
@pytest.mark.parametrize("size", [0, 1, 200])
def test_runs_are_what_was_chosen(share: float, size: int, rng: np.random.Generator) -> None:
    chosen, values = rng.random(size) < share, np.arange(size)
    found = np.concatenate([values[run] for run in runs_where(chosen)])
    np.testing.assert_array_equal(found, values[chosen])
