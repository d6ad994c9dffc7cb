"""The step: from one state to the next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.contact.friction import FRAME_PASSES
from taut.model.state import State
from taut.rows.law import FOLLOW
from taut.spatial import Array
from taut.stepping.advance import smooth_bodies
from taut.stepping.frame import frame
from taut.stepping.settings import CALM_FRAMES
from taut.stepping.smooth import ROUGH, SmoothFrames, can_be_smooth
from taut.stepping.stepper import Stepper
from taut.stepping.tally import Tally


def step(stepper: Stepper, state: State) -> tuple[State, Tally]:
    """Advance one frame: in compiled code if it is smooth."""
    smooth, first = smooth_frames(stepper), None
    if smooth is not None and state.steps > 0:
        after, done, code = smooth.advance(state, 1)
        if done:
            return after, smooth.tally()
        first = smooth.outcome(state) if code == ROUGH else None
    stepper.friction_passes = FRAME_PASSES
    state = replace(state, reached=where_targets_begin(stepper, state))
    after, tally = frame(stepper, state, first)
    calm = np.where(tally.rough, 0, state.calm + 1)
    history = smooth_bodies(stepper, state, after) * (calm >= CALM_FRAMES).astype(np.uint8)
    return replace(after, history=history, steps=state.steps + 1, calm=calm), tally


def steps(stepper: Stepper, state: State, count: int) -> tuple[State, Tally, int]:
    """Advance up to so many frames, the smooth ones among the first of them together; at least one.

    Returns: the state, what the last frame took, and how many frames were done.
    """
    smooth = smooth_frames(stepper)
    together = smooth is not None and state.steps > 0 and stepper.redundancy.factor is None
    if smooth is not None and together:
        after, done, _ = smooth.advance(state, count)
        if done:
            return after, smooth.tally(), done
    after, tally = step(stepper, state)
    return after, tally, 1


def smooth_frames(stepper: Stepper) -> SmoothFrames | None:
    """Compiled frames of a stepper, where it can have them; made once."""
    if "smooth" not in stepper.made:
        stepper.made["smooth"] = SmoothFrames(stepper) if can_be_smooth(stepper) else None
    return stepper.made["smooth"]


def where_targets_begin(stepper: Stepper, state: State) -> Array:
    """Where targets (rows,) set out from in a frame: servos from where they are; speeds are new at once."""
    begin = np.where(stepper.mechanism.servos, state.measure, state.reached)
    return np.where(stepper.mechanism.laws.kind == FOLLOW, state.target, begin)
