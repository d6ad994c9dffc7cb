"""A full disk: the recording ends in one line, and what was written before can be read."""

from __future__ import annotations

import errno
import os
import shutil
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest
from fresh_python import run_python
from sample_recordings import append_frame, chain_info, sample_recording

from taut.errors import InputError, SimulationError
from taut.results import record_file
from taut.results.record import CHUNK_FRAMES, Recording

RUN = """
    import resource, signal
    from sample_recordings import append_frame, chain_info
    from taut.errors import TautError
    from taut.results.record import Recording
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
    try:
        with Recording(chain_info(), {path!r}) as recording:
            for frame in range(500):
                append_frame(recording, frame, touch=True)
    except TautError as error:
        print(type(error).__name__, error)
"""


def run_within(limit: int, path: Path) -> str:
    """Record to a file that cannot grow beyond a limit, bytes; what the run said, and nothing else."""
    done = run_python("-c", textwrap.dedent(RUN).format(limit=limit, path=str(path)))
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert done.stdout.count("\n") == 1
    return done.stdout


@pytest.mark.parametrize("limit", [310_000, 400_000, 600_000])
def test_a_file_that_cannot_grow_keeps_its_frames(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "run.h5"
    said = run_within(limit, path)
    read = Recording.load(path)
    assert len(read) == 1 or len(read) % CHUNK_FRAMES == 0
    assert read.ending == "failed"
    assert said.startswith(f"SimulationError recording '{path}' stopped growing: File too large")
    assert f"its first {len(read)} frames are kept" in said


@pytest.mark.parametrize("limit", [0, 1_000, 20_000])
def test_a_file_without_room_for_anything_is_refused(tmp_path: Path, limit: int) -> None:
    said = run_within(limit, tmp_path / "run.h5")
    assert said.startswith("InputError recording") and "cannot be written: File too large" in said


def test_a_file_that_is_being_written_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with Recording(chain_info(), path) as recording:
        for frame in range(CHUNK_FRAMES):
            append_frame(recording, frame)
        with pytest.raises(InputError, match="cannot be written"):
            Recording(chain_info(), path)
        append_frame(recording, CHUNK_FRAMES)
    assert len(Recording.load(path)) == CHUNK_FRAMES + 1
    assert list(tmp_path.iterdir()) == [path]


def test_room_that_was_not_needed_is_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample_recording(steps=5, path=tmp_path / "tight.h5")
    with monkeypatch.context() as patched:
        patched.setattr(record_file, "NOTES", 1 << 20)
        sample_recording(steps=5, path=tmp_path / "roomy.h5")
    assert (tmp_path / "roomy.h5").stat().st_size == (tmp_path / "tight.h5").stat().st_size < 1 << 20


def test_a_full_disk_is_said_by_the_system_that_cannot_allocate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "posix_fallocate")
    sample_recording(steps=5, path=tmp_path / "run.h5")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        sample_recording(steps=5, path=tmp_path / "run.h5")


def test_a_write_that_fails_ends_the_file_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, "Can't write data (file write failed: time = now\n, errno = 5)")

    path = tmp_path / "run.h5"
    with pytest.raises(SimulationError, match="stopped growing: Input/output error; its first 64") as caught:
        with Recording(chain_info(), path) as recording:
            for frame in range(500):
                append_frame(recording, frame)
                if frame == CHUNK_FRAMES:
                    monkeypatch.setattr(record_file.RecordingFile, "_extend", fail)
    assert "\n" not in str(caught.value)
    assert len(Recording.load(path)) == CHUNK_FRAMES
    assert len(recording) == 2 * CHUNK_FRAMES, "what was not written is still in memory"


@pytest.mark.parametrize("target", ["/proc/x.h5", "/dev/full", "folder", "x" * 300], ids=ascii)
def test_places_that_cannot_be_written_are_said_in_one_line(tmp_path: Path, target: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="cannot be written: ") as caught:
        sample_recording(steps=1, path=tmp_path / target)
    assert "\n" not in str(caught.value) and "synchronously" not in str(caught.value)
