"""A torque converter between two shafts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from taut.errors import InputError
from taut.machines.base import BuiltPart, MachinePart, reading
from taut.machines.engine import checked_map, value_at
from taut.machines.shafting import Line, ShaftsView, add_row, checked_ends, ends_of, scaled
from taut.scene.scene import Scene


class TorqueConverterView(ShaftsView):
    """A torque converter of a running simulation."""

    @property
    def speeds(self) -> tuple[float, float]:
        """Of its pump and its turbine, rad/s."""
        terms = self.spins(self.own("pump"))
        pump = terms[0][1] * terms[0][2]
        return pump, pump - self.rate(self.own("pump"))

    @reading("rad/s")
    def slip(self) -> float:
        """By how much its pump is faster than its turbine."""
        return self.rate(self.own("pump"))

    @reading("")
    def speed_ratio(self) -> float:
        """Speed of the turbine over that of the pump; 0 where the pump stands."""
        pump, turbine = self.speeds
        return turbine / pump if pump != 0.0 else 0.0

    @reading("N m")
    def pump_torque(self) -> float:
        """That the engine feels, mean over the last step."""
        return -self.force(self.own("pump"))

    @reading("N m")
    def torque(self) -> float:
        """That it hands on to its output, mean over the last step."""
        return self.pump_torque + self.force(self.own("stator"))

    @reading("W")
    def loss(self) -> float:
        """Heat of its oil."""
        return -self.row_power(self.own("pump")) - self.row_power(self.own("stator"))

    def stir(self) -> None:
        """Take its torques from the maps at the speeds there are.

        Writes:  target and bounds of its rows
        """
        part, (pump, turbine) = self.part, self.speeds
        drives = abs(pump) >= abs(turbine)
        fast, slow = (pump, turbine) if drives else (turbine, pump)
        ratio = min(max(slow / fast, 0.0), 1.0) if fast != 0.0 else 0.0
        bears = value_at(part.capacity, ratio) * fast**2
        more = value_at(part.torque_ratio, ratio) - 1.0 if drives and pump > 0.0 else 0.0
        self.bind(self.own("pump"), -bears, bears)
        self.follow(self.own("stator"), max(part.coupling_point * pump, 0.0))
        self.bind(self.own("stator"), 0.0, max(more, 0.0) * bears)


@dataclass(frozen=True, kw_only=True)
class TorqueConverter(MachinePart):
    """Pump, turbine and stator in oil: 2 rows. With v = speed of the output over that of the input,

        pump torque = capacity(v) input speed^2,    turbine torque = torque_ratio(v) pump torque

    up to the coupling point, where the torque ratio comes down to 1; beyond it the stator turns freely. Where the
    wheels are faster than the engine the two change places, without multiplication. Torques are those of the speeds
    where a frame begins.

    Attributes:
        input: shaft on the side of the engine: the name of a hinge, or (carrier, body, axis); none in a `Drivetrain`.
        output: shaft on the side of the wheels, likewise.
        capacity: [(v, N m s^2/rad^2), ...], v from 0 to 1.
        torque_ratio: [(v, -), ...], from the stall torque ratio down to 1.
    """

    view = TorqueConverterView

    input: Any = None
    output: Any = None
    capacity: Any = ()
    torque_ratio: Any = ((0.0, 2.0), (0.85, 1.0), (1.0, 1.0))

    def check(self) -> None:
        """Both maps: power out is never above power in."""
        checked_ends(self, "TorqueConverter")
        for name in ("capacity", "torque_ratio"):
            self.put(**{name: checked_map("TorqueConverter", name, getattr(self, name))})
        for ratio, multiplies in self.torque_ratio:
            if multiplies < 1.0 or multiplies * ratio > 1.0:
                raise InputError(
                    f"TorqueConverter: torque_ratio is {multiplies:g} at v = {ratio:g}; it must be from 1 to 1 / v"
                )

    @property
    def coupling_point(self) -> float:
        """Speed ratio at which torque is no longer multiplied."""
        return next((ratio for ratio, multiplies in self.torque_ratio if multiplies == 1.0), 1.0)

    def add_rows(self, scene: Scene, name: str, first: Line, second: Line) -> list[str]:
        """The row between two shafts, and that of the stator on the second; the housing carries what is left."""
        return [
            add_row(scene, f"{name}/pump", first, scaled(second, -1.0), torque=(0.0, 0.0)),
            add_row(scene, f"{name}/stator", second, torque=(0.0, 0.0), drives=True),
        ]

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Joints `name/pump` and `name/stator`."""
        joints = self.add_rows(scene, name, *ends_of(scene, f"torque converter {name!r}", self))
        return BuiltPart(name, self, (), tuple(joints))

    @property
    def acts(self) -> bool:
        """Its torques follow its speeds."""
        return True

    def after_frame(self, view: TorqueConverterView) -> None:
        """Take the torques of the speeds there are."""
        view.own_rows()
        view.stir()
