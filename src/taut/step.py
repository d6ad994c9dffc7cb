"""The step on one screen: predict, linearise, solve, check; accept, linearise again, or halve.

        (alpha M - h beta K~) v+ - J^T lam = p + h f - h beta K~ v_k
        J v+ + S lam + b = w,   lower <= lam <= upper complementary to w           linearised at x_k = x(v_k)

A step is accepted, not assumed. Rows are measured again at the new configuration, and the energy is compared with the
work that was put in. If the linearisation was off, it is made again at the new velocity; if that does not help, the
step is halved with implicit Euler, until the frame's budget is spent: then the best attempt is taken, slowed down where
energy rose, and the report says so. If only the energy rose, the frame is done in parts.
Solvers that are not exact get one solve a frame with Euler, taken as it is, as engines built on them do: halving would
only hide what they do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from taut.integrators import EULER
from taut.integrators.scheme import Scheme
from taut.linearise import (
    TINY,
    Outcome,
    Settings,
    Workbench,
    linearised_solve,
    predict,
    predicted_configuration,
    return_to,
)
from taut.problem.solution import MlcpSolution, WarmStart
from taut.state import State

SMOOTH_SOLVES = 3
"""A frame that needed more solves was rough, such as a chain that snaps taut."""

CALM_FRAMES = 4
"""Frames after a rough one that are left to Euler, which calms what the step cannot resolve: the two-step scheme would
carry it on, and energy would rise by its error."""

ROUGH_FRAMES = 300
"""Frames after a rough one in which energy is watched closely: what the step cannot resolve must die out, not grow."""

PARTS = 4
"""Parts of the first frame, and of one whose energy rose: a sixteenth of the scheme's error, for a few solves."""

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
    status: str = "solved"
    halved: bool = False
    last: Outcome | None = None

    def count(self, outcome: Outcome) -> None:
        """Count a solve, whether its result is taken or not."""
        self.solves += 1
        self.pivots += outcome.solution.iterations
        self.residual = max(self.residual, outcome.solution.residual)

    def keep(self, outcome: Outcome, verdict: str) -> None:
        """Count a part of the frame that was taken."""
        self.substeps += 1
        self.violation = max(self.violation, outcome.violation)
        self.last = outcome
        if self.status == "solved":
            self.status = verdict


def step(bench: Workbench, state: State) -> tuple[State, Tally]:
    """Advance one frame."""
    tally, settings = Tally(), bench.settings
    bench.response.find_redundant(bench.rotation, bench.rows)
    starting = state.steps == 0 and settings.scheme.needs_history and settings.solver.exact
    after = (advance_in_parts if starting else advance)(bench, state, settings.step, tally)
    rough = tally.halved or tally.solves > SMOOTH_SOLVES * tally.substeps
    calm = 0 if rough else state.calm + 1
    history = after.history and calm >= CALM_FRAMES and not index_set_changed(state, after)
    return replace(after, steps=state.steps + 1, history=history, calm=calm), tally


def advance(bench: Workbench, state: State, h: float, tally: Tally, depth: int = 0) -> State:
    """Advance by h: in one piece if that is accepted, else in parts or halves."""
    settings = bench.settings
    scheme = settings.scheme if state.history and settings.solver.exact else EULER
    outcome, verdict = attempt(bench, state, scheme, h, tally, watched=state.calm < ROUGH_FRAMES)
    spent = depth == settings.halvings or tally.solves >= settings.budget or not settings.solver.exact
    if verdict in ("solved", "contradiction") or spent:
        if verdict != "solved" and settings.solver.exact:
            outcome = calmed(bench, outcome)
        tally.keep(outcome, verdict)
        return settle(state, scheme, h, outcome)
    if verdict == "energy" and scheme.needs_history and depth == 0:
        return advance_in_parts(bench, state, h, tally)
    tally.halved |= verdict != "energy"
    return advance_by(bench, state, h, tally, parts=2, depth=depth + 1, history=False)


def advance_in_parts(bench: Workbench, state: State, h: float, tally: Tally) -> State:
    """Advance by h in a few parts, the first by Euler: as accurate as the two-step scheme with a step as short.

    Used to start, and where the scheme's own error would raise energy. The whole is what the next step looks back on.
    """
    after = advance_by(bench, state, h, tally, parts=PARTS, depth=1, history=True)
    return replace(
        after, history=True,
        previous_velocity=state.velocity, previous_spin=state.spin, previous_slim_spin=state.slim_spin,
    )  # fmt: skip


