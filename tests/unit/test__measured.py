"""Figures beside those of papers."""

from __future__ import annotations

import pytest

from taut.scenes._measured import compared, short, side_by_side


@pytest.mark.parametrize(
    ("value", "text"),
    [(2385, "2,385"), (2385.4, "2,390"), (0.25, "0.25"), (62.5, "62.5"), (5.565e6, "5.56e6"), (1e19, "1.00e19"),
     (1e-4, "1.00e-04")],
)  # fmt: skip
def test_figures_are_short(value: float, text: str) -> None:
    assert short(value) == text


def test_a_paper_is_in_brackets() -> None:
    assert side_by_side(2.0, 3.0) == "2 (3)" and side_by_side(None, 3) == "(3)"
    assert side_by_side(2, None) == "2" and side_by_side(None, None) == ""


def test_rows_that_only_carry_stiffness_do_not_count() -> None:
    run = {"rows_mean": 30.0, "rows_max": 40, "companion_rows": 20.0, "mass": 5.0}
    pairs = compared("winch", run)
    assert pairs["rows_mean"] == (10.0, None) and pairs["rows_max"] == (20.0, 370) and pairs["mass"] == (5.0, 450.0)
    assert compared("no_paper", {})["mass"] == (None, None)
