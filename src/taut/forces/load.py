"""Applied loads: constant forces and torques on a body."""

from __future__ import annotations

from dataclasses import dataclass

from taut import checks
from taut.joints.frame import Triple, triple


@dataclass(frozen=True)
class Load:
    """A constant `force` (N) at a `point` of the body (own frame, m) and a `torque` (N m).

    Force and torque are given in world axes, or with `follows=True` in the body's axes (a thruster turns with it). A
    force in world axes adds its arm block to the geometric stiffness, so a heavy load on a light lever is stable.
    """

    body: int
    force: Triple = (0.0, 0.0, 0.0)
    point: Triple = (0.0, 0.0, 0.0)
    torque: Triple = (0.0, 0.0, 0.0)
    follows: bool = False

    def check(self, owner: str) -> Load:
        """The load with clean numbers; `owner` names it in messages."""
        force, point, torque = (triple(checks.vector(owner, name, getattr(self, name))) for name in FIELDS)
        return Load(self.body, force, point, torque, checks.flag(owner, "follows", self.follows))


FIELDS = ("force", "point", "torque")
