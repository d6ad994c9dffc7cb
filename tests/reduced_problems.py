"""KKT problems of steps with trees in joint coordinates, and their dense solutions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from dense_twins import dense_jacobian
from staged_steps import Staged, staged

import taut
from taut.problem.kkt import KktProblem
from taut.problem.solution import AT_LOWER, AT_UPPER, FREE, MlcpSolution
from taut.responses.articulated import ReducedRows
from taut.stepping.reduced import ReducedSolver

Array = np.ndarray


@dataclass
class ReducedProblem:
    """The problem of a step, and the elimination of trees in it."""

    step: Staged
    problem: KktProblem
    rows: ReducedRows
    springs: object

    def solver(self, name: str = "bpp", iterations: int = 0) -> ReducedSolver:
        """A solver that pivots on what trees leave."""
        return ReducedSolver(self.rows, self.springs, taut.solvers.get(name), iterations)

    def solve(self, name: str = "bpp") -> MlcpSolution:
        """The solution; velocities are left in the table."""
        return self.solver(name).solve(self.problem)

    def change(self, lam: Array) -> Array:
        """u (bodies, 6) of a solution: of trees as it was solved for, of others M^-1 J^T lam."""
        table = self.rows.table
        u = self.problem.velocity_change(lam)
        body = table.trees.body
        u[body] = table.near[body] + table.change[body]
        return u


def problem_of(simulation: taut.Simulation, shake: float = 0.0) -> ReducedProblem:
    """The problem of a simulation's next step, where it was predicted to go; forces of rows are `shake` at random."""
    step = staged(simulation)
    step.predict()
    step.linearise(shake * np.random.default_rng(1).normal(size=step.rows.force.size))
    problem, own = step.respond(), simulation.stepper.own
    assert own.reduced is not None
    return ReducedProblem(step, problem, own.reduced, own.springs)


def dense_mass(problem: KktProblem) -> Array:
    """M (bodies, 6, bodies, 6) of the bodies that move, and 1 for the others, whom no row moves."""
    blocks, count = problem.blocks, problem.entries.moves.size
    mass = np.zeros((count, 6, count, 6))
    for body in range(count):
        mass[body, :, body, :] = np.eye(6)
        if problem.entries.moves[body]:
            mass[body, :3, body, :3] /= blocks.inverse_mass[body]
            mass[body, 3:, body, 3:] = blocks.turning[body].reshape(3, 3)
    return mass


def dense_solution(problem: KktProblem, labels: Array) -> tuple[Array, Array, Array]:
    """u (bodies, 6), lam and w (rows,) with rows at these bounds or free, of one dense linear system.

    M u - J^T lam = 0,   J u + S lam + b = 0 where free,   lam = bound elsewhere
    """
    count = problem.entries.moves.size
    jacobian = dense_jacobian(problem.entries, problem.blocks.jacobian, count)
    jacobian *= np.repeat(problem.entries.moves > 0, 6)
    size, rows = 6 * count, problem.size
    matrix, rhs = np.zeros((size + rows, size + rows)), np.zeros(size + rows)
    matrix[:size, :size] = dense_mass(problem).reshape(size, size)
    matrix[:size, size:] = -jacobian.T
    free, bound = labels == FREE, np.where(labels == AT_LOWER, problem.lower, problem.upper)
    matrix[size:, :size] = jacobian * free[:, None]
    matrix[size:, size:] = np.diag(np.where(free, problem.blocks.compliance, 1.0))
    rhs[size:] = np.where(free, -problem.bias, np.where(free, 0.0, bound))
    scale = 1.0 / np.sqrt(np.abs(matrix).max(axis=1))
    found = np.linalg.solve(matrix * scale[:, None] * scale, rhs * scale) * scale
    u, lam = found[:size], found[size:]
    return u.reshape(count, 6), lam, jacobian @ u + problem.blocks.compliance * lam + problem.bias


def is_complementary(problem: KktProblem, labels: Array, lam: Array, w: Array, tolerance: float) -> bool:
    """Whether multipliers keep their bounds and slacks their signs."""
    inside = (lam >= problem.lower - tolerance) & (lam <= problem.upper + tolerance)
    signs = (w >= -tolerance)[labels == AT_LOWER].all() and (w <= tolerance)[labels == AT_UPPER].all()
    return bool(inside.all() and signs)
