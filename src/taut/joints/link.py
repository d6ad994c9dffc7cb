"""A compliant 6-dof link: the joint between two segments of a cable or beam."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from taut import checks
from taut.joints.base import Joint, JointFrame, Rows, Triple
from taut.rows.law import Law, follow, hold
from taut.rows.softness import soft
from taut.spatial import cross, perpendicular


@dataclass(frozen=True)
class Link(Joint):
    """Six springs and dampers between two bodies at `at`, along and across `axis` (world, initial configuration).

    The cable joint of [Peiret2019]: nearly inextensible, free to bend and twist as its material allows.

    Attributes:
        axis: direction of the cable.
        stretch, shear: stiffness along and across the axis, N/m; infinite = hard.
        bend, twist: stiffness about the axes across and along, N m/rad.
        stretch_damping, shear_damping: N s/m.
        bend_damping, twist_damping: N m s/rad.
    """

    axis: Triple = (1.0, 0.0, 0.0)
    stretch: float = math.inf
    shear: float = math.inf
    bend: float = 0.0
    twist: float = 0.0
    stretch_damping: float = 0.0
    shear_damping: float = 0.0
    bend_damping: float = 0.0
    twist_damping: float = 0.0

    def check(self) -> None:
        """Nothing negative; only stretch and shear may be hard."""
        for name in ("stretch", "shear"):
            object.__setattr__(self, name, checks.bound("Link", name, getattr(self, name)))
        for name in ("bend", "twist", "stretch_damping", "shear_damping", "bend_damping", "twist_damping"):
            object.__setattr__(self, name, checks.number("Link", name, getattr(self, name), at_least=0.0))

    def rows(self, frame: JointFrame) -> Rows:
        """Three slides in A's axes and a rotation whose first axis is the cable."""
        axis = np.array(self.axis)
        across = perpendicular(axis)
        basis = [axis, across, cross(axis, across)]
        stretch, shear = self.law(self.stretch, self.stretch_damping), self.law(self.shear, self.shear_damping)
        rows: Rows = [(frame.slide(axis), stretch), (frame.slide(basis[1]), shear), (frame.slide(basis[2]), shear)]
        twist, bend = self.law(self.twist, self.twist_damping), self.law(self.bend, self.bend_damping)
        return [*rows, (frame.turn_about(basis), (twist, bend, bend))]

    @staticmethod
    def law(stiffness: float, damping: float) -> Law:
        """Hard where the stiffness is infinite, a row without force where nothing resists."""
        if stiffness == 0.0 and damping == 0.0:
            return follow(0.0, force=0.0)
        return hold() if stiffness == math.inf else soft(stiffness, damping)
