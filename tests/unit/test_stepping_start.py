"""Where a step starts: gaps that are left for later, and solves of one step that start from each other."""

from __future__ import annotations

import numpy as np
import pytest
from made_up_outcomes import worst
from sample_mechanisms import chain
from staged_steps import staged

from taut.stepping.start import first_start, leave_gaps, next_start
from taut.stepping.step import step


def test_a_part_of_a_frame_leaves_gaps_in_proportion() -> None:
    simulation = chain(links=2)
    state, stepper = simulation.state.copy(), simulation.stepper
    state.measure = state.target + 0.01
    leave_gaps(stepper, state, 0.25 * simulation.settings.step)
    hard = stepper.mechanism.hard
    assert stepper.scratch.left[hard] == pytest.approx(0.75 * 0.01)
    leave_gaps(stepper, state, simulation.settings.step)
    assert not stepper.scratch.left.any()


def test_an_outcome_keeps_what_later_solves_overwrite() -> None:
    """Solves of the same step start from the one before and converge; what the first led to stays as it was."""
    simulation = chain(links=3)
    begun, h = staged(simulation), simulation.settings.step
    stepper, state = begun.stepper, begun.state
    leave_gaps(stepper, state, h)
    begun.predict()
    first = latest = step(stepper, state, first_start(stepper, state, h, stepper.alone))
    kept = {name: value.copy() for name, value in vars(first).items() if isinstance(value, np.ndarray)}
    assert first.solution.solved and worst(first, "error") > 1e-6
    for _ in range(5):
        latest = step(stepper, state, next_start(latest, stepper.alone, stepper.mechanism.row_count, h))
    assert latest.solution.solved and worst(latest, "error") < 1e-9
    assert not np.array_equal(first.velocity, latest.velocity)
    for name, value in kept.items():
        np.testing.assert_array_equal(getattr(first, name), value, name)
