"""Every scene has its picture and its place in the gallery; `make gallery` draws what is missing."""

from __future__ import annotations

import importlib

import pytest
from source_files import REPOSITORY

from taut import scenes

DOCS = REPOSITORY / "docs"


@pytest.mark.parametrize("name", scenes.names())
def test_every_scene_is_in_the_gallery(name: str) -> None:
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    assert f"\n## {name}\n\n{scenes.get(name).summary}\n" in page, "run `make gallery`"
    assert f"(images/gallery/{name}.jpg)" in page
    picture = DOCS / "images" / "gallery" / f"{name}.jpg"
    assert picture.is_file() and 3_000 < picture.stat().st_size < 80_000, "run `make gallery`"
    film = picture.with_suffix(".webp")
    filmed = hasattr(importlib.import_module(f"taut.scenes.{name}"), "FILM")
    assert film.is_file() == filmed == (f"(images/gallery/{name}.webp)" in page), "run `make gallery`"
    assert not filmed or film.stat().st_size < 1_000_000, "its FILM must be shorter, or faster"


def test_there_are_no_pictures_of_scenes_that_are_gone() -> None:
    assert {file.stem for file in (DOCS / "images" / "gallery").iterdir()} == set(scenes.names())
