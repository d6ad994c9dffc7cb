"""Brakes on shafts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.machines.base import BuiltPart, MachinePart, reading
from taut.machines.shafting import Line, ShaftsView, add_row, checked_shaft, shaft_of
from taut.scene.scene import Scene
from taut.spatial import Array


class BrakeView(ShaftsView):
    """Brakes of a running simulation."""

    @property
    def discs(self) -> list[str]:
        """Names of their rows."""
        return [joint for joint in self.handle.joints if joint.startswith(self.own("disc-"))]

    @reading("")
    def pedal(self) -> float:
        """How far it is pressed, 0 to 1."""
        return self.bounds(self.discs[0])[1] / float(self.part.max_torque)

    @reading("N m")
    def torques(self) -> Array:
        """On every shaft (k,), mean over the last step."""
        return np.array([self.force(disc) for disc in self.discs])

    @reading("W")
    def loss(self) -> float:
        """Heat of all discs."""
        return -sum(self.row_power(disc) for disc in self.discs)

    @reading("")
    def holds(self) -> bool:
        """Whether it is pressed and all its shafts stand."""
        return self.pedal > 0.0 and not any(self.saturated(disc) for disc in self.discs)

    def press(self, pedal: float) -> None:
        """Press it, 0 to 1."""
        owner = f"brake {self.name!r}"
        pedal = checks.number(owner, "pedal", pedal, at_least=0.0)
        if pedal > 1.0:
            raise InputError(f"{owner}: pedal is {pedal:g}; it must be from 0 to 1")
        self.check_there("pedal")
        self.own_rows()
        bears = pedal * self.part.max_torque
        for disc in self.discs:
            self.bind(disc, -bears, bears, jumps=True)


@dataclass(frozen=True, kw_only=True)
class Brake(MachinePart):
    """Discs on shafts: dry friction between each shaft and what carries it, 1 row a shaft.

        |torque| <= pedal max_torque, and as much as it takes to stand within that

    What it holds at rest does not creep. It starts released. Control: `name.pedal`, 0 to 1.

    Attributes:
        on: the shafts: names of hinges or (carrier, body, axis), one or a list; in a `Drivetrain` all its outputs
            where none are given.
        max_torque: on each shaft, N m.
        schedule: its pedal as a function of time (s), which it follows by itself.
    """

    view = BrakeView

    on: Any = ()
    max_torque: float
    schedule: Any = None

    def check(self) -> None:
        """Shafts and torque."""
        if not isinstance(self.on, str | tuple | list):
            raise InputError(f"Brake: on is {checks.shown(self.on)}; it must be a shaft or a list of shafts")
        triples = not isinstance(self.on, str) and len(self.on) == 3 and isinstance(self.on[0], str)
        alone = isinstance(self.on, str) or (triples and not isinstance(self.on[2], str))
        shafts = (self.on,) if alone else self.on
        self.put(on=tuple(checked_shaft("Brake", "on", each) for each in shafts))
        self.put(max_torque=checks.number("Brake", "max_torque", self.max_torque, above=0.0))

    def add_rows(self, scene: Scene, name: str, lines: Sequence[Line]) -> list[str]:
        """One row a shaft."""
        return [
            add_row(scene, f"{name}/disc-{number}", line, torque=(0.0, 0.0)) for number, line in enumerate(lines, 1)
        ]

    def lines(self, scene: Scene, owner: str) -> list[Line]:
        """The shafts that it was given."""
        return [shaft_of(scene, owner, "on", each) for each in self.on]

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Joints `name/disc-1` ..., control `name.pedal`."""
        owner = f"brake {name!r}"
        if not self.on:
            raise InputError(f"{owner}: on is empty; it must be a shaft or a list of shafts, but in a Drivetrain")
        joints = self.add_rows(scene, name, self.lines(scene, owner))
        scene.add_control(f"{name}.pedal", act=partial(set_pedal, name), schedule=self.schedule)
        return BuiltPart(name, self, (), tuple(joints))


def set_pedal(name: str, simulation: Any, value: float) -> None:
    """What its control does; a schedule goes on without the brake."""
    view = simulation.part(name)
    if not view.lost():
        view.press(value)