def advance_by(
    bench: Workbench, state: State, h: float, tally: Tally, parts: int, depth: int, history: bool
) -> State:
    """Advance by h in equal parts; without `history` neither they nor what follows may look back on the part before."""
    after, moved = replace(state, history=False), np.zeros_like(state.displacement)
    for _ in range(parts):
        after = advance(bench, after, h / parts, tally, depth)
        moved += after.displacement
        after = replace(after, history=after.history and history)
    return replace(after, displacement=moved)


def attempt(
    bench: Workbench, state: State, scheme: Scheme, h: float, tally: Tally, watched: bool
) -> tuple[Outcome, str]:
    """Solve the step, linearising again until the rows hold at the new configuration, and say how it ended.

    With `watched` energy is judged by the tolerance of rough motion.
    """
    settings = bench.settings
    guess, force = predict(bench, state, scheme, h), state.force
    predicted_configuration(bench, state, scheme, h, guess)
    # a limit's impulse pushes whichever end it comes from
    warm: WarmStart | MlcpSolution = WarmStart(state.index_set, h * np.where(bench.limits, np.abs(force), force))
    tries: list[Outcome] = []
    for _ in range(settings.linearisations):
        outcome = linearised_solve(bench, state, scheme, h, guess, warm, force)
        tally.count(outcome)
        tries.append(outcome)
        if done(tries, settings) or tally.solves >= settings.budget:
            break
        guess, force, warm = outcome.velocity, outcome.force, outcome.solution
    best = min(tries, key=lambda candidate: candidate.error)
    if best is not outcome:
        return_to(bench, best)
    return best, judgement(best, settings, watched)


def done(tries: list[Outcome], settings: Settings) -> bool:
    """Whether linearising again is not needed, or will not help."""
    errors = [outcome.error for outcome in tries]
    stalled = len(errors) > 2 and errors[-1] > STALLED * errors[-2]
    return errors[-1] <= settings.tolerance or stalled or not settings.solver.exact


def judgement(outcome: Outcome, settings: Settings, watched: bool) -> str:
    """"solved", or the first thing that is wrong."""
    if not np.isfinite(outcome.energy):
        return "non-finite"
    if outcome.solution.status != "solved":
        return str(outcome.solution.status)
    if outcome.error > settings.limit:
        return "violation"
    if outcome.violation > settings.contradiction:
        return "contradiction"
    allowed = settings.rough_energy_tolerance if watched else settings.energy_tolerance
    return "energy" if outcome.energy_rise > allowed else "solved"


def calmed(bench: Workbench, outcome: Outcome) -> Outcome:
    """The outcome with every group of bodies whose energy rose slowed down to where it does not.

    An attempt that is taken because the budget is spent must not blow up what follows; other groups are left alone.
    """
    if outcome.energy_rise <= 0.0 or not np.isfinite(outcome.energy):
        return outcome
    kinetic = outcome.kinetic
    share = np.clip(1.0 - outcome.gain / np.maximum(kinetic, TINY), 0.0, 1.0)
    slow = np.sqrt(share)[bench.group]
    return replace(
        outcome, velocity=slow[:, None] * outcome.velocity, spin=slow[:, None] * outcome.spin,
        slim_spin=slow * outcome.slim_spin, energy=outcome.energy - float((1.0 - share) @ kinetic),
    )  # fmt: skip


def settle(state: State, scheme: Scheme, h: float, outcome: Outcome) -> State:
    """The state at the end of an accepted step."""
    return replace(
        state,
        time=state.time + h,
        history=True,
        position=outcome.position,
        orientation=outcome.orientation,
        velocity=outcome.velocity,
        spin=outcome.spin,
        slim_spin=outcome.slim_spin,
        previous_velocity=state.velocity,
        previous_spin=state.spin,
        previous_slim_spin=state.slim_spin,
        displacement=scheme.drift * state.displacement + scheme.position * h * outcome.velocity,
        force=outcome.force,
        index_set=outcome.solution.index_set,
        coordinate=outcome.coordinate,
        energy=outcome.energy,
    )


def index_set_changed(before: State, after: State) -> bool:
    """Whether a bound was reached or left, so that motion is not smooth. The first step has nothing to compare with."""
    return before.steps > 0 and not np.array_equal(before.index_set, after.index_set)
