"""Taut: an engine for stiff multibody systems that solves every step and proves it with a residual."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Scene": "taut.scene.scene",
    "Piece": "taut.scene.looks",
    "Ramps": "taut.scene.schedules",
    "Simulation": "taut.simulation.simulation",
    "Recording": "taut.results.record",
    "State": "taut.model.state",
    "StepReport": "taut.results.report",
    "MlcpProblem": "taut.problem.mlcp",
    "MlcpSolution": "taut.problem.solution",
    "Status": "taut.problem.solution",
    "solve_mlcp": "taut.solvers.solve",
    "show": "taut.view.show",
    "TautError": "taut.errors",
    "InputError": "taut.errors",
    "SimulationError": "taut.errors",
    "TautWarning": "taut.errors",
}
_MODULES = ("forces", "integrators", "joints", "machines", "scenes", "shapes", "solvers", "spatial")
_INNER_MODULES = {"projections": "taut.forces.projections", "softness": "taut.rows.softness"}

__all__ = [*_HOMES, *_MODULES, *_INNER_MODULES, "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """Import public names when they are first used, so that `import taut` costs nothing."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in _INNER_MODULES:
        return importlib.import_module(_INNER_MODULES[name])
    if name in _MODULES:
        return importlib.import_module(f"taut.{name}")
    raise AttributeError(f"module 'taut' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
