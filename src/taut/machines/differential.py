"""Differentials between an input and two outputs, each a shaft or another differential."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.machines.base import BuiltPart, MachinePart, reading
from taut.machines.shaft import Shaft
from taut.machines.shafting import Line, ShaftsView, add_row, checked_shaft, scaled, shaft_of
from taut.scene.controls import SWITCH
from taut.scene.scene import Scene
from taut.spatial import Array

KINDS = ("open", "locked", "limited slip")
SIDES = ("first", "second")


class DifferentialView(ShaftsView):
    """A differential of a running simulation."""

    @reading("N m")
    def input_torque(self) -> float:
        """That drives it, mean over the last step."""
        if self.owns("gear"):
            return -self.force(self.own("gear"))
        part, scene = self.part, self.simulation.scene
        carrier, body, _, share = part.line(scene, self.prefix, "first")[0]
        above = [
            joint for joint in self.shaft_rows() if not joint.startswith(f"{self.prefix}/") and "/disc-" not in joint
        ]
        force = sum(self.force(joint) * self.factor(joint, carrier, body) for joint in above)
        return float(force / (share * part.ratio * part.split))

    @reading("N m")
    def torques(self) -> Array:
        """On its two outputs (2,), mean over the last step."""
        part, slip = self.part, self.force(self.own("slip")) if self.owns("slip") else 0.0
        through = self.input_torque * part.ratio
        return np.array([through * part.split + slip, through * (1.0 - part.split) - slip])

    @reading("rad/s")
    def slip(self) -> float:
        """By how much its first output is faster than its second."""
        scene = self.simulation.scene
        first, second = (self.speed_of(self.part.line(scene, self.prefix, side)) for side in SIDES)
        return first - second

    @reading("W")
    def loss(self) -> float:
        """Heat of its lock or its plates."""
        return -self.row_power(self.own("slip")) if self.owns("slip") else 0.0

    @reading("")
    def locked(self) -> bool:
        """Whether both outputs turn as one."""
        return self.owns("slip") and not self.saturated(self.own("slip"))

    def lock(self, on: bool = True) -> None:
        """Lock it, or let it slip against its bias again; for the kind "limited slip"."""
        on = checks.flag(f"differential {self.name!r}", "lock", on)
        if self.part.kind != KINDS[2]:
            raise InputError(
                f"differential {self.name!r}: its kind is {self.part.kind!r}; only {KINDS[2]!r} has a lock"
            )
        self.check_there("lock")
        self.own_rows()
        self.write_note(self.own("slip"), 0, float(on))
        self.tighten()

    def tighten(self) -> None:
        """Let its plates bear what the torque that drives it says.

        Writes:  bounds of its row
        """
        if self.part.kind != KINDS[2]:
            return
        joint, part = self.own("slip"), self.part
        locked = self.note(joint, 0) > 0.5
        bears = math.inf if locked else part.bias_torque
        if part.lock_ratio > 0.0 and not locked:
            bears += part.lock_ratio * abs(self.input_torque * part.ratio)
        self.bind(joint, -bears, bears, jumps=math.isinf(bears))


@dataclass(frozen=True, kw_only=True)
class Differential(MachinePart):
    """An input that turns as the mean of two outputs says, and shares its torque between them.

        input speed = ratio (split first speed + (1 - split) second speed)
        first torque = split ratio input torque + T,    second torque = (1 - split) ratio input torque - T

    with T = 0 in an open one, what it takes to turn as one in a locked one, and |T| <= bias_torque + lock_ratio
    ratio |input torque| in one of limited slip. Outputs may be differentials themselves. Without `shaft` it adds no
    row of its own in a `Drivetrain`: what drives it couples the spins of its outputs. (The joint
    `taut.joints.Differential` is the open kind with a split of a half, as a row.)

    Attributes:
        input: shaft that drives it: the name of a hinge, or (carrier, body, axis); none in a `Drivetrain`.
        outputs: (first, second), each a shaft, likewise, or a `Differential` without input. Axes are such that positive
            spins are forwards.
        ratio: input speed over mean output speed.
        kind: "open", "locked" or "limited slip", which has the control `name.lock`.
        bias_torque: with which limited slip resists at least, N m between the outputs.
        lock_ratio: share of the torque on its outputs by which limited slip resists more.
        split: share of the torque that goes to the first output.
        shaft: a `Shaft` of its own as input, such as a pinion; in a `Drivetrain` or as an output only.
    """

    view = DifferentialView

    input: Any = None
    outputs: Any = ()
    ratio: float = 1.0
    kind: str = "open"
    bias_torque: float = 0.0
    lock_ratio: float = 0.0
    split: float = 0.5
    shaft: Shaft | None = None

    def check(self) -> None:
        """Every number."""
        if self.input is not None:
            self.put(input=checked_shaft("Differential", "input", self.input))
            if self.shaft is not None:
                raise InputError("Differential: it has an input and a shaft; give one of them")
        if not isinstance(self.outputs, tuple | list) or len(self.outputs) != 2:
            raise InputError(f"Differential: outputs is {checks.shown(self.outputs)}; it must be two shafts")
        self.put(outputs=tuple(checked_output("Differential", "outputs", each) for each in self.outputs))
        for name in ("ratio", "split"):
            self.put(**{name: checks.number("Differential", name, getattr(self, name), above=0.0)})
        for name in ("bias_torque", "lock_ratio"):
            self.put(**{name: checks.number("Differential", name, getattr(self, name), at_least=0.0)})
        if self.split >= 1.0:
            raise InputError(f"Differential: split is {self.split:g}; it must be between 0 and 1")
        if self.kind not in KINDS:
            raise InputError(f"Differential: kind is {checks.shown(self.kind)}; it must be one of {', '.join(KINDS)}")
        if self.kind != KINDS[2] and (self.bias_torque > 0.0 or self.lock_ratio > 0.0):
            raise InputError(f"Differential: bias_torque and lock_ratio are for the kind {KINDS[2]!r}")
        if self.shaft is not None and not isinstance(self.shaft, Shaft):
            raise InputError(f"Differential: shaft is {checks.shown(self.shaft)}; it must be a taut.machines.Shaft")

    def line(self, scene: Scene, name: str, side: str) -> Line:
        """One of its outputs."""
        output = self.outputs[SIDES.index(side)]
        if isinstance(output, Differential):
            return output.input_line(scene, f"{name}/{side}")
        return shaft_of(scene, f"differential {name!r}", "outputs", output)

    def input_line(self, scene: Scene, name: str) -> Line:
        """Its input: its own shaft, or the sum of its outputs."""
        if self.shaft is not None:
            return shaft_of(scene, f"differential {name!r}", "shaft", f"{name}/shaft/bearing")
        return self.mean(scene, name)

    def mean(self, scene: Scene, name: str) -> Line:
        """The sum of its outputs that its input turns with."""
        first, second = (self.line(scene, name, side) for side in SIDES)
        return (*scaled(first, self.ratio * self.split), *scaled(second, self.ratio * (1.0 - self.split)))

    def add_rows(self, scene: Scene, name: str) -> tuple[list[str], list[str]]:
        """Shafts and rows of it and of those behind it: bodies and joints."""
        bodies: list[str] = []
        joints: list[str] = []
        for output, side in zip(self.outputs, SIDES, strict=True):
            if isinstance(output, Differential):
                more = output.add_rows(scene, f"{name}/{side}")
                bodies, joints = bodies + more[0], joints + more[1]
        if self.shaft is not None:
            built = self.shaft.build(scene, f"{name}/shaft")
            bodies, joints = [*bodies, *built.bodies], [*joints, *built.joints]
            own = self.input_line(scene, name)
            joints.append(add_row(scene, f"{name}/gear", own, scaled(self.mean(scene, name), -1.0)))
        if self.kind != KINDS[0]:
            first, second = (self.line(scene, name, side) for side in SIDES)
            bounds = (-self.bias_torque, self.bias_torque) if self.kind == KINDS[2] else None
            joints.append(add_row(scene, f"{name}/slip", first, scaled(second, -1.0), torque=bounds))
        return bodies, joints

    def nodes(self, name: str) -> dict[str, Differential]:
        """It and those behind it, by name."""
        found = {name: self}
        for output, side in zip(self.outputs, SIDES, strict=True):
            if isinstance(output, Differential):
                found |= output.nodes(f"{name}/{side}")
        return found

    def leaves(self) -> list[Any]:
        """The shafts at the ends, as they were given."""
        return [
            leaf for output in self.outputs
            for leaf in (output.leaves() if isinstance(output, Differential) else [output])
        ]  # fmt: skip

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Joints `name/gear` and `name/slip`, those of its outputs `name/first/...`; control `name.lock`."""
        owner = f"differential {name!r}"
        if self.input is None:
            raise InputError(f"{owner}: input is missing; only in a Drivetrain, or as an output, it has none")
        bodies, joints = self.add_rows(scene, name)
        driven = shaft_of(scene, owner, "input", self.input)
        joints.append(add_row(scene, f"{name}/gear", driven, scaled(self.mean(scene, name), -1.0)))
        if self.kind == KINDS[2]:
            scene.add_control(f"{name}.lock", act=partial(set_lock, name), unit=SWITCH)
        return BuiltPart(name, self, tuple(bodies), tuple(joints))

    @property
    def acts(self) -> bool:
        """Where limited slip follows the torque."""
        return any(node.lock_ratio > 0.0 for node in self.nodes("").values())

    def after_frame(self, view: DifferentialView) -> None:
        """Let plates bear what the torque says."""
        view.own_rows()
        for name, node in self.nodes(view.name).items():
            DifferentialView(view.simulation, view.name, node, name).tighten()


def checked_output(owner: str, field: str, value: Any) -> Any:
    """A shaft or a differential that something else drives."""
    if not isinstance(value, Differential):
        return checked_shaft(owner, field, value)
    if value.input is not None:
        raise InputError(f"{owner}: {field} has a Differential with an input; what comes before drives it")
    return value


def set_lock(name: str, simulation: Any, value: float) -> None:
    """What its control does: above a half it is locked."""
    view = simulation.part(name)
    if not view.lost():
        view.lock(value > 0.5)
