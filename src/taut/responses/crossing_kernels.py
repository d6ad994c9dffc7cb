"""Kernels of `crossing.py`: eliminate trees with springs across them, by iterations or by a factor."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.articulated_choice import REFINEMENTS
from taut.linalg.articulated_costs import MOST_ITERATIONS
from taut.linalg.articulated_direct_kernels import assemble_direct, factor_direct, solve_direct
from taut.linalg.articulated_kernels import factor_tree
from taut.linalg.articulated_pcg import TOLERANCE
from taut.linalg.articulated_pcg_kernels import pcg
from taut.linalg.articulated_response_kernels import respond_direct, respond_pcg
from taut.problem.kkt import Kkt
from taut.responses.articulated import ReducedTable
from taut.responses.articulated_impulse_kernels import complete, gather
from taut.responses.articulated_kernels import end_reduction, prepare, take_rates, take_response, take_rows
from taut.responses.crossing import DIRECT, EXPECTED, METHOD, MOST, SpringWork
from taut.tables import RealRows, Reals


@kernel(inner=True)
def solve_springs(r: ReducedTable, q: SpringWork, rhs: RealRows) -> int:
    """Rates under impulses (nodes, 6) by the method that was chosen.

    Writes:  rate, work
    Returns: iterations, less than 0 if they were too few
    """
    for dof in range(r.rate.shape[0]):
        r.rate[dof] = 0.0
    if q.course[METHOD] == DIRECT:
        solve_direct(r.blocks, q.direct, rhs, r.zero, REFINEMENTS, r.rate)
        return 0
    return pcg(r.blocks, q.factor, q.gradients, rhs, r.zero, TOLERANCE, q.course[MOST], r.rate)


@kernel(apart=True)
def reduce_first(kkt: Kkt, r: ReducedTable, q: SpringWork) -> int:
    """The numbers of H, its factor, and what happens without rows that are kept.

    Writes:  blocks, factors, rate, change, bias and rows; what iterations to expect next
    Returns: 0 if it went well
    """
    prepare(kkt, r)
    if q.course[METHOD] == DIRECT:
        assemble_direct(r.blocks, q.factor, q.direct)
        lost = factor_direct(q.direct)
    else:
        lost = factor_tree(r.blocks, q.factor)
    if lost != 0:
        return 1
    taken = solve_springs(r, q, r.balance)
    if taken < 0:
        return 1
    if q.course[METHOD] != DIRECT:
        q.course[EXPECTED] = max(taken, 1)
    take_rates(r)
    if r.kept.shape[0] > 0:
        take_rows(kkt, r)
    return 0


@kernel(apart=True)
def reduce_rest(kkt: Kkt, r: ReducedTable, q: SpringWork) -> int:
    """A of the rows that are kept, one solve a row.                                          [Baxter2019, section 3.4]

    Writes:  values, work
    Returns: 0 if it went well
    """
    count = r.kept.shape[0]
    if q.course[METHOD] == DIRECT:
        respond_direct(
            r.blocks, q.direct, r.rows, 0, count, REFINEMENTS, q.load, q.velocity, r.zero, q.rate, q.response
        )
    elif respond_pcg(
        r.blocks, q.factor, q.gradients, r.rows, 0, count, TOLERANCE, MOST_ITERATIONS, q.load, q.velocity, r.zero,
        q.rate, q.response,
    ) < 0:  # fmt: skip
        return 1
    take_response(r, q.response)
    end_reduction(kkt, r)
    return 0


@kernel(apart=True)
def recover_all(kkt: Kkt, r: ReducedTable, q: SpringWork, lam_out: Reals) -> None:
    """Velocities of trees, and the impulses of all rows, from those of the rows that are kept.

    Writes:  change, rhs, rate, force; lam_out (rows,)
    """
    gather(kkt, r, lam_out)
    if r.kept.shape[0] > 0:
        solve_springs(r, q, r.rhs)
    take_rates(r)
    complete(kkt, r, lam_out)
