"""A simulation in a file: its scene as it was edited, its settings and its state; it goes on from there to the bit.

    sim.save("hoist.npz")
    sim = taut.Simulation.load("hoist.npz")

The file is a checkpoint as `State.save` writes it, with one more entry: `taut.State.load` reads it too.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from taut import checks
from taut.errors import InputError, TautWarning
from taut.integrators import SCHEMES
from taut.model.compile import compile_model
from taut.model.state import DAMAGED, State
from taut.simulation.packing import pack, unpack

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation

ENTRY = "simulation"
"""Name of the entry that has the scene and the settings."""


def save_simulation(simulation: Simulation, path: str | Path) -> None:
    """Write a simulation to a file; InputError where it cannot be written."""
    controls = {name: each.value for name, each in simulation.controls.items() if each.spec.joint is None}
    content = pack(
        {
            "scene": simulation.scene, "settings": simulation.settings, "coordinates": simulation.coordinates,
            "mode": simulation.mode, "scene_name": simulation.scene_name, "parameters": simulation.parameters,
            "controls": controls,
        }
    )  # fmt: skip
    simulation.state.save(path, **{ENTRY: np.frombuffer(content, np.uint8)})


def load_simulation(kind: type[Simulation], path: str | Path, functions: Mapping[str, Any]) -> Simulation:
    """The simulation that was written to a file."""
    source = checks.path("load", "path", path)
    state = State.load(source)
    try:
        with source.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            content = file[ENTRY].tobytes() if ENTRY in file else None
        if content is None:
            raise InputError("it is of a state alone; `Simulation.save` writes one that has its scene")
        saved = unpack(content, functions)
        simulation = _built(kind, saved)
    except InputError as error:
        raise InputError(f"load: {path}: {error}") from None
    except (*DAMAGED, msgspec.MsgspecError) as error:
        raise InputError(f"load: {path} cannot be read ({error})") from None
    simulation.restore(state)
    simulation.state.energy = state.energy  # as the last frame added it up, which rounds otherwise than a new sum
    for name, value in saved["controls"].items():
        simulation.controls[name].recall(value)
    return simulation


def _built(kind: type[Simulation], saved: dict[str, Any]) -> Simulation:
    """A simulation of the same scene with the same settings, at its start."""
    scene, settings, mode = saved["scene"], saved["settings"], saved["mode"]
    scene.make_directories()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TautWarning)  # of a start that was long ago
        simulation = kind(
            scene, settings.step, settings.solver, settings.scheme.name if settings.scheme.name in SCHEMES else "bdf2",
            saved["coordinates"], mode=mode, sleeping=settings.sleeping,
        )  # fmt: skip
    simulation.scene_name, simulation.parameters = saved["scene_name"], saved["parameters"]
    if simulation.settings != settings:
        simulation.settings = replace(settings, scheme=simulation.settings.scheme)
        simulation.adopt(simulation.scene, compile_model(simulation.scene), simulation.state)
    return simulation
