"""Loops of bodies are found as by counting: a joint of n bodies that closes none makes n - 1 groups fewer."""

from __future__ import annotations

import numpy as np

from taut.structure.incidence import RowEntries
from taut.structure.loops import has_loops


def entries_of(joints: list[tuple[int, ...]], rows: int, bodies: int) -> RowEntries:
    """So many rows for each joint of these bodies; body 0 is fixed, and so is the last one."""
    each = [joint for joint in joints for _ in range(rows)]
    moves = np.ones(bodies, np.uint8)
    moves[[0, -1]] = 0
    return RowEntries(
        entry_start=np.cumsum([0, *map(len, each)]),
        entry_row=np.repeat(np.arange(len(each)), [len(joint) for joint in each]),
        entry_body=np.array([body for joint in each for body in joint], np.int64),
        moves=moves,
        unbounded=np.ones(len(each), bool),
        owner=np.repeat(np.arange(len(joints)), rows),
    )


def groups_left(joints: list[tuple[int, ...]], bodies: int) -> int:
    """Groups of bodies that joints leave, all that is fixed being one."""
    label = list(range(bodies - 1))
    for joint in joints:
        met = {label[body % (bodies - 1)] for body in joint}
        label = [min(met) if each in met else each for each in label]
    return len(set(label))


def test_loops_are_found_as_by_counting_groups(rng: np.random.Generator) -> None:
    found = []
    for _ in range(300):
        bodies, count = int(rng.integers(3, 9)), int(rng.integers(1, 6))
        joints = [tuple(rng.integers(0, bodies, int(rng.integers(1, 4))).tolist()) for _ in range(count)]
        entries = entries_of(joints, int(rng.integers(1, 4)), bodies)
        touched = sum(len({body % (bodies - 1) for body in joint}) - 1 for joint in joints)
        loop = groups_left(joints, bodies) > bodies - 1 - touched
        assert has_loops(entries, np.ones(entries.row_count, bool)) is loop, joints
        found.append(loop)
    assert 50 < sum(found) < 250


def test_rows_that_do_not_count_close_nothing() -> None:
    entries = entries_of([(0, 1), (1, 2), (2, 0)], rows=3, bodies=4)
    assert has_loops(entries, np.ones(9, bool))
    assert not has_loops(entries, np.arange(9) < 6)
