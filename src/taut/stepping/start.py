"""Where a linearisation is made and its solver starts: from the state, or from where the last solve led."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.collide.sweep import keys_of
from taut.contact.rows import ContactSet
from taut.model.articulation import ELIMINATED
from taut.model.state import State
from taut.problem.solution import MlcpSolution, WarmStart
from taut.spatial import Array
from taut.stepping.outcome import Outcome
from taut.stepping.settings import DIVISION
from taut.stepping.stepper import Stepper


@dataclass(eq=False)
class Start:
    """Where a linearisation is made and its solver starts: bodies are where the guess leads.

    Shapes: guess (n, 6); force (rows,) N or N m, for the geometric stiffness.
    """

    guess: Array
    force: Array
    warm: WarmStart | MlcpSolution
    contacts: ContactSet


def first_start(stepper: Stepper, state: State, h: float, contacts: ContactSet) -> Start:
    """Start from the state: forces and labels of the step before; bodies are where the prediction leads."""
    # a limit's impulse pushes whichever end it comes from
    lam = h * np.where(stepper.mechanism.laws.limits > 0, np.abs(state.force), state.force)
    guess = stepper.scratch.candidate.guess.copy()
    return with_contacts(guess, state.force, WarmStart(state.index_set, lam), contacts, h)


def with_contacts(guess: Array, force: Array, own: WarmStart, contacts: ContactSet, h: float) -> Start:
    """A start with these forces and multipliers of the model's own rows, and what contacts start with."""
    if not contacts.count:
        return Start(guess, force, own, contacts)
    from taut.contact.start_kernels import start_rows

    force, index_set, lam = (
        np.concatenate([values, np.zeros(contacts.row_count, values.dtype)])
        for values in (force, own.index_set, own.lam)
    )
    start_rows(contacts.handle, h, force, index_set, lam)
    return Start(guess, without_blows(force, contacts), WarmStart(index_set, lam), contacts)


def without_blows(force: Array, contacts: ContactSet) -> Array:
    """Forces (rows,) that act all through the step: not those of bodies that meet, which act at once.

    Spread over the step they would have a stiffness that holds a body as it was turned when it was hit.
    """
    if contacts.met is None:
        return force
    table, met = contacts.table, contacts.met.contacts
    hit = np.isin(keys_of(table.geom_a, table.geom_b), keys_of(met.geom_a, met.geom_b))
    force = force.copy()
    for k in range(int(table.width.max(initial=0))):
        force[table.row[hit & (table.width > k)] + k] = 0.0
    return force


def next_start(outcome: Outcome, contacts: ContactSet, own: int, h: float) -> Start:
    """Start from an outcome of the same step; contacts may have been looked for again since."""
    solution = outcome.solution
    if contacts is outcome.contacts:
        contacts.table.normal_impulse[:] = np.maximum(solution.lam[contacts.table.row], 0.0)
        return Start(outcome.heading, without_blows(outcome.force, contacts), solution, contacts)
    warm = WarmStart(solution.index_set[:own], solution.lam[:own])
    return with_contacts(outcome.heading, outcome.force[:own], warm, contacts, h)


def leave_gaps(stepper: Stepper, state: State, h: float) -> None:
    """In a part of a frame, let rows leave that share of their gaps that is for the rest of a frame to close.

    A gap that is closed within a part as if it were a whole frame would be closed that much faster: halving would
    multiply speeds instead of calming them.
    """
    from taut.rows.law_kernels import gaps_to_leave

    share, laws, left = 1.0 - h / stepper.settings.step, stepper.mechanism.laws, stepper.scratch.left
    if share < DIVISION.whole or not stepper.settings.policy.accepts:
        left.fill(0.0)
        return
    gaps_to_leave(laws.kind, state.reached, state.reached_limits, share, state.measure, left)
    left[stepper.mechanism.trees.role == ELIMINATED] = 0.0  # joint coordinates close them at once


def move_places(stepper: Stepper, guess: Array, velocity: Array) -> None:
    """Put bodies where another velocity than the guess leads from where the linearisation was made."""
    from taut.integrators.motion_kernels import place

    scratch = stepper.scratch
    base, places, beta = scratch.base, scratch.places, scratch.weights.beta
    place(
        stepper.mechanism.bodies.moves, base.position, base.orientation, guess, velocity, -beta, beta,
        places.position, places.orientation, places.rotation,
    )  # fmt: skip
    on_trees(stepper, velocity)


def on_trees(stepper: Stepper, guess: Array) -> None:
    """Put bodies of trees where no joint is open, and make the guess (n, 6) what leads there."""
    from taut.stepping.tree_kernels import keep_on_trees

    if stepper.mechanism.trees.body.size:
        keep_on_trees(stepper.m, stepper.w)
        guess += stepper.scratch.candidate.shift
