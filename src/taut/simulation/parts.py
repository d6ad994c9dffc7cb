"""Parts of machines while they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from taut import checks

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation


def part_of(simulation: Simulation, name: str) -> Any:
    """View of a part of the simulation's scene; a wrong name lists the valid ones."""
    parts = simulation.scene.parts
    return parts[checks.known("simulation", "part", name, parts)].view(simulation)
