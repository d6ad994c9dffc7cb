"""Kernels of `mend.py`: the least displacement of bodies that takes overlaps back."""

from __future__ import annotations

import numpy as np

from taut.contact.rows_kernels import look
from taut.contact.table import ContactTable
from taut.kernel import kernel
from taut.spatial_kernels import rotation_matrices, turn
from taut.stepping.settings import MENDING
from taut.stepping.tables import StepModel
from taut.tables import RealRows, Reals


@kernel(inner=True)
def arm_of(c: ContactTable, i: int, position: RealRows, body: int, sign: float, block: Reals) -> None:
    """The Jacobian block (6,) of a contact's gap on one of its bodies.

    Writes:  block
    """
    n, p, x = c.normal[i], c.point[i], position[body]
    rx, ry, rz = p[0] - x[0], p[1] - x[1], p[2] - x[2]
    block[0], block[1], block[2] = sign * n[0], sign * n[1], sign * n[2]
    block[3], block[4], block[5] = (
        sign * (ry * n[2] - rz * n[1]), sign * (rz * n[0] - rx * n[2]), sign * (rx * n[1] - ry * n[0])
    )  # fmt: skip


@kernel(inner=True)
def linearise_gaps(
    m: StepModel, c: ContactTable, inverse_mass: Reals, inverse_inertia: RealRows, position: RealRows,
    jacobian: RealRows, response: RealRows,
) -> None:  # fmt: skip
    """Jacobian J and response M~^-1 J^T of gaps (2 k, 6), A's and B's; bodies that rows hold do not respond.

    Writes:  jacobian, response
    """
    for e in range(jacobian.shape[0]):
        i = e // 2
        body, sign = (c.body_a[i], -1.0) if e % 2 == 0 else (c.body_b[i], 1.0)
        j, y, inverse = jacobian[e], response[e], inverse_inertia[body]
        arm_of(c, i, position, body, sign, j)
        free = 1.0 if m.bodies.moves[body] != 0 and m.links.jointed[body] == 0 else 0.0
        for k in range(3):
            y[k] = free * inverse_mass[body] * j[k]
            y[3 + k] = free * (
                inverse[3 * k] * j[3] + inverse[3 * k + 1] * j[4] + inverse[3 * k + 2] * j[5]
            )  # fmt: skip


@kernel(inner=True)
def dot(first: Reals, second: Reals) -> float:
    """Product of two vectors (6,)."""
    total = 0.0
    for k in range(6):
        total += first[k] * second[k]
    return total


@kernel(inner=True)
def push_apart(
    c: ContactTable, jacobian: RealRows, response: RealRows, least: Reals, pushed: Reals, shift: RealRows
) -> None:
    """Displacements (n, 6) of bodies after which gaps are at least what is asked: the smallest, weighed by M~.

        min u^T M~ u / 2    subject to    gap + J u >= least

    by projected Gauss-Seidel sweeps on the multipliers.

    Writes:  pushed (k,), shift
    """
    for i in range(least.shape[0]):
        pushed[i] = 0.0
    for body in range(shift.shape[0]):
        for k in range(6):
            shift[body, k] = 0.0
    for _ in range(MENDING.sweeps):
        settled = True
        for i in range(least.shape[0]):
            a, b, e = c.body_a[i], c.body_b[i], 2 * i
            if c.gap[i] - least[i] > MENDING.far * c.thickness[i]:
                continue
            short = least[i] - c.gap[i] - dot(jacobian[e], shift[a]) - dot(jacobian[e + 1], shift[b])
            soft = dot(jacobian[e], response[e]) + dot(jacobian[e + 1], response[e + 1])
            push = max(pushed[i] + short / soft, 0.0) - pushed[i] if soft > 0.0 else 0.0
            if abs(push) * soft <= MENDING.precision * c.thickness[i]:
                continue  # so that no group notices how many sweeps another takes
            pushed[i] += push
            settled = False
            for k in range(6):
                shift[a, k] += push * response[e, k]
                shift[b, k] += push * response[e + 1, k]
        if settled:
            break


@kernel(inner=True)
def shift_places(shift: RealRows, position: RealRows, orientation: RealRows, rotation: RealRows) -> None:
    """Move bodies by these displacements (n, 6); those that have none keep every bit.

    Writes:  position, orientation, rotation
    """
    for body in range(shift.shape[0]):
        u, x = shift[body], position[body]
        if dot(u, u) > 0.0:
            x[0], x[1], x[2] = x[0] + u[0], x[1] + u[1], x[2] + u[2]
            turn(orientation[body], u[3], u[4], u[5], orientation[body])
    rotation_matrices(orientation, rotation)


@kernel(apart=True, allocates=True)
def mend(
    m: StepModel, c: ContactTable, inverse_mass: Reals, inverse_inertia: RealRows, least: Reals, position: RealRows,
    orientation: RealRows, rotation: RealRows,
) -> None:  # fmt: skip
    """Move bodies from where they are until gaps of contacts (k,) are at least what is asked, m, as far as they can be.

    Writes:  position, orientation, rotation; gap, normal, point of contacts
    """
    jacobian, response = np.empty((2 * least.shape[0], 6)), np.empty((2 * least.shape[0], 6))
    shift, pushed = np.empty((position.shape[0], 6)), np.empty(least.shape[0])
    for _ in range(MENDING.passes):
        look(c, position, rotation, c.gap, c.normal, c.point)
        linearise_gaps(m, c, inverse_mass, inverse_inertia, position, jacobian, response)
        push_apart(c, jacobian, response, least, pushed, shift)
        shift_places(shift, position, orientation, rotation)
