"""Random joints of every registered kind, with random drives, and how much energy they bring."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from fuzz.trials import Rng, chance, log_uniform, unit_vector
from joint_examples import example

from taut import joints
from taut.joints import Drive, Joint, Motor

POINTED = ("Fixed", "Revolute", "Spherical", "Universal")
"""Joints that keep one point of a body on one point of another."""
COUPLINGS = ("Gear", "Rack", "Differential", "KnifeEdge")
"""Joints that couple velocities and hold nothing together: they come on top of others."""


@dataclass
class Draw:
    """Random numbers for the joints of one scene, and the energy that they bring into it.

    Attributes:
        rng: random numbers.
        size: of the bodies, m.
        duration: time that motors have, s.
        unbounded: whether motors may be as strong as they like: not where something may stand against them.
        given: energy of springs at the start and work that motors can do, J.
        active: whether there is a motor.
        springs: whether there is a spring.
    """

    rng: Rng
    size: float
    duration: float
    unbounded: bool
    given: float = 0.0
    active: bool = False
    springs: bool = False

    def joint(self, kind: str, mass: float, apart: float) -> Joint:
        """A joint of a kind for a body of this mass (kg), this far (m) from the one it is joined to."""
        torque = mass * 9.81 * self.size
        maker = MAKERS.get(kind)
        return example(kind) if maker is None else maker(self, torque, apart)

    def drive(self, torque: float, rotary: bool) -> dict[str, Any]:
        """Options of a `Drive`: any of limits, motor, spring or damper, dry friction."""
        unit = 1.0 if rotary else self.size
        force = torque / unit
        options: dict[str, Any] = {}
        if chance(self.rng, 0.2):
            options["motor"] = self.motor(force, unit)
        if chance(self.rng, 0.3) and options.get("motor", Motor(speed=0, max_force=1)).max_force < math.inf:
            options["limits"] = (-self.rng.uniform(0.0, 1.5) * unit, self.rng.uniform(0.0, 1.5) * unit)
        options |= self.spring(force, unit)
        if chance(self.rng, 0.2):
            options["friction"] = force * log_uniform(self.rng, 1e-3, 1.0)
        return options

    def motor(self, force: float, unit: float) -> Motor:
        """A motor for a speed or a position, hard or soft."""
        self.active = True
        bound, target = force * log_uniform(self.rng, 0.1, 10.0), self.rng.normal() * unit
        kind = int(self.rng.integers(4 if self.unbounded else 3))
        self.given += bound * abs(target) * (3.0 * self.duration + 1.0)
        if kind == 0:
            return Motor(speed=3.0 * target, max_force=bound)
        if kind == 1:
            return Motor(position=target, max_force=bound)
        if kind == 2:
            self.springs, stiffness = True, force / unit
            self.given += 0.5 * stiffness * target**2
            return Motor(position=target, max_force=bound, stiffness=stiffness, damping=0.1 * stiffness)
        # the speed is reached at once, by all that hangs on it
        self.given += 100.0 * force * unit * (1.0 + target**2 / (9.81 * self.size))
        return Motor(speed=3.0 * target)

    def spring(self, force: float, unit: float) -> dict[str, float]:
        """A spring with a damper, an oscillator, a damper, or nothing."""
        kind = float(self.rng.random())
        self.springs |= kind < 0.3
        if kind < 0.2:
            stiffness, rest = force / unit * log_uniform(self.rng, 0.01, 1e4), 0.3 * self.rng.normal() * unit
            self.given += 0.5 * stiffness * rest**2
            return {"stiffness": stiffness, "damping": stiffness * log_uniform(self.rng, 1e-3, 0.1), "rest": rest}
        if kind < 0.3:
            return {"frequency": log_uniform(self.rng, 0.3, 100.0), "damping_ratio": self.rng.uniform(0.0, 1.5)}
        return {"damping": force / unit * log_uniform(self.rng, 1e-2, 10.0)} if kind < 0.4 else {}


def crossed(rng: Rng) -> dict[str, Any]:
    """Two axes at right angles."""
    first = np.array(unit_vector(rng))
    second = np.cross(first, unit_vector(rng))
    return {"axis_a": tuple(first), "axis_b": tuple(second / np.linalg.norm(second))}


def spherical(draw: Draw, torque: float, apart: float) -> Joint:
    """A ball joint, sometimes with a spring or dry friction."""
    soft, dry = chance(draw.rng, 0.3), chance(draw.rng, 0.2)
    draw.springs |= soft
    stiffness = torque * log_uniform(draw.rng, 0.01, 100.0) * soft
    friction = torque * log_uniform(draw.rng, 1e-3, 1.0) * dry
    return joints.Spherical(stiffness=stiffness, damping=0.05 * torque * soft, friction=friction)


def link(draw: Draw, torque: float, apart: float) -> Joint:
    """A piece of cable, hard or soft along and across."""
    draw.springs, stiff = True, torque * log_uniform(draw.rng, 1.0, 1e3)
    along = math.inf if chance(draw.rng, 0.5) else 100.0 * stiff / draw.size**2
    damping = {"bend_damping": 0.05 * stiff, "twist_damping": 0.05 * stiff}
    return joints.Link(axis=unit_vector(draw.rng), stretch=along, shear=along, bend=stiff, twist=stiff, **damping)


def driven(kind: type[Any], rotary: bool) -> Callable[[Draw, float, float], Joint]:
    """Maker of a joint with an axis and a drive along its one coordinate."""
    return lambda draw, torque, apart: kind(axis=unit_vector(draw.rng), **draw.drive(torque, rotary))


MAKERS: dict[str, Callable[[Draw, float, float], Joint]] = {
    "Fixed": lambda draw, torque, apart: joints.Fixed(),
    "Revolute": driven(joints.Revolute, rotary=True),
    "Prismatic": driven(joints.Prismatic, rotary=False),
    "PointOnLine": driven(joints.PointOnLine, rotary=False),
    "Screw": lambda draw, torque, apart: joints.Screw(
        axis=unit_vector(draw.rng), pitch=draw.size * draw.rng.uniform(-0.5, 0.5), **draw.drive(torque, True)
    ),
    "Cylindrical": lambda draw, torque, apart: joints.Cylindrical(
        axis=unit_vector(draw.rng), slide=Drive(**draw.drive(torque, False)), turn=Drive(**draw.drive(torque, True))
    ),
    "Universal": lambda draw, torque, apart: joints.Universal(
        **crossed(draw.rng), first=Drive(**draw.drive(torque, True)), second=Drive(**draw.drive(torque, True))
    ),
    "Planar": lambda draw, torque, apart: joints.Planar(
        normal=unit_vector(draw.rng), x=Drive(**draw.drive(torque, False)), turn=Drive(**draw.drive(torque, True))
    ),
    "Translational": lambda draw, torque, apart: joints.Translational(
        x=Drive(**draw.drive(torque, False)), z=Drive(**draw.drive(torque, False))
    ),
    "PointOnPlane": lambda draw, torque, apart: joints.PointOnPlane(normal=unit_vector(draw.rng)),
    "Spherical": spherical,
    "Distance": lambda draw, torque, apart: joints.Distance(),
    "Rope": lambda draw, torque, apart: joints.Rope(length=apart * draw.rng.uniform(1.0, 1.3)),
    "Link": link,
}
"""How joints are drawn by kind; one that is not here is the example of the contract tests."""


def coupling(draw: Draw, kind: str, other: str) -> Joint:
    """A coupling of velocities; `other` is a third body."""
    rng = draw.rng
    one, two, three = unit_vector(rng), unit_vector(rng), unit_vector(rng)
    if kind == "Gear":
        return joints.Gear(ratio=float(rng.choice([-1, 1])) * log_uniform(rng, 0.2, 5.0), axis_a=one, axis_b=two)
    if kind == "Rack":
        return joints.Rack(radius=draw.size * rng.uniform(0.1, 1.0), axis=one, axis_rack=two)
    if kind == "Differential":
        return joints.Differential(other=other, axis_a=one, axis_b=two, axis_other=three)
    return joints.KnifeEdge(axis=one)
