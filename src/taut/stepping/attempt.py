"""An attempt at a step: predict, collide, linearise, solve, move, judge; and linearise again until the rows hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taut.contact.rows import ContactSet
from taut.model.state import State
from taut.rows.table import Places
from taut.spatial import Integers
from taut.stepping.acceleration import Memory
from taut.stepping.acceptance import came_to_rest, closes_in, done, judgements, total_error, total_errors
from taut.stepping.collide import (
    connected,
    find_contacts,
    foreseen_changes,
    held_back,
    hold_back,
    hold_slim,
    thrown_bodies,
)
from taut.stepping.history import shared_history
from taut.stepping.mend import mend
from taut.stepping.outcome import Outcome
from taut.stepping.settings import CALM, LINEARISATION, Settings
from taut.stepping.slowing import slowed
from taut.stepping.start import Start, first_start, leave_gaps, move_places, next_start, on_trees
from taut.stepping.step import step
from taut.stepping.stepper import Stepper
from taut.stepping.tables import CONTACT_ERROR, IMBALANCE
from taut.stepping.tally import Tally


@dataclass
class Attempt:
    """How an attempt at a step ended.

    Attributes:
        outcome: where it led.
        verdicts: (n,) "solved" or what is wrong, by group.
        turn: how far the first solve turned jointed bodies from where it was linearised, rad.
    """

    outcome: Outcome
    verdicts: NDArray[np.str_]
    turn: float


def attempt(
    stepper: Stepper,
    state: State,
    h: float,
    tally: Tally,
    watched: NDArray[np.bool_],
    first: Outcome | None = None,
    once: bool = False,
) -> Attempt:
    """Solve the step, linearising again until the rows hold at the new configuration, and say how it ended.

    Of groups that are `watched` (n,) energy is judged by the tolerance of rough motion. `first` is the first try, if it
    was made already; scratch is where it led. With `once` an attempt that is good for some groups of bodies ends at the
    first try.
    """
    settings, smooth = stepper.settings, stepper.smooth if stepper.collider is None else None
    if first is None and smooth is not None:
        first = smooth.first_try(state, h)
    if first is None:
        leave_gaps(stepper, state, h)
        start = first_start(stepper, state, h, predict_and_collide(stepper, state, h, tally))
    else:
        start = Start(stepper.scratch.candidate.guess.copy(), state.force, first.solution, first.contacts)
    tries: list[Outcome] = []
    memory = Memory()
    for number in range(settings.linearisations):
        outcome = first if first is not None and number == 0 else step(stepper, state, start)
        tally.count(outcome)
        contacts, struck = start.contacts, outcome.struck if number == 0 else np.zeros(0, np.int64)
        if number == 0 and contacts.count:
            thrown = thrown_bodies(stepper, contacts, outcome.solution.lam, outcome.velocity)
            struck = np.union1d(struck, thrown)
        if number == 0 and outcome.projected.size:
            looked_back = stepper.scratch.weights.drift[outcome.projected] > 0.0
            struck = np.union1d(struck, outcome.projected[looked_back])
        unsure = (outcome.strayed or contacts.met is not None) and np.isfinite(outcome.energy)
        if unsure and settings.policy.accepts and (once or not struck.size):
            contacts = collide_again(stepper, state, outcome, h, tally)
        if settings.policy.accepts and not struck.size:
            outcome = slowed(stepper, outcome)
        if number == 0 and once:
            verdicts = first_verdicts(outcome, settings, watched, struck)
            if (verdicts[outcome.group] == "solved")[stepper.mechanism.bodies.moves > 0].any():
                return Attempt(outcome, verdicts, outcome.turned)
        # once is enough: all that contacts may connect to the struck restarts, and others do not feel it
        if struck.size and tally.solves < settings.budget:
            restart(stepper, h, struck, start.contacts)
            predict(stepper, state, start.contacts)
            start = first_start(stepper, state, h, start.contacts)
            continue
        if tries:
            outcome.table[IMBALANCE] = 0.0  # it has been looked after once
        tries.append(outcome)
        if done(tries, settings) or tally.solves >= settings.budget:
            break
        start = following_start(stepper, state, start, outcome, contacts, memory, tally)
    beyond = len(tries) - CALM.smooth_solves
    if beyond > 0 and (stepper.scratch.weights.level > 1).any() and closes_in(tries, settings):
        tally.steady += beyond
    best = tries[0] if len(tries) == 1 else min(tries, key=lambda candidate: total_error(candidate, settings))
    verdicts = judgements(best, settings, watched, tally.risen)
    if not came_to_rest(tries, best, settings):
        verdicts[verdicts == "solved"] = "balance"
    return Attempt(best, verdicts, tries[0].turned)


def first_verdicts(
    outcome: Outcome, settings: Settings, watched: NDArray[np.bool_], struck: Integers
) -> NDArray[np.str_]:
    """Verdicts (n,) by group after the first try of a frame: "solved" only where no other would follow."""
    verdicts = judgements(outcome, settings, watched, np.zeros(watched.size))
    goes_on = total_errors(outcome, settings) > 1.0
    goes_on[outcome.group[struck]] = True
    verdicts[goes_on & (verdicts == "solved")] = "balance"
    return verdicts


def predict(stepper: Stepper, state: State, contacts: ContactSet | None = None) -> None:
    """Put bodies where the state leads them, see the kernel, or where they meet others before that."""
    from taut.stepping.linearise_kernels import predict

    predict(stepper.m, stepper.s, stepper.w)
    if contacts is not None:
        guess = stepper.scratch.candidate.guess
        guess[:] = held_back(stepper, state, guess, contacts.met)
        hold_back(stepper, state, contacts.met)
        on_trees(stepper, guess)


def predict_and_collide(stepper: Stepper, state: State, h: float, tally: Tally) -> ContactSet:
    """The contacts where the state leads; weights, guess and places are in scratch."""
    settings, links = stepper.settings, stepper.mechanism.links
    looks_back = np.minimum(state.history, np.uint8(settings.scheme.depth if settings.policy.looks_back else 0))
    history = shared_history(stepper.mechanism.bodies.moves > 0, looks_back, links.joined)
    stepper.take(state)
    stepper.weigh(settings.scheme, h, history)
    hold_slim(stepper, state.contacts)
    predict(stepper, state)
    contacts = find_contacts(stepper, state, stepper.scratch.candidate.guess, h)
    if stepper.collider is None:
        return contacts
    tally.collisions += 1
    looks_back = looks_back.copy()  # it may be the history that weights are made with
    near = np.concatenate([contacts.table.body_a, contacts.table.body_b])
    looks_back[near] = np.minimum(looks_back[near], 1)
    looks_back[foreseen_changes(stepper, contacts, h)] = 0
    if contacts.met is not None:
        looks_back[contacts.met.held] = 0  # they are struck
    joined = shared_history(stepper.mechanism.bodies.moves > 0, looks_back, stepper.scratch.verdict.group)
    if contacts.met is not None or not np.array_equal(joined, history):
        stepper.weigh(settings.scheme, h, joined)
        predict(stepper, state, contacts)
    return contacts


def restart(stepper: Stepper, h: float, bodies: Integers, contacts: ContactSet) -> None:
    """Let these bodies and all that joints or contacts connect to them take the step with Euler."""
    history = stepper.scratch.weights.level.copy()
    history[bodies] = 0
    stepper.weigh(
        stepper.settings.scheme,
        h,
        shared_history(stepper.mechanism.bodies.moves > 0, history, connected(stepper, contacts.found)),
    )


def following_start(
    stepper: Stepper, state: State, start: Start, outcome: Outcome, contacts: ContactSet, memory: Memory, tally: Tally
) -> Start:
    """Where to linearise after an outcome that is not good enough: where it led, with its forces, or further on.

    Where bodies turned farther than the linearisation reaches, only a part of the way is taken, with more tension.
    Where the forces were too far off to say where bodies go, they are tried again at the same place. Otherwise the
    ways of several linearisations tell where they lead, see `taut.stepping.acceleration`.
    """
    from taut.stepping.acceptance_kernels import PART_OF_THE_WAY, SAME_PLACE, way_on

    weights, own = stepper.scratch.weights, stepper.mechanism.row_count
    h, where = float(weights.h[0]), way_on(stepper.m, outcome.table)
    if where == PART_OF_THE_WAY:
        memory.forget()
        guess = start.guess + LINEARISATION.turn / outcome.turned * (outcome.heading - start.guess)
        move_places(stepper, start.guess, guess)
        if contacts is not outcome.contacts:
            contacts = find_contacts(stepper, state, guess, h, outcome.memory, contacts.met)
            tally.collisions += 1
        following = next_start(outcome, contacts, own, h)
        following.guess, following.force = guess, LINEARISATION.tension * following.force
        return following
    following = next_start(outcome, contacts, own, h)
    if contacts is not outcome.contacts or not stepper.judges_balance:
        memory.forget()
        following.guess = held_back(stepper, state, following.guess, contacts.met)
        hold_back(stepper, state, contacts.met)
        on_trees(stepper, following.guess)
        return following
    if where == SAME_PLACE:
        memory.forget()
        following.guess = start.guess
    elif not stepper.mechanism.accelerates:
        return following
    else:
        way = weights.beta[:, None] * (outcome.heading - start.guess)
        following.guess, following.force = memory.follow(way, outcome.heading, following.force)
    move_places(stepper, start.guess, following.guess)
    return following


def collide_again(stepper: Stepper, state: State, outcome: Outcome, h: float, tally: Tally) -> ContactSet:
    """Contacts where an outcome led; bodies that overlap there unforeseen are moved apart, or are its error."""
    there = Places._make(each.copy() for each in stepper.scratch.places)
    contacts = find_contacts(stepper, state, outcome.velocity, h, outcome.memory, outcome.contacts.met)
    tally.collisions += 1
    mend(stepper, state, outcome, contacts, there)
    if contacts.met is not None:
        outcome.table[CONTACT_ERROR, outcome.group[contacts.met.passed]] = 1.0
    return contacts
