"""Parts of machines while they run: found by name, and what they do by themselves after a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from taut import checks

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation


def part_of(simulation: Simulation, name: str) -> Any:
    """View of a part of the simulation's scene; a wrong name lists the valid ones."""
    parts = simulation.scene.parts
    return parts[checks.known("simulation", "part", name, parts)].view(simulation)


def has_rules(simulation: Simulation) -> bool:
    """Whether some part does something by itself after a frame, so that frames cannot be done in a row."""
    return any(part.acts for part in simulation.scene.parts.values())


def run_rules(simulation: Simulation) -> None:
    """Let every part that does something by itself do it, in the order they were added.

    What they do is a function of scene and state alone: a run that is continued from a saved state repeats to the bit.
    """
    for part in list(simulation.scene.parts.values()):
        if part.acts:
            part.after_frame(simulation)
