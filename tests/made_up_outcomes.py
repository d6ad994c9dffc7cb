"""First solves of a step, and outcomes with errors that are made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import taut
from taut.stepping import tables
from taut.stepping.attempt import predict_and_collide
from taut.stepping.outcome import Outcome
from taut.stepping.start import Start, first_start
from taut.stepping.step import step
from taut.stepping.tally import Tally

ROWS = {
    "violation": tables.VIOLATION, "error": tables.ERROR, "drift": tables.DRIFT, "left": tables.LEFT,
    "opened": tables.OPENED, "misfit": tables.MISFIT, "depth": tables.DEPTH, "contact_error": tables.CONTACT_ERROR,
    "touching": tables.TOUCHING, "strayed": tables.STRAYED, "imbalance": tables.IMBALANCE, "reach": tables.REACH,
    "turned": tables.TURNED, "energy_rise": tables.RISE, "contact_energy_rise": tables.CONTACT_RISE,
}  # fmt: skip
"""Rows of the verdict by name."""


def nothing_spent(simulation: taut.Simulation) -> Tally:
    """The tally of a frame that has not begun."""
    return Tally.of(simulation.model.bodies.count)


def first_solve(simulation: taut.Simulation, h: float = 1 / 60) -> tuple[Start, Outcome]:
    """Start and outcome of the first linearised solve of a step from the simulation's state."""
    stepper, state = simulation.stepper, simulation.state
    stepper.scratch.left.fill(0.0)
    stepper.find_redundant(state)
    contacts = predict_and_collide(stepper, state, h, nothing_spent(simulation))
    start = first_start(stepper, state, h, contacts)
    return start, step(stepper, state, start)


def with_errors(outcome: Outcome, body: int = 1, **values: Any) -> Outcome:
    """The outcome with other values: errors are those of one body's group, and the others keep theirs."""
    table, fields = outcome.table.copy(), {}
    for name, value in values.items():
        if name in ROWS:
            table[ROWS[name], outcome.group[body]] = value
        else:
            fields[name] = value
    return replace(outcome, table=table, **fields)


def worst(outcome: Outcome, name: str) -> float:
    """The largest of a row of the verdict, over all groups."""
    return float(outcome.table[ROWS[name]].max())


def without_errors(outcome: Outcome) -> Outcome:
    """The outcome with every error zero."""
    return replace(outcome, table=np.zeros_like(outcome.table), friction_residual=0.0)
