"""Steering of vehicles in two halves, by the hinge between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from taut import checks, spatial
from taut.joints.base import Motor
from taut.joints.frame import triple
from taut.joints.lever import Lever
from taut.joints.revolute import Revolute
from taut.machines.base import BuiltPart, MachinePart, PartView, checked_end, end_of, reading
from taut.machines.segments import Z
from taut.machines.servo import add_angle, approach, checked_angle, checked_servo
from taut.machines.steering import set_angle
from taut.scene.scene import Scene


class ArticulatedSteeringView(PartView):
    """An articulated steering of a running simulation."""

    vital = slice(None)

    @property
    def hinge(self) -> Any:
        """Between the two halves."""
        return self.simulation.joint(self.handle.joints[0])

    @reading("rad")
    def angle(self) -> float:
        """Of the front against the rear: positive turns the vehicle to the left."""
        return float(self.hinge.position)

    @reading("rad")
    def wanted(self) -> float:
        """The angle that it goes to."""
        return float(self.simulation.joint(self.handle.joints[1]).target())

    @reading("N m")
    def torque(self) -> float:
        """Of the servo on the front."""
        return float(self.simulation.state.force[self.hinge.motor_row(None)])

    @reading("")
    def at_limit(self) -> bool:
        """Whether the servo gives all it has."""
        return abs(self.torque) >= (1.0 - 1e-9) * float(self.part.max_torque)

    def steer(self, angle: float) -> None:
        """Go to this angle, rad, positive to the left, as fast as `rate` allows."""
        self.check_there("angle")
        angle = checked_angle(f"steering {self.name!r}", angle, self.part.max_angle)
        self.simulation.joint(self.handle.joints[1]).drive(angle)


@dataclass(frozen=True, kw_only=True)
class ArticulatedSteering(MachinePart):
    """A hinge with a servo between the halves of a vehicle, as loaders and forwarders have: 5 rows, servo and lever.

    With its axles at distances a ahead of the hinge and b behind it, the front axle's middle drives a circle of
    (a cos(angle) + b) / sin(angle). Control: `name.angle` (rad).

    Attributes:
        rear: (body, point of the hinge in its own frame, whose z axis is the hinge's).
        front: the body ahead.
        max_angle: largest angle, rad.
        rate: of the angle, rad/s.
        max_torque: of the servo, N m.
        schedule: its angle as a function of time (s), such as `taut.Ramps`, which it follows by itself.
    """

    view = ArticulatedSteeringView

    rear: Any
    front: Any
    max_angle: float = 0.7
    rate: float = 0.3
    max_torque: float
    schedule: Any = None

    def check(self) -> None:
        """Every number."""
        self.put(rear=checked_end("ArticulatedSteering", "rear", self.rear))
        self.put(front=checks.text("ArticulatedSteering", "front", self.front), **checked_servo(self))

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Joints `name/hinge` and `name/lever`."""
        owner = f"articulatedsteering {name!r}"
        rear, _, place = end_of(scene, owner, "rear", self.rear)
        axis = triple(spatial.rotate(scene.bodies[scene.index_of(owner, rear)].orientation, Z))
        hinge = Revolute(axis=axis, motor=Motor(position=0.0, max_force=self.max_torque))
        joints = [
            scene.connect(rear, self.front, kind, at=place, name=f"{name}/{what}")
            for kind, what in ((hinge, "hinge"), (Lever(axis=axis), "lever"))
        ]
        add_angle(scene, name, self, partial(set_angle, name))
        return BuiltPart(name, self, (), tuple(map(str, joints)))

    @property
    def acts(self) -> bool:
        """It always does."""
        return True

    def after_frame(self, view: ArticulatedSteeringView) -> None:
        """Turn the servo to where the angle is to be after the next frame."""
        now = float(view.hinge.target())
        angle = approach(now, view.wanted, self.rate * view.simulation.settings.step)
        if angle != now:
            view.hinge.drive(angle)
