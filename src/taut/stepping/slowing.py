"""Groups of bodies whose energy rose, slowed down to where it did not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.spatial import Array
from taut.stepping.energy import TINY, drift_of
from taut.stepping.outcome import Outcome
from taut.stepping.settings import ACCEPTANCE
from taut.stepping.stepper import Stepper
from taut.stepping.tables import CONTACT_RISE, RISE


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
    # what drifts along by itself in such a group is no longer carried apart from it
    carried = np.where(loose[group], 0.0, carried) + 0.5 * mass * (drift[:, :3] ** 2).sum(axis=1)
    inner = outcome.kinetic - np.bincount(group, carried, outcome.kinetic.size)
    kept = np.clip(1.0 - gain / np.maximum(inner, TINY), 0.0, 1.0)
    slow = np.sqrt(kept)[group]
    after = replace(
        outcome, velocity=drift + slow[:, None] * (outcome.velocity - drift), spin=slow[:, None] * outcome.spin,
        slim_spin=slow * outcome.slim_spin, energy=outcome.energy - float((1.0 - kept) @ inner),
    )  # fmt: skip
    return after, slow
