"""Random mechanisms never break, and what counts as solved is right."""

from __future__ import annotations

import numpy as np
import pytest
from fuzz.judge import run
from fuzz.mechanisms import random_mechanism

SHORT, LONG = range(3, 33), range(1000, 1500)
FOUND = (1018, 1019, 1030, 1043, 1065, 1076, 1152, 1161, 1176)
"""Mechanisms of the long run that broke something once."""


def complaints(seed: int) -> list[str]:
    """What is wrong with a mechanism."""
    return list(run(random_mechanism(np.random.default_rng(seed))).complaints.values())


@pytest.mark.parametrize("seed", [*SHORT, *FOUND])
def test_random_mechanism(seed: int) -> None:
    assert complaints(seed) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", LONG[::50])
def test_many_random_mechanisms(first: int) -> None:
    wrong = {seed: found for seed in range(first, first + 50) if (found := complaints(seed))}
    assert wrong == {}
