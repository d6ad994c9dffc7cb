"""Keys for controls that declare none: so every machine can be driven from the keyboard.

A control with a range gets a pair of keys that lie above each other, the lower one to decrease it; a switch gets a
digit that flips it. Keys that controls declare are theirs; those that do something else in a viewer are nobody's, nor
are those that move its camera: a machine should not leave the view when somebody drives it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from taut.scene.controls import COUNTED, SWITCH, VIEWER_KEYS
from taut.view.source import ControlInfo

CAMERA_KEYS = ("W", "A", "S", "D", "Q", "E")
"""With these viser moves the camera, whatever else they do."""

PAIRS = (
    ("G", "T"), ("H", "Y"), ("J", "U"), ("K", "I"), ("L", "O"), ("Z", "1"), ("X", "2"), ("C", "3"), ("V", "4"),
    ("B", "5"), ("M", "7"),
)  # fmt: skip
"""(decrease, increase), in the order in which they are given away."""

FLIPS = ("0", "6", "8", "9")
"""For switches."""

KEY_STEPS = 20
"""Times that a key must be pressed to bring a control from one end to the other, unless it is counted."""

NEARLY = 1e-6
"""What is left of a step of a key that is 0, but for rounding."""

NO_BREAK = "\N{NO-BREAK SPACE}"


def with_keys(controls: Iterable[ControlInfo]) -> list[ControlInfo]:
    """The controls, those without keys with some, as long as there are any."""
    found = {control.name: control for control in controls}
    taken = {key.upper() for control in found.values() for key in control.keys} | set(VIEWER_KEYS)
    pairs = [pair for pair in PAIRS if not taken.intersection(pair)]
    flips = [(key,) for key in FLIPS if key not in taken]
    for control in in_turn(found.values()):
        free: list[tuple[str, str]] | list[tuple[str]] = flips if control.unit == SWITCH else pairs
        if free and not control.keys:
            found[control.name] = replace(control, keys=free.pop(0))
    return list(found.values())


def in_turn(controls: Iterable[ControlInfo]) -> list[ControlInfo]:
    """Controls in the order in which they get keys.

    Of every part, what is before the dot in their names, one comes before any second one, and of every machine, before
    the slash, one part before any second one: a crane has jacks and brakes of wheels with many controls, and is to be
    slewed too. What a schedule moves is what drives a part. Motors that nobody declared and that follow one drive
    themselves, as legs do, and come last.
    """
    seen: Counter[tuple[str, int]] = Counter()
    turns: list[tuple[tuple[bool, int, int], ControlInfo]] = []
    for control in sorted(controls, key=lambda each: not each.scheduled):
        part = control.name.rpartition(".")[0]
        turn = seen[part or control.name, -1]
        machine = (part or control.name).partition("/")[0], turn
        turns.append(((control.scheduled and not part, turn, seen[machine]), control))
        seen.update([(part or control.name, -1), machine])
    return [control for _, control in sorted(turns, key=lambda each: each[0])]


def label_of(control: ControlInfo) -> str:
    """Name, unit and keys of a control, such as "slew (rad/s) [J L]"; that a switch is one shows by itself."""
    unit = f" ({control.unit})" if control.unit not in ("", SWITCH) else ""
    keys = f" [{NO_BREAK.join(control.keys).upper()}]" if control.keys else ""
    return f"{control.name}{unit}{keys}"


def hint_of(control: ControlInfo) -> str | None:
    """What comes up under the mouse: whether it moves by itself, and what its keys do."""
    hints = ["follows its schedule until you move it"] if control.scheduled else []
    if len(control.keys) == 2:
        less, more = ("turns it off", "on") if control.unit == SWITCH else ("decreases", "increases it")
        hints.append(f"{control.keys[0].upper()} {less}, {control.keys[1].upper()} {more}")
    elif control.keys:
        hints.append(f"{control.keys[0].upper()} turns it on or off")
    return ", ".join(hints) or None


def key_step(control: ControlInfo) -> float:
    """How far a key moves a control: one further if it is counted, else by a share of its range."""
    return 1.0 if control.unit in COUNTED else (control.high - control.low) / KEY_STEPS


def stepped(control: ControlInfo, value: float, change: float) -> float:
    """The value that a key makes of another: within the range, and 0 on the way past it, so that machines can stop."""
    new = value + change
    if value * new < 0.0 or abs(new) < NEARLY * abs(change):
        new = 0.0
    return min(max(new, control.low), control.high)
