"""Sleep: bodies that rest, with all that they may meet, are left out of frames until something touches them.

A body rests in a frame if it ends slower than a share of what gravity adds in a step. Bodies that joints, contacts or
overlapping bounds connect fall asleep together once each of them has rested for half a second: their velocities become
zero, all else stays, forces and contacts too, so that they wake warm. A frame then is one of the bodies that are awake
as a mechanism of their own, see `taut.stepping.part`. Before it, all that they may reach wakes; where they got farther
than that, and there is something asleep, it wakes too and the frame is done again.

Whether a body sleeps is part of the state, and who wakes follows from the state alone: what was saved goes on to the
bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.model.state import ASLEEP, State
from taut.rows.law import FOLLOW
from taut.spatial import Array
from taut.stepping import frame
from taut.stepping.collide import connected
from taut.stepping.energy import body_kinetic, energy_of
from taut.stepping.part import part_of
from taut.stepping.recovery import open_gaps
from taut.stepping.settings import SLEEP
from taut.stepping.stepper import Stepper
from taut.stepping.tally import Tally

Mask = NDArray[np.bool_]

MOTION = (
    "velocity", "spin", "slim_spin", "previous_velocity", "previous_spin", "previous_slim_spin", "displacement",
    "older", "lent",
)  # fmt: skip
"""Arrays of a state that are zero for bodies asleep."""


def next_frames(stepper: Stepper, state: State, count: int) -> tuple[State, Tally, int]:
    """The state up to so many frames later, at least one, as `taut.stepping.frame` has it; bodies may sleep.

    Returns: the state, what the last frame took, and how many frames were done.
    """
    if stepper.redmax is not None:
        return stepper.redmax.next_frames(state, count)
    if not stepper.settings.sleeping:
        return frame.next_frames(stepper, state, count)
    awake = wake(stepper, state)
    after, tally = frame_of(stepper, state, awake)
    while (reached := overtaken(stepper, state, after, awake)).sum() > awake.sum():
        awake = reached
        after, tally = frame_of(stepper, state, awake)
    return fall_asleep(stepper, after, awake, tally.status == "solved"), tally, 1


def sleepers(stepper: Stepper, state: State) -> Mask:
    """Bodies (n,) that sleep."""
    return np.asarray((state.rest == ASLEEP) & (stepper.mechanism.bodies.moves > 0))


def wake(stepper: Stepper, state: State) -> Mask:
    """Bodies (n,) that are awake in the next frame: with those given a velocity, another target or limits."""
    asleep, moves = sleepers(stepper, state), stepper.mechanism.bodies.moves > 0
    if not asleep.any():
        return moves
    awake = moves & ~asleep | state.velocity.any(axis=1)
    moved = (state.target != state.reached) | (state.limits != state.reached_limits).any(axis=1)
    awake[stepper.mechanism.links.row_body[moved]] = True
    return spread(stepper, state, awake, reach_of(stepper, state)) if awake.any() else awake


def reach_of(stepper: Stepper, state: State) -> Array:
    """How far (n,) points of bodies get in a frame, m, as they move now and fall."""
    from taut.stepping.sleep_kernels import foresee

    reach = np.empty(stepper.mechanism.count)
    foresee(stepper.m, state.velocity, stepper.settings.step, reach)
    return reach


def spread(stepper: Stepper, state: State, chosen: Mask, reach: Array) -> Mask:
    """Chosen bodies (n,) and all that they may meet, directly or not; points of bodies get as far as `reach` (n,) m."""
    moves, group = stepper.mechanism.bodies.moves, connected(stepper, state.contacts.contacts)
    stirred = np.zeros(moves.size, np.uint8)
    stirred[group[chosen]] = 1
    if stepper.collider is not None:
        from taut.stepping.sleep_kernels import spread

        places = stepper.places_of(state)
        if not spread(*stepper.collider.handles, places.position, places.rotation, reach, group, stirred):
            return np.asarray(moves > 0)  # who is nowhere may meet anyone
    return np.asarray((stirred[group] > 0) & (moves > 0))


def frame_of(stepper: Stepper, state: State, awake: Mask) -> tuple[State, Tally]:
    """The state a frame later, in which only bodies (n,) move that are awake, and what that took."""
    asleep = (stepper.mechanism.bodies.moves > 0) & ~awake
    if not asleep.any():
        after, tally, _ = frame.next_frames(stepper, state, 1)
        return after, tally
    if awake.any():
        part = part_of(stepper, awake)
        part.stepper.witness = stepper.witness
        own = part.take(state)
        own.energy = energy_of(part.stepper, own)
        own, tally, _ = frame.next_frames(part.stepper, own, 1)
        after = part.put(state.but(time=own.time, steps=own.steps), own)
        after.energy = energy_of(stepper, after)
    else:
        after, tally = state.but(time=state.time + stepper.settings.step, steps=state.steps + 1), Tally.of(0)
    add_sleepers(stepper, after, asleep, tally)
    return after, tally


def add_sleepers(stepper: Stepper, state: State, asleep: Mask, tally: Tally) -> None:
    """Add to what is reported of a frame what bodies (n,) that sleep in it have: contacts, and gaps of joints."""
    memory, tally.finite = state.contacts, tally.finite or not (stepper.mechanism.bodies.moves > asleep).any()
    theirs = asleep[memory.contacts.body_a] | asleep[memory.contacts.body_b]
    tally.touching += int(np.count_nonzero(memory.force[theirs, 0] > 0.0))
    tally.depth = max(tally.depth, float(np.max(-memory.gap[theirs], initial=0.0)))
    rows = asleep[stepper.mechanism.links.row_body]
    if rows.any():
        stepper.find_redundant(state)
        gaps = open_gaps(stepper, state, stepper.measure(state).value)
        tally.violation = max(tally.violation, float(gaps[rows].max()))


def overtaken(stepper: Stepper, before: State, after: State, awake: Mask) -> Mask:
    """Bodies (n,) awake in a frame, and those that these met in it because they got farther than was foreseen."""
    from taut.stepping.sleep_kernels import look_back

    if awake.sum() in (0, np.count_nonzero(stepper.mechanism.bodies.moves)):
        return awake
    way = reach_of(stepper, before)
    if look_back(stepper.m, before.position, before.orientation, after.position, after.orientation, way):
        return spread(stepper, after, awake, way)
    return awake


def fall_asleep(stepper: Stepper, state: State, awake: Mask, solved: bool) -> State:
    """The state with the rest of bodies (n,) counted that were awake; those that rested for long are put to sleep.

    None is after a frame that missed its tolerances.
    """
    rest = np.where(awake, np.maximum(state.rest, 0) + 1, state.rest)
    rest[awake & ~at_rest(stepper, state)] = 0
    state, long = state.but(rest=rest), max(round(SLEEP.seconds / stepper.settings.step), 1)
    ready = awake & (rest >= long)
    if not ready.any() or not solved:
        return state
    if (awake & ~ready).any():
        ready &= ~spread(stepper, state, awake & ~ready, reach_of(stepper, state))
    if not ready.any():
        return state
    rest[ready] = ASLEEP
    still = {name: getattr(state, name).copy() for name in MOTION}
    for values in still.values():
        values[ready] = 0.0
    state = state.but(**still)
    state.energy = energy_of(stepper, state)
    return state


def at_rest(stepper: Stepper, state: State) -> Mask:
    """Bodies (n,) that are slow enough: T <= m u^2 / 2, u a share of g h. What a motor drives at a speed is not."""
    mechanism = stepper.mechanism
    slow = SLEEP.share * mechanism.gravity * stepper.settings.step
    rests = np.asarray(body_kinetic(mechanism, state) <= 0.5 * mechanism.bodies.mass * slow**2)
    rests[mechanism.links.row_body[(mechanism.laws.kind == FOLLOW) & (state.target != 0.0)]] = False
    return rests
