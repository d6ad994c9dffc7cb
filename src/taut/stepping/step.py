"""The step on one screen: predict, collide, linearise, solve, check; accept, linearise again, or halve.

        (alpha M - h beta K~) v+ - J^T lam = p + h f - h beta K~ v_k
        J v+ + S lam + b = w,   lower <= lam <= upper complementary to w           linearised at x_k = x(v_k)

A step is accepted, not assumed. Rows, and the balance of bodies under tension, are measured again at the new
configuration, and the energy is compared with the work that was put in. If the linearisation was off, it is made
again; if that does not help, the step is divided, with implicit Euler, until the frame's budget is spent. Then what was
reached is taken where rows hold, slowed down where energy rose; else the rest of the frame is made safe, see
`taut.stepping.recovery`. The report says so. If only the energy rose, the frame is done in parts. Contacts are looked
for at the predicted configuration, and again where bodies end up elsewhere than predicted.
Solvers that are not exact get one solve a frame with Euler, taken as it is, as engines built on them do: halving would
only hide what they do.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from taut.contact.friction import FRAME_PASSES
from taut.integrators.weights import Weights
from taut.model.state import State
from taut.rows.law import FOLLOW
from taut.stepping.acceleration import Memory
from taut.stepping.acceptance import (
    SAFE,
    TURN,
    calmed,
    came_to_rest,
    done,
    gives_way,
    imbalance_share,
    is_open,
    judgement,
    overlooked,
    total_error,
    with_blows_counted,
)
from taut.stepping.collide import (
    find_contacts,
    shared_history,
    slim_bodies,
    struck_bodies,
    touched_bodies,
    without_history,
)
from taut.stepping.energy import energy_in_springs
from taut.stepping.impacts import PASSES, bounce
from taut.stepping.linearise import (
    Outcome,
    Start,
    first_start,
    leave_gaps,
    linearised_solve,
    move,
    next_start,
    predict,
    return_to,
)
from taut.stepping.loss import judge_all, lost_bodies, park, rejoin
from taut.stepping.recovery import recover
from taut.stepping.tally import Tally
from taut.stepping.workspace import Workbench

FORCES_WRONG = 0.5
"""Share of the angle that bodies turned by which their balance is missed, above which the forces were wrong and
not the place: the next linearisation is made at the same place with the new forces."""

TENSION = 10.0
"""Times the tension found that the stiffness of the next linearisation is made with where bodies turned too far: they
turned because it was too low. More stiffness than there is slows an iteration down, but leads to the same place."""

SMOOTH_SOLVES = 3
"""A frame that needed more solves was rough, such as a chain that snaps taut."""

CALM_FRAMES = 4
"""Frames after a rough one that are left to Euler, which calms what the step cannot resolve: the two-step scheme would
carry it on, and `snap_chain` would take 3.6 solves a frame instead of 2.7."""

ROUGH_FRAMES = 300
"""Frames after a rough one in which energy is watched closely: what the step cannot resolve must die out, not grow, as
the energy of `snap_chain` would by 4e-3 of what its whole fall gives."""

PARTS = 4
"""Parts of the first frame, and of one whose energy rose. In one piece, a body that falls from rest would stay 2 mm too
low for good, and is 0.2 mm too low so; in halves, a frame of `rock_pile` ends deeper than it may."""


def step(bench: Workbench, state: State) -> tuple[State, Tally]:
    """Advance one frame."""
    tally, settings, bench.friction_passes = Tally(), bench.settings, FRAME_PASSES
    bench.slim = slim_bodies(bench, state.contacts.contacts, state.contacts.force[:, 0] > 0.0)
    state = replace(state, reached=where_targets_begin(bench, state))
    starting = state.steps == 0 and settings.scheme.needs_history and settings.solver.exact
    after = (advance_in_parts if starting else advance)(bench, state, settings.step, tally)
    if tally.lost is not None:
        after = end_of_lost_frame(bench, after, state.time + settings.step - after.time, tally)
        tally.take(bench, after)
    elif tally.status == "solved" and settings.solver.exact and is_open(tally.taken, settings):
        tally.status = "violation"  # of a gap that was too large to begin with, a part is left
    rough = tally.halved or tally.solves > SMOOTH_SOLVES * tally.substeps
    calm = 0 if rough else state.calm + 1
    after.history = smooth_bodies(bench, state, after) * np.uint8(calm >= CALM_FRAMES)
    after.steps, after.calm = state.steps + 1, calm
    return after, tally


def end_of_lost_frame(bench: Workbench, state: State, h: float, tally: Tally) -> State:
    """The state h later, at the end of a frame that lost bodies: these are safe, the others go on if they can.

    What the others cost is counted too; they may spend a budget of their own.
    """
    lost, safe = tally.lost, recover(bench, state, h)
    assert lost is not None
    if lost[bench.model.bodies.moves > 0].all():
        return safe
    rest = Tally()
    try:
        others = advance(bench, park(bench, state, lost), h, rest)
    finally:
        judge_all(bench)
    tally.add(rest)
    if rest.lost is not None or not others.is_finite():
        return safe
    return rejoin(bench, others, safe, lost)


def where_targets_begin(bench: Workbench, state: State) -> NDArray[np.float64]:
    """Where targets (rows,) set out from in a frame: servos from where they are; speeds are new at once."""
    begin = np.where(bench.servos, state.measure, state.reached)
    return np.where(bench.model.layout.laws.kind == FOLLOW, state.target, begin)


def advance(bench: Workbench, state: State, h: float, tally: Tally, depth: int = 0) -> State:
    """Advance by h: in one piece if that is accepted, else in halves or smaller parts."""
    settings = bench.settings
    if bench.response.redundancy.factor is not None:
        bench.put_at(state)
        bench.response.find_redundant(bench.rotation, bench.rows)
    bounces = None
    if bench.bounces and settings.solver.exact and tally.passes < PASSES:
        bounces, passes = bounce(bench, state, h, PASSES - tally.passes)
        tally.passes += passes
    start = state if bounces is None else bounces.state
    # after a bounce the path is known to second order in h, and so is its energy
    watched = bounces is None and state.calm < ROUGH_FRAMES
    tried = attempt(bench, start, h, tally, watched)
    outcome, verdict = tried.outcome, tried.verdict
    if bounces is not None:
        outcome = with_blows_counted(bench, outcome, bounces)
        if verdict == "solved":
            verdict = judgement(outcome, settings, watched, tally.risen)
    exact = settings.solver.exact
    spent = depth == settings.halvings or tally.solves >= settings.budget or not exact
    spent |= verdict == "friction" and bench.friction_passes <= 0  # without passes halves would end no better
    if spent and exact and verdict == "energy" and judgement(outcome, settings, False, tally.risen) == "solved":
        verdict = "solved"  # no more than smooth motion may gain
    if spent and exact and verdict not in SAFE:
        tally.lose(outcome, verdict, lost_bodies(bench, outcome, verdict))
        return state
    if verdict == "solved" or (verdict == "contradiction" and not gives_way(outcome, settings)) or spent:
        if verdict != "solved" and exact:
            outcome = calmed(bench, outcome)
        if verdict == "solved" and overlooked(bench, outcome, start):
            verdict = "penetration"  # an error of an earlier step: halving this one would not help
        tally.keep(outcome, verdict)
        after = settle(start, tried.weights, outcome)
        return after if bounces is None else bounces.complete(bench, after, whole=depth == 0)
    if verdict == "energy" and settings.scheme.needs_history and depth == 0:
        return advance_in_parts(bench, state, h, tally)
    tally.halved |= verdict != "energy"
    levels = levels_down(bench, state, h, tried) if verdict in ("violation", "balance") else 1
    levels = min(levels, settings.halvings - depth)
    return advance_by(bench, state, h, tally, parts=2**levels, depth=depth + levels, look_back=False)


def levels_down(bench: Workbench, state: State, h: float, tried: Attempt) -> int:
    """How many times to halve a step that failed at once: until no jointed body turns by more than `TURN` in a part.

    It turns as fast as it does, or as the solve of the whole step would have had it.
    """
    turn = max(h * float(np.abs(state.velocity[bench.jointed, 3:]).max(initial=0.0)), tried.turn)
    return max(math.ceil(math.log2(max(turn / TURN, 2.0))), 1) if math.isfinite(turn) else 1


def advance_in_parts(bench: Workbench, state: State, h: float, tally: Tally) -> State:
    """Advance by h in a few parts, the first by Euler: as accurate as the two-step scheme with a step as short.

    Used to start, and where the scheme's own error would raise energy. The whole is what the next step looks back on.
    """
    after = advance_by(bench, state, h, tally, parts=PARTS, depth=1, look_back=True)
    return replace(
        after,
        previous_velocity=state.velocity, previous_spin=state.spin, previous_slim_spin=state.slim_spin,
    )  # fmt: skip


def advance_by(
    bench: Workbench, state: State, h: float, tally: Tally, parts: int, depth: int, look_back: bool
) -> State:
    """Advance by h in equal parts; without `look_back` neither they nor what follows may use the part before.

    With it, what follows may look back on the whole where no part broke off.
    """
    after, moved = replace(state, history=np.zeros_like(state.history)), np.zeros_like(state.displacement)
    unbroken, way = np.full_like(state.history, look_back), state.target - state.reached
    for part in range(parts):
        goal = state.target if part == parts - 1 else state.reached + way * ((part + 1) / parts)
        before = with_targets(bench, after, goal)
        after = advance(bench, before, h / parts, tally, depth)
        if tally.lost is not None:
            return replace(after, target=state.target)
        moved += after.displacement
        smooth = smooth_bodies(bench, before, after)
        unbroken *= smooth
        after = replace(after, history=smooth * np.uint8(look_back))
    return replace(after, displacement=moved, history=unbroken)


def with_targets(bench: Workbench, state: State, target: NDArray[np.float64]) -> State:
    """The state with other targets; what that puts into springs of motors is not the step's doing."""
    if np.array_equal(target, state.target):
        return state
    now, before = (energy_in_springs(bench.model, goal, state.measure) for goal in (target, state.target))
    return replace(state, target=target, energy=state.energy + now - before)


