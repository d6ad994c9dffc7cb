"""Keys for controls that declare none: so every machine can be driven from the keyboard.

A control with a range gets a pair of keys that lie above each other, the lower one to decrease it; a switch gets a
digit that flips it. Keys that controls declare are theirs, and those that do something else in a viewer are nobody's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from taut.scene.controls import SWITCH, VIEWER_KEYS
from taut.view.source import ControlInfo

PAIRS = (
    ("A", "Q"), ("S", "W"), ("D", "E"), ("G", "T"), ("H", "Y"), ("J", "U"), ("K", "I"), ("L", "O"), ("Z", "1"),
    ("X", "2"), ("C", "3"), ("V", "4"), ("B", "5"), ("M", "7"),
)  # fmt: skip
"""(decrease, increase), in the order in which they are given away."""

FLIPS = ("0", "6", "8", "9")
"""For switches."""


def with_keys(controls: Iterable[ControlInfo]) -> list[ControlInfo]:
    """The controls, those without keys with some, as long as there are any.

    Those that nobody moves come first: a control that follows a schedule drives itself.
    """
    found = {control.name: control for control in controls}
    taken = {key.upper() for control in found.values() for key in control.keys} | set(VIEWER_KEYS)
    pairs = [pair for pair in PAIRS if not taken.intersection(pair)]
    flips = [(key,) for key in FLIPS if key not in taken]
    for control in sorted(found.values(), key=lambda each: each.scheduled):
        free: list[tuple[str, str]] | list[tuple[str]] = flips if control.unit == SWITCH else pairs
        if free and not control.keys:
            found[control.name] = replace(control, keys=free.pop(0))
    return list(found.values())
