"""Kernels of `crossing.py`: eliminate trees with springs across them, by iterations or by a factor."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.articulated_choice import REFINEMENTS
from taut.linalg.articulated_costs import MOST_ITERATIONS
from taut.linalg.articulated_direct_kernels import assemble_direct, factor_direct, solve_direct
from taut.linalg.articulated_kernels import factor_tree, times_j
from taut.linalg.articulated_pcg import TOLERANCE
from taut.linalg.articulated_pcg_kernels import descend, multiply_nodes, multiply_springs, pcg
from taut.linalg.articulated_response_kernels import respond_direct, respond_pcg
from taut.problem.kkt import Kkt
from taut.responses.articulated import ReducedTable
from taut.responses.articulated_impulse_kernels import complete, gather
from taut.responses.articulated_kernels import end_reduction, prepare, take_rates, take_response, take_rows
from taut.responses.crossing import CORRECTED, DIRECT, EXPECTED, METHOD, MOST, SpringWork
from taut.tables import RealRows, Reals


@kernel(inner=True)
def solve_springs(r: ReducedTable, q: SpringWork, rhs: RealRows, most: int) -> int:
    """Rates under impulses (nodes, 6) by the method that was chosen, with so many iterations at most.

    Writes:  rate, work
    Returns: iterations, less than 0 if they were too few
    """
    for dof in range(r.rate.shape[0]):
        r.rate[dof] = 0.0
    if q.course[METHOD] == DIRECT:
        solve_direct(r.blocks, q.direct, rhs, r.zero, REFINEMENTS, r.rate)
        return 0
    return pcg(r.blocks, q.factor, q.gradients, rhs, r.zero, TOLERANCE, most, r.rate)


@kernel(inner=True)
def expect(q: SpringWork, taken: int) -> None:
    """Expect as many iterations next time as the slowest right-hand side took.

    Writes:  course
    """
    if q.course[METHOD] != DIRECT:
        q.course[EXPECTED] = max(q.course[EXPECTED], taken)


@kernel(inner=True)
def factor_springs(r: ReducedTable, q: SpringWork) -> int:
    """Factor H, or the tree alone for iterations.

    Writes:  factors
    Returns: pivots that are not positive
    """
    if q.course[METHOD] == DIRECT:
        assemble_direct(r.blocks, q.factor, q.direct)
        return factor_direct(q.direct)
    return factor_tree(r.blocks, q.factor)


@kernel(apart=True)
def reduce_first(kkt: Kkt, r: ReducedTable, q: SpringWork) -> int:
    """The numbers of H, its factor, and what happens without rows that are kept.

    Writes:  blocks, factors, rate, change, bias and rows; what iterations to expect next
    Returns: 0 if it went well
    """
    prepare(kkt, r)
    if factor_springs(r, q) != 0:
        return 1
    taken = solve_springs(r, q, r.balance, q.course[MOST])
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
    else:
        taken = respond_pcg(
            r.blocks, q.factor, q.gradients, r.rows, 0, count, TOLERANCE, MOST_ITERATIONS, q.load, q.velocity, r.zero,
            q.rate, q.response,
        )  # fmt: skip
        if taken < 0:
            return 1
        expect(q, taken)
    take_response(r, q.response)
    end_reduction(kkt, r)
    return 0


@kernel(apart=True)
def recover_all(kkt: Kkt, r: ReducedTable, q: SpringWork, lam_out: Reals) -> int:
    """Velocities of trees, and the impulses of all rows, from those of the rows that are kept.

    Writes:  change, rhs, rate, force; lam_out (rows,)
    Returns: 0 if it went well
    """
    gather(kkt, r, lam_out)
    taken = solve_springs(r, q, r.rhs, MOST_ITERATIONS) if r.kept.shape[0] > 0 else 0
    expect(q, taken)
    take_rates(r)
    complete(kkt, r, lam_out)
    return 1 if taken < 0 else 0


@kernel(apart=True)
def recover_by_factor(kkt: Kkt, r: ReducedTable, q: SpringWork, lam_out: Reals) -> int:
    """The same with a factor that is made for it, where iterations came to nothing.

    Writes:  what `recover_all` writes, the factor
    Returns: 0 if it went well
    """
    return 1 if factor_springs(r, q) != 0 else recover_all(kkt, r, q, lam_out)


@kernel(apart=True)
def correct_all(kkt: Kkt, r: ReducedTable, q: SpringWork, lam_out: Reals) -> None:
    """Correct velocities of trees by what they leave in the balance of bodies, and impulses with them.

        H d = J^T (rhs - (M + springs) J y) - A_r y,    y <- y + d

    What iterations and sums along the tree lose to rounding is small beside all loads, but not beside those of the
    lightest bodies.

    Writes:  change, rate, rate_step, force, step; lam_out (rows,)
    """
    times_j(r.blocks, r.rate, r.force)
    multiply_nodes(r.blocks, r.force, r.step)
    multiply_springs(r.blocks, r.force, r.step)
    for node in range(r.step.shape[0]):
        for i in range(6):
            r.step[node, i] = r.rhs[node, i] - r.step[node, i]
    for dof in range(r.rate.shape[0]):
        r.rate_step[dof], q.rate[dof] = 0.0, 0.0
    descend(r.blocks, r.rate, 1.0, r.rate_step)
    if q.course[METHOD] == DIRECT:
        solve_direct(r.blocks, q.direct, r.step, r.rate_step, 0, q.rate)
    else:
        pcg(r.blocks, q.factor, q.gradients, r.step, r.rate_step, CORRECTED, MOST_ITERATIONS, q.rate)
    for dof in range(r.rate.shape[0]):
        r.rate[dof] += q.rate[dof]
    take_rates(r)
    complete(kkt, r, lam_out)
