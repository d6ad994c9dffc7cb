"""A safe state where a frame cannot be solved: bodies go on along their rows, slower rather than faster.

    1  v* = P (v + h M^-1 f)           P: no rebound; J v = 0 on joints, J v >= 0 on closed limits and contacts
    2  x0 = x + s h v*                 no body turns farther about any axis than a linearisation reaches
       x <- x - M^-1 J^T A^-1 q(x)     until the rows hold; where they do not, s is a quarter, at last 0
    3  v+ = P (s v* / 2), turned with the bodies, and slowed down by groups to K+ <= K + W
    Centres of mass of floating groups go on as they do: only motion about them is shortened and slowed down.

f is gravity and what is applied at centres of mass; loads and torques are left out, and bodies are slower for it.
It is no solution of the step, and the report says so. It is a state from which the next frame can go on: rows hold, and
no group has more energy than before.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.model.groups import merged_groups
from taut.model.state import State
from taut.rows.law import FOLLOW, HOLD, SOFT
from taut.spatial import Array, Integers
from taut.stepping.energy import TINY, body_energy, body_kinetic, drift_of, energy_of, spring_energies
from taut.stepping.instant import Instant, instant
from taut.stepping.settings import INSTANTS, LINEARISATION, RECOVERY
from taut.stepping.stepper import Stepper


def recover(stepper: Stepper, state: State, h: float) -> State:
    """A state h later in which the rows hold; see above. What is not finite to begin with stays so, and is noticed."""
    with np.errstate(over="ignore", invalid="ignore"):
        return made_safe(stepper, state, h)


def made_safe(stepper: Stepper, state: State, h: float) -> State:
    """The state that `recover` is after."""
    bodies = stepper.mechanism.bodies
    mass = np.where(bodies.moves > 0, bodies.mass, np.inf)[:, None]
    push = np.zeros_like(state.velocity)
    push[:, :3] = h * (bodies.gravity + state.applied[:, :3] / mass) * np.isfinite(mass)
    moving = projected(stepper, with_velocity(stepper, state, state.velocity + push))
    drift, carried = drift_of(stepper, moving.velocity, near_bodies(instant(stepper, moving)))
    way = h * (moving.velocity - drift)
    slow = min(1.0, LINEARISATION.turn / max(float(np.abs(way[:, 3:]).max()), TINY))
    best, worst, taken, had = state, (True, True, np.inf), 0.0, shared_energy(stepper, state)
    for share in RECOVERY.shares:
        there, left = with_rows_closed(stepper, displaced(stepper, moving, h * drift + share * slow * way))
        # springs must not take more than the bodies had
        stored = shared_energy(stepper, at_rest(there)) - float(work_on(stepper, state, there).sum())
        bad = (left > stepper.settings.limit, stored > had, left)
        if bad < worst:
            best, worst, taken = there, bad, share
        if not any(bad[:2]):
            break
    after = projected(stepper, turned_along(stepper, moving, best, drift, RECOVERY.slower * taken * slow))
    return settled(stepper, state, slowed(stepper, state, after, drift, carried), h)


def shared_energy(stepper: Stepper, state: State) -> float:
    """Energy of a state in springs and in the bodies of groups that have any, or carry loads, J."""
    springs = spring_energies(stepper, state)
    mechanism = stepper.mechanism
    busy = np.zeros(mechanism.count, bool)
    busy[
        mechanism.links.joined[mechanism.links.row_body[(mechanism.laws.kind == SOFT) | (mechanism.laws.moves > 0)]]
    ] = True
    busy[mechanism.links.joined[mechanism.loads.body]] = True
    chosen = busy[mechanism.links.joined] & (mechanism.bodies.moves > 0)
    return float(springs.sum() + body_energy(mechanism, state)[chosen].sum())


def displaced(stepper: Stepper, state: State, way: Array) -> State:
    """The state with bodies moved by (n, 6), m and rad."""
    from taut.integrators.motion_kernels import place

    position, orientation = state.position.copy(), state.orientation.copy()
    ones = np.ones(position.shape[0])
    place(
        stepper.mechanism.bodies.moves, state.position, state.orientation, np.zeros_like(way), way, 0.0 * ones, ones,
        position, orientation, np.empty((ones.size, 9)),
    )  # fmt: skip
    return replace(state, position=position, orientation=orientation)


def with_velocity(stepper: Stepper, state: State, velocity: Array) -> State:
    """The state with these velocities (n, 6) and the momenta that belong to them."""
    bodies, turn = stepper.mechanism.bodies, stepper.places_of(state).rotation.reshape(-1, 3, 3)
    velocity = np.where(bodies.moves[:, None] > 0, velocity, state.velocity)
    own = np.einsum("bij,bjk,bk->bi", bodies.inertia.reshape(-1, 3, 3), turn.transpose(0, 2, 1), velocity[:, 3:])
    spin, along = np.einsum("bij,bj->bi", turn, own), np.einsum("bi,bi->b", bodies.slim_axis, own)
    return replace(
        state, velocity=velocity, spin=spin, slim_spin=along,
        previous_velocity=velocity, previous_spin=spin, previous_slim_spin=along,
    )  # fmt: skip


def projected(stepper: Stepper, state: State) -> State:
    """The state with velocities that its rows allow, without rebound; at rest where that cannot be found."""
    mechanism, now = stepper.mechanism, instant(stepper, state)
    limits, rows, own, row = mechanism.laws.limits > 0, now.memory.rows, now.own, now.contacts.table.row
    now.begin_laws(state, np.zeros_like(state.velocity))
    now.hold(limits | mechanism.hard)
    rows.bias[:own] = np.where(mechanism.hard & (mechanism.laws.kind == FOLLOW), -state.target, 0.0)
    idle = limits & (rows.gap[:own] > INSTANTS.closed)
    rows.lower[:own][idle] = rows.upper[:own][idle] = 0.0
    rows.upper[row[rows.value[row] > INSTANTS.closed]] = 0.0
    velocity = now.solved()
    return with_velocity(stepper, state, np.zeros_like(state.velocity) if velocity is None else velocity)


def with_rows_closed(stepper: Stepper, state: State) -> tuple[State, float]:
    """The state with bodies moved to where rows hold, nearest by mass, and the worst gap that is left, m or rad.

    A way that does not help is halved: next to a straight chain a small gap asks for large turns.
    """
    best, least, way, share = state, np.inf, np.zeros_like(state.velocity), 0.0
    for number in range(RECOVERY.passes):
        trial = displaced(stepper, best, share * way)
        now = instant(stepper, at_rest(trial))
        left = float(open_gaps(stepper, trial, now.memory.rows.value).max(initial=0.0))
        if not left < least:
            share *= 0.5
            continue
        best, least = replace(trial, coordinate=now.memory.rows.coordinate.copy()), left
        closing = None if left <= stepper.settings.tolerance else closing_way(now, at_rest(best), number == 0)
        if closing is None:
            break
        way, share = closing, min(1.0, LINEARISATION.turn / max(float(np.abs(closing[:, 3:]).max()), TINY))
    return best, least


def closing_way(now: Instant, state: State, springs: bool) -> Array | None:
    """Displacements (n, 6) that close the rows of a state at rest to first order, least by mass.

    With `springs`, which is right once, these act as they would over a whole frame.
    """
    mechanism, rows, own, frame = now.stepper.mechanism, now.memory.rows, now.own, now.stepper.settings.step
    laws, limits, row = mechanism.laws, mechanism.laws.limits > 0, now.contacts.table.row
    soft = (laws.kind == SOFT) & (laws.stiffness > 0.0) & springs
    held = limits | (mechanism.hard & (laws.kind == HOLD))
    now.begin_laws(state, np.zeros_like(state.velocity))
    now.hold(held)
    stiffness = laws.stiffness[soft] * state.firmness[soft]
    weight = frame * stiffness + laws.damping[soft] * state.firmness[soft]
    rows.bias[:own] = np.where(held, rows.gap[:own], 0.0)
    rows.bias[:own][soft] = rows.gap[:own][soft] * frame * stiffness / weight
    rows.compliance[:own][soft] = 1.0 / (frame * weight)
    rows.bias[row] = np.maximum(rows.value[row], 0.0)
    return now.solved()


def open_gaps(stepper: Stepper, state: State, value: Array) -> Array:
    """How far (own rows,) hard joints and limits of a state are open, m or rad; redundant rows do not count.

    `value` (rows,) are its measures.
    """
    laws, own = stepper.mechanism.laws, stepper.mechanism.row_count
    value = value[:own]
    gap = np.where((laws.kind == HOLD) & stepper.mechanism.hard, np.abs(value - state.target), 0.0)
    outside = np.maximum(state.limits[:, 0] - value, value - state.limits[:, 1])
    gap = np.where(laws.limits > 0, np.maximum(outside, 0.0), gap)
    gap[stepper.scratch.redundant > 0] = 0.0
    return np.where(np.isfinite(gap), gap, np.inf)


def at_rest(state: State) -> State:
    """The state without velocities."""
    zero = np.zeros_like
    return replace(state, velocity=zero(state.velocity), spin=zero(state.spin), slim_spin=zero(state.slim_spin))


def near_bodies(now: Instant) -> Integers:
    """Bodies of contacts, which may touch."""
    return np.append(now.contacts.table.body_a, now.contacts.table.body_b)


def turned_along(stepper: Stepper, moving: State, there: State, drift: Array, share: float) -> State:
    """The state with a drift (n, 6) and a share of the other velocities of another one, turned with the bodies."""
    old, new = (stepper.places_of(each).rotation.reshape(-1, 3, 3) for each in (moving, there))
    velocity = drift + share * (moving.velocity - drift)
    own = np.einsum("bji,bj->bi", old, velocity[:, 3:])
    velocity[:, 3:] = np.einsum("bij,bj->bi", new, own)
    return with_velocity(stepper, there, velocity)


def slowed(stepper: Stepper, before: State, after: State, drift: Array, carried: Array) -> State:
    """The state after with every group no faster than its energy before and the work of gravity and applied forces.

    The drift (n, 6) of floating groups, with the energy `carried` (n,), stays.
    """
    mechanism, bodies = stepper.mechanism, stepper.mechanism.bodies
    table = instant(stepper, after).contacts.table
    every = np.ones(table.row.size, np.uint8)
    group = merged_groups(mechanism.links.joined, bodies.moves, table.body_a, table.body_b, every)
    fall = bodies.mass * ((after.position - before.position) @ bodies.gravity) * (bodies.moves > 0)
    work = fall + work_on(stepper, before, after)
    allowed = np.maximum(np.bincount(group, body_kinetic(mechanism, before) + work - carried), 0.0)
    now = np.bincount(group, body_kinetic(mechanism, after) - carried)
    share = np.clip(allowed / np.maximum(now, TINY), 0.0, 1.0)
    return with_velocity(stepper, after, drift + np.sqrt(share)[group][:, None] * (after.velocity - drift))


def work_on(stepper: Stepper, before: State, after: State) -> Array:
    """Work (n,) of applied forces on the way from one state to another, J."""
    way = after.position - before.position
    return np.where(stepper.mechanism.bodies.moves > 0, np.einsum("bi,bi->b", before.applied[:, :3], way), 0.0)


def settled(stepper: Stepper, before: State, after: State, h: float) -> State:
    """The state as the end of a step of length h; nothing of what led here is looked back on."""
    now = instant(stepper, after)
    rows, table = now.memory.rows, now.contacts.table
    after = replace(
        after, time=before.time + h, history=np.zeros_like(before.history), reached=before.target.copy(),
        reached_limits=before.limits.copy(),
        displacement=np.concatenate([after.position - before.position, h * after.velocity[:, 3:]], axis=1),
        coordinate=rows.coordinate.copy(), measure=rows.value[: now.own].copy(),
    )  # fmt: skip
    if stepper.collider is not None:
        none = np.zeros(rows.value.size)
        table.gap[:] = rows.value[table.row]
        after.contacts = now.contacts.remember(
            none, none.astype(np.int64), after.velocity, stepper.scratch.places.position
        )
    after.energy = energy_of(stepper, after)
    return after
