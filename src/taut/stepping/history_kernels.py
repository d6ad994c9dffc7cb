"""What steps look back on: their weights body by body, and the past that these are for."""

from __future__ import annotations

from taut.integrators.scheme import OLDER, STEP
from taut.kernel import kernel
from taut.stepping.settings import CALM
from taut.stepping.tables import Past, Scratch, StateTable, StepModel
from taut.tables import Flags, RealRows, Reals


@kernel(inner=True)
def find_past(s: StateTable, past: Past, body: int, level: int, one: Reals) -> None:
    """What a body sees of the last steps with the numbers of a scheme that looks back on so many.

    Writes:  past
    """
    v, q, d, share = past.velocity[body], past.spin[body], past.displacement[body], 1.0 if level > 0 else 0.0
    for i in range(6):
        v[i], d[i] = share * s.previous_velocity[body, i], share * s.displacement[body, i]
    for i in range(3):
        q[i] = share * s.previous_spin[body, i]
    past.slim_spin[body] = share * s.previous_slim_spin[body]
    for i in range(4):
        past.orientation[body, i] = s.orientation[body, i]
    for step in range(level - 1):
        older, weight, way = s.older[body, STEP * step :], one[8 + step], one[8 + OLDER + step]
        for i in range(6):
            v[i] += weight * older[i]
            d[i] += way * older[10 + i]
        for i in range(3):
            q[i] += weight * older[6 + i]
        past.slim_spin[body] += weight * older[9]


@kernel(inner=True)
def set_aside(s: StateTable, body: int, level: int) -> None:
    """The last step of a body becomes an older one; 0 where its next one may not look back so far.

    Writes:  older of the state
    """
    older, kept = s.older[body], STEP * (level - 1)
    for i in range(older.shape[0] - 1, STEP - 1, -1):
        older[i] = older[i - STEP] if i < kept else 0.0
    for i in range(6):
        older[i] = s.previous_velocity[body, i] if kept > 0 else 0.0
        older[10 + i] = s.displacement[body, i] if kept > 0 else 0.0
    for i in range(3):
        older[6 + i] = s.previous_spin[body, i] if kept > 0 else 0.0
    older[9] = s.previous_slim_spin[body] if kept > 0 else 0.0


@kernel(inner=True)
def next_level(m: StepModel, w: Scratch, body: int, depth: int) -> int:
    """How many steps the next one of a body may look back on, if it goes on smoothly, with a scheme of this depth.

    Far only where joints hold it: in flight momentum says where bodies go.
    """
    return min(int(w.weights.level[body]) + 1, depth) if depth > 1 and m.links.jointed[body] != 0 else 1


@kernel(inner=True)
def far_frames(step: float) -> int:
    """Calm frames of this length, s, that schemes which look back far leave to BDF2, at least."""
    return CALM.rough_frames + int(CALM.slack / step + 0.5)


@kernel(inner=True)
def calm_level(level: int, calm: int, far: int) -> int:
    """How many of them it may look back on after so many calm frames: Euler, BDF2, then from `far` on the scheme."""
    return 0 if calm < CALM.calm_frames else min(level, 1) if calm < far else level


@kernel(inner=True)
def calm_after(calm: int, taut: int) -> int:
    """Calm frames after one more. Bodies that are taut have so few that they go on with BDF2."""
    return (min(calm, CALM.rough_frames) if taut != 0 else calm) + 1


@kernel()
def choose_weights(h: float, ladder: RealRows, history: Flags, s: StateTable, w: Scratch) -> None:
    """Weights of the schemes of a ladder, by how many steps bodies may look back on (n,), and what they see there.

    Writes:  weights, past
    """
    weights = w.weights
    weights.h[0] = h
    for body in range(history.shape[0]):
        level = min(int(history[body]), ladder.shape[0] - 1)
        one = ladder[level]
        weights.level[body] = level
        find_past(s, w.past, body, level, one)
        weights.alpha[body] = h * one[1] if one[0] != 0.0 else one[1]
        weights.beta[body], weights.now[body], weights.before[body] = one[2] * h, one[3], one[4]
        weights.drift[body], weights.guess_now[body], weights.guess_before[body] = one[5], one[6], one[7]
