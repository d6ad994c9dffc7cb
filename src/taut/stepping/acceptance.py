"""Whether a candidate for the next state is taken: its errors against what is tolerated, and what is wrong with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.model.groups import merged_groups
from taut.model.state import State
from taut.stepping.collide import depth_at
from taut.stepping.energy import TINY, drift_of, group_of_groups, unresolved_energy
from taut.stepping.impacts import Bounces
from taut.stepping.linearise import Outcome
from taut.stepping.settings import TOUCHING_SLACK, Settings
from taut.stepping.workspace import Workbench

BALANCED = 0.1
"""Share of the way from the prediction by which bodies under tension may miss their balance at the first try: the
prediction is off by that way, and the scheme by as much."""

TURN = 0.5
"""Angle in rad that a linearisation reaches: half its square, an eighth of an arm, is what rows are off by then. No
body turns farther on the way to a safe state, or in one pass that closes rows there."""

STALLED = 0.8
"""Linearisations that leave more than this share of the error before them will not get there: the step is halved."""

PATIENCE = 4
"""Linearisations that may pass without a better one than before, where nothing touches: ways get worse before they get
better. Where contacts come and go, each is compared with the two before it."""

SAFE = ("solved", "contradiction", "penetration", "friction", "energy", "balance")
"""Verdicts with which rows hold, so that what was reached may be taken where there is no budget left."""


def done(tries: list[Outcome], settings: Settings) -> bool:
    """Whether linearising again is not needed, or will not help; as long as bodies turn too far it may."""
    errors = [total_error(outcome, settings) for outcome in tries]
    if tries[-1].touching:
        shortened = any(outcome.turned > TURN for outcome in tries[-4:-1])
        stalled = len(errors) > 3 and errors[-1] > (2.0 if shortened else STALLED) * min(errors[-3:-1])
    else:
        stalled = len(errors) > PATIENCE and min(errors[-PATIENCE:]) > STALLED * min(errors[:-PATIENCE])
    return errors[-1] <= 1.0 or stalled or not settings.solver.exact


def came_to_rest(tries: list[Outcome], best: Outcome, settings: Settings) -> bool:
    """Whether an attempt ended because its errors are small, or at least where linearising again would hardly move it.

    Rows may hold well on the way: a slack chain in a gale was 17 cm from where the step leads. Not asked of bodies that
    contacts touch, which come and go and move them to and fro.
    """
    first = tries[0]
    quiet = ~(first.shaken | best.shaken)
    close = best.away[quiet].max(initial=0.0) <= BALANCED * first.away[quiet].max(initial=0.0)
    return bool(close) or len(tries) == 1 or total_error(best, settings) <= 1.0


def total_error(outcome: Outcome, settings: Settings) -> float:
    """Error of rows or contacts, whichever is worse, over what is tolerated.

    Energy that contacts raise belongs to it: a spinning log that is thrown about turns away from the axes its inertia
    was balanced in, and the next linearisation is made where it went.
    """
    return max(
        outcome.error / settings.tolerance,
        outcome.contact_error / settings.contact_tolerance,
        outcome.contact_energy_rise / settings.energy_tolerance,
        imbalance_share(outcome, settings),
    )


def imbalance_share(outcome: Outcome, settings: Settings) -> float:
    """By how much bodies under tension miss their balance, over what is tolerated."""
    return outcome.imbalance / max(10.0 * settings.tolerance, BALANCED * outcome.reach)


def judgement(outcome: Outcome, settings: Settings, watched: bool, risen: float = 0.0) -> str:
    """ "solved", or the first thing that is wrong; in earlier parts of the frame energy has `risen` by so much."""
    if not np.isfinite(outcome.energy):
        return "non-finite"
    if outcome.solution.status != "solved":
        return str(outcome.solution.status)
    # what parts leave adds up; a gap that was too large to begin with is for the frame to close
    drift = outcome.drift - (outcome.left if outcome.left > settings.limit else 0.0)
    if max(outcome.error, drift) > settings.limit:
        return "violation"
    if outcome.contact_error > settings.contact_limit:
        return "penetration"
    if outcome.misfit > settings.contradiction or gives_way(outcome, settings):
        return "contradiction"
    if outcome.friction_residual > settings.friction_limit:
        return "friction"
    left = settings.energy_tolerance - risen
    allowed = min(settings.rough_energy_tolerance, left) if watched else left
    if outcome.energy_rise > allowed or outcome.contact_energy_rise > left:
        return "energy"
    return "solved"


def gives_way(outcome: Outcome, settings: Settings) -> bool:
    """Whether rows that others made redundant where the step began opened on the way: they say something else now.

    A mechanism may go through a place where its rows say the same. A shorter step leaves it with a smaller gap.
    """
    return outcome.opened > settings.limit


def with_blows_counted(bench: Workbench, outcome: Outcome, bounces: Bounces) -> Outcome:
    """The outcome of a step after blows, with what these put in as part of its gain.

    The path after a blow is followed back to where the step starts, which then goes along it. Where bodies turn far on
    the way, the two do not fit, and energy comes from nowhere.
    """
    count, met = outcome.gain.size, bounces.memory.contacts
    group = merged_groups(outcome.group, bench.model.bodies.moves, met.body_a, met.body_b, np.ones(met.count, np.uint8))
    whole = group_of_groups(outcome.group, group, count)
    kinetic, gain = (np.bincount(whole, each, count).astype(np.float64) for each in (outcome.kinetic, outcome.gain))
    gain += np.bincount(group, bounces.gain, minlength=count)
    if bench.mixed:
        gain[0] += bounces.spring_gain
    rest = TOUCHING_SLACK * unresolved_energy(bench.model, bench.settings, group, count)
    rise = float(((gain - rest) / np.maximum(kinetic + np.abs(gain) + rest, TINY)).max())
    return replace(
        outcome, group=group, kinetic=kinetic, gain=gain, contact_energy_rise=max(outcome.contact_energy_rise, rise)
    )


def is_open(outcome: Outcome, settings: Settings) -> bool:
    """Whether joints that can be closed are open by more than a step may leave."""
    return outcome.drift > settings.limit


def overlooked(bench: Workbench, outcome: Outcome, state: State) -> bool:
    """Whether bodies overlapped where the step began, too deep, without any step before having known.

    What overlaps before the first step is meant to. Seen from where bodies will be, surfaces may seem to have
    overlapped that did not: what looks so is looked at again where the step began.
    """
    rows = outcome.contacts
    if rows is None or state.steps == 0:
        return False
    allowed = bench.settings.contact_limit * rows.thickness
    suspects = np.flatnonzero(rows.overlooked > allowed)
    return any(depth_at(bench, state, rows, contact) > allowed[contact] for contact in suspects.tolist())


def calmed(bench: Workbench, outcome: Outcome) -> Outcome:
    """The outcome with every group of bodies whose energy rose slowed down to where it does not.

    An attempt that is taken because the budget is spent must not blow up what follows: a body that tumbles by 17 rad a
    step would gain 70 % of its energy. Other groups are left alone, and so are the centres of mass of floating ones.
    The forces that threw a group are not remembered, and what they compressed is taken back slowly.
    """
    if max(outcome.energy_rise, outcome.contact_energy_rise) <= 0.0 or not np.isfinite(outcome.energy):
        return outcome
    memory = outcome.memory
    acting = memory.force[:, 0] > 0.0
    drift, carried = drift_of(
        bench, outcome.velocity, np.append(memory.contacts.body_a[acting], memory.contacts.body_b[acting])
    )
    inner = outcome.kinetic - np.bincount(outcome.group, carried, outcome.kinetic.size)
    share = np.clip(1.0 - outcome.gain / np.maximum(inner, TINY), 0.0, 1.0)
    slow = np.sqrt(share)[outcome.group]
    thrown = (slow[memory.contacts.body_a] < 1.0) | (slow[memory.contacts.body_b] < 1.0)
    memory = replace(
        memory, force=np.where(thrown[:, None], 0.0, memory.force),
        aim=np.where(thrown, np.minimum(memory.aim, memory.gap), memory.aim),
    )  # fmt: skip
    return replace(
        outcome, velocity=drift + slow[:, None] * (outcome.velocity - drift), spin=slow[:, None] * outcome.spin,
        slim_spin=slow * outcome.slim_spin, energy=outcome.energy - float((1.0 - share) @ inner),
        memory=memory, energy_rise=0.0, contact_energy_rise=0.0,
    )  # fmt: skip
