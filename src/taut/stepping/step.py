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
from taut.stepping.stepper import Stepper
from taut.stepping.tally import Tally

CALM_FRAMES = 4
"""Frames after a rough one that are left to Euler, which calms what the step cannot resolve: the two-step scheme would
carry it on, and `snap_chain` would take 3.6 solves a frame instead of 2.7."""


def step(stepper: Stepper, state: State) -> tuple[State, Tally]:
    """Advance one frame."""
    stepper.friction_passes = FRAME_PASSES
    state = replace(state, reached=where_targets_begin(stepper, state))
    after, tally = frame(stepper, state)
    calm = np.where(tally.rough, 0, state.calm + 1)
    history = smooth_bodies(stepper, state, after) * (calm >= CALM_FRAMES).astype(np.uint8)
    return replace(after, history=history, steps=state.steps + 1, calm=calm), tally


def where_targets_begin(stepper: Stepper, state: State) -> Array:
    """Where targets (rows,) set out from in a frame: servos from where they are; speeds are new at once."""
    begin = np.where(stepper.mechanism.servos, state.measure, state.reached)
    return np.where(stepper.mechanism.laws.kind == FOLLOW, state.target, begin)
