"""How steps are taken with a kind of solver: accepted by what they achieve, or taken as they come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from taut.solvers.base import PivotingSolver


MODES_OF_MOTION = ("dynamics", "impulse", "kinematic")
"""Whether force gives acceleration, an impulse a change of velocity, or force velocity."""

STIFFNESSES = ("auto", "exact", "off")
"""How much of the geometric stiffness is implicit, see `Settings`."""


@dataclass(frozen=True)
class Policy:
    """What a step may do.

    Attributes:
        accepts: whether a step is accepted, linearised again or divided; else one solve is taken as it is.
        looks_back: whether the scheme may look back on the step before; else steps are those of Euler.
        repair: share of a violation that a step takes back.
    """

    accepts: bool
    looks_back: bool
    repair: float


EXACT = Policy(accepts=True, looks_back=True, repair=1.0)
"""With solvers that solve: a step is accepted, not assumed."""

ONE_SHOT = Policy(accepts=False, looks_back=False, repair=0.2)
"""With iterative solvers: one solve a frame with Euler, taken as it is, as engines built on them do (Baumgarte):
halving would only hide what they do. Taking back all of a violation with impulses that have not converged blows up at
once, which would flatter the exact solvers."""


def policy_of(solver: PivotingSolver) -> Policy:
    """How steps are taken with a solver."""
    return EXACT if solver.exact else ONE_SHOT
