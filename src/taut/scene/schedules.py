"""Values over time that a scene's controls follow by themselves.

A schedule is any function of time alone, s, that gives the value of a control, so that a run can be repeated and goes
on to the bit from a saved state:

    scene.add_control("slew", joint="slew", schedule=Ramps((0, 0), (2, 1.2), (3, 1.2), (5, 0)))
    scene.add_control("sway", joint="sway", schedule=lambda time: 0.1 * math.sin(time))

Motors are given the value that belongs to the end of each frame: a servo is there then.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from typing import Any

from taut import checks
from taut.errors import InputError

Schedule = Callable[[float], float]


class Ramps:
    """Smooth ramps from point to point: at each there is neither speed nor acceleration.

    x(s) = x_a + (x_b - x_a) (10 s^3 - 15 s^4 + 6 s^5),  s = (t - t_a) / (t_b - t_a),

    the path of least jerk between two stops. Its greatest speed is 15/8 of the mean one. Before the first point and
    after the last one the value stays.

    Args:
        points: (time in s, value) in the order of time, two or more.
    """

    def __init__(self, *points: tuple[float, float]) -> None:
        for point in points:
            if not (isinstance(point, tuple | list) and len(point) == 2):
                raise InputError(f"Ramps: a point is {checks.shown(point)}; it must be (time, value)")
        if len(points) < 2:
            raise InputError(f"Ramps: there are {len(points)} points; there must be two or more")
        self.times = [checks.number("Ramps", "time", time) for time, _ in points]
        self.values = [checks.number("Ramps", "value", value) for _, value in points]
        for before, after in zip(self.times[:-1], self.times[1:], strict=True):
            if not before < after:
                raise InputError(f"Ramps: time {after:g} comes after {before:g}; times must rise")

    def __call__(self, time: float) -> float:
        """The value at a time, s."""
        end = bisect.bisect_right(self.times, time)
        if end in (0, len(self.times)):
            return self.values[0 if end == 0 else -1]
        share = (time - self.times[end - 1]) / (self.times[end] - self.times[end - 1])
        smooth = min(share**3 * (10.0 + share * (6.0 * share - 15.0)), 1.0)  # rounding must not lead out of a range
        return self.values[end - 1] + smooth * (self.values[end] - self.values[end - 1])


def checked_schedule(owner: str, schedule: Any) -> Schedule | None:
    """A schedule as given, or None; it must be a function that gives a number at the start."""
    if schedule is None:
        return None
    if not callable(schedule):
        raise InputError(f"{owner}: schedule is {checks.shown(schedule)}; it must be a function of time")
    start = schedule(0.0)
    if isinstance(start, bool) or not isinstance(start, int | float) or not math.isfinite(start):
        raise InputError(f"{owner}: schedule is {checks.shown(start)} at 0 s; it must be a finite number")
    return schedule
