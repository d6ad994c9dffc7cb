"""Chains, trees and stars of hinged or ball-jointed rods as the sparse factor takes them, of any size.

Scenes of tens of thousands of bodies take minutes to build; these arrays are what a response would make of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.benchmarks._clock import Stopwatch
from taut.problem.kkt import HARD_REGULARISATION, Kkt, KktProblem
from taut.solvers.linear_time import LinearTime
from taut.solvers.tree.tree import Tree
from taut.spatial import Array, Integers
from taut.structure.incidence import RowEntries

FAMILIES = ("chain", "tree", "star")
LENGTH, SLENDER = 0.2, 0.05
"""Length of a rod of 1 kg, and edge of its square section, m."""


@dataclass(eq=False)
class JointedBodies:
    """n bodies, each joined to its parent (the first to the world) by a joint of 3 (ball) or 5 rows (hinge).

    `problem` is the KKT problem of their rows, `tree` what linear-time makes of it, `x` (nodes, 6) the last solution.
    """

    problem: KktProblem
    tree: Tree

    @property
    def x(self) -> Array:
        """Velocities and multipliers (nodes, 6) of the last solve."""
        return self.tree.factor.x

    def measure(self) -> dict[str, float]:
        """Seconds to put H together, to factor it and to solve once."""
        from taut.solvers.tree.tree_kernels import load_tree

        primary, ldl = self.tree.factor.primary, self.tree.factor.ldl
        self.x.fill(0.0)
        self.x[primary.row_position, primary.row_slot] = self.problem.bias
        problem, work = self.problem.handle, self.tree.work_handle
        watch = Stopwatch()
        load_tree(problem, work)
        watch.lap("load")
        ldl.factor()
        watch.lap("factor")
        ldl.solve(self.x)
        watch.lap("solve")
        return watch.seconds

    def residual(self) -> float:
        """Largest slack that the last solve left in a row, J v + S lam + b, over the largest b."""
        primary, blocks = self.tree.factor.primary, self.problem.blocks
        lam, v = self.x[primary.row_position, primary.row_slot], self.x[primary.body_position]
        rate = row_sums(blocks.entry_row, blocks.jacobian * v[blocks.entry_body])
        slack = blocks.bias + blocks.compliance * lam + rate
        return float(np.abs(slack).max() / np.abs(blocks.bias).max())


def parents(family: str, count: int) -> Integers:
    """Body (count,) that each body is joined to; -1 is the world."""
    body = np.arange(count)
    parent = {"chain": body - 1, "tree": (body + 1) // 2 - 1, "star": np.zeros(count, np.int64)}[family]
    parent[0] = -1
    return parent


def jointed_bodies(family: str, count: int, rows: int) -> JointedBodies:
    """Bodies of a family with joints of 3 or 5 rows, planned and ready to be factored."""
    parent, joints = parents(family, count), np.arange(count)
    held, along = joints[parent >= 0], directions(count)
    jacobian = np.concatenate([
        joint_rows(-0.5 * LENGTH * along, along, rows),
        -joint_rows(0.5 * LENGTH * along[held if family == "star" else parent[held]], along[held], rows),
    ]).reshape(-1, 6)  # fmt: skip
    row = (rows * np.concatenate([joints, held])[:, None] + np.arange(rows)).ravel()
    body = np.repeat(np.concatenate([joints, parent[held]]), rows)
    order = np.argsort(row, kind="stable")
    row, body, jacobian = row[order], body[order], np.ascontiguousarray(jacobian[order])
    entries = RowEntries(
        entry_start=np.searchsorted(row, np.arange(rows * count + 1)),
        entry_row=row,
        entry_body=body,
        moves=np.ones(count, np.uint8),
        unbounded=np.ones(rows * count, bool),
        owner=np.repeat(joints, rows),
    )
    problem = KktProblem(entries, blocks_of(entries, jacobian, along))
    return JointedBodies(problem, LinearTime().tree_of(entries))


def blocks_of(entries: RowEntries, jacobian: Array, along: Array) -> Kkt:
    """The KKT system of rods of 1 kg along unit vectors (bodies, 3), moving somehow, with these blocks of J."""
    row, body, count = entries.entry_row, entries.entry_body, along.shape[0]
    moment, least = (LENGTH**2 + SLENDER**2) / 12, SLENDER**2 / 6
    turning = moment * np.eye(3) + (least - moment) * along[:, :, None] * along[:, None, :]
    inverse: Array = np.linalg.inv(turning).astype(np.float64)
    turned = np.einsum("eij,ej->ei", inverse[body], jacobian[:, 3:])
    response = np.concatenate([jacobian[:, :3], turned], axis=1)
    own = row_sums(row, jacobian * response)
    velocity = np.sin(np.arange(6.0 * count)).reshape(count, 6)
    return Kkt(
        entry_start=entries.entry_start,
        entry_row=row,
        entry_body=body,
        inverse_mass=np.ones(count),
        inverse_inertia=inverse.reshape(count, 9),
        turning=turning.reshape(count, 9),
        jacobian=jacobian,
        response=response,
        compliance=HARD_REGULARISATION * own,
        bias=row_sums(row, jacobian * velocity[body]),
        lower=np.full(own.size, -np.inf),
        upper=np.full(own.size, np.inf),
        diagonal=(1.0 + HARD_REGULARISATION) * own,
    )


def row_sums(row: Integers, values: Array) -> Array:
    """Sum (rows,) of all values (blocks, 6) that belong to each row."""
    total = np.zeros(int(row.max()) + 1)
    np.add.at(total, row, values.sum(axis=1))
    return total


def directions(count: int) -> Array:
    """Unit vectors (count, 3) along rods that wind like a helix, so that no two axes decouple."""
    turn = 0.7 * np.arange(count)
    along = np.stack([np.cos(turn), np.sin(turn), np.full(count, 0.5)], axis=1)
    return along / np.linalg.norm(along, axis=1)[:, None]


def joint_rows(arm: Array, along: Array, rows: int) -> Array:
    """Jacobians (joints, rows, 6) of a point at `arm` (joints, 3), and for hinges of two directions across the axis.

    A hinge turns about an axis across the rod: it keeps `along` and the direction across both.
    """
    jacobian, axes = np.zeros((len(arm), rows, 6)), np.eye(3)
    for k in range(3):
        jacobian[:, k, :3], jacobian[:, k, 3:] = axes[k], np.cross(arm, axes[k])
    if rows == 5:
        across = np.cross(along, axes[2])
        jacobian[:, 3, 3:] = along
        jacobian[:, 4, 3:] = across / np.linalg.norm(across, axis=1)[:, None]
    return jacobian
