"""Shafts: what parts of drivetrains are built between, and how they are read and set while they run.

A shaft is a sum of spins, (carrier, body, axis, factor) each: a body on a bearing has one term. A shaft without a body
of its own, such as the input of an open differential, turns as the sum says, and its torque acts on all of its bodies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import triple
from taut.joints.shafts import Shafts, Term
from taut.machines.base import PartView
from taut.scene.scene import Scene
from taut.spatial import Array

Line = tuple[Term, ...]
"""A shaft: the spins that it is the sum of."""


def checked_shaft(owner: str, field: str, value: Any) -> Any:
    """A shaft as users give it: the name of a hinge, or (carrier, body, axis)."""
    if isinstance(value, str) and value:
        return str(value)
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 3:
        carrier, body, axis = value
        if isinstance(carrier, str) and isinstance(body, str):
            return str(carrier), str(body), triple(checks.direction(owner, f"{field} axis", axis))
    raise InputError(
        f"{owner}: {field} is {checks.shown(value)}; it must be the name of a hinge, or (carrier, body, axis)"
    )


def shaft_of(scene: Scene, owner: str, field: str, value: Any) -> Line:
    """A shaft that users gave, in its scene."""
    if not isinstance(value, str):
        for name in value[:2]:
            scene.index_of(owner, name)
        return ((*value, 1.0),)
    names = [link.name for link in scene.links]
    link = scene.links[names.index(checks.known(f"{owner}: {field}", "hinge", value, names))]
    axis = getattr(link.kind, "axis", None)
    if axis is None:
        kind = type(link.kind).__name__
        raise InputError(f"{owner}: {field} is joint {value!r}, a {kind} without an axis; it must be a hinge")
    return ((scene.bodies[link.a].name, scene.bodies[link.b].name, axis, 1.0),)


def scaled(line: Line, factor: float) -> Line:
    """A shaft that turns so many times as fast."""
    return tuple((carrier, body, axis, factor * own) for carrier, body, axis, own in line)


def add_row(scene: Scene, name: str, *lines: Line, **options: Any) -> str:
    """A row over the sum of shafts; bodies with several terms keep them."""
    terms = tuple(term for line in lines for term in line)
    carrier, body = next((a, b) for a, b, _, _ in terms)
    return str(scene.connect(carrier, body, Shafts(terms, **options), name=name))


class ShaftsView(PartView):
    """A part of a drivetrain in a running simulation; `prefix` is of the rows of one that belongs to another part."""

    vital = slice(None)

    def __init__(self, simulation: Any, name: str, part: Any = None, prefix: str | None = None) -> None:
        """`part` is what was added, where it was added by another part."""
        super().__init__(simulation, name)
        self._part, self.prefix = part, name if prefix is None else prefix

    @property
    def part(self) -> Any:
        """What was added: its parameters."""
        return super().part if self._part is None else self._part

    def own(self, what: str) -> str:
        """Name of one of its joints."""
        return f"{self.prefix}/{what}"

    def owns(self, what: str) -> bool:
        """Whether there is this joint of its."""
        return self.own(what) in self.simulation.model.link_numbers

    def row(self, joint: str) -> int:
        """Number of the row of a joint."""
        layout = self.simulation.model.layout
        number = self.simulation.model.link_numbers[joint]
        return int(layout.first_row[layout.owner.searchsorted(number)])

    def force(self, joint: str) -> float:
        """Torque of a row, the mean over the last step, N m."""
        return float(self.simulation.state.force[self.row(joint)])

    def bounds(self, joint: str) -> tuple[float, float]:
        """Least and greatest torque of a row, N m."""
        low, high = self.simulation.state.force_limits[self.row(joint)].tolist()
        return low, high

    def note(self, joint: str, which: int) -> float:
        """One of the two numbers that a row keeps."""
        return float(self.simulation.state.limits[self.row(joint), which])

    def spins(self, joint: str, velocity: Array | None = None) -> list[tuple[str, float, float]]:
        """Body, factor and spin (rad/s) relative to its carrier, of every term of a row; of other velocities too."""
        model, state = self.simulation.model, self.simulation.state
        velocity = state.velocity if velocity is None else velocity
        link = model.links[model.link_numbers[joint]]
        kind: Any = link.spec.kind
        coupling: Any = link.parts[0]
        found = []
        for (_, body, _, _), (spin, factor) in zip(kind.shafts, coupling.terms, strict=True):
            axis = spatial.rotate(state.orientation[spin.body_a], np.array(spin.axis_a))
            relative = velocity[spin.body_b, 3:] - velocity[spin.body_a, 3:]
            found.append((body, factor, float(axis @ relative)))
        return found

    def rate(self, joint: str) -> float:
        """What a row measures: the sum of its spins with their factors, rad/s."""
        return sum(factor * spin for _, factor, spin in self.spins(joint))

    def row_power(self, joint: str) -> float:
        """What a row puts into its shafts, W: the mean torque of the step times the rate at its end.

        That is what the scheme balances: the books of a step close to rounding.
        """
        return self.force(joint) * self.rate(joint)

    def torques_on(self, joint: str) -> Array:
        """Torque of a row on the body of each of its terms (k,), N m."""
        return self.force(joint) * np.array([factor for _, factor, _ in self.spins(joint)])

    def shaft_rows(self) -> list[str]:
        """Its joints that are rows over shafts."""
        links, numbers = self.simulation.model.links, self.simulation.model.link_numbers
        return [joint for joint in self.handle.joints if isinstance(links[numbers[joint]].spec.kind, Shafts)]

    def factor(self, joint: str, carrier: str, body: str) -> float:
        """With how much of its torque a row turns a body against a carrier, 0 where it does not."""
        model = self.simulation.model
        kind: Any = model.links[model.link_numbers[joint]].spec.kind
        return float(sum(factor for a, b, _, factor in kind.shafts if (a, b) == (carrier, body)))

    def speed_of(self, line: Line) -> float:
        """Speed of a shaft that some of its rows turn, rad/s."""
        known = {}
        for joint in self.shaft_rows():
            model = self.simulation.model
            kind: Any = model.links[model.link_numbers[joint]].spec.kind
            for (carrier, body, _, _), (_, _, spin) in zip(kind.shafts, self.spins(joint), strict=True):
                known[carrier, body] = spin
        return sum(factor * known[carrier, body] for carrier, body, _, factor in line)

    def saturated(self, joint: str) -> bool:
        """Whether the torque of a row is at one of its bounds."""
        low, high = self.bounds(joint)
        slack = 1e-9 * max(abs(high), abs(low)) if max(abs(high), abs(low)) < np.inf else 0.0
        return not low + slack < self.force(joint) < high - slack

    def own_rows(self) -> None:
        """Let the state have targets, bounds and notes of its own: copies of it that others keep stay as they are."""
        state = self.simulation.state
        self.simulation.state = state.but(
            target=state.target.copy(), limits=state.limits.copy(), force_limits=state.force_limits.copy(),
            history=state.history.copy(), rest=state.rest.copy(),
        )  # fmt: skip

    def write_note(self, joint: str, which: int, value: float) -> None:
        """Keep a number with a row."""
        self.simulation.state.limits[self.row(joint), which] = value

    def follow(self, joint: str, speed: float) -> None:
        """Let a row follow a speed, rad/s."""
        self.simulation.state.target[self.row(joint)] = speed

    def bind(self, joint: str, low: float, high: float, jumps: bool = False) -> None:
        """Set the bounds of a row, N m; what it acts on wakes, and does not look back where its torque `jumps`."""
        model, state, row = self.simulation.model, self.simulation.state, self.row(joint)
        if (state.force_limits[row] == (low, high)).all():
            return
        state.force_limits[row] = low, high
        entries = model.entries
        bodies = entries.entry_body[entries.entry_start[row] : entries.entry_start[row + 1]]
        state.rest[bodies] = 0
        if jumps:
            state.history[bodies] = 0


def checked_ends(part: Any, owner: str) -> None:
    """The fields `input` and `output` of a part, where they are given."""
    for field in ("input", "output"):
        value = getattr(part, field)
        if value is not None:
            part.put(**{field: checked_shaft(owner, field, value)})


def ends_of(scene: Scene, owner: str, part: Any) -> tuple[Line, Line]:
    """The shafts `input` and `output` of a part on its own; in a `Drivetrain` its neighbours give them."""
    for field in ("input", "output"):
        if getattr(part, field) is None:
            raise InputError(f"{owner}: {field} is missing; only in a Drivetrain a part has none")
    first, second = (shaft_of(scene, owner, field, getattr(part, field)) for field in ("input", "output"))
    return first, second
