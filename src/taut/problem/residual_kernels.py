"""Compiled natural residual."""

from __future__ import annotations

import math

import numpy as np

from taut.kernel import kernel

WORST, SCALE, DATA = 0, 1, 2
"""Rows of the measures of islands: largest violation, size of b~ and lam~, size of b~ and of the slack of multipliers
nearest to 0."""


@kernel(
    "boolean(int64, int64, float64, float64[::1], float64[::1], float64[::1], float64[::1], float64, float64,"
    " float64[:, ::1])",
    inner=True,
)
def judge_row(
    i: int,
    island: int,
    root: float,  # sqrt(A_ii)
    bias: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    lam: np.ndarray,
    slack: float,  # w_i
    nearest: float,  # that of the multipliers nearest to 0
    measure_out: np.ndarray,
) -> bool:
    """Take a row into the measures of its island.

    Writes:  measure_out
    Returns: whether all its numbers are finite and its bounds in order
    """
    weight = 1.0 / root
    scaled_lam, scaled_bias, scaled_nearest = lam[i] * root, abs(bias[i]) * weight, abs(nearest) * weight
    target = scaled_lam - slack * weight
    low, high = lower[i] * root, upper[i] * root
    if target < low:
        target = low
    if target > high:
        target = high
    row = abs(scaled_lam - target)
    # comparisons may swallow a NaN, so the ingredients are tested, not only the result
    if not (row < math.inf and abs(slack) < math.inf and low <= high):
        return False
    size = max(scaled_bias, abs(scaled_lam))
    # written only where they grow, which they rarely do
    if row > measure_out[WORST, island]:
        measure_out[WORST, island] = row
    if size > measure_out[SCALE, island]:
        measure_out[SCALE, island] = size
    if scaled_bias > measure_out[DATA, island]:
        measure_out[DATA, island] = scaled_bias
    if scaled_nearest > measure_out[DATA, island]:
        measure_out[DATA, island] = scaled_nearest
    return True


@kernel(
    "float64(int64[::1], int64[::1], float64[::1], float64[::1], float64[::1], float64[::1], int64[::1], float64[::1],"
    " float64[::1], float64[:, ::1])"
)
def scaled_natural_residual(
    # problem
    indptr: np.ndarray,
    indices: np.ndarray,
    values: np.ndarray,
    bias: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    island: np.ndarray,
    # candidate
    lam: np.ndarray,
    w_out: np.ndarray,
    measure_out: np.ndarray,
) -> float:
    """Natural residual of a candidate and its slack.                                             [Peiret2019, eq. 29]

    w = A lam + b;  with d = diag(A), lam~ = sqrt(d) lam and w~ = w / sqrt(d), the largest over all islands of
    max_i |lam~ - clip(lam~ - w~, lower~, upper~)|_i / max(|b~|, |lam~|),  i in the island

    Shapes:  CSR arrays of A; measure_out (3, islands), see WORST; all others (n,), island numbered from 0
    Writes:  w_out, measure_out
    Cost:    2 nnz flops, twice that where bounds exclude 0
    Returns: the scaled residual; inf if anything is not a number or bounds cross
    """
    worst, scale, data = measure_out[WORST], measure_out[SCALE], measure_out[DATA]
    for k in range(worst.size):
        worst[k], scale[k], data[k] = 0.0, 1e-300, 1e-300
    excluded = 0
    for i in range(bias.size):
        if lower[i] > 0.0 or upper[i] < 0.0:
            excluded += 1
    for i in range(bias.size):
        a = indptr[i]
        b = indptr[i + 1]
        columns = indices[a:b]
        entries = values[a:b]
        diagonal = 1.0
        nearest = bias[i]
        if excluded > 0:
            for k in range(columns.size):
                nearest += entries[k] * min(max(0.0, lower[columns[k]]), upper[columns[k]])
        # sums of their own, so that none waits for another
        s0, s1, s2, s3 = bias[i], 0.0, 0.0, 0.0
        whole = columns.size // 4 * 4
        for k in range(0, whole, 4):
            s0 += entries[k] * lam[columns[k]]
            s1 += entries[k + 1] * lam[columns[k + 1]]
            s2 += entries[k + 2] * lam[columns[k + 2]]
            s3 += entries[k + 3] * lam[columns[k + 3]]
        for k in range(whole, columns.size):
            s0 += entries[k] * lam[columns[k]]
        slack = (s0 + s1) + (s2 + s3)
        for k in range(columns.size):
            if columns[k] == i and entries[k] != 0.0:
                diagonal = abs(entries[k])
        w_out[i] = slack
        if not judge_row(i, island[i], math.sqrt(diagonal), bias, lower, upper, lam, slack, nearest, measure_out):
            return math.inf
    residual = 0.0
    for k in range(worst.size):
        residual = max(residual, worst[k] / scale[k])
    return residual
