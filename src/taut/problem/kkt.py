"""The waist: the KKT system of one linearisation, as blocks of numbers. Nothing physical.

        M u - J^T lam = 0               u: change of the velocities by the rows' impulses
        J u + S lam + b = w             lower <= lam <= upper,  w >= 0 at lower,  w <= 0 at upper,  w = 0 between

M is block diagonal with one block of six a body, J has one block of six numbers for every body that a row touches, S is
diagonal and positive. What bodies do without rows is in b. Every solver eliminates in an order of its own: one that
wants to see rows only asks for A = J M^-1 J^T + S, see `KktProblem.matrix`.
"""

from __future__ import annotations

from typing import NamedTuple

from taut.tables import RealRows, Reals, Wholes


HARD_REGULARISATION = 1e-12
"""Compliance of a hard row over its diagonal of A: redundant rows stay solvable, far below any tolerance."""


class Kkt(NamedTuple):
    """The arrays of a KKT system, in compiled code by its handle.

    Attributes:
        entry_start: (rows + 1,) first block of J of each row.
        entry_row, entry_body: (entries,) row and body of each block.
        inverse_mass: (bodies,) M^-1 of the first three numbers of a body, 0 for bodies that do not move.
        inverse_inertia: (bodies, 9) M^-1 of the last three, row by row.
        turning: (bodies, 9) M of the last three.
        jacobian: (entries, 6) blocks of J.
        response: (entries, 6) blocks of M^-1 J^T.
        compliance, bias, lower, upper: (rows,) S, b and the bounds.
        diagonal: (rows,) of A = J M^-1 J^T + S.
    """

    entry_start: Wholes
    entry_row: Wholes
    entry_body: Wholes
    inverse_mass: Reals
    inverse_inertia: RealRows
    turning: RealRows
    jacobian: RealRows
    response: RealRows
    compliance: Reals
    bias: Reals
    lower: Reals
    upper: Reals
    diagonal: Reals


class KktAnswer(NamedTuple):
    """Where compiled solvers start and what they find.

    Attributes:
        start_set, start_lam: (rows,) labels and multipliers to start from.
        index_set, lam, w: (rows,) labels, multipliers and slack found.
        report: (4,) scaled natural residual, pivots, factorisations, and 1 if solved.
    """

    start_set: Wholes
    start_lam: Reals
    index_set: Wholes
    lam: Reals
    w: Reals
    report: Reals
