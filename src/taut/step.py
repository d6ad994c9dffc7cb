"""The step on one screen: predict, collide, linearise, solve, check; accept, linearise again, or halve.

        (alpha M - h beta K~) v+ - J^T lam = p + h f - h beta K~ v_k
        J v+ + S lam + b = w,   lower <= lam <= upper complementary to w           linearised at x_k = x(v_k)

A step is accepted, not assumed. Rows are measured again at the new configuration, and the energy is compared with the
work that was put in. If the linearisation was off, it is made again at the new velocity; if that does not help, the
step is halved with implicit Euler, until the frame's budget is spent: then the best attempt is taken, slowed down where
energy rose, and the report says so. If only the energy rose, the frame is done in parts. Contacts are looked for at the
predicted configuration, and again where bodies end up elsewhere than predicted.
Solvers that are not exact get one solve a frame with Euler, taken as it is, as engines built on them do: halving would
only hide what they do.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from taut.bench import Workbench
from taut.energy import TINY
from taut.impacts import bounce
from taut.integrators.weights import Weights
from taut.linearise import (
    Outcome,
    first_start,
    linearised_solve,
    next_start,
    predict,
    return_to,
)
from taut.settings import TOUCHING_SLACK, Settings
from taut.state import State
from taut.touching import (
    depth_at,
    find_contacts,
    shared_history,
    slim_bodies,
    struck_bodies,
    touched_bodies,
    without_history,
)

SMOOTH_SOLVES = 3
"""A frame that needed more solves was rough, such as a chain that snaps taut."""

CALM_FRAMES = 4
"""Frames after a rough one that are left to Euler, which calms what the step cannot resolve: the two-step scheme would
carry it on, and energy would rise by its error."""

ROUGH_FRAMES = 300
"""Frames after a rough one in which energy is watched closely: what the step cannot resolve must die out, not grow."""

PARTS = 4
"""Parts of the first frame, and of one whose energy rose: a sixteenth of the scheme's error, for a few solves."""

STRIKES = 3
"""Times a step starts anew because contacts struck bodies that looked back; who is struck then depends on it."""

STALLED = 0.5
"""A linearisation that leaves more than this share of the error before it will not get there: the step is halved."""


@dataclass
class Tally:
    """What a frame has spent and how good its parts were."""

    solves: int = 0
    substeps: int = 0
    pivots: int = 0
    residual: float = 0.0
    violation: float = 0.0
    depth: float = 0.0
    friction_residual: float = 0.0
    collisions: int = 0
    status: str = "solved"
    halved: bool = False
    last: Outcome | None = None

    def count(self, outcome: Outcome) -> None:
        """Count a solve, whether its result is taken or not."""
        self.solves += outcome.solves
        self.pivots += outcome.pivots
        self.residual = max(self.residual, outcome.solution.residual)

    def keep(self, outcome: Outcome, verdict: str) -> None:
        """Count a part of the frame that was taken."""
        self.substeps += 1
        self.violation = max(self.violation, outcome.violation)
        self.depth = max(self.depth, outcome.depth)
        self.friction_residual = max(self.friction_residual, outcome.friction_residual)
        self.last = outcome
        if self.status == "solved":
            self.status = verdict


def step(bench: Workbench, state: State) -> tuple[State, Tally]:
    """Advance one frame."""
    tally, settings = Tally(), bench.settings
    bench.slim = slim_bodies(bench, state.contacts.contacts, state.contacts.force[:, 0] > 0.0)
    if bench.response.redundancy.factor is not None:
        bench.put_at(state)
        bench.response.find_redundant(bench.rotation, bench.rows)
    starting = state.steps == 0 and settings.scheme.needs_history and settings.solver.exact
    after = (advance_in_parts if starting else advance)(bench, state, settings.step, tally)
    rough = tally.halved or tally.solves > SMOOTH_SOLVES * tally.substeps
    calm = 0 if rough else state.calm + 1
    after.history = smooth_bodies(bench, state, after) * np.uint8(calm >= CALM_FRAMES)
    after.steps, after.calm = state.steps + 1, calm
    return after, tally


