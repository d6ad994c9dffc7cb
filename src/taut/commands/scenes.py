"""What `taut scenes` prints."""

from __future__ import annotations

from typing import Any

import taut.scenes
from taut.scenes._measured import compared, read_measured, side_by_side
from taut.scenes._papers import PAPERS

HEADINGS = {
    "bodies": "bodies", "mass": "kg", "mass_ratio": "ratio", "rows_mean": "mean rows", "rows_max": "peak rows",
    "condition": "condition",
}  # fmt: skip


def listed() -> list[dict[str, Any]]:
    """Every scene with its parameters, in a row of a table."""
    rows = []
    for entry in map(taut.scenes.get, taut.scenes.names()):
        parameters = ", ".join(f"{key}={value}" for key, value in entry.parameters.items())
        rows.append(
            {"name": entry.name, "duration": entry.duration, "summary": f"{entry.summary}\n[dim]{parameters}[/]"}
        )
    return rows


def figures() -> list[dict[str, Any]]:
    """The figures of every scene that was measured or is in a paper, in a row of a table."""
    measured = read_measured()
    return [
        {"name": name}
        | {HEADINGS[key]: side_by_side(*pair) for key, pair in compared(name, measured.get(name, {})).items()}
        for name in taut.scenes.names()
        if name in measured or name in PAPERS
    ]


def as_objects() -> list[dict[str, Any]]:
    """Every scene with all that is known of it; `paper` is None where there is none."""
    measured = read_measured()
    rows = []
    for entry in map(taut.scenes.get, taut.scenes.names()):
        pairs = compared(entry.name, measured.get(entry.name, {}))
        paper = PAPERS.get(entry.name)
        rows.append(
            {
                "name": entry.name,
                "duration": entry.duration,
                "summary": entry.summary,
                "parameters": entry.parameters,
                "measured": {key: own for key, (own, _) in pairs.items()},
                "paper": None if paper is None else paper._asdict(),
            }
        )
    return rows
