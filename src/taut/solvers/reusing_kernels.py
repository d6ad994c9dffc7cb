"""Block principal pivoting, compiled for a factor that is kept for the next problem."""

from __future__ import annotations

import taut.linalg.kept_factor_kernels  # noqa: F401  gives KeptFactor its methods
from taut.kernel import kernel
from taut.solvers.block_pivoting_kernels import pivot_each
from taut.solvers.index_set_kernels import HASTY
from taut.solvers.island_kernels import give_result, take_islands
from taut.solvers.island_workspace import FIRST, ReusingWork
from taut.tables import Reals, Wholes


@kernel()
def solve_reusing(
    work: ReusingWork,
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
    """Solve every island with a factor that is kept; see `solve_islands` and `KeptFactor`."""
    if take_islands(work, values, bias, lower, upper, start_set, start_lam) == 0:
        return -1
    unsolved: int = pivot_each(work, 0, work.report.shape[0], FIRST, limit, HASTY, 0.0)
    give_result(work.factor.symbolic.order, work.search, lower, upper, lam_out, index_set_out)
    return unsolved
