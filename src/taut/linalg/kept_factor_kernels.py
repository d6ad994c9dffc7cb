"""Compiled methods of `KeptFactor`: conjugate gradients with the factor of a matrix that was there before."""

from __future__ import annotations

import taut.linalg.chosen_factor_kernels  # noqa: F401  gives ChosenFactor its methods
from taut.kernel import kernel
from taut.linalg.chosen import FRONTS, HELD, ROWS, WAY, ChosenFactor
from taut.linalg.chosen_factor_kernels import all_fronts_cost, forget_ways, skyline_cost
from taut.linalg.downdated import IN_USE
from taut.linalg.kept import (
    ALLOWED,
    ASIDE,
    DIRECT,
    DIRECTION,
    GIVEN_UP,
    ITERATIONS,
    KEPT,
    MODE,
    NONE,
    PENALTY,
    PRECONDITIONED,
    PRODUCT,
    RESIDUAL,
    REUSED,
    SKIPPED,
    SPENT,
    TOTAL,
    USES,
    ZERO,
    KeptFactor,
    X,
)
from taut.structure.cost_kernels import iteration_time, skyline_solve_time
from taut.tables import Flags, Reals, Wholes, generic, method

KEPT_TOLERANCE = 1e-8
"""Largest residual, relative to that of x = 0, with which iterations end. The loop that pivots measures what is left,
and solves for that again, up to twice, if it is more than rounding: no digit is lost, and none is worked out in vain
where a warm start leaves little to solve for. With 1e-6 multipliers of a standing tower differ by 6e-12 of the largest,
which is more than labels are decided by; with this, by 2e-13."""
LEAST_ITERATIONS = 3
"""A factor that costs less than so many iterations is made anew at once: fewer are rare."""
MOST_ITERATIONS = 40
"""No more iterations than that, whatever a factor costs: what then has not converged is another matrix."""
LARGEST_PENALTY = 64
"""After a try that failed, so many factors at most are made without one; twice as many each time."""


@kernel(apart=True)
def count_allowed(chosen: ChosenFactor, begin: int, end: int) -> int:
    """Iterations that cost what a new factor of the same rows costs, as predicted; see `cost_kernels`."""
    skyline, lower_start = chosen.plain, chosen.symbolic.lower_start
    stored = skyline.layout[1, skyline.panels[0]]
    solve = skyline_solve_time(stored)
    anew = skyline_cost(skyline) - solve
    if chosen.last[WAY] == FRONTS:
        solve = all_fronts_cost(chosen.fronts, begin, end, 0)
        anew = min(anew, all_fronts_cost(chosen.fronts, begin, end, 1) - solve)
    return min(int(anew / iteration_time(end - begin, lower_start[end] - lower_start[begin], solve)), MOST_ITERATIONS)


@kernel(apart=True)
def make_anew(factor: KeptFactor, index_set: Wholes, dependent_out: Flags) -> int:
    """Factor the free rows of the part that is kept; see `Factor.factorise`.

    Kept is what depends on nothing else: a factor without dependent rows, and not one of all rows that some left.

    Writes:  the factor; dependent_out
    """
    state, chosen, begin, end = factor.state, factor.chosen, factor.begin, factor.end
    found: int = chosen.factorise(begin, end, index_set, factor.vectors[ZERO, :0], dependent_out)
    state[MODE] = DIRECT if found >= 0 else NONE
    state[SPENT], state[TOTAL], state[USES] = 0, 0, 0
    for k in range(begin, end):
        factor.labels[k] = index_set[k]
    if found == 0 and (chosen.last[WAY] != ROWS or chosen.rows.state[IN_USE] == 0):
        chosen.last[HELD] = 1
        state[ALLOWED] = count_allowed(chosen, begin, end)
    return found


@kernel(inner=True)
def is_worth_a_try(factor: KeptFactor, index_set: Wholes) -> int:
    """Whether the factor that is kept is one of these rows, and likely to be cheaper than a new one.

    It is made anew when the last matrix took more iterations than the mean of all since it was made, with those that
    making it cost: matrices drift away from it, and the next will take no fewer.

    Writes:  SKIPPED in the state
    """
    state = factor.state
    if factor.chosen.last[HELD] == 0 or state[ALLOWED] < LEAST_ITERATIONS:
        return 0
    if state[SPENT] * (state[USES] + 1) > state[ALLOWED] + state[TOTAL]:
        return 0
    for k in range(factor.begin, factor.end):
        if (index_set[k] == 0) != (factor.labels[k] == 0):
            return 0
    if state[SKIPPED] > 0:
        state[SKIPPED] -= 1
        return 0
    return 1


@kernel(inner=True)
def largest_of(x: Reals) -> float:
    """Largest |x_k|."""
    largest = 0.0
    for k in range(x.size):
        largest = max(largest, abs(x[k]))
    return largest


