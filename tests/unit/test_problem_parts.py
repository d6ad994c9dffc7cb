"""What parts of problems promise: rows within two different parts are never coupled."""

from __future__ import annotations

import numpy as np
import pytest
from body_problems import body_problem
from hypothesis import given
from hypothesis import strategies as st
from matrix_examples import EXAMPLES, problem_of

from taut.errors import InputError
from taut.problem.kkt import KktProblem, Problem
from taut.problem.parts import CHOICES, partition_of, row_parts
from taut.structure.incidence import RowEntries


def hyper_problem(seed: int, bodies: int = 24) -> KktProblem:
    """Rows over one to five of some bodies, most of them near each other; the last ones come and go. It has no numbers.

    Some bodies do not move, one is touched by many rows, groups are random.
    """
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 60))
    touched = []
    for _ in range(rows):
        middle, reach = rng.integers(bodies), int(rng.integers(2, 6))
        near = np.unique(np.clip(middle + rng.integers(-reach, reach + 1, rng.integers(1, 6)), 0, bodies - 1))
        touched.append(np.unique([*near, 0]) if rng.random() < 0.3 else rng.permutation(near))
    counts = [each.size for each in touched]
    start, row = np.append(0, np.cumsum(counts)), np.repeat(np.arange(rows), counts)
    body, moves = np.concatenate(touched).astype(np.int64), (rng.random(bodies) < 0.8).astype(np.uint8)
    always, group = int(rng.integers(0, rows + 1)), rng.integers(0, 4, bodies)
    unbounded, owner = np.arange(rows) < always, np.full(rows, -1)
    end = int(start[always])
    base = RowEntries(
        start[: always + 1], row[:end], body[:end], moves, unbounded[:always], owner[:always], group=group
    )
    entries = RowEntries(start, row, body, moves, unbounded, owner, base if rng.random() < 0.7 else None, group)
    return KktProblem(entries, None)  # type: ignore[arg-type]


def coupled_rows(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of all entries of A."""
    pattern = problem.entries.incidence.pattern if isinstance(problem, KktProblem) else problem.pattern
    return np.repeat(np.arange(pattern.size), np.diff(pattern.indptr)), pattern.indices


def check_parts(problem: Problem, choice: str, size: int) -> None:
    found = partition_of(problem, choice, size)
    row, column = coupled_rows(problem)
    within = (found.row[row] >= 0) & (found.row[column] >= 0)
    np.testing.assert_array_equal(found.row[row[within]], found.row[column[within]])
    assert found.row.dtype == np.int64 and found.row.min(initial=0) >= -1
    assert found.row.max(initial=-1) < max(found.count, 1)
    assert found.interface == np.count_nonzero(found.row < 0)
    assert row_parts(problem, choice, size) is found.row, "worked out once"


@given(st.integers(0, 10**6), st.sampled_from([choice for choice in CHOICES if choice != "rows"]), st.integers(0, 9))
def test_no_entry_couples_rows_within_two_parts(seed: int, choice: str, size: int) -> None:
    check_parts(hyper_problem(seed), choice, size)


@pytest.mark.parametrize("size", [0, 1, 5])
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_same_where_rows_are_the_nodes(name: str, size: int) -> None:
    for choice in CHOICES:
        check_parts(problem_of(EXAMPLES[name]), choice, size)
    with_bodies = body_problem(np.random.default_rng(size), joints=5)
    check_parts(with_bodies, "rows", size)


def test_choices_and_sizes_that_are_none_are_named() -> None:
    problem = hyper_problem(1)
    with pytest.raises(
        InputError, match="partition is 'metis'; it must be one of: auto, groups, minimum-degree, chain"
    ):
        row_parts(problem, "metis")
    for size in (-1, 2.0, True):
        with pytest.raises(InputError, match=f"part_size is {size!r}; it must be a whole number of bodies, or 0"):
            row_parts(problem, "auto", size)  # type: ignore[arg-type]
