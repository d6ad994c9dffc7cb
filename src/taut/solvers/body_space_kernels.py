"""Compiled stages of `body_space.py`: those of pivoting and of the interior-point method, given a `BodyFactor`."""

from __future__ import annotations

import math

import taut.linalg.body_factor_kernels  # noqa: F401  gives BodyFactor its methods
from taut.kernel import kernel
from taut.linalg.body_factor import BodyFactor
from taut.linalg.body_factor_kernels import add_impulses, divide_by_mass
from taut.problem.kkt import Kkt
from taut.solvers.block_pivoting_kernels import pivot_part
from taut.solvers.body_space import BodyWork
from taut.solvers.crossover_kernels import SWEPT, iterate_each, judge_each, start_each
from taut.solvers.island_kernels import give_result, take_start
from taut.solvers.island_workspace import CODE, SOLVED, Search
from taut.tables import Flags, RealRows, Reals, WholeRows, Wholes

SWEEPS = 10
"""Sweeps before the interior-point method: with a start near where they lead they save about three factorisations."""
SOFTEST = 1e-10
"""Least compliance, over its diagonal of A, of a row that is eliminated before its bodies: E is its inverse, and of the
sixteen digits of a sum with it so many are lost, of which steps of refinement bring back six each."""


@kernel()
def choose_islands(kkt: Kkt, label: Wholes, hard: int, share: float, count: WholeRows, chosen_out: Flags) -> int:
    """Islands with more than `share` rows that give way for every one that does not, and none that hardly does.

    Rows below `hard` are those that do not. An island is judged by itself: whatever else is in a problem, it is solved
    in the same way.

    Shapes:  label (rows,) island of each; count (2, islands) workspace, chosen_out (islands,)
    Returns: how many are chosen
    """
    for island in range(chosen_out.shape[0]):
        count[0, island], count[1, island], chosen_out[island] = 0, 0, 1
    for row in range(label.shape[0]):
        island = label[row]
        count[0 if row < hard else 1, island] += 1
        if row >= hard and not kkt.compliance[row] >= SOFTEST * kkt.diagonal[row]:
            chosen_out[island] = 0
    chosen = 0
    for island in range(chosen_out.shape[0]):
        if count[1, island] <= share * count[0, island]:
            chosen_out[island] = 0
        chosen += chosen_out[island]
    return chosen


@kernel(inner=True)
def load_bodies(factor: BodyFactor, kkt: Kkt) -> float:
    """M and M^-1 of the bodies of a factor.

    Writes:  mass, inverse
    Returns: 0 if all is finite
    """
    plan, total = factor.symbolic, 0.0
    for k in range(plan.body.shape[0]):
        body, mass, inverse = plan.body[k], factor.mass[k], factor.inverse[k]
        if body < 0:
            continue
        for i in range(3):
            inverse[i, i] = kkt.inverse_mass[body]
            mass[i, i] = 1.0 / kkt.inverse_mass[body]
            for c in range(3):
                mass[3 + i, 3 + c] = kkt.turning[body, 3 * i + c]
                inverse[3 + i, 3 + c] = kkt.inverse_inertia[body, 3 * i + c]
                total += 0.0 * (mass[3 + i, 3 + c] + inverse[3 + i, 3 + c])
        total += 0.0 * (mass[0, 0] + inverse[0, 0])
    return total


@kernel(inner=True)
def load_rows(factor: BodyFactor, kkt: Kkt, search: Search) -> float:
    """Rows in the order of the plan, scaled to unit diagonal, see `Search`; and J~ and S~ of the factor.

    Writes:  bias, lower, upper, scale of the search; jacobian, compliance
    Returns: 0 if all is finite and bounds are in order
    """
    plan, lower, upper, total = factor.symbolic, kkt.lower, kkt.upper, 0.0
    for k in range(plan.order.shape[0]):
        row = plan.order[k]
        root = math.sqrt(kkt.diagonal[row]) if kkt.diagonal[row] > 0.0 else 1.0
        search.scale[k] = 1.0 / root
        search.bias[k], search.lower[k], search.upper[k] = kkt.bias[row] / root, lower[row] * root, upper[row] * root
        factor.compliance[k] = kkt.compliance[row] / (root * root)
        # 0 x is 0 for every finite x and NaN for all else
        total += 0.0 * (search.bias[k] + factor.compliance[k] + root)
        if not (lower[row] <= upper[row]):
            total = math.nan
    for g in range(plan.group_start.shape[0] - 1):
        members = plan.member_start[g + 1] - plan.member_start[g]
        e = plan.entry_start[g]
        for k in range(plan.group_start[g], plan.group_start[g + 1]):
            own = search.scale[k]
            for _ in range(members):
                given, out = kkt.jacobian[plan.source[e]], factor.jacobian[e]
                for i in range(6):
                    out[i] = own * given[i]
                    total += 0.0 * out[i]
                e += 1
    return total


