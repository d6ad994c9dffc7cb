"""The last stage of a step: what breaks, what machine parts and callbacks change.

The constraint solve is over, the state is that of the end of the step (q+, v+). What carried more than it can comes
off, parts such as winches add and remove bodies, and callbacks may edit. The next step starts from what is left;
whatever is measured of it is measured once.                                                                  [InSimo]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.results.events import Broken, Event
from taut.spatial import Array, Integers

if TYPE_CHECKING:
    from taut.model.index_map import IndexMap
    from taut.model.model import Link
    from taut.simulation.simulation import Simulation


class Topology:
    """What may change a simulation at the end of its steps.

    Attributes:
        number, force, torque: joints and springs that can break, and at what, N and N m.
    """

    def __init__(self, simulation: Simulation, before: Topology | None = None, index: IndexMap | None = None) -> None:
        """Made by the simulation for every model of it; `index` says what became of the one before."""
        self._simulation = simulation
        if before is None or index is None:
            self.number, self.force, self.torque = breakable(simulation.model.links, 0)
            return
        number, left = index.link[before.number], index.link.left
        new = breakable(simulation.model.links[left:], left)
        old = number[number >= 0], before.force[number >= 0], before.torque[number >= 0]
        self.number, self.force, self.torque = (np.append(a, b) for a, b in zip(old, new, strict=True))

    @property
    def busy(self) -> bool:
        """Whether anything has to be asked after a step."""
        return bool(self.number.size or self._simulation.callbacks or rules(self._simulation))

    def change(self) -> tuple[Event, ...]:
        """Let what is overloaded break, then machine parts and callbacks do what they do; what happened."""
        simulation = self._simulation
        if not simulation.report.unconverged:
            self.part_company()
        for rule in rules(simulation):
            rule(simulation)
        for callback in tuple(simulation.callbacks):
            callback(simulation)
        events = tuple(simulation.events)
        simulation.events.clear()
        return events

    def part_company(self) -> None:
        """Remove joints and springs whose force or torque, the mean over the step, is above what they bear."""
        if not self.number.size:
            return
        simulation = self._simulation
        simulation.read_joints()
        reaction = simulation.meter.reaction[self.number]
        force, torque = np.linalg.norm(reaction[:, :3], axis=1), np.linalg.norm(reaction[:, 3:], axis=1)
        names = [simulation.meter.names[number] for number in self.number]
        over = first_to_go(names, np.maximum(force / self.force, torque / self.torque), simulation.scene.parts)
        if not over:
            return
        with simulation.edit() as edit:
            for joint in over:
                with edit.as_one(Broken, names[joint], float(force[joint]), float(torque[joint])):
                    edit.remove_joint(names[joint])


def first_to_go(names: list[str], share: Array, parts: Mapping[str, Any]) -> list[int]:
    """Places of joints that bear more than they can, `share` (k,) > 1; of one machine part only that with the most.

    Joints of a cable carry nearly the same: when one goes, it relieves the others.
    """
    over = np.flatnonzero(share > 1.0).tolist()
    owner = {joint: name for name, part in parts.items() for joint in part.joints} if over else {}
    worst: dict[tuple[str, str], int] = {}
    for place in over:
        key = ("part", owner[names[place]]) if names[place] in owner else ("joint", names[place])
        if key not in worst or share[place] > share[worst[key]]:
            worst[key] = place
    return list(worst.values())


def breakable(links: Sequence[Link], first: int) -> tuple[Integers, Array, Array]:
    """Numbers, from `first` on, of joints and springs that can break, and at what force (N) and torque (N m)."""
    found = [
        (number, link.spec.break_force, link.spec.break_torque)
        for number, link in enumerate(links, first)
        if min(link.spec.break_force, link.spec.break_torque) < np.inf
    ]
    number, force, torque = np.array(found, float).reshape(-1, 3).T
    return number.astype(np.int64), force, torque


def rules(simulation: Simulation) -> list[Callable[[Any], Any]]:
    """What machine parts do after every step."""
    return [part.after_frame for part in simulation.scene.parts.values() if part.acts]
