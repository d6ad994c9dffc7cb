"""Block principal pivoting, compiled for factors that tight rows are taken out of."""

from __future__ import annotations

import taut.linalg.cached_factor_kernels  # gives CachedFactor its methods
import taut.linalg.downdated_factor_kernels  # noqa: F401  gives DowndatedFactor its methods
from taut.kernel import kernel
from taut.solvers.block_pivoting_kernels import solve_with
from taut.solvers.downdating_workspace import CachedWork, DowndatedWork
from taut.tables import Reals, Wholes


@kernel()
def solve_downdated(
    work: DowndatedWork,
    values: Reals,
    bias: Reals,
    lower: Reals,
    upper: Reals,
    start_set: Wholes,
    start_lam: Reals,
    limit: int,
    lam_out: Reals,
    index_set_out: Wholes,
) -> int:
    """Solve every island with a factor that rows are taken out of; see `solve_with`.        [Lefebvre2020, Alg. 2.2]"""
    return solve_with(work, values, bias, lower, upper, start_set, start_lam, limit, lam_out, index_set_out)


@kernel()
def solve_cached(
    work: CachedWork,
    values: Reals,
    bias: Reals,
    lower: Reals,
    upper: Reals,
    start_set: Wholes,
    start_lam: Reals,
    limit: int,
    lam_out: Reals,
    index_set_out: Wholes,
) -> int:
    """Solve every island with factors that are kept; see `solve_with`.                      [Lefebvre2020, Alg. 3.1]"""
    return solve_with(work, values, bias, lower, upper, start_set, start_lam, limit, lam_out, index_set_out)
