"""Every kernel is found by the cache key and compiled for exactly one signature."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from source_files import REPOSITORY, Function, imports, label, module_name, package_files, tree

from taut.kernel import KERNEL_MARK, kernel_modules, sources

KERNEL_FILES = [file for file in package_files() if file.stem.endswith("_kernels")]


FOR_NUMBA = "made", "made_of", "read_field", "add_method", "count_cycles"
"""Functions that tell Numba which types or instructions to make, not loops."""


def is_for_all_tables(function: Function) -> bool:
    """Whether it is no kernel of its own, but compiled into kernels for the tables they call it with."""
    return [ast.unparse(each).partition("(")[0] for each in function.decorator_list] in (["generic"], ["method"])


def functions_of(file: Path) -> list[Function]:
    return [node for node in tree(file).body if isinstance(node, Function) and node.name not in FOR_NUMBA]


def kernels(file: Path) -> list[Function]:
    return [function for function in functions_of(file) if not is_for_all_tables(function)]


def keywords(function: Function) -> list[str]:
    return [ast.unparse(keyword) for keyword in function.decorator_list[0].keywords]


def is_inner(function: Function) -> bool:
    return keywords(function) == ["inner=True"]


def named_kernels(file: Path) -> set[str]:
    """Names that a file takes from modules with kernels."""
    taken = [node for node in ast.walk(tree(file)) if isinstance(node, ast.ImportFrom)]
    modules = {alias.asname or alias.name for node in taken for alias in node.names if "_kernels" in alias.name}
    names = {alias.name for node in taken for alias in node.names if (node.module or "").endswith("_kernels")}
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            names.add(node.attr)
    return names


def test_files_with_kernels_are_exactly_those_of_the_cache_key() -> None:
    assert {module_name(file) for file in KERNEL_FILES} == set(kernel_modules()) - {"taut.kernel"}
    assert KERNEL_FILES


@pytest.mark.parametrize("file", KERNEL_FILES, ids=label)
def test_the_cache_key_covers_all_that_a_file_imports(file: Path) -> None:
    """The key reads lines, as that is quick; here the syntax tree says what is imported.

    How kernels read tables belongs to tables, and how they are compiled to `kernel`, though both are imported with the
    first kernel only.
    """
    files = {module_name(each): each for each in package_files()}
    found, pending = set(), {file}
    while pending:
        found |= pending
        named = {name for each in pending for name, _ in imports(each, nested=False)}
        named |= {"taut.table_types"} if files["taut.tables"] in pending else set()
        named |= {"taut.compiling"} if files["taut.kernel"] in pending else set()
        pending = {files[name] for name in named if name in files} - found
    assert sources(file) == found
    assert files["taut.kernel"] in found


def test_nothing_else_compiles() -> None:
    users = [label(file) for file in package_files() if "njit" in file.read_text(encoding="utf-8")]
    assert users == ["src/taut/kernel.py"]


@pytest.mark.parametrize("file", KERNEL_FILES, ids=label)
def test_every_function_has_one_explicit_signature(file: Path) -> None:
    assert KERNEL_MARK in file.read_text(encoding="utf-8")
    assert kernels(file)
    for function in kernels(file):
        where = f"{label(file)}:{function.lineno} {function.name}"
        assert len(function.decorator_list) == 1, f"{where} needs the decorator @kernel(signature)"
        decorator = function.decorator_list[0]
        assert isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "kernel", where
        assert set(keywords(function)) <= {"inner=True", "apart=True", "allocates=True"}, where
        annotated = function.returns is not None and all(each.annotation for each in function.args.args)
        assert annotated or decorator.args, where
        assert all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in decorator.args), where


def test_inner_kernels_are_called_by_kernels_only() -> None:
    inner = {function.name for file in KERNEL_FILES for function in kernels(file) if is_inner(function)}
    assert inner
    for file in [*package_files(), *(REPOSITORY / "tests").rglob("*.py")]:
        if file not in KERNEL_FILES:
            assert not inner & named_kernels(file), f"{label(file)} calls kernels that have no entry from Python"


@pytest.mark.parametrize("file", KERNEL_FILES, ids=label)
def test_signatures_have_as_many_arguments_as_the_function(file: Path) -> None:
    for function in kernels(file):
        if not function.decorator_list[0].args:
            continue
        signature = function.decorator_list[0].args[0].value
        opening = signature.rindex(")(") + 1 if ")(" in signature else signature.index("(")
        inner = signature[opening + 1 : signature.rindex(")")]
        depth, count = 0, int(bool(inner.strip()))
        for letter in inner.rstrip(" ,"):
            depth += letter in "[(" and 1 or letter in "])" and -1 or 0
            count += letter == "," and depth == 0
        assert count == len(function.args.args), f"{label(file)}:{function.lineno} {function.name}: {signature}"
