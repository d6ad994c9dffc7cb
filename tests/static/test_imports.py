"""Who may import whom."""

from __future__ import annotations

import ast
import graphlib
import textwrap
from pathlib import Path

import pytest
from fresh_python import run_python
from source_files import (
    Modules,
    home,
    imports,
    label,
    loaded_by_name,
    module_name,
    package_files,
    package_modules,
    uses,
)

import taut

TOP = {
    "__init__", "__main__", "checks", "console", "errors",
    "compiling", "kernel", "spatial", "spatial_kernels", "table_types", "tables",
}  # fmt: skip
"""The only modules on top of the package, at most eleven; all others have a room."""

ONE_ROOM = {"compiling": "kernel", "tables": "kernel", "table_types": "kernel", "spatial_kernels": "spatial"}
"""Modules on top that make up one thing; each of the others is a room of its own."""

TABLE_OF_ROOMS = {
    "errors": "",
    "kernel": "",
    "spatial": "kernel",
    "checks": "errors spatial",
    "console": "kernel",
    "structure": "errors kernel",
    "linalg": "errors kernel structure",
    "problem": "errors kernel structure",
    "solvers": "errors kernel linalg problem structure",
    "rows": "checks errors kernel spatial structure",
    "shapes": "checks errors spatial",
    "joints": "checks errors rows spatial",
    "forces": "checks errors joints rows spatial",
    "scene": "checks errors forces joints rows shapes spatial",
    "machines": "checks errors joints rows scene shapes spatial",
    "collide": "kernel shapes spatial",
    "contact": "collide kernel problem rows solvers spatial",
    "integrators": "kernel spatial",
    "model": "checks collide contact errors forces integrators joints kernel rows scene shapes spatial structure",
    "responses": "integrators kernel linalg model problem rows spatial structure",
    "stepping": "collide contact errors forces integrators kernel model problem responses rows solvers spatial "
                "structure",
    "results": "checks contact errors forces model rows shapes spatial stepping",
    "scenes": "checks errors forces joints machines results scene shapes spatial",
    "importers": "checks errors scene scenes",
    "simulation": "checks collide contact errors forces importers integrators joints model problem results rows scene "
                  "scenes solvers spatial stepping",
    "view": "checks console errors kernel model problem results scene scenes shapes simulation solvers spatial",
    "taut": "errors forces integrators joints machines model problem results rows scene scenes shapes simulation "
            "solvers spatial view",
    "benchmarks": "checks errors joints kernel linalg machines problem responses results scene scenes shapes "
                  "simulation solvers spatial stepping structure view",
    "commands": "benchmarks checks console errors kernel results scenes simulation solvers taut view",
    "__main__": "commands",
}  # fmt: skip
"""Which rooms a room may import, at once or inside functions; a room may import only those above it.

A new name in this table is a decision: does the room have to know that one? "taut" is the list of public names.
"""

NUMERICAL = ("taut.solvers", "taut.linalg", "taut.structure", "taut.problem")
"""Packages that know numbers, not bodies."""

ALLOWED_IN_NUMERICAL = (*NUMERICAL, "taut.kernel", "taut.table_types", "taut.tables", "taut.errors")

KIND_PACKAGES = ("taut.joints", "taut.shapes")
"""Only what turns a scene into arrays, and what makes scenes, knows joints and shapes by class."""

KNOWS_KINDS = ("taut.model", "taut.scenes", "taut.machines", "taut.importers", "taut.benchmarks", *KIND_PACKAGES)

GROUND = {"taut.scene.scene": {"taut.shapes.Plane"}, "taut.scene.specs": {"taut.shapes.Plane"}}
"""The scene itself knows one shape: `scene.add_plane()` makes it, because ground belongs to no body."""

SHARED_PARTS = ("base", "drive", "frame", "motion", "softening", "surface")
"""Modules in those packages that hold what all kinds have in common."""

HEAVY = ("numba", "matplotlib", "h5py", "viser")


