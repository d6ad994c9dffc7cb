"""A scene of one's own: a Python file with ``build(**parameters) -> Scene``; ``check`` and ``DURATION`` are optional.

    entry = script.load(Path("my_scene.py"))
    taut.Simulation(entry.build(height=2.0)).run(entry.duration)

An entry holds the file's path, not its functions, so that it can be sent to another process. Whatever goes wrong inside
the file is told in one line, with the line of the file.
"""

from __future__ import annotations

import functools
import inspect
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from taut import checks
from taut.errors import InputError, TautError
from taut.scenes import SceneEntry

if TYPE_CHECKING:
    from taut.results.record import Recording
    from taut.scene.scene import Scene

SUFFIX = ".py"

DURATION = 5.0
"""Simulated seconds of a script that does not say."""


def load(path: Path) -> SceneEntry:
    """The scene of a script; runs the script, but does not build the scene."""
    if not path.is_file():
        raise InputError(f"{path} is {'a folder' if path.is_dir() else 'not there'}; it must be a Python script")
    place = str(path.resolve())
    module = _module(place)
    if not inspect.isfunction(getattr(module, "build", None)):
        raise InputError(f"{path.name} has no function build(); it must have one that returns a taut.Scene")
    text = inspect.getdoc(module) or ""
    return SceneEntry(
        name=path.stem,
        summary=text.partition("\n")[0],
        build=functools.partial(_build, place),
        check=functools.partial(_check, place) if hasattr(module, "check") else None,
        duration=checks.number(path.name, "DURATION", getattr(module, "DURATION", DURATION), above=0.0),
        parameters=_parameters(module, path.name),
    )


def _parameters(module: ModuleType, name: str) -> dict[str, Any]:
    """Arguments of `build` with their defaults."""
    parameters = {}
    for key, parameter in inspect.signature(module.build).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty:
            raise InputError(f"{name}: parameter {key!r} of build() has no default; it must have one")
        if not isinstance(parameter.default, str | bool | int | float):
            default = f"parameter {key!r} of build() has the default {checks.shown(parameter.default)}"
            raise InputError(f"{name}: {default}; it must be a number, a text, True or False")
        parameters[key] = parameter.default
    return parameters


@functools.cache
def _module(place: str) -> ModuleType:
    """The script as a module, run once a process; it finds what lies beside it, as under ``python my_scene.py``."""
    path = Path(place)
    module = ModuleType(f"_script_{path.stem}")
    module.__file__ = place
    sys.modules[module.__name__] = module
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    with _blamed(place):
        exec(compile(path.read_bytes(), place, "exec"), module.__dict__)
    return module


def _build(place: str, **parameters: Any) -> Scene:
    from taut.scene.scene import Scene

    with _blamed(place):
        scene = _module(place).build(**parameters)
    if not isinstance(scene, Scene):
        raise InputError(f"{Path(place).name}: build() returned {checks.shown(scene)}; it must return a taut.Scene")
    return scene


def _check(place: str, recording: Recording) -> None:
    try:
        with _blamed(place):
            _module(place).check(recording)
    except InputError as error:
        raise AssertionError(str(error)) from error


@contextmanager
def _blamed(place: str) -> Iterator[None]:
    """What goes wrong in a script is the user's to put right: one line that says where in it, and what."""
    try:
        yield
    except (Exception, SystemExit) as error:
        told = str(error) if isinstance(error, TautError | AssertionError) else ""
        what = told or f"{type(error).__name__}: {error}".rstrip(": ")
        raise InputError(f"{Path(place).name}{_where(error, place)}: {what}") from error


def _where(error: BaseException, place: str) -> str:
    """The last line of the script that an error went through, empty if there is none."""
    if isinstance(error, SyntaxError) and error.filename == place:
        return f", line {error.lineno}"
    lines = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == place]
    return f", line {lines[-1].lineno}, `{lines[-1].line}`" if lines else ""
