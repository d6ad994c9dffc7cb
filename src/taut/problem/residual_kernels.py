"""Compiled natural residual."""

from __future__ import annotations

import math

import numpy as np

from taut.kernel import kernel


@kernel(
    "float64(int64[::1], int64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1],"
    " float64[::1])"
)
def scaled_natural_residual(
    # problem
    indptr: np.ndarray,
    indices: np.ndarray,
    values: np.ndarray,
    bias: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    # candidate
    lam: np.ndarray,
    w_out: np.ndarray,
) -> float:
    """Natural residual of a candidate and its slack.                                             [Peiret2019, eq. 29]

    w = A lam + b;  with d = diag(A), lam~ = sqrt(d) lam and w~ = w / sqrt(d):
    max_i |lam~ - clip(lam~ - w~, lower~, upper~)|_i / max(|b~|, |lam~|)

    Shapes:  CSR arrays of A; all others (n,)
    Writes:  w_out
    Cost:    2 nnz flops
    Returns: the scaled residual; inf if anything is not a number or bounds cross
    """
    worst = 0.0
    scale = 1e-300
    for i in range(bias.size):
        a = indptr[i]
        b = indptr[i + 1]
        columns = indices[a:b]
        entries = values[a:b]
        slack = bias[i]
        diagonal = 1.0
        for k in range(columns.size):
            j = columns[k]
            slack += entries[k] * lam[j]
            if j == i and entries[k] != 0.0:
                diagonal = abs(entries[k])
        w_out[i] = slack
        root = math.sqrt(diagonal)
        scaled_lam = lam[i] * root
        target = min(max(scaled_lam - slack / root, lower[i] * root), upper[i] * root)
        row = abs(scaled_lam - target)
        # min and max may swallow a NaN, so the ingredients are tested, not only the result
        if not (math.isfinite(row) and math.isfinite(slack) and lower[i] <= upper[i]):
            return math.inf
        worst = max(worst, row)
        scale = max(scale, abs(bias[i]) / root, abs(scaled_lam))
    return worst / scale
