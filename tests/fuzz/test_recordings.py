"""Damaged recordings are read, or refused in one line: nothing else comes out of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sample_recordings import append_frame, chain_info, sample_recording

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


def changing_recording(path: Path) -> None:
    """A recording of a chain that gets longer and shorter."""
    with Recording(chain_info(5), path) as recording:
        for frame in range(100):
            if frame % 9 == 8:
                recording.change(chain_info(3 + frame % 4))
            append_frame(Shown(recording), frame, touch=True)


class Shown:
    """A recording as `append_frame` wants it: with the bodies there are now."""

    def __init__(self, recording: Recording) -> None:
        self.info, self.append = recording.eras[-1].info, recording.append


def outcomes(folder: Path, damage: int, count: int, changing: bool) -> set[str]:
    """Everything that came out of this many damaged files."""
    whole, spoilt = folder / "whole.h5", folder / "spoilt.h5"
    if changing:
        changing_recording(whole)
    else:
        sample_recording(steps=100, path=whole, touch=True)
    content, found = np.frombuffer(whole.read_bytes(), dtype=np.uint8), set()
    for seed in range(count):
        copy = content.copy()
        DAMAGES[damage](np.random.default_rng([damage, seed]), copy)
        spoilt.write_bytes(copy.tobytes())
        found.add(outcome(spoilt))
    return found


@pytest.mark.parametrize("damage", range(len(DAMAGES)), ids=[each.__name__ for each in DAMAGES])
@pytest.mark.parametrize("changing", [False, True])
def test_damaged_files_are_read_or_refused(tmp_path: Path, damage: int, changing: bool) -> None:
    assert outcomes(tmp_path, damage, SHORT, changing) <= {"read", "refused"}


@pytest.mark.slow
@pytest.mark.parametrize("damage", range(len(DAMAGES)), ids=[each.__name__ for each in DAMAGES])
@pytest.mark.parametrize("changing", [False, True])
def test_many_damaged_files_are_read_or_refused(tmp_path: Path, damage: int, changing: bool) -> None:
    assert outcomes(tmp_path, damage, LONG, changing) <= {"read", "refused"}
