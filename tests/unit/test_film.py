"""Pictures and films of recordings: files that open, with the right frames; mistakes are one line."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from picture_examples import still_recording

from taut import console, kernel
from taut.commands import main as cli
from taut.commands.view import parse_size
from taut.errors import InputError
from taut.results.drawing import Drawing
from taut.results.record import Recording
from taut.view.batches import Batch, Look, batches
from taut.view.film import captioned, film_indices, picture_index, render
from taut.view.frame import Frame

Image = pytest.importorskip("PIL.Image")
SMALL = {"size": (96, 60)}


@pytest.fixture(scope="module")
def recording() -> Recording:
    """31 frames, 1 s."""
    return still_recording(drift=(3.0, 0.0, 0.0))


def test_films_show_the_last_frames_before_their_times(recording: Recording) -> None:
    assert film_indices(recording, 30.0, 1.0, None, None) == list(range(31))
    assert film_indices(recording, 15.0, 1.0, None, None) == list(range(0, 31, 2))
    assert film_indices(recording, 30.0, 0.5, 0.5, 0.6) == [15, 15, 16, 16, 17, 17, 18]
    assert film_indices(recording, 10.0, 3.0, 0.1, 0.9) == [3, 12, 21]
    assert film_indices(still_recording(frames=1), 30.0, 1.0, None, None) == [0]


def test_pictures_show_the_frame_nearest_to_their_time(recording: Recording) -> None:
    assert [picture_index(recording, at) for at in (None, 0.0, 0.51, 1.0)] == [15, 0, 15, 30]


def test_png(recording: Recording, tmp_path: Path) -> None:
    told: list[tuple[float, str]] = []
    out = render(recording, tmp_path / "a.png", at=0.5, progress=lambda *each: told.append(each), **SMALL)
    with Image.open(out) as picture:
        assert picture.size == (96, 60) and picture.format == "PNG"
        assert np.asarray(picture).std() > 5.0
    assert told == [(1.0, "t = 0.50 s")]


def test_gif(recording: Recording, tmp_path: Path) -> None:
    with Image.open(render(recording, tmp_path / "a.gif", end=0.5, **SMALL)) as film:
        assert film.size == (96, 60) and film.n_frames == 11 and film.info["duration"] == 50
        first = np.asarray(film.convert("RGB")).astype(int)
        film.seek(10)
        assert np.abs(np.asarray(film.convert("RGB")) - first).max() > 30


def test_colours_that_come_later_are_in_a_gif(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def coloured(drawing: Drawing, frame: Frame, look: Look) -> list[Batch]:
        colour = (200, 30, 30) if frame.time < 0.25 else (30, 30, 200)
        return [replace(each, colours=np.full_like(each.colours, colour)) for each in batches(drawing, frame, look)]

    monkeypatch.setattr("taut.view.film.batches", coloured)
    with Image.open(render(recording, tmp_path / "a.gif", end=0.5, **SMALL)) as film:
        film.seek(film.n_frames - 1)
        red, green, blue = np.asarray(film.convert("RGB")).astype(int).transpose(2, 0, 1)
    assert (blue > 2 * red).mean() > 0.02 and not (red > 2 * blue).any()


def test_mp4(recording: Recording, tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    shares: list[float] = []
    out = render(recording, tmp_path / "a.mp4", fps=15, progress=lambda share, _: shares.append(share), **SMALL)
    frames, seconds = ffmpeg.count_frames_and_secs(str(out))
    assert frames == 16 and seconds == pytest.approx(16 / 15, abs=0.05)
    reader = ffmpeg.read_frames(str(out))
    assert next(reader)["size"] == (96, 60)
    first, *_, last = (np.frombuffer(each, np.uint8).astype(int) for each in reader)
    assert np.abs(first - last).max() > 30
    assert shares == sorted(shares) and len(shares) == 16 and shares[-1] == 1.0
    assert list(tmp_path.iterdir()) == [out]


def test_pictures_of_one_motion_are_taken_from_one_place(recording: Recording, tmp_path: Path) -> None:
    pictures = []
    for at in (0.0, 1.0):
        with Image.open(render(recording, tmp_path / "a.png", at=at, caption=False, **SMALL)) as picture:
            pictures.append(np.asarray(picture))
    blue = [np.nonzero(each[:, :, 2] > each[:, :, 0] + 60.0)[1].mean() for each in pictures]
    assert blue[1] > blue[0] + 3


def test_what_to_show_can_be_chosen(recording: Recording, tmp_path: Path) -> None:
    files = [render(recording, tmp_path / f"{colour}.png", look=Look(colour), **SMALL) for colour in ("body", "mass")]
    assert files[0].read_bytes() != files[1].read_bytes()


def test_captions_change_only_the_corner() -> None:
    plain = np.full((200, 400, 3), 240, np.uint8)
    changed = np.argwhere((captioned(plain, "scene   bpp   1.00 s") != plain).any(axis=2))
    assert len(changed) > 50
    assert changed[:, 0].min() > 170 and changed[:, 1].max() < 250


MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    ("a.jpg", {}, r"'a.jpg' must end in .png, .mp4, .webp or .gif"),
    ("a", {}, r"must end in"),
    ("none/a.png", {}, r"no folder"),
    ("a.mp4", {"size": (97, 60)}, r"97x60; both sides of an .mp4 must be even"),
    ("a.png", {"size": (0, 60)}, r"size is 0 x 60"),
    ("a.png", {"at": 2.0}, r"at is 2 s; the recording goes from 0 to 1 s"),
    ("a.png", {"fps": 10}, r"are for films"),
    ("a.gif", {"at": 0.5}, r"at is for one picture"),
    ("a.gif", {"start": -1.0}, r"from is -1 s"),
    ("a.gif", {"end": 5.0}, r"to is 5 s"),
    ("a.gif", {"start": 0.8, "end": 0.2}, r"backwards"),
    ("a.gif", {"fps": 0}, r"fps is 0"),
    ("a.gif", {"speed": -1}, r"speed is -1"),
    ("a.gif", {"speed": 1e-9}, r"too many"),
    ("a.png", {"look": Look("taste")}, r"no colour 'taste'"),
]


@pytest.mark.parametrize(("name", "options", "message"), MISTAKES)
def test_mistakes(recording: Recording, tmp_path: Path, name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        render(recording, tmp_path / name, **(SMALL | options))
    assert "\n" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("module", "name", "message"),
    [
        ("imageio_ffmpeg", "a.mp4", r"imageio-ffmpeg: pip install -e '.\[render\]'.*; or write a .gif or a .png"),
        ("PIL", "a.png", r"pillow: pip install -e '.\[render\]' in the folder of Taut; or look at it in the browser"),
    ],
)
def test_missing_packages(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str, message: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=message):
        render(recording, tmp_path / name, **SMALL)


def test_a_recording_without_frames() -> None:
    with pytest.raises(InputError, match="no frames"):
        picture_index(still_recording(frames=0), None)


def test_sizes_are_parsed() -> None:
    assert parse_size("960x600") == (960, 600) and parse_size("8X6") == (8, 6)
    for text in ("960", "960x", "ax6", "-1x6", "1x2x3", "0x5"):
        with pytest.raises(InputError, match=re.escape(text)):
            parse_size(text)


@pytest.mark.parametrize("pictures", [False, True])
def test_kernels_that_draw_are_compiled_only_when_asked_for(monkeypatch: pytest.MonkeyPatch, pictures: bool) -> None:
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(kernel, "is_warm", lambda without: not asked.append(without))
    console.compile_kernels(pictures=pictures)
    drawing = [name for name in kernel.kernel_modules() if name.startswith("taut.view.")]
    assert len(drawing) == 2 and len(asked) == 1
    assert all(name.startswith(asked[0]) != pictures for name in drawing)


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from taut import Simulation, scenes

    file, out = tmp_path / "boxes.h5", tmp_path / "boxes.png"
    Simulation(scenes.build("stack_of_boxes")).run(0.1, record=file)

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["taut", "render", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_call:
            cli.main()
        return (exit_call.value.code or 0, *capsys.readouterr())

    assert call(file, out, "--size", "96x60", "--contacts", "--forces", "--joints")[0] == 0
    with Image.open(out) as picture:
        assert picture.size == (96, 60)
    code, printed, complaint = call(file, tmp_path / "boxes.bmp")
    assert code == 2 and printed == "" and complaint.count("\n") == 1
    code, _, complaint = call(out, tmp_path / "other.png")  # a picture is no recording
    assert code == 2 and complaint.count("\n") == 1
