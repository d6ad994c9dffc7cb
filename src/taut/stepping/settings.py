"""How a simulation steps: tolerances, limits and the choice of scheme and solver."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from taut.contact.settings import RECOVERY
from taut.integrators.scheme import Scheme
from taut.solvers.base import PivotingSolver
from taut.stepping.mechanism import Mechanism
from taut.stepping.policy import Policy, policy_of
from taut.stepping.tables import Limits, Tolerances
from taut.tables import Handle, held

TURN = 0.5
"""Angle in rad that a linearisation reaches: half its square, an eighth of an arm, is what rows are off by then. No
body turns farther on the way to a safe state, or in one pass that closes rows there."""

FORCES_WRONG = 0.5
"""Share of the angle that bodies turned by which their balance is missed, above which the forces were wrong and
not the place: the next linearisation is made at the same place with the new forces."""

BALANCED = 0.1
"""Share of the way from the prediction by which bodies under tension may miss their balance at the first try: the
prediction is off by that way, and the scheme by as much."""

CALM_FRAMES = 4
"""Frames after a rough one that are left to Euler, which calms what the step cannot resolve: the two-step scheme would
carry it on, and `snap_chain` would take 3.6 solves a frame instead of 2.7."""

ROUGH_FRAMES = 300
"""Frames after a rough one in which energy is watched closely: what the step cannot resolve must die out, not grow, as
the energy of `snap_chain` would by 4e-3 of what its whole fall gives."""

MANY_BODIES = 500
"""Bodies of a mechanism from which groups that are not accepted at the first try go on alone at once. Another solve for
all would cost more than what it takes to make a part of them and to begin there anew, some 1 ms."""

WORK_ERROR = 1e-2
"""Share of the work put in over a step that may be missing from its estimate."""

CURVED = 1e-4
"""Error in m, half of radius times angle squared, of the local surfaces up to which a turn away from the predicted
orientation is trusted."""

TOUCHING_SLACK = 10.0
"""Times the tolerance of joints in groups that contacts touch: 0.01 mm, and 0.5 mm at the limit."""


@dataclass(frozen=True)
class Settings:
    """How a simulation steps.

    Attributes:
        step: h, s.
        scheme: the integrator of smooth motion.
        solver: the pivoting solver.
        friction: "box", "box-refined" or "cone", see `taut.contact.friction`.
        geometric_stiffness: whether K~ = d(J^T lam)/dx is implicit; without it taut systems blow up, as a comparison.
        tolerance: error of the linearisation, m or rad, above which a step is linearised again.
        limit: error above which it is halved, and without budget left reported as unconverged.
        contradiction: violation, m or rad, of rows that no motion can close, above which a frame is reported.
        contact_tolerance: overlap that a step did not foresee, as a share of the thinner body's half thickness, above
            which it is linearised again.
        contact_limit: the same, above which it is halved.
        friction_limit: residual of the friction law, see `taut.contact.friction`, above which a step is halved.
        energy_tolerance: rise of energy over a step beyond the work put in, relative to the energy that moved; above
            the error of the two-step scheme in smooth motion, far below that of a step that explodes.
        rough_energy_tolerance: the same for a while after rough motion.
        linearisations: solves before a step is halved.
        budget: solves a frame; once it is spent, every part still to come takes one more.
        halvings: times a step may be halved.
    """

    step: float
    scheme: Scheme
    solver: PivotingSolver
    friction: str = "box"
    geometric_stiffness: bool = True
    tolerance: float = 1e-6
    limit: float = 5e-5
    contradiction: float = 2e-3
    contact_tolerance: float = 2e-2
    contact_limit: float = 2.5e-2
    friction_limit: float = 1e-2
    energy_tolerance: float = 1e-2
    rough_energy_tolerance: float = 1e-6
    linearisations: int = 12
    budget: int = 80
    halvings: int = 6

    @property
    def policy(self) -> Policy:
        """How steps are taken with the solver."""
        return policy_of(self.solver)

    @cached_property
    def limits(self) -> Handle:
        """What candidates are accepted by, for kernels."""
        return held(limits_of(self))


def limits_of(settings: Settings) -> Limits:
    """What candidates are accepted by."""
    return Limits(
        tolerance=settings.tolerance, limit=settings.limit, contradiction=settings.contradiction,
        contact_tolerance=settings.contact_tolerance, contact_limit=settings.contact_limit,
        friction_limit=settings.friction_limit, energy_tolerance=settings.energy_tolerance,
        rough_energy_tolerance=settings.rough_energy_tolerance, balanced=BALANCED,
    )  # fmt: skip


def tolerances_of(settings: Settings, mechanism: Mechanism, collides: bool) -> Tolerances:
    """What stages compare with."""
    policy, has_rows = settings.policy, mechanism.row_count > 0
    return Tolerances(
        limits=limits_of(settings), step=settings.step, touching_slack=TOUCHING_SLACK,
        work_error=WORK_ERROR, recovery=RECOVERY, curved=CURVED,
        stiff=int(settings.geometric_stiffness),
        balances=int(policy.accepts and settings.geometric_stiffness and has_rows),
        accelerates=int(mechanism.accelerates),
        parts=int(mechanism.several and mechanism.count > MANY_BODIES), collides=int(collides),
        repair=policy.repair,
    )  # fmt: skip
