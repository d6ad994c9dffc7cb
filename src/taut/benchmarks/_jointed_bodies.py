"""Chains, trees and stars of hinged or ball-jointed rods as the sparse factor takes them, of any size.

Scenes of tens of thousands of bodies take minutes to build; these arrays are what a response would make of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taut.benchmarks._clock import Stopwatch
from taut.linalg.block_ldl import BlockLdl
from taut.responses.free_bodies import HARD_REGULARISATION
from taut.spatial import Array, Integers
from taut.structure.elimination import EliminationPlan, plan_elimination

FAMILIES = ("chain", "tree", "star")
LENGTH, SLENDER = 0.2, 0.05
"""Length of a rod of 1 kg, and edge of its square section, m."""


@dataclass(eq=False)
class JointedBodies:
    """n bodies, each joined to its parent (the first to the world) by a joint of 3 (ball) or 5 rows (hinge).

    Shapes: parent (n,) -1 = world; jacobian (blocks, 6) with row (blocks,) and body (blocks,); inverse_mass (n,);
    turning (n, 9); compliance and bias (rows,); block, slot, across (blocks,) see `taut.responses.primary_rows`.
    """

    plan: EliminationPlan
    ldl: BlockLdl
    row: Integers
    body: Integers
    jacobian: Array
    inverse_mass: Array
    turning: Array
    compliance: Array
    bias: Array
    row_position: Integers
    row_slot: Integers
    block: Integers
    slot: Integers
    across: NDArray[np.uint8]
    x: Array

    @property
    def count(self) -> int:
        """Number of bodies."""
        return self.inverse_mass.size

    def measure(self) -> dict[str, float]:
        """Seconds to put H together, to factor it and to solve once."""
        from taut.responses.primary_tree_kernels import load_and_factor

        plan, ldl, x = self.plan, self.ldl, self.x
        x.fill(0.0)
        x[self.row_position, self.row_slot] = self.bias
        no_nodes = plan.size[:0]  # of which the factor is nothing: only loads
        filled = np.setdiff1d(np.arange(plan.below.size), self.block)
        watch = Stopwatch()
        load_and_factor(
            plan.position[: self.count], self.inverse_mass, self.turning, self.row_position, self.row_slot,
            self.compliance, self.block, self.slot, self.across, filled, self.jacobian,
            no_nodes, ldl.given, ldl.sign, plan.below_start, plan.below, plan.target, ldl.diagonal, ldl.block,
        )  # fmt: skip
        watch.lap("load")
        ldl.factor()
        watch.lap("factor")
        ldl.solve(x)
        watch.lap("solve")
        return watch.seconds

    def residual(self) -> float:
        """Largest slack that the last solve left in a row, J v + S lam + b, over the largest b."""
        lam, v = self.x[self.row_position, self.row_slot], self.x[self.plan.position[: self.count]]
        slack = self.bias + self.compliance * lam + row_sums(self.row, self.jacobian * v[self.body])
        return float(np.abs(slack).max() / np.abs(self.bias).max())


def parents(family: str, count: int) -> Integers:
    """Body (count,) that each body is joined to; -1 is the world."""
    body = np.arange(count)
    parent = {"chain": body - 1, "tree": (body + 1) // 2 - 1, "star": np.zeros(count, np.int64)}[family]
    parent[0] = -1
    return parent


def jointed_bodies(family: str, count: int, rows: int) -> JointedBodies:
    """Bodies of a family with joints of 3 or 5 rows, planned and ready to be factored."""
    parent, joints = parents(family, count), np.arange(count)
    held = joints[parent >= 0]
    edges = [(int(body), count + int(joint)) for body, joint in zip(joints, joints, strict=True)]
    edges += [(int(parent[joint]), count + int(joint)) for joint in held]
    plan = plan_elimination([6] * count + [rows] * count, [False] * count + [True] * count, edges)
    joint, body = np.concatenate([joints, held]), np.concatenate([joints, parent[held]])
    place, other = plan.position[count + joint], plan.position[body]
    block = np.array([plan.block(max(a, b), min(a, b)) for a, b in zip(place, other, strict=True)])
    along = directions(count)
    jacobian = np.concatenate([
        joint_rows(-0.5 * LENGTH * along, along, rows),
        -joint_rows(0.5 * LENGTH * along[held if family == "star" else parent[held]], along[held], rows),
    ])  # fmt: skip
    moment, least = (LENGTH**2 + SLENDER**2) / 12, SLENDER**2 / 6
    turning = moment * np.eye(3) + (least - moment) * along[:, :, None] * along[:, None, :]
    row = (rows * joint[:, None] + np.arange(rows)).ravel()
    flat, bodies = jacobian.reshape(-1, 6), np.repeat(body, rows)
    turned = np.einsum("eij,ej->ei", np.linalg.inv(turning)[bodies], flat[:, 3:])
    own = row_sums(row, flat * np.concatenate([flat[:, :3], turned], axis=1))
    velocity = np.sin(np.arange(6.0 * count)).reshape(count, 6)
    bias = row_sums(row, flat * velocity[bodies])
    sign, given = np.ones(plan.count), np.zeros(plan.count, np.int64)
    sign[plan.position[count:]] = -1.0
    given[np.setdiff1d(plan.position[:count], plan.below)] = 3
    return JointedBodies(
        plan, BlockLdl(plan, sign, given), row, bodies, flat, np.ones(count), turning.reshape(count, 9),
        HARD_REGULARISATION * own, bias, np.repeat(plan.position[count:], rows), np.tile(np.arange(rows), count),
        np.repeat(block, rows), row % rows, np.repeat((other > place).astype(np.uint8), rows),
        np.zeros((plan.count, 6)),
    )  # fmt: skip


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
