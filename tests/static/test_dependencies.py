"""Every package that is declared is used, and every package that is used is declared."""

from __future__ import annotations

import ast
import re
import sys
import tomllib

from source_files import REPOSITORY, Modules, package_modules, tree, uses

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))

IMPORT_NAMES = {"pillow": "PIL", "pin": "pinocchio"}
"""Import names of packages that are not called so; dashes become underscores in any case."""

OF_DEVELOPERS = ("dev", "docs", "browser")
"""Extras that only tests, pages and the Makefile use."""


def import_name(requirement: str) -> str:
    """Import name of a requirement such as ``pillow>=10.1``."""
    name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower()
    return IMPORT_NAMES.get(name, name.replace("-", "_"))


def declared(project: dict, *extras: str) -> set[str]:
    """Import names of what these extras ask for, "" being the dependencies; extras inside extras are left out."""
    lists = {"": project["project"]["dependencies"], **project["project"]["optional-dependencies"]}
    names = {import_name(requirement) for extra in extras for requirement in lists[extra]}
    return names - {project["project"]["name"]}


def extras_of(project: dict) -> list[str]:
    return list(project["project"]["optional-dependencies"])


def for_users(project: dict) -> set[str]:
    """Import names of what the package itself may import."""
    return declared(project, "", *(name for name in extras_of(project) if name not in OF_DEVELOPERS))


def foreign(modules: Modules, wanted: set[str]) -> set[str]:
    """Import names of other people's packages in these sources.

    Names in strings count where a file imports or looks for modules by name, if they are `wanted`.
    """
    tops = {name.partition(".")[0] for module in modules for name in uses(module, modules)}
    for content in modules.values():
        if re.search(r"\b(import_module|find_spec|importorskip)\(", ast.unparse(content)):
            nodes = (node.value for node in ast.walk(content) if isinstance(node, ast.Constant))
            tops |= {value.partition(".")[0] for value in nodes if isinstance(value, str)} & wanted
    own = {name.partition(".")[0] for name in modules}
    return tops - sys.stdlib_module_names - own


def other_sources() -> Modules:
    """Tests, examples and the scripts that make pages, by names that tests import them by."""
    files = [file for folder in ("tests", "examples", "docs") for file in (REPOSITORY / folder).rglob("*.py")]
    names = {".".join(file.relative_to(REPOSITORY).with_suffix("").parts[1:]): tree(file) for file in files}
    return names | {"taut": ast.parse("")}


def unused(project: dict, modules: Modules) -> set[str]:
    """What is declared for users and not imported."""
    return for_users(project) - foreign(modules, for_users(project))


def undeclared(project: dict, modules: Modules) -> set[str]:
    """What is imported and not declared for users."""
    return foreign(modules, for_users(project)) - for_users(project)


def test_every_dependency_and_extra_has_an_importer() -> None:
    assert unused(PROJECT, package_modules()) == set()


def test_every_import_of_the_package_is_declared() -> None:
    assert undeclared(PROJECT, package_modules()) == set()


def test_extras_of_developers_are_used_by_tests_pages_or_the_makefile() -> None:
    wanted = declared(PROJECT, *OF_DEVELOPERS)
    places = [REPOSITORY / "Makefile", REPOSITORY / "docs" / "conf.py"]
    named = {word for place in places for word in re.findall(r"\w+", place.read_text(encoding="utf-8"))}
    assert wanted - foreign(other_sources(), wanted) - named == set()


def test_every_import_of_tests_and_pages_is_declared() -> None:
    wanted = declared(PROJECT, "", *extras_of(PROJECT))
    assert foreign(other_sources(), wanted) - wanted == set()


def test_settings_of_tools_name_only_packages_that_are_declared() -> None:
    overrides = PROJECT["tool"]["mypy"]["overrides"]
    silenced = [name for each in overrides if each.get("ignore_missing_imports") for name in each["module"]]
    banned = PROJECT["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-module-level-imports"]
    assert {name.partition(".")[0] for name in (*silenced, *banned)} <= for_users(PROJECT)


def test_what_is_missing_or_too_much_is_seen() -> None:
    extras = {"draw": ["pillow>=10"], "sweep": ["dask[distributed]>=2024.1"], "dev": ["taut[draw]", "pytest"]}
    project = {"project": {"name": "taut", "dependencies": ["numpy>=2.0", "rich"], "optional-dependencies": extras}}
    sources = {
        "taut": "import sys\nimport numpy as np\n",
        "taut.film": "import importlib\ndef f(): return importlib.import_module(x)\nf('PIL')\n",
        "taut.plot": "def f():\n    from matplotlib import pyplot\n",
    }
    modules = {name: ast.parse(text) for name, text in sources.items()}
    assert unused(project, modules) == {"rich", "dask"}
    assert undeclared(project, modules) == {"matplotlib"}
