"""Views of one body or one joint of a running simulation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.results.contact_table import ContactTable
from taut.rows.distance import DistancePart
from taut.rows.law import FOLLOW, LIMITS
from taut.rows.route import RoutePart, Wrap
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
    def group(self) -> str:
        """The group it is in."""
        return self._simulation.model.bodies.groups[self._index]

    @property
    def position(self) -> Array:
        """Position (3,) of the body's origin, m."""
        state, body = self._simulation.state, self._index
        com = self._simulation.model.bodies.com[body]
        return np.asarray(state.position[body] - spatial.rotate(state.orientation[body], com))

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

    @property
    def length(self) -> float:
        """Length that a rod, rope or spring is to have without load, m, as `set_length` sets it."""
        row, state = self.line_row("length"), self._simulation.state
        return float(state.limits[row, 1] if self.is_limit(row) else state.target[row])

    def set_length(self, length: float) -> None:
        """Make a rod, rope or spring this long, m, by the end of the next frame: pay out or haul in.

        It gets there within one frame, with what force that takes: a rope that is hauled in by 0.1 m pulls its ends
        together at 6 m/s. To haul at a speed, set a length in every frame.
        """
        row, simulation = self.line_row("length"), self._simulation
        value = checks.number(f"joint {self.name!r}", "length", length, above=0.0)
        if self.is_limit(row):
            simulation.state.limits[row, 1] = value
        else:
            simulation.state.target[row] = value
        simulation.refresh()

    @property
    def tensions(self) -> Array:
        """Tension (spans,) of every straight span of a `Route`, N, over the last step; 0 where it is slack."""
        part, row = self.route("tensions")
        slip = [row + part.slip_of(index) if stop.friction > 0.0 else -1 for index, stop in enumerate(part.stops)]
        force = self._simulation.state.force
        changes = [force[row], *(force[each] if each >= 0 else 0.0 for each in slip[1:-1])]
        return np.maximum(-np.cumsum(changes), 0.0)

    @property
    def wraps(self) -> Array:
        """How far a `Route` lies around each stop that is round or rubs, rad, counted over turns; < 0: not at all."""
        part, _ = self.route("wraps")
        slots = self._simulation.model.layout.slots
        return self._simulation.state.coordinate[[slots[each] for each in part.coordinates if isinstance(each, Wrap)]]

    @property
    def slips(self) -> Array:
        """How fast a `Route` slips over each stop that rubs, towards its end, m/s."""
        part, row = self.route("slips")
        simulation, entries = self._simulation, self._simulation.model.entries
        jacobian, velocity = simulation.stepper.measure(simulation.state).jacobian, simulation.state.velocity
        rates = np.einsum("ei,ei->e", jacobian, velocity[entries.entry_body])
        starts = entries.entry_start[row + 1 : row + part.rows + 1]
        return np.array([rates[one:two].sum() for one, two in zip(starts, starts[1:], strict=False)])

    def route(self, what: str) -> tuple[RoutePart, int]:
        """The rope of a `Route`, and its first row."""
        model, link = self._simulation.model, self._simulation.model.links[self._index]
        part = link.parts[0] if link.parts else None
        if not isinstance(part, RoutePart):
            kind = type(link.spec.kind).__name__
            raise InputError(f"joint {self.name!r}: a {kind} has no {what}; a Route has them")
        return part, int(model.layout.first_rows(self._index)[0])

    @property
    def limits(self) -> Any:
        """Limits (2,) of the joint's coordinate, m or rad; (k, 2) where it has several, in their order."""
        rows = self.rows_that("limits", self.is_limit)
        values = self._simulation.state.limits[rows]
        return values[0].copy() if len(rows) == 1 else values

    def set_limits(self, lower: float, upper: float, number: int | None = None) -> None:
        """Set the limits of the joint's coordinate, m or rad; an end that moves takes a frame to get there.

        A joint with several limited coordinates needs `number`, that of the one meant, from 0.
        """
        rows, owner = self.rows_that("limits", self.is_limit), f"joint {self.name!r}"
        row = rows[chosen(owner, "coordinate", number, len(rows))]
        self._simulation.state.limits[row] = checks.interval(owner, "limits", (lower, upper))
        self._simulation.refresh()

    def force_limit(self, motor: int | None = None) -> float:
        """Largest force of the joint's motor, N or N m."""
        return float(self._simulation.state.force_limits[self.motor_row(motor), 1])

    def set_force_limit(self, force: float, motor: int | None = None) -> None:
        """Set the largest force of the joint's motor, N or N m, from now on; 0 lets it go.

        The motor must have been given a `max_force`: one that nothing can stop is solved for as joints are.
        """
        row = self.motor_row(motor)
        if self._simulation.model.entries.unbounded[row]:
            raise InputError(
                f"joint {self.name!r}: its motor was built with unlimited force; give it a max_force to start with"
            )
        self.bound_force(row, "force limit", force)

    def set_friction(self, force: float, number: int | None = None) -> None:
        """Set the dry friction of the joint, N or N m, from now on: a brake. It must have been given some."""
        model, owner = self._simulation.model, f"joint {self.name!r}"
        follows, drives, held = model.layout.laws.kind == FOLLOW, model.layout.laws.drives, model.entries.unbounded
        rows = self.rows_that("friction", lambda row: bool(follows[row] and not drives[row] and not held[row]))
        self.bound_force(rows[chosen(owner, "coordinate", number, len(rows))], "friction", force)

    def bound_force(self, row: int, what: str, force: float) -> None:
        """Let a row's force be at most this, both ways; the bodies that it acts on wake, and forces may jump."""
        simulation, bound = self._simulation, checks.bound(f"joint {self.name!r}", what, force)
        state, entries = simulation.state, simulation.model.entries
        if state.force_limits[row, 1] != bound:
            bodies = entries.entry_body[entries.entry_start[row] : entries.entry_start[row + 1]]
            state.rest[bodies] = state.history[bodies] = 0
        state.force_limits[row] = -bound, bound
        simulation.refresh()

    def is_limit(self, row: int) -> bool:
        """Whether a row keeps its measure between two ends."""
        return bool(self._simulation.model.layout.laws.kind[row] == LIMITS)

    def line_row(self, what: str) -> int:
        """The row of a rod, rope or spring that measures its length."""
        simulation = self._simulation
        model, link = simulation.model, simulation.model.links[self._index]
        part = link.parts[0] if link.parts else None
        if not isinstance(part, DistancePart | RoutePart) or len(link.parts) > 1:
            kind = type(link.spec.kind).__name__
            raise InputError(f"joint {self.name!r}: a {kind} has no {what}; Distance, Rope, Route and springs have one")
        return int(model.layout.first_rows(self._index)[0])

    def rows_that(self, what: str, are: Callable[[int], bool]) -> list[int]:
        """Rows of the joint of some kind; it must have one."""
        model = self._simulation.model
        first_rows = model.layout.first_rows(self._index)
        rows = [int(row) for row in first_rows if are(int(row))]
        if not rows:
            raise InputError(f"joint {self.name!r}: it was built without {what}; give it some to start with")
        return rows

    def motor_row(self, motor: int | None) -> int:
        """Row of the joint's motor, or of the one with this number."""
        model = self._simulation.model
        first_rows = model.layout.first_rows(self._index)
        rows = first_rows[model.layout.laws.drives[first_rows]].tolist()
        return int(rows[motor_number(f"joint {self.name!r}", motor, len(rows))])


def chosen(owner: str, what: str, number: int | None, count: int) -> int:
    """The one meant out of `count`, by its number from 0; it need not be given where there is one."""
    place = 0 if number is None and count == 1 else checks.place(number, range(count))
    if place is None:
        raise InputError(f"{owner}: {what} is {checks.shown(number)}; it must be a number from 0 to {count - 1}")
    return place