@kernel(inner=True)
def dot(x: Reals, y: Reals) -> float:
    """x'y, in four sums."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = x.size // 4 * 4
    for k in range(0, whole, 4):
        a += x[k] * y[k]
        b += x[k + 1] * y[k + 1]
        c += x[k + 2] * y[k + 2]
        d += x[k + 3] * y[k + 3]
    for k in range(whole, x.size):
        a += x[k] * y[k]
    return (a + b) + (c + d)


@kernel(inner=True)
def step_along(factor: KeptFactor, length: float) -> None:
    """x += length p, r -= length A p on the free rows of the part.

    Writes:  X and RESIDUAL of the vectors
    """
    part, labels = slice(factor.begin, factor.end), factor.labels[factor.begin : factor.end]
    x, r = factor.vectors[X, part], factor.vectors[RESIDUAL, part]
    p, q = factor.vectors[DIRECTION, part], factor.vectors[PRODUCT, part]
    for k in range(x.size):
        x[k] += length * p[k]
        r[k] -= length * q[k] if labels[k] == 0 else 0.0


@kernel(apart=True)
def iterate(factor: KeptFactor, rhs: Reals) -> int:
    """Conjugate gradients on A~_FF x = rhs_F, preconditioned by the factor that is kept.                [Hestenes1952]

    Vectors are 0 at tight rows.

    Writes:  vectors, SPENT in the state
    Cost:    a solve with the factor and a product with the matrix an iteration
    Returns: 1 if the residual became small, 0 if that would take longer than a new factor
    """
    vectors, state, chosen, begin, end = factor.vectors, factor.state, factor.chosen, factor.begin, factor.end
    r, z, p, q = vectors[RESIDUAL], vectors[PRECONDITIONED], vectors[DIRECTION], vectors[PRODUCT]
    for k in range(begin, end):
        r[k] = rhs[k] if factor.labels[k] == 0 else 0.0
        vectors[X, k] = z[k] = p[k] = 0.0
    enough = KEPT_TOLERANCE * largest_of(r[begin:end])
    before = 1.0
    while not (largest_of(r[begin:end]) <= enough):
        if state[SPENT] >= state[ALLOWED]:
            return 0
        state[SPENT] += 1
        chosen.solve(r, z)
        energy = dot(r[begin:end], z[begin:end])
        share = energy / before
        before = energy
        for k in range(begin, end):
            p[k] = z[k] + share * p[k]
        chosen.multiply(begin, end, p, vectors[ZERO], q)
        curvature = dot(p[begin:end], q[begin:end])
        if not (curvature > 0.0 and energy > 0.0):
            return 0
        step_along(factor, energy / curvature)
    return 1


@generic
def solve_anew(factor: KeptFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve with the factor of this matrix; x = 0 where there is none.

    Writes:  x_out
    """
    if factor.state[MODE] == DIRECT:
        factor.chosen.solve(rhs, x_out)
        return
    for k in range(factor.begin, factor.end):
        if factor.labels[k] == 0:
            x_out[k] = 0.0


@kernel(apart=True)
def solve_kept(factor: KeptFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve by iterations and, where these take too long, by a new factor.

    That may find dependent rows, or a matrix that is not semidefinite, when `factorise` has said that there are none.
    The slack of these rows then stays, and the loop that pivots sees it.

    Writes:  the factor, x_out
    """
    state = factor.state
    spent = state[SPENT]
    converged = iterate(factor, rhs)
    state[TOTAL] += state[SPENT] - spent
    state[ITERATIONS] += state[SPENT] - spent
    if converged == 1:
        state[PENALTY] = 0
        for k in range(factor.begin, factor.end):
            if factor.labels[k] == 0:
                x_out[k] = factor.vectors[X, k]
        return
    make_anew(factor, factor.labels, factor.dependent)
    state[GIVEN_UP] += 1
    state[PENALTY] = min(max(2 * state[PENALTY], 1), LARGEST_PENALTY)
    state[SKIPPED] = state[PENALTY]
    solve_anew(factor, rhs, x_out)


@method(KeptFactor)
def load(factor: KeptFactor, values: Reals, scale: Reals) -> int:
    """Take a matrix; the last factor stays what it is; see `Factor.load`."""
    forget_ways(factor.aside)
    return factor.chosen.load(values, scale)


@method(KeptFactor)
def multiply(factor: KeptFactor, begin: int, end: int, lam: Reals, bias: Reals, w_out: Reals) -> None:
    """w = A~ lam + b on a part; see `Factor.multiply`."""
    factor.chosen.multiply(begin, end, lam, bias, w_out)


@kernel(apart=True)
def factorise_kept(
    factor: KeptFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags
) -> int:
    """Take the factor that is kept, or make one; see `Factor.factorise`.

    Writes:  the factor; dependent_out
    """
    state = factor.state
    if begin != factor.begin or end != factor.end or shift.size > 0:
        state[MODE] = ASIDE
        return factor.aside.factorise(begin, end, index_set, shift, dependent_out)
    if is_worth_a_try(factor, index_set) == 0:
        return make_anew(factor, index_set, dependent_out)
    state[MODE], state[SPENT] = KEPT, 0
    state[USES] += 1
    state[REUSED] += 1
    for k in range(begin, end):
        if index_set[k] == 0:
            dependent_out[k] = 0
    return 0


@method(KeptFactor)
def factorise(factor: KeptFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags) -> int:
    """Factor the free rows of a part, or not; see `Factor.factorise` and `factorise_kept`."""
    return factorise_kept(factor, begin, end, index_set, shift, dependent_out)


@kernel(apart=True)
def solve_by_mode(factor: KeptFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve with what the last `factorise` chose; see MODE.

    Writes:  the factor, x_out
    """
    mode = factor.state[MODE]
    if mode == ASIDE:
        factor.aside.solve(rhs, x_out)
    elif mode == KEPT:
        solve_kept(factor, rhs, x_out)
    else:
        solve_anew(factor, rhs, x_out)


@method(KeptFactor)
def solve(factor: KeptFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve with the last factor, or one before; see `Factor.solve` and `solve_by_mode`."""
    solve_by_mode(factor, rhs, x_out)
