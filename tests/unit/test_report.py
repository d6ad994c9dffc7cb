"""Step reports and run summaries."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sample_recordings import CONTRACT, initial_report, report

from taut.results.report import REPORT_DTYPE, STAGES, StepReport, summarize

NAMES = {"scene": "s", "solver": "bpp", "integrator": "bdf2", "coordinates": "maximal", "step": 0.01}


def table(*reports: StepReport) -> np.ndarray:
    return np.array([each.as_row() for each in reports], REPORT_DTYPE)


def test_seconds_are_named_by_stage() -> None:
    made = report(1)
    assert list(made.seconds) == list(STAGES)
    assert made.seconds["solve"] == made.stage_seconds[STAGES.index("solve")]
    assert made.total_seconds == pytest.approx(sum(made.seconds.values()))


def test_row_keeps_every_field() -> None:
    made = report(
        3,
        status="iteration limit",
        unconverged=True,
        tight=7,
        contacts=5,
        penetration=2e-4,
        friction_residual=3e-5,
        flicker=2,
    )
    row = table(made)[0]
    for name in REPORT_DTYPE.names:
        expected = getattr(made, name)
        expected = expected.encode() if name == "status" else expected
        assert np.array_equal(row[name], expected), name


def test_summary_has_every_field_of_the_contract() -> None:
    summary = summarize(table(initial_report(), report(1)), {"load": [1.0, 2.0, 3.0]}, **NAMES).as_dict()
    assert set(CONTRACT) - {"events"} <= set(summary)  # which are the recording's
    assert summary["final"] == {"load": [1.0, 2.0, 3.0]}
    assert summary["bodies"] == 1
    assert summary["status"] == "ok"


def test_summary_aggregates_steps_and_leaves_out_the_initial_state() -> None:
    reports = table(
        initial_report(),
        report(1, rows=10, solves=1, residual=1e-12, violation=1e-9, stage_seconds=(0, 0, 0, 0.001, 0, 0.001)),
        report(2, rows=20, solves=3, residual=3e-12, violation=5e-9, stage_seconds=(0, 0, 0, 0.002, 0, 0.001)),
        report(3, rows=60, solves=2, residual=2e-12, violation=2e-9, stage_seconds=(0, 0, 0, 0.007, 0, 0.001)),
    )
    summary = summarize(reports, {}, **NAMES)
    assert summary.steps == 3
    assert (summary.rows_mean, summary.rows_max) == (30.0, 60)
    assert (summary.solves_mean, summary.solves_max) == (2.0, 3)
    assert summary.residual_max == 3e-12
    assert summary.residual_mean == pytest.approx(2e-12)
    assert summary.violation_max == 5e-9
    assert summary.step_ms_median == pytest.approx(3.0)
    assert summary.step_ms_max == pytest.approx(8.0)
    assert summary.solve_ms_median == pytest.approx(2.0)
    assert summary.stages_ms["other"] == pytest.approx(1.0)
    assert (summary.energy_first, summary.energy_last) == (-200.0, -203.0)
    assert summary.energy_drift == pytest.approx(-3 / 200)
    assert summary.duration == pytest.approx(0.03)


def test_summary_tells_contacts_and_the_worst_frame() -> None:
    reports = table(
        initial_report(),
        report(
            1, rows=10, tight=5, pivots=3, contacts=4, flicker=4, penetration=1e-4, stage_seconds=(0, 0, 0, 0, 0, 0.001)
        ),
        report(
            2, rows=20, tight=5, pivots=9, contacts=8, flicker=2, penetration=3e-4, stage_seconds=(0, 0, 0, 0, 0, 0.004)
        ),
        report(3, rows=0, tight=0, pivots=0, friction_residual=2e-5, stage_seconds=(0, 0, 0, 0, 0, 0.002)),
    )
    summary = summarize(reports, {}, **NAMES)
    assert (summary.contacts_mean, summary.contacts_max) == (4.0, 8)
    assert summary.penetration_max == 3e-4 and summary.friction_residual_max == 2e-5
    assert summary.flicker_mean == pytest.approx(6 / 12)
    assert summary.tight_share_mean == pytest.approx((0.5 + 0.25 + 0.0) / 3)
    assert summary.pivots_max == 9
    assert summary.worst_frame == {"index": 2, "ms": pytest.approx(4.0)}


def test_unconverged_steps_are_counted_and_said() -> None:
    summary = summarize(table(initial_report(), report(1), report(2, unconverged=True)), {}, **NAMES)
    assert summary.unconverged_steps == 1
    assert summary.status == "unconverged"


@pytest.mark.parametrize("ending", ["interrupted", "failed", "running"])
def test_a_run_that_did_not_complete_says_how_it_ended(ending: str) -> None:
    assert summarize(table(initial_report(), report(1)), {}, ending=ending, **NAMES).status == ending


def test_numbers_that_are_not_finite_become_valid_json() -> None:
    broken = report(1, residual=math.inf, energy=math.nan)
    summary = summarize(table(initial_report(), broken), {"load": [math.nan, 0.0, 0.0]}, **NAMES).as_dict()
    text = json.dumps(summary, allow_nan=False)
    assert json.loads(text)["residual_max"] is None
    assert json.loads(text)["final"]["load"] == [None, 0.0, 0.0]


def test_a_run_without_steps_has_a_summary() -> None:
    summary = summarize(table(initial_report()), {}, **NAMES)
    assert (summary.steps, summary.residual_max, summary.step_ms_median) == (0, 0.0, 0.0)
    assert (summary.flicker_mean, summary.worst_frame) == (0.0, {"index": 0, "ms": 0.0})
