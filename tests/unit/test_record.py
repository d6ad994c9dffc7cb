"""Recordings in memory and on disk."""

from __future__ import annotations

import textwrap
from pathlib import Path

import h5py
import numpy as np
import pytest
from fresh_python import run_python
from sample_recordings import (
    STEP,
    append_frame,
    chain_info,
    contact_table,
    frame_arrays,
    initial_report,
    sample_recording,
)

from taut.errors import InputError
from taut.results.record import CHUNK_FRAMES, Recording
from taut.results.record_repair import lookup3

MANY = 3 * CHUNK_FRAMES + 5


def test_frames_keep_their_order_over_blocks() -> None:
    recording = sample_recording(steps=MANY)
    assert len(recording) == MANY + 1
    assert np.allclose(recording.time, STEP * np.arange(MANY + 1))
    assert recording.positions.shape == (MANY + 1, 10, 3)
    assert np.array_equal(recording.positions[:, 4, 2], -np.arange(MANY + 1))
    assert np.array_equal(recording.column("index"), np.arange(MANY + 1))


def test_reading_while_it_grows_changes_nothing() -> None:
    recording = Recording(chain_info())
    for frame in range(MANY):
        append_frame(recording, frame)
        if frame % 50 == 0:
            assert recording.positions[-1, 0, 2] == -frame
    assert np.array_equal(recording.positions[:, 0, 2], -np.arange(MANY))


def test_appended_arrays_are_copied() -> None:
    recording = Recording(chain_info(3))
    positions, orientations, velocities, spins = frame_arrays(0, 3)
    recording.append(0.0, positions, orientations, velocities, spins, initial_report())
    positions[:] = 99.0
    assert recording.positions.max() < 99.0


def test_bodies_and_joints_by_name() -> None:
    recording = sample_recording(steps=4)
    load = recording.body("load")
    assert load.position.shape == (5, 3)
    assert load.orientation.shape == (5, 4)
    assert load.mass == 500.0
    assert load.position[-1].tolist() == [9.0, 0.0, -4.0]
    assert load.velocity[2, 0] == 2.0
    assert load.angular_velocity[2, 0] == -2.0
    joint = recording.joint("joint3")
    assert joint.reaction[:, 0].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert joint.violation.shape == (5,)
    assert joint.position is None


def test_report_columns() -> None:
    recording = sample_recording(steps=2)
    assert recording.status == ["initial", "solved", "solved"]
    assert recording.energy.tolist() == [-200.0, -201.0, -202.0]
    assert recording.momentum.shape == (3, 2, 3)
    assert recording.seconds["rows"].tolist() == [0.0, 2e-4, 2e-4]
    assert recording.column("rows").tolist() == [0, 30, 30]


@pytest.mark.parametrize(
    ("kind", "name", "hint"), [("body", "lod", "'load'"), ("joint", "joint33", "'joint3'"), ("column", "row", "'rows'")]
)
def test_wrong_names_are_answered_with_the_right_ones(kind: str, name: str, hint: str) -> None:
    with pytest.raises(InputError, match=f"did you mean {hint}"):
        getattr(sample_recording(), kind)(name)


def test_shapes_that_do_not_fit_are_refused() -> None:
    recording = Recording(chain_info(3))
    with pytest.raises(InputError, match=r"expected \(3, 3\)"):
        recording.append(0.0, *frame_arrays(0, 4), initial_report())
    with pytest.raises(InputError, match="2 rows for 3 joints"):
        recording.append(0.0, *frame_arrays(0, 3), initial_report(), joint_violations=np.zeros(2))
    with pytest.raises(InputError, match="joint_violations"):
        recording.append(0.0, *frame_arrays(0, 3), initial_report(), joint_violation=np.zeros(3))


def test_later_frames_must_give_the_same_arrays() -> None:
    recording = Recording(chain_info(3))
    recording.append(0.0, *frame_arrays(0, 3), initial_report(), joint_violations=np.zeros(3))
    with pytest.raises(InputError, match="first frame"):
        recording.append(0.1, *frame_arrays(1, 3), initial_report())