@dataclass
class Attempt:
    """How an attempt at a step ended.

    `turn` is how far the first solve turned jointed bodies from where it was linearised, rad.
    """

    outcome: Outcome
    verdict: str
    weights: Weights
    turn: float


def attempt(bench: Workbench, state: State, h: float, tally: Tally, watched: bool) -> Attempt:
    """Solve the step, linearising again until the rows hold at the new configuration, and say how it ended.

    With `watched` energy is judged by the tolerance of rough motion.
    """
    settings = bench.settings
    leave_gaps(bench, state, h)
    weights, guess = predict_and_collide(bench, state, h, tally)
    start = first_start(bench, state, h, guess)
    tries: list[Outcome] = []
    memory = Memory()
    for number in range(settings.linearisations):
        outcome = linearised_solve(bench, state, weights, start)
        tally.count(outcome)
        struck = struck_bodies(bench, weights, outcome.solution.lam)
        # once is enough: all that contacts may connect to the struck restarts, and others do not feel it
        if number == 0 and struck.size and tally.solves < settings.budget:
            weights = without_history(bench, weights, struck, settings.scheme)
            start = first_start(bench, state, h, predict(bench, state, weights))
            continue
        if tries:
            outcome.imbalance = 0.0  # it has been looked after once
        tries.append(outcome)
        if outcome.strayed and settings.solver.exact and np.isfinite(outcome.energy):
            collide_again(bench, state, outcome, h, tally)
        if done(tries, settings) or tally.solves >= settings.budget:
            break
        start = following_start(bench, state, weights, start, outcome, memory, tally)
    best = min(tries, key=lambda candidate: total_error(candidate, settings))
    if best is not outcome:
        return_to(bench, best)
    verdict = judgement(best, settings, watched, tally.risen)
    if verdict == "solved" and not came_to_rest(tries, best, settings):
        verdict = "balance"
    return Attempt(best, verdict, weights, tries[0].turned)


