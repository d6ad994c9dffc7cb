"""Random mechanisms never break, and what counts as solved is right."""

from __future__ import annotations

import numpy as np
import pytest
from fuzz.judge import run
from fuzz.mechanisms import random_mechanism

SHORT, LONG = range(3, 33), [range(3), *(range(first, first + 50) for first in range(1000, 1500, 50))]
FOUND = (1018, 1019, 1030, 1043, 1065, 1076, 1152, 1161, 1176)
"""Mechanisms of the long run that broke something once."""


def complaints(seed: int, coordinates: str = "maximal") -> list[str]:
    """What is wrong with a mechanism."""
    return list(run(random_mechanism(np.random.default_rng(seed)), coordinates=coordinates).complaints.values())


@pytest.mark.parametrize("seed", [*SHORT, *FOUND])
def test_random_mechanism(seed: int) -> None:
    assert complaints(seed) == []


@pytest.mark.parametrize("seed", [3, 4, 5, 7, 8, 9])
def test_random_mechanism_in_joint_coordinates(seed: int) -> None:
    assert complaints(seed, "reduced") == []


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("seeds", LONG, ids=lambda seeds: f"from {seeds.start}")
def test_many_random_mechanisms(seeds: range, coordinates: str) -> None:
    wrong = {seed: found for seed in seeds if (found := complaints(seed, coordinates))}
    assert wrong == {}
