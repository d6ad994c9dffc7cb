"""Whether a candidate for the next state is taken: its errors against what is tolerated, group by group."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from taut.model.groups import merged_groups
from taut.model.state import State
from taut.spatial import Array
from taut.stepping.collide import depth_at
from taut.stepping.energy import TINY, unresolved_energy
from taut.stepping.outcome import Outcome
from taut.stepping.settings import ACCEPTANCE, CALM, LINEARISATION, Settings
from taut.stepping.stepper import Stepper
from taut.stepping.tables import CONTACT_RISE

if TYPE_CHECKING:
    from taut.stepping.impacts import Bounces

SAFE = ("solved", "contradiction", "penetration", "friction", "energy", "balance")
"""Verdicts with which rows hold, so that what was reached may be taken where there is no budget left."""

Mask = NDArray[np.bool_]


def done(tries: list[Outcome], settings: Settings) -> bool:
    """Whether linearising again is not needed, or will not help; as long as bodies turn too far it may."""
    if len(tries) < settings.policy.newton:
        return False
    if total_error(tries[-1], settings) <= 1.0 or not settings.policy.accepts:
        return True
    if len(tries) <= (3 if tries[-1].touching else ACCEPTANCE.patience):
        return False
    errors = [total_error(outcome, settings) for outcome in tries]
    if tries[-1].touching:
        shortened = any(outcome.turned > LINEARISATION.turn for outcome in tries[-4:-1])
        return errors[-1] > (ACCEPTANCE.overshoot if shortened else ACCEPTANCE.stalled) * min(errors[-3:-1])
    return min(errors[-ACCEPTANCE.patience :]) > ACCEPTANCE.stalled * min(errors[: -ACCEPTANCE.patience])


def closes_in(tries: list[Outcome], settings: Settings) -> bool:
    """Whether every linearisation left at most `CALM.closing` of the error before it: then it gets there, if slowly."""
    errors = [total_error(outcome, settings) for outcome in tries]
    return all(after <= CALM.closing * before for before, after in pairwise(errors))


def came_to_rest(tries: list[Outcome], best: Outcome, settings: Settings) -> bool:
    """Whether an attempt ended because its errors are small, or at least where linearising again would hardly move it.

    Rows may hold well on the way: a slack chain in a gale was 17 cm from where the step leads. Not asked of bodies that
    contacts touch, which come and go and move them to and fro.
    """
    if len(tries) == 1 or total_error(best, settings) <= 1.0:
        return True
    first = tries[0]
    quiet = ~(first.shaken | best.shaken)
    return bool(best.away[quiet].max(initial=0.0) <= ACCEPTANCE.balanced * first.away[quiet].max(initial=0.0))


def total_error(outcome: Outcome, settings: Settings) -> float:
    """Error of rows or contacts of the worst group over what is tolerated."""
    from taut.stepping.acceptance_kernels import find_errors

    errors = np.empty(outcome.table.shape[1])
    return float(find_errors(settings.limits, outcome.table, errors)) if math.isfinite(outcome.energy) else math.inf


def total_errors(outcome: Outcome, settings: Settings) -> Array:
    """Error (n,) of rows or contacts by group over what is tolerated, see `find_errors`."""
    from taut.stepping.acceptance_kernels import find_errors

    errors = np.empty(outcome.table.shape[1])
    find_errors(settings.limits, outcome.table, errors)
    return errors


def judgement(outcome: Outcome, settings: Settings, watched: Mask, risen: Array) -> str:
    """ "solved", or the first thing that is wrong in any group; see `judgements`."""
    return worst(judgements(outcome, settings, watched, risen))


def worst(verdicts: NDArray[np.str_]) -> str:
    """The first thing that is wrong with any group, or "solved"."""
    found = verdicts.tolist()
    return next((name for name in ORDER if name in found), str(found[0]))


FAULTS = np.array(["solved", "violation", "penetration", "contradiction", "friction", "energy"], "<U24")
"""What can be wrong with a group, the worst first, by the numbers of `acceptance_kernels.py`."""

ORDER = (*FAULTS[1:].tolist(), "balance")
"""The same in words, and where an attempt ended on its way, see `came_to_rest`."""


def judgements(outcome: Outcome, settings: Settings, watched: Mask, risen: Array) -> NDArray[np.str_]:
    """ "solved" (n,) by group, or the worst that is wrong with it: the solve, or what `find_faults` says."""
    from taut.stepping.acceptance_kernels import find_faults

    faults = np.zeros(outcome.table.shape[1], np.int64)
    if not np.isfinite(outcome.energy):
        return np.full(faults.size, "non-finite", FAULTS.dtype)
    if not outcome.solution.solved:
        return np.full(faults.size, str(outcome.solution.status), FAULTS.dtype)
    find_faults(
        settings.limits, outcome.table, outcome.group, watched.view(np.uint8), risen, outcome.friction_residual, faults
    )
    return FAULTS[faults]


def with_blows_counted(stepper: Stepper, outcome: Outcome, bounces: Bounces) -> Outcome:
    """The outcome of a step after blows, with what these put in as part of its gain.

    The path after a blow is followed back to where the step starts, which then goes along it. Where bodies turn far on
    the way, the two do not fit, and energy comes from nowhere.
    """
    mechanism, met = stepper.mechanism, bounces.memory.contacts
    count, moves = mechanism.count, mechanism.bodies.moves
    group = merged_groups(outcome.energy_group, moves, met.body_a, met.body_b, np.ones(met.count, np.uint8))
    kinetic, gain = (np.bincount(group, each, count).astype(np.float64) for each in (outcome.kinetic, outcome.gain))
    gain += np.bincount(group, bounces.gain, minlength=count)
    rest = ACCEPTANCE.touching_slack * unresolved_energy(stepper, group)
    rise = (gain - rest) / np.maximum(kinetic + np.abs(gain) + rest, TINY)
    table = outcome.table.copy()
    np.maximum.at(table[CONTACT_RISE], outcome.group[moves > 0], rise[group[moves > 0]])
    return replace(outcome, energy_group=group, kinetic=kinetic, gain=gain, table=table)


def overlooked(stepper: Stepper, outcome: Outcome, state: State) -> bool:
    """Whether bodies overlapped where the step began, too deep, without any step before having known.

    What overlaps before the first step is meant to. Seen from where bodies will be, surfaces may seem to have
    overlapped that did not: what looks so is looked at again where the step began.
    """
    contacts = outcome.contacts
    if not contacts.count or state.steps == 0:
        return False
    allowed = stepper.settings.contact_limit * contacts.table.thickness
    suspects = np.flatnonzero(contacts.table.overlooked > allowed)
    return any(depth_at(stepper, state, contacts, contact) > allowed[contact] for contact in suspects.tolist())
