"""How many entries factors have, before and after ordering."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.benchmarks._sequences import Sequence
from taut.problem.mlcp import MlcpProblem
from taut.structure.islands import find_islands
from taut.structure.orderings import order_rows

Pattern = NDArray[np.bool_]


def largest_island(problem: MlcpProblem) -> Pattern:
    """Pattern (n, n) of A on the largest group of rows that are coupled, as they were given."""
    count, label = find_islands(problem.pattern)
    rows = np.flatnonzero(label == np.argmax(np.bincount(label, minlength=count)))
    dense = np.zeros((problem.size, problem.size), bool)
    dense[np.repeat(np.arange(problem.size), np.diff(problem.pattern.indptr)), problem.pattern.indices] = True
    return dense[np.ix_(rows, rows)]


def ordered_island(problem: MlcpProblem) -> Pattern:
    """The same in the order of elimination."""
    count, label = find_islands(problem.pattern)
    order, _ = order_rows(problem.pattern)
    rows = order[label[order] == np.argmax(np.bincount(label, minlength=count))]
    place = np.searchsorted(np.sort(rows), rows)
    return largest_island(problem)[np.ix_(place, place)]


def envelope_size(pattern: Pattern) -> int:
    """Entries of a skyline: from the first entry of each row to its diagonal."""
    return int(np.sum(np.arange(len(pattern)) - pattern.argmax(axis=1) + 1))


def factor_size(pattern: Pattern) -> int:
    """Entries of a Cholesky factor without rounding to panels."""
    filled = np.tril(pattern)
    for column in range(len(filled)):
        below = column + 1 + np.flatnonzero(filled[column + 1 :, column])
        filled[np.ix_(below, below)] |= np.tri(below.size, dtype=bool)
    return int(filled.sum())


def fill_row(sequence: Sequence) -> dict[str, Any]:
    """Entries of the lower triangle of A and of its factors, of the largest island of the largest frame."""
    given, ordered = largest_island(sequence.largest), ordered_island(sequence.largest)
    entries = int(np.tril(given).sum())
    line: dict[str, Any] = {"sequence": sequence.name, "rows": len(given), "entries": entries}
    for name, pattern in (("given", given), ("ordered", ordered)):
        line |= {f"skyline_{name}": envelope_size(pattern), f"factor_{name}": factor_size(pattern)}
    return line | {"skyline_of_dense": envelope_size(ordered) / (0.5 * len(given) * (len(given) + 1))}
