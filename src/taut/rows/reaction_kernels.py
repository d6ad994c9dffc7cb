"""Kernel that reads joint reactions and violations off the rows."""

from __future__ import annotations

from taut.kernel import kernel
from taut.spatial_kernels import times
from taut.tables import RealRows, Reals, Wholes

HOLD, LIMITS = 0, 3


@kernel()
def gather_reactions(
    # model
    entry: Wholes, entry_row: Wholes, entry_link: Wholes,  # (blocks of B,) Jacobian block, its row and its joint
    row_link: Wholes, body_b: Wholes,  # (declared rows,) joint of each row; (joints,) body B of each joint
    anchor: RealRows,  # (joints, 3) m, in B's axes from its centre of mass
    kind: Wholes,  # (rows,)
    target: Reals, limits: RealRows,  # (rows,), (rows, 2)
    # state in
    rotation: RealRows,  # (bodies, 9)
    jacobian: RealRows,  # (entries, 6)
    force: Reals,  # (rows,) N or N m
    value: Reals,  # (rows,) q
    # out
    reaction_out: RealRows,  # (joints, 6) N and N m
    violation_out: Reals,  # (joints,) m or rad
) -> None:  # fmt: skip
    """Force and torque of each joint on its body B, about its anchor, and how far it is violated.

    Writes:  reaction_out, violation_out
    """
    for link in range(body_b.shape[0]):
        violation_out[link] = 0.0
        for i in range(6):
            reaction_out[link, i] = 0.0
    for i in range(entry.shape[0]):
        block, out, f = jacobian[entry[i]], reaction_out[entry_link[i]], force[entry_row[i]]
        for j in range(6):
            out[j] += f * block[j]
    for link in range(body_b.shape[0]):
        r, a, out = rotation[body_b[link]], anchor[link], reaction_out[link]
        x, y, z = times(r, a)
        out[3] -= y * out[2] - z * out[1]
        out[4] -= z * out[0] - x * out[2]
        out[5] -= x * out[1] - y * out[0]
    for row in range(row_link.shape[0]):
        gap = 0.0
        if kind[row] == HOLD:
            gap = abs(value[row] - target[row])
        elif kind[row] == LIMITS:
            gap = max(limits[row, 0] - value[row], value[row] - limits[row, 1])
        violation_out[row_link[row]] = max(violation_out[row_link[row]], gap)
