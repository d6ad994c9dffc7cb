"""Whether errors add up in a factor that is changed thousands of times: residuals of a probe on the way.

A joint goes and another comes between two bodies near each other, a body gets another mass, and so on. Beside the
factor that is kept stands one that is ordered and factored anew for the same matrix.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from taut.benchmarks._factor_edits import Matrix, chain, net

EDITS, QUICK_EDITS = (0, 10, 100, 1000, 10_000), (0, 10)
NEAR = 3
"""How far apart in the list of bodies those are that a joint is put between."""


def measure(quick: bool, out: Path) -> list[dict[str, Any]]:
    """One line a matrix and number of edits."""
    matrices = {"chain 100": chain(20 if quick else 100), "net 8 x 8": net(4 if quick else 8)}
    return [row for name, matrix in matrices.items() for row in error_rows(name, matrix, quick)]


def error_rows(name: str, matrix: Matrix, quick: bool) -> list[dict[str, Any]]:
    """Residuals after more and more edits."""
    rows: list[dict[str, Any]] = []
    factor, done = matrix.factor, 0
    factor.order()
    for count in QUICK_EDITS if quick else EDITS:
        for _ in range(done, count):
            change(matrix)
            if factor.update() != -1:
                factor.order()
        done, fill, orderings, kept = count, factor.fill, factor.orderings, factor.probe()
        factor.order()
        rows.append({
            "matrix": name, "edits": count, "residual": kept, "residual_anew": factor.probe(),
            "fill_over_anew": fill / factor.fill, "orderings": orderings - len(rows) - 1,
        })  # fmt: skip
    return rows


def change(matrix: Matrix) -> None:
    """One joint less and one more, and a body of another mass."""
    rng = matrix.rng
    matrix.remove(matrix.joints[int(rng.integers(len(matrix.joints)))])
    first = int(rng.integers(len(matrix.bodies) - NEAR))
    matrix.joint(matrix.bodies[first], matrix.bodies[first + int(rng.integers(1, NEAR + 1))])
    body = matrix.bodies[int(rng.integers(len(matrix.bodies)))]
    matrix.factor.set(body, np.diag(rng.uniform(0.5, 2.0, 6)))
