"""Run every scene and draw it: docs/images/gallery/NAME.jpg, docs/gallery.md and build/contact_sheet.jpg.

    python docs/make_gallery.py [SCENE ...]

With names only those scenes are run and drawn anew. A scene is drawn at its module's PICTURE (s), or two fifths into
its duration. One whose module has FILM = (from, to, speed), in s and simulated over shown time, gets a film
docs/images/gallery/NAME.webp too; with FOLLOW = BODY the camera goes with that body, in picture and film.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import taut
from taut import console, scenes
from taut.results.record import Recording
from taut.view.batches import Look, batches
from taut.view.camera import framing
from taut.view.film import captioned, render
from taut.view.follow import following
from taut.view.frame import drawing_of, frame_at
from taut.view.raster import Picture, Rasteriser

DOCS = Path(__file__).resolve().parent
PICTURES = DOCS / "images" / "gallery"
SHEET = DOCS.parent / "build" / "contact_sheet.jpg"
WIDTH, HEIGHT, QUALITY = 640, 400, 85
LONGEST = 8.0
"""Simulated seconds that a scene is run, at most."""

FILM_SIZE, FILM_FPS = (480, 300), 12.0
FILM_BYTES = 1_000_000
"""Of a film, at most: a scene's FILM must be short, or fast."""

COLUMNS = 6
"""Of the contact sheet."""

BEFORE = 0.3
"""The camera is chosen by the frames of this last part of the motion."""

MOST_PINS = 40
"""Joints are shown where there are at most this many: a linkage has pins, a chain only gets thicker."""

PREFACE = """# Gallery

Every scene that comes with Taut, drawn by `make gallery`; [scenes](scenes.md) lists their parameters.
`taut render FILE OUT` draws a recording like this.
"""


def constant(name: str, what: str, default: Any) -> Any:
    """A constant of a scene's module."""
    return getattr(importlib.import_module(f"taut.scenes.{name}"), what, default)


def moment(name: str) -> float:
    """Simulated time at which a scene is drawn, s."""
    return float(constant(name, "PICTURE", 0.4 * min(scenes.get(name).duration, LONGEST)))


def portrait(recording: Recording, index: int) -> Picture:
    """A frame of a recording, with the scene's name in a corner."""
    drawing, follow = drawing_of(recording), constant(recording.info.scene, "FOLLOW", None)
    chosen = np.unique(np.linspace((1.0 - BEFORE) * index, index, 12).astype(int))
    if follow is not None:
        camera = following(recording, [index], follow, WIDTH / HEIGHT)[0]
    else:
        camera = framing(drawing, [frame_at(recording, int(index)) for index in chosen], WIDTH / HEIGHT)
    pins = 0 < len(drawing.link_names) <= MOST_PINS
    # pins as things among things, not as marks over them
    seen = [replace(each, on_top=False) for each in batches(drawing, frame_at(recording, index), Look(joints=pins))]
    picture = Rasteriser(WIDTH, HEIGHT).draw(seen, camera, drawing.planes)
    return captioned(picture, recording.info.scene)


def film(recording: Recording, name: str) -> None:
    """Write a scene's film."""
    start, end, speed = constant(name, "FILM", None)
    follow, out = constant(name, "FOLLOW", None), PICTURES / f"{name}.webp"
    render(
        recording, out, size=FILM_SIZE, fps=FILM_FPS, start=start, end=end, speed=speed, follow=follow, caption=False
    )
    size = out.stat().st_size
    print(f"{out.name} {size / 1e3:.0f} kB{', too large: give a shorter or faster FILM' if size > FILM_BYTES else ''}")


def write_page() -> None:
    """Write the page that shows all pictures."""
    parts = [PREFACE]
    for entry in map(scenes.get, scenes.names()):
        image = f"![{entry.name}](images/gallery/{entry.name}.jpg)"
        if constant(entry.name, "FILM", None) is not None:
            image += f"\n\n![{entry.name}, film](images/gallery/{entry.name}.webp)"
        parts.append(f"## {entry.name}\n\n{entry.summary}\n\n{image}\n\n```sh\n.venv/bin/taut view {entry.name}\n```\n")
    (DOCS / "gallery.md").write_text("\n".join(parts), encoding="utf-8")


def write_sheet() -> None:
    """Write all pictures side by side, to be looked at after a change."""
    names = scenes.names()
    rows = -(-len(names) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * WIDTH // 2, rows * HEIGHT // 2), "white")
    for number, name in enumerate(names):
        with Image.open(PICTURES / f"{name}.jpg") as picture:
            place = (number % COLUMNS * WIDTH // 2, number // COLUMNS * HEIGHT // 2)
            sheet.paste(picture.resize((WIDTH // 2, HEIGHT // 2), Image.Resampling.LANCZOS), place)
    SHEET.parent.mkdir(exist_ok=True)
    sheet.save(SHEET, quality=QUALITY)


def main(wanted: list[str]) -> None:
    """Draw the scenes with these names, or all."""
    console.compile_kernels(pictures=True)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in wanted or scenes.names():
        filmed = constant(name, "FILM", None)
        recording = taut.Simulation(scenes.build(name)).run(max(moment(name), filmed[1] if filmed else 0.0))
        index = int(np.abs(recording.time - moment(name)).argmin())
        Image.fromarray(portrait(recording, index)).save(PICTURES / f"{name}.jpg", quality=QUALITY, optimize=True)
        print(f"{name} at {recording.time[index]:.2f} s")
        if filmed:
            film(recording, name)
    write_page()
    write_sheet()
    print(SHEET.relative_to(DOCS.parent))


if __name__ == "__main__":
    main(sys.argv[1:])
