"""A rope without mass, led over any number of bodies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.route import Route, RouteStop
from taut.machines.base import BuiltPart, MachinePart, PartView, reading
from taut.machines.pulley import checked_stop, stop_over
from taut.scene.frames import joint_frame
from taut.scene.scene import Scene
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation

LEAST_LENGTH, MOST_LENGTH = 0.02, 4.0
"""Range of the control of a length, in lengths as built: what it spans must fit in, and a viewer's slider be fine."""


class RopeView(PartView):
    """A rope of a running simulation."""

    @property
    def line(self) -> Any:
        """Its joint."""
        return self.simulation.joint(self.handle.joints[0])

    @reading("m")
    def length(self) -> float:
        """All of it, unstretched, with what is wound on drums."""
        return float(self.line.length)

    @reading("m")
    def stored(self) -> float:
        """What is wound on drums."""
        stops = [stop for stop in self.line.route("stored")[0].stops if stop.wraps]
        wound = zip(stops, self.line.wraps, strict=True)
        return float(sum(stop.radius * max(wrap, 0.0) for stop, wrap in wound if stop.start is not None))

    @reading("m")
    def payout(self) -> float:
        """What is off the drums, unstretched."""
        return self.length - self.stored

    @reading("N")
    def tensions(self) -> Array:
        """Of every straight span, from the first stop on; 0 where it is slack."""
        return np.asarray(self.line.tensions)

    @reading("N")
    def tension(self) -> float:
        """Of the last span."""
        return float(self.tensions[-1])

    @reading("rad")
    def wraps(self) -> Array:
        """How far it lies around each stop that is round or rubs, counted over turns; negative where it is clear."""
        return np.asarray(self.line.wraps)

    @reading("m/s")
    def slips(self) -> Array:
        """How fast it slips over each stop that rubs, towards its end."""
        return np.asarray(self.line.slips)

    def set_length(self, length: float) -> None:
        """Make it this long by the end of the next frame."""
        self.line.set_length(length)


@dataclass(frozen=True, kw_only=True)
class Rope(MachinePart):
    """A rope without mass over `stops`, as one row: exact tangents and arcs, friction where a stop has some.

    Bodies that it joins touch each other.

    Attributes:
        stops: `taut.joints.attach`, `pinhole`, `sheave` and `drum` in the order in which the rope runs, or pulleys of
            the scene: their handle, or (handle, sense).
        length: unstretched, all of it, m; by default it is just taut as built.
        axial_stiffness: EA, N; infinite for a rope that does not stretch.
        damping: of a rope that stretches, N s/m.
        slack_ok: whether it only pulls.
    """

    view = RopeView

    stops: Sequence[Any] = ()
    length: float | None = None
    axial_stiffness: float = math.inf
    damping: float = 0.0
    slack_ok: bool = True

    def check(self) -> None:
        """Every number; stops that are pulleys are known to the scene."""
        if not isinstance(self.stops, list | tuple) or len(self.stops) < 2:
            raise InputError(f"Rope: stops is {checks.shown(self.stops)}; it must be a list of two stops or more")
        self.put(stops=tuple(checked_stop("Rope", stop) for stop in self.stops))
        check_rope(self)

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """The joint `name/rope`; the control `name.length`, unless a drum changes it."""
        return add_rope(scene, name, self, [stop_over(scene, f"rope {name!r}", stop) for stop in self.stops])


def check_stretch(part: Any) -> None:
    """Check the stiffness and damping of a part that is made of rope."""
    owner = type(part).__name__
    part.put(axial_stiffness=checks.strength(owner, "axial_stiffness", part.axial_stiffness))
    part.put(damping=checks.number(owner, "damping", part.damping, at_least=0.0))
    if part.damping > 0.0 and part.axial_stiffness == math.inf:
        raise InputError(f"{owner}: damping needs an axial_stiffness; a rope that does not stretch damps nothing")


def check_rope(part: Any) -> None:
    """Check the numbers of a part that is one rope."""
    owner = type(part).__name__
    if part.length is not None:
        part.put(length=checks.number(owner, "length", part.length, above=0.0))
    check_stretch(part)
    part.put(slack_ok=checks.flag(owner, "slack_ok", part.slack_ok))


def add_rope(scene: Scene, name: str, part: Any, stops: list[RouteStop], haul: float = math.inf) -> BuiltPart:
    """A rope over these stops with the length and stiffness of a part, which it belongs to.

    Its control leads to no less than what is left when `haul` m of it, as it is laid, are hauled in.
    """
    route = Route(tuple(stops), part.length, part.axial_stiffness, part.damping, part.slack_ok)
    owner = f"rope {name!r}"
    bodies = list(dict.fromkeys(stop.body for stop in stops))
    moving = [body for body in bodies if not scene.bodies[scene.index_of(owner, body)].fixed]
    first = bodies[0]
    other = next((body for body in (*moving, *bodies) if body != first), first)
    joint = scene.connect(first, other, route, name=f"{name}/rope", collide=True)
    frame = joint_frame(scene, scene.links[-1])
    built, laid = route.length_in(frame), Route(tuple(stops)).length_in(frame)
    if all(stop.kind != "drum" for stop in stops):
        scene.add_control(
            f"{name}.length", act=partial(set_length, f"{name}/rope"), value=built, unit="m",
            low=max(LEAST_LENGTH * built, min(built, laid) - haul), high=MOST_LENGTH * built,
        )  # fmt: skip
    return BuiltPart(name, part, (), (str(joint),), {"built": built})


def set_length(joint: str, simulation: Simulation, length: float) -> None:
    """Make a rope this long."""
    simulation.joint(joint).set_length(checks.number(f"joint {joint!r}", "length", length, above=0.0))
