"""Stiffness and damping, or frequency and damping ratio: one converted into the other here and nowhere else.

For a row of effective mass m = 1 / (J M^-1 J^T) in kg (or kg m^2):

    k = m (2 pi f)^2          c = 2 zeta m (2 pi f)                 f in Hz, zeta = 1 critically damped

SI stiffness and damping keep their meaning whatever the step, the masses or the solver. `taut.rows.law` turns them into
compliance S = 1/(h (k beta + c)) and bias of the implicit force.
"""

from __future__ import annotations

import dataclasses
import math

from taut.rows.law import SOFT, Law


def spring_constants(effective_mass: float, frequency: float, damping_ratio: float) -> tuple[float, float]:
    """Stiffness (N/m or N m/rad) and damping (N s/m or N m s/rad) of an oscillator.

    Args:
        effective_mass: kg, or kg m^2 for a rotation.
        frequency: undamped frequency in Hz.
        damping_ratio: 1 is critical.
    """
    omega = 2.0 * math.pi * frequency
    return effective_mass * omega**2, 2.0 * damping_ratio * effective_mass * omega


def soft(stiffness: float, damping: float = 0.0, target: float = 0.0, force: float = math.inf) -> Law:
    """A spring and damper on a row: lam = -h (k (q+ - target) + c dq/dt+), at most this force."""
    return Law(SOFT, target, stiffness, damping, lower_force=-force, upper_force=force)


def oscillator(frequency: float, damping_ratio: float, target: float = 0.0) -> Law:
    """A spring and damper given by frequency (Hz) and damping ratio; constants follow from the masses at compile."""
    return Law(SOFT, target, frequency=frequency, damping_ratio=damping_ratio)


def resolve(law: Law, effective_mass: float) -> Law:
    """The law with stiffness and damping in SI units, whichever way it was given."""
    if law.frequency == 0.0:
        return law
    stiffness, damping = spring_constants(effective_mass, law.frequency, law.damping_ratio)
    return dataclasses.replace(law, stiffness=stiffness, damping=damping, frequency=0.0, damping_ratio=0.0)


def from_compliance(law: Law, compliance: float, damping: float) -> Law:
    """A hard row made physically soft: stiffness 1/compliance (compliance in m/N or rad/(N m)), and damping."""
    return dataclasses.replace(law, kind=SOFT, stiffness=1.0 / compliance, damping=damping)
