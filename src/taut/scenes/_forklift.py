"""A counterbalanced fork-lift of 3 t in 23 bodies; it stands at the origin, its front axle above it, and looks along x.

The front wheels are driven, the rear axle swings on the chassis and is steered by a ram across it, whose two tie rods
turn the knuckles. The mast tilts on the chassis; its inner half is lifted by a cylinder, and the carriage by a chain
over the inner half, twice as far. All dimensions are ours.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from taut.joints.prismatic import Prismatic
from taut.joints.revolute import Revolute
from taut.joints.slide_gear import SlideGear
from taut.joints.spherical import Spherical
from taut.machines import Brake, Differential, Drivetrain, Engine, Gearbox, HydraulicCylinder, Wheel
from taut.scene.scene import Scene
from taut.scene.schedules import Schedule
from taut.scenes import _forklift_looks as looks
from taut.shapes import Box, Capsule, Compound, Cylinder
from taut.spatial import from_two_vectors

MASSES = {
    "chassis": 2225.36, "axle": 80.0, "knuckle": 12.0, "ram": 10.0, "tie-rod": 0.82, "mast": 120.0, "inner": 148.0,
    "carriage": 140.0, "tilt": 18.0, "rotor": 15.0, "front": 60.0, "rear": 40.0,
}  # fmt: skip
"""kg; "tilt" is of a barrel or a rod, "inner" with the lift cylinder, "carriage" with its forks. 3 t in all."""

TYRE = {"tyre_stiffness": 3e6, "tyre_damping": 3e4}
FRONT, REAR = {"radius": 0.33, "width": 0.2, **TYRE}, {"radius": 0.26, "width": 0.16, **TYRE}
"""Wheels, m."""
BASE, TRACK, KINGPIN = 1.5, 0.95, 0.4
"""Distance of the axles and of the wheels' middles, and from the middle to a kingpin, m."""
ARM, RAM = (-0.14, 0.033), 0.2
"""From a kingpin to the tie rod's ball, back and inwards, and from the middle to the ram's, m. With these numbers the
wheels roll about one point to half a degree [Ackermann]: found by trying."""
THROW = 0.095
"""How far the ram goes to each side, m."""
FOOT, LEANS = (0.15, 0.33), (-0.06, 0.11)
"""Hinge of the mast (x, z), m, and how far it tilts forward and back, rad."""
MAST = (0.18, 1.1)
"""Middle of the mast (x, z), m."""
STAY = ((-0.35, 0.75), (0.12, 1.0))
"""Ends of the tilt cylinders on chassis and mast (x, z), m."""
FORK, HEIGHT, APART = Box(1.07, 0.1, 0.04), 0.06, 0.25
"""A fork, height of its middle when it is down, and how far it is from the middle, m."""
HEEL, LIFT = 0.45, (0.02, 1.3)
"""Where forks begin, m, and how far the cylinder goes down and up from there, m."""
RATIO, TOP_SPEED = 20.0, 420.0 * 0.33 / 20.0
"""Of the gears, and with the motor at its fastest, m/s."""
CURVE = [(0.0, 120.0), (210.0, 120.0), (245.0, 102.9), (290.0, 86.9), (345.0, 73.0), (420.0, 60.0)]
"""Of an electric motor of 25 kW: rad/s, N m."""
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SIDES = (("left", 1.0), ("right", -1.0))


