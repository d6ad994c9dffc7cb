"""A safe state where a frame cannot be solved: bodies go on along their rows, slower rather than faster.

    1  v* = P (v + h M^-1 f)           P: no rebound; J v = 0 on joints, J v >= 0 on closed limits and contacts
    2  x0 = x + s h v*                 no body turns by more than TURN about any axis
       x <- x - M^-1 J^T A^-1 q(x)     until the rows hold; where they do not, s is a quarter, at last 0
    3  v+ = P (s v* / 2), turned with the bodies, and slowed down by groups to K+ <= K + W
    Centres of mass of floating groups go on as they do: only motion about them is shortened and slowed down.

f is gravity and what is applied at centres of mass; loads and torques are left out, and bodies are slower for it.
It is no solution of the step, and the report says so. It is a state from which the next frame can go on: rows hold, and
no group has more energy than before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from taut.model.groups import merged_groups
from taut.model.state import State
from taut.rows.law import FOLLOW, HOLD, LIMITS, SOFT
from taut.spatial import Array, Integers
from taut.stepping.acceptance import TURN
from taut.stepping.energy import TINY, body_kinetic, drift_of, energy_of, shared_energy
from taut.stepping.impacts import HARD
from taut.stepping.impulse import CLOSED, IDLE, hold_still

if TYPE_CHECKING:
    from taut.stepping.workspace import Workbench

PASSES = 12
"""Most passes that close rows."""

SLOWER = 0.5
"""Share of its speed that a body is left with: what could not be followed in this frame would not be in the next."""

SHARES = (1.0, 0.25, 0.0625, 0.0)
"""Shares of the way that are tried."""


def recover(bench: Workbench, state: State, h: float) -> State:
    """A state h later in which the rows hold; see above. What is not finite to begin with stays so, and is noticed."""
    with np.errstate(over="ignore", invalid="ignore"):
        return made_safe(bench, state, h)


def made_safe(bench: Workbench, state: State, h: float) -> State:
    """The state that `recover` is after."""
    mass = np.where(bench.model.bodies.moves > 0, bench.model.bodies.mass, np.inf)[:, None]
    push = np.zeros_like(state.velocity)
    push[:, :3] = h * (np.asarray(bench.model.gravity) + state.applied[:, :3] / mass) * np.isfinite(mass)
    moving = projected(bench, with_velocity(bench, state, state.velocity + push))
    drift, carried = drift_of(bench, moving.velocity, near_bodies(bench))
    way = h * (moving.velocity - drift)
    slow = min(1.0, TURN / max(float(np.abs(way[:, 3:]).max()), TINY))
    best, worst, taken, had = state, (True, True, np.inf), 0.0, shared_energy(bench, state)
    for share in SHARES:
        there, left = with_rows_closed(bench, displaced(bench, moving, h * drift + share * slow * way))
        # springs must not take more than the bodies had
        stored = shared_energy(bench, at_rest(there)) - float(work_on(bench, state, there)[bench.group == 0].sum())
        bad = (left > bench.settings.limit, stored > had, left)
        if bad < worst:
            best, worst, taken = there, bad, share
        if not any(bad[:2]):
            break
    after = projected(bench, turned_along(bench, moving, best, drift, SLOWER * taken * slow))
    return settled(bench, state, slowed(bench, state, after, drift, carried), h)


def displaced(bench: Workbench, state: State, way: Array) -> State:
    """The state with bodies moved by (bodies, 6), m and rad."""
    from taut.integrators.motion_kernels import place

    position, orientation = state.position.copy(), state.orientation.copy()
    ones = np.ones(position.shape[0])
    place(
        bench.model.bodies.moves, state.position, state.orientation, np.zeros_like(way), way, 0.0 * ones, ones,
        position, orientation, np.empty_like(bench.rotation),
    )  # fmt: skip
    return replace(state, position=position, orientation=orientation)


def with_velocity(bench: Workbench, state: State, velocity: Array) -> State:
    """The state with these velocities (bodies, 6) and the momenta that belong to them."""
    from taut.spatial_kernels import rotation_matrices

    bodies, rotation = bench.model.bodies, np.empty_like(bench.rotation)
    rotation_matrices(state.orientation, rotation)
    turn = rotation.reshape(-1, 3, 3)
    velocity = np.where(bodies.moves[:, None] > 0, velocity, state.velocity)
    own = np.einsum("bij,bjk,bk->bi", bodies.inertia.reshape(-1, 3, 3), turn.transpose(0, 2, 1), velocity[:, 3:])
    spin, along = np.einsum("bij,bj->bi", turn, own), np.einsum("bi,bi->b", bodies.slim_axis, own)
    return replace(
        state, velocity=velocity, spin=spin, slim_spin=along,
        previous_velocity=velocity, previous_spin=spin, previous_slim_spin=along,
    )  # fmt: skip


def projected(bench: Workbench, state: State) -> State:
    """The state with velocities that its rows allow, without rebound; at rest where that cannot be found."""
    hold_still(bench, state)
    laws, rows, own = bench.model.layout.laws, bench.rows, bench.row_body.size
    limits, hard = laws.kind == LIMITS, bench.response.redundancy.hard
    begin_rows(bench, state, limits | hard)
    rows.bias[:own] = np.where(hard & (laws.kind == FOLLOW), -state.target, 0.0)
    shut(bench, limits & (rows.gap[:own] > CLOSED))
    contacts = bench.contacts
    if contacts is not None and contacts.count:
        rows.upper[contacts.row[rows.value[contacts.row] > CLOSED]] = 0.0
    velocity = solved(bench)
    return with_velocity(bench, state, np.zeros_like(state.velocity) if velocity is None else velocity)


def with_rows_closed(bench: Workbench, state: State) -> tuple[State, float]:
    """The state with bodies moved to where rows hold, nearest by mass, and the worst gap that is left, m or rad.

    A way that does not help is halved: next to a straight chain a small gap asks for large turns.
    """
    best, least, way, share = state, np.inf, np.zeros_like(state.velocity), 0.0
    for number in range(PASSES):
        trial = displaced(bench, best, share * way)
        hold_still(bench, at_rest(trial))
        left = float(open_gaps(bench, trial).max(initial=0.0))
        if not left < least:
            share *= 0.5
            continue
        best, least = replace(trial, coordinate=bench.rows.coordinate.copy()), left
        closing = None if left <= bench.settings.tolerance else closing_way(bench, at_rest(best), number == 0)
        if closing is None:
            break
        way, share = closing, min(1.0, TURN / max(float(np.abs(closing[:, 3:]).max()), TINY))
    return best, least


def closing_way(bench: Workbench, state: State, springs: bool) -> Array | None:
    """Displacements (bodies, 6) that close the rows of a state at rest to first order, least by mass.

    With `springs`, which is right once, these act as they would over a whole frame.
    """
    laws, rows, own, frame = bench.model.layout.laws, bench.rows, bench.row_body.size, bench.settings.step
    limits, soft = laws.kind == LIMITS, (laws.kind == SOFT) & (laws.stiffness > 0.0) & springs
    held = limits | (bench.response.redundancy.hard & (laws.kind == HOLD))
    begin_rows(bench, state, held)
    weight = frame * laws.stiffness[soft] + laws.damping[soft]
    rows.bias[:own] = np.where(held, rows.gap[:own], 0.0)
    rows.bias[:own][soft] = rows.gap[:own][soft] * frame * laws.stiffness[soft] / weight
    rows.compliance[:own][soft] = 1.0 / (frame * weight)
    contacts = bench.contacts
    if contacts is not None and contacts.count:
        rows.bias[contacts.row] = np.maximum(rows.value[contacts.row], 0.0)
    return solved(bench)


def begin_rows(bench: Workbench, state: State, held: NDArray[np.bool_]) -> None:
    """Rows without bias of which only those `held` (rows,) take part, and contacts that only push."""
    rows, own, contacts = bench.rows, bench.row_body.size, bench.contacts
    rows.step = 1.0
    rows.beta.fill(1.0)
    rows.left.fill(0.0)
    rows.apply_laws(state.target, np.zeros_like(state.velocity))
    rows.compliance[:own] = np.where(held, HARD, IDLE)
    rows.lower[:own][~held], rows.upper[:own][~held] = -np.inf, np.inf
    if contacts is not None and contacts.count:
        contacts.apply_laws(np.zeros_like(state.velocity), rows)
        rows.compliance[own:], rows.bias[own:], rows.lower[own:], rows.upper[own:] = HARD, 0.0, 0.0, 0.0
        rows.upper[contacts.row] = np.inf


def shut(bench: Workbench, idle: NDArray[np.bool_]) -> None:
    """Let some of the model's rows (rows,) give no impulse."""
    own = bench.row_body.size
    bench.rows.lower[:own][idle] = bench.rows.upper[:own][idle] = 0.0


