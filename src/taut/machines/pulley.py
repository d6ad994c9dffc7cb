"""A wheel that ropes run over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.base import triple
from taut.joints.revolute import Revolute
from taut.joints.route import RouteStop, checked_sense, sheave
from taut.machines.base import BuiltPart, MachinePart, PartView, checked_end, end_of, own_direction, reading
from taut.machines.segments import Z
from taut.scene.scene import Scene
from taut.shapes import Cylinder
from taut.spatial import from_two_vectors


class PulleyView(PartView):
    """A pulley of a running simulation."""

    vital = slice(None)

    @property
    def bearing(self) -> Any:
        """Its hinge."""
        if not self.handle.joints:
            raise InputError(f"part {self.name!r}: a pulley without inertia has no bearing; its ropes know their wraps")
        return self.simulation.joint(self.handle.joints[0])

    @reading("rad/s")
    def speed(self) -> float:
        """How fast it turns about its axis; 0 for one without inertia, which no rope can turn."""
        return float(self.bearing.velocity) if self.handle.joints else 0.0

    @reading("N")
    def load(self) -> float:
        """Force on its bearing; NaN for one without inertia, which is a part of its holder."""
        return float(np.linalg.norm(self.bearing.reaction[:3])) if self.handle.joints else float("nan")


@dataclass(frozen=True, kw_only=True)
class Pulley(MachinePart):
    """A sheave on a body. Ropes are led over it by its handle: `Rope(stops=(..., pulley, ...))`, or (pulley, -1).

    Attributes:
        holder: what it is fixed to: a body, or (body, point in its own frame).
        radius: where the rope lies, m.
        axis: in world axes as built.
        inertia: about the axis, kg m^2; 0 for an ideal one, which turns without effort and is no body.
        mass: of one with inertia, kg; by default that of a disc.
        bearing_friction: largest torque of dry friction in its bearing, N m.
        groove_friction: coefficient between it and its ropes: 0 leaves a wheel with inertia at rest.
    """

    view = PulleyView

    holder: Any = "world"
    radius: float = 0.1
    axis: Any = (0.0, 1.0, 0.0)
    inertia: float = 0.0
    mass: float | None = None
    bearing_friction: float = 0.0
    groove_friction: float = 0.0

    def check(self) -> None:
        """Every number."""
        self.put(holder=checked_end("Pulley", "holder", self.holder))
        self.put(radius=checks.number("Pulley", "radius", self.radius, above=0.0))
        self.put(axis=triple(checks.direction("Pulley", "axis", self.axis)))
        for name in ("inertia", "bearing_friction", "groove_friction"):
            self.put(**{name: checks.number("Pulley", name, getattr(self, name), at_least=0.0)})
        if self.mass is not None:
            self.put(mass=checks.number("Pulley", "mass", self.mass, above=0.0))
        if self.inertia == 0.0 and (self.mass is not None or self.bearing_friction > 0.0):
            raise InputError("Pulley: mass and bearing_friction are for one with inertia; give it an inertia > 0")

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """With inertia the body `name/wheel` and the joint `name/bearing`; else nothing."""
        holder, _, place = end_of(scene, f"pulley {name!r}", "holder", self.holder)
        if self.inertia == 0.0:
            return BuiltPart(name, self, (), ())
        mass = 2.0 * self.inertia / self.radius**2 if self.mass is None else self.mass
        across = 0.5 * self.inertia + mass * self.radius**2 / 48.0
        wheel = scene.add_body(
            f"{name}/wheel", Cylinder(self.radius, 0.25 * self.radius), mass=mass,
            inertia=(across, across, self.inertia), position=place, orientation=from_two_vectors(Z, self.axis),
        )  # fmt: skip
        hinge = Revolute(axis=self.axis, friction=self.bearing_friction)
        bearing = scene.connect(holder, wheel, hinge, at=place, name=f"{name}/bearing")
        return BuiltPart(name, self, (str(wheel),), (str(bearing),))

    def stop(self, scene: Scene, handle: BuiltPart, sense: int) -> RouteStop:
        """It as a stop of a rope."""
        friction = self.groove_friction
        if handle.bodies:
            return sheave(handle.bodies[0], radius=self.radius, axis=Z, sense=sense, friction=friction)
        body, point = self.holder
        own = own_direction(scene, body, self.axis)
        return sheave(body, point, radius=self.radius, axis=own, sense=sense, friction=friction)


def checked_stop(owner: str, stop: Any) -> RouteStop | tuple[str, int]:
    """A stop of a rope that is given as such, or a pulley's name and the sense."""
    if isinstance(stop, RouteStop):
        return stop
    pair = stop if isinstance(stop, list | tuple) else (stop, 1)
    if len(pair) != 2 or not isinstance(pair[0], str):
        raise InputError(wrong_stop(owner, stop))
    return str(pair[0]), checked_sense(owner, pair[1])


def stop_over(scene: Scene, owner: str, stop: RouteStop | tuple[str, int]) -> RouteStop:
    """A checked stop of a rope, in its scene."""
    if isinstance(stop, RouteStop):
        return stop
    handle = scene.parts.get(stop[0])
    if handle is None or not isinstance(handle.part, Pulley):
        raise InputError(wrong_stop(owner, stop[0]))
    pulley: Pulley = handle.part
    return pulley.stop(scene, handle, stop[1])


def wrong_stop(owner: str, stop: Any) -> str:
    """What is said of a stop that is none."""
    return (
        f"{owner}: a stop is {checks.shown(stop)}; it must be an attach, pinhole, sheave or drum of taut.joints, a "
        "pulley of the scene, or (pulley, sense)"
    )
