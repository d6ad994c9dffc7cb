"""Compiled conjugate gradients in maximal space, preconditioned by the tree."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.linalg.articulated import ArticulatedBlocks, ArticulatedFactor
from taut.linalg.articulated_kernels import pass_velocity, solve_tree, sum_load, times_j
from taut.linalg.articulated_pcg import FALLS, ROUNDING, ConjugateGradients
from taut.tables import RealRows, Reals


@kernel(apart=True)
def multiply_nodes(blocks: ArticulatedBlocks, velocity: RealRows, product_out: RealRows) -> None:
    """product = M~ velocity.

    Cost:    66 flops a node
    """
    for j in range(blocks.parent.shape[0]):
        m, v, out = blocks.block[j], velocity[j], product_out[j]
        v0, v1, v2, v3, v4, v5 = v[0], v[1], v[2], v[3], v[4], v[5]
        for i in range(6):
            k = 6 * i
            out[i] = (m[k] * v0 + m[k + 1] * v1 + m[k + 2] * v2) + (m[k + 3] * v3 + m[k + 4] * v4 + m[k + 5] * v5)


@kernel(apart=True)
def multiply_springs(blocks: ArticulatedBlocks, velocity: RealRows, product_out: RealRows) -> None:
    """product += sum of w g g^T velocity.

    Cost:    24 flops an entry
    """
    start, node, jacobian = blocks.cross_start, blocks.cross_node, blocks.cross_jacobian
    for spring in range(blocks.cross_weight.shape[0]):
        rate = 0.0
        for e in range(start[spring], start[spring + 1]):
            g, v = jacobian[e], velocity[node[e]]
            rate += (g[0] * v[0] + g[1] * v[1] + g[2] * v[2]) + (g[3] * v[3] + g[4] * v[4] + g[5] * v[5])
        rate *= blocks.cross_weight[spring]
        for e in range(start[spring], start[spring + 1]):
            g, out = jacobian[e], product_out[node[e]]
            for i in range(6):
                out[i] += g[i] * rate


@kernel(apart=True)
def descend(blocks: ArticulatedBlocks, y: Reals, scale: float, force_out: Reals) -> float:
    """force -= scale A_r y.

    Writes:  force_out
    Returns: y^T A_r y
    """
    total = 0.0
    for j in range(blocks.parent.shape[0]):
        first, last = blocks.dof_start[j], blocks.dof_start[j + 1]
        for d in range(first, last):
            row, product = blocks.reduced[d], 0.0
            for i in range(last - first):
                product += row[i] * y[first + i]
            total += product * y[d]
            force_out[d] -= scale * product
    return total


@kernel(inner=True)
def dot_nodes(left: RealRows, right: RealRows) -> float:
    """Sum of products of two vectors of nodes, six sums at a time."""
    t0, t1, t2, t3, t4, t5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(left.shape[0]):
        a, b = left[j], right[j]
        t0, t1, t2 = t0 + a[0] * b[0], t1 + a[1] * b[1], t2 + a[2] * b[2]
        t3, t4, t5 = t3 + a[3] * b[3], t4 + a[4] * b[4], t5 + a[5] * b[5]
    return (t0 + t1 + t2) + (t3 + t4 + t5)


@kernel(inner=True)
def dot_dofs(left: Reals, right: Reals) -> float:
    """Sum of products of two vectors of degrees of freedom."""
    total = 0.0
    for d in range(left.shape[0]):
        total += left[d] * right[d]
    return total


@kernel(inner=True)
def precondition(
    blocks: ArticulatedBlocks, factor: ArticulatedFactor, work: ConjugateGradients, load: RealRows, force: Reals
) -> float:
    """z = P^-1 (J^T load + force) and J z.

    Writes:  step, step_velocity
    Returns: (J^T load + force) . z
    """
    solve_tree(blocks, factor, load, force, work.step_velocity, work.step)
    return dot_nodes(load, work.step_velocity) + dot_dofs(force, work.step)


@kernel(inner=True)
def precondition_loads(
    blocks: ArticulatedBlocks, factor: ArticulatedFactor, work: ConjugateGradients, load: RealRows, force: Reals
) -> float:
    """The same, and the square of what rounding leaves of loads: of most, joints take all but a small part.

        sum over degrees of freedom of (|force| + sum of |S_i w_i|)^2 / d     w what a node and all below it carry

    Writes:  step, step_velocity
    Returns: this sum, to be multiplied by the square of a rounding error
    """
    gross = 0.0
    for j in range(load.shape[0]):
        given, out = load[j], work.step_velocity[j]
        for i in range(6):
            out[i] = given[i]
    for d in range(force.shape[0]):
        work.step[d] = force[d]
    for j in range(load.shape[0] - 1, -1, -1):
        w = work.step_velocity[j]
        for d in range(blocks.dof_start[j], blocks.dof_start[j + 1]):
            s, felt = blocks.subspace[d], abs(force[d])
            for i in range(6):
                felt += abs(s[i] * w[i])
            gross += felt * felt * factor.lower[d, d - blocks.dof_start[j]]
        sum_load(blocks, factor, j, work.step, work.step_velocity)
    for j in range(load.shape[0]):
        pass_velocity(blocks, factor, j, work.step, work.step_velocity)
    return gross


@kernel(inner=True)
def take_guess(blocks: ArticulatedBlocks, work: ConjugateGradients, rhs: RealRows, reduced_rhs: Reals, y: Reals) -> int:
    """Residual of the first guess, and no direction yet.

    Writes:  load, force, velocity, direction, product
    Returns: 1 if the guess is anything but 0, else 0
    """
    guessed = 0
    for d in range(y.shape[0]):
        work.force[d], work.direction[d] = reduced_rhs[d], 0.0
        guessed = 1 if y[d] != 0.0 else guessed
    for j in range(rhs.shape[0]):
        for i in range(6):
            work.load[j, i], work.velocity[j, i] = rhs[j, i], 0.0
    if guessed == 1:
        times_j(blocks, y, work.velocity)
        multiply_nodes(blocks, work.velocity, work.product)
        multiply_springs(blocks, work.velocity, work.product)
        for j in range(rhs.shape[0]):
            for i in range(6):
                work.load[j, i] -= work.product[j, i]
                work.velocity[j, i] = 0.0
        descend(blocks, y, 1.0, work.force)
    return guessed


@kernel(apart=True)
def pcg(
    blocks: ArticulatedBlocks, factor: ArticulatedFactor, work: ConjugateGradients, rhs: RealRows, reduced_rhs: Reals,
    tolerance: float, most: int, y_out: Reals,
) -> int:  # fmt: skip
    """H y = J^T rhs + reduced_rhs, from a first guess, with the factor of `factor_tree`.         [Baxter2019, sec. 3.1]

    Converged is |r| <= tolerance |b| in the norm of P^-1, or where |r| is about rounding of the loads and hardly falls
    any more. The factor must have lost no pivot: what it holds still would stay so unseen.

    Shapes:  rhs (n, 6), reduced_rhs, y_out (dofs,)
    Writes:  y_out (the guess on entry), work
    Cost:    150 flops a node, 60 a degree of freedom, 48 an entry of a spring, each iteration
    Returns: iterations; -1 - iterations if these did not converge, or H is not definite
    """
    guessed = take_guess(blocks, work, rhs, reduced_rhs, y_out)
    floor = ROUNDING * ROUNDING * precondition_loads(blocks, factor, work, rhs, reduced_rhs)
    square = dot_nodes(rhs, work.step_velocity) + dot_dofs(reduced_rhs, work.step)
    goal, share = tolerance * tolerance * abs(square), 0.0
    if guessed == 1:
        square = precondition(blocks, factor, work, work.load, work.force)
    for iteration in range(most):
        if abs(square) <= goal or (abs(square) <= floor and abs(share) > FALLS):
            return iteration
        for j in range(rhs.shape[0]):
            z, p = work.step_velocity[j], work.velocity[j]
            for i in range(6):
                p[i] = z[i] + share * p[i]
        for d in range(y_out.shape[0]):
            work.direction[d] = work.step[d] + share * work.direction[d]
        multiply_nodes(blocks, work.velocity, work.product)
        multiply_springs(blocks, work.velocity, work.product)
        curvature = dot_nodes(work.velocity, work.product) + descend(blocks, work.direction, 0.0, work.force)
        if not (curvature > 0.0 and math.isfinite(square)):
            return -1 - iteration
        length = square / curvature
        for d in range(y_out.shape[0]):
            y_out[d] += length * work.direction[d]
        descend(blocks, work.direction, length, work.force)
        for j in range(rhs.shape[0]):
            r, q = work.load[j], work.product[j]
            for i in range(6):
                r[i] -= length * q[i]
        last, square = square, precondition(blocks, factor, work, work.load, work.force)
        share = square / last
    return most if abs(square) <= max(goal, floor) else -1 - most
