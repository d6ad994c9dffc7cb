"""One concept, one file, one test file of the same name: who looks for the tests of a module finds them by its name."""

from __future__ import annotations

from collections import Counter

import pytest
from source_files import REPOSITORY, package_modules

TOPICS = {
    "bodies": "free, fixed and hanging bodies through all stages",
    "edit_mistakes": "what an edit refuses",
    "geometric_stiffness": "the same property of every part of rows",
    "make_gallery": "docs/make_gallery.py",
    "make_parts": "docs/make_parts.py",
    "make_tables": "docs/make_tables.py",
    "modes": "the three laws of motion against each other",
    "scene_contacts": "what scenes keep for contact, and what is made of it",
    "scratch": "what a frame leaves behind, of all that it writes into",
    "step_parts": "the parts of a frame in all that judges them",
}
"""Test files that are not about one module, and what they are about."""


def names_of(modules: list[str]) -> dict[str, set[str]]:
    """Names that a test file may have -> modules that it would be about; kernels are tested with their module.

    A test of ``taut.contact.rows`` is called ``contact_rows``, or ``rows`` if no other module or room is called so.
    That of a module on top, which has no other name, has its name whatever else is called so.
    """
    plain = {module.removesuffix("_kernels") for module in modules if module.count(".")}
    plain -= {module for module in plain if f"{module}.{module.rpartition('.')[2]}" in plain}  # a room, its main file
    counts = Counter(module.rpartition(".")[2] for module in plain)
    rooms = {module.rpartition(".")[0] for module in plain}
    names: dict[str, set[str]] = {}
    for module in plain:
        words = module.split(".")[1:]
        on_top = len(words) == 1 and module not in rooms
        shortest = 1 if counts[words[-1]] == 1 or on_top else 2
        for length in range(shortest, len(words) + 1):
            names.setdefault("_".join(words[-length:]), set()).add(module)
    return names


def wrong_names(tests: list[str], modules: list[str]) -> list[str]:
    """Names of tests that belong to no module, or to more than one."""
    names = names_of(modules)
    return [name for name in tests if name not in TOPICS and len(names.get(name, ())) != 1]


def test_unit_tests_are_called_like_what_they_test() -> None:
    tests = [file.stem.removeprefix("test_") for file in (REPOSITORY / "tests" / "unit").glob("test_*.py")]
    assert tests
    assert wrong_names(tests, list(package_modules())) == []
    assert set(TOPICS) <= set(tests)


@pytest.mark.parametrize(
    ("name", "is_wrong"),
    [("contact_rows", False), ("rows", True), ("law", False), ("rows_law", False), ("box", False), ("plane", True),
     ("collide_plane", False), ("touching", True), ("modes", False), ("contact", False),
     ("scene", False), ("tables", False), ("stepping_tables", False)],
)  # fmt: skip
def test_names_that_lead_nowhere_or_to_two_places_are_seen(name: str, is_wrong: bool) -> None:
    modules = [
        "taut", "taut.rows", "taut.rows.law", "taut.rows.law_kernels", "taut.contact", "taut.contact.rows",
        "taut.shapes", "taut.shapes.box", "taut.shapes.plane", "taut.collide", "taut.collide.plane_kernels",
        "taut.scene", "taut.scene.scene", "taut.tables", "taut.stepping", "taut.stepping.tables",
    ]  # fmt: skip
    assert (wrong_names([name], modules) != []) is is_wrong