def following_start(
    bench: Workbench, state: State, weights: Weights, start: Start, outcome: Outcome, memory: Memory, tally: Tally
) -> Start:
    """Where to linearise after an outcome that is not good enough: where it led, with its forces, or further on.

    Where bodies turned farther than the linearisation reaches, only a part of the way is taken, with more tension.
    Where the forces were too far off to say where bodies go, they are tried again at the same place. Otherwise the
    ways of several linearisations tell where they lead, see `taut.stepping.acceleration`.
    """
    if bench.judges_balance and outcome.turned > TURN:
        memory.forget()
        guess = start.guess + TURN / outcome.turned * (outcome.velocity - start.guess)
        move(bench, weights, start.guess, guess)
        if bench.contacts is not outcome.contacts:
            find_contacts(bench, state, guess, weights.h, outcome.memory)
            tally.collisions += 1
        following = next_start(bench, outcome, weights.h)
        following.guess, following.force = guess, TENSION * following.force
        return following
    following = next_start(bench, outcome, weights.h)
    if bench.contacts is not outcome.contacts or not bench.judges_balance:
        memory.forget()
        return following
    if outcome.imbalance > FORCES_WRONG * outcome.turned and imbalance_share(outcome, bench.settings) > 1.0:
        memory.forget()
        following.guess = start.guess
    elif not bench.accelerates:
        return following
    else:
        way = weights.beta[:, None] * (outcome.velocity - start.guess)
        following.guess, following.force = memory.follow(way, outcome.velocity, following.force)
    move(bench, weights, start.guess, following.guess)
    return following


