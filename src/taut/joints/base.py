"""What a joint is: a frozen description that gives row parts with laws. A new joint is one new file beside this one."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar

from taut import checks
from taut.errors import InputError
from taut.joints.drive import Drive, Motor
from taut.joints.frame import (
    JointFrame,
    Rows,
    Triple,
    axis_rows,
    line_rows,
    orientation_row,
    point_row,
    spin_of,
    triple,
)  # fmt: skip
from taut.joints.motion import Motion
from taut.rows.coordinate import Coordinate

__all__ = [
    "Drive", "Joint", "JointFrame", "Motor", "Rows", "Triple",
    "axis_rows", "check_points", "line_rows", "orientation_row", "point_row", "spin_of", "triple",
]  # fmt: skip


class Joint:
    """A joint between two bodies; see `Revolute` for a small example of how one is written."""

    registry: ClassVar[dict[str, type[Joint]]] = {}
    freedom: ClassVar[int | None] = None
    """Degrees of freedom left between the bodies, None where rows only bound or couple motion."""

    def __init_subclass__(cls) -> None:
        """Register every joint by its class name."""
        Joint.registry[cls.__name__] = cls

    def __post_init__(self) -> None:
        """Turn axes into unit vectors and check numbers, field by field."""
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.name.startswith(("axis", "normal")):
                object.__setattr__(self, field.name, triple(checks.direction(type(self).__name__, field.name, value)))
            elif isinstance(field.default, Drive) and not isinstance(value, Drive):
                raise InputError(f"{type(self).__name__}: {field.name} is {value!r}; it must be a taut.joints.Drive")
        self.check()

    def check(self) -> None:
        """Further checks of a kind of joint."""

    def refers_to(self) -> tuple[Any, ...]:
        """Bodies that it refers to besides the two that it joins, by name or handle."""
        named = (getattr(self, name, None) for name in ("other", "carrier"))
        return tuple(name for name in named if name is not None)

    def rows(self, frame: JointFrame) -> Rows:
        """Row parts with their laws, at this place."""
        raise NotImplementedError

    def coordinates(self, frame: JointFrame) -> list[Coordinate]:
        """The coordinates that `sim.joint(name).position` reports."""
        return []

    def motion(self, frame: JointFrame) -> Motion | None:
        """What its first rows leave free, as many as the motion takes away; None for joints that no tree is made of."""
        return None


def check_points(joint: Any) -> None:
    """Points `point_a` and `point_b` of a joint must be vectors."""
    for name in ("point_a", "point_b"):
        object.__setattr__(joint, name, triple(checks.vector(type(joint).__name__, name, getattr(joint, name))))
