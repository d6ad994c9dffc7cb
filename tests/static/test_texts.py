"""Docstrings say something, nothing is left to do, and no path of one machine is written down."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from source_files import PACKAGE, REPOSITORY, Function, label, package_files, tree

SHORTEST = 5
"""Letters that a docstring has at least."""

LEFT_OVER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
FOREIGN_PATH = re.compile(r"""(?<![\w.~/])/(?:home|root|Users|tmp|work)/""")

TEXTS = sorted(
    file
    for pattern in ("*.md", "*.toml", "Makefile", "src/**/*.py", "docs/**/*.md", "docs/**/*.py", "examples/**/*.py")
    for file in REPOSITORY.glob(pattern)
)

NAMED_FILE = re.compile(r"`([\w/]+\.py)`")

OF_READERS = {
    "src/taut/joints/parallel.py", "src/taut/scenes/trapdoor.py", "src/taut/solvers/swept_pivoting.py", "chain.py",
}  # fmt: skip
"""Files that pages tell their readers to write."""


def public_definitions(module: ast.Module) -> list[tuple[str, ast.AST]]:
    """Names of the public classes, functions and methods of a module, and where they are."""
    found: list[tuple[str, ast.AST]] = []
    for node in module.body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            found.append((node.name, node))
            if isinstance(node, ast.ClassDef):
                methods = (each for each in node.body if isinstance(each, Function))
                found += [(f"{node.name}.{each.name}", each) for each in methods if not each.name.startswith("_")]
    return found


@pytest.mark.parametrize("file", package_files(), ids=label)
def test_public_names_have_docstrings(file: Path) -> None:
    module = tree(file)
    found = [("module", module), *public_definitions(module)]
    short = [name for name, node in found if len(ast.get_docstring(node) or "") < SHORTEST]
    assert short == [], f"{label(file)} has public names without a docstring"


@pytest.mark.parametrize("file", TEXTS, ids=label)
def test_texts_are_finished_and_portable(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert LEFT_OVER.findall(text) == []
    assert FOREIGN_PATH.findall(text) == []


def missing_files(text: str) -> list[str]:
    """Files that a page names and that do not exist, neither from the package nor from the repository."""
    named = [name for name in NAMED_FILE.findall(text) if name not in OF_READERS]
    return [name for name in named if not ((PACKAGE / name).is_file() or (REPOSITORY / name).is_file())]


@pytest.mark.parametrize("file", [file for file in TEXTS if file.suffix == ".md"], ids=label)
def test_pages_name_files_that_exist(file: Path) -> None:
    assert missing_files(file.read_text(encoding="utf-8")) == []


def test_a_file_that_does_not_exist_is_seen() -> None:
    named = "`touching.py`, `stepping/collide.py`, `docs/conf.py`, `collide.py`"
    assert missing_files(named) == ["touching.py", "collide.py"]
