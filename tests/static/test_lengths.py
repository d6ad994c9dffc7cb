"""Small files and short functions."""

from __future__ import annotations

from pathlib import Path

import pytest
from source_files import REPOSITORY, code_lines, functions, label, package_files

FILE_LINES = 400
FUNCTION_LINES = 60

TEST_FILES = sorted((REPOSITORY / "tests").rglob("*.py"))


@pytest.mark.parametrize("file", [*package_files(), *TEST_FILES], ids=label)
def test_files_are_short(file: Path) -> None:
    lines = len(file.read_text(encoding="utf-8").splitlines())
    assert lines <= FILE_LINES, f"{label(file)} has {lines} lines, at most {FILE_LINES} are allowed"


@pytest.mark.parametrize("file", package_files(), ids=label)
def test_functions_are_short(file: Path) -> None:
    lengths = {f"{label(file)}:{each.lineno} {each.name}": code_lines(file, each) for each in functions(file)}
    assert {name: lines for name, lines in lengths.items() if lines > FUNCTION_LINES} == {}