def advance(bench: Workbench, state: State, h: float, tally: Tally, depth: int = 0) -> State:
    """Advance by h: in one piece if that is accepted, else in parts or halves."""
    settings = bench.settings
    bounces = bounce(bench, state, h) if bench.bounces and settings.solver.exact else None
    start = state if bounces is None else bounces.state
    # after a bounce the path is known to second order in h, and so is its energy
    outcome, verdict, weights = attempt(bench, start, h, tally, bounces is None and state.calm < ROUGH_FRAMES)
    spent = depth == settings.halvings or tally.solves >= settings.budget or not settings.solver.exact
    if verdict in ("solved", "contradiction") or spent:
        if verdict != "solved" and settings.solver.exact:
            outcome = calmed(outcome)
        if verdict == "solved" and overlooked(bench, outcome, start):
            verdict = "penetration"  # an error of an earlier step: halving this one would not help
        tally.keep(outcome, verdict)
        after = settle(start, weights, outcome)
        return after if bounces is None else bounces.complete(bench, after, whole=depth == 0)
    if verdict == "energy" and weights.drift.any() and depth == 0:
        return advance_in_parts(bench, state, h, tally)
    tally.halved |= verdict != "energy"
    return advance_by(bench, state, h, tally, parts=2, depth=depth + 1, look_back=False)


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
    unbroken = np.full_like(state.history, look_back)
    for _ in range(parts):
        before = after
        after = advance(bench, before, h / parts, tally, depth)
        moved += after.displacement
        smooth = smooth_bodies(bench, before, after)
        unbroken *= smooth
        after = replace(after, history=smooth * np.uint8(look_back))
    return replace(after, displacement=moved, history=unbroken)


def attempt(bench: Workbench, state: State, h: float, tally: Tally, watched: bool) -> tuple[Outcome, str, Weights]:
    """Solve the step, linearising again until the rows hold at the new configuration, and say how it ended.

    With `watched` energy is judged by the tolerance of rough motion.
    """
    settings = bench.settings
    weights, guess = predict_and_collide(bench, state, h, tally)
    start = first_start(bench, state, h, guess)
    tries: list[Outcome] = []
    for number in range(settings.linearisations):
        outcome = linearised_solve(bench, state, weights, start)
        tally.count(outcome)
        struck = struck_bodies(bench, weights, outcome.solution.lam)
        if struck.size and not tries and tally.solves < settings.budget and number < STRIKES:
            weights = without_history(bench, weights, struck, settings.scheme)
            start = first_start(bench, state, h, predict(bench, state, weights))
            continue
        tries.append(outcome)
        if outcome.strayed and settings.solver.exact:
            collide_again(bench, state, outcome, h, tally)
        if done(tries, settings) or tally.solves >= settings.budget:
            break
        start = next_start(bench, outcome, h)
    best = min(tries, key=lambda candidate: total_error(candidate, settings))
    if best is not outcome:
        return_to(bench, best)
    return best, judgement(best, settings, watched), weights


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


def done(tries: list[Outcome], settings: Settings) -> bool:
    """Whether linearising again is not needed, or will not help."""
    errors = [total_error(outcome, settings) for outcome in tries]
    back = 2 if tries[-1].touching == 0 else 3
    stalled = len(errors) > back and errors[-1] > STALLED * min(errors[-back:-1])
    return errors[-1] <= 1.0 or stalled or not settings.solver.exact


def total_error(outcome: Outcome, settings: Settings) -> float:
    """Error of rows or contacts, whichever is worse, over what is tolerated.

    Energy that contacts raise belongs to it: a spinning log that is thrown about turns away from the axes its inertia
    was balanced in, and the next linearisation is made where it went.
    """
    return max(
        outcome.error / (slack(outcome) * settings.tolerance),
        outcome.contact_error / settings.contact_tolerance,
        outcome.contact_energy_rise / settings.energy_tolerance,
    )


