"""The pages of scenes and solvers say what the registries say; `make tables` writes them."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest
from source_files import REPOSITORY

from taut import scenes
from taut.scenes import _measured
from taut.scenes._measured import read_measured

DOCS = REPOSITORY / "docs"


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    """The script that writes the pages."""
    spec = importlib.util.spec_from_file_location("make_tables", DOCS / "make_tables.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_equal_the_registries(tables: ModuleType) -> None:
    pages = {"scenes.md": tables.scenes_page(read_measured()), "solvers.md": tables.solvers_page()}
    for page, text in pages.items():
        assert (DOCS / page).read_text(encoding="utf-8") == text, "run `.venv/bin/python docs/make_tables.py`"


def test_every_scene_that_was_measured_is_there_and_solved(tables: ModuleType) -> None:
    measured = read_measured()
    assert set(measured) <= set(scenes.names()), "run `make tables`"
    assert {name for name, run in measured.items() if run["unconverged_steps"]} == set()


def test_a_scene_that_was_not_measured_is_listed_all_the_same(tables: ModuleType) -> None:
    page = tables.scenes_page({})
    listed, _, _ = page.partition("## As in the papers")
    assert all(listed.count(f"`{name}`") == 1 for name in scenes.names())


def test_measuring_keeps_three_digits(tables: ModuleType, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_measured, "MEASURED", tmp_path / "measured.json")
    _measured.MEASURED.write_text('{"a_scene_that_is_gone": {}}')
    tables.measure(["rolling_sphere"])
    measured = read_measured()
    assert set(measured) == {"rolling_sphere"} and set(measured["rolling_sphere"]) == set(tables.FIGURES)
    assert tables.rounded(1.23456e-7) == 1.23e-7 and tables.rounded(12345) == 12345
