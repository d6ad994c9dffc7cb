"""The hanging chain beside Pinocchio: rows, and the search for the substeps it needs."""

from __future__ import annotations

import numpy as np
import pytest

from taut.benchmarks import _chain_race
from taut.scenes.hanging_chain import REFERENCE


def test_frames_are_measured_step_by_step_and_in_one_go_and_end_at_the_same_place(monkeypatch):
    monkeypatch.setattr(_chain_race, "LINKS", 3)
    monkeypatch.setattr(_chain_race, "FRAMES", 30)
    monkeypatch.setattr(_chain_race, "has_pinocchio", lambda: False)
    rows = _chain_race.race(5.0, np.zeros(3), {"bpp": {}, "linear": {"solver": "linear-time"}})
    assert [row["case"] for row in rows[:4]] == ["bpp, step()", "bpp, run()", "linear, step()", "linear, run()"]
    assert rows[0]["error_mm"] == rows[1]["error_mm"] and rows[2]["error_mm"] == rows[3]["error_mm"] > 1.0
    assert all(row["frame_ms"] > 0.0 for row in rows[:4]) and rows[3]["ratio"] == 1.0
    assert rows[4]["case"].startswith("Pinocchio: not installed")


@pytest.mark.parametrize(("needed", "found"), [(1, 1), (2, 2), (13, 13), (284, range(284, 289)), (1025, None)])
def test_the_fewest_substeps_that_hold_are_found(monkeypatch, needed, found):
    asked = []

    def holds(load, reference, substeps):
        asked.append(substeps)
        return substeps >= needed

    monkeypatch.setattr(_chain_race, "holds", holds)
    least = _chain_race.least_substeps(500.0, REFERENCE)
    assert least in found if isinstance(found, range) else least == found
    assert len(asked) <= 20 and max(asked) <= _chain_race.MOST_SUBSTEPS


def test_pinocchio_needs_13_substeps_at_2000_to_1():
    pytest.importorskip("pinocchio")
    assert not _chain_race.holds(500.0, REFERENCE, 12)
    assert _chain_race.holds(500.0, REFERENCE, 13)
