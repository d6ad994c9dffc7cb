"""Random scenes with contact never break, nothing falls through the ground, and what counts as solved is right."""

from __future__ import annotations

import pytest
from fuzz.contact_scenes import KINDS, random_contacts
from fuzz.judge import run

SHORT, LONG = range(2), range(100, 140)
JOINTED = ("belt", "grip")
"""Kinds with joints."""


def complaints(kind: str, seed: int, coordinates: str = "maximal") -> list[str]:
    """What is wrong with a scene."""
    return list(run(random_contacts(kind, seed), coordinates=coordinates).complaints.values())


@pytest.mark.parametrize("seed", SHORT)
@pytest.mark.parametrize("kind", KINDS)
def test_random_contacts(kind: str, seed: int) -> None:
    assert complaints(kind, seed) == []


@pytest.mark.parametrize("seed", SHORT)
@pytest.mark.parametrize("kind", JOINTED)
def test_random_contacts_in_joint_coordinates(kind: str, seed: int) -> None:
    assert complaints(kind, seed, "reduced") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "coordinates"), [*((kind, "maximal") for kind in KINDS), *((kind, "reduced") for kind in JOINTED)]
)
def test_many_random_contacts(kind: str, coordinates: str) -> None:
    wrong = {seed: found for seed in LONG if (found := complaints(kind, seed, coordinates))}
    assert wrong == {}
