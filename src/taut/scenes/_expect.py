"""What scenes ask of their recordings: each raises AssertionError in one readable line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from taut.results.record import Recording
from taut.spatial import Array, rotate_each


def expect(true: bool, text: str) -> None:
    """Raise AssertionError with this text unless it is true (also where Python runs with -O)."""
    if not true:
        raise AssertionError(text)


def expect_joined(recording: Recording, violation: float, residual: float = 1e-9) -> None:
    """Every step was solved to this residual (-) and left joints open by at most this violation (m)."""
    unconverged = int(recording.column("unconverged").sum())
    expect(unconverged == 0, f"{unconverged} of {len(recording) - 1} steps missed their tolerances")
    expect_below(recording, "residual", recording.residual, residual)
    expect_below(recording, "violation in m", recording.violation, violation)


def expect_below(recording: Recording, quantity: str, values: Array, bound: float) -> None:
    """All values (frames,) are finite and at most the bound; the text says where the worst one was."""
    worst = int(np.argmax(np.where(np.isfinite(values), values, np.inf)))
    text = f"{quantity} is {values[worst]:.3g} at t = {recording.time[worst]:.4g} s; at most {bound:.3g} is right"
    expect(bool(values[worst] <= bound), text)


def expect_energy(recording: Recording, scale: float, loss: float, gain: float = 1e-6) -> None:
    """Energy stays within `gain` above and `loss` below its start, both as shares of `scale` (J)."""
    change = gained(recording) / scale
    expect_below(recording, "energy gained, as a share of the scene's", change, gain)
    expect_below(recording, "energy lost, as a share of the scene's", -change, loss)


def gained(recording: Recording) -> Array:
    """Energy since the start (frames,), J."""
    return recording.energy - recording.energy[0]


def expect_rows(recording: Recording, share: float, **published: float) -> None:
    """The `mean` or `most` rows of a frame are those published, to this share of them."""
    rows = recording.column("rows")[1:]
    for kind, right in published.items():
        found = float(rows.mean() if kind == "mean" else rows.max())
        text = f"{found:.4g} rows are the {kind} of a frame; {right:.4g} is right, to {100.0 * share:.0f} %"
        expect(abs(found - right) <= share * right, text)


def expect_near(recording: Recording, quantity: str, values: Array, reference: Array | float, bound: float) -> None:
    """Values (frames,) or (frames, n) are at most `bound` from their closed form, in the same unit."""
    error = np.abs(values - reference)
    expect_below(recording, f"error of {quantity}", error if error.ndim == 1 else np.linalg.norm(error, axis=1), bound)


def expect_contacts(recording: Recording, penetration: float, violation: float = 1e-4, residual: float = 1e-8) -> None:
    """Every step was solved, joints are open by at most `violation` and bodies overlap by at most `penetration`, m.

    How bodies were put there is not the steps' doing.
    """
    expect_joined(recording, violation, residual)
    overlap = recording.column("penetration").copy()
    overlap[0] = 0.0
    expect_below(recording, "penetration in m", overlap, penetration)


def expect_at_rest(recording: Recording, names: Sequence[str], since: float, drift: float, creep: float) -> None:
    """These bodies stay within `drift` (m) of where they are at `since` (s), and end slower than `creep` (m/s)."""
    settled = int(np.searchsorted(recording.time, since - 1e-9))
    if settled >= len(recording) - 1:
        return
    for name in names:
        position = recording.body(name).position
        shift = np.linalg.norm(position - position[settled], axis=1)
        shift[:settled] = 0.0
        expect_below(recording, f"drift of {name} in m", shift, drift)
        half = (settled + len(recording) - 1) // 2
        passed = recording.time[-1] - recording.time[half]
        speed = float(np.linalg.norm(position[-1] - position[half])) / passed
        expect(speed <= creep, f"{name} creeps at {speed:.3g} m/s; at most {creep:.3g} is right")


def torque_about(recording: Recording, joint: str, body: str, axis: Sequence[float]) -> Array:
    """Torque (frames,) of a hinge about its axis, given in axes of the body that it moves: its motor's, N m.

    Where the hinge is at a limit, what that does is in it.
    """
    reaction = recording.joint(joint).reaction
    assert reaction is not None
    world = rotate_each(recording.body(body).orientation, np.tile(axis, (len(recording), 1)))
    return np.sum(world * reaction[:, 3:], axis=1)
