"""Kernels of `kkt.py`: A from its blocks, velocities from multipliers, and the judge that needs no A."""

from __future__ import annotations

import math

import numpy as np

from taut.kernel import kernel
from taut.problem.kkt import Kkt
from taut.problem.residual_kernels import DATA, SCALE, WORST, judge_row
from taut.tables import RealRows, Reals, Wholes


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], float64[:, ::1], float64[:, ::1], float64[::1],"
    "float64[::1])"
)
def multiply_blocks(
    # structure, see `Incidence`
    body_start: np.ndarray,
    incident: np.ndarray,
    target: np.ndarray,
    mirror: np.ndarray,
    diagonal: np.ndarray,
    # problem
    jacobian: np.ndarray,  # (entries, 6) J
    response: np.ndarray,  # (entries, 6) M^-1 J^T
    compliance: np.ndarray,  # (rows,) S
    values_out: np.ndarray,  # (nonzeros,) of A, zero on entry
) -> None:
    """Delassus matrix A = J M^-1 J^T + S, body by body.                                        [Lefebvre2020, eq. 1.18]

    Writes:  values_out
    Cost:    12 flops a pair of blocks that meet at a body
    """
    pair = 0
    for body in range(body_start.shape[0] - 1):
        first, last = body_start[body], body_start[body + 1]
        for i in range(first, last):
            y = response[incident[i]]
            y0, y1, y2, y3, y4, y5 = y[0], y[1], y[2], y[3], y[4], y[5]
            for k in range(first, i + 1):
                z = jacobian[incident[k]]
                value = z[0] * y0 + z[1] * y1 + z[2] * y2 + z[3] * y3 + z[4] * y4 + z[5] * y5
                values_out[target[pair]] += value
                if mirror[pair] >= 0:
                    values_out[mirror[pair]] += value
                pair += 1
    for row in range(compliance.shape[0]):
        values_out[diagonal[row]] += compliance[row]


@kernel("void(int64[::1], int64[::1], float64[:, ::1], float64[::1], float64[:, ::1])")
def add_response(
    entry_row: np.ndarray,  # (entries,)
    entry_body: np.ndarray,  # (entries,)
    response: np.ndarray,  # (entries, 6) M^-1 J^T
    lam: np.ndarray,  # (rows,) N s
    velocity_out: np.ndarray,  # (bodies, 6) added to
) -> None:
    """Velocity change by the rows' impulses: M^-1 J^T lam.

    Writes:  velocity_out
    """
    for entry in range(entry_row.shape[0]):
        v, y, impulse = velocity_out[entry_body[entry]], response[entry], lam[entry_row[entry]]
        for i in range(6):
            v[i] += y[i] * impulse


@kernel()
def find_slack(kkt: Kkt, lam: Reals, change_out: RealRows, w_out: Reals) -> None:
    """u = M^-1 J^T lam and w = J u + S lam + b.

    Shapes:  lam, w_out (rows,); change_out (bodies, 6)
    Writes:  change_out, w_out
    """
    for body in range(change_out.shape[0]):
        for i in range(6):
            change_out[body, i] = 0.0
    add_response(kkt.entry_row, kkt.entry_body, kkt.response, lam, change_out)
    start, bodies, jacobian, bias, compliance = kkt.entry_start, kkt.entry_body, kkt.jacobian, kkt.bias, kkt.compliance
    for row in range(lam.shape[0]):
        total = bias[row] + compliance[row] * lam[row]
        for entry in range(start[row], start[row + 1]):
            j, u = jacobian[entry], change_out[bodies[entry]]
            for i in range(6):
                total += j[i] * u[i]
        w_out[row] = total


@kernel(allocates=True, apart=True)
def judge_slack(kkt: Kkt, island: Wholes, lam: Reals, w: Reals, change: RealRows, measure_out: RealRows) -> float:
    """Natural residual of a candidate whose slack is known, see `scaled_natural_residual`.

    Shapes:  island, lam, w (rows,); change (bodies, 6) workspace; measure_out (3, islands), see `residual_kernels`
    Writes:  change where bounds exclude 0, measure_out
    Returns: the scaled residual; inf if anything is not a number or bounds cross
    """
    rows, bias, lower, upper, diagonal = lam.shape[0], kkt.bias, kkt.lower, kkt.upper, kkt.diagonal
    for k in range(measure_out.shape[1]):
        measure_out[WORST, k], measure_out[SCALE, k], measure_out[DATA, k] = 0.0, 1e-300, 1e-300
    nearest, excluded = bias, 0
    for row in range(rows):
        if lower[row] > 0.0 or upper[row] < 0.0:
            excluded += 1
    if excluded > 0:
        least, nearest = np.empty(rows), np.empty(rows)
        for row in range(rows):
            least[row] = min(max(0.0, lower[row]), upper[row])
        find_slack(kkt, least, change, nearest)
    for row in range(rows):
        own = diagonal[row]
        root = math.sqrt(own) if own > 0.0 else 1.0
        if not own < math.inf:
            return math.inf
        if not judge_row(row, island[row], root, bias, lower, upper, lam, w[row], nearest[row], measure_out):
            return math.inf
    residual = 0.0
    for k in range(measure_out.shape[1]):
        residual = max(residual, measure_out[WORST, k] / measure_out[SCALE, k])
    return residual


@kernel()
def hides_violation(measure: RealRows, rounding: float, above: float, for_sure: float) -> int:
    """Whether some island's violation is small only beside multipliers that ran off, see `solvers.base`.

    Shapes:  measure (3, islands) as `judge_slack` left it
    Returns: 1 if so, else 0
    """
    for k in range(measure.shape[1]):
        worst = measure[WORST, k]
        allowed = above if worst > rounding * measure[SCALE, k] else for_sure
        if worst > allowed * measure[DATA, k]:
            return 1
    return 0
