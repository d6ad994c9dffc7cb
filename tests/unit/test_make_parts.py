"""The page of machine parts is that of the parts as they are; every part has an example that runs, and its picture."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest
from source_files import REPOSITORY

import taut
from taut.machines import MachinePart

DOCS = REPOSITORY / "docs"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_parts", DOCS / "make_parts.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKE = load()


def test_the_page_equals_the_registry() -> None:
    assert (DOCS / "parts.md").read_text(encoding="utf-8") == MAKE.page(), "run `.venv/bin/python docs/make_parts.py`"


def test_every_part_has_an_example_and_nothing_else_has() -> None:
    assert {file.stem for file in MAKE.EXAMPLES.glob("*.py")} == set(MAKE.kinds())
    assert {file.stem for file in MAKE.PICTURES.iterdir()} == set(MAKE.kinds())
    assert set(MAKE.kinds().values()) == set(MachinePart.registry.values())


@pytest.mark.parametrize("name", MAKE.kinds())
def test_examples_show_their_part_and_are_solved(name: str) -> None:
    scene = MAKE.example(name)["build"]()
    assert any(type(built.part) is MAKE.kinds()[name] for built in scene.parts.values())
    simulation = taut.Simulation(scene)
    assert simulation.run(1.5).column("unconverged").sum() == 0
    picture = MAKE.PICTURES / f"{name}.jpg"
    assert 3_000 < picture.stat().st_size < 60_000, "run `.venv/bin/python docs/make_parts.py --draw`"
    lines = (MAKE.EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 40 and lines[0].startswith('"""') and lines[0].endswith('"""')
