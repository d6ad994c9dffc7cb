"""A wheel carrier on five rods, as of double wishbones and multi-link suspensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.base import Drive, Joint, JointFrame, Rows, Triple
from taut.joints.frame import triple
from taut.rows.coordinate import Coordinate
from taut.rows.distance import DistancePart
from taut.rows.law import hold


@dataclass(frozen=True)
class FiveLink(Joint, Drive):
    """Five rods without mass between points of A and B keep the lengths they start with: 5 rows.

    The coordinate is the displacement in m of B's joint point from A's along `axis` (world, initial configuration),
    zero at the start. Limits, motor, spring, damper and friction (N) as in `Drive`.

    Attributes:
        rods: five (point of A, point of B), each in its body's own frame, m.
        axis: along which the coordinate is measured; it moves with A.
    """

    freedom: ClassVar[int] = 1
    rods: Any = ()
    axis: Triple = (0.0, 0.0, 1.0)

    def check(self) -> None:
        """Five pairs of points, and the drive."""
        Drive.__post_init__(self)
        pairs = self.rods if isinstance(self.rods, tuple | list) else ()
        if len(pairs) != 5 or not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
            raise InputError(f"FiveLink: rods is {checks.shown(self.rods)}; it must be five pairs of points")
        rods = tuple(tuple(triple(checks.vector("FiveLink", "rods", point)) for point in pair) for pair in pairs)
        object.__setattr__(self, "rods", rods)

    def rows(self, frame: JointFrame) -> Rows:
        """Five distances, and what acts along the axis."""
        rows: Rows = []
        for start, end in self.rods:
            part = DistancePart(frame.a, frame.b, frame.own_point_a(start), frame.own_point_b(end))
            rows.append((part, hold(checks.number("FiveLink", "length of a rod", frame.separation(part), above=0.0))))
        return [*rows, *self.drive_rows(frame.slide(np.array(self.axis)))]

    def coordinates(self, frame: JointFrame) -> list[Coordinate]:
        """The displacement."""
        return [frame.slide(np.array(self.axis))]
