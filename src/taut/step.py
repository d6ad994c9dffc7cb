"""The step on one screen: predict, linearise, solve, check; accept, linearise again, or halve.

        (alpha M - h beta K~) v+ - J^T lam = p + h f - h beta K~ v_k
        J v+ + S lam + b = w,   lower <= lam <= upper complementary to w           linearised at x_k = x(v_k)

A step is accepted, not assumed. Rows are measured again at the new configuration, and the energy is compared with the
work that was put in. If the linearisation was off, it is made again at the new velocity; if that does not help, the step
is halved with implicit Euler, until the frame's budget is spent: then the last attempt is taken and the report says so.
Solvers that are not exact get one solve a frame with Euler, taken as it is, as engines built on them do: halving would
only hide what they do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from taut.integrators import EULER
from taut.integrators.scheme import Scheme
from taut.linearise import Outcome, Settings, Workbench, linearised_solve, predict, predicted_configuration, return_to
from taut.problem.solution import WarmStart
from taut.state import State


SMOOTH_SOLVES = 3
"""A frame that needed more solves was not smooth: the next one starts again with Euler."""

STARTING_PARTS = 4
"""Parts of the very first frame, the first by Euler: starting costs the two-step scheme no accuracy, and a few solves."""

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
    tally = Tally()
    starting = state.steps == 0 and bench.settings.scheme.needs_history and bench.settings.solver.exact
    parts = STARTING_PARTS if starting else 1
    after, moved = state, np.zeros_like(state.displacement)
    for _ in range(parts):
        after = advance(bench, after, bench.settings.step / parts, tally, 0)
        moved += after.displacement
    smooth = tally.solves <= SMOOTH_SOLVES * parts and not index_set_changed(state, after)
    if parts > 1:  # the whole frame is what the next step looks back on
        after = replace(
            after, previous_velocity=state.velocity, previous_spin=state.spin, previous_slim_spin=state.slim_spin,
            displacement=moved,
        )  # fmt: skip
    return replace(after, steps=state.steps + 1, history=smooth), tally


def advance(bench: Workbench, state: State, h: float, tally: Tally, depth: int) -> State:
    """Advance by h: in one piece if that is accepted, else in two halves."""
    settings = bench.settings
    scheme = settings.scheme if state.history and settings.solver.exact else EULER
    outcome, verdict = attempt(bench, state, scheme, h, tally)
    spent = depth == settings.halvings or tally.solves >= settings.budget or not settings.solver.exact
    if verdict == "solved" or spent:
        tally.keep(outcome, verdict)
        return settle(state, scheme, h, outcome)
    middle = advance(bench, replace(state, history=False), 0.5 * h, tally, depth + 1)
    return advance(bench, replace(middle, history=False), 0.5 * h, tally, depth + 1)


def attempt(bench: Workbench, state: State, scheme: Scheme, h: float, tally: Tally) -> tuple[Outcome, str]:
    """Solve the step, linearising again until the rows hold at the new configuration, and say how it ended."""
    settings = bench.settings
    guess, force = predict(bench, state, scheme, h), state.force
    predicted_configuration(bench, state, scheme, h, guess)
    warm = WarmStart(state.index_set, force * h)
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
    return best, judgement(bench, best, relinearised=len(tries) > 1)


def done(tries: list[Outcome], settings: Settings) -> bool:
    """Whether linearising again is not needed, or will not help."""
    errors = [outcome.error for outcome in tries]
    stalled = len(errors) > 2 and errors[-1] > STALLED * errors[-2]
    return errors[-1] <= settings.tolerance or stalled or not settings.solver.exact


def judgement(bench: Workbench, outcome: Outcome, relinearised: bool) -> str:
    """"solved", or the first thing that is wrong."""
    settings = bench.settings
    if not np.isfinite(outcome.energy):
        return "non-finite"
    if outcome.solution.status != "solved":
        return str(outcome.solution.status)
    if outcome.error > settings.limit:
        return "violation"
    # the two-step scheme is off by its order in smooth motion; where motion is rough the same rise is the start of trouble
    allowed = settings.rough_energy_tolerance if relinearised else settings.energy_tolerance
    return "energy" if outcome.energy_rise > allowed else "solved"


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
    """Whether a bound was reached or left: the motion is not smooth there. The first step has nothing to compare with."""
    return before.steps > 0 and not np.array_equal(before.index_set, after.index_set)
