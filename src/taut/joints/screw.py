"""A screw: turn and travel go together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut import checks
from taut.joints.base import Drive, Joint, JointFrame, Rows, Triple, axis_rows, line_rows
from taut.joints.motion import Motion, hinged
from taut.rows.coordinate import Coordinate
from taut.rows.coupling import CouplingPart
from taut.rows.law import hold


@dataclass(frozen=True)
class Screw(Joint, Drive):
    """B travels `pitch` m along `axis` for every turn about it: 5 rows. The coordinate is the angle in rad."""

    freedom: ClassVar[int] = 1
    axis: Triple = (0.0, 0.0, 1.0)
    pitch: float = 0.01

    def check(self) -> None:
        """Check the drive and the pitch."""
        Drive.__post_init__(self)
        checks.number("Screw", "pitch", self.pitch)

    def rows(self, frame: JointFrame) -> Rows:
        """Two slides and two directions across the axis, travel = pitch * turns, and what acts along the angle."""
        axis = np.array(self.axis)
        thread = CouplingPart(((frame.slide(axis), 1.0), (frame.angle(axis), -self.pitch / (2.0 * math.pi))))
        rows = [*line_rows(frame, self.axis), *axis_rows(frame, self.axis), (thread, hold())]
        return [*rows, *self.drive_rows(frame.angle(axis))]

    def coordinates(self, frame: JointFrame) -> list[Coordinate]:
        """The angle."""
        return [frame.angle(np.array(self.axis))]

    def motion(self, frame: JointFrame) -> Motion:
        """A slide along the axis and a turn about it, which the thread couples: its row is left to the solver."""
        return hinged(frame, self.axis, (np.array(self.axis),))
