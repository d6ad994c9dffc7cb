"""A hand: an implicit spring from a point of a body to a point of the world that can be moved between steps.

f = -k (p - hand) - c dp/dt          p the body's point, all three directions alike
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation


STIFFNESS = 1e3
"""Of a hand, N/m for each kilogram of what it holds: it pulls at 5 Hz, whatever the mass, and tears nothing light."""


class Grab:
    """A hold on a body of a simulation; world axes, SI units. Made by `Simulation.grab`."""

    def __init__(
        self, simulation: Simulation, body: str, point: Any, stiffness: float | None, damping: float | None,
        name: str | None,
    ) -> None:  # fmt: skip
        """Take hold where the point is now."""
        view = simulation.body(body)
        owner = f"grab of {view.name!r}"
        self.body, self.point = view.name, checks.vector(owner, "point", point)
        self._simulation, self._released = simulation, False
        chosen = STIFFNESS * view.mass if stiffness is None else stiffness
        self.stiffness = checks.number(owner, "stiffness", chosen, above=0.0)
        critical = 2.0 * math.sqrt(self.stiffness * view.mass)
        self.damping = critical if damping is None else checks.number(owner, "damping", damping, at_least=0.0)
        self._anchor = self.held
        with simulation.edit() as edit:
            self.name = str(
                edit.add_spring(
                    "world", self.body, point_a=self._anchor, point_b=self.point, stiffness=self.stiffness,
                    damping=self.damping, rest_length=0.0, name=self._free_name() if name is None else name,
                )
            )  # fmt: skip
            edit.scene.links[-1].hand = True
            edit.events.clear()  # a hand is no part of the mechanism

    def _free_name(self) -> str:
        taken, count, name = self._simulation.meter.names, 1, f"grab-{self.body}"
        while name in taken:
            count += 1
            name = f"grab-{self.body}-{count}"
        return name

    def _follow(self) -> None:
        """Know what the spring holds now: a body that comes apart or becomes part of another hands it on."""
        scene = self._simulation.scene
        link = next((link for link in scene.links if link.hand and link.name == getattr(self, "name", None)), None)
        if link is not None:
            spring: Any = link.kind
            self.body, self.point = scene.bodies[link.b].name, np.asarray(spring.point_b, float)

    @property
    def held(self) -> Array:
        """Where the body's point is, (3,) m."""
        self._follow()
        body = self._simulation.body(self.body)
        return body.position + spatial.rotate(body.orientation, self.point)

    @property
    def position(self) -> Array:
        """Where the hand is, (3,) m."""
        return self._anchor + self._simulation.state.target[self._rows()]

    @property
    def force(self) -> Array:
        """Force on the body over the last step, (3,) N."""
        return self._simulation.state.force[self._rows()].copy()

    def move_to(self, position: Any) -> None:
        """Move the hand to a point (3,), m. What that puts into the spring counts as energy given to the scene."""
        simulation = self._simulation
        place = checks.vector(f"grab of {self.body!r}", "position", position)
        simulation.state.target[self._rows()] = place - self._anchor
        simulation.refresh()

    def release(self) -> None:
        """Let go; a second time does nothing."""
        if not self._released and self.name in self._simulation.meter.names:
            with self._simulation.edit() as edit:
                edit.remove_joint(self.name)
                edit.events.clear()
        self._released = True

    def _rows(self) -> np.ndarray:
        """The three rows of the spring, q = p - anchor, whose targets say where the hand is from the anchor."""
        names, model = self._simulation.meter.names, self._simulation.model
        if self._released or self.name not in names:
            raise InputError(f"grab of {self.body!r}: it was released, or what it held was removed")
        first = model.layout.first_rows(names.index(self.name))[0]
        return np.arange(first, first + 3)
