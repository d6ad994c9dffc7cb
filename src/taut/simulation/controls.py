"""Inputs of a machine by name: what viewers show as sliders and keys, and scripts set.

    scene.add_control("slew", joint="slew", low=-1, high=1, keys=("J", "L"))
    scene.add_control("throttle", act=lambda sim, value: sim.body("car").apply(force=(1e3 * value, 0, 0)))
    sim.controls["slew"].set(0.5)               # or .value = 0.5

Every motor without a declared control has one by itself, named after its joint (with the motor's number where the joint
has several). The range of a speed motor is twice its speed both ways, at least 2; of a position motor the limits of the
coordinate, or half a turn or 1 m about its position where there are none. A control with a schedule follows that by
itself, and cannot be set until it is taken in hand (`take`).
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.rows.law import SOFT
from taut.scene.controls import ControlSpec, in_range, motors_of
from taut.scene.schedules import Schedule
from taut.stepping.energy import energy_of

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation


class Control:
    """An input of a running simulation.

    The value of a motor's control is the motor's target and so part of the state; that of any other is kept here.
    """

    def __init__(self, simulation: Simulation, spec: ControlSpec) -> None:
        """Made by the simulation."""
        self._simulation, self.spec, self._value = simulation, spec, spec.value

    @property
    def name(self) -> str:
        """Its name."""
        return self.spec.name

    @property
    def low(self) -> float:
        """Least value."""
        return self.spec.low

    @property
    def high(self) -> float:
        """Greatest value."""
        return self.spec.high

    @property
    def unit(self) -> str:
        """Unit of the value, may be empty."""
        return self.spec.unit

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys that decrease and increase the value, or none."""
        return self.spec.keys

    @property
    def value(self) -> float:
        """Present value; setting one out of range is refused, any other acts at once, between two steps."""
        if self.spec.joint is None:
            return self._value
        return self._simulation.joint(self.spec.joint).target(self.spec.motor)

    @value.setter
    def value(self, value: float) -> None:
        """As `set`."""
        self.set(value)

    def set(self, value: float) -> None:
        """Check the range, and act, also where it has this value: others may have changed what it acts on."""
        spec = self.spec
        if spec.schedule is not None:
            raise InputError(
                f"control {spec.name!r}: it follows its schedule; only one without a schedule can be set, or one that "
                "was taken in hand with take()"
            )
        value = self.checked(value)
        if spec.joint is not None:
            self._simulation.joint(spec.joint).drive(value, spec.motor)
        else:
            self.act(value)

    def checked(self, value: float) -> float:
        """The value, if it is a number within the range."""
        owner = f"control {self.spec.name!r}"
        return in_range(owner, checks.number(owner, "value", value), self.spec)

    def take(self) -> None:
        """Take it in hand: it stays where its schedule has brought it, and can be set from now on."""
        if self.spec.schedule is not None:
            self.spec = self._simulation.scene.controls[self.name] = replace(self.spec, schedule=None)
            self._simulation.script = Script(self._simulation)

    def recall(self, value: float) -> None:
        """Take a value for the present one, without acting: what it did is part of the state."""
        self._value = value

    def act(self, value: float) -> None:
        """Call its function."""
        assert self.spec.act is not None
        self.spec.act(self._simulation, value)
        self._value = value


class Controls(dict[str, Control]):
    """Controls of a simulation by name; a wrong name is answered with the valid ones."""

    def __missing__(self, name: object) -> Control:
        """Refuse a name that no control has."""
        return self[checks.known("simulation", "control", name, self)]

    def __setitem__(self, name: str, value: object) -> None:
        """Refuse to put a number in the place of a control; copies put their controls."""
        if isinstance(value, Control):
            super().__setitem__(name, value)
            return
        control = self[name]
        raise InputError(
            f"control {control.name!r}: it cannot be replaced by {checks.shown(value)}; set its value with "
            f"sim.controls[{control.name!r}].set(value); controls are {', '.join(self)}"
        )


class Script:
    """What the schedules of a scene set: targets of motors, and values of other controls."""

    def __init__(self, simulation: Simulation) -> None:
        """Made by the simulation, for its controls."""
        self._simulation = simulation
        self.motors: list[tuple[Control, Schedule, int]] = []
        self.others: list[tuple[Control, Schedule]] = []
        self.soft = simulation.model.layout.laws.kind == SOFT
        for control in simulation.controls.values():
            spec = control.spec
            if spec.schedule is None:
                continue
            if spec.joint is None:
                self.others.append((control, spec.schedule))
            else:
                row = simulation.joint(spec.joint).motor_row(spec.motor)
                self.motors.append((control, spec.schedule, row))

    def play(self, frames: int) -> int:
        """Set everything to where it is at the end of the next frame; so many of these frames can be done with that."""
        if not (self.motors or self.others):
            return frames
        simulation = self._simulation
        time, target = simulation.time + simulation.settings.step, simulation.state.target.copy()
        for control, schedule, row in self.motors:
            target[row] = control.checked(schedule(time))
        moved = target != simulation.state.target
        if moved.any():
            state = simulation.state = simulation.state.but(target=target)
            if self.soft[moved].any():  # their springs have another energy now
                state.energy = energy_of(simulation.stepper, state)
        for control, schedule in self.others:
            value = control.checked(schedule(time))
            if value != control.value:
                control.act(value)
        return 1


def make_controls(simulation: Simulation, before: Controls) -> Controls:
    """Controls of a simulation: the declared ones, then those of all other motors; what was there before stays.

    Machine parts declare theirs: their motors are their own business.
    """
    specs = dict(simulation.scene.controls)
    driven = {(spec.joint, spec.motor or 0) for spec in specs.values()}
    layout = simulation.model.layout
    for owner in np.unique(layout.row_owner[layout.laws.drives]).tolist():
        link = simulation.scene.links[owner]
        if any(link.name in part.joints for part in simulation.scene.parts.values()):
            continue
        motors = motors_of(simulation.scene, link)
        for number, motor in enumerate(motors):
            if (link.name, number) not in driven:
                several = len(motors) > 1
                name = free_name(f"{link.name}-{number}" if several else link.name, specs)
                specs[name] = ControlSpec(
                    name, link.name, number if several else None, None, motor.low, motor.high, motor.target,
                    motor.unit, (),
                )  # fmt: skip
    kept = {name: control for name, control in before.items() if control.spec == specs.get(name)}
    return Controls((name, kept.get(name) or Control(simulation, spec)) for name, spec in specs.items())


def free_name(name: str, taken: dict[str, ControlSpec]) -> str:
    """The name, or with a number where another control has it."""
    names = itertools.chain([name], (f"{name}-motor-{count}" for count in itertools.count(1)))
    return next(candidate for candidate in names if candidate not in taken)
