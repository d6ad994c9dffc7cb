"""A counterbalanced fork-lift of 3 t in 17 bodies; it stands at the origin, its front axle above it, and looks along x.

The front wheels are driven, the rear axle swings on the chassis and is steered by a ram across it, whose two tie rods
turn the knuckles. The mast leans on the chassis; its inner half is lifted by a cylinder, and the carriage by a chain
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
from taut.machines.brake import Brake
from taut.machines.differential import Differential
from taut.machines.drivetrain import Drivetrain
from taut.machines.engine import Engine
from taut.machines.gearbox import Gearbox
from taut.machines.hydraulic_cylinder import HydraulicCylinder
from taut.machines.wheel import Wheel
from taut.scene.scene import Scene
from taut.scene.schedules import Schedule
from taut.scenes import _forklift_looks as looks
from taut.shapes import Box, Capsule, Compound, Cylinder
from taut.spatial import Array, from_two_vectors

MASSES = {
    "chassis": 2225.36, "axle": 80.0, "knuckle": 12.0, "ram": 10.0, "tie-rod": 0.82, "mast": 120.0, "inner": 148.0,
    "carriage": 140.0, "tilt": 18.0, "rotor": 15.0, "front": 60.0, "rear": 40.0,
}  # fmt: skip
"""kg; "tilt" is of barrel and rod each, "inner" with the lift cylinder, "carriage" with its forks; 3 t in all."""
HULL, ROOF = (Box(1.75, 1.05, 0.75), (-0.85, 0.0, 0.675)), (Box(1.07, 0.9, 0.08), (-0.92, 0.0, 2.1))
"""Of the chassis, with their middles, m."""
CENTRE = (-0.8, 0.0, 0.5)
"""Centre of mass of the chassis, low and behind because of the counterweight, m."""
TYRE: dict[str, Any] = {"tyre_stiffness": 3e6, "tyre_damping": 3e4}
"""Solid rubber, N/m and N s/m."""
FRONT: dict[str, Any] = {"radius": 0.33, "width": 0.2}
REAR: dict[str, Any] = {"radius": 0.26, "width": 0.16}
"""Wheels, m."""
BASE, TRACK, KINGPIN = 1.5, 0.95, 0.4
"""Distance of the axles and of the wheels' middles, and from the middle to a kingpin, m."""
ARM, RAM = (-0.14, 0.033), 0.2
"""From a kingpin to the tie rod's ball, ahead and inwards, and from the middle to the ram's balls, m: so that wheels
roll about one point to half a degree, found by trying."""
THROW, SWING = 0.095, 0.06
"""How far the ram goes, m, and the axle swings, rad, to each side."""
MAST, FOOT, LEANS = (0.18, 1.1), (0.15, 0.33), (-0.06, 0.11)
"""Middle and hinge of the mast (x, z), m, and how far it leans forward and back, rad."""
STAY = ((-0.35, 0.75), (0.12, 1.0))
"""Ends of the tilt cylinder on chassis and mast (x, z), m."""
FORK, HEIGHT, APART = Box(1.07, 0.1, 0.04), 0.06, 0.25
"""A fork, height of its middle when it is down, and how far it is from the middle, m."""
REST = Box(0.05, 1.0, 0.9)
"""What the load leans against, m."""
HEEL, CYLINDER, LIFT = 0.45, 1.85, (0.02, 1.3)
"""Where forks begin, length of the lift cylinder, and how far it goes down and up from there, m."""
CURVE = [(0.0, 120.0), (210.0, 120.0), (245.0, 102.9), (290.0, 86.9), (345.0, 73.0), (420.0, 60.0)]
"""Of an electric motor of 25 kW: rad/s, N m."""
RATIO = 20.0
TOP_SPEED = CURVE[-1][0] * FRONT["radius"] / RATIO
"""Of the rims, m/s."""
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SIDES = (("left", 1.0), ("right", -1.0))