def slack(outcome: Outcome) -> float:
    """How many times its usual error a joint may have: contacts that jump make a step rough, and halving no better."""
    return TOUCHING_SLACK if outcome.touching else 1.0


def judgement(outcome: Outcome, settings: Settings, watched: bool) -> str:
    """"solved", or the first thing that is wrong."""
    if not np.isfinite(outcome.energy):
        return "non-finite"
    if outcome.solution.status != "solved":
        return str(outcome.solution.status)
    if outcome.error > slack(outcome) * settings.limit:
        return "violation"
    if outcome.contact_error > settings.contact_limit:
        return "penetration"
    if outcome.violation > settings.contradiction:
        return "contradiction"
    if outcome.friction_residual > settings.friction_limit:
        return "friction"
    allowed = settings.rough_energy_tolerance if watched else settings.energy_tolerance
    if outcome.energy_rise > allowed or outcome.contact_energy_rise > settings.energy_tolerance:
        return "energy"
    return "solved"


def overlooked(bench: Workbench, outcome: Outcome, state: State) -> bool:
    """Whether bodies overlapped where the step began, too deep, without any step before having known.

    What overlaps before the first step is meant to. Seen from where bodies will be, surfaces may seem to have
    overlapped that did not: what looks so is looked at again where the step began.
    """
    rows = outcome.contacts
    if rows is None or state.steps == 0:
        return False
    allowed = bench.settings.contact_limit * rows.thickness
    suspects = np.flatnonzero(rows.overlooked > allowed)
    return any(depth_at(bench, state, rows, contact) > allowed[contact] for contact in suspects.tolist())


def calmed(outcome: Outcome) -> Outcome:
    """The outcome with every group of bodies whose energy rose slowed down to where it does not.

    An attempt that is taken because the budget is spent must not blow up what follows; other groups are left alone.
    The forces that threw a group are not remembered, and what they compressed is taken back slowly.
    """
    if max(outcome.energy_rise, outcome.contact_energy_rise) <= 0.0 or not np.isfinite(outcome.energy):
        return outcome
    kinetic = outcome.kinetic
    share = np.clip(1.0 - outcome.gain / np.maximum(kinetic, TINY), 0.0, 1.0)
    slow, memory = np.sqrt(share)[outcome.group], outcome.memory
    thrown = (slow[memory.contacts.body_a] < 1.0) | (slow[memory.contacts.body_b] < 1.0)
    memory = replace(
        memory, force=np.where(thrown[:, None], 0.0, memory.force),
        aim=np.where(thrown, np.minimum(memory.aim, memory.gap), memory.aim),
    )  # fmt: skip
    return replace(
        outcome, velocity=slow[:, None] * outcome.velocity, spin=slow[:, None] * outcome.spin,
        slim_spin=slow * outcome.slim_spin, energy=outcome.energy - float((1.0 - share) @ kinetic),
        memory=memory,
    )  # fmt: skip


def settle(state: State, weights: Weights, outcome: Outcome) -> State:
    """The state at the end of an accepted step."""
    after = copy(state)
    after.time = state.time + weights.h
    after.history = np.ones_like(state.history)
    after.position, after.orientation = outcome.position, outcome.orientation
    after.velocity, after.previous_velocity = outcome.velocity, state.velocity
    after.spin, after.previous_spin = outcome.spin, state.spin
    after.slim_spin, after.previous_slim_spin = outcome.slim_spin, state.slim_spin
    after.displacement = outcome.path
    after.force, after.index_set = outcome.force, outcome.solution.index_set[: outcome.force.size]
    after.coordinate, after.energy, after.contacts = outcome.coordinate, outcome.energy, outcome.memory
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
