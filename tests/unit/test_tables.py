"""Tables of arrays: the same kernel by a handle, by the tuple itself with the JIT off, and what a handle shares."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from fresh_python import run_python

from taut.tables import Flags, Layout, RealRows, Reals, WholeRows, Wholes, held, is_table, numba_type

SUMS = """
from __future__ import annotations

from typing import NamedTuple

from taut.kernel import kernel
from taut.tables import RealRows, Reals, Wholes


class Pose(NamedTuple):
    position: RealRows


class World(NamedTuple):
    pose: Pose
    weight: Reals
    order: Wholes
    step: float


@kernel()
def move(world: World, count: int) -> float:
    total = 0.0
    for k in range(count):
        body = world.order[k]
        world.pose.position[body, 0] += world.step * world.weight[body]
        total += world.pose.position[body, 0]
    return total
"""

SMALL = """
from taut.kernel import kernel
from taut.table_types import matrix, vector


@kernel("float64(int64)", inner=True)
def weigh(times):
    total, numbers, rows = 0.0, vector(3), matrix(2, 4)
    for i in range(3):
        numbers[i] = times * i
    for i in range(2):
        row = rows[i]
        for j in range(4):
            row[j] = numbers[i] + j
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            total += rows[i, j]
    return total


@kernel("float64(int64)")
def add(count):
    total = 0.0
    for i in range(count):
        total += weigh(i)
    return total
"""

PROBE = """
import gc

import numpy as np
from sums_kernels import Pose, World, move
from taut.tables import held

world = World(Pose(np.zeros((3, 3))), np.array([1.0, 2.0, 3.0]), np.array([2, 0]), 0.5)
print(move(held(world), 2), *world.pose.position[:, 0])
handle = held(World(Pose(np.ones((1, 3))), np.ones(1), np.array([0]), 1.0))  # nobody else keeps its arrays
gc.collect()
print(move(handle, 1))
"""


def test_a_kernel_takes_a_handle_and_writes_into_the_arrays_of_the_table(tmp_path: Path) -> None:
    (tmp_path / "sums_kernels.py").write_text(SUMS)
    search = [tmp_path, *map(Path, sys.path)]
    for environment in ({}, {"NUMBA_DISABLE_JIT": "1"}):
        done = run_python("-c", PROBE, search=search, TAUT_CACHE_DIR=str(tmp_path), **environment)
        assert done.stdout.split() == ["2.0", "0.5", "0.0", "1.5", "2.0"], done.stderr


def test_small_arrays_are_a_kernels_own(tmp_path: Path) -> None:
    """A million of them, of which none is left behind, and a callee's are not its caller's."""
    (tmp_path / "small_kernels.py").write_text(SMALL)
    search = [tmp_path, *map(Path, sys.path)]
    for environment, count in (({}, 1_000_000), ({"NUMBA_DISABLE_JIT": "1"}, 10)):
        probe = f"from small_kernels import add; print(add({count}))"
        done = run_python("-c", probe, search=search, TAUT_CACHE_DIR=str(tmp_path), **environment)
        assert float(done.stdout) == count * 12.0 + 4.0 * count * (count - 1) / 2.0, done.stderr


def test_types_follow_from_annotations() -> None:
    from numba import types

    assert numba_type(Reals) == types.float64[::1]
    assert numba_type(RealRows) == types.float64[:, ::1]
    assert numba_type(int) == types.int64


def test_only_named_tuples_are_tables() -> None:
    assert not is_table(tuple) and not is_table(int) and not is_table(np.zeros(1))


class Pair(NamedTuple):
    rows: RealRows
    order: Wholes


@pytest.mark.parametrize(
    "rows", [np.zeros((2, 3), np.float32), np.zeros(3), np.zeros((4, 6))[:, ::2], np.zeros((2, 3)).T]
)
def test_a_table_of_other_arrays_than_it_says_has_no_handle(rows: np.ndarray) -> None:
    held(Pair(np.zeros((2, 3)), np.zeros(0, np.int64)))
    with pytest.raises(TypeError, match="Pair.rows"):
        held(Pair(rows, np.zeros(0, np.int64)))


def test_what_is_no_array_or_another_table_has_no_handle() -> None:
    class Both(NamedTuple):
        pair: Pair
        weight: float

    Both.__annotations__ = {"pair": Pair, "weight": float}
    pair = Pair(np.zeros((2, 3)), np.zeros(0, np.int64))
    held(Both(held(pair), 1.0))
    for wrong in (Both(Both(pair, 1.0), 1.0), Both(pair, np.zeros(1)), Both(np.zeros(3), 1.0)):
        with pytest.raises(TypeError):
            held(wrong)
    with pytest.raises(TypeError):
        held(Pair(None, np.zeros(0, np.int64)))


class Mixed(NamedTuple):
    """Arrays of all sorts."""

    order: Wholes
    place: RealRows
    known: Flags
    label: WholeRows
    weight: Reals


MIXED = Layout(Mixed, {"place": 3, "label": 6})


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_table_in_one_block_is_like_one_of_separate_arrays(count: int) -> None:
    room = MIXED.room({"count": count})
    assert room.place.shape == (count, 3)
    assert room.label.shape == (count, 6)
    assert [room.order.dtype, room.known.dtype] == [np.int64, np.uint8]
    assert not any(values.any() for values in room.unheld)
    if count:
        np.testing.assert_array_equal(held(room.unheld).words, room.words)  # the same addresses and shapes
        for number, name in enumerate(Mixed._fields):
            getattr(room, name).fill(number + 1)
        for number, name in enumerate(Mixed._fields):
            assert (getattr(room.unheld, name) == number + 1).all()  # none reaches into another


class Couple(NamedTuple):
    first: Mixed
    step: Reals
    span: RealRows
    second: Mixed


COUPLE = Layout(Couple, {"first": MIXED, "second": MIXED, "step": (1,), "span": (2, "sides")})


@pytest.mark.parametrize("counts", [{"count": 1, "sides": 1}, {"count": 4, "sides": 3}])
def test_tables_inside_a_table_lie_in_the_same_block(counts: dict[str, int]) -> None:
    room = COUPLE.room(counts)
    assert room.span.shape == (2, counts["sides"])
    arrays = [*room.first, *room.second, room.step, room.span]
    for number, array in enumerate(arrays):
        array.fill(number % 250)
    assert all((array == number % 250).all() for number, array in enumerate(arrays))  # none reaches into another
    apart = held(Couple(*room.unheld))
    np.testing.assert_array_equal(apart.words, room.words[: apart.words.size])  # the same addresses and shapes
    np.testing.assert_array_equal(held(room.second.unheld).words, room.second.words)


def test_a_spare_block_is_used_again_where_it_is_large_enough() -> None:
    large = MIXED.room({"count": 8})
    small = MIXED.room({"count": 5}, large)
    assert np.shares_memory(small.place, large.place)
    larger = MIXED.room({"count": 9}, large)
    assert not np.shares_memory(larger.place, large.place)
    assert np.shares_memory(MIXED.room({"count": 10}, larger).place, larger.place)  # it has room to grow


def test_a_copy_of_a_table_in_one_block_has_arrays_of_its_own() -> None:
    room = MIXED.room({"count": 3})
    other = copy.deepcopy(room)
    other.weight[:] = 1.0
    assert not room.weight.any()
    assert held(other) is other


def test_a_table_in_one_block_says_what_it_does_not_have() -> None:
    with pytest.raises(AttributeError, match="height"):
        MIXED.room({"count": 2}).height  # noqa: B018