class Forklift:
    """Builds it at once; names begin with `forklift/`. `schedules` are functions of time by control."""

    def __init__(self, scene: Scene, schedules: dict[str, Schedule]) -> None:
        """All of it is in the group "forklift" and does not touch itself."""
        self.scene, self.schedules = scene, schedules
        self.body("chassis", Compound([HULL, ROOF]), (0.0, 0.0, 0.0), com=CENTRE, visual=looks.chassis())
        self.add_rear_axle()
        for side, sign in SIDES:
            self.add_rear_wheel(side, sign)
        self.add_mast()
        self.add_lift()
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
        """An axle on a pivot along the fork-lift, with a ram across it."""
        middle = axle()
        self.body("axle", Box(0.12, 2.0 * KINGPIN, 0.12), middle, collides=False, visual=looks.axle(KINGPIN))
        self.join("chassis", "axle", Revolute(axis=X, limits=(-SWING, SWING)), middle, "pivot")
        self.body(
            "ram", Cylinder(0.02, 2.0 * RAM), middle, orientation=from_two_vectors(Z, Y), collides=False,
            colour=looks.CHROME,
        )  # fmt: skip
        self.join("axle", "ram", Prismatic(axis=Y), middle, "ram-guide")
        reach = 0.6
        steer = HydraulicCylinder(
            base=("forklift/axle", (0.0, -reach, 0.0)), rod="forklift/ram", stroke=(reach - THROW, reach + THROW),
            max_force=2e4, max_speed=0.2, ramp=0.05, schedule={"extension": self.schedules["steer"]},
        )  # fmt: skip
        self.scene.add(steer, name="forklift/steer")

    def add_rear_wheel(self, side: str, sign: float) -> None:
        """A knuckle with its wheel, and the tie rod from the ram."""
        knuckle, rod, arm = f"{side}-knuckle", f"{side}-tie-rod", (ARM[0], -sign * ARM[1], 0.0)
        kingpin, end = axle() + (0.0, sign * KINGPIN, 0.0), axle() + (0.0, sign * RAM, 0.0)
        ball = kingpin + arm
        length = float(np.linalg.norm(ball - end))
        self.body(knuckle, Box(0.1, 0.06, 0.2), kingpin, "knuckle", collides=False, visual=looks.knuckle(arm))
        self.join("axle", knuckle, Revolute(axis=Z), kingpin)
        self.body(
            rod, Capsule(0.012, length), 0.5 * (ball + end), "tie-rod", collides=False, angular_damping=0.01,
            orientation=from_two_vectors(Z, (ball - end) / length), colour=looks.CHROME,
        )  # fmt: skip
        self.join("ram", rod, Spherical(), end)
        self.join(rod, knuckle, Spherical(), ball)
        out = (0.0, sign * (0.5 * TRACK - KINGPIN), 0.0)
        wheel = Wheel(carrier=(f"forklift/{knuckle}", out), mass=MASSES["rear"], **REAR, **TYRE)
        self.scene.add(wheel, name=f"forklift/rear-{side}")

    def add_mast(self) -> None:
        """The outer half of the mast on its hinge, with the tilt cylinder."""
        self.body(
            "mast", Box(0.1, 0.7, 2.0), (MAST[0], 0.0, MAST[1]), collides=False,
            visual=[*looks.mast(0.32, 0.1, looks.DARK), looks.pipe(0.045, -0.2, 1.5, 0.04)],
        )  # fmt: skip
        self.join("chassis", "mast", Revolute(axis=Y), (FOOT[0], 0.0, FOOT[1]))
        (a, low), (b, high) = STAY
        tilt = HydraulicCylinder(
            base=("forklift/chassis", (a, 0.0, low)), rod=("forklift/mast", (b - MAST[0], 0.0, high - MAST[1])),
            stroke=(length_at(LEANS[1]), length_at(LEANS[0])), bore=0.09, pressure=16e6, max_speed=0.1, ramp=0.05,
            mass=(MASSES["tilt"], MASSES["tilt"]), schedule={"extension": self.schedules["tilt"]},
        )  # fmt: skip
        self.scene.add(tilt, name="forklift/tilt")
        self.scene.paint("forklift/tilt", looks.CHROME)

    def add_lift(self) -> None:
        """The inner half of the mast with its cylinder, and the carriage with its chain."""
        place = (MAST[0] + 0.06, 0.0, MAST[1])
        self.body(
            "inner", Box(0.08, 0.6, 2.0), place, collides=False,
            visual=[*looks.mast(0.25, 0.08, looks.STEEL), looks.pipe(0.03, 0.0, 1.8, -0.02)],
        )  # fmt: skip
        self.join("mast", "inner", Prismatic(axis=Z), place)
        lift = HydraulicCylinder(
            base=("forklift/mast", (0.04, 0.0, -0.95)), rod=("forklift/inner", (-0.02, 0.0, CYLINDER - 0.95)),
            stroke=(CYLINDER - LIFT[0], CYLINDER + LIFT[1]), bore=0.06, pressure=16e6, flow=1e-3, ramp=0.05,
            schedule={"extension": self.schedules["lift"]},
        )  # fmt: skip
        self.scene.add(lift, name="forklift/lift")
        forks = [(FORK, (0.5 * FORK.x, sign * APART, 0.0)) for _, sign in SIDES]
        shape = Compound([(REST, (-0.5 * REST.x, 0.0, 0.5 * REST.z)), *forks])
        heel = (HEEL, 0.0, HEIGHT)
        self.body("carriage", shape, heel, visual=looks.carriage(forks, REST.z, REST.y))
        self.join("inner", "carriage", Prismatic(axis=Z), heel)
        self.join("carriage", "inner", SlideGear(ratio=2.0, carrier="forklift/mast"), heel, "chain")

    def add_drive(self) -> None:
        """An electric motor that drives the front wheels through a differential, with brakes on them."""
        for side, sign in SIDES:
            place = ("forklift/chassis", (0.0, 0.5 * TRACK * sign, FRONT["radius"]))
            self.scene.add(Wheel(carrier=place, mass=MASSES["front"], **FRONT, **TYRE), name=f"forklift/front-{side}")
        drive = Drivetrain(
            engine=Engine(
                on=("forklift/chassis", (-0.3, 0.0, 0.4)), axis=Y, torque_curve=CURVE, friction_torque=100.0,
                inertia=0.08, governor="speed", mass=MASSES["rotor"], radius=0.1, length=0.25,
            ),
            gearbox=Gearbox(forward=(RATIO,), reverse=(RATIO,), shift_time=0.1),
            final=Differential(outputs=[f"forklift/front-{side}/hinge" for side, _ in SIDES]),
            brakes=Brake(max_torque=2e3),
            schedules={name: self.schedules[name] for name in ("throttle", "gear", "brake")},
        )  # fmt: skip
        self.scene.add(drive, name="forklift/drive")


