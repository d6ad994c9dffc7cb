"""A shaft: a body that turns on a bearing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from taut import checks, spatial
from taut.joints.base import triple
from taut.joints.bearing import Bearing
from taut.machines.base import BuiltPart, MachinePart, checked_end, end_of, reading
from taut.machines.segments import Z
from taut.machines.shafting import ShaftsView
from taut.scene.scene import Scene
from taut.shapes import Cylinder


class ShaftView(ShaftsView):
    """A shaft of a running simulation."""

    @reading("rad/s")
    def speed(self) -> float:
        """How fast it turns about its axis, relative to what carries it."""
        model, state = self.simulation.model, self.simulation.state
        rows: Any = model.links[model.link_numbers[self.own("bearing")]].rows
        first, second = (row.part.terms[0][0] for row in rows[1:])
        axis = spatial.rotate(state.orientation[first.body_a], spatial.cross(np.array(first.axis_a), second.axis_a))
        return float(axis @ (state.velocity[first.body_b, 3:] - state.velocity[first.body_a, 3:]))


@dataclass(frozen=True, kw_only=True)
class Shaft(MachinePart):
    """A shaft, gear or pinion with an inertia of its own, on a bearing; shafts without one need no body.

    Other parts are given it by the name of its bearing: `Clutch(output="main/bearing", ...)`. It may turn fast, see
    `taut.joints.Bearing`: so its inertia is taken to be the same about all axes.

    Attributes:
        on: what carries it, and where: a body, or (body, point in its own frame).
        axis: in world axes as built.
        mass: kg.
        radius: m.
        length: m.
        inertia: about the axis, kg m^2; by default that of a cylinder.
    """

    view = ShaftView

    on: Any
    axis: Any = (1.0, 0.0, 0.0)
    mass: float = 1.0
    radius: float = 0.05
    length: float = 0.2
    inertia: float | None = None

    def check(self) -> None:
        """Every number."""
        self.put(on=checked_end("Shaft", "on", self.on))
        self.put(axis=triple(checks.direction("Shaft", "axis", self.axis)))
        for name in ("mass", "radius", "length"):
            self.put(**{name: checks.number("Shaft", name, getattr(self, name), above=0.0)})
        inertia = 0.5 * self.mass * self.radius**2 if self.inertia is None else self.inertia
        self.put(inertia=checks.number("Shaft", "inertia", inertia, above=0.0))

    def build(self, scene: Scene, name: str, speed: float = 0.0) -> BuiltPart:
        """Body `name/rotor`, joint `name/bearing`; it starts with this speed, rad/s."""
        carrier, _, place = end_of(scene, f"shaft {name!r}", "on", self.on)
        spec = scene.bodies[scene.index_of("shaft", carrier)]
        axis, arm = np.array(self.axis), place - spec.position
        turning = np.asarray(spec.angular_velocity, float)
        assert self.inertia is not None
        rotor = scene.add_body(
            f"{name}/rotor", Cylinder(self.radius, self.length), mass=self.mass,
            inertia=(self.inertia,) * 3, position=place,
            orientation=spatial.from_two_vectors(Z, axis), collides=False, group=name,
            velocity=spec.velocity + np.cross(turning, arm), angular_velocity=turning + speed * axis,
        )  # fmt: skip
        bearing = scene.connect(carrier, rotor, Bearing(axis=self.axis), at=place, name=f"{name}/bearing")
        return BuiltPart(name, self, (str(rotor),), (str(bearing),))
