"""The same scene with several solvers."""

from __future__ import annotations

from taut import scenes
from taut.commands.compare import compare_solvers
from taut.simulation.launch import RunRequest


def test_solvers_without_parts_are_compared_with_one_that_has_some() -> None:
    request = RunRequest(scenes.get("hanging_chain"), {"links": 6}, solver="schur-bpp", duration=0.05, part_size=2)
    summaries, _ = compare_solvers(request, ["bpp", "schur-bpp"])
    assert [run["solver"] for run in summaries] == ["bpp", "schur-bpp"]
    assert [run["parts_mean"] for run in summaries] == [0.0, 3.0]
    assert all(run["status"] == "ok" for run in summaries)
