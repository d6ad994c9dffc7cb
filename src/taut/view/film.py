"""Recordings as pictures and films, drawn without a screen.

    render(Recording.load("chain.h5"), "chain.mp4", speed=0.5, look=Look(forces=True))

A picture is a .png, a film an .mp4, a .webp or a .gif.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.view.batches import Look, batches
from taut.view.camera import Camera, framing
from taut.view.follow import following
from taut.view.frame import drawing_of, frame_at, overview
from taut.view.raster import Picture, Rasteriser

if TYPE_CHECKING:
    from taut.results.record import Recording

SIZE = (960, 600)
"""Width and height of a picture, pixels."""

FRAMES_A_SECOND = {".mp4": 30.0, ".webp": 20.0, ".gif": 20.0}
"""Of the kinds of films; the programs that show them do not show a .gif faster than 50."""

SUFFIXES = (".png", *FRAMES_A_SECOND)

INK = (70, 78, 90)
"""Colour of the caption."""

PALETTE_FRAMES = 6
"""Frames that the colours of a .gif are chosen by."""

MOST_FRAMES = 100_000
"""Of a film: more is a mistake in its times."""

Progress = Callable[[float, str], None]


def render(
    recording: Recording,
    out: str | Path,
    *,
    size: tuple[int, int] = SIZE,
    fps: float | None = None,
    at: float | None = None,
    start: float | None = None,
    end: float | None = None,
    speed: float = 1.0,
    look: Look | None = None,
    camera: Camera | None = None,
    follow: str | None = None,
    caption: bool = True,
    progress: Progress | None = None,
) -> Path:
    """Draw a recording into a file; its path.

    Args:
        recording: what to draw.
        out: file to write: .png for one picture, .mp4, .webp or .gif for a film.
        size: width and height, pixels; even for .mp4.
        fps: frames a second of a film (default: 30, or 20 for .gif).
        at: simulated time of a picture, s (default: the middle of the recording).
        start, end: simulated times between which a film is, s (default: all of it).
        speed: simulated over shown time of a film; 0.25 is slow motion.
        look: what to show.
        camera: from where (default: so that the whole motion can be seen).
        follow: a body that the camera goes with.
        caption: whether scene, solver and time are written into a corner.
        progress: called with the share that is done and a text.
    """
    out = Path(out)
    suffix = checked_suffix(out)
    if suffix == ".mp4" and (size[0] % 2 or size[1] % 2):
        raise InputError(f"render: size is {size[0]}x{size[1]}; both sides of an .mp4 must be even")
    if suffix == ".png" and (fps, start, end) != (None, None, None):
        raise InputError("render: fps, from and to are for films; a .png is one picture, whose time is `at`")
    if suffix != ".png" and at is not None:
        raise InputError(f"render: at is for one picture, a .png; a film ({suffix}) goes from a time to a time")
    if suffix == ".png":
        indices, rate = [picture_index(recording, at)], 1.0
    else:
        rate = checks.number("render", "fps", FRAMES_A_SECOND[suffix] if fps is None else fps, above=0.0)
        indices = film_indices(recording, rate, checks.number("render", "speed", speed, above=0.0), start, end)
    rasteriser = Rasteriser(*size)
    package("PIL", "pillow", "look at it in the browser with `taut view`")
    # a picture is taken from where a film would be, so that pictures of one motion can be compared
    seen = range(len(recording.time)) if suffix == ".png" else indices
    if follow is not None:
        cameras = following(recording, indices, follow, size[0] / size[1])
    else:
        camera = camera or framing(drawing_of(recording), overview(recording, seen), size[0] / size[1])
        cameras = [camera] * len(indices)
    pictures = _pictures(recording, indices, rasteriser, look or Look(), cameras, caption, progress)
    write = WRITERS.get(suffix)
    if write is None:
        some = np.unique(np.linspace(0, len(indices) - 1, PALETTE_FRAMES).astype(int)).tolist()
        chosen, places = [indices[i] for i in some], [cameras[i] for i in some]
        samples = np.vstack(list(_pictures(recording, chosen, rasteriser, look or Look(), places, caption, None)))
        write = partial(_write_gif, samples)
    unfinished = out.with_name(f"{out.stem}.unfinished{suffix}")
    try:
        write(unfinished, pictures, size, rate)
        unfinished.replace(out)
    except OSError as error:
        raise InputError(f"render: cannot write {out}: {error.strerror or error}") from None
    finally:
        unfinished.unlink(missing_ok=True)
    return out


def checked_suffix(out: Path) -> str:
    """How a file's name ends, in small letters, if it is one that can be written to."""
    suffix = out.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"render: {out.name!r} must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    if not out.parent.is_dir():
        raise InputError(f"render: there is no folder {out.parent} to write {out.name} to")
    return suffix


def picture_index(recording: Recording, at: float | None) -> int:
    """The frame nearest to a time (s), or in the middle."""
    time = _times(recording)
    if at is None:
        return len(time) // 2
    return int(np.abs(time - _within("at", at, time)).argmin())


