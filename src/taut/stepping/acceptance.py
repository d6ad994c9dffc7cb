"""Whether a candidate for the next state is taken: its errors against what is tolerated, group by group."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from taut.model.groups import merged_groups
from taut.model.state import State
from taut.spatial import Array
from taut.stepping.collide import depth_at
from taut.stepping.energy import TINY, drift_of, unresolved_energy
from taut.stepping.outcome import Outcome
from taut.stepping.settings import ACCEPTANCE, LINEARISATION, Settings
from taut.stepping.stepper import Stepper
from taut.stepping.tables import CONTACT_RISE, RISE

if TYPE_CHECKING:
    from taut.stepping.impacts import Bounces

SAFE = ("solved", "contradiction", "penetration", "friction", "energy", "balance")
"""Verdicts with which rows hold, so that what was reached may be taken where there is no budget left."""

Mask = NDArray[np.bool_]


def done(tries: list[Outcome], settings: Settings) -> bool:
    """Whether linearising again is not needed, or will not help; as long as bodies turn too far it may."""
    if total_error(tries[-1], settings) <= 1.0 or not settings.policy.accepts:
        return True
    if len(tries) <= (3 if tries[-1].touching else ACCEPTANCE.patience):
        return False
    errors = [total_error(outcome, settings) for outcome in tries]
    if tries[-1].touching:
        shortened = any(outcome.turned > LINEARISATION.turn for outcome in tries[-4:-1])
        return errors[-1] > (ACCEPTANCE.overshoot if shortened else ACCEPTANCE.stalled) * min(errors[-3:-1])
    return min(errors[-ACCEPTANCE.patience :]) > ACCEPTANCE.stalled * min(errors[: -ACCEPTANCE.patience])


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


def slowed(stepper: Stepper, outcome: Outcome) -> Outcome:
    """The outcome with groups slowed down whose energy contacts raised by little, to where it did not rise.

    A corner that passes through the ground and is on its way up again where the step is linearised is thrown. That is
    known well enough from the energy: another solve, for all, would say the same of one rock. Not for groups with
    joints, whose rows would answer for it.
    """
    settings, scratch, group = stepper.settings, stepper.scratch, outcome.energy_group
    rise = outcome.table[CONTACT_RISE]
    little = (rise > settings.energy_tolerance) & (rise <= ACCEPTANCE.slowed)
    if not little.any():
        return outcome
    jointed = (stepper.mechanism.links.jointed > 0) & (stepper.mechanism.bodies.moves > 0)
    gains = outcome.gain > scratch.verdict.at_rest
    touched = np.bincount(group[scratch.candidate.touched > 0], minlength=group.size) > 0
    little[outcome.group[jointed]] = False
    little[outcome.group[gains & ~touched]] = False
    gains[np.setdiff1d(group, group[little[outcome.group]])] = False
    table = outcome.table.copy()
    table[CONTACT_RISE, little] = 0.0
    return replace(slow_down(stepper, outcome, np.where(gains, outcome.gain, 0.0))[0], table=table)


def calmed(stepper: Stepper, outcome: Outcome) -> Outcome:
    """The outcome with every group of bodies whose energy rose slowed down to where it does not.

    An attempt that is taken because the budget is spent must not blow up what follows: a body that tumbles by 17 rad a
    step would gain 70 % of its energy. Other groups are left alone. The forces that threw a group are not remembered,
    and what they compressed is taken back slowly.
    """
    if max(outcome.energy_rise, outcome.contact_energy_rise) <= 0.0 or not np.isfinite(outcome.energy):
        return outcome
    slow, share = slow_down(stepper, outcome, outcome.gain)
    memory = outcome.memory
    thrown = (share[memory.contacts.body_a] < 1.0) | (share[memory.contacts.body_b] < 1.0)
    memory = replace(
        memory, force=np.where(thrown[:, None], 0.0, memory.force),
        aim=np.where(thrown, np.minimum(memory.aim, memory.gap), memory.aim),
    )  # fmt: skip
    table = outcome.table.copy()
    table[[RISE, CONTACT_RISE]] = 0.0
    return replace(slow, memory=memory, table=table)


def slow_down(stepper: Stepper, outcome: Outcome, gain: Array) -> tuple[Outcome, Array]:
    """The outcome without these gains (n,) J of groups, and the share (n,) of its speed that each body keeps.

    The centres of mass of groups that touch nothing fixed are left alone.
    """
    memory, group, moves = outcome.memory, outcome.energy_group, stepper.mechanism.bodies.moves > 0
    acting = memory.force[:, 0] > 0.0
    ends = np.stack([memory.contacts.body_a[acting], memory.contacts.body_b[acting]])
    drift, carried = drift_of(stepper, outcome.velocity, ends.ravel())
    loose = np.bincount(group[ends[moves[ends]]], minlength=group.size) > 0
    loose[group[ends[:, ~moves[ends].all(axis=0)]].ravel()] = False
    loose[group[moves & (stepper.mechanism.links.jointed > 0)]] = False
    mass = np.where(moves & loose[group], stepper.mechanism.bodies.mass, 0.0)
    total = np.maximum(np.bincount(group, mass, group.size), TINY)
    for axis in range(3):
        mean = np.bincount(group, mass * outcome.velocity[:, axis], group.size) / total
        drift[loose[group], axis] = mean[group[loose[group]]]
    carried = carried + 0.5 * mass * (drift[:, :3] ** 2).sum(axis=1)
    inner = outcome.kinetic - np.bincount(group, carried, outcome.kinetic.size)
    kept = np.clip(1.0 - gain / np.maximum(inner, TINY), 0.0, 1.0)
    slow = np.sqrt(kept)[group]
    after = replace(
        outcome, velocity=drift + slow[:, None] * (outcome.velocity - drift), spin=slow[:, None] * outcome.spin,
        slim_spin=slow * outcome.slim_spin, energy=outcome.energy - float((1.0 - kept) @ inner),
    )  # fmt: skip
    return after, slow
