"""Damaged recordings: a wrong byte in what was written is noticed on reading."""

from __future__ import annotations

import re
from pathlib import Path

import h5py
import numpy as np
import pytest
from sample_recordings import append_frame, chain_info, sample_recording

import taut
from taut.errors import InputError
from taut.results.drawing import draw_model
from taut.results.record import CHUNK_FRAMES, Recording
from taut.shapes import Box

FRAMES = CHUNK_FRAMES + 9


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording with contacts, joints and a drawing."""
    scene = taut.Scene(collisions=False)
    scene.add_plane()
    scene.add_body("box", Box(1, 1, 1), mass=1.0)
    scene.connect("world", "box", taut.joints.Spherical(), name="hook")
    drawing = draw_model(taut.Simulation(scene).model)
    path = tmp_path_factory.mktemp("whole") / "run.h5"
    with Recording(chain_info(), path, drawing) as recording:
        for frame in range(FRAMES):
            append_frame(recording, frame, touch=True)
    return path


def places(path: Path) -> dict[str, int]:
    """Where the bytes of every dataset begin in the file."""
    found: dict[str, int] = {}

    def note(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset) and item.size:
            at = item.id.get_chunk_info(0).byte_offset if item.chunks else item.id.get_offset()
            assert at is not None, name
            found[name] = at

    with h5py.File(path, "r") as file:
        file.visititems(note)
    return found


def test_a_wrong_byte_in_any_dataset_is_said_with_its_name(whole: Path, tmp_path: Path) -> None:
    content, bad = whole.read_bytes(), tmp_path / "bad.h5"
    assert len(Recording.load(whole)) == FRAMES
    starts = places(whole)
    assert {"reports", "positions", "ending", "checksums", "contacts/force", "drawing/masses"} <= starts.keys()
    for name, at in starts.items():
        for bit in (0, 7):
            damaged = bytearray(content)
            damaged[at] ^= 1 << bit
            bad.write_bytes(damaged)
            with pytest.raises(InputError, match=re.escape(f"'{bad}' is damaged: dataset '{name}'")) as caught:
                Recording.load(bad)
            assert "\n" not in str(caught.value)


def test_the_frames_of_the_damaged_block_are_said(whole: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.h5"
    bad.write_bytes(whole.read_bytes())
    with h5py.File(bad, "r+") as file:
        file["positions"][CHUNK_FRAMES + 3, 0, 0] += 1e-9
    with pytest.raises(InputError, match=f"'positions', frames {CHUNK_FRAMES} to {FRAMES - 1} is not what was written"):
        Recording.load(bad)


def test_what_is_recorded_is_checked_too(whole: Path, tmp_path: Path) -> None:
    bad, content = tmp_path / "bad.h5", whole.read_bytes()
    assert content.count(b'"sample_chain"') == 1
    bad.write_bytes(content.replace(b'"sample_chain"', b'"simple_chain"'))
    with pytest.raises(InputError, match="attribute 'info'"):
        Recording.load(bad)


def test_files_of_the_second_version_have_no_checksums_and_are_read(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    written = sample_recording(steps=5, path=path, touch=True)
    with h5py.File(path, "r+") as file:
        del file["checksums"]
        file.attrs["format_version"] = 2
    assert np.array_equal(Recording.load(path).positions, written.positions)


def test_checksums_that_are_missing_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    sample_recording(steps=5, path=path)
    with h5py.File(path, "r+") as file:
        del file["checksums"]
    with pytest.raises(InputError, match="cannot be read"):
        Recording.load(path)
