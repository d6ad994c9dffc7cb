"""Views of one body or one joint of a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.results.contact_table import ContactTable
from taut.scene.controls import motor_number
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.model.model import Model
    from taut.simulation.simulation import Simulation


class NamedView:
    """Something of a simulation that is known by its name."""

    kind: ClassVar[str]

    def __init__(self, simulation: Simulation, name: str) -> None:
        """Made by the simulation; a wrong name is said at once."""
        self._simulation, self._name = simulation, name
        self._model: Model | None = None
        self._found = self._index

    def _names(self) -> tuple[str, ...]:
        """Names of all of its kind, in order."""
        raise NotImplementedError

    @property
    def _index(self) -> int:
        """Its number, which an edit may change."""
        if self._simulation.model is not self._model:
            names = self._names()
            self._found = names.index(checks.known("simulation", self.kind, self._name, names))
            self._model = self._simulation.model
        return self._found

    @property
    def name(self) -> str:
        """Its name."""
        return self._names()[self._index]


class BodyView(NamedView):
    """A body of a simulation, by its name; world axes, SI units. Made by `Simulation.body`."""

    kind = "body"

    def _names(self) -> tuple[str, ...]:
        return self._simulation.model.bodies.names

    @property
    def mass(self) -> float:
        """Mass, kg."""
        return float(self._simulation.model.bodies.mass[self._index])

    @property
    def position(self) -> Array:
        """Position (3,) of the body's origin, m."""
        return self._simulation.origins()[self._index].copy()

    @property
    def orientation(self) -> Array:
        """World-from-body quaternion (4,), (w, x, y, z)."""
        return self._simulation.state.orientation[self._index].copy()

    @property
    def velocity(self) -> Array:
        """Velocity (3,) of the centre of mass, m/s."""
        return self._simulation.state.velocity[self._index, :3].copy()

    @property
    def angular_velocity(self) -> Array:
        """Angular velocity (3,), rad/s."""
        return self._simulation.state.velocity[self._index, 3:].copy()

    @property
    def contacts(self) -> ContactTable:
        """The contact points of the body that carry a force, the body being B: `force` is what acts on it."""
        return self._simulation.contacts.of(self.name)

    def apply(self, force: Any = (0.0, 0.0, 0.0), torque: Any = (0.0, 0.0, 0.0), point: Any = None) -> None:
        """Apply a force (N) and torque (N m), world axes, from now on until changed; it replaces the one before.

        `point` is where the force acts, in the body's own frame (m); by default the centre of mass. In a simulation
        with mode "impulse" these are N s and N m s, and act in the next step only.
        """
        owner, state = f"body {self.name!r}", self._simulation.state
        push, turn = checks.vector(owner, "force", force), checks.vector(owner, "torque", torque)
        com = self._simulation.model.bodies.com[self._index]
        place = np.zeros(3) if point is None else checks.vector(owner, "point", point) - com
        for own, given in ((state.applied, np.concatenate([push, turn])), (state.applied_point, place)):
            if (own[self._index] != given).any():
                state.rest[self._index] = 0  # a change wakes it
            own[self._index] = given


class JointView(NamedView):
    """A joint or spring of a simulation, by its name; SI units. Made by `Simulation.joint`."""

    kind = "joint"

    def _names(self) -> tuple[str, ...]:
        return self._simulation.meter.names

    def _slots(self) -> list[int]:
        slots = self._simulation.meter.slots(self._index)
        if not slots:
            kind = type(self._simulation.model.links[self._index].spec.kind).__name__
            raise InputError(f"joint {self.name!r}: a {kind} has no coordinate to report")
        return slots

    @property
    def position(self) -> Any:
        """The joint's coordinate, m or rad (counted over turns); an array where it has several."""
        values = self._simulation.state.coordinate[self._slots()]
        return float(values[0]) if len(values) == 1 else values

    @property
    def velocity(self) -> Any:
        """Rate of the joint's coordinate, m/s or rad/s; an array where it has several."""
        simulation = self._simulation
        values = simulation.meter.rates(simulation.stepper.measure(simulation.state), simulation.state)[self._slots()]
        return float(values[0]) if len(values) == 1 else values

    @property
    def reaction(self) -> Array:
        """Force (N) and torque (N m) about the joint's point on body B, (6,), world axes, mean over the last step."""
        simulation = self._simulation
        simulation.read_joints()
        return simulation.meter.reaction[self._index].copy()

    @property
    def tension(self) -> float:
        """Pull of a rod, rope or spring over the last step, N; negative where it pushes."""
        simulation = self._simulation
        if not simulation.meter.pulls[self._index]:
            kind = type(simulation.model.links[self._index].spec.kind).__name__
            raise InputError(
                f"joint {self.name!r}: a {kind} has a reaction but no tension; Distance, Rope and springs have one"
            )
        return float(simulation.meter.tension(simulation.state.force)[self._index])

    @property
    def violation(self) -> float:
        """How far the joint is from its constraint, m or rad."""
        simulation = self._simulation
        simulation.read_joints()
        return float(simulation.meter.violation[self._index])

    def drive(self, target: float, motor: int | None = None) -> None:
        """Set the target of the joint's motor: m/s or rad/s for a speed motor, m or rad for a position motor.

        A joint with several motors (a `Cylindrical`, say) needs `motor`, the number of the one meant, from 0.
        """
        row = self.motor_row(motor)
        self._simulation.state.target[row] = checks.number(f"joint {self.name!r}", "target", target)
        self._simulation.refresh()

    def target(self, motor: int | None = None) -> float:
        """Present target of the joint's motor, as `drive` sets it."""
        return float(self._simulation.state.target[self.motor_row(motor)])

    def motor_row(self, motor: int | None) -> int:
        """Row of the joint's motor, or of the one with this number."""
        model = self._simulation.model
        first_rows = model.layout.first_rows(self._index)
        rows = first_rows[model.layout.laws.drives[first_rows]].tolist()
        return int(rows[motor_number(f"joint {self.name!r}", motor, len(rows))])
