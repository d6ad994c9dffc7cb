"""How far back steps may look, and what of the past a state keeps for that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.integrators.scheme import STEP
from taut.model.state import State
from taut.spatial import Array, Integers
from taut.stepping.settings import CALM

Levels = NDArray[np.uint8]
"""How many steps (n,) bodies may look back on."""


def shared_history(moves: NDArray[np.bool_], history: Levels, group: Integers) -> Levels:
    """History of bodies that share it with all that move of their group (n,): as much as the least of them has."""
    level = np.full(group.size, history.max(initial=0), np.uint8)
    if (history == level).all():
        return history
    np.minimum.at(level, group[moves], history[moves])
    return np.asarray(np.minimum(history, level[group]))


def next_levels(level: Levels, jointed: NDArray[np.bool_], depth: int) -> Levels:
    """History after a step of bodies that looked back on so many steps in it, see the kernel `next_level`."""
    return np.where(jointed & (depth > 1), np.minimum(level + 1, depth), 1).astype(np.uint8)


def far_frames(step: float) -> int:
    """Calm frames of this length, s, that schemes which look back far leave to BDF2, see the kernel."""
    return CALM.rough_frames + int(CALM.slack / step + 0.5)


def calm_levels(level: Levels, calm: Integers, step: float) -> Levels:
    """History that bodies may use after so many calm frames (n,) of this length, s, see the kernel `calm_level`."""
    most = np.where(calm < CALM.calm_frames, 0, np.where(calm < far_frames(step), 1, level))
    return np.minimum(level, most).astype(np.uint8)


def taut_calm(calm: Integers, taut: Levels) -> Integers:
    """Calm frames (n,) before one in which some bodies (n,) were taut, see the kernel `calm_after`."""
    return np.where(taut > 0, np.minimum(calm, CALM.rough_frames), calm)


def older_steps(state: State, history: Levels) -> Array:
    """`State.older` a step after a state, of bodies that may look back on so many steps there; see `set_aside`."""
    if history.max(initial=0) < 2:
        return np.zeros_like(state.older)
    last = (state.previous_velocity, state.previous_spin, state.previous_slim_spin[:, None], state.displacement)
    steps = np.concatenate([*last, state.older[:, :-STEP]], axis=1)
    kept = STEP * (history.astype(np.int64) - 1)
    return np.where(np.arange(steps.shape[1]) < kept[:, None], steps, 0.0)
