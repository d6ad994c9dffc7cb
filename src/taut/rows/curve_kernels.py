"""Kernels of `curve.py`: tangents of curves in the laws of rows, and what they store."""

from __future__ import annotations

from taut.kernel import kernel
from taut.rows.curve import Curves
from taut.rows.table import RowTable
from taut.tables import RealRows, Reals, Wholes

FLAT = 1e12
"""Most compliance, s^2/kg, of a row: what a force is worth that changes with nothing."""


@kernel(inner=True)
def piece_at(curves: Curves, curve: int, x: float) -> int:
    """The piece of a curve that says what happens at x.

    Returns: its number
    """
    low, high = int(curves.start[curve]), int(curves.start[curve + 1])
    while high - low > 1:
        middle = (low + high) // 2
        if x > curves.begin[middle]:
            low = middle
        else:
            high = middle
    return low


@kernel(inner=True)
def force_at(curves: Curves, curve: int, x: float) -> float:
    """The force of a curve.

    Returns: N or N m
    """
    p = curves.piece[piece_at(curves, curve, x)]
    u = x - p[0]
    return float(p[1] + u * (p[2] + u * (p[3] + u * p[4])))


@kernel(inner=True)
def slope_at(curves: Curves, curve: int, x: float) -> float:
    """The slope of a curve.

    Returns: N or N m by what x is measured in
    """
    p = curves.piece[piece_at(curves, curve, x)]
    u = x - p[0]
    return float(p[2] + u * (2.0 * p[3] + 3.0 * p[4] * u))


@kernel(inner=True)
def energy_at(curves: Curves, curve: int, x: float) -> float:
    """What a spring of this curve stores.

    Returns: J
    """
    p = curves.piece[piece_at(curves, curve, x)]
    u = x - p[0]
    return float(p[5] + u * (p[1] + u * (p[2] / 2.0 + u * (p[3] / 3.0 + u * p[4] / 4.0))))


@kernel(inner=True)
def row_rate(row: int, entry_start: Wholes, entry_body: Wholes, jacobian: RealRows, velocity: RealRows) -> float:
    """J v of a row.

    Returns: m/s or rad/s
    """
    rate = 0.0
    for entry in range(entry_start[row], entry_start[row + 1]):
        block, twist = jacobian[entry], velocity[entry_body[entry]]
        for i in range(6):
            rate += block[i] * twist[i]
    return rate


@kernel(inner=True)
def bend_laws(
    curves: Curves, spring: Wholes, damper: Wholes, stiffness: Reals, damping: Reals, entry_start: Wholes,
    entry_body: Wholes, velocity: RealRows, rows: RowTable,
) -> None:  # fmt: skip
    """Laws of rows with a curve, after those of `apply_laws`: the tangents at q_k and at its rate there.

        lam = -h (f + g + W (J v+ - J v_k)),  W = beta f' + g'      S = 1/(h W),  b = (f + g)/W - J v_k

    A force that falls as bodies move along it has no tangent that a convex problem can take, and counts as constant.

    Writes:  compliance, bias of rows
    """
    h = rows.step[0]
    for row in range(spring.shape[0]):
        if spring[row] < 0 and damper[row] < 0:
            continue
        gap, rate = rows.gap[row], row_rate(row, entry_start, entry_body, rows.jacobian, velocity)
        k, c = stiffness[row], damping[row]
        force = k * gap + c * rate
        if spring[row] >= 0:
            k = max(slope_at(curves, spring[row], gap), 0.0)
            force = force_at(curves, spring[row], gap) + c * rate
        if damper[row] >= 0:
            c = max(slope_at(curves, damper[row], rate), 0.0)
            force += force_at(curves, damper[row], rate)
        weight = max(rows.beta[row] * k + c, 1.0 / (h * FLAT))
        rows.compliance[row], rows.bias[row] = 1.0 / (h * weight), force / weight - rate


@kernel(inner=True)
def miss(
    curves: Curves, spring: int, damper: int, stiffness: float, damping: float, gap: float, rate: float, force: float,
) -> float:  # fmt: skip
    """By how much the force of a row with a curve differs from what its curves say where it went.

    Returns: N or N m
    """
    expected = force_at(curves, spring, gap) if spring >= 0 else stiffness * gap
    expected += force_at(curves, damper, rate) if damper >= 0 else damping * rate
    return abs(force + expected)