def test_no_frames_yet_is_said() -> None:
    recording = Recording(chain_info(3))
    assert len(recording.time) == 0
    with pytest.raises(InputError, match="no frames yet"):
        _ = recording.positions


def test_file_holds_the_same_as_memory(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "run.h5"
    written = sample_recording(steps=MANY, path=path)
    read = Recording.load(path)
    assert read.info == written.info
    assert read.ending == "complete"
    assert np.array_equal(read.reports, written.reports)
    for name in ("positions", "orientations", "velocities", "angular_velocities"):
        assert np.array_equal(getattr(read, name), getattr(written, name))
    assert np.array_equal(read.joint("joint2").reaction, written.joint("joint2").reaction)
    assert read.summary() == written.summary()


def test_file_is_plain_hdf5_that_others_can_read(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    sample_recording(steps=3, path=path)
    with h5py.File(path, "r") as file:
        assert file.attrs["scene"] == "sample_chain"
        assert file.attrs["step"] == STEP
        assert file["reports"]["residual"].shape == (4,)
        assert file["positions"].shape == (4, 10, 3)


@pytest.mark.parametrize(("error", "ending"), [(KeyboardInterrupt, "interrupted"), (RuntimeError, "failed")])
def test_a_run_that_breaks_off_keeps_its_frames(tmp_path: Path, error: type[BaseException], ending: str) -> None:
    path = tmp_path / "run.h5"
    with pytest.raises(error), Recording(chain_info(), path) as recording:
        for frame in range(7):
            append_frame(recording, frame)
        raise error
    read = Recording.load(path)
    assert len(read) == 7
    assert read.ending == read.summary()["status"] == ending


def assert_contacts(recording: Recording) -> None:
    """Every frame has the contacts that were appended."""
    names = ("world", *recording.info.body_names)
    for frame in range(len(recording)):
        found, expected = recording.contacts(frame), contact_table(frame, names)
        assert len(found) == len(expected) and found.body_b == expected.body_b, frame
        assert np.array_equal(found.point, expected.point), "points are kept to the bit"
        assert found.force == pytest.approx(expected.force) and found.slip == pytest.approx(expected.slip)
        assert found.normal_force == pytest.approx(expected.normal_force) and found.step == STEP


def test_contacts_are_kept_by_frame_in_memory_and_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    written = sample_recording(steps=MANY, path=path, touch=True)
    assert_contacts(written)
    read = Recording.load(path)
    assert len(read) == MANY + 1
    assert_contacts(read)
    assert len(read.contacts(-2)) == (MANY - 1) % 3
    with h5py.File(path, "r") as file:
        assert file["contacts/frame_end"][-1] == len(file["contacts/force"]) == len(file["contacts/body_a"])


def test_contacts_can_be_read_while_a_recording_grows() -> None:
    recording = Recording(chain_info(3))
    for frame in range(MANY):
        append_frame(recording, frame, touch=True)
        if frame % 50 == 0:
            assert len(recording.contacts(frame)) == frame % 3
    assert_contacts(recording)


def test_recordings_without_contacts_have_none(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    assert len(sample_recording(steps=3, path=path).contacts(2)) == 0
    assert Recording.load(path).contacts(2).force.shape == (0, 3)
    with h5py.File(path, "r") as file:
        assert "contacts" not in file


@pytest.mark.parametrize("first", [True, False])
def test_contacts_are_given_in_all_frames_or_in_none(first: bool) -> None:
    recording = Recording(chain_info(3))
    append_frame(recording, 0, touch=first)
    with pytest.raises(InputError, match="contacts"):
        append_frame(recording, 1, touch=not first)


@pytest.mark.parametrize("frame", [6, -7, 1.5, "last", None, True, np.array([1, 2]), np.array([[1.0]])], ids=repr)
def test_frames_that_are_not_there_are_said(frame: object) -> None:
    with pytest.raises(InputError, match="there is no frame"):
        sample_recording(steps=5, touch=True).contacts(frame)


@pytest.mark.parametrize("name", ["frame_end", "force", "body_a"])
def test_contacts_flushed_unevenly_are_cut_to_whole_frames(tmp_path: Path, name: str) -> None:
    path = tmp_path / "run.h5"
    sample_recording(steps=9, path=path, touch=True)
    with h5py.File(path, "r+") as file:
        file["contacts"][name].resize(len(file["contacts"][name]) - 1, axis=0)
    read = Recording.load(path)
    # frame 9 has no contacts, frame 8 has two
    assert len(read) == len(read.positions) == (9 if name == "frame_end" else 8)
    assert_contacts(read)


def test_files_of_the_first_version_are_read(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    written = sample_recording(steps=5, path=path)
    new = {"contacts", "penetration", "friction_residual", "flicker"}
    with h5py.File(path, "r+") as file:
        reports = file["reports"][()]
        del file["reports"]
        file["reports"] = reports[[name for name in reports.dtype.names if name not in new]].copy()
        file.attrs["format_version"] = 1
    read = Recording.load(path)
    assert read.summary() == written.summary()
    assert read.column("penetration").tolist() == [0.0] * 6 and len(read.contacts(3)) == 0


def killed_run(path: Path) -> None:
    """A run that is killed in its last, partly filled block."""
    script = f"""
        import os, signal
        from sample_recordings import append_frame, chain_info
        from taut.results.record import Recording
        recording = Recording(chain_info(), {str(path)!r})
        for frame in range({MANY}):
            append_frame(recording, frame, touch=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    assert run_python("-c", textwrap.dedent(script)).returncode == -9


def test_a_killed_run_is_readable(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    killed_run(path)
    read = Recording.load(path)
    assert len(read) == 3 * CHUNK_FRAMES
    assert np.array_equal(read.positions[:, 0, 2], -np.arange(3 * CHUNK_FRAMES))
    assert_contacts(read)
    assert read.ending == read.summary()["status"] == "running"


def test_a_running_recording_can_be_read(tmp_path: Path) -> None:
    recording = Recording(chain_info(), tmp_path / "run.h5")
    for frame in range(CHUNK_FRAMES):
        append_frame(recording, frame)
    assert len(Recording.load(tmp_path / "run.h5")) == CHUNK_FRAMES
    recording.close()


@pytest.mark.parametrize(("key", "expected"), [(b"", 0xDEADBEEF), (b"Four score and seven years ago", 0x17770551)])
def test_checksum_has_its_published_values(key: bytes, expected: int) -> None:
    assert lookup3(key) == expected


def test_arrays_flushed_unevenly_are_cut_to_the_frames_they_share(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    sample_recording(steps=9, path=path)
    with h5py.File(path, "r+") as file:
        file["velocities"].resize(6, axis=0)
    read = Recording.load(path)
    assert len(read) == len(read.positions) == len(read.velocities) == 6


def test_missing_and_corrupt_files_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        Recording.load(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("not HDF5")
    with pytest.raises(InputError, match="cannot be read") as caught:
        Recording.load(tmp_path / "text.h5")
    assert "\n" not in str(caught.value)
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1
    with pytest.raises(InputError, match="not a Taut recording"):
        Recording.load(tmp_path / "other.h5")


@pytest.mark.parametrize("killed", [False, True])
def test_every_truncated_file_is_an_input_error_or_a_shorter_recording(tmp_path: Path, killed: bool) -> None:
    path = tmp_path / "run.h5"
    if killed:
        killed_run(path)
    else:
        sample_recording(steps=MANY, path=path)
    content = path.read_bytes()
    cut = tmp_path / "cut.h5"
    refused = 0
    for size in np.linspace(0, len(content) - 1, 23).astype(int):
        cut.write_bytes(content[:size])
        try:
            assert len(Recording.load(cut)) <= MANY + 1
        except InputError as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused >= 10


def test_a_path_that_cannot_be_written_is_said_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        Recording(chain_info(), tmp_path / "file" / "run.h5")


def test_numpy_parameters_survive_the_file(tmp_path: Path) -> None:
    info = chain_info(2)
    info.parameters.update(load=np.float64(3.5), links=np.int64(4))
    with Recording(info, tmp_path / "run.h5") as recording:
        append_frame(recording, 0)
    assert Recording.load(tmp_path / "run.h5").info.parameters == {"links": 4, "load": 3.5}
