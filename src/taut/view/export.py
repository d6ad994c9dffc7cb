"""A recording as one file that any browser plays without a network, with a bar to search it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.results.record import Recording
from taut.view.batches import Look
from taut.view.camera import framing
from taut.view.frame import drawing_of, frame_at, overview
from taut.view.nodes import Nodes
from taut.view.page import set_camera, set_stage
from taut.view.server import start_server, stop_server

if TYPE_CHECKING:
    from viser import ViserServer

RATE = 60.0
"""Frames a second, at most."""


def export_html(recording: Recording, out: Path, look: Look | None = None, fps: float | None = None) -> Path:
    """Write a recording as one page with everything in it; gives the file.

    Args:
        recording: at least one frame.
        out: the file.
        look: what to show.
        fps: frames a second of recorded time; by default all of them up to 60 a second.
    """
    if not len(recording):
        raise InputError(f"recording of {recording.info.scene!r} has no frames: there is nothing to export")
    check_target(out)
    chosen = frames_at_rate(recording, RATE if fps is None else checks.number("export", "fps", fps, above=0.0))
    server = start_server(0)
    try:
        text = _played(server, recording, chosen, look or Look())
    finally:
        stop_server(server)
    title = f"<title>{recording.info.scene}, {recording.info.solver}</title>"
    out.write_text(text.replace("<title>Viser</title>", title, 1), encoding="utf-8")
    return out


def check_target(out: Path) -> None:
    """Raise InputError unless a page can be written to this file."""
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"cannot export to {out}: a page ends in .html, such as {out.with_suffix('.html')}")
    if not out.parent.is_dir():
        raise InputError(f"cannot write {out}: there is no folder {out.parent}")


def frames_at_rate(recording: Recording, rate: float) -> np.ndarray:
    """Numbers of the frames to keep so that there are at most `rate` a second: evenly spaced, the first among them."""
    length = len(recording)
    step = (recording.time[-1] - recording.time[0]) / max(length - 1, 1)
    stride = max(round(1.0 / (rate * step)), 1) if step > 0.0 else 1
    return np.arange(0, length, stride)


def _played(server: ViserServer, recording: Recording, chosen: np.ndarray, look: Look) -> str:
    drawing = drawing_of(recording)
    set_stage(server)
    set_camera(server, framing(drawing, overview(recording, chosen)))
    nodes = Nodes(server, "/scene", drawing, look)
    first = frame_at(recording, int(chosen[0]))
    nodes.update(first)
    nodes.show_ground(first)
    serializer = server.get_scene_serializer()
    time = recording.time
    for before, index in zip(chosen[:-1], chosen[1:], strict=True):
        serializer.insert_sleep(float(time[index] - time[before]))
        nodes.update(frame_at(recording, int(index)))
    serializer.insert_sleep(float(1.0 / RATE))
    return serializer.as_html()
