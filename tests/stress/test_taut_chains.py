"""Light chains under heavy loads, pushed, blown, pulled, thrown and snapped in three dimensions: no frame is lost."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest
from stress import free_chains, touching_chains
from stress.cases import Case
from stress.judge import Verdict, run

MAKERS = free_chains.MAKERS | touching_chains.MAKERS
SHORT, LONG = range(4), range(4, 30)
"""Numbers of the cases of a kind in every run, and in a long one."""


def judged(kind: str, number: int, **options: Any) -> tuple[str, Case, Verdict]:
    """A case in words, itself and what it came to: its mass ratio, links and step are drawn as well."""
    rng = np.random.default_rng(zlib.crc32(f"{kind} {number}".encode()))
    ratio, links = 10.0 ** rng.integers(2, 7), int(rng.choice([10, 30, 100], p=[0.45, 0.4, 0.15]))
    rate = int(rng.choice([60, 120, 240], p=[0.6, 0.2, 0.2]))
    case = MAKERS[kind](rng, float(ratio), links)
    what = f"{ratio:.0e}:1, {len(case.scene.bodies) - 1} bodies, {rate} Hz"
    return what, case, run(case, 1.0 / rate, **options)


def complaints(kind: str, number: int, **options: Any) -> list[str]:
    """What is wrong with a case."""
    what, case, verdict = judged(kind, number, **options)
    return [f"{what}: {text}" for text in verdict.complaints(case.touching)]


def lost(kind: str, coordinates: str) -> int:
    """Frames of a long run that were not solved."""
    return sum(judged(kind, number, coordinates=coordinates)[2].bad.total() for number in LONG)


@pytest.mark.parametrize("number", SHORT)
@pytest.mark.parametrize("kind", MAKERS)
def test_no_frame_is_lost(kind: str, number: int) -> None:
    assert complaints(kind, number) == []


@pytest.mark.parametrize("kind", MAKERS)
def test_no_frame_is_lost_in_joint_coordinates(kind: str) -> None:
    assert complaints(kind, 0, coordinates="reduced") == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", MAKERS)
def test_no_frame_is_lost_in_many_cases(kind: str) -> None:
    wrong = {number: found for number in LONG if (found := complaints(kind, number))}
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", MAKERS)
def test_joint_coordinates_lose_hardly_more_frames_in_many_cases(kind: str) -> None:
    """Of 1,560; a storm that throws links about is another one after a few frames."""
    assert lost(kind, "reduced") <= lost(kind, "maximal") + 3
