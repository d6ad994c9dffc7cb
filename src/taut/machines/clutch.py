"""A dry clutch between two shafts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from taut import checks
from taut.errors import InputError
from taut.machines.base import BuiltPart, MachinePart, reading
from taut.machines.shafting import Line, ShaftsView, add_row, checked_ends, ends_of, scaled
from taut.scene.scene import Scene


class ClutchView(ShaftsView):
    """A clutch of a running simulation."""

    @reading("rad/s")
    def slip(self) -> float:
        """By how much its input is faster than its output."""
        return self.rate(self.own("plates"))

    @reading("N m")
    def torque(self) -> float:
        """That it hands on to its output, mean over the last step."""
        return -self.force(self.own("plates"))

    @reading("W")
    def loss(self) -> float:
        """Heat of its plates."""
        return -self.row_power(self.own("plates"))

    @reading("")
    def engagement(self) -> float:
        """Share of its torque that it can hand on now, 0 where it is open."""
        return self.bounds(self.own("plates"))[1] / float(self.part.max_torque)

    @reading("")
    def locked(self) -> bool:
        """Whether both sides turn as one."""
        return not self.saturated(self.own("plates"))

    @reading("")
    def at_limit(self) -> bool:
        """Whether it is closed at all and slips."""
        return self.engagement > 0.0 and self.saturated(self.own("plates"))

    @property
    def settled(self) -> bool:
        """Whether it is as far closed as is asked of it."""
        return self.note(self.own("plates"), 1) >= self.note(self.own("plates"), 0)

    def engage(self, share: float = 1.0) -> None:
        """Ask for a share of its torque, 0 to open it, 1 to close it."""
        owner = f"clutch {self.name!r}"
        share = checks.number(owner, "engage", share, at_least=0.0)
        if share > 1.0:
            raise InputError(f"{owner}: engage is {share:g}; it must be from 0 to 1")
        self.check_there("clutch")
        self.own_rows()
        self.write_note(self.own("plates"), 0, share)

    def press(self, opened: bool = False) -> None:
        """Bring it nearer to what is asked of it: it opens at once and closes slowly. `opened` opens it for now.

        Writes:  bounds and notes of its row
        """
        part, joint = self.part, self.own("plates")
        asked, share = self.note(joint, 0), self.note(joint, 1)
        share = 0.0 if opened else min(asked, share + self.simulation.settings.step / part.engage_time)
        self.write_note(joint, 1, share)
        bears = share * part.max_torque * part.gripped(self.input_speed)
        self.bind(joint, -bears, bears, jumps=bears == 0.0)

    @property
    def input_speed(self) -> float:
        """Of its input shaft, rad/s: its first term."""
        _, factor, spin = self.spins(self.own("plates"))[0]
        return factor * spin


@dataclass(frozen=True, kw_only=True)
class Clutch(MachinePart):
    """Two plates that are pressed together: dry friction between the spins of two shafts, 1 row.

        |torque| <= engagement max_torque, and as much as it takes to turn as one within that

    It starts closed. It opens at once and closes within `engage_time`. Control: `name.engage`, 0 (open) to 1.

    Attributes:
        input: shaft on the side of the engine: the name of a hinge, or (carrier, body, axis); none in a `Drivetrain`.
        output: shaft on the side of the wheels, likewise.
        max_torque: that it bears when it is closed, N m.
        engage_time: from open to closed, s.
        grips: (from, to) speeds of the input in rad/s between which it begins to bear and bears all by itself, as a
            centrifugal clutch does, or a driver who lets no engine stall; None = at any speed.
        schedule: what is asked of it as a function of time (s), which it follows by itself.
    """

    view = ClutchView

    input: Any = None
    output: Any = None
    max_torque: float
    engage_time: float = 0.4
    grips: tuple[float, float] | None = None
    schedule: Any = None

    def check(self) -> None:
        """Every number."""
        checked_ends(self, "Clutch")
        for name in ("max_torque", "engage_time"):
            self.put(**{name: checks.number("Clutch", name, getattr(self, name), above=0.0)})
        if self.grips is not None:
            low, high = checks.interval("Clutch", "grips", self.grips)
            if not low < high:
                raise InputError(f"Clutch: grips is {checks.shown(self.grips)}; the first must be below the second")
            self.put(grips=(low, high))

    def gripped(self, speed: float) -> float:
        """Share that it bears at this speed of its input, rad/s."""
        if self.grips is None:
            return 1.0
        low, high = self.grips
        return min(max((speed - low) / (high - low), 0.0), 1.0)

    def add_rows(self, scene: Scene, name: str, first: Line, second: Line) -> list[str]:
        """The row between two shafts."""
        bears = self.max_torque if self.grips is None else 0.0
        lines = (first, scaled(second, -1.0))
        return [add_row(scene, f"{name}/plates", *lines, torque=(-bears, bears), notes=(1.0, 1.0))]

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Joint `name/plates`, control `name.engage`."""
        joints = self.add_rows(scene, name, *ends_of(scene, f"clutch {name!r}", self))
        scene.add_control(f"{name}.engage", act=partial(set_engagement, name), value=1.0, schedule=self.schedule)
        return BuiltPart(name, self, (), tuple(joints))

    @property
    def acts(self) -> bool:
        """It closes slowly, and by itself."""
        return True

    def after_frame(self, view: ClutchView) -> None:
        """Bring it nearer to what is asked of it."""
        view.own_rows()
        view.press()


def set_engagement(name: str, simulation: Any, value: float) -> None:
    """What its control does; a schedule goes on without the clutch."""
    view = simulation.part(name)
    if not view.lost():
        view.engage(value)
