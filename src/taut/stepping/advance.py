"""Advance by some time: in one piece if that is accepted, else in halves or smaller parts.

A step is accepted, not assumed. Rows, and the balance of bodies under tension, are measured again at the new
configuration, and the energy is compared with the work that was put in. If the linearisation was off, it is made
again; if that does not help, the step is divided, with implicit Euler, until the frame's budget is spent. Then what was
reached is taken where rows hold, slowed down where energy rose; else the frame is lost for the bodies whose rows do not
hold, see `taut.stepping.frame`. If only the energy rose, the frame is done in parts.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from taut.contact.memory import changes
from taut.model.state import State
from taut.spatial import Array
from taut.stepping.acceptance import SAFE, judgement, overlooked, with_blows_counted, worst
from taut.stepping.attempt import Attempt, attempt
from taut.stepping.energy import stored_energy
from taut.stepping.history import older_steps, taut_calm
from taut.stepping.impacts import bounce
from taut.stepping.outcome import Outcome
from taut.stepping.settings import CALM, DIVISION, IMPACTS, LINEARISATION
from taut.stepping.slowing import calmed
from taut.stepping.stepper import Stepper
from taut.stepping.tally import Tally


def advance(
    stepper: Stepper, state: State, h: float, tally: Tally, depth: int = 0, tried: Attempt | None = None
) -> State:
    """Advance by h: in one piece if that is accepted, else in halves or smaller parts.

    `tried` is how an attempt at it ended, if one was made already.
    """
    settings, accepts = stepper.settings, stepper.settings.policy.accepts
    bounces = None
    if tried is None:
        stepper.find_redundant(state)
    stepper.bounced = None
    if stepper.bounces and accepts and tally.passes < IMPACTS.passes:
        bounces, passes = bounce(stepper, state, h, IMPACTS.passes - tally.passes)
        tally.passes += passes
    start = state if bounces is None else bounces.state
    stepper.bounced = None if bounces is None else bounces.struck
    # after a bounce the path is known to second order in h, and so is its energy
    watched = np.zeros(state.calm.size, bool) if bounces is not None else state.calm < CALM.rough_frames
    tried = tried or attempt(stepper, start, h, tally, watched)
    outcome, verdict = tried.outcome, worst(tried.verdicts)
    if bounces is not None:
        outcome = with_blows_counted(stepper, outcome, bounces)
        if verdict == "solved":
            verdict = judgement(outcome, settings, watched, tally.risen)
    spent = depth == settings.halvings or tally.solves >= settings.budget or not accepts
    spent |= verdict == "friction" and stepper.friction_passes <= 0  # without passes halves would end no better
    if spent and accepts and verdict == "energy":
        verdict = judgement(outcome, settings, np.zeros_like(watched), tally.risen)  # as smooth motion may gain
    if spent and accepts and verdict not in SAFE:
        tally.lose(outcome, verdict, lost_bodies(stepper, outcome, verdict))
        return state
    # rows that were redundant and opened on the way say something else now: a shorter step leaves a smaller gap
    fits = verdict == "contradiction" and outcome.opened <= settings.limit
    if verdict == "solved" or fits or spent:
        if verdict != "solved" and accepts:
            outcome = calmed(stepper, outcome)
        if verdict == "solved" and overlooked(stepper, outcome, start):
            verdict = "penetration"  # an error of an earlier step: halving this one would not help
        tally.keep(outcome, verdict)
        after = settle(start, h, outcome)
        return after if bounces is None else bounces.complete(stepper, after, whole=depth == 0)
    if verdict == "energy" and settings.scheme.depth and depth == 0:
        return advance_in_parts(stepper, state, h, tally)
    tally.halved |= verdict != "energy"
    levels = levels_down(stepper, state, h, tried) if verdict in ("violation", "balance") else 1
    levels = min(levels, settings.halvings - depth)
    return advance_by(stepper, state, h, tally, parts=2**levels, depth=depth + levels, look_back=False)


def lost_bodies(stepper: Stepper, outcome: Outcome, verdict: str) -> NDArray[np.bool_]:
    """Bodies (n,) that joints and contacts connect to rows that do not hold; all, where the solve itself failed."""
    moves = stepper.mechanism.bodies.moves > 0
    if verdict != "violation":
        return moves
    bad = outcome.row_error > stepper.settings.limit
    assert bad.any(), "a violation is one of rows"
    lost = outcome.group[stepper.mechanism.links.row_body[bad]]
    return np.asarray(np.isin(outcome.group, lost) & moves)


def levels_down(stepper: Stepper, state: State, h: float, tried: Attempt) -> int:
    """How many times to halve a step that failed at once: until no jointed body turns too far in a part.

    It turns as fast as it does, or as the solve of the whole step would have had it.
    """
    jointed = stepper.mechanism.links.jointed > 0
    turn = max(h * float(np.abs(state.velocity[jointed, 3:]).max(initial=0.0)), tried.turn)
    return max(math.ceil(math.log2(max(turn / LINEARISATION.turn, 2.0))), 1) if math.isfinite(turn) else 1


def advance_in_parts(stepper: Stepper, state: State, h: float, tally: Tally) -> State:
    """Advance by h in a few parts, the first by Euler: as accurate as the two-step scheme with a step as short.

    Used to start, and where the scheme's own error would raise energy. The whole is what the next step looks back on.
    """
    after = advance_by(stepper, state, h, tally, parts=DIVISION.parts, depth=1, look_back=True)
    return after.but(previous_velocity=state.velocity, previous_spin=state.spin, previous_slim_spin=state.slim_spin)


def advance_by(
    stepper: Stepper, state: State, h: float, tally: Tally, parts: int, depth: int, look_back: bool
) -> State:
    """Advance by h in equal parts; without `look_back` neither they nor what follows may use the part before.

    With it, what follows may look back on the whole where no part broke off.
    """
    after, moved = state.but(history=np.zeros_like(state.history)), np.zeros_like(state.displacement)
    unbroken = np.full_like(state.history, look_back)
    for part in range(parts):
        before = with_goals(stepper, after, *goals_after(state, (part + 1) / parts))
        after = advance(stepper, before, h / parts, tally, depth)
        if tally.lost is not None:
            return after.but(target=state.target, limits=state.limits)
        moved += after.displacement
        smooth = smooth_bodies(stepper, before, after)
        unbroken = np.minimum(unbroken, smooth)
        after = after.but(history=np.minimum(smooth, np.uint8(look_back)))
    return after.but(displacement=moved, history=unbroken)


def goals_after(state: State, share: float) -> tuple[Array, Array]:
    """Targets (rows,) and limits (rows, 2) after a share of a frame: in proportion; ends at infinity jump."""
    target, limits, begin, ends = state.target, state.limits, state.reached, state.reached_limits
    if share < 1.0 and not np.array_equal(target, begin):
        target = begin + share * (target - begin)
    if share < 1.0 and not np.array_equal(limits, ends):
        way = np.subtract(limits, ends, out=np.zeros_like(limits), where=np.isfinite(limits) & np.isfinite(ends))
        limits = np.where(way == 0.0, limits, ends + share * way)
    return target, limits


def with_goals(stepper: Stepper, state: State, target: Array, limits: Array) -> State:
    """The state with other targets and limits; what that puts into springs of motors is not the step's doing."""
    state = state.but(limits=limits)
    if target is state.target or np.array_equal(target, state.target):
        return state
    now, before = (
        stored_energy(stepper.mechanism, state, goal, state.measure).sum() for goal in (target, state.target)
    )
    return state.but(target=target, energy=state.energy + float(now - before))