def solved(bench: Workbench) -> Array | None:
    """Velocities or displacements (bodies, 6) that the bench's rows allow, or None where they cannot be found."""
    problem = bench.response.assemble(bench.rows)
    solution = bench.settings.solver.solve(problem)
    change = bench.response.velocity(solution.lam)
    return change if solution.solved and bool(np.isfinite(change).all()) else None


def open_gaps(bench: Workbench, state: State) -> Array:
    """How far (rows,) hard joints and limits of the bench are open, m or rad; redundant rows do not count."""
    laws, value = bench.model.layout.laws, bench.rows.value[: bench.row_body.size]
    gap = np.where((laws.kind == HOLD) & bench.response.redundancy.hard, np.abs(value - state.target), 0.0)
    outside = np.maximum(laws.lower_limit - value, value - laws.upper_limit)
    gap = np.where(laws.kind == LIMITS, np.maximum(outside, 0.0), gap)
    gap[bench.response.redundant] = 0.0
    return np.where(np.isfinite(gap), gap, np.inf)


def at_rest(state: State) -> State:
    """The state without velocities."""
    zero = np.zeros_like
    return replace(state, velocity=zero(state.velocity), spin=zero(state.spin), slim_spin=zero(state.slim_spin))


def near_bodies(bench: Workbench) -> Integers:
    """Bodies of the bench's contacts, which may touch."""
    contacts = bench.contacts
    if contacts is None:
        return np.zeros(0, np.int64)
    return np.append(contacts.contacts.body_a, contacts.contacts.body_b)


