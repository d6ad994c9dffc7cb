"""From what a user typed to a simulation: scene parameters, numbers and names are checked here, before anything runs."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taut.errors import InputError
from taut.names import known

if TYPE_CHECKING:
    from taut.simulation import Simulation

TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(frozen=True)
class RunRequest:
    """One run of a named scene.

    Attributes:
        scene: name of a registered scene.
        parameters: arguments of the scene's ``build``.
        solver: name of a solver.
        integrator: name of an integrator.
        coordinates: "maximal", "reduced" or "auto".
        step: step size (s).
        duration: simulated time (s); None takes the scene's own.
        record: HDF5 file to write, or None.
    """

    scene: str
    parameters: dict[str, Any] = field(default_factory=dict)
    solver: str = "auto"
    integrator: str = "bdf2"
    coordinates: str = "maximal"
    step: float = 1 / 60
    duration: float | None = None
    record: Path | None = None

    @property
    def seconds(self) -> float:
        """Simulated time of the run (s)."""
        return self.duration if self.duration is not None else float(find_scene(self.scene).duration)

    def simulation(self) -> Simulation:
        """Build the scene and make it ready to step."""
        from taut import scenes
        from taut.simulation import Simulation

        scene = scenes.build(self.scene, **self.parameters)
        return Simulation(
            scene, step=self.step, solver=self.solver, integrator=self.integrator, coordinates=self.coordinates
        )


def find_scene(name: str) -> Any:
    """A registered scene by name; hyphens and underscores are the same."""
    from taut import scenes

    names = scenes.names()
    plain = name.replace("-", "_")
    return scenes.get(plain if plain in names else known(name, names, "scene"))


def scene_parameters(scene: Any) -> dict[str, Any]:
    """Parameters of a scene's ``build`` with their default values."""
    signature = inspect.signature(scene.build)
    return {name: parameter.default for name, parameter in signature.parameters.items()}


def parse_parameters(scene: str, assignments: list[str]) -> dict[str, Any]:
    """Turn ``key=value`` texts into arguments of the scene's ``build``.

    A value takes the type of the parameter's default, so that a number is never mistaken for a name.
    """
    valid = scene_parameters(find_scene(scene))
    parameters = {}
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        if not separator or not key:
            raise InputError(f"--set '{assignment}' is not of the form key=value")
        known(key, valid, f"parameter of scene {scene}")
        parameters[key] = _typed(key, text, valid[key])
    return parameters


def parse_value(text: str) -> Any:
    """The int, float, bool or str that a text stands for; 1/60 is a float."""
    if text.lower() in TRUTH:
        return TRUTH[text.lower()]
    for convert in (int, float, _fraction):
        try:
            return convert(text)
        except (ValueError, ZeroDivisionError):
            continue
    return text


def parse_seconds(text: str, option: str) -> float:
    """A positive, finite time in seconds; fractions such as 1/240 are allowed."""
    value = parse_value(text)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        raise InputError(f"{option} {text} is not a positive number of seconds (such as 0.01 or 1/60)")
    return float(value)


def _typed(key: str, text: str, default: Any) -> Any:
    value = parse_value(text)
    if isinstance(default, str):
        return text
    if isinstance(default, bool):
        allowed, wanted = isinstance(value, bool), "true or false"
    elif isinstance(default, int):
        allowed, wanted = isinstance(value, int) and not isinstance(value, bool), "a whole number"
    elif isinstance(default, float):
        allowed, wanted = isinstance(value, int | float) and not isinstance(value, bool), "a number"
    else:
        return value
    if not allowed:
        raise InputError(f"scene parameter {key}='{text}' is not {wanted} (default {default})")
    return float(value) if isinstance(default, float) else value


def _fraction(text: str) -> float:
    numerator, denominator = text.split("/")
    return float(numerator) / float(denominator)
