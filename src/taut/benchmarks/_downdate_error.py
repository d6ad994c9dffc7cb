"""What taking rows out of a factor does to its accuracy                                     [Lefebvre2020, Table 2.4].

After every pivot the factor without the tight rows is held against a new one of the free rows, the largest difference
of any entry relative to the largest entry. Pivots start from all rows free. "first" takes all tight rows out of the
first factor, as the thesis does; "incremental" changes the factor of the pivot before, so that errors might add up.
Factors that were refused, because the estimate of their error was too large (`doubtful`), are measured as well: the
thesis refuses none. `max_used` is the largest error of those that were used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.benchmarks._sequences import Sequence
from taut.benchmarks._watched import pivot_watched, scaled_entries
from taut.linalg.downdated import (
    ANEW,
    DOUBTFUL,
    ERROR,
    FROM_FIRST,
    HOLDS,
    IN_USE,
    INCREMENTAL,
    REFACTORED,
    DowndatedFactor,
)
from taut.problem.mlcp import MlcpProblem
from taut.structure.symbolic import analyze_pattern, natural_structure

POLICIES = {"first": FROM_FIRST, "incremental": INCREMENTAL}
"""Ways to the factor of a pivot."""

STORAGES = ("dense", "skyline")
"""The full triangle with rows as they are given, and an envelope with rows in order."""

THESIS = {
    "crane": (4.77e-11, 4.84e-11),
    "winch": (6.60e-13, 6.07e-13),
    "parkour": (4.93e-12, 1.85e-12),
    "offshore": (1.50e-09, 1.30e-09),
    "forklift": (1.50e-12, 1.35e-12),
    "forwarder": (4.04e-09, 4.04e-09),
}
"""Means of the thesis, in the order of STORAGES."""


class Comparison:
    """Factors of one problem by every policy, and the errors of each.

    Attributes:
        errors: by policy, of every factor that rows were taken out of: the error, its share of what the factor itself
            estimated, and whether the factor was used.
        asked: how many factors the loop asked for.
    """

    def __init__(self, problem: MlcpProblem, storage: str) -> None:
        dense = storage == "dense"
        symbolic = natural_structure(problem.pattern) if dense else analyze_pattern(problem.pattern)
        entries = scaled_entries(problem, symbolic)
        self.factors = {name: DowndatedFactor.of(symbolic, policy, dense, entries) for name, policy in POLICIES.items()}
        self.fresh = DowndatedFactor.of(symbolic, ANEW, dense, entries)
        self.errors: dict[str, list[tuple[float, float, bool]]] = {name: [] for name in POLICIES}
        self.asked = 0
        self.dependent = np.zeros(problem.size, np.uint8)
        pivot_watched(problem, symbolic, self.factors["first"], self.compare, lambda: None)

    def compare(self, begin: int, end: int, labels: np.ndarray) -> None:
        """Hold all factors of an index set against a new one; the first of them has just been made."""
        self.asked += 1
        for name, factor in self.factors.items():
            if name != "first":
                factor.factorise(begin, end, labels, np.zeros(0), self.dependent)
        if not labels[begin:end].any() or labels[begin:end].all():
            return
        if self.fresh.factorise(begin, end, labels, np.zeros(0), self.dependent) != 0:
            return
        right = self.fresh.triangle()[1]
        for name, factor in self.factors.items():
            if factor.state[HOLDS]:
                error = float(np.abs(changed_triangle(factor) - right).max() / np.abs(right).max())
                self.errors[name].append((error, error / factor.estimate[ERROR], bool(factor.state[IN_USE])))

    def count(self, name: str, which: int) -> int:
        """One of the `counts` of a policy's factor."""
        return int(self.factors[name].counts[which])


def changed_triangle(factor: DowndatedFactor) -> np.ndarray:
    """Dense L of what rows were taken out of, whether or not it is in use."""
    state = factor.state.copy()
    state[IN_USE] = 1
    return factor._replace(state=state).triangle()[1]


def error_rows(sequence: Sequence, most: int) -> list[dict[str, Any]]:
    """One line a storage and policy, over all pivots of frames with tight rows."""
    frames = sequence.with_tight_rows(most)
    found: list[dict[str, Any]] = []
    for place, storage in enumerate(STORAGES if frames else ()):
        compared = [Comparison(frame.problem, storage) for frame in frames]
        for name in POLICIES:
            found.append(line := {
                "sequence": sequence.name, "storage": storage, "policy": name, "frames": len(frames),
                "factors": sum(each.asked for each in compared),
                "refactored": sum(each.count(name, REFACTORED) for each in compared),
                "doubtful": sum(each.count(name, DOUBTFUL) for each in compared),
            })  # fmt: skip
            errors = np.array([error for each in compared for error in each.errors[name]]).reshape(-1, 3).T
            line |= spread(*errors)
            if sequence.name in THESIS:
                line["thesis_mean"] = THESIS[sequence.name][place]
    return found


def spread(errors: np.ndarray, shares: np.ndarray, used: np.ndarray) -> dict[str, Any]:
    """How errors are spread, all (factors,); nothing of none."""
    line: dict[str, Any] = {"compared": errors.size}
    if errors.size:
        line |= {"min": float(errors.min()), "max": float(errors.max()), "mean": float(errors.mean())}
        line |= {"median": float(np.median(errors)), "of_estimate": float(shares.max())}
    if used.any():
        line["max_used"] = float(errors[used > 0.0].max())
    return line
