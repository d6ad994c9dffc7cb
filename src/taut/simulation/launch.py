"""From what a user typed to a simulation: names, numbers and scene parameters are checked before anything compiles."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taut import checks
from taut.errors import InputError

if TYPE_CHECKING:
    from taut.scene.scene import Scene
    from taut.scenes import SceneEntry
    from taut.simulation.simulation import Simulation

RECORDINGS = (".h5", ".hdf5")
"""How names of recordings end."""

TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(frozen=True)
class RunRequest:
    """One run of a scene.

    Attributes:
        entry: the scene, registered or not.
        parameters: arguments of its ``build``.
        solver: name of a solver.
        integrator: name of an integrator.
        coordinates: "maximal", "reduced" or "auto".
        friction: name of a friction law.
        step: step size (s).
        duration: simulated time (s).
        record: HDF5 file to write, or None.
        problems: folder for the problem of every frame, or None.
        sleeping: whether bodies that rest fall asleep.
        linear: "pcg", "direct" or "auto", see `Simulation`.
        geometric_stiffness: "auto", "exact" or "off", see `Simulation`.
        partition, part_size: how a solver with parts makes them, see `Simulation`; None = as the solver says.
    """

    entry: SceneEntry
    parameters: dict[str, Any] = field(default_factory=dict)
    solver: str = "auto"
    integrator: str = "bdf2"
    coordinates: str = "maximal"
    friction: str = "box"
    step: float = 1 / 60
    duration: float = 1.0
    record: Path | None = None
    problems: Path | None = None
    sleeping: bool = False
    linear: str = "auto"
    geometric_stiffness: str = "auto"
    partition: str | None = None
    part_size: int | None = None

    def with_solver(self, name: str) -> RunRequest:
        """The same run with another solver; one without parts is told nothing of them."""
        from taut import solvers

        if solvers.has_parts(name):
            return replace(self, solver=name)
        return replace(self, solver=name, partition=None, part_size=None)

    def build(self) -> Scene:
        """Check the names and build the scene; compiles nothing, so mistakes are answered at once."""
        from taut import integrators, scenes, solvers
        from taut.contact import friction
        from taut.simulation import simulation
        from taut.stepping.policy import STIFFNESSES

        if self.duration < 0.5 * self.step:  # rounded to whole steps, none
            text = f"it must be at least a step, and step is {self.step:g} s"
            raise InputError(f"run: duration is {self.duration:g} s; {text}")
        checks.known("run", "solver", self.solver, ["auto", *solvers.names()])
        solvers.with_parts("run", solvers.get(self.solver), self.partition, self.part_size)
        checks.known("run", "integrator", self.integrator, integrators.SCHEMES)
        checks.known("run", "coordinates", self.coordinates, simulation.COORDINATES)
        checks.known("run", "friction", self.friction, friction.MODES)
        checks.known("run", "linear", self.linear, simulation.METHODS)
        checks.known("run", "geometric_stiffness", self.geometric_stiffness, STIFFNESSES)
        return scenes.build_entry(self.entry, self.parameters)

    def simulation(self) -> Simulation:
        """The simulation, ready to step."""
        from taut.problem.dump import ProblemFolder
        from taut.simulation.simulation import Simulation

        problems = None if self.problems is None else ProblemFolder(self.problems)
        return Simulation(
            self.build(), self.step, self.solver, self.integrator, self.coordinates, self.friction, problems=problems,
            sleeping=self.sleeping, linear=self.linear, geometric_stiffness=self.geometric_stiffness,
            partition=self.partition, part_size=self.part_size,
        )  # fmt: skip


def entry_of(target: str | Path) -> SceneEntry:
    """The scene with a name, which may be written with hyphens, or that of a script."""
    from taut import scenes
    from taut.importers import script

    if Path(target).suffix.lower() == script.SUFFIX:
        return script.load(Path(target))
    return scenes.get(str(target).replace("-", "_"))


def is_recording(target: str | Path) -> bool:
    """Whether a target is a recording rather than a scene; what looks like a file but is none is refused.

    Names of scenes may be written with hyphens.
    """
    from taut import scenes
    from taut.importers import script

    text = str(target)
    if text.replace("-", "_") in scenes.names() or Path(text).suffix.lower() == script.SUFFIX:
        return False
    if Path(text).exists() or Path(text).suffix.lower() in RECORDINGS:
        return True
    if "/" in text or "." in text:
        raise InputError(f"there is no recording {text}; `taut run SCENE --record FILE.h5` makes one")
    return False


def parse_parameters(entry: SceneEntry, assignments: list[str]) -> dict[str, Any]:
    """Turn ``key=value`` texts into arguments of the scene's ``build``; a wrong key lists the valid ones."""
    parameters = {}
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        if not separator or not key:
            raise InputError(f"--set '{assignment}' is not of the form key=value")
        checks.known(f"scene {entry.name!r}", "parameter", key, entry.parameters)
        # a parameter that is a text stays one, even if it looks like a number
        parameters[key] = text if isinstance(entry.parameters[key], str) else parse_value(text)
    return parameters


def parse_value(text: str) -> int | float | bool | str:
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
    if isinstance(value, bool | str) or not math.isfinite(value) or value <= 0:
        raise InputError(f"{option} {text} is not a positive number of seconds, such as 0.01 or 1/60")
    return float(value)


def _fraction(text: str) -> float:
    numerator, denominator = text.split("/")
    return float(numerator) / float(denominator)
