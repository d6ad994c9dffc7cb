"""How steps are taken: accepted by what they achieve, taken as they come, or by free motion with projections.

All three solve the same problem. Written with the new velocity as unknown it is one system,

    M~ v+ - J^T lam = p,   J v+ + S lam + b = w

and by the order of free motion [InSimo, FreeMotionAnimationLoop] it is four stages, which `step.py` has in this order:

    v_free = M~^-1 p                                            respond
    v_free <- P(v_free)                                         `project`: on the free state only
    (J M~^-1 J^T + S) lam + (b + J v_free) = w                  solve, within bounds
    v+ = v_free + M~^-1 J^T lam                                 take_impulses

Without projections the two are the same, to the bit. A projection after the solve would open joints; before it, they
are closed on what it left, and the residual is that of the whole problem.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from taut.forces.projections import FreeMotion
    from taut.solvers.base import PivotingSolver
    from taut.stepping.stepper import RowMemory, Stepper

MODES_OF_MOTION = ("dynamics", "impulse", "kinematic")
"""Whether force gives acceleration, an impulse a change of velocity, or force velocity."""

POLICIES = ("auto", "free-motion")
"""By the solver alone, or with projections of the free motion."""

Projection = Callable[["FreeMotion"], Any]
"""Changes the free motion of bodies."""

STIFFNESSES = ("auto", "exact", "off")
"""How much of the geometric stiffness is implicit, see `Settings`."""


@dataclass(frozen=True)
class Policy:
    """What a step may do.

    Attributes:
        accepts: whether a step is accepted, linearised again or divided; else one solve is taken as it is.
        looks_back: whether the scheme may look back on the step before; else steps are those of Euler.
        repair: share of a violation that a step takes back.
        projections: of the free motion, None where it is not looked at.
        newton: linearisations of a step at least; where it is accepted, rows that are off ask for more.
    """

    accepts: bool
    looks_back: bool
    repair: float
    projections: tuple[Projection, ...] | None = None
    newton: int = 1


EXACT = Policy(accepts=True, looks_back=True, repair=1.0)
"""With solvers that solve: a step is accepted, not assumed."""

ONE_SHOT = Policy(accepts=False, looks_back=False, repair=0.2)
"""With iterative solvers: one solve a frame with Euler, taken as it is, as engines built on them do (Baumgarte):
halving would only hide what they do. Taking back all of a violation with impulses that have not converged blows up at
once, which would flatter the exact solvers."""


def policy_of(solver: PivotingSolver, projections: tuple[Projection, ...] | None = None, newton: int = 1) -> Policy:
    """How steps are taken with a solver."""
    return replace(EXACT if solver.exact else ONE_SHOT, projections=projections, newton=newton)


def project(stepper: Stepper, memory: RowMemory, time: float) -> NDArray[np.bool_]:
    """Stage `project`: projections of the free motion, one after the other, and J v_free of what they left.

    Writes:  free_velocity and near of the candidate, bias of kkt
    Returns: (n,) bodies whose free velocity changed
    """
    from taut.responses.row_kernels import respond_rows

    candidate, rows, laws = stepper.scratch.candidate, memory.rows, stepper.mechanism.laws
    before = candidate.free_velocity.copy()
    motion = motion_of(stepper, time)
    for projection in stepper.settings.policy.projections or ():
        projection(motion)
        motion.check(projection)
    changed = np.asarray((candidate.free_velocity != before).any(axis=1))
    if changed.any():
        inside = stepper.mechanism.trees.node >= 0
        candidate.near[inside] = (candidate.guess - candidate.free_velocity)[inside]
        respond_rows(
            laws.hard, stepper.scratch.redundant, laws.joined, rows.compliance, rows.bias, candidate.free_velocity,
            candidate.near, memory.handles[1],
        )  # fmt: skip
    return changed


def motion_of(stepper: Stepper, time: float) -> FreeMotion:
    """The free motion in scratch, for projections to read and change."""
    from taut.forces.projections import FreeBody, FreeMotion

    candidate, weights, state = stepper.scratch.candidate, stepper.scratch.weights, stepper.state
    mechanism, twist = stepper.mechanism, candidate.free_velocity
    start = state.position + weights.drift[:, None] * state.displacement[:, :3]
    bodies = {
        mechanism.names[body]: FreeBody(
            mechanism.names[body], float(mechanism.bodies.mass[body]), twist[body], start[body],
            float(weights.beta[body]),
        )
        for body in np.flatnonzero(mechanism.bodies.moves)
    }  # fmt: skip
    return FreeMotion(bodies, time, float(weights.h[0]))
