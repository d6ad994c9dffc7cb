"""Forces of rows after the thesis' step, which itself knows none of the joints of its trees.

What a body needs to move as it does, and what all that hangs on it needs, its joint supplies: the sums of Algorithm 3.
The rows of the joint share it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.model.model import Model
from taut.model.redmax_tables import RedMaxMotion
from taut.model.redmax_tree import RedMaxModel
from taut.model.state import State
from taut.rows.table import RowTable
from taut.spatial import Array, Integers


@dataclass(frozen=True, eq=False)
class JointRows:
    """Joints with the same number of rows: nodes (m,), rows (m, r) and their Jacobian blocks of the node's body."""

    node: Integers
    row: Integers
    entry: Integers


def joint_rows(model: Model, own: RedMaxModel) -> list[JointRows]:
    """The rows of all joints of the trees, and of the springs along their coordinates."""
    layout, groups = model.layout, []
    for count in sorted({rows.size for rows in own.joint_rows} - {0}):
        nodes = np.array([node for node, rows in enumerate(own.joint_rows) if rows.size == count], np.int64)
        rows = np.array([own.joint_rows[node] for node in nodes], np.int64)
        entries = [[entry_of(layout.entry_start, layout.entry_body, row, own.body[node]) for row in each]
                   for node, each in zip(nodes, rows, strict=True)]  # fmt: skip
        groups.append(JointRows(nodes, rows, np.array(entries, np.int64)))
    return groups


def entry_of(start: Integers, bodies: Integers, row: int, body: int) -> int:
    """The Jacobian block of a row by a body."""
    return int(start[row] + np.flatnonzero(bodies[start[row] : start[row + 1]] == body)[0])


def put_joint_forces(groups: list[JointRows], motion: RedMaxMotion, rows: RowTable, h: float, force_out: Array) -> None:
    """Forces of the rows of joints whose impulses (n, 6) are the sums of the motion: J^T f = impulse / h.

    Writes:  force_out (rows,)
    """
    turn = motion.rotation.reshape(-1, 3, 3)
    for group in groups:
        parts = [np.einsum("nij,nj->ni", turn[group.node], motion.sums[group.node, at : at + 3]) for at in (3, 0)]
        blocks = rows.jacobian[group.entry].transpose(0, 2, 1)
        if np.isfinite(parts).all():
            force_out[group.row] = np.einsum("nij,nj->ni", np.linalg.pinv(blocks), np.hstack(parts)) / h


def put_spring_forces(model: Model, own: RedMaxModel, state: State, rows: RowTable, force_out: Array) -> None:
    """Forces of the rows of springs between points as they are in a state: -k (q - target) - c dq/dt.

    Writes:  force_out (rows,)
    """
    laws, layout = model.layout.laws, model.layout
    each = np.einsum("ei,ei->e", rows.jacobian, state.velocity[layout.entry_body])
    rate = np.bincount(layout.entry_row, each, minlength=layout.row_count)
    found = -laws.stiffness * (rows.value - state.target) - laws.damping * rate
    force_out[own.springs.row] = found[own.springs.row]
    whole = own.springs.row[own.springs.whole]
    for k in (1, 2):
        force_out[whole + k] = found[whole + k]