@kernel()
def take_blocks(work: BodyWork, kkt: Kkt, start_set: Wholes, start_lam: Reals) -> int:
    """Take a problem and a start into a workspace.

    Returns: 1 if every number of the problem is finite, else 0
    """
    if not load_bodies(work.factor, kkt) + load_rows(work.factor, kkt, work.search) == 0.0:
        return 0
    take_start(work.factor.symbolic.order, start_set, start_lam, work.search, work.report)
    return 1


@kernel()
def pivot_bodies(work: BodyWork, stage: int, limit: int, patience: int, proximity: float) -> int:
    """Pivot on the islands at a stage; see `pivot_part`."""
    unsolved: int = pivot_part(work, 0, work.report.shape[0], stage, limit, patience, proximity)
    return unsolved


@kernel()
def start_bodies(start_lam: Reals, work: BodyWork, inner_out: RealRows, progress_out: RealRows) -> int:
    """First interior points near multipliers from sweeps; see `start_each`."""
    left: int = start_each(SWEPT, start_lam, work, inner_out, progress_out)
    return left


@kernel()
def iterate_bodies(work: BodyWork, inner: RealRows, progress_out: RealRows) -> int:
    """Iterations; see `iterate_each`."""
    stages: int = iterate_each(work, inner, progress_out)
    return stages


@kernel()
def judge_bodies(work: BodyWork, kept: Wholes, inner: RealRows, progress: RealRows) -> int:
    """How pivots ended; see `judge_each`."""
    left: int = judge_each(work, kept, inner, progress)
    return left


@kernel()
def store_rows(work: BodyWork, kkt: Kkt, lam_out: Reals, index_set_out: Wholes) -> None:
    """What a workspace found; see `give_result`."""
    give_result(work.factor.symbolic.order, work.search, kkt.lower, kkt.upper, lam_out, index_set_out)


@kernel(inner=True)
def kick(inverse: RealRows, j: Reals, change: float, u: Reals) -> None:
    """u += change M^-1 J^T.

    Writes:  u
    """
    x, y, z = change * j[3], change * j[4], change * j[5]
    for i in range(3):
        u[i] += inverse[i, i] * change * j[i]
        u[3 + i] += inverse[3 + i, 3] * x + inverse[3 + i, 4] * y + inverse[3 + i, 5] * z


@kernel(inner=True)
def sweep_group(factor: BodyFactor, g: int, search: Search) -> None:
    """lam_i <- clip(lam_i - w_i) for the rows of a group, one after the other: their diagonal is 1.

    Writes:  lam of the search; x, the velocities that it leads to
    """
    plan, jacobian, x, lam = factor.symbolic, factor.jacobian, factor.x, search.lam
    own, members, e = plan.member_start[g], plan.member_start[g + 1] - plan.member_start[g], plan.entry_start[g]
    for r in range(plan.group_start[g], plan.group_start[g + 1]):
        w = search.bias[r] + factor.compliance[r] * lam[r]
        for m in range(members):
            j, u = jacobian[e + m], x[plan.member[own + m]]
            for i in range(6):
                w += j[i] * u[i]
        change = min(max(lam[r] - w, search.lower[r]), search.upper[r]) - lam[r]
        if change != 0.0:
            lam[r] += change
            for m in range(members):
                body = plan.member[own + m]
                kick(factor.inverse[body], jacobian[e + m], change, x[body])
        e += members


@kernel()
def sweep_bodies(work: BodyWork, start_lam: Reals, lam_out: Reals) -> None:
    """Projected Gauss-Seidel sweeps, forth and back, from multipliers (rows,), on islands that are not solved.

    Writes:  lam_out (rows,), those of these islands; their lam of the search
    """
    factor, search, plan = work.factor, work.search, work.factor.symbolic
    for island in range(work.report.shape[0]):
        if work.report[island, CODE] == SOLVED:
            continue
        begin, end = plan.island_start[island], plan.island_start[island + 1]
        first, last = plan.island_group[island], plan.island_group[island + 1]
        for r in range(begin, end):
            lam = start_lam[plan.order[r]] / search.scale[r]
            search.lam[r] = min(max(lam if math.isfinite(lam) else 0.0, search.lower[r]), search.upper[r])
        add_impulses(factor, island, island + 1, factor.group[first:last], search.lam)
        divide_by_mass(factor, island, island + 1)
        for sweep in range(SWEEPS):
            for step in range(first, last):
                sweep_group(factor, step if sweep % 2 == 0 else first + last - 1 - step, search)
        for r in range(begin, end):
            lam_out[plan.order[r]] = search.lam[r] * search.scale[r]
