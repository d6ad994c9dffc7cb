"""The largest calm steps of a plucked cable: the figures that the bench shows, on a small cable."""

from __future__ import annotations

import json

import numpy as np
import pytest

from taut.benchmarks import _stable_step
from taut.benchmarks._stable_step import compare_exact, is_calm, largest_step, pluck, stable_steps

LINKS = 20


@pytest.mark.parametrize("way", _stable_step.WAYS)
@pytest.mark.parametrize("stiffness", ["auto", "exact"])
def test_with_geometric_stiffness_a_frame_of_a_sixtieth_is_calm(way: str, stiffness: str) -> None:
    assert is_calm(pluck(stiffness, way, 1 / 60, links=LINKS, ratio=1e5), way)


@pytest.mark.parametrize("way", _stable_step.WAYS)
def test_without_it_a_frame_of_a_sixtieth_is_not(way: str) -> None:
    """Steps are not accepted; taken as they come, they tear the cable apart."""
    recording = pluck("off", way, 1 / 60, links=LINKS, ratio=1e5)
    assert not is_calm(recording, way)
    assert recording.column("unconverged").any() if way == "accepted" else recording.violation.max() > 0.01


def test_one_solve_is_one_solve_a_frame() -> None:
    recording = pluck("auto", "one solve", 1 / 60, links=LINKS)
    assert set(recording.column("solves")[1:].tolist()) == {1}


def test_a_step_counts_if_the_next_smaller_one_is_calm_too(monkeypatch: pytest.MonkeyPatch) -> None:
    calm = {8.0: True, 4.0: False, 2.0: True, 1.0: True}
    monkeypatch.setattr(_stable_step, "STEPS", tuple(calm))
    monkeypatch.setattr(_stable_step, "pluck", lambda stiffness, way, step: step)
    monkeypatch.setattr(_stable_step, "is_calm", lambda step, way: calm[step])
    assert largest_step("auto", "accepted") == 2.0


def test_the_largest_step_rises_tenfold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_stable_step, "DURATION", 0.1)
    rows = stable_steps(links=LINKS, ratio=1e5)
    json.dumps(rows, allow_nan=False)
    found = {(row["taken"], row["stiffness"]): row for row in rows}
    assert len(found) == 6
    for way in _stable_step.WAYS:
        assert found[way, "off"]["step_s"] > 0.0
        assert min(found[way, "auto"]["gain"], found[way, "exact"]["gain"]) >= 10.0


def test_rows_of_the_comparison_are_complete() -> None:
    (row,) = compare_exact(("four_bar",), frames=3)
    json.dumps(row, allow_nan=False)
    assert row["scene"] == "four_bar" and row["clipped_frames"] == 0
    assert row["exact_residual"] <= 1e-9 and row["exact_ms"] > 0.0
    assert row["exact_energy_change"] == pytest.approx(row["auto_energy_change"], rel=1e-3)
    assert np.isfinite(list(value for value in row.values() if isinstance(value, float))).all()
