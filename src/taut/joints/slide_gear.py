"""Two bodies whose travels are coupled, as a chain over a wheel or a rack and pinion does between two slides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.base import Joint, JointFrame, Rows, Triple, triple
from taut.rows.coordinate import Slide
from taut.rows.coupling import CouplingPart
from taut.rows.law import hold
from taut.spatial import Array


@dataclass(frozen=True)
class SlideGear(Joint):
    """Couples the travels of A and B along axes fixed in a carrier: x_A = ratio * x_B: 1 row.

    Travels are those of the bodies' own origins in `carrier` (a body, "world" by default) since they were joined. The
    lift chain of a fork-lift, whose carriage goes twice as far as the mast: ratio = 2, A the carriage, B the mast.
    """

    freedom: ClassVar[int] = 5
    ratio: float = 1.0
    axis_a: Triple = (0.0, 0.0, 1.0)
    axis_b: Triple = (0.0, 0.0, 1.0)
    carrier: str = "world"

    def check(self) -> None:
        """A ratio that is not zero."""
        if checks.number("SlideGear", "ratio", self.ratio) == 0.0:
            raise InputError("SlideGear: ratio is 0; it must be a number that is not zero")

    def rows(self, frame: JointFrame) -> Rows:
        """One coupling of two slides."""
        first = travel(frame, self.carrier, frame.a, frame.origin_a, self.axis_a)
        second = travel(frame, self.carrier, frame.b, frame.origin_b, self.axis_b)
        return [(CouplingPart(((first, 1.0), (second, -self.ratio))), hold())]


def travel(frame: JointFrame, carrier: Any, body: int, place: Array, axis: Triple) -> Slide:
    """Travel of a body's point, which is at a world place now, along a world axis fixed in a carrier."""
    index, com, _, rotation = frame.body(carrier)
    centre, turn = (frame.com_a, frame.rotation_a) if body == frame.a else (frame.com_b, frame.rotation_b)
    own, there = triple(turn.T @ (place - centre)), triple(rotation.T @ (place - com))
    return Slide(index, body, there, own, triple(rotation.T @ np.array(axis)))
