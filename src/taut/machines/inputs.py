"""Controls of parts whose views have a method for each: what they call, and what follows a schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from taut import checks
from taut.errors import InputError
from taut.scene.controls import SWITCH
from taut.scene.scene import Scene
from taut.scene.schedules import Schedule, checked_schedule

if TYPE_CHECKING:
    from taut.machines.base import PartView
    from taut.simulation.simulation import Simulation


class Input(NamedTuple):
    """A control `part.name` that calls a method of the part's view with its value; without a range it is a switch."""

    name: str
    method: str
    low: float | None = None
    high: float | None = None
    unit: str = ""
    value: float | None = None


def add_inputs(scene: Scene, part: str, inputs: Sequence[Input], schedule: Mapping[str, Schedule]) -> None:
    """Declare the controls of a part."""
    for each in inputs:
        switch = each.low is None
        scene.add_control(
            f"{part}.{each.name}", act=partial(switch_by if switch else act_by, part, each.method), low=each.low,
            high=each.high, value=each.value, unit=SWITCH if switch else each.unit, schedule=schedule.get(each.name),
        )  # fmt: skip


def act_by(part: str, method: str, simulation: Simulation, value: float) -> None:
    """Call a method of a part's view; a schedule goes on without the part."""
    view = simulation.part(part)
    if not view.lost():
        getattr(view, method)(value)


def switch_by(part: str, method: str, simulation: Simulation, value: float) -> None:
    """Call a method of a part's view with a flag: above a half it is on."""
    view = simulation.part(part)
    if not view.lost():
        getattr(view, method)(value > 0.5)


def recall(view: PartView, values: Mapping[str, float]) -> None:
    """Let controls of a part have these values, within their range; a schedule knows its own."""
    for name, value in values.items():
        control = view.simulation.controls[f"{view.name}.{name}"]
        if control.spec.schedule is None:
            control.recall(min(max(float(value), control.low), control.high))


def checked_schedules(owner: str, schedule: Any, controls: Sequence[str]) -> dict[str, Schedule]:
    """Functions of time by the control that follows them, such as {"speed": taut.Ramps(...)}; None is none."""
    if schedule is None:
        return {}
    if not isinstance(schedule, Mapping):
        raise InputError(
            f"{owner}: schedule is {checks.shown(schedule)}; it must be functions of time by control: "
            f"{', '.join(controls)}"
        )
    found: dict[str, Schedule] = {}
    for name, function in schedule.items():
        known = checked_schedule(owner, function)
        if known is not None:
            found[checks.known(owner, "schedule", name, controls)] = known
    return found
