"""The arm of a forwarder in 16 links of 1.9 t: pillar, boom, stick that telescopes, swinging rotator, grapple.

Two links keep the claws of the grapple alike: rods from below the hinge of one claw to above that of the other. Where
they are tangents to circles of radius r about both hinges they act as a crossed belt, one claw turning as the other one
does backwards. With hinges 2 s apart, the rods then at an angle l, and claws open by phi more than that, a rod that
keeps them alike would have the length d,

    d^2 = 4 (r cos(phi) - s sin(l))^2 + 4 s^2 cos^2(l),

which r a little above s sin(l) makes nearly the same all the way: claws differ by two degrees on their way, and by less
than a tenth on the log.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from taut.joints.fixed import Fixed
from taut.joints.revolute import Revolute
from taut.joints.spherical import Spherical
from taut.machines.boom import Boom
from taut.machines.grapple import Grapple
from taut.machines.hydraulic_cylinder import HydraulicCylinder
from taut.machines.slew import Slew
from taut.scene.scene import WORLD, Scene
from taut.shapes import Box, Cylinder
from taut.spatial import Array, from_two_vectors, rotate

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

PILLAR, BOOM, STICK = Cylinder(0.25, 1.5), 3.6, 3.0
"""The pillar, and lengths of the boom and of a section of the stick, m."""
FOOT, SHOULDER, FOLD = 1.2, (0.2, 0.0, 0.65), math.radians(-61.0)
"""Height of the pillar's foot, m, hinge of the boom from the pillar's middle, m, and angle from boom to stick, rad."""
OIL: dict[str, Any] = {"pressure": 25e6, "flow": 4e-3}
BASE, ROD = (0.35, 0.0, -0.4), (-0.65, 0.0, -0.15)
"""Ends of the cylinder that lifts the boom, m from the middles of pillar and boom."""
LIFT = HydraulicCylinder(base=("pillar", BASE), rod=("boom", ROD), bore=0.14, **OIL)
CROWD = HydraulicCylinder(base=("boom/1", (0.5, 0.0, 0.25)), rod=("boom", (-1.885, 0.0, 0.11)), bore=0.12, **OIL)
"""That lift the boom and fold the stick."""
STROKE, SWING = 2.0, (5e3, 3e3)
"""Of the telescope, m, and dampers of the two hinges on which the rotator swings, N m s/rad."""
TIP, ROTATOR = Box(0.15, 0.15, 0.3), Cylinder(0.12, 0.2)
GRIP, DEPTH, ARM = 24e3, 0.36, 0.13
"""Force of the tips of the claws, N, their length, and lever of their cylinder, m."""
HINGES = TIP.z + 2.0 * (ROTATOR.length + ARM)
"""How far the hinges of the claws are below the tip of the stick, m."""
MIDDLE, LEAN, REACH = 0.65, math.radians(70.0), 0.158
"""By how much claws are open where their links are tangents, angle l of the links there, rad, and r, m: the links fit
both open claws and those round the log."""
BUSHES = 1e-8
"""Compliance of the ends of these links, m/N: without it nobody knows which of the two carries what."""
LINKS = (-0.12, 0.12)
"""Where they are, m from the middle of the grapple."""


def tip_at(angle: float, extension: float) -> Array:
    """Where the tip of the stick is (3,), m, with the boom at an angle, rad, the telescope out, m, and no slewing."""
    root = np.array(SHOULDER) + (0.0, 0.0, FOOT + 0.5 * PILLAR.length)
    ways = (BOOM, angle), (STICK + extension, angle + FOLD)
    return np.asarray(root + sum(way * np.array((math.cos(turn), 0.0, math.sin(turn))) for way, turn in ways))


def add_arm(scene: Scene, angle: float, extension: float, schedules: Mapping[str, Any]) -> None:
    """Add the arm with its boom at an angle, rad, and its telescope out, m.

    `schedules` has what the controls of "slew", "boom", "stick", "rotator" and "grapple" follow.
    """
    scene.add_body("pillar", PILLAR, mass=300.0, position=(0.0, 0.0, FOOT + 0.5 * PILLAR.length), group="arm")
    slew = Slew(
        base=(WORLD, (0.0, 0.0, FOOT)), upper="pillar", max_torque=6e4, max_speed=0.6, ramp=0.5,
        schedule=schedules["slew"],
    )  # fmt: skip
    scene.add(slew, name="slew")
    boom = Boom(
        root=("pillar", SHOULDER), length=BOOM, mass=650.0, profile=(0.3, 0.35), angle=angle, luff=(-0.3, 1.2),
        cylinder=LIFT, schedule=schedules["boom"],
    )  # fmt: skip
    scene.add(boom, name="boom")
    stick = Boom(
        root=boom.tip("boom"), length=STICK, mass=(380.0, 190.0), profile=(0.25, 0.3), sections=2, stroke=STROKE,
        extension=extension, angle=angle + FOLD, luff=(angle - 2.6, angle - 0.35), cylinder=CROWD, max_thrust=4e4,
        max_speed=0.8, ramp=0.5, schedule=schedules["stick"],
    )  # fmt: skip
    scene.add(stick, name="stick")
    scene.ignore_contacts("arm", "boom")
    scene.ignore_contacts("boom", "stick")
    add_rotator(scene, tip_at(angle, extension), schedules["rotator"])
    grapple = Grapple(
        on=("rotator-lower", (0.0, 0.0, -0.5 * ROTATOR.length)), depth=DEPTH, spread=0.3, arm=ARM, width=0.6,
        opening=(0.0, 0.8), force=GRIP, time=2.5, mass=(80.0, 65.0), cylinder_mass=(9.0, 9.0), sync=False,
        pad_friction=1.0, schedule=schedules["grapple"],
    )  # fmt: skip
    scene.add(grapple, name="grapple")
    for number, y in enumerate(LINKS, start=1):
        add_link(scene, number, y)


def add_rotator(scene: Scene, tip: Array, schedule: Any) -> None:
    """A link on a hinge at the tip (3,), m, another hinge across it, and the rotator that hangs there."""
    pin, long = tip - (0.0, 0.0, TIP.z), ROTATOR.length
    for name, shape, mass, below in (
        ("tip", TIP, 40.0, 0.5 * TIP.z),
        ("rotator-upper", ROTATOR, 45.0, TIP.z + 0.5 * long),
        ("rotator-lower", ROTATOR, 45.0, TIP.z + 1.5 * long),
    ):
        scene.add_body(name, shape, mass=mass, position=tip - (0.0, 0.0, below), collides=False, group="arm")
    along, across = (Revolute(axis=axis, damping=damping) for axis, damping in zip((Y, X), SWING, strict=True))
    scene.connect("stick/2", "tip", along, at=tip, name="swing-along")
    scene.connect("tip", "rotator-upper", across, at=pin, name="swing-across")
    base = ("rotator-upper", (0.0, 0.0, -0.5 * long))
    rotator = Slew(base=base, upper="rotator-lower", max_torque=2e3, max_speed=1.0, ramp=0.5, schedule=schedule)
    scene.add(rotator, name="rotator")


def add_link(scene: Scene, number: int, y: float) -> None:
    """A link between the claws, on a pin in the first one."""
    ends = []
    for claw, angle in (("claw-1", LEAN - 0.5 * math.pi + MIDDLE), ("claw-2", LEAN + 0.5 * math.pi - MIDDLE)):
        body = scene.bodies[scene.index_of("forwarder", f"grapple/{claw}")]
        own = np.array((REACH * math.cos(angle), y, REACH * math.sin(angle)))
        ends.append(body.position + rotate(body.orientation, own))
    (start, end), pin, link = ends, f"link-{number}/pin", f"link-{number}/rod"
    along, length = end - start, float(np.linalg.norm(end - start))
    scene.add_body(
        pin, Cylinder(0.02, 0.1), mass=0.1, position=start, orientation=from_two_vectors(Z, Y), collides=False,
        group="grapple/links",
    )  # fmt: skip
    scene.add_body(
        link, Box(length, 0.04, 0.05), mass=10.9, position=0.5 * (start + end),
        orientation=from_two_vectors(X, along), collides=False, group="grapple/links",
    )  # fmt: skip
    scene.connect("grapple/claw-1", pin, Fixed(), name=f"link-{number}/fixed")
    scene.connect(pin, link, Revolute(axis=Y), at=start, name=f"link-{number}/hinge")
    scene.connect(link, "grapple/claw-2", Spherical(), at=end, name=f"link-{number}/ball", compliance=BUSHES)
