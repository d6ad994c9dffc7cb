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


Modules = dict[str, ast.Module]
"""Syntax trees by import name: the package, or sources that a test made up."""


@functools.cache
def package_modules() -> Modules:
    """The package."""
    return {module_name(file): tree(file) for file in package_files()}


def uses(module: str, modules: Modules, *, types: bool = False) -> set[str]:
    """Dotted names that a module takes from elsewhere, at once or inside functions: ``taut.shapes.Plane``, ``numpy``.

    Names come from import statements, from attributes of imported modules (``import taut.shapes as s; s.Plane``) and
    from names of modules in strings, see `loaded_by_name`. `types` adds what is imported only for type checks.
    """
    nodes = list(_walk(modules[module], types))
    bound: dict[str, str] = {}
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
            bound |= {alias.asname or _top(alias.name): alias.name if alias.asname else _top(alias.name)
                      for alias in node.names}  # fmt: skip
        elif isinstance(node, ast.ImportFrom):
            base = _base(module, node, modules)
            found |= {f"{base}.{alias.name}" for alias in node.names}
            bound |= {alias.asname or alias.name: f"{base}.{alias.name}" for alias in node.names}
    chains = (_chain(node) for node in nodes if isinstance(node, ast.Attribute))
    found |= {".".join((bound[first], *rest)) for first, *rest in chains if first in bound}
    return found | loaded_by_name(module, modules)


def loaded_by_name(module: str, modules: Modules) -> set[str]:
    """Modules of the package that a file hands to ``import_module``, as far as its strings tell.

    A call with a string names it. A call with an f-string names the fixed beginning, and all modules that the beginning
    and another string of the file make up. Any other call names all modules that strings of the file are the names of.
    """
    nodes = list(_walk(modules[module], types=False))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    calls = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module")]
    named: set[str] = set()
    for call in calls:
        match call.args[0]:
            case ast.Constant(value=str(name)):
                named.add(name)
            case ast.JoinedStr(values=values):
                beginning = _beginning(values, module)
                named |= {beginning.rpartition(".")[0], *(beginning + text for text in texts)}
            case _:
                named |= texts
    return {name for name in named if name in modules}


def home(name: str, modules: Modules, public: dict[str, str]) -> str | None:
    """The module of the package that a dotted name leads to; `public` says where the names of the package live."""
    words = name.split(".")
    if len(words) > 1 and words[0] == PACKAGE.name and words[1] in public:
        name = public[words[1]]
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


def _walk(node: ast.AST, types: bool) -> Iterator[ast.AST]:
    """A node and all below it; without `types` what stands under ``if TYPE_CHECKING`` is left out."""
    yield node
    for child in ast.iter_child_nodes(node):
        if types or not _for_types(child):
            yield from _walk(child, types)


def _top(name: str) -> str:
    return name.partition(".")[0]


def _base(module: str, node: ast.ImportFrom, modules: Modules) -> str:
    """Full name of the module that names are imported from."""
    is_package = any(name.startswith(f"{module}.") for name in modules)
    package = module if is_package else module.rpartition(".")[0]
    above = package.rsplit(".", node.level - 1)[0] if node.level else ""
    return ".".join(part for part in (above, node.module) if part)


def _chain(node: ast.Attribute) -> list[str]:
    """Words of a.b.c, or one empty word where it does not begin with a name."""
    words = [node.attr]
    value: ast.expr = node.value
    while isinstance(value, ast.Attribute):
        words.append(value.attr)
        value = value.value
    return [value.id, *reversed(words)] if isinstance(value, ast.Name) else [""]


def _beginning(values: list[ast.expr], module: str) -> str:
    """What an f-string begins with whatever its values are; ``__name__`` is known."""
    text = ""
    for value in values:
        if isinstance(value, ast.Constant):
            text += str(value.value)
        elif isinstance(value, ast.FormattedValue) and ast.unparse(value.value) == "__name__":
            text += module
        else:
            break
    return text
