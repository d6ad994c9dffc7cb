"""Compiled projected Gauss-Seidel sweeps."""

from __future__ import annotations

import math

from taut.kernel import kernel


@kernel(
    "int64(int64[::1], int64[::1], float64[::1], float64[::1], float64[::1], float64[::1], int64, float64,"
    " float64[::1])"
)
def sweep(
    indptr, indices, values, bias, lower, upper,  # problem
    limit, tolerance,
    lam_out,
):  # fmt: skip
    """Sweep lam_i <- clip(lam_i - (A lam + b)_i / a_ii, lower_i, upper_i) until no row changes any more.

    A sweep changes nothing when the largest sqrt(a_ii) |change| is below `tolerance` times the largest
    sqrt(a_ii) |lam_i|. A row with a_ii = 0 goes to the bound its slack points at, if that is finite.

    Shapes:  lam_out (n,), the start on entry
    Writes:  lam_out
    Cost:    2 nnz flops a sweep
    Returns: sweeps made
    """
    for count in range(limit):
        largest_change = 0.0
        largest = 0.0
        for i in range(bias.size):
            a = indptr[i]
            b = indptr[i + 1]
            columns = indices[a:b]
            entries = values[a:b]
            slack = bias[i]
            diagonal = 0.0
            for k in range(columns.size):
                slack += entries[k] * lam_out[columns[k]]
                if columns[k] == i:
                    diagonal = entries[k]
            old = lam_out[i]
            if diagonal != 0.0:
                new = min(max(old - slack / diagonal, lower[i]), upper[i])
            else:
                bound = lower[i] if slack > 0.0 else upper[i]
                new = bound if slack != 0.0 and math.isfinite(bound) else min(max(old, lower[i]), upper[i])
            root = math.sqrt(abs(diagonal)) if diagonal != 0.0 else 1.0
            lam_out[i] = new
            largest_change = max(largest_change, root * abs(new - old))
            largest = max(largest, root * abs(new))
        if largest_change <= tolerance * largest:
            return count + 1
    return limit