def film_indices(recording: Recording, rate: float, speed: float, start: float | None, end: float | None) -> list[int]:
    """Frames of a recording that a film shows, one every speed / rate seconds from start to end."""
    time = _times(recording)
    first = float(time[0]) if start is None else _within("from", start, time)
    last = float(time[-1]) if end is None else _within("to", end, time)
    if last < first:
        raise InputError(f"render: from {first:g} s to {last:g} s is backwards")
    count = int((last - first) * rate / speed * (1.0 + 1e-12)) + 1
    if count > MOST_FRAMES:
        raise InputError(f"render: {count} frames are too many, at most {MOST_FRAMES}: less fps, or more speed")
    wanted = first + speed / rate * np.arange(count)
    late = 1e-6 * speed / rate  # rounding must not show a frame twice and leave out the next
    return (np.maximum(np.searchsorted(time, wanted + late, side="right"), 1) - 1).tolist()


def _times(recording: Recording) -> np.ndarray:
    if not len(recording.time):
        raise InputError(f"render: the recording of {recording.info.scene!r} has no frames")
    return recording.time


def _within(name: str, value: float, time: np.ndarray) -> float:
    value = checks.number("render", name, value)
    tolerance = 1e-9 + 0.51 * float(np.diff(time).max(initial=0.0))
    if not time[0] - tolerance <= value <= time[-1] + tolerance:
        raise InputError(f"render: {name} is {value:g} s; the recording goes from {time[0]:g} to {time[-1]:g} s")
    return value


def _pictures(
    recording: Recording,
    indices: list[int],
    rasteriser: Rasteriser,
    look: Look,
    cameras: Sequence[Camera],
    caption: bool,
    progress: Progress | None,
) -> Iterator[Picture]:
    drawing = drawing_of(recording)
    for number, (index, camera) in enumerate(zip(indices, cameras, strict=True)):
        frame = frame_at(recording, index)
        picture = rasteriser.draw(batches(drawing, frame, look), camera, drawing.planes)
        if progress is not None:
            progress((number + 1) / len(indices), f"t = {frame.time:.2f} s")
        text = f"{recording.info.scene}   {recording.info.solver}   {frame.time:.2f} s"
        yield captioned(picture, text) if caption else picture


def captioned(picture: Picture, text: str) -> Picture:
    """The picture with a small text in its lower left corner."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.fromarray(picture)
    size = max(11, round(picture.shape[0] / 36))
    place = (size, picture.shape[0] - size)
    ImageDraw.Draw(image).text(place, text, fill=INK, font=ImageFont.load_default(size), anchor="ls")
    return np.asarray(image)


def _write_png(out: Path, pictures: Iterator[Picture], size: tuple[int, int], rate: float) -> None:
    from PIL import Image

    Image.fromarray(next(pictures)).save(out, optimize=True)


def _write_gif(samples: Picture, out: Path, pictures: Iterator[Picture], size: tuple[int, int], rate: float) -> None:
    from PIL import Image

    palette = Image.fromarray(samples).quantize(256, Image.Quantize.MEDIANCUT)  # one for all, or colours would flicker
    frames = (Image.fromarray(each).quantize(palette=palette, dither=Image.Dither.NONE) for each in pictures)
    next(frames).save(out, save_all=True, append_images=frames, duration=1000.0 / rate, loop=0, disposal=1)


def _write_webp(out: Path, pictures: Iterator[Picture], size: tuple[int, int], rate: float) -> None:
    from PIL import Image

    frames = (Image.fromarray(each) for each in pictures)
    duration = round(1000.0 / rate)
    next(frames).save(out, save_all=True, append_images=frames, duration=duration, loop=0, quality=55, method=4)


def _write_mp4(out: Path, pictures: Iterator[Picture], size: tuple[int, int], rate: float) -> None:
    ffmpeg = package("imageio_ffmpeg", "imageio-ffmpeg", "write a .gif or a .png")
    quality = ["-crf", "20", "-preset", "medium", "-movflags", "+faststart"]
    film = ffmpeg.write_frames(
        str(out), size, fps=rate, codec="libx264", quality=None, macro_block_size=2,
        ffmpeg_log_level="error", output_params=quality,
    )  # fmt: skip
    film.send(None)
    try:
        for picture in pictures:
            film.send(np.ascontiguousarray(picture))
    finally:
        film.close()


Writer = Callable[[Path, Iterator[Picture], tuple[int, int], float], None]
"""What writes pictures of a size to a file, with so many a second."""

WRITERS: dict[str, Writer] = {".png": _write_png, ".mp4": _write_mp4, ".webp": _write_webp}
"""By the kind of file; a .gif needs to know its colours first."""


def package(module: str, name: str, instead: str) -> Any:
    """An optional package; where it is missing, one line says how to get it and what else can be done."""
    try:
        return importlib.import_module(module)
    except ImportError:
        how = "pip install -e '.[render]' in the folder of Taut"
        raise InputError(f"render needs the package {name}: {how}; or {instead}") from None
