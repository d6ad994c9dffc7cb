"""Nothing that is fired at a wall, a bullet or the ground gets through unnoticed, and what misses flies on."""

from __future__ import annotations

import pytest
from fuzz.bullets import KINDS, fire

SHORT, LONG = range(3 * len(KINDS)), range(30000, 32000)
WRONG = 12
"""Shots of the long range that have other faults than to pass something: bodies that tumble by radians a frame gain a
hundredth of their energy, or feel walls that they fly past."""


@pytest.mark.parametrize("seed", SHORT)
def test_a_shot_passes_nothing(seed: int) -> None:
    result = fire(seed)
    assert not result.passed
    assert result.wrong == []


@pytest.mark.slow
def test_no_shot_passes_anything() -> None:
    results = {seed: fire(seed) for seed in LONG}
    assert [seed for seed, result in results.items() if result.passed] == []
    assert sum(bool(result.wrong) for result in results.values()) <= WRONG
