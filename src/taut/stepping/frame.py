"""A frame: all bodies at once if they can, else groups of bodies on their own.

Bodies that neither joints nor contacts connect do not feel each other. So a frame is tried for all; groups that fail go
on as a mechanism of their own, linearised again and divided as they need, while the others keep what they have. Where
even that does not help, the frame is lost for a group, which is given the safe state of `taut.stepping.recovery`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from taut.model.state import State
from taut.stepping.acceptance import is_open
from taut.stepping.advance import ROUGH_FRAMES, advance, advance_in_parts, find_redundant, settle, smooth_bodies
from taut.stepping.attempt import attempt
from taut.stepping.part import Part, part_of
from taut.stepping.recovery import open_gaps, recover
from taut.stepping.stepper import Stepper
from taut.stepping.tally import Tally

CALM_FRAMES = 4
"""Frames after a rough one that are left to Euler, which calms what the step cannot resolve: the two-step scheme would
carry it on, and `snap_chain` would take 3.6 solves a frame instead of 2.7."""

Mask = NDArray[np.bool_]


def frame(stepper: Stepper, state: State) -> tuple[State, Tally]:
    """The state a frame later, and what that took."""
    settings, tally = stepper.settings, Tally.of(stepper.mechanism.count)
    starting = state.steps == 0 and settings.scheme.needs_history and settings.policy.accepts
    if starting:
        after = advance_in_parts(stepper, state, settings.step, tally)
    else:
        after = together_or_apart(stepper, state, tally)
    if tally.lost is not None:
        after = end_of_lost_frame(stepper, state, after, tally)
    elif tally.status == "solved" and settings.policy.accepts and tally.drift > settings.limit:
        tally.status = "violation"  # of a gap that was too large to begin with, a part is left
    tally.rough |= tally.is_rough()
    return after, tally


def together_or_apart(stepper: Stepper, state: State, tally: Tally) -> State:
    """The state a frame later: of groups that are accepted at the first try, and of the others on their own."""
    h, groups = stepper.settings.step, np.unique(stepper.mechanism.links.joined)
    if groups.size <= 2 or stepper.bounces or not stepper.settings.policy.accepts:
        return advance(stepper, state, h, tally)
    find_redundant(stepper, state)
    tried = attempt(stepper, state, h, tally, state.calm < ROUGH_FRAMES, once=True)
    good = (tried.verdicts == "solved")[tried.outcome.group]
    moves = stepper.mechanism.bodies.moves > 0
    if good[moves].all():
        tally.keep(tried.outcome, "solved")
        return settle(state, h, tried.outcome)
    if not good[moves].any():
        return advance(stepper, state, h, tally)
    tally.keep(tried.outcome, "solved")
    return apart(stepper, state, settle(state, h, tried.outcome), [moves & ~good], tally)
