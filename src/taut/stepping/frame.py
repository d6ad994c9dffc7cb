"""A frame: all bodies at once if they can, else groups of bodies on their own.

Bodies that neither joints nor contacts connect do not feel each other. So a frame is tried for all; groups that fail go
on as a mechanism of their own, linearised again and divided as they need, while the others keep what they have. Where
even that does not help, the frame is lost for a group, which is given the safe state of `taut.stepping.recovery`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.contact.settings import FRICTION
from taut.model.state import State
from taut.rows.law import FOLLOW
from taut.spatial import Array
from taut.stepping.acceptance import overlooked
from taut.stepping.advance import advance, advance_in_parts, settle, smooth_bodies
from taut.stepping.attempt import attempt
from taut.stepping.collide import connected, find_meetings
from taut.stepping.energy import energy_of
from taut.stepping.history import calm_levels
from taut.stepping.outcome import Outcome
from taut.stepping.part import part_of
from taut.stepping.recovery import open_gaps, recover
from taut.stepping.settings import CALM
from taut.stepping.stepper import Stepper
from taut.stepping.tables import ROUGH
from taut.stepping.tally import Tally

Mask = NDArray[np.bool_]


def frame(stepper: Stepper, state: State, first: Outcome | None = None) -> tuple[State, Tally]:
    """The state a frame later, and what that took; `first` is the first try, if it was made already."""
    settings, tally = stepper.settings, Tally.of(stepper.mechanism.count)
    starting = state.steps == 0 and settings.scheme.depth and settings.policy.accepts
    if starting:
        after = advance_in_parts(stepper, state, settings.step, tally)
    else:
        after = together_or_apart(stepper, state, tally, first)
    if tally.lost is not None:
        after = end_of_lost_frame(stepper, state, after, tally)
    elif tally.status == "solved" and settings.policy.accepts and tally.drift > settings.limit:
        tally.status = "violation"  # of a gap that was too large to begin with, a part is left
    if tally.status == "energy" and open_gaps(stepper, state, state.measure).max(initial=0.0) > settings.limit:
        tally.status = "violation"  # what closed such a gap did the work
    return after, tally


def together_or_apart(stepper: Stepper, state: State, tally: Tally, first: Outcome | None) -> State:
    """The state a frame later: of groups that are accepted, and of the others on their own.

    Groups that are not accepted at the first try go on alone at once. Where bodies can touch, that is so among many
    only: a part with a collider of its own takes longer to make than a few bodies take to be solved again.
    """
    h, moves = stepper.settings.step, stepper.mechanism.bodies.moves > 0
    several = stepper.mechanism.several and stepper.settings.policy.accepts
    if stepper.bounces:
        return roughly(tally, moves, advance(stepper, state, h, tally))
    stepper.find_redundant(state)
    at_once = several and (stepper.collider is None or stepper.model.tolerances.parts > 0)
    tried = attempt(stepper, state, h, tally, state.calm < CALM.rough_frames, first, once=at_once)
    good = (tried.verdicts == "solved")[tried.outcome.group]
    if not several or not good[moves].any():
        return roughly(tally, moves, advance(stepper, state, h, tally, tried=tried))
    outcome = tried.outcome
    hidden = overlooked(stepper, outcome, state)
    outcome.table[:, np.unique(outcome.group[moves & ~good])] = 0.0  # others answer for theirs
    tally.keep(outcome, "penetration" if hidden else "solved")
    after = roughly(tally, moves & good, settle(state, h, outcome))
    if good[moves].all():
        return after
    after = apart(stepper, state, after, [moves & ~good], tally)
    if meet(stepper, state, after, moves & ~good):  # they were not on their own after all
        spent = {name: getattr(tally, name) for name in ("solves", "pivots", "coupling", "collisions")}
        again = Tally(np.zeros_like(tally.risen), **spent)
        vars(tally).update(vars(again))
        return roughly(tally, moves, advance(stepper, state, h, tally))
    return after


def meet(stepper: Stepper, before: State, after: State, chosen: Mask) -> bool:
    """Whether some of the chosen bodies (n,) overlap others that move, deeper than a step may leave, or passed them."""
    if stepper.collider is None:
        return False
    moves, places = stepper.mechanism.bodies.moves > 0, stepper.places_of(after)
    found = stepper.collider.contacts(places.position, places.rotation, np.zeros(moves.size))
    a, b, thickness = found.body_a, found.body_b, stepper.mechanism.geoms.thickness
    allowed = stepper.settings.contact_limit * np.minimum(thickness[found.geom_a], thickness[found.geom_b])
    if ((chosen[a] != chosen[b]) & moves[a] & moves[b] & (-found.gap > allowed)).any():
        return True
    stepper.put(stepper.scratch.places, after)
    passed = find_meetings(stepper, stepper.places_of(before), after.velocity, stepper.settings.step)
    if passed is None:
        return False
    a, b = passed.contacts.body_a, passed.contacts.body_b
    return bool(((chosen[a] != chosen[b]) & moves[a] & moves[b]).any())


def roughly(tally: Tally, bodies: Mask, after: State) -> State:
    """The state, with bodies (n,) marked as rough if what has been spent so far says so."""
    tally.rough |= bodies & tally.is_rough()
    return after


def apart(stepper: Stepper, state: State, after: State, groups: list[Mask], tally: Tally) -> State:
    """The state after a frame, with these groups of bodies (n,) as the frame leaves them on their own."""
    for moving in groups:
        part = part_of(stepper, moving)
        own, spent = frame(part.stepper, part.take(state))
        stepper.friction_passes = part.stepper.friction_passes  # of the whole frame, whoever spends them
        tally.add(spent)
        tally.rough[part.bodies.chosen] |= spent.rough & moving[part.bodies.chosen]
        after = part.put(after, own)
    after.energy = energy_of(stepper, after)
    return after


def end_of_lost_frame(stepper: Stepper, state: State, after: State, tally: Tally) -> State:
    """The end of a frame that some bodies could not do: on their own, or safe where they are alone already."""
    lost, moves = tally.lost, stepper.mechanism.bodies.moves > 0
    assert lost is not None
    labels = connected(stepper, stepper.find_near(state))
    lost = moves & np.isin(labels, labels[lost])  # with all that they may meet within the frame
    groups = [moves & (labels == label) for label in np.unique(labels[moves])]
    if len(groups) == 1 or not state.is_finite():
        safe = recover(stepper, after, state.time + stepper.settings.step - after.time)
        rows = stepper.measure(safe).value
        tally.violation = max(tally.violation, float(open_gaps(stepper, safe, rows).max(initial=0.0)))
        tally.depth = max(tally.depth, float(np.max(-safe.contacts.gap, initial=0.0)))
        tally.rough |= moves
        tally.touching = 0
        return safe
    tally.status, tally.lost = "solved", None
    later = state.but(time=state.time + stepper.settings.step)
    done = apart(stepper, state, later, [moves & ~lost, lost] if (moves & ~lost).any() else groups, tally)
    return done.but(reached=state.target.copy(), reached_limits=state.limits.copy())


def next_frames(stepper: Stepper, state: State, count: int) -> tuple[State, Tally, int]:
    """The state up to so many frames later, at least one: in compiled code as long as they are smooth.

    Returns: the state, what the last frame took, and how many frames were done.
    """
    touches = stepper.collider is not None and state.contacts.contacts.count > 0
    smooth, first = stepper.smooth if state.steps > 0 and not touches else None, None
    if smooth is not None:
        # else redundant rows, or contacts, are looked for in every frame
        together = stepper.redundancy.factor is None and stepper.collider is None and stepper.own.springs is None
        after, done, code = smooth.advance(state, count if together else 1)
        if done:
            return after, smooth.tally(), done
        first = smooth.outcome(state) if code == ROUGH else None
    stepper.friction_passes = FRICTION.frame_passes
    state = state.but(reached=where_targets_begin(stepper, state))
    after, tally = frame(stepper, state, first)
    calm = np.where(tally.rough, 0, after.calm + 1)
    history = calm_levels(smooth_bodies(stepper, state, after), calm, stepper.settings.step)
    lent = np.where(tally.rough, 0.0, after.lent)  # what a rough frame took is meant to be gone
    return after.but(history=history, steps=state.steps + 1, calm=calm, lent=lent), tally, 1


def where_targets_begin(stepper: Stepper, state: State) -> Array:
    """Where targets (rows,) set out from in a frame: servos from where they are; speeds are new at once."""
    begin = np.where(stepper.mechanism.servos, state.measure, state.reached)
    return np.where(stepper.mechanism.laws.kind == FOLLOW, state.target, begin)
