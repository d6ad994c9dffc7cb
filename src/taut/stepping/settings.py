"""How a simulation steps: what it chooses, `Settings`; and constants, in groups by topic.

The groups cannot be chosen: kernels are compiled with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from taut.stepping.policy import Policy, Projection, policy_of
from taut.stepping.tables import Limits
from taut.tables import Handle, held

if TYPE_CHECKING:  # what kernels import is hashed with them, see `taut.kernel`
    from taut.integrators.scheme import Scheme
    from taut.solvers.base import PivotingSolver


class Linearisation(NamedTuple):
    """Where a step is linearised, and how far that holds.

    Attributes:
        turn: angle, rad, that a linearisation reaches: half its square, an eighth of an arm, is what rows are off by
            then. No body turns farther on the way to a safe state, or in one pass that closes rows there.
        tension: times the tension found that the stiffness of the next linearisation is made with where bodies turned
            too far: they turned because it was too low. More stiffness than there is slows an iteration down, but leads
            to the same place.
        forces_wrong: share of the angle that bodies turned by which their balance is missed, above which the forces
            were wrong and not the place: the next linearisation is made at the same place with the new forces.
        looked_back: changes of the way that acceleration looks back on: more say little, because the way bends.
        alike: changes that differ by less than this share of the largest say nothing new.
        reach: share of its way in a step by which a body may end elsewhere than predicted before contacts are looked
            for again.
        curved: error, m, half of radius times angle squared, of the local surfaces up to which a turn away from the
            predicted orientation is trusted.
        flight: angle, rad, that a body which no row holds turns by in a step, from which it is predicted in finer
            steps: by then the formulas of the schemes are off by up to 1e-3 of its energy.
    """

    turn: float = 0.5
    tension: float = 10.0
    forces_wrong: float = 0.5
    looked_back: int = 4
    alike: float = 1e-6
    reach: float = 0.5
    curved: float = 1e-4
    flight: float = 0.1


class Correction(NamedTuple):
    """What is put right after a solve.

    Attributes:
        rounding: share of the tolerance by which rounding may leave a joint open.
        free_twist: share of a row's Jacobian about a slim axis below which the row does not act on the twist, m or
            none.
        momentum_passes: passes of the momentum correction of floating groups, each of which leaves a fiftieth of the
            error: without them a ring of light and heavy links is off by a tenth of its angular momentum after 3 s,
            with five by 4e-11.
        half_turn: turn of a step, rad, up to which angular velocities of bodies that look back far are those that lead
            to where they were moved: beyond, it is not known which way round that was.
        turning_passes: passes of Newton's method for where its momentum leads a body that looks back far and whose
            turning no row holds: it takes two to four up to a radian a step.
        turned: angle, rad, of the last pass.
        turning_step: angle, rad, by which its derivatives are taken.
    """

    rounding: float = 0.1
    free_twist: float = 1e-6
    momentum_passes: int = 5
    half_turn: float = 3.0
    turning_passes: int = 12
    turned: float = 1e-8
    turning_step: float = 1e-6


class Acceptance(NamedTuple):
    """When a candidate will do, beside the tolerances and limits of `Settings`.

    Attributes:
        stalled: linearisations that leave more than this share of the error before them will not get there: the step is
            halved.
        overshoot: the same where bodies touch and a way was shortened: an error may double after that.
        patience: linearisations that may pass without a better one than before, where nothing touches: ways get worse
            before they get better. Where contacts come and go, each is compared with the two before it.
        balanced: share of the way from the prediction by which bodies under tension may miss their balance at the first
            try: the prediction is off by that way, and the scheme by as much.
        least_imbalance: times the tolerance that they may miss it by in any case.
        touching_slack: times the tolerance of joints in groups that contacts touch: 0.01 mm, and 0.5 mm at the limit.
        slowed: rise of energy in a group without joints that contacts touch, relative to what moved, up to which it is
            slowed down instead of being solved again.
        work_error: share of the work put in over a step that may be missing from its estimate.
        steady: share of the kinetic energy by which the work of a motor's mean force over a step may differ from that
            of its force at the end: it is less up to three steps before a smooth stop. Beyond, the force has jumped.
    """

    stalled: float = 0.8
    overshoot: float = 2.0
    patience: int = 4
    balanced: float = 0.1
    least_imbalance: float = 10.0
    touching_slack: float = 10.0
    slowed: float = 0.25
    work_error: float = 1e-2
    steady: float = 0.25


class Mending(NamedTuple):
    """How overlaps that a solve did not foresee are taken back without another one, see `taut.stepping.mend`.

    Attributes:
        deepest: overlap, as a share of the thinner body's half thickness, up to which that is done. A body that is
            deeper may be on its way through another.
        left: share of the tolerance that is left of it: the next frame takes it back.
        passes: times that the gaps are linearised.
        sweeps: sweeps over the contacts in each, at most.
        far: contacts that are open by more than this share of the half thickness are left out.
        precision: share of the half thickness at which they end.
    """

    deepest: float = 0.25
    left: float = 0.5
    passes: int = 4
    sweeps: int = 40
    far: float = 0.5
    precision: float = 1e-3


class Calm(NamedTuple):
    """After which frames motion is rough, and for how long.

    Attributes:
        smooth_solves: solves a part; a frame that needed more was rough, such as a chain that snaps taut.
        closing: share of the error before it that each linearisation of a smooth frame may leave, however many it took,
            where bodies look back far: what spins fast on a ball joint takes long, but gets there.
        calm_frames: frames after a rough one that are left to Euler, which calms what the step cannot resolve: the
            two-step scheme would carry it on, and `snap_chain` would take 3.6 solves a frame instead of 2.7.
        resolved: share of a velocity that a one-sided spring and its damper take away in a step, up to which steps
            resolve it. After more, in the two steps in which it is reached, such as at a bump stop, bodies do not look
            back: the two-step formula would give them a third of what they lost the other way. Later it is a spring
            like others.
        rough_frames: frames after a rough one in which energy is watched closely: what the step cannot resolve must die
            out, not grow, as the energy of `snap_chain` would by 4e-3 of what its whole fall gives.
        slack: time, s, after these and after a frame in which tension held a body, that schemes which look back far
            leave to BDF2. If the scheme changed within each swing, that would drive it: six links would gain 1 % in two
            minutes.
    """

    smooth_solves: int = 3
    closing: float = 0.5
    calm_frames: int = 4
    resolved: float = 0.02
    rough_frames: int = 300
    slack: float = 2.5


class Division(NamedTuple):
    """Frames in parts, and groups on their own.

    Attributes:
        parts: parts of the first frame, and of one whose energy rose. In one piece, a body that falls from rest would
            stay 2 mm too low for good, and is 0.2 mm too low so; in halves, a frame of `rock_pile` ends deeper than it
            may.
        whole: share of a frame that is no part of one: rounding.
        many_bodies: bodies of a mechanism from which groups that are not accepted at the first try go on alone at once.
            Another solve for all would cost more than what it takes to make a part of them and to begin there anew,
            some 1 ms.
        kept: mechanisms of such groups that are kept ready: groups that had to go on alone often have to again.
    """

    parts: int = 4
    whole: float = 1e-9
    many_bodies: int = 500
    kept: int = 8


class Impacts(NamedTuple):
    """Blows within a step, and the flight between them.

    Attributes:
        passes: most passes of impacts in a frame.
        looks: most times that contacts are looked for where blows lead.
        resting: approach, as a multiple of what gravity adds to it in a step, below which a contact rests and does not
            bounce.
        likely: share of that approach with which a contact may bounce later in the step, and is looked at: what gravity
            adds within the step is two thirds.
        at_once: share of the step within which blows are one: the corners of a box that lands flat.
        tamed: times its energy before that a group may have after blows, beside what forces can give it in a step: the
            energy of a free body that spins fast is off by a third already, what goes wrong is off by tens.
        rounding: relative rise of energy that an impact without loss may have.
        searches: most passes in which the time of a meeting is looked for; Newton's method takes about four.
        met: gap, m, at which surfaces meet.
        turn: largest turn, rad, of a step of Runge and Kutta's method, whose energy is then right to 1e-7.
        most_turns: most of those steps.
    """

    passes: int = 64
    looks: int = 8
    resting: float = 1.5
    likely: float = 0.3
    at_once: float = 0.02
    tamed: float = 2.0
    rounding: float = 1e-9
    searches: int = 20
    met: float = 1e-10
    turn: float = 0.2
    most_turns: int = 50


class Instants(NamedTuple):
    """Rows at one instant, for blows, impulses and safe states.

    Attributes:
        closed: gap, m or rad, up to which a limit or contact is closed.
        idle: compliance, s^2/kg, of a row that takes no part.
        open: multiple of the fastest rate of any row at which an open contact would have to close to take part.
    """

    closed: float = 1e-5
    idle: float = 1e12
    open: float = 1e3


class Recovery(NamedTuple):
    """The safe state of a lost frame.

    Attributes:
        shares: of the way that are tried.
        passes: most passes that close rows.
        slower: share of its speed that a body is left with: what could not be followed in this frame would not be in
            the next.
    """

    shares: tuple[float, ...] = (1.0, 0.25, 0.0625, 0.0)
    passes: int = 12
    slower: float = 0.5


class Sleep(NamedTuple):
    """When bodies that rest fall asleep, where a simulation lets them.

    Attributes:
        share: of the speed that gravity gives in a step, below which a body rests, its spin counted by its energy:
            0.16 mm/s at 60 steps a second. Piles at rest move at 1e-14 to 1e-5 m/s; what moves on purpose is faster.
        seconds: for how long all that may meet must rest: a body that turns back, such as a pendulum, is slow for less.
    """

    share: float = 1e-3
    seconds: float = 0.5


SLEEP = Sleep()
LINEARISATION, CORRECTION, ACCEPTANCE, CALM = Linearisation(), Correction(), Acceptance(), Calm()
DIVISION, IMPACTS, INSTANTS, RECOVERY, MENDING = Division(), Impacts(), Instants(), Recovery(), Mending()


@dataclass(frozen=True)
class Settings:
    """How a simulation steps.

    Attributes:
        step: h, s.
        scheme: the integrator of smooth motion.
        solver: the pivoting solver.
        friction: "box", "box-refined" or "cone", see `taut.contact.friction`.
        linear: "pcg", "direct" or "auto": how springs across trees in joint coordinates are solved with.
        geometric_stiffness: how much of K~ = d(J^T lam)/dx is implicit: "auto", what is positive, body by body, and in
            companion rows; "exact", all of it, blocks between bodies included, see `taut.stepping.implicit`; or "off",
            nothing, as a comparison: taut systems blow up.
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
        sleeping: whether groups of bodies that rest fall asleep, see `taut.stepping.sleep`.
        projections, newton: see `taut.stepping.policy.Policy`.
    """

    step: float
    scheme: Scheme
    solver: PivotingSolver
    friction: str = "box"
    linear: str = "auto"
    geometric_stiffness: str = "auto"
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
    sleeping: bool = False
    projections: tuple[Projection, ...] | None = None
    newton: int = 1

    @cached_property
    def policy(self) -> Policy:
        """How steps are taken with the solver."""
        return policy_of(self.solver, self.projections, self.newton)

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
        rough_energy_tolerance=settings.rough_energy_tolerance,
    )  # fmt: skip