def turned_along(bench: Workbench, moving: State, there: State, drift: Array, share: float) -> State:
    """The state with a drift (bodies, 6) and a share of the other velocities of another one, turned with the bodies."""
    from taut.spatial_kernels import rotation_matrices

    old, new = np.empty_like(bench.rotation), np.empty_like(bench.rotation)
    rotation_matrices(moving.orientation, old)
    rotation_matrices(there.orientation, new)
    velocity = drift + share * (moving.velocity - drift)
    own = np.einsum("bji,bj->bi", old.reshape(-1, 3, 3), velocity[:, 3:])
    velocity[:, 3:] = np.einsum("bij,bj->bi", new.reshape(-1, 3, 3), own)
    return with_velocity(bench, there, velocity)


def slowed(bench: Workbench, before: State, after: State, drift: Array, carried: Array) -> State:
    """The state after with every group no faster than its energy before and the work of gravity and applied forces.

    The drift (bodies, 6) of floating groups, with the energy `carried` (bodies,), stays.
    """
    bodies, contacts = bench.model.bodies, bench.contacts
    group = bench.joined
    if contacts is not None and contacts.count:
        every = np.ones(contacts.count, np.uint8)
        group = merged_groups(group, bodies.moves, contacts.contacts.body_a, contacts.contacts.body_b, every)
    fall = bodies.mass * ((after.position - before.position) @ np.asarray(bench.model.gravity)) * (bodies.moves > 0)
    work = fall + work_on(bench, before, after)
    allowed = np.maximum(np.bincount(group, body_kinetic(bench, before) + work - carried), 0.0)
    now = np.bincount(group, body_kinetic(bench, after) - carried)
    share = np.clip(allowed / np.maximum(now, TINY), 0.0, 1.0)
    return with_velocity(bench, after, drift + np.sqrt(share)[group][:, None] * (after.velocity - drift))


def work_on(bench: Workbench, before: State, after: State) -> Array:
    """Work (bodies,) of applied forces on the way from one state to another, J."""
    way = after.position - before.position
    return np.where(bench.model.bodies.moves > 0, np.einsum("bi,bi->b", before.applied[:, :3], way), 0.0)


def settled(bench: Workbench, before: State, after: State, h: float) -> State:
    """The state as the end of a step of length h; nothing of what led here is looked back on."""
    hold_still(bench, after)
    rows, own, contacts = bench.rows, bench.row_body.size, bench.contacts
    after = replace(
        after, time=before.time + h, history=np.zeros_like(before.history), reached=before.target.copy(),
        displacement=np.concatenate([after.position - before.position, h * after.velocity[:, 3:]], axis=1),
        coordinate=rows.coordinate.copy(), measure=rows.value[:own].copy(),
    )  # fmt: skip
    if contacts is not None:
        none = np.zeros(rows.value.size)
        contacts.locate(bench.position)
        after.contacts = contacts.remember(none, none.astype(np.int64), rows.value[contacts.row], after.velocity)
    after.energy = energy_of(bench, after)
    return after
