"""Joints that give way: compliance and damping for all hard rows of a joint alike, row by row, or by name.

Hard rows are those that hold a position, but for motors; of a joint without any, such as a rope, its ends. Ends of
other joints have softness of their own (`Drive`). Hard rows are called

    x y z           displacement of B's joint point along the world's axes at the start, which move with A, m
    rx ry rz        turn of B about these axes, rad
    slide, tilt, length, coupling      by kind, with a number where a joint has several: slide-1, slide-2

in the order in which the joint declares them. Their direction is that of the joint's own rows: `slide-1` and `slide-2`
of a slider are across its axis.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.frame import JointFrame, Rows, triple
from taut.rows.coordinate import Angle, Slide
from taut.rows.direction import DirectionPart
from taut.rows.distance import DistancePart
from taut.rows.law import HOLD, LIMITS, Law
from taut.rows.orientation import OrientationPart
from taut.rows.part import Part
from taut.rows.point import PointPart
from taut.rows.softness import from_compliance, soft_end

Softening = float | tuple[float, ...] | dict[str, float]
"""A number for all hard rows, one a row, or one by name."""

KINDS: dict[type[Part], str] = {
    Slide: "slide", Angle: "angle", DirectionPart: "tilt", DistancePart: "length",
}  # fmt: skip
"""What single rows are called; all others are couplings."""

AXES = ("x", "y", "z")


def checked_softening(owner: str, name: str, value: Any) -> Softening:
    """A compliance or damping as users give it: a number, a sequence or a mapping of numbers that are not negative."""
    if isinstance(value, Mapping):
        named = {checks.text(owner, f"a name in {name}", key): each for key, each in value.items()}
        return {key: checks.number(owner, f"{name} {key!r}", each, at_least=0.0) for key, each in named.items()}
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        return tuple(checks.number(owner, f"{name} {index}", each, at_least=0.0) for index, each in enumerate(value))
    return checks.number(owner, name, value, at_least=0.0)


def checked_softness(owner: str, compliance: Any, damping: Any) -> tuple[Softening, Softening]:
    """Compliance and damping of a joint; only rows that give way are damped."""
    softness = checked_softening(owner, "compliance", compliance), checked_softening(owner, "damping", damping)
    if not gives_way(softness[0]):
        refuse_damping(owner, softness[1])
    return softness


def numbers_in(value: Softening) -> list[float]:
    """All numbers of a softening."""
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, tuple) else [value]


def gives_way(value: Softening) -> bool:
    """Whether it makes any row soft."""
    return any(number > 0.0 for number in numbers_in(value))


def softened(owner: str, kind: str, frame: JointFrame, declared: Rows, compliance: Any, damping: Any) -> Rows:
    """The rows of a joint of this kind with its hard rows made soft."""
    if not gives_way(compliance):
        refuse_damping(owner, damping)
        return declared
    rows = declared if isinstance(compliance, float) and isinstance(damping, float) else by_axes(frame, declared)
    names = row_names(rows)
    if not names:
        raise InputError(f"{owner}: a {kind} has no hard rows, so compliance must be 0")
    numbers = (by_row(owner, kind, *each, names) for each in (("compliance", compliance), ("damping", damping)))
    given = iter(zip(*numbers, names, strict=True))
    softens = softens_of(rows)
    result: Rows = []
    for part, laws in rows:
        made = [soft_laws(owner, law, *next(given)) if softens(law) else [law] for law in laws_of(part, laws)]
        if len(made) == 1:
            result += [(part, law) for law in made[0]]
        else:
            result.append((part, tuple(law for (law,) in made)))
    return result


def refuse_damping(owner: str, damping: Softening) -> None:
    """Hard rows are not damped."""
    worst = max(numbers_in(damping), default=0.0)
    if worst > 0.0:
        raise InputError(f"{owner}: damping is {worst:g} without compliance; only rows that give way are damped")


def softens_of(rows: Rows) -> Callable[[Law], bool]:
    """What says whether compliance makes a row soft: it holds a position, or is an end where none does."""
    laws = [law for part, laws in rows for law in laws_of(part, laws)]
    kind = HOLD if any(law.kind == HOLD and not law.drives for law in laws) else LIMITS
    return lambda law: law.kind == kind and not law.drives


def laws_of(part: Part, laws: Law | tuple[Law, ...]) -> tuple[Law, ...]:
    """The law of every row of a part."""
    return (laws,) * part.rows if isinstance(laws, Law) else laws


def soft_laws(owner: str, law: Law, compliance: float, damping: float, name: str) -> list[Law]:
    """One row's law made soft, two where it has two ends; hard rows stay as they are."""
    if compliance == 0.0:
        refuse_damping(f"{owner}, row {name!r}", damping)
        return [law]
    if law.kind == HOLD:
        return [from_compliance(law, compliance, damping)]
    return soft_end(law.lower_limit, law.upper_limit, 1.0 / compliance, damping)


def by_axes(frame: JointFrame, declared: Rows) -> Rows:
    """The rows with three slides along A's axes in place of a hard point, whose rows are along the world's."""
    rows: Rows = []
    for part, laws in declared:
        if isinstance(part, PointPart) and isinstance(laws, Law) and laws.kind == HOLD:
            axes = [triple(frame.rotation_a.T @ axis) for axis in np.eye(3)]
            ends = part.body_a, part.body_b, part.point_a, part.point_b
            rows += [(Slide(*ends, axis), law) for axis, law in zip(axes, laws_of(part, laws), strict=True)]
        else:
            rows.append((part, laws))
    return rows


def row_names(rows: Rows) -> list[str]:
    """Names of the hard rows, in order."""
    kinds: list[str] = []
    softens = softens_of(rows)
    slides = [part for part, laws in rows if isinstance(part, Slide) and isinstance(laws, Law) and softens(laws)]
    point = len(slides) == 3
    for part, laws in rows:
        count = sum(softens(law) for law in laws_of(part, laws))
        if not count:
            continue
        if isinstance(part, PointPart):
            kinds += AXES
        elif isinstance(part, OrientationPart):
            kinds += [f"r{axis}" for axis, law in zip(AXES, laws_of(part, laws), strict=True) if softens(law)]
        elif point and isinstance(part, Slide):
            kinds.append(AXES[slides.index(part)])
        else:
            kinds.append(KINDS.get(type(part), "coupling"))
    total, seen = Counter(kinds), Counter[str]()
    names = []
    for kind in kinds:
        seen[kind] += 1
        names.append(kind if total[kind] == 1 else f"{kind}-{seen[kind]}")
    return names


def by_row(owner: str, kind: str, name: str, value: Softening, names: list[str]) -> list[float]:
    """A number for every hard row."""
    listed = ", ".join(names)
    if isinstance(value, dict):
        for key in value:
            if key not in names:
                raise InputError(f"{owner}: {name} has a row {key!r}; the hard rows of a {kind} are {listed}")
        return [value.get(row, 0.0) for row in names]
    if isinstance(value, tuple):
        if len(value) != len(names):
            raise InputError(f"{owner}: {name} has {len(value)} numbers; a {kind} has {len(names)} hard rows: {listed}")
        return list(value)
    return [value] * len(names)
