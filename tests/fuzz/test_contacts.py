"""Random scenes with contact never break, nothing falls through the ground, and what counts as solved is right."""

from __future__ import annotations

from itertools import product

import pytest
from fuzz.contact_scenes import KINDS, random_contacts
from fuzz.judge import run

SHORT, LONG = range(2), range(100, 140)

KNOWN = {("spinning", 1)}
"""Bodies that turn by 5 rad a frame: seen from where one will be, its surface overlapped the ground where the true one
did not, and it is let sink in as deep."""


def complaints(kind: str, seed: int) -> list[str]:
    """What is wrong with a scene."""
    return list(run(random_contacts(kind, seed)).complaints.values())


@pytest.mark.parametrize(("kind", "seed"), [each for each in product(KINDS, SHORT) if each not in KNOWN])
def test_random_contacts(kind: str, seed: int) -> None:
    assert complaints(kind, seed) == []


@pytest.mark.parametrize(("kind", "seed"), sorted(KNOWN))
def test_known_limits_are_still_there(kind: str, seed: int) -> None:
    """What is mended goes back to the others."""
    assert any("overlap" in text for text in complaints(kind, seed))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_random_contacts(kind: str) -> None:
    wrong = {seed: found for seed in LONG if (found := complaints(kind, seed))}
    assert wrong == {}
