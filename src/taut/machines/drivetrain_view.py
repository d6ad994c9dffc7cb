"""What a drivetrain reads and does while it runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.machines.base import reading
from taut.machines.brake import BrakeView
from taut.machines.differential import DifferentialView
from taut.machines.engine import EngineView
from taut.machines.gearbox import GearboxView
from taut.machines.shafting import ShaftsView, shaft_of
from taut.spatial import Array


class DrivetrainView(ShaftsView):
    """A drivetrain of a running simulation; its parts read as they do on their own: `.engine.torque`."""

    @property
    def engine(self) -> EngineView:
        """The engine."""
        return EngineView(self.simulation, self.name, self.part.engine, self.own("engine"))

    @property
    def coupler(self) -> Any:
        """The clutch or the torque converter."""
        part = self.part.coupler
        return part.view(self.simulation, self.name, part, self.own("coupler"))

    @property
    def gearbox(self) -> GearboxView:
        """The gearbox."""
        return GearboxView(self.simulation, self.name, self.part.gearbox, self.own("gearbox"))

    @property
    def brakes(self) -> BrakeView:
        """The brakes."""
        return BrakeView(self.simulation, self.name, self.part.brakes, self.own("brakes"))

    @property
    def differentials(self) -> dict[str, DifferentialView]:
        """Its differentials by name: "final", "final/first", "final/second" and so on."""
        start = len(self.name) + 1
        return {
            name[start:]: DifferentialView(self.simulation, self.name, node, name)
            for name, node in self.part.nodes(self.name).items()
        }

    @property
    def outputs(self) -> list[tuple[str, str]]:
        """Carrier and body of every output."""
        scene = self.simulation.scene
        return [shaft_of(scene, self.name, "final", leaf)[0][:2] for leaf in self.part.leaves()]

    @reading("")
    def gear(self) -> int:
        """The gear that is engaged, 0 for none; 1 without a gearbox."""
        return self.gearbox.gear if self.part.gearbox is not None else 1

    @reading("rad/s")
    def engine_speed(self) -> float:
        """Of the rotor."""
        return self.engine.speed

    @reading("N m")
    def engine_torque(self) -> float:
        """On the rotor, mean over the last step."""
        return self.engine.torque

    @reading("rad/s")
    def speeds(self) -> Array:
        """Of its outputs (k,)."""
        return np.array([self.totals(*output)[0] for output in self.outputs])

    @reading("N m")
    def torques(self) -> Array:
        """On its outputs (k,), brakes included, mean over the last step."""
        return np.array([self.totals(*output)[1] for output in self.outputs])

    def totals(self, carrier: str, body: str) -> tuple[float, float]:
        """Spin (rad/s) of a body on its carrier, and torque (N m) of all rows on it."""
        model, speed, torque = self.simulation.model, 0.0, 0.0
        for joint in self.shaft_rows():
            kind: Any = model.links[model.link_numbers[joint]].spec.kind
            force = self.force(joint)
            for (a, b, _, _), (_, factor, spin) in zip(kind.shafts, self.spins(joint), strict=True):
                if (a, b) == (carrier, body):
                    speed, torque = spin, torque + factor * force
        return speed, torque

    @reading("W")
    def power_in(self) -> float:
        """From the engine; negative where it brakes."""
        return self.engine.power

    @reading("W")
    def power_out(self) -> Array:
        """Into its outputs (k,), what brakes take being taken off."""
        return self.speeds * self.torques

    @reading("W")
    def power_stored(self) -> float:
        """Into the motion of its own bodies: rotor and shafts."""
        own, model, total = set(self.handle.bodies), self.simulation.model, 0.0
        for joint in self.shaft_rows():
            kind: Any = model.links[model.link_numbers[joint]].spec.kind
            force = self.force(joint)
            for (_, body, _, _), (_, factor, spin) in zip(kind.shafts, self.spins(joint), strict=True):
                total += force * factor * spin if body in own else 0.0
        return total

    @property
    def losses(self) -> dict[str, float]:
        """Heat of every part that makes some, W."""
        found = {}
        if self.part.coupler is not None:
            found["coupler"] = self.coupler.loss
        if self.part.gearbox is not None:
            found["gearbox"] = self.gearbox.loss
        found |= {name: each.loss for name, each in self.differentials.items() if each.owns("slip")}
        if self.part.brakes is not None:
            found["brakes"] = self.brakes.loss
        return found

    @reading("W")
    def power_lost(self) -> float:
        """Heat of coupler, gearbox, differentials and brakes: `losses` says which.

        power_in = sum of power_out + power_lost + power_stored, to rounding: torques are means over a step and speeds
        those at its end, with which the scheme balances momentum.
        """
        return float(sum(self.losses.values()))
