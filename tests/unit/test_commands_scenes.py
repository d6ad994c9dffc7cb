"""What `taut scenes` and `taut run --json` say of scenes."""

from __future__ import annotations

import json
import sys

import pytest

from taut.commands import main
from taut.commands.scenes import as_objects, figures


def test_scenes_have_figures_beside_those_of_papers() -> None:
    listed = {each["name"]: each for each in as_objects()}
    wrap = listed["chain_wrap"]
    assert wrap["paper"]["mass_ratio"] == wrap["measured"]["mass_ratio"] == 2000.0 and wrap["paper"]["rows_max"] is None
    assert listed["four_bar"]["paper"] is None
    assert {each["name"]: each["bodies"] for each in figures()}["chain_wrap"] == "101 (101)"


def test_json_of_a_run_has_masses_and_a_condition_number(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--set", "links=3", "--duration", "0.1", "--json"]
    monkeypatch.setattr(sys, "argv", ["taut", "run", "hanging_chain", *options])
    with pytest.raises(SystemExit):
        main.main()
    summary = json.loads(capsys.readouterr().out)
    assert summary["mass_ratio"] == 2000.0 and summary["mass"] == 500.75 and summary["companion_rows"] == 0.0
    assert summary["bodies_moving"] == 4 and summary["condition_estimate"] > 1.0
