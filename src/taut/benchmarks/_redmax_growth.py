"""Exponents of time against degrees of freedom, and where iterations begin to win."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from taut.benchmarks._clock import exponent
from taut.benchmarks._redmax_cases import Case

LARGE = 512
"""Degrees of freedom from which what Python adds to a frame, 0.1 to 0.5 ms, no longer flatters an exponent."""


def growth_row(case: Case, what: str, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Exponents of one case, over all sizes and over the large ones, beside those of the thesis."""
    found: dict[str, Any] = {"case": case.name, "what": what}
    for method in ("pcg", "direct", "auto"):
        known = [row for row in rows if f"{method}_ms" in row]
        large = [row for row in known if row["dofs"] >= LARGE - 2]
        for suffix, own in (("", known), (f"_from_{LARGE}", large)):
            if len(own) > 1:
                slope = exponent([row["dofs"] for row in own], [row[f"{method}_ms"] for row in own])
                found[f"{method}{suffix}"] = slope
    if case.thesis is not None:
        found |= {"thesis_pcg": case.thesis[0], "thesis_direct": case.thesis[1]}
    if case.target is not None:
        found["target"] = case.target
    if all("direct_ms" in row for row in rows):
        found["crossover"] = crossover(rows)
    if case.crossover is not None:
        found["thesis_crossover"] = case.crossover
    worst = [row["auto_over_better"] for row in rows if "auto_over_better" in row]
    return found | ({"auto_worst": max(worst)} if worst else {})


def crossover(rows: Sequence[dict[str, Any]]) -> float | str:
    """Degrees of freedom from which iterations take less time than a factor, up to the largest size.

    Between two sizes, log(time) is taken to be straight in log(dofs).
    """
    dofs = np.log([row["dofs"] for row in rows])
    lead = np.log([row["direct_ms"] / row["pcg_ms"] for row in rows])
    behind = np.flatnonzero(lead <= 0.0)
    if behind.size == 0:
        return f"below {rows[0]['dofs']}"
    last = int(behind[-1])
    if last == len(rows) - 1:
        return f"above {rows[-1]['dofs']}"
    share = -lead[last] / (lead[last + 1] - lead[last])
    return float(np.exp(dofs[last] + share * (dofs[last + 1] - dofs[last])))
