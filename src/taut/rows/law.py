"""What a row asks of its measure q, in SI units: the law turns (q, J) into bounds, compliance and bias.

With v+ the velocity at the end of the step, v_k the one linearised at and beta the integrator's weight,
q+ = q_k + beta J (v+ - v_k), and every law is one line of the MLCP  J v+ + S lam + b = w:

    hold      q+ = target                          S = 0               b = (q_k - target) / beta - J v_k
    follow    J v+ = target                        S = 0               b = -target
    soft      lam = -h (k (q+ - target) + c J v+)  S = 1/(h (k beta + c))
                                                   b = k (q_k - target - beta J v_k) / (k beta + c)
    limits    lower <= q+ <= upper, the nearer end counts: a `hold` of the distance to it that can only push

with force bounds times h on lam. A state may let a soft row have a share of its k and c, its `firmness`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from taut.rows.curve import Curve

HOLD, FOLLOW, SOFT, LIMITS = 0, 1, 2, 3


@dataclass(frozen=True)
class Law:
    """One row's law; forces in N (or N m), stiffness in N/m (N m/rad), damping in N s/m (N m s/rad)."""

    kind: int = HOLD
    target: float = 0.0
    """Value of q in m or rad (hold, soft), or of J v+ in m/s or rad/s (follow)."""
    stiffness: float = 0.0
    damping: float = 0.0
    frequency: float = 0.0
    """Hz; when > 0, stiffness and damping follow from it and `damping_ratio` at compile (see `softness`)."""
    damping_ratio: float = 0.0
    lower_limit: float = -math.inf
    upper_limit: float = math.inf
    lower_force: float = -math.inf
    upper_force: float = math.inf
    spring: Curve | None = None
    """Force over q - target in place of the stiffness, which is then its slope at rest."""
    damper: Curve | None = None
    """Force over the rate of q in place of the damping, which is then 0."""
    drives: bool = False
    """Whether the row may put energy in (a motor), so that the energy test allows for it."""


def hold(target: float = 0.0, force: float = math.inf, drives: bool = False) -> Law:
    """Keep q at the target with at most this force."""
    return Law(HOLD, target, lower_force=-force, upper_force=force, drives=drives)


def follow(speed: float = 0.0, force: float = math.inf, drives: bool = False) -> Law:
    """Keep the rate of q at this speed with at most this force: motors, Coulomb joint friction, rolling."""
    return Law(FOLLOW, speed, lower_force=-force, upper_force=force, drives=drives)


def limits(lower: float, upper: float) -> Law:
    """Keep q between two ends; infinite ends are allowed."""
    return Law(LIMITS, lower_limit=lower, upper_limit=upper, lower_force=0.0)
