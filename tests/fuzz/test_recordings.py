"""Damaged recordings are read, or refused in one line: nothing else comes out of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sample_recordings import sample_recording

from taut.errors import InputError
from taut.results.record import Recording

SHORT, LONG = 40, 1000


def flipped(rng: np.random.Generator, content: np.ndarray) -> None:
    """Flip single bits."""
    places = rng.integers(content.size, size=rng.choice([1, 5, 50]))
    content[places] ^= np.left_shift(1, rng.integers(8, size=places.size)).astype(np.uint8)


def zeroed(rng: np.random.Generator, content: np.ndarray) -> None:
    """Lose a piece."""
    start = int(rng.integers(content.size))
    content[start : start + int(rng.choice([1, 64, 4096]))] = 0


def scattered(rng: np.random.Generator, content: np.ndarray) -> None:
    """Overwrite bytes here and there."""
    places = rng.integers(content.size, size=rng.choice([10, 300]))
    content[places] = rng.integers(256, size=places.size)


DAMAGES = (flipped, zeroed, scattered)


def outcome(path: Path) -> str:
    """ "read", "refused", or what else a damaged file led to."""
    try:
        recording = Recording.load(path)
        recording.summary()
        recording.contacts(-1)
    except InputError as error:
        return "refused" if "\n" not in str(error) else f"refused in several lines: {error}"
    except Exception as error:  # none is right, whatever its kind
        return repr(error)
    return "read"


def outcomes(folder: Path, damage: int, count: int) -> set[str]:
    """Everything that came out of this many damaged files."""
    whole, spoilt = folder / "whole.h5", folder / "spoilt.h5"
    sample_recording(steps=100, path=whole, touch=True)
    content, found = np.frombuffer(whole.read_bytes(), dtype=np.uint8), set()
    for seed in range(count):
        copy = content.copy()
        DAMAGES[damage](np.random.default_rng([damage, seed]), copy)
        spoilt.write_bytes(copy.tobytes())
        found.add(outcome(spoilt))
    return found


@pytest.mark.parametrize("damage", range(len(DAMAGES)), ids=[each.__name__ for each in DAMAGES])
def test_damaged_files_are_read_or_refused(tmp_path: Path, damage: int) -> None:
    assert outcomes(tmp_path, damage, SHORT) <= {"read", "refused"}


@pytest.mark.slow
@pytest.mark.parametrize("damage", range(len(DAMAGES)), ids=[each.__name__ for each in DAMAGES])
def test_many_damaged_files_are_read_or_refused(tmp_path: Path, damage: int) -> None:
    assert outcomes(tmp_path, damage, LONG) <= {"read", "refused"}
