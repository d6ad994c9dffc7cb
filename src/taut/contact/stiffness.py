"""The whole geometric stiffness K~ = d(J^T f)/dx of contacts, friction and rolling included, in plain NumPy.

On B acts f = f_n n + f_t at the point p, and the torque tau = tau_n n + tau_t; on A the opposite. The frame turns with
the normal alone, so that

        df = (f_n 1 - n f_t^T) dn       dtau alike        dp = dc_B - (dgap/2) n - (r_B + gap/2) dn

with c the cores and r_B the radius of B's. dn is that of a face, theta x n; of the line of two cores,
(1 - n n^T)(dc_B - dc_A) / |c_B - c_A|; or nothing.
"""

from __future__ import annotations

import numpy as np

from taut.collide.contacts import CENTRE_LINE, NORMAL_OF_A, NORMAL_OF_B
from taut.contact.settings import CONTACT
from taut.contact.table import ContactTable
from taut.rows.stiffness_blocks import (
    Attached,
    StiffnessBlocks,
    joined,
    of_turns,
    outer,
    point_rates,
    scaled_unit,
    skews,
    turned,
)
from taut.rows.table import Places, RowTable
from taut.spatial import Array


def contact_stiffness(c: ContactTable, places: Places, rows: RowTable) -> StiffnessBlocks:
    """K~ of all contacts as they were linearised, with the forces in their rows, seesaws included."""
    n, force, torque = frame_forces(c, rows)
    rate_a, rate_b = core_rates(c, places)
    turning, point = normal_rates(c, places, rate_a, rate_b)
    push, twist = (turns_with(n, each) @ turning for each in (force, torque))
    lever, blocks = skews(np.einsum("kij,kj->ki", n, force)), []
    for sign, body, first in ((-1.0, c.body_a, 0), (1.0, c.body_b, 6)):
        arm_rate = point.copy()
        arm_rate[:, :, first : first + 3] -= np.eye(3)
        wrench = np.empty((len(body), 6, 12))
        wrench[:, :3] = sign * push
        wrench[:, 3:] = sign * (skews(c.point - places.position[body]) @ push - lever @ arm_rate + twist)
        blocks.append(StiffnessBlocks(body, c.body_a, wrench[:, :, :6]))
        blocks.append(StiffnessBlocks(body, c.body_b, wrench[:, :, 6:]))
    return joined([*blocks, *seesaws(c, places, rows)])


def frame_forces(c: ContactTable, rows: RowTable) -> tuple[Array, Array, Array]:
    """Frames (k, 3, 3) with columns n, t1, t2; forces and torques (k, 3) along them, N and N m."""
    frame = np.stack([c.normal, c.tangent, np.cross(c.normal, c.tangent)], axis=2)
    number = c.row[:, None] + np.minimum(np.arange(6), c.width[:, None] - 1)
    along = np.where(np.arange(6) < c.width[:, None], rows.force[number], 0.0)
    return frame, along[:, :3], along[:, [5, 3, 4]]


def turns_with(frame: Array, along: Array) -> Array:
    """f_n 1 - n f_t^T (k, 3, 3): how a vector with these components (k, 3) changes when the normal does."""
    across = np.einsum("kij,kj->ki", frame[:, :, 1:], along[:, 1:])
    return np.asarray(scaled_unit(along[:, 0]) - outer(frame[:, :, 0], across))


def core_rates(c: ContactTable, places: Places) -> tuple[Array, Array]:
    """How the cores of A and B move with the twists of both, (k, 3, 12) each."""
    rate_a, rate_b = np.zeros((2, c.row.size, 3, 12))
    rate_a[:, :, :6] = point_rates(Attached(c.body_a, turned(places, c.body_a, c.core_a), True))
    rate_b[:, :, 6:] = point_rates(Attached(c.body_b, turned(places, c.body_b, c.core_b), True))
    return rate_a, rate_b


def normal_rates(c: ContactTable, places: Places, rate_a: Array, rate_b: Array) -> tuple[Array, Array]:
    """How normals and contact points change with the twists of both bodies, (k, 3, 12) each."""
    line = places.position[c.body_b] + turned(places, c.body_b, c.core_b) - places.position[c.body_a]
    line = line - turned(places, c.body_a, c.core_a)
    length, n, opening = np.linalg.norm(line, axis=1), c.normal, rate_b - rate_a
    turning = np.zeros_like(rate_a)
    for kind, first in ((NORMAL_OF_A, 3), (NORMAL_OF_B, 9)):
        mine = c.turning == kind
        turning[mine, :, first : first + 3] = -skews(n[mine])
    # cores that have passed through each other keep the normal they had
    mine = (c.turning == CENTRE_LINE) & (np.einsum("ki,ki->k", line, c.normal_kept) > 0.5 * length)
    turning[mine] = (np.eye(3) - outer(n[mine], n[mine])) @ opening[mine] / length[mine, None, None]
    gap = np.einsum("ki,kij->kj", n, opening) + np.einsum("ki,kij->kj", line, turning)
    middle = 0.5 * c.value + c.radius_b
    return turning, rate_b - 0.5 * n[:, :, None] * gap[:, None, :] - middle[:, None, None] * turning


def seesaws(c: ContactTable, places: Places, rows: RowTable) -> list[StiffnessBlocks]:
    """What rods on round things add, whose nearest points slide along as they tilt, see `add_seesaw`."""
    axis_a, axis_b = turned(places, c.body_a, c.axis_a), turned(places, c.body_b, c.axis_b)
    is_rod_a, is_rod_b = axis_a.any(axis=1), axis_b.any(axis=1)
    square = np.where(is_rod_a & is_rod_b, 1.0 - np.einsum("ki,ki->k", axis_a, axis_b) ** 2, 1.0)
    pressing = np.maximum(rows.force[c.row], 0.0) * (c.radius_a + c.radius_b + c.value)
    weight = np.where(square < CONTACT.oblique**2, 0.0, pressing / np.maximum(square, CONTACT.oblique**2))
    blocks = []
    for body, axis in ((c.body_a, axis_a), (c.body_b, axis_b)):
        u = np.cross(axis, c.normal)
        blocks.append(of_turns(body, body, -weight[:, None, None] * outer(u, u)))
    return blocks