def predict_and_collide(bench: Workbench, state: State, h: float, tally: Tally) -> tuple[Weights, NDArray[np.float64]]:
    """Weights and first guess of a step, with the bench where that leads and the contacts found there."""
    settings = bench.settings
    looks_back = state.history * np.uint8(settings.solver.exact and settings.scheme.needs_history)
    history = shared_history(bench, looks_back, contacts=None)
    weights = bench.weights(settings.scheme, h, history)
    bench.slim = slim_bodies(bench, state.contacts.contacts, state.contacts.force[:, 0] > 0.0)
    guess = predict(bench, state, weights)
    if bench.collider is None:
        return weights, guess
    find_contacts(bench, state, guess, h)
    tally.collisions += 1
    joined = shared_history(bench, looks_back, bench.contacts)
    if not np.array_equal(joined, history):
        weights = bench.weights(settings.scheme, h, joined)
        guess = predict(bench, state, weights)
    return weights, guess


def collide_again(bench: Workbench, state: State, outcome: Outcome, h: float, tally: Tally) -> None:
    """Look for contacts where an outcome led; bodies that overlap there unforeseen are its error."""
    find_contacts(bench, state, outcome.velocity, h, outcome.memory)
    tally.collisions += 1
    rows = bench.contacts
    assert rows is not None
    gap = rows.gaps(bench.position, bench.rotation)
    # what overlapped before the first step, or in the last one, is no error of this step
    overlap = np.where(rows.known | (state.steps == 0), np.minimum(rows.start_gap, 0.0), 0.0)
    foreseen = overlap - rows.force[:, 0] / rows.stiffness
    outcome.depth = float(np.max(-gap, initial=0.0))
    outcome.contact_error = float(np.max((np.minimum(foreseen, 0.0) - gap) / rows.thickness, initial=0.0))


def settle(state: State, weights: Weights, outcome: Outcome) -> State:
    """The state at the end of an accepted step."""
    after = copy(state)
    after.time = state.time + weights.h
    after.history = np.ones_like(state.history)
    after.position, after.orientation = outcome.position, outcome.orientation
    after.velocity, after.previous_velocity = outcome.velocity, state.velocity
    after.spin, after.previous_spin = outcome.spin, state.spin
    after.slim_spin, after.previous_slim_spin = outcome.slim_spin, state.slim_spin
    after.displacement, after.measure = outcome.path, outcome.measure
    after.force, after.index_set = outcome.force, outcome.solution.index_set[: outcome.force.size]
    after.coordinate, after.energy, after.contacts = outcome.coordinate, outcome.energy, outcome.memory
    after.reached = state.target.copy()
    return after


def smooth_bodies(bench: Workbench, before: State, after: State) -> NDArray[np.uint8]:
    """Flags (bodies,) of bodies that moved smoothly: no bound reached or left, no contact made, broken or slipping.

    Bounds of the first step have nothing to compare with.
    """
    history = after.history.copy()
    if before.steps > 0:
        history[bench.row_body[before.index_set != after.index_set]] = 0
    history[touched_bodies(bench, before.contacts, after.contacts)] = 0
    return history
