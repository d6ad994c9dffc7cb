"""Reference scenes: one file each, found by itself, with ``build(**parameters) -> Scene``, ``check`` and ``DURATION``.

    scene = taut.scenes.build("hanging_chain", links=50)
    taut.scenes.get("hanging_chain").check(taut.Simulation(scene).run(5.0))

A file whose name begins with an underscore is no scene but something that scenes share.
"""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from taut import checks
from taut.errors import InputError

if TYPE_CHECKING:
    from taut.results.record import Recording
    from taut.scene.scene import Scene

__all__ = ["SceneEntry", "build", "build_entry", "get", "names", "unlisted"]


NOTE = re.compile(r"^    ((?:\w+, )*\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
"""Parameters in a docstring: their names, and what they are on this line and those that are indented further."""


@dataclass(frozen=True)
class SceneEntry:
    """A registered scene.

    Attributes:
        name: its file's name.
        summary: first line of its docstring.
        build: makes the scene from `parameters`.
        check: raises AssertionError with a readable text where a recording shows a wrong motion; None where nothing is
            known of the right one.
        duration: simulated seconds that show the whole motion.
        parameters: arguments of `build` with their defaults.
    """

    name: str
    summary: str
    build: Callable[..., Scene]
    check: Callable[[Recording], None] | None
    duration: float
    parameters: dict[str, Any]

    @property
    def notes(self) -> dict[str, str]:
        """What parameters mean, with their units: what the docstring of `build` says under "Args:", or ""."""
        _, _, text = (inspect.getdoc(self.build) or "").partition("Args:\n")
        found = {name: " ".join(note.split()) for names, note in NOTE.findall(text) for name in names.split(", ")}
        return {name: found.get(name, "") for name in self.parameters}


def names() -> list[str]:
    """Names of all scenes, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))


def get(name: str) -> SceneEntry:
    """A scene by name; a wrong name lists the valid ones."""
    module = importlib.import_module(f"{__name__}.{checks.known('scenes', 'scene', name, names())}")
    text = inspect.getdoc(module) or ""
    signature = inspect.signature(module.build)
    parameters = {key: parameter.default for key, parameter in signature.parameters.items()}
    entry = SceneEntry(name, text.partition("\n")[0], module.build, module.check, float(module.DURATION), parameters)
    # an entry documents its own scene, so that help(entry) and the tables of the command line show it
    object.__setattr__(entry, "__doc__", text)
    return entry


def build(name: str, **parameters: Any) -> Scene:
    """Build a scene by name; a wrong parameter lists the valid ones, a wrong value says what is allowed."""
    return build_entry(get(name), parameters)


def build_entry(entry: SceneEntry, parameters: dict[str, Any]) -> Scene:
    """Build the scene of an entry, registered or not."""
    owner, given = f"scene {entry.name!r}", {}
    for key, value in parameters.items():
        default = entry.parameters[checks.known(owner, "parameter", key, entry.parameters)]
        given[key] = _like(owner, key, value, default)
    scene = entry.build(**given)
    scene.name = entry.name
    scene.parameters = scene.parameters | entry.parameters | given
    return scene


def unlisted(scene: Scene) -> SceneEntry:
    """An entry for a scene that is not registered: a user's own, without parameters or a check."""
    return SceneEntry(scene.name, "", partial(_itself, scene), None, math.inf, {})


def _itself(scene: Scene) -> Scene:
    return scene


def _like(owner: str, key: str, value: Any, default: Any) -> Any:
    """The value with the type of the parameter's default."""
    if isinstance(default, str):
        allowed, wanted = isinstance(value, str), "text"
    elif isinstance(default, bool):
        allowed, wanted = isinstance(value, bool), "True or False"
    elif isinstance(default, int):
        allowed, wanted = isinstance(value, int) and not isinstance(value, bool), "a whole number"
    else:
        return checks.number(owner, key, value)
    if not allowed:
        raise InputError(f"{owner}: {key} is {value!r}; it must be {wanted}, such as {default!r}")
    return value