class Forklift:
    """Builds it at once; names begin with `forklift/`. `schedules` are functions of time by control."""

    def __init__(self, scene: Scene, schedules: dict[str, Schedule]) -> None:
        """All of it is in the group "forklift" and does not touch itself."""
        self.scene, self.schedules = scene, schedules
        box = Box(1.75, 1.05, 0.75)
        self.body(
            "chassis", Compound([(box, (-0.85, 0.0, 0.675))]), (0.0, 0.0, 0.0), com=(-0.8, 0.0, 0.5),
            visual=looks.chassis(),
        )  # fmt: skip
        self.add_rear_axle()
        self.add_mast()
        self.add_drive()
        scene.ignore_contacts("forklift", "forklift")

    def body(self, name: str, shape: Any, place: Any, kind: str | None = None, **options: Any) -> str:
        """Add a part of it, with the mass of its kind."""
        return str(self.scene.add_body(
            f"forklift/{name}", shape, mass=MASSES[kind or name], position=place, group="forklift", **options
        ))  # fmt: skip

    def join(self, a: str, b: str, joint: Any, at: Any, name: str | None = None) -> None:
        """Join two parts of it at a point."""
        self.scene.connect(f"forklift/{a}", f"forklift/{b}", joint, at=at, name=f"forklift/{name or f'{a}-{b}'}")

    def add_rear_axle(self) -> None:
        """An axle on a pivot along the fork-lift with a ram across it, tie rods, knuckles and wheels."""
        middle = np.array((-BASE, 0.0, REAR["radius"]))
        lying = from_two_vectors(Z, Y)
        self.body("axle", Box(0.12, 2.0 * KINGPIN, 0.12), middle, collides=False, visual=looks.axle(KINGPIN))
        self.join("chassis", "axle", Revolute(axis=X, limits=(-0.06, 0.06)), middle, "pivot")
        self.body("ram", Cylinder(0.02, 2.0 * RAM), middle, orientation=lying, collides=False, colour=looks.CHROME)
        self.join("axle", "ram", Prismatic(axis=Y), middle, "ram-guide")
        self.scene.add(
            HydraulicCylinder(
                base=("forklift/axle", (0.0, -0.6, 0.0)), rod="forklift/ram", stroke=(0.6 - THROW, 0.6 + THROW),
                max_force=2e4, max_speed=0.2, ramp=0.05, schedule={"extension": self.schedules["steer"]},
            ),
            name="forklift/steer",
        )  # fmt: skip
        for side, sign in SIDES:
            kingpin = middle + (0.0, sign * KINGPIN, 0.0)
            ball, end = kingpin + (ARM[0], -sign * ARM[1], 0.0), middle + (0.0, sign * RAM, 0.0)
            length = float(np.linalg.norm(ball - end))
            knuckle, rod = f"{side}-knuckle", f"{side}-tie-rod"
            self.body(
                knuckle, Box(0.1, 0.06, 0.2), kingpin, "knuckle", collides=False,
                visual=looks.knuckle((ARM[0], -sign * ARM[1])),
            )  # fmt: skip
            self.join("axle", knuckle, Revolute(axis=Z), kingpin)
            self.body(
                rod, Capsule(0.012, length), 0.5 * (ball + end), "tie-rod", collides=False, angular_damping=0.01,
                orientation=from_two_vectors(Z, (ball - end) / length), colour=looks.CHROME,
            )  # fmt: skip
            self.join("ram", rod, Spherical(), end)
            self.join(rod, knuckle, Spherical(), ball)
            out = (0.0, sign * (0.5 * TRACK - KINGPIN), 0.0)
            wheel = Wheel(carrier=(f"forklift/{knuckle}", out), mass=MASSES["rear"], **REAR)
            self.scene.add(wheel, name=f"forklift/rear-{side}")

    def add_mast(self) -> None:
        """Two masts in each other, the outer one on a hinge with tilt cylinders, and a carriage with forks."""
        foot = (FOOT[0], 0.0, FOOT[1])
        self.body("mast", Box(0.1, 0.7, 2.0), (MAST[0], 0.0, MAST[1]), collides=False, 
            visual=[*looks.mast(0.32, 0.1, looks.DARK), looks.lift(0.045, -0.2, 1.5, 0.04)],
        )  # fmt: skip
        self.join("chassis", "mast", Revolute(axis=Y), foot)
        (a, low), (b, high) = STAY
        cylinder = HydraulicCylinder(
            base=("forklift/chassis", (a, 0.0, low)), rod=("forklift/mast", (b - MAST[0], 0.0, high - MAST[1])),
            stroke=(length_at(LEANS[1]), length_at(LEANS[0])), bore=0.09, pressure=16e6, max_speed=0.1, ramp=0.05,
            mass=(MASSES["tilt"], MASSES["tilt"]), schedule={"extension": self.schedules["tilt"]},
        )  # fmt: skip
        self.scene.add(cylinder, name="forklift/tilt")
        self.body("inner", Box(0.08, 0.6, 2.0), (0.24, 0.0, 1.1), collides=False, 
            visual=[*looks.mast(0.25, 0.08, looks.STEEL), looks.lift(0.03, 0.0, 1.8, -0.02)],
        )  # fmt: skip
        self.join("mast", "inner", Prismatic(axis=Z), foot)
        lift = HydraulicCylinder(
            base=("forklift/mast", (0.04, 0.0, -0.95)), rod=("forklift/inner", (-0.02, 0.0, 0.9)),
            stroke=(1.85 - LIFT[0], 1.85 + LIFT[1]), bore=0.06, pressure=16e6, flow=1e-3, ramp=0.05,
            schedule={"extension": self.schedules["lift"]},
        )  # fmt: skip
        self.scene.add(lift, name="forklift/lift")
        plate = Box(0.05, 1.0, 0.9)
        forks = [(FORK, (0.5 * FORK.x, sign * APART, 0.0)) for _, sign in SIDES]
        shape = Compound([(plate, (-0.5 * plate.x, 0.0, 0.5 * plate.z)), *forks])
        self.body("carriage", shape, (HEEL, 0.0, HEIGHT), visual=looks.carriage(forks, plate.z, plate.y))
        self.join("inner", "carriage", Prismatic(axis=Z), (HEEL, 0.0, HEIGHT))
        chain = SlideGear(ratio=2.0, carrier="forklift/mast")
        self.scene.connect("forklift/carriage", "forklift/inner", chain, name="forklift/chain", collide=True)

    def add_drive(self) -> None:
        """An electric motor that drives the front wheels through a differential, with brakes on them."""
        wheels = [f"forklift/front-{side}" for side, _ in SIDES]
        for wheel, (_, sign) in zip(wheels, SIDES, strict=True):
            place = ("forklift/chassis", (0.0, 0.5 * TRACK * sign, FRONT["radius"]))
            self.scene.add(Wheel(carrier=place, mass=MASSES["front"], **FRONT), name=wheel)
        hinges = tuple(f"{wheel}/hinge" for wheel in wheels)
        self.scene.add(
            Drivetrain(
                engine=Engine(
                    on=("forklift/chassis", (-0.3, 0.0, 0.4)), axis=Y, torque_curve=CURVE, friction_torque=100.0,
                    inertia=0.08, governor="speed", mass=MASSES["rotor"], radius=0.1, length=0.25,
                ),
                gearbox=Gearbox(forward=(RATIO,), reverse=(RATIO,), shift_time=0.1),
                final=Differential(outputs=hinges),
                brakes=Brake(max_torque=2e3),
                schedules={name: self.schedules[name] for name in ("throttle", "gear", "brake")},
            ),
            name="forklift/drive",
        )  # fmt: skip


def length_at(lean: float) -> float:
    """Length of the tilt cylinders, m, where the mast leans back by an angle, rad."""
    (a, low), (b, high) = STAY
    arm, foot = complex(b - FOOT[0], high - FOOT[1]), complex(*FOOT)
    end = foot + arm * complex(math.cos(lean), math.sin(lean))
    return abs(end - complex(a, low))


def ram_at(curvature: float) -> float:
    """How far the ram is to the left of its middle, m, where the way curves to the left by so much, 1/m.

    The knuckle of a wheel at (-BASE, y) is turned so that the wheel rolls about (0, 1 / curvature), and the ball of
    its arm is as far from the ram's as the tie rod is long; of the two sides the mean is taken.
    """
    places = []
    for _, sign in SIDES:
        turn = -math.atan2(BASE * curvature, 1.0 - sign * KINGPIN * curvature)
        straight = complex(ARM[0], -sign * ARM[1])
        ball = sign * 1j * KINGPIN + straight * complex(math.cos(turn), math.sin(turn))
        length = abs(sign * 1j * (KINGPIN - RAM) + straight)
        places.append(ball.imag - sign * (math.sqrt(length**2 - ball.real**2) + RAM))
    return 0.5 * sum(places)
