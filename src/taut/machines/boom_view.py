"""What a boom reads and does while it runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.machines.actuated import ActuatedView
from taut.machines.actuator import Driven
from taut.machines.base import reading
from taut.machines.inputs import recall
from taut.spatial import Array


def ends_apart(sizes: Mapping[str, float], turn: float) -> tuple[float, float]:
    """Length of a boom's cylinder when it has turned by an angle since it was built, and its derivative, m and m/rad.

    d^2 = square - cosine cos(turn) - sine sin(turn): the law of cosines
    """
    cosine, sine = math.cos(turn), math.sin(turn)
    length = math.sqrt(max(sizes["square"] - sizes["cosine"] * cosine - sizes["sine"] * sine, 0.0))
    return length, (sizes["cosine"] * sine - sizes["sine"] * cosine) / (2.0 * max(length, 1e-12))


class BoomView(ActuatedView):
    """A boom of a running simulation."""

    @property
    def luffing(self) -> Driven | None:
        """What luffs it: its cylinder, or the motor in its hinge."""
        actuators, slides = self.handle.actuators, self.part.sections - 1
        return Driven(self.simulation, actuators[slides]) if len(actuators) > slides else None

    @property
    def telescoping(self) -> list[Driven]:
        """What slides its sections."""
        return [Driven(self.simulation, each) for each in self.handle.actuators[: self.part.sections - 1]]

    @property
    def turn(self) -> float:
        """By how much it has turned since it was built, rad."""
        return float(self.simulation.joint(f"{self.name}/foot").position)

    @property
    def tip(self) -> Array:
        """Where its end is, (3,) m."""
        body, point = self.part.tip(self.name)
        return self.points([body], np.array(point))[0]

    @reading("rad")
    def angle(self) -> float:
        """With the plane across `up` of what carries it, positive upwards."""
        return float(self.part.angle) + self.turn

    @reading("m")
    def extension(self) -> float:
        """How far the telescope is out, all sections together."""
        return float(sum(each.place for each in self.telescoping))

    @reading("m")
    def length(self) -> float:
        """From the root to the tip."""
        return float(self.part.length) + self.extension

    @reading("m")
    def radius(self) -> float:
        """Distance of the tip from the root, across gravity."""
        way = self.tip - self.points([self.part.root[0]], np.array(self.part.root[1]))[0]
        down = np.asarray(self.simulation.model.gravity, float)
        size = float(np.linalg.norm(down))
        down = down / size if size > 0.0 else -np.array(self.part.up)
        return float(np.linalg.norm(way - (way @ down) * down))

    @reading("N m")
    def moment(self) -> float:
        """With which it is held up about its root, end stops included: what its load and weight need at rest."""
        driven = self.luffing
        if driven is None:
            return 0.0
        return driven.total_force * (1.0 if self.part.cylinder is None else self.lever)

    @reading("m")
    def lever(self) -> float:
        """Lever arm of its cylinder about the root, negative where pushing lowers it; 0 without one."""
        return 0.0 if self.part.cylinder is None else ends_apart(self.handle.sizes, self.turn)[1]

    @reading("")
    def share(self) -> float:
        """Of what can luff it that is in use: force or moment over the greatest; 1 is full."""
        driven = self.luffing
        return 0.0 if driven is None else abs(driven.force) / driven.actuator.force(driven.force)

    @reading("N")
    def force(self) -> float:
        """Of its cylinder, positive where it pushes; 0 without one."""
        driven = self.luffing
        return 0.0 if driven is None or self.part.cylinder is None else driven.total_force

    @reading("Pa")
    def pressures(self) -> Array:
        """In the chambers of its cylinder (2,); 0 without one."""
        cylinder = self.part.cylinder
        return np.zeros(2) if cylinder is None else np.asarray(cylinder.pressures(self.force))

    @reading("")
    def at_limit(self) -> bool:
        """Whether its luffing is at an end of its way."""
        driven = self.luffing
        return driven is not None and driven.at_limit

    @reading("")
    def state(self) -> str:
        """What its luffing does: "drive", "stall", "limit", "hold" or "free"."""
        driven = self.luffing
        return "free" if driven is None else driven.state

    def luff_to(self, angle: float) -> None:
        """Luff to this angle, rad, and stop there."""
        owner, (low, high), driven = f"boom {self.name!r}", self.part.luff, self.asked("luff")
        angle = checks.number(owner, "luff", angle)
        if not low <= angle <= high:
            raise InputError(f"{owner}: luff is {angle:g} rad; it must be from {low:g} to {high:g}")
        sizes = self.handle.sizes
        with_cylinder = self.part.cylinder is not None
        driven.go_to(ends_apart(sizes, angle - self.part.angle)[0] - sizes["least"] if with_cylinder else angle)
        recall(self, {"luff": angle} | ({"cylinder": 0.0} if with_cylinder else {"luff_speed": 0.0}))

    def luff(self, rate: float) -> None:
        """Luff at this rate with the motor in its hinge, rad/s, up where positive; 0 is to stop."""
        rate = checks.number(f"boom {self.name!r}", "luff_speed", rate)
        self.asked("luff_speed").drive(rate)
        recall(self, {"luff_speed": rate})

    def drive_cylinder(self, speed: float) -> None:
        """Move its cylinder at this speed, m/s, out where positive; 0 is to stop."""
        speed = checks.number(f"boom {self.name!r}", "cylinder", speed)
        self.asked("cylinder").drive(speed)
        recall(self, {"cylinder": speed})

    def telescope_to(self, extension: float) -> None:
        """Move the telescope until it is so far out, m, and stop there."""
        owner, most = f"boom {self.name!r}", self.part.travel
        extension = checks.number(owner, "telescope", extension)
        self.check_input("telescope")
        if not 0.0 <= extension <= most:
            raise InputError(f"{owner}: telescope is {extension:g} m; it must be from 0 to {most:g}")
        for each in self.telescoping:
            each.go_to(self.part.share * extension)
        recall(self, {"telescope": extension, "telescope_speed": 0.0})

    def telescope(self, speed: float) -> None:
        """Move the telescope at this speed, m/s, out where positive; 0 is to stop."""
        speed = checks.number(f"boom {self.name!r}", "telescope_speed", speed)
        self.check_input("telescope_speed")
        for each in self.telescoping:
            each.drive(self.part.share * speed)
        recall(self, {"telescope_speed": speed})

    def asked(self, control: str) -> Any:
        """What luffs it, if it has this control."""
        self.check_input(control)
        return self.luffing

    def check_input(self, control: str) -> None:
        """Refuse what this boom cannot do."""
        self.check_there("boom")
        checks.known(f"boom {self.name!r}", "control", control, [each.name for each in self.part.inputs()])
