"""What was measured of the scenes, see `docs/make_tables.py`, and how it compares with the papers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from taut.scenes._papers import PAPERS

MEASURED = Path(__file__).with_name("_measured.json")

COMPARED = {
    "bodies": "bodies_moving", "mass": "mass", "mass_ratio": "mass_ratio", "rows_mean": "rows_mean",
    "rows_max": "rows_max", "condition": "condition_estimate",
}  # fmt: skip
"""What papers give, and what is measured."""


def read_measured() -> dict[str, dict[str, Any]]:
    """What was measured, by scene."""
    found: dict[str, dict[str, Any]] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return found


def compared(name: str, measured: dict[str, Any]) -> dict[str, tuple[float | None, float | None]]:
    """Figures of a scene, each as measured and as a paper has it; rows without those that only carry stiffness."""
    paper = PAPERS.get(name)
    found: dict[str, tuple[float | None, float | None]] = {}
    for figure, key in COMPARED.items():
        own = measured.get(key)
        if own is not None and figure.startswith("rows"):
            own -= measured["companion_rows"]
        found[figure] = own, None if paper is None else getattr(paper, figure)
    return found


def side_by_side(own: float | None, paper: float | None) -> str:
    """A figure as measured, and in brackets that of a paper."""
    shown = [] if own is None else [short(own)]
    return " ".join(shown + ([] if paper is None else [f"({short(paper)})"]))


def short(value: float) -> str:
    """A figure with three digits, counts and what is below a million in full."""
    if isinstance(value, int):
        return f"{value:,}"
    if not 1e-3 <= abs(value) < 1e6:
        return f"{value:.2e}".replace("e+0", "e").replace("e+", "e")
    digits = float(f"{value:.3g}")
    return f"{digits:,.0f}" if value >= 100.0 else f"{digits:g}"