def inside(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def files_in(*packages: str) -> list[Path]:
    return [file for file in package_files() if inside(module_name(file), packages)]


@pytest.mark.parametrize("file", files_in(*NUMERICAL), ids=label)
def test_numerical_packages_import_nothing_physical(file: Path) -> None:
    own = [(module, line) for module, line in imports(file) if module.startswith("taut.")]
    assert [found for found in own if not inside(found[0], ALLOWED_IN_NUMERICAL)] == []


def kinds_known_by(module: str, modules: Modules) -> set[str]:
    """Joints and shapes that a module knows by class, or by the file of a class."""
    files = {
        name for name in modules for package in KIND_PACKAGES
        if name.startswith(f"{package}.") and name.rpartition(".")[2] not in SHARED_PARTS
    }  # fmt: skip
    classes = {
        f"{file.rpartition('.')[0]}.{node.name}"
        for file in files for node in modules[file].body if isinstance(node, ast.ClassDef)
    }  # fmt: skip
    return {name for name in uses(module, modules, types=True) if inside(name, (*files, *classes))}


@pytest.mark.parametrize("module", [name for name in package_modules() if not inside(name, KNOWS_KINDS)])
def test_kinds_of_joints_and_shapes_are_known_by_class_only_where_scenes_are_made_and_compiled(module: str) -> None:
    assert kinds_known_by(module, package_modules()) <= GROUND.get(module, set())


def room(module: str) -> str:
    """The folder that a module is in, itself for one on top."""
    name = module.split(".")[1] if "." in module else module
    return ONE_ROOM.get(name, name)


def rooms_used(modules: Modules) -> dict[str, dict[str, set[str]]]:
    """Room -> rooms that it imports, at once or later -> the names of the modules that do so."""
    result: dict[str, dict[str, set[str]]] = {room(module): {} for module in modules}
    for module in modules:
        for name in uses(module, modules) - {"taut"}:  # to have the package at hand is not to use it
            target = home(name, modules, taut._HOMES)
            if target is not None and room(target) != room(module):
                result[room(module)].setdefault(room(target), set()).add(module)
    return result


def cycle_of_rooms(modules: Modules) -> list[str]:
    """Rooms that import each other in a circle, in no such circle none."""
    try:
        graphlib.TopologicalSorter(rooms_used(modules)).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def not_in_the_table(modules: Modules) -> list[str]:
    """Imports from one room to another that the table does not have."""
    return [
        f"{user} imports {target}" for name, targets in rooms_used(modules).items() for target, users in targets.items()
        if target not in TABLE_OF_ROOMS.get(name, "").split() for user in sorted(users)
    ]  # fmt: skip


def test_rooms_form_no_cycle() -> None:
    assert cycle_of_rooms(package_modules()) == []


def test_rooms_import_what_the_table_says() -> None:
    assert not_in_the_table(package_modules()) == []
    assert set(map(room, package_modules())) <= set(TABLE_OF_ROOMS)


def test_the_table_of_rooms_runs_from_the_ground_up() -> None:
    above: set[str] = set()
    for name, allowed in TABLE_OF_ROOMS.items():
        assert set(allowed.split()) <= above, name
        above.add(name)


def test_few_modules_are_on_top() -> None:
    assert {file.stem for file in package_files() if file.parent.name == "taut"} <= TOP
    assert len(TOP) <= 11


def made_up(**sources: str) -> Modules:
    """A small package; two underscores stand for a dot."""
    names = {name.replace("__", "."): textwrap.dedent(text) for name, text in sources.items()}
    return {f"taut.{name}" if name != "taut" else name: ast.parse(text) for name, text in names.items()}


@pytest.mark.parametrize(
    "way_back",
    [
        "from taut.rows import law",
        "from ..rows.law import hold",
        "def later():\n    from taut.rows.law import hold",
        "import taut\nhold = taut.rows.law.hold",
        "from importlib import import_module\nimport_module('taut.rows.law')",
        "import importlib\nfor name in ('rows.law',):\n    importlib.import_module(f'taut.{name}')",
        "import importlib\nhomes = {'hold': 'taut.rows.law'}\nimportlib.import_module(homes['hold'])",
    ],
)
def test_a_cycle_of_rooms_is_seen(way_back: str) -> None:
    source = {"taut": "", "rows": "", "rows__law": "from taut.shapes.box import Box", "shapes": ""}
    assert set(cycle_of_rooms(made_up(**source, shapes__box=way_back))) == {"rows", "shapes"}
    for_types = f"if TYPE_CHECKING:\n{textwrap.indent(way_back, '    ')}"
    assert cycle_of_rooms(made_up(**source, shapes__box=for_types)) == []
    assert cycle_of_rooms(made_up(**source, shapes__box="import numpy")) == []


def test_public_names_lead_to_their_rooms_and_strings_to_modules() -> None:
    modules = made_up(taut="", scene__scene="", checks="import taut\ndef scene(): return taut.Scene()", joints__rope="")
    assert not_in_the_table(modules) == ["taut.checks imports scene"]
    modules["taut.joints"] = ast.parse("import importlib\nimportlib.import_module(f'{__name__}.{x}')\nname = 'rope'")
    assert loaded_by_name("taut.joints", modules) == {"taut.joints", "taut.joints.rope"}


@pytest.mark.parametrize(
    "source",
    [
        "from taut.shapes import Plane",
        "from taut.shapes.plane import Plane",
        "from taut.shapes.plane import thickness",
        "from taut.shapes import plane",
        "import taut.shapes as s\nisinstance(x, s.Plane)",
        "import taut\ntaut.shapes.Plane()",
        "from taut import shapes\ndef f(): return shapes.Plane",
        "import importlib\nimportlib.import_module('taut.shapes.plane')",
        "if TYPE_CHECKING:\n    from taut.shapes import Plane",
    ],
)
def test_a_kind_known_by_class_is_seen(source: str) -> None:
    modules = made_up(shapes="", shapes__base="class Shape: ...", shapes__plane="class Plane: ...", other=source)
    assert kinds_known_by("taut.other", modules)
    modules["taut.other"] = ast.parse("from taut.shapes import Shape\nimport taut\ntaut.shapes.base.Shape")
    assert not kinds_known_by("taut.other", modules)


@pytest.mark.parametrize("file", package_files(), ids=label)
def test_kernels_are_imported_only_where_they_are_used(file: Path) -> None:
    if file.stem.endswith("_kernels"):
        return
    top = [found for found in imports(file, nested=False) if found[0].split(".")[-1].endswith("_kernels")]
    assert top == [], "a module with kernels compiles when it is imported: import it inside the function that needs it"


def imported_by(code: str) -> set[str]:
    """Top-level names of the modules that are loaded after some code ran in a fresh interpreter."""
    script = f"{code}\nimport sys; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = run_python("-c", script)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def test_import_taut_loads_nothing_heavy() -> None:
    loaded = imported_by("import taut")
    assert loaded.isdisjoint({*HEAVY, "numpy", "scipy", "typer", "rich"})


@pytest.mark.parametrize("command", ["--help", "scenes", "solvers", "run --help", "bench"])
def test_commands_that_only_tell_load_no_compiler(command: str) -> None:
    call = "from taut.commands.main import main\ntry: main()\nexcept SystemExit: pass"
    assert imported_by(f"import sys; sys.argv[1:] = {command.split()!r}\n{call}").isdisjoint(HEAVY)
