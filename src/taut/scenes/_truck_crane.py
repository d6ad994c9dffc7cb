"""A four-axle truck crane of 30 t on its outriggers: truck, turntable, boom of three sections, hoist."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from taut.joints.prismatic import Prismatic
from taut.joints.spherical import Spherical
from taut.machines.boom import Boom
from taut.machines.cable import Cable
from taut.machines.hydraulic_cylinder import HydraulicCylinder
from taut.machines.slew import Slew
from taut.machines.wheel import Wheel
from taut.machines.winch import Winch
from taut.scene.scene import Scene
from taut.scenes import _crane_looks as looks
from taut.shapes import Box, Compound, Cylinder
from taut.spatial import Array, from_axis_angle, rotate

FRAME, CAB, CAB_AT = Box(9.6, 2.5, 0.5), Box(1.6, 2.4, 1.5), 3.9
"""Of the truck, and how far ahead of the middle of the frame the cab is, m."""
MIDDLE = (0.6, 0.0, 1.2)
"""Of the frame, from the point on the ground under the slewing ring, x ahead, m."""
AXLES, TRACK, RIM, LIFTED = (4.3, 2.95, -0.8, -2.1), 2.1, 0.55, 0.1
"""Where the axles are, m ahead of the slewing ring, from wheel to wheel, radius of wheels, and how far they are off the
ground, m."""
LEGS, REACH = (1.6, -3.5), 2.7
"""Where the outriggers are, m ahead of the slewing ring and beside it."""
ROOT, BOOM, ANGLE, EXTENSION = (-1.2, 0.0, 1.2), 8.0, math.radians(60.0), 10.0
"""Foot of the boom in the frame of the turntable, length of a section, angle and extension as built, m and rad."""
DRUM = (-1.9, 0.0, 1.5)
"""Where the drum is, in the frame of the turntable, m."""
HEAD = (4.2, 0.0, 0.25)
"""Where the rope leaves the boom, in the frame of its last section, m."""
RING = 1.7
"""Height of the slewing ring, m."""
SEGMENT, ROPE, THICK = 0.8, 70.0 / (22 * 0.8), 0.032
"""Length of a segment of the cable, m, its mass, kg/m: 22 segments are 70 kg, and its diameter, m."""
WIRE_ROPE, BEND, DRUM_RADIUS = "6x36 IWRC", 60.0, 0.3
"""Of the cable, EI in N m^2: between that of wires that slide, 13, and that of one piece, 3,000; and of the drum, m."""
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def add_truck(scene: Scene) -> None:
    """Carrier, wheels that are clear of the ground, and four legs with pads on the ground: 22,360 kg."""
    solid = Compound([(FRAME, (0.0, 0.0, 0.0)), (CAB, (CAB_AT, 0.0, 0.85))])
    scene.add_body(
        "truck/carrier", solid, mass=20000.0, inertia=FRAME.inertia(20000.0), com=(0.0, 0.0, 0.0), position=MIDDLE,
        group="truck", visual=looks.carrier([x - MIDDLE[0] for x in LEGS], REACH, -MIDDLE[0], CAB_AT),
    )  # fmt: skip
    for number, x in enumerate(LEGS, start=1):
        for side, y in (("left", REACH), ("right", -REACH)):
            add_leg(scene, f"{side}-{number}", x, y)
    for number, x in enumerate(AXLES, start=1):
        for side, y in (("left", 0.5 * TRACK), ("right", -0.5 * TRACK)):
            place = (x - MIDDLE[0], y, RIM + LIFTED - MIDDLE[2])
            wheel = Wheel(carrier=("truck/carrier", place), radius=RIM, width=0.4, mass=150.0, brake=8e3)
            scene.add(wheel, name=f"truck/wheel-{side}-{number}")
    scene.ignore_contacts("truck", "truck")


def add_leg(scene: Scene, name: str, x: float, y: float) -> None:
    """A leg that slides in the frame, with a jack above it and a pad on a ball below it."""
    leg, pad = f"truck/leg-{name}", f"truck/pad-{name}"
    scene.add_body(
        leg, Box(0.2, 0.2, 1.1), mass=250.0, position=(x, y, 0.67), group="truck", visual=looks.leg(),
    )  # fmt: skip
    scene.connect("truck/carrier", leg, Prismatic(axis=Z), name=f"{leg}/slide")
    jack = HydraulicCylinder(
        base=("truck/carrier", (x - MIDDLE[0], y, 0.5)), rod=(leg, (0.0, 0.0, -0.5)), stroke=(1.23, 1.63),
        bore=0.16, pressure=25e6, flow=8e-4,
    )  # fmt: skip
    scene.add(jack, name=f"truck/jack-{name}")
    scene.add_body(
        pad, Cylinder(0.35, 0.1), mass=40.0, position=(x, y, 0.05), group="truck", visual=looks.pad(),
    )  # fmt: skip
    scene.connect(leg, pad, Spherical(), at=(x, y, 0.12), name=f"{pad}/ball")


def heading(start: float) -> Array:
    """Orientation (4,) of a turntable that looks so far to the left of the truck, rad."""
    return from_axis_angle(Z, start)


def add_upper(scene: Scene, start: float, slewing: Any) -> None:
    """Turntable with counterweight on its slewing ring, and the boom with its cylinder: 7,440 kg."""
    turn = heading(start)
    solid = Compound([(Box(3.6, 2.3, 0.35), (-0.6, 0.0, 0.08)), (Box(0.8, 2.4, 1.0), (-2.6, 0.0, 0.4))])
    scene.add_body(
        "crane/turntable", solid, mass=4040.0, position=(0.0, 0.0, RING), orientation=turn, group="crane",
        visual=looks.turntable(ROOT, DRUM),
    )  # fmt: skip
    ring = ("truck/carrier", (-MIDDLE[0], 0.0, RING - MIDDLE[2]))
    slew = Slew(
        base=ring, upper="crane/turntable", max_torque=1.5e5, max_speed=0.3, ramp=1.5, schedule={"speed": slewing}
    )
    scene.add(slew, name="crane/slew")
    cylinder = HydraulicCylinder(
        base=("crane/turntable", (1.0, 0.0, 0.05)), rod=("boom", (-0.4, 0.0, -0.35)), mass=(200.0, 200.0),
        bore=0.25, pressure=25e6, flow=4e-3,
    )  # fmt: skip
    boom = Boom(
        root=("crane/turntable", ROOT), length=BOOM, direction=rotate(turn, (1.0, 0.0, 0.0)), angle=ANGLE,
        mass=(1000.0, 1000.0, 1000.0), sections=3, stroke=7.0, extension=EXTENSION, profile=(0.55, 0.7),
        luff=(0.45, 1.35), cylinder=cylinder, max_thrust=2e5, max_speed=0.6,
    )  # fmt: skip
    scene.add(boom, name="crane/boom")
    for section in (1, 2, 3):
        scene.paint(f"crane/boom/{section}", visual=looks.section(section, boom, HEAD))
    rod: Any = scene.bodies[-1].shape
    for part, look in looks.cylinder(cylinder.radii(), rod.length).items():
        scene.paint(f"crane/boom/cylinder/{part}", visual=look)
    scene.ignore_contacts("crane/boom", "crane/turntable")


def add_hoist(scene: Scene, start: float, load: Any, hoisting: Any) -> None:
    """A drum of 200 kg on the turntable, and the rope from it over the head of the boom to a load."""
    rope = Cable.of(
        WIRE_ROPE, THICK, to=load, bending_stiffness=BEND, segment_length=SEGMENT, mass_per_length=ROPE,
        group="crane/cable",
    )  # fmt: skip
    winch = Winch(
        rope=rope, exit=("crane/boom/3", HEAD), drum=("crane/turntable", DRUM), axis=rotate(heading(start), Y),
        radius=DRUM_RADIUS, width=0.6, stored=25.0, inertia=9.0, max_pull=6e4, max_speed=2.0, ramp=0.5,
        schedule=hoisting,
    )  # fmt: skip
    scene.add(winch, name="crane/winch")
    scene.paint("crane/cable", colour=looks.STEEL)


def head_as_built(start: float) -> Array:
    """Where the rope leaves the boom as built, (3,) m."""
    along = 0.5 * BOOM + EXTENSION + HEAD[0]
    c, s = math.cos(ANGLE), math.sin(ANGLE)
    place = np.array([ROOT[0] + along * c - HEAD[2] * s, 0.0, RING + ROOT[2] + along * s + HEAD[2] * c])
    return rotate(heading(start), place)
