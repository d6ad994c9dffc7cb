"""The tables of settings and constants in the page on the time stepper say what the code does."""

from __future__ import annotations

import ast
import dataclasses
import re

from source_files import PACKAGE, REPOSITORY, tree

from taut.stepping.settings import Settings

PAGE = REPOSITORY / "docs" / "theory" / "time-stepping.md"


def table(heading: str) -> dict[str, str]:
    """First two cells of each line of the table whose first heading is this."""
    text = PAGE.read_text(encoding="utf-8")
    lines = re.findall(rf"^\| {heading} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert len(lines) == 1, f"the page should have one table of {heading}s"
    cells = [line.split("|") for line in lines[0].splitlines()]
    return {cell[1].strip().strip("`"): cell[2].strip().strip("`") for cell in cells}


def constant(name: str) -> object:
    """Value of a constant of the package, `module.NAME`, read without importing it."""
    module, _, wanted = name.rpartition(".")
    for node in tree(PACKAGE.joinpath(*module.split(".")).with_suffix(".py")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == wanted:
            return ast.literal_eval(node.value)
    raise LookupError(f"there is no {name}")


def test_settings_have_the_defaults_that_the_page_says() -> None:
    fields = dataclasses.fields(Settings)
    defaults = {field.name: field.default for field in fields if field.default is not dataclasses.MISSING}
    assert {name: ast.literal_eval(value) for name, value in table("setting").items()} == defaults


def test_constants_have_the_values_that_the_page_says() -> None:
    written = table("constant")
    assert len(written) > 10
    assert {name: ast.literal_eval(value) for name, value in written.items()} == {
        name: constant(name) for name in written
    }
