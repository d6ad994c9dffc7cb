"""Tables of arrays: the same kernel by a handle, by the tuple itself with the JIT off, and what a handle shares."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from fresh_python import run_python

from taut.tables import RealRows, Reals, is_table, numba_type

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


def test_types_follow_from_annotations() -> None:
    from numba import types

    assert numba_type(Reals) == types.float64[::1]
    assert numba_type(RealRows) == types.float64[:, ::1]
    assert numba_type(int) == types.int64


def test_only_named_tuples_are_tables() -> None:
    assert not is_table(tuple) and not is_table(int) and not is_table(np.zeros(1))