def axle() -> Array:
    """Middle of the rear axle (3,), m."""
    return np.array((-BASE, 0.0, REAR["radius"]))


def length_at(lean: float) -> float:
    """Length of the tilt cylinder, m, where the mast leans back by an angle, rad."""
    (a, low), (b, high) = STAY
    arm, foot = complex(b - FOOT[0], high - FOOT[1]), complex(*FOOT)
    return abs(foot + arm * complex(math.cos(lean), math.sin(lean)) - complex(a, low))


def ram_at(curvature: float) -> float:
    """How far the ram is to the left of its middle, m, where the way curves to the left by so much, 1/m.

    The knuckle at (-BASE, y) is turned so that its wheel rolls about (0, 1 / curvature), and the ball of its arm is as
    far from the ram's as the tie rod is long; of the two sides the mean is taken.
    """
    places = []
    for _, sign in SIDES:
        turn = -math.atan2(BASE * curvature, 1.0 - sign * KINGPIN * curvature)
        straight = complex(ARM[0], -sign * ARM[1])
        ball = sign * 1j * KINGPIN + straight * complex(math.cos(turn), math.sin(turn))
        length = abs(sign * 1j * (KINGPIN - RAM) + straight)
        places.append(ball.imag - sign * (math.sqrt(length**2 - ball.real**2) + RAM))
    return 0.5 * sum(places)
