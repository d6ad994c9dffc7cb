"""Legs of rope from one eye to several points of a load."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.route import Route, attach
from taut.machines.base import BuiltPart, MachinePart, PartView, checked_end, end_of, reading, stops_now
from taut.machines.rope import check_stretch
from taut.scene.scene import Scene
from taut.spatial import Array


class SlingView(PartView):
    """A sling of a running simulation."""

    @reading("N")
    def tensions(self) -> Array:
        """Of every leg; 0 where it is slack."""
        there = self.joints
        return np.array([self.simulation.joint(leg).tension if leg in there else 0.0 for leg in self.handle.joints])

    @reading("rad")
    def leg_angles(self) -> Array:
        """Of every leg with the vertical, against gravity; NaN where it is gone."""
        there = [leg in self.joints for leg in self.handle.joints]
        ends = [
            [self.points([stop.body], np.array(stop.point))[0] for stop in stops_now(self.simulation, leg)]
            for leg in self.joints
        ]
        legs = np.array([to - eye for eye, to in ends])
        down = np.asarray(self.simulation.model.gravity, float)
        along = legs @ down / np.maximum(np.linalg.norm(legs, axis=1) * np.linalg.norm(down), 1e-300)
        angles = np.full(len(there), np.nan)
        angles[there] = np.arccos(np.clip(along, -1.0, 1.0))
        return angles


@dataclass(frozen=True, kw_only=True)
class Sling(MachinePart):
    """Ropes without mass from one eye to points of a load, one a leg. What they join touches each other.

    Attributes:
        eye: where all legs meet: a body, or (body, point in its own frame).
        to: the other end of each leg, likewise.
        length: of every leg, unstretched, m, or one number a leg; by default they are just taut as built.
        axial_stiffness: EA, N; infinite for legs that do not stretch. Of four legs that do not, two carry all.
        damping: of legs that stretch, N s/m.
    """

    view = SlingView

    eye: Any = None
    to: Sequence[Any] = ()
    length: Any = None
    axial_stiffness: float = math.inf
    damping: float = 0.0

    def check(self) -> None:
        """Every number."""
        self.put(eye=checked_end("Sling", "eye", self.eye))
        ends = tuple(checked_end("Sling", "to", end) for end in self.to) if isinstance(self.to, list | tuple) else ()
        if not ends:
            raise InputError(f"Sling: to is {checks.shown(self.to)}; it must be the other ends of one leg or more")
        given = self.length if isinstance(self.length, list | tuple) else [self.length] * len(ends)
        if len(given) != len(ends):
            raise InputError(f"Sling: length has {len(given)} numbers for {len(ends)} legs; give one, or one a leg")
        lengths = [None if each is None else checks.number("Sling", "length", each, above=0.0) for each in given]
        self.put(to=ends, length=tuple(lengths))
        check_stretch(self)

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Joints `name/leg-1` ..."""
        owner, joints = f"sling {name!r}", []
        eye = end_of(scene, owner, "eye", self.eye)
        for number, (end, length) in enumerate(zip(self.to, self.length, strict=True), start=1):
            body, point, _ = end_of(scene, owner, "to", end)
            stops = attach(eye[0], eye[1]), attach(body, point)
            route = Route(stops, length, self.axial_stiffness, self.damping)
            joints.append(str(scene.connect(eye[0], body, route, name=f"{name}/leg-{number}", collide=True)))
        return BuiltPart(name, self, (), tuple(joints))
