"""Who may import whom."""

from __future__ import annotations

from pathlib import Path

import pytest
from fresh_python import run_python
from source_files import imports, label, module_name, package_files

NUMERICAL = ("taut.solvers", "taut.linalg", "taut.structure", "taut.problem")
"""Packages that know numbers, not bodies."""

ALLOWED_IN_NUMERICAL = (*NUMERICAL, "taut.kernel", "taut.tables", "taut.errors")

KIND_PACKAGES = ("taut.joints", "taut.shapes")
"""Only what turns a scene into arrays, and scenes themselves, know joints and shapes by class."""

KNOWS_KINDS = ("taut.model.compile", "taut.scenes", "taut.machines", "taut.importers", *KIND_PACKAGES)

SHARED_PARTS = ("base", "drive", "frame", "surface")
"""Modules in those packages that hold what all kinds have in common."""

HEAVY = ("numba", "matplotlib", "mujoco", "h5py", "trimesh")


def inside(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def files_in(*packages: str) -> list[Path]:
    return [file for file in package_files() if inside(module_name(file), packages)]


@pytest.mark.parametrize("file", files_in(*NUMERICAL), ids=label)
def test_numerical_packages_import_nothing_physical(file: Path) -> None:
    own = [(module, line) for module, line in imports(file) if module.startswith("taut.")]
    assert [found for found in own if not inside(found[0], ALLOWED_IN_NUMERICAL)] == []


@pytest.mark.parametrize("file", package_files(), ids=label)
def test_kinds_of_joints_and_shapes_are_known_by_class_only_where_scenes_are_compiled(file: Path) -> None:
    if inside(module_name(file), KNOWS_KINDS):
        return
    every = {module_name(each) for each in files_in(*KIND_PACKAGES)} - set(KIND_PACKAGES)
    kinds = tuple(name for name in every if name.rpartition(".")[2] not in SHARED_PARTS)
    assert [found for found in imports(file) if inside(found[0], kinds)] == []


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