def settle(state: State, h: float, outcome: Outcome) -> State:
    """The state at the end of an accepted step; bodies that met others on their way have nothing to look back on."""
    own, history, met = state.force.size, outcome.history.copy(), outcome.contacts.met
    history[outcome.thrown > 0] = 0
    if met is not None:
        history[met.contacts.body_a] = history[met.contacts.body_b] = 0
    return state.but(
        time=state.time + h, history=history, position=outcome.position,
        orientation=outcome.orientation, velocity=outcome.velocity, previous_velocity=state.velocity,
        spin=outcome.spin, previous_spin=state.spin, slim_spin=outcome.slim_spin,
        previous_slim_spin=state.slim_spin, displacement=outcome.path, measure=outcome.measure,
        older=older_steps(state, outcome.history), lent=outcome.lent, calm=taut_calm(state.calm, outcome.taut),
        force=outcome.force[:own], index_set=outcome.solution.index_set[:own], coordinate=outcome.coordinate,
        energy=outcome.energy, contacts=outcome.memory, reached=state.target.copy(),
        reached_limits=state.limits.copy(), iterations=outcome.iterations,
    )  # fmt: skip


def smooth_bodies(stepper: Stepper, before: State, after: State) -> NDArray[np.uint8]:
    """Flags (n,) of bodies that moved smoothly: no bound reached or left, no contact made, broken or slipping.

    Bounds of the first step have nothing to compare with.
    """
    mechanism, history = stepper.mechanism, after.history.copy()
    if before.steps > 0:
        history[mechanism.links.row_body[before.index_set != after.index_set]] = 0
    changed, _ = changes(before.contacts, after.contacts, mechanism.geoms.radius, mechanism.count)
    history[changed] = 0
    return history
