"""Run every scene and draw it: docs/images/gallery/NAME.jpg, docs/gallery.md and build/contact_sheet.jpg.

    python docs/make_gallery.py [SCENE ...]

With names only those scenes are run and drawn anew. A scene is drawn at its module's PICTURE (s), or two fifths into
its duration.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

import taut
from taut import console, scenes
from taut.results.record import Recording
from taut.view.batches import Look, batches
from taut.view.camera import framing
from taut.view.film import captioned
from taut.view.frame import drawing_of, frame_at
from taut.view.raster import Picture, Rasteriser

DOCS = Path(__file__).resolve().parent
PICTURES = DOCS / "images" / "gallery"
SHEET = DOCS.parent / "build" / "contact_sheet.jpg"
WIDTH, HEIGHT, QUALITY = 640, 400, 85
LONGEST = 8.0
"""Simulated seconds that a scene is run, at most."""

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


def moment(name: str) -> float:
    """Simulated time at which a scene is drawn, s."""
    default = 0.4 * min(scenes.get(name).duration, LONGEST)
    return float(getattr(importlib.import_module(f"taut.scenes.{name}"), "PICTURE", default))


def portrait(recording: Recording) -> Picture:
    """The last frame of a recording, with the scene's name in a corner."""
    drawing, last = drawing_of(recording), len(recording.time) - 1
    chosen = np.unique(np.linspace((1.0 - BEFORE) * last, last, 12).astype(int))
    camera = framing(drawing, [frame_at(recording, int(index)) for index in chosen], WIDTH / HEIGHT)
    pins = 0 < len(drawing.link_names) <= MOST_PINS
    # pins as things among things, not as marks over them
    seen = [replace(each, on_top=False) for each in batches(drawing, frame_at(recording, last), Look(joints=pins))]
    picture = Rasteriser(WIDTH, HEIGHT).draw(seen, camera, drawing.planes)
    return captioned(picture, recording.info.scene)


def write_page() -> None:
    """Write the page that shows all pictures."""
    parts = [PREFACE]
    for entry in map(scenes.get, scenes.names()):
        image = f"![{entry.name}](images/gallery/{entry.name}.jpg)"
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
        recording = taut.Simulation(scenes.build(name)).run(moment(name))
        Image.fromarray(portrait(recording)).save(PICTURES / f"{name}.jpg", quality=QUALITY, optimize=True)
        print(f"{name} at {recording.time[-1]:.2f} s")
    write_page()
    write_sheet()
    print(SHEET.relative_to(DOCS.parent))


if __name__ == "__main__":
    main(sys.argv[1:])
