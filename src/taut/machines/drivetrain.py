"""A drivetrain: engine, clutch or converter, gearbox, a tree of differentials, wheels and brakes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from taut import checks
from taut.errors import InputError
from taut.machines.base import BuiltPart, MachinePart
from taut.machines.brake import Brake
from taut.machines.clutch import Clutch
from taut.machines.differential import KINDS, Differential, checked_output
from taut.machines.drivetrain_view import DrivetrainView
from taut.machines.engine import Engine
from taut.machines.gearbox import Gearbox
from taut.machines.shaft import Shaft
from taut.machines.shafting import Line, add_row, scaled, shaft_of
from taut.machines.torque_converter import TorqueConverter
from taut.scene.controls import SWITCH
from taut.scene.scene import Scene

PARTS: dict[str, tuple[type, ...]] = {
    "engine": (Engine,), "coupler": (Clutch, TorqueConverter), "gearbox": (Gearbox,), "brakes": (Brake,),
    "shaft": (Shaft,),
}  # fmt: skip
"""What a field may be."""

INPUT_SHARE = 0.1
"""Inertia of the shaft between clutch and gearbox where none is given, as a share of that of the engine."""


@dataclass(frozen=True, kw_only=True)
class Drivetrain(MachinePart):
    """What turns wheels or sprockets: an engine, a clutch or converter, a gearbox, differentials and brakes.

    Bodies are the engine's rotor, the shaft between clutch and gearbox, and shafts of differentials that have one. All
    else is rows over the spins of these and of the wheels: a shaft without inertia costs nothing. So an engine with a
    clutch and a gearbox of n gears on any number of open differentials takes n + 2 rows beside two bearings.

    Its parts are given without `input`, `output` and `schedule`. While gears change the clutch is open and the
    throttle cut. Controls: `name.throttle`, `name.gear`, `name.clutch`, `name.brake` and `name.lock`, as far as there
    is what they move.

    Attributes:
        engine: an `Engine`.
        coupler: a `Clutch`, a `TorqueConverter`, or None where engine and gearbox share a shaft.
        gearbox: a `Gearbox`, or None.
        final: what it drives: a `Differential`, whose outputs may be differentials, or a shaft.
        brakes: a `Brake`; on all outputs where it names no shafts.
        shaft: a `Shaft` between coupler and gearbox; by default one where the engine is, with a tenth of its inertia.
        schedules: functions of time (s) that controls follow by themselves: {"throttle": ..., "gear": ...}.
    """

    view = DrivetrainView

    engine: Engine
    coupler: Any = None
    gearbox: Gearbox | None = None
    final: Any = ()
    brakes: Brake | None = None
    shaft: Shaft | None = None
    schedules: Any = field(default_factory=dict)

    def check(self) -> None:
        """Every part is of its kind, and has no ends of its own."""
        for name, kinds in PARTS.items():
            part = getattr(self, name)
            if not isinstance(part, kinds) and (name == "engine" or part is not None):
                wanted = " or ".join(f"{'an' if kind is Engine else 'a'} {kind.__name__}" for kind in kinds)
                raise InputError(f"Drivetrain: {name} is {checks.shown(part)}; it must be {wanted}")
            for end in ("input", "output", "schedule"):
                if getattr(part, end, None) is not None:
                    raise InputError(f"Drivetrain: its {name} has {end!r}; in a Drivetrain it must have none")
        self.put(final=checked_output("Drivetrain", "final", self.final))
        if self.shaft is not None and (self.coupler is None or self.gearbox is None):
            raise InputError("Drivetrain: shaft is given; it is between a coupler and a gearbox, and needs both")
        if not isinstance(self.schedules, Mapping):
            raise InputError(f"Drivetrain: schedules is {checks.shown(self.schedules)}; it must be a dict by control")
        for name in self.schedules:
            checks.known("Drivetrain", "schedules: control", name, self.controls())

    def controls(self) -> dict[str, Any]:
        """What each of its controls does, by name."""
        found: dict[str, Any] = {"throttle": set_throttle}
        if isinstance(self.coupler, Clutch):
            found["clutch"] = set_clutch
        if self.gearbox is not None:
            found["gear"] = set_gear
        if self.brakes is not None:
            found["brake"] = set_brake
        if any(node.kind == KINDS[2] for node in self.nodes("").values()):
            found["lock"] = set_lock
        return found

    def nodes(self, name: str) -> dict[str, Differential]:
        """Its differentials by name, `name/final`, `name/final/first` ..."""
        return self.final.nodes(f"{name}/final") if isinstance(self.final, Differential) else {}

    def leaves(self) -> list[Any]:
        """Its outputs, as they were given."""
        return self.final.leaves() if isinstance(self.final, Differential) else [self.final]

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Bodies and joints `name/engine/...`, `coupler`, `gearbox`, `final`, `brakes`; its controls."""
        owner = f"drivetrain {name!r}"
        rotor, joints = self.engine.add_rows(scene, f"{name}/engine")
        bodies = [rotor]
        line = shaft_of(scene, owner, "engine", joints[0])
        driven = self.add_final(scene, name, owner, bodies, joints)
        if self.coupler is not None:
            after = driven if self.gearbox is None else self.add_shaft(scene, name, owner, bodies, joints)
            joints += self.coupler.add_rows(scene, f"{name}/coupler", line, after)
            line = after
        if self.gearbox is not None:
            joints += self.gearbox.add_rows(scene, f"{name}/gearbox", line, driven)
        elif self.coupler is None:
            joints.append(add_row(scene, f"{name}/direct", line, scaled(driven, -1.0)))
        if self.brakes is not None:
            lines = self.brakes.lines(scene, owner) or [
                shaft_of(scene, owner, "final", leaf) for leaf in self.leaves()
            ]  # fmt: skip
            joints += self.brakes.add_rows(scene, f"{name}/brakes", lines)
        for control, act in self.controls().items():
            self.add_control(scene, name, control, act)
        return BuiltPart(name, self, tuple(bodies), tuple(joints))

    def add_final(self, scene: Scene, name: str, owner: str, bodies: list[str], joints: list[str]) -> Line:
        """The tree of differentials, or the shaft in its place: what drives it."""
        if not isinstance(self.final, Differential):
            return shaft_of(scene, owner, "final", self.final)
        more = self.final.add_rows(scene, f"{name}/final")
        bodies += more[0]
        joints += more[1]
        return self.final.input_line(scene, f"{name}/final")

    def add_shaft(self, scene: Scene, name: str, owner: str, bodies: list[str], joints: list[str]) -> Line:
        """The shaft between coupler and gearbox; with a clutch, which is closed, it starts as fast as the engine."""
        engine = self.engine
        assert engine.mass is not None
        shaft = self.shaft or Shaft(
            on=engine.on, axis=engine.axis, mass=INPUT_SHARE * engine.mass, radius=0.5 * engine.radius,
            length=engine.length, inertia=INPUT_SHARE * engine.inertia,
        )  # fmt: skip
        built = shaft.build(scene, f"{name}/shaft", engine.idle if isinstance(self.coupler, Clutch) else 0.0)
        bodies += built.bodies
        joints += built.joints
        return shaft_of(scene, owner, "shaft", built.joints[0])

    def add_control(self, scene: Scene, name: str, control: str, act: Any) -> None:
        """One of its controls."""
        schedule = self.schedules.get(control)
        if control == "gear":
            assert self.gearbox is not None
            self.gearbox.add_control(scene, name, act, schedule)
            return
        scene.add_control(
            f"{name}.{control}", act=partial(act, name), value=1.0 if control == "clutch" else 0.0,
            unit=SWITCH if control == "lock" else None, schedule=schedule,
        )  # fmt: skip

    @property
    def acts(self) -> bool:
        """It always does."""
        return True

    def after_frame(self, view: DrivetrainView) -> None:
        """Change gears, press the clutch, take torques where the speeds say; in this order."""
        view.own_rows()
        settled = not isinstance(self.coupler, Clutch) or view.coupler.settled
        shifting = view.gearbox.change(settled) if self.gearbox is not None else False
        if isinstance(self.coupler, Clutch):
            view.coupler.press(opened=shifting)
        elif self.coupler is not None:
            view.coupler.stir()
        view.engine.govern(cut=shifting)
        for each in view.differentials.values():
            each.tighten()


def set_throttle(name: str, simulation: Any, value: float) -> None:
    """What the control of the throttle does; schedules go on without the drivetrain."""
    view = simulation.part(name)
    if not view.lost():
        view.engine.open_throttle(value)


def set_clutch(name: str, simulation: Any, value: float) -> None:
    """What the control of the clutch does."""
    view = simulation.part(name)
    if not view.lost():
        view.coupler.engage(value)


def set_gear(name: str, simulation: Any, value: float) -> None:
    """What the control of the gearbox does, with the nearest whole number."""
    view = simulation.part(name)
    if not view.lost():
        view.gearbox.shift(round(value))


def set_brake(name: str, simulation: Any, value: float) -> None:
    """What the control of the brakes does."""
    view = simulation.part(name)
    if not view.lost():
        view.brakes.press(value)


def set_lock(name: str, simulation: Any, value: float) -> None:
    """What the control of the locks does, for all differentials that have one."""
    view = simulation.part(name)
    if not view.lost():
        for each in view.differentials.values():
            if each.part.kind == KINDS[2]:
                each.lock(value > 0.5)
