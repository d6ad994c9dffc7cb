"""The tables of settings and constants in the pages on time stepping and contact say all that the code has."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from source_files import PACKAGE, REPOSITORY, package_files, tree

from taut.contact import settings as of_contact
from taut.stepping import settings as of_stepping
from taut.stepping.settings import Settings

THEORY = REPOSITORY / "docs" / "theory"

ROOMS = {"contact", "integrators", "model", "responses", "stepping"}
"""Rooms whose constants are all in a table, in a group or alone."""

FILES = [PACKAGE / "problem" / "kkt.py", PACKAGE / "simulation" / "start.py"]
"""Files elsewhere of which the same is true."""

NO_SETTINGS = {
    "stepping.tables.VERDICTS", "stepping.tables.BALANCE", "stepping.energy.TINY",
    "stepping.energy_kernels.TINY", "contact.friction.SMALLEST", "model.state.ASLEEP",
}  # fmt: skip
"""Sizes of tables, codes, and what keeps a quotient finite."""


def tables(page: str) -> dict[str, dict[str, object]]:
    """First two cells of each line of each table whose second heading is "value" or "default", by its first heading."""
    text = (THEORY / page).read_text(encoding="utf-8")
    found = re.findall(r"^\| `?(\w+)`? \| (?:value|default) \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert len({heading for heading, _ in found}) == len(found), "one table each"
    cells = {heading: [line.split("|") for line in lines.splitlines()] for heading, lines in found}
    return {
        heading: {cell[1].strip(" `"): ast.literal_eval(cell[2].strip(" `")) for cell in lines}
        for heading, lines in cells.items()
    }


def groups(module: ModuleType) -> dict[str, Any]:
    return {name: each for name, each in vars(module).items() if name.isupper() and isinstance(each, tuple)}


def is_number(value: object) -> bool:
    return all(map(is_number, value)) if isinstance(value, tuple) else isinstance(value, int | float)


def constants(file: Path) -> dict[str, object]:
    """Numbers that a file gives a name in capitals, by module and name; several whole ones at once are codes."""
    module, found = ".".join(file.relative_to(PACKAGE).with_suffix("").parts), {}
    for node in tree(file).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            name, value = ast.unparse(target), None
            with contextlib.suppress(ValueError):  # what is no literal
                value = ast.literal_eval(node.value or target)
            codes = isinstance(target, ast.Tuple) and all(isinstance(each, int) for each in value or ())
            if name.isupper() and is_number(value) and not codes:
                found[f"{module}.{name}"] = value
    return found


def test_settings_have_the_defaults_that_the_page_says() -> None:
    fields = dataclasses.fields(Settings)
    defaults = {field.name: field.default for field in fields if field.default is not dataclasses.MISSING}
    assert tables("time-stepping.md")["setting"] == defaults


@pytest.mark.parametrize(("page", "module"), [("time-stepping.md", of_stepping), ("contact.md", of_contact)])
def test_every_group_has_a_table_with_all_its_values_and_no_other(page: str, module: ModuleType) -> None:
    written = {heading: table for heading, table in tables(page).items() if heading.isupper()}
    assert written == {name: group._asdict() for name, group in groups(module).items()} != {}


def test_every_other_constant_is_in_the_table_and_nothing_else() -> None:
    rooms = [file for file in package_files() if file.relative_to(PACKAGE).parts[0] in ROOMS]
    found = {name: value for file in [*rooms, *FILES] for name, value in constants(file).items()}
    assert NO_SETTINGS <= set(found), "what is no setting is there"
    assert tables("time-stepping.md")["constant"] == {name: found[name] for name in set(found) - NO_SETTINGS}


@pytest.mark.parametrize(
    "group", [*groups(of_stepping).values(), *groups(of_contact).values()], ids=lambda group: type(group).__name__
)
def test_every_field_of_a_group_is_documented(group: Any) -> None:
    assert re.findall(r"^ {8}(\w+): ", type(group).__doc__, re.MULTILINE) == list(group._fields)
