"""Stiffness and damping, or frequency and damping ratio: one converted into the other here and nowhere else.

For a row of effective mass m = 1 / (J M^-1 J^T) in kg (or kg m^2):

    k = m (2 pi f)^2          c = 2 zeta m (2 pi f)                 f in Hz, zeta = 1 critically damped

SI stiffness and damping keep their meaning whatever the step, the masses or the solver. `taut.rows.law` turns them into
compliance S = 1/(h (k beta + c)) and bias of the implicit force. With implicit Euler, beta = h, these are the two
numbers of ODE and Bullet,

    ERP = h k / (h k + c)     CFM = 1 / (h k + c)                   S = CFM / h,  b = ERP phi / h

which change their meaning with the step; `from_erp_cfm` gives the spring and damper that they stand for at one step.
All of this is public as `taut.softness`.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple

from taut import checks
from taut.errors import InputError
from taut.rows.curve import Curve
from taut.rows.law import SOFT, Law


class SpringDamper(NamedTuple):
    """A spring, N/m (N m/rad), and a damper, N s/m (N m s/rad)."""

    stiffness: float
    damping: float

    @property
    def compliance(self) -> float:
        """What `Scene.connect(compliance=...)` takes, m/N (rad/(N m)); infinite without a spring."""
        return 1.0 / self.stiffness if self.stiffness > 0.0 else math.inf


def from_erp_cfm(erp: float, cfm: float, step: float) -> SpringDamper:
    """The spring and damper that an error reduction parameter and a constraint force mixing stand for at a step.

    k = ERP / (h CFM),  c = (1 - ERP) / CFM

    Args:
        erp: share of the error that a step takes back, from 0 to 1.
        cfm: velocity per force, m/(s N) (rad/(s N m)); above 0, because with 0 a row is hard.
        step: h, s.
    """
    erp = checks.number("from_erp_cfm", "erp", erp, at_least=0.0)
    cfm, step = (checks.number("from_erp_cfm", *each, above=0.0) for each in (("cfm", cfm), ("step", step)))
    if erp > 1.0:
        raise InputError(f"from_erp_cfm: erp is {erp:g}; it must be from 0 to 1")
    return SpringDamper(erp / (step * cfm), (1.0 - erp) / cfm)


def to_erp_cfm(stiffness: float, damping: float, step: float) -> tuple[float, float]:
    """ERP and CFM of a spring and damper at a step, see `from_erp_cfm`."""
    stiffness = checks.number("to_erp_cfm", "stiffness", stiffness, at_least=0.0)
    damping = checks.number("to_erp_cfm", "damping", damping, at_least=0.0)
    weight = checks.number("to_erp_cfm", "step", step, above=0.0) * stiffness + damping
    if weight == 0.0:
        raise InputError("to_erp_cfm: stiffness and damping are 0; one of them must be greater than 0")
    return step * stiffness / weight, 1.0 / weight


def spring_constants(effective_mass: float, frequency: float, damping_ratio: float) -> SpringDamper:
    """Stiffness (N/m or N m/rad) and damping (N s/m or N m s/rad) of an oscillator.

    Args:
        effective_mass: kg, or kg m^2 for a rotation.
        frequency: undamped frequency in Hz.
        damping_ratio: 1 is critical.
    """
    omega = 2.0 * math.pi * frequency
    return SpringDamper(effective_mass * omega**2, 2.0 * damping_ratio * effective_mass * omega)


def oscillation(effective_mass: float, stiffness: float, damping: float) -> tuple[float, float]:
    """Undamped frequency (Hz) and damping ratio of a spring and damper: the inverse of `spring_constants`."""
    omega = math.sqrt(stiffness / effective_mass)
    return omega / (2.0 * math.pi), damping / (2.0 * effective_mass * omega)


def soft(stiffness: float | Curve, damping: float | Curve = 0.0, target: float = 0.0, force: float = math.inf) -> Law:
    """A spring and damper on a row: lam = -h (k (q+ - target) + c dq/dt+), at most this force; or by their curves."""
    spring, damper = (each if isinstance(each, Curve) else None for each in (stiffness, damping))
    k = max(spring.slope(0.0), 0.0) if spring is not None else stiffness
    c = damping if damper is None else 0.0
    assert not isinstance(k, Curve) and not isinstance(c, Curve)
    return Law(SOFT, target, k, c, lower_force=-force, upper_force=force, spring=spring, damper=damper)


def checked_constant(owner: str, name: str, value: Any) -> float | Curve:
    """A stiffness or damping that users gave: a number that is not negative, or a curve through 0."""
    if not isinstance(value, Curve):
        return checks.number(owner, name, value, at_least=0.0)
    if name == "damping" and value(0.0) != 0.0:
        raise InputError(f"{owner}: damping is a curve with {value(0.0):g} N at rest; there must be no force")
    return value


def given(value: float | Curve) -> bool:
    """Whether there is a spring or damper of this stiffness or damping at all."""
    return isinstance(value, Curve) or value > 0.0


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


def soft_end(lower: float, upper: float, stiffness: float, damping: float) -> list[Law]:
    """Springs and dampers at the ends of q, one for each that is finite: they push back and never pull.

    f = max(k (lower - q) - c dq/dt, 0) where q < lower, and likewise at the upper end; between them f is 0, however
    fast q comes near.
    """
    law = Law(SOFT, stiffness=stiffness, damping=damping)
    ends = [
        dataclasses.replace(law, target=lower, lower_force=0.0),
        dataclasses.replace(law, target=upper, upper_force=0.0),
    ]
    return [end for end in ends if math.isfinite(end.target)]
