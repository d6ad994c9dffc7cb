"""Rows over bodies to make partitions of: random ones, and plain structures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from taut.problem.kkt import KktProblem
from taut.structure.incidence import RowEntries


def rows_over(
    touched: Sequence[Sequence[int]],
    moves: np.ndarray,
    always: int | None = None,
    group: np.ndarray | None = None,
    unbounded: np.ndarray | None = None,
) -> RowEntries:
    """Rows that touch these bodies each; after the first ones (`always`, by default all) they come and go."""
    rows = len(touched)
    always = rows if always is None else always
    counts = [len(each) for each in touched]
    start, row = np.append(0, np.cumsum(counts)).astype(np.int64), np.repeat(np.arange(rows), counts)
    body = np.array([body for each in touched for body in each], np.int64)
    unbounded, owner = np.arange(rows) < always if unbounded is None else unbounded, np.full(rows, -1)
    end = int(start[always])
    base = RowEntries(
        start[: always + 1], row[:end], body[:end], moves, unbounded[:always], owner[:always], group=group
    )
    return base if always == rows else RowEntries(start, row, body, moves, unbounded, owner, base, group)


def hyper_entries(seed: int, bodies: int = 24) -> RowEntries:
    """Rows over one to five of some bodies, most of them near each other; the last ones come and go.

    Some bodies do not move, one is touched by many rows, groups are random.
    """
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 60))
    touched = []
    for _ in range(rows):
        middle, reach = rng.integers(bodies), int(rng.integers(2, 6))
        near = np.unique(np.clip(middle + rng.integers(-reach, reach + 1, rng.integers(1, 6)), 0, bodies - 1))
        touched.append(np.unique([*near, 0]) if rng.random() < 0.3 else rng.permutation(near))
    moves, group = (rng.random(bodies) < 0.8).astype(np.uint8), rng.integers(0, 4, bodies)
    return rows_over(touched, moves, int(rng.integers(0, rows + 1)), group)


def chain(bodies: int, rows: int = 3) -> RowEntries:
    """Bodies 1 to `bodies`, each joined by some rows to the one before; body 0 does not move."""
    moves = (np.arange(bodies + 1) > 0).astype(np.uint8)
    return rows_over([(body - 1, body) for body in range(1, bodies + 1) for _ in range(rows)], moves)


def net_under_load(side: int, touched: int) -> RowEntries:
    """A square net of knots, three rows a thread, and one more body, the last, that lies on some knots: contacts."""
    knots = np.arange(1, side * side + 1).reshape(side, side)
    threads = [
        *zip(knots[:, :-1].flat, knots[:, 1:].flat, strict=True),
        *zip(knots[:-1].flat, knots[1:].flat, strict=True),
    ]
    joints = [pair for pair in threads for _ in range(3)]
    load, first = side * side + 1, side * side // 2 - touched // 2
    contacts = [(knot, load) for knot in range(first, first + touched) for _ in range(3)]
    moves = (np.arange(load + 1) > 0).astype(np.uint8)
    return rows_over([*joints, *contacts], moves, len(joints))


def problem_over(entries: RowEntries) -> KktProblem:
    """A problem with these rows, without numbers: partitions do not look at them."""
    return KktProblem(entries, None)  # type: ignore[arg-type]
