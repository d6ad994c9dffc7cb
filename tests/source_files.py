"""The package's source files, parsed, for tests of the rules that keep it easy to live in."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = REPOSITORY / "src" / "taut"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.cache
def tree(file: Path) -> ast.Module:
    """Syntax tree of a file."""
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def package_files() -> list[Path]:
    """All modules of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def label(file: Path) -> str:
    """Path from the repository, as an error should show it."""
    return file.relative_to(REPOSITORY).as_posix()


def module_name(file: Path) -> str:
    """Import name of a module of the package."""
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def functions(file: Path) -> Iterator[Function]:
    """All functions and methods of a file, nested ones too."""
    for node in ast.walk(tree(file)):
        if isinstance(node, Function):
            yield node


def code_lines(file: Path, function: Function) -> int:
    """Lines of a function that hold code: no docstring, no blank lines, no comments, no decorators."""
    lines = file.read_text(encoding="utf-8").splitlines()
    first = function.body[0]
    has_docstring = ast.get_docstring(function) is not None
    docstring = range(first.lineno, (first.end_lineno or first.lineno) + 1) if has_docstring else range(0)
    numbers = range(function.lineno, (function.end_lineno or function.lineno) + 1)
    texts = (lines[number - 1].strip() for number in numbers if number not in docstring)
    return sum(1 for text in texts if text and not text.startswith("#"))


def imports(file: Path, *, nested: bool = True) -> Iterator[tuple[str, int]]:
    """Modules that a file imports with the line; `nested=False` leaves out imports in functions and for type checks."""
    package = module_name(file) if file.name == "__init__.py" else module_name(file).rpartition(".")[0]
    pending: list[ast.AST] = [tree(file)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(part for part in (above, node.module) if part)
            yield base, node.lineno
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)
        elif nested or not (isinstance(node, Function) or _for_types(node)):
            pending.extend(ast.iter_child_nodes(node))


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
