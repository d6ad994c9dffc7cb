"""A knuckle-boom crane of 50 t: pedestal, slewing ring, two booms on cylinders with barrels and rods, and a winch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from taut.joints.fixed import Fixed
from taut.machines import visuals
from taut.machines.boom import Boom
from taut.machines.cable import Cable
from taut.machines.hydraulic_cylinder import HydraulicCylinder
from taut.machines.slew import Slew
from taut.machines.winch import Winch
from taut.scene.looks import Colour, Piece, checked_visual
from taut.scene.scene import Scene
from taut.scene.schedules import Schedule
from taut.shapes import Box, Convex, Cylinder
from taut.spatial import Array, from_axis_angle, from_two_vectors, rotate

PEDESTAL, FRAME = Cylinder(1.3, 4.0), Box(4.0, 3.0, 3.0)
ROOT, PROFILES = (1.0, 0.0, 1.0), ((1.0, 1.2), (0.8, 0.9))
"""Of the main boom, in the frame, m; width and height of main and knuckle boom, m."""
LENGTHS, ANGLES = (14.0, 10.0), (1.22, -0.40)
"""Of main and knuckle boom, m, and their angles with the level as built, rad."""
TIP = (5.3, 0.0, 0.1)
"""Where the rope leaves, in the frame of the knuckle boom, m."""
ROPE, SEGMENT = "6x36 IWRC", 0.358
"""Wire rope, 26 mm thick: segments of 0.99 kg, m."""
YELLOW, WHITE, GLASS = (0.95, 0.66, 0.08), (0.90, 0.90, 0.87), (0.2, 0.3, 0.38)


STOUT, SLIM = 0.5, 0.7
"""Heights of the ends of the booms, in those of their middles."""
Y = (0.0, 1.0, 0.0)


class KnuckleBoomCrane:
    """Builds a crane on a body `base`, at a world point on top of it, turned by an angle about the vertical.

    Bodies `pedestal` and `frame`, parts `slew`, `main`, `knuckle` and `winch`, whose controls follow the schedules of
    these names: speed of slew (rad/s) and rope (m/s), angles of booms (rad).
    """

    def __init__(self, scene: Scene, base: str, place: Array, angle: float, schedules: Mapping[str, Schedule]) -> None:
        """Build all but the winch, which needs something to carry."""
        self.scene, self.schedules = scene, schedules
        self.turn = from_axis_angle((0.0, 0.0, 1.0), angle)
        middle = place + (0.0, 0.0, 0.5 * PEDESTAL.length)
        self.centre = place + (0.0, 0.0, PEDESTAL.length + 0.5 * FRAME.z)
        scene.add_body("pedestal", PEDESTAL, mass=9000.0, position=middle, group="crane", colour=visuals.DARK)
        scene.connect(base, "pedestal", Fixed(), name="pedestal")
        scene.add_body(
            "frame", FRAME, mass=14000.0, position=self.centre, orientation=self.turn, group="crane", visual=cabin(),
            colour=YELLOW,
        )  # fmt: skip
        slew = Slew(
            base=("pedestal", (0.0, 0.0, 0.5 * PEDESTAL.length)), upper="frame", max_torque=3e6, max_speed=0.2,
            schedule={"speed": schedules["slew"]},
        )  # fmt: skip
        scene.add(slew, name="slew")
        self.add_booms(rotate(self.turn, np.array((1.0, 0.0, 0.0))))
        for a, b in (("crane", "crane"), ("crane", "main"), ("crane", "knuckle"), ("main", "knuckle")):
            scene.ignore_contacts(a, b)

    def add_booms(self, ahead: Array) -> None:
        """Main boom and knuckle boom, each luffed by a cylinder with a barrel and a rod."""
        lift = HydraulicCylinder(
            base=("frame", (1.7, 0.0, -1.1)), rod=("boom", (-3.0, 0.0, -0.5)), bore=0.45, pressure=30e6, flow=0.012,
            mass=(800.0, 800.0),
        )  # fmt: skip
        main = Boom(
            root=("frame", ROOT), length=LENGTHS[0], direction=ahead, angle=ANGLES[0], luff=(0.6, 1.35), mass=15000.0,
            profile=PROFILES[0], cylinder=lift, schedule={"luff": self.schedules["main"]},
        )  # fmt: skip
        self.scene.add(main, name="main")
        fold = HydraulicCylinder(
            base=("main/1", (2.0, 0.0, -0.6)), rod=("boom", (-2.0, 0.0, -0.45)), bore=0.30, pressure=30e6, flow=0.008,
            mass=(800.0, 800.0),
        )  # fmt: skip
        knuckle = Boom(
            root=main.tip("main"), length=LENGTHS[1], direction=ahead, angle=ANGLES[1], luff=(-0.9, 0.0), mass=8000.0,
            profile=PROFILES[1], cylinder=fold, schedule={"luff": self.schedules["knuckle"]},
        )  # fmt: skip
        self.scene.add(knuckle, name="knuckle")
        self.dress("main/1", girder(LENGTHS[0], *PROFILES[0]))
        self.dress("knuckle/1", [*girder(LENGTHS[1], *PROFILES[1]), *sheave(TIP)])
        for boom in ("main", "knuckle"):
            self.dress(f"{boom}/cylinder/barrel", None, visuals.DARK)
            self.dress(f"{boom}/cylinder/rod", None, visuals.STEEL)

    @property
    def tip(self) -> Array:
        """World point where the rope leaves, as built, m."""
        (main, knuckle), (first, second) = LENGTHS, ANGLES
        reach, beyond = ROOT[0] + main * np.cos(first), 0.5 * knuckle + TIP[0]
        height = ROOT[2] + main * np.sin(first)
        cosine, sine = np.cos(second), np.sin(second)
        own = (reach + beyond * cosine - TIP[2] * sine, 0.0, height + beyond * sine + TIP[2] * cosine)
        return np.asarray(self.centre + rotate(self.turn, np.array(own)))

    def add_winch(self, to: tuple[str, Any], length: float) -> None:
        """The part `winch` on the knuckle boom, with a rope of this length (m) from the tip to a body."""
        rope = Cable.of(ROPE, 0.026, to=to, length=length, segment_length=SEGMENT, group="crane/cable")
        winch = Winch(
            rope=rope, exit=("knuckle/1", TIP), drum=("knuckle/1", (-3.2, 0.0, 1.0)), radius=0.45, width=1.0,
            axis=rotate(self.turn, np.array(Y)), stored=40.0, inertia=81.0, max_pull=4e5, max_speed=1.5, ramp=1.0,
            schedule=self.schedules["winch"],
        )  # fmt: skip
        self.scene.add(winch, name="winch")
        for body in self.scene.bodies:
            if body.group == "crane/cable" and body.visual is None:
                body.colour = visuals.DARK

    def dress(self, name: str, pieces: list[Piece] | None, colour: Colour = YELLOW) -> None:
        """Let a body of a part look like these pieces, or like its shape, in this colour."""
        body = self.scene.bodies[self.scene.index_of("crane", name)]
        body.visual, body.colour = checked_visual(name, pieces), colour


def girder(length: float, width: float, height: float) -> list[Piece]:
    """A box girder along the x axis that is less high at its ends, with bands where its plates meet."""
    ends = ((-0.5, STOUT), (-0.25, 1.0), (0.0, 1.0), (0.5, SLIM))
    corners = [
        (x * length, side * 0.5 * width, z * 0.5 * share * height)
        for x, share in ends for side in (-1.0, 1.0) for z in (-1.0, 1.0)
    ]  # fmt: skip
    band = Box(0.12, 1.06 * width, 1.04 * height)
    return [Piece(Convex(corners)), *(Piece(band, (x * length, 0.0, 0.0), colour=visuals.DARK) for x in (-0.25, 0.0))]


def sheave(place: tuple[float, float, float]) -> list[Piece]:
    """A sheave whose rim is at a place, between two cheeks."""
    turn, (x, _, z) = from_two_vectors((0.0, 0.0, 1.0), Y), place
    cheeks = [Piece(Box(0.9, 0.06, 0.5), (x - 0.4, side * 0.16, z - 0.05)) for side in (-1.0, 1.0)]
    return [Piece(Cylinder(0.35, 0.2), (x - 0.35, 0.0, z), turn, visuals.STEEL), *cheeks]


def cabin() -> list[Piece]:
    """The turning frame with cheeks for the boom and the driver's cabin beside them."""
    cheeks = [Piece(Box(2.6, 0.4, 3.0), (0.3, side * 0.9, 0.2)) for side in (-1.0, 1.0)]
    return [
        Piece(Cylinder(1.6, 0.5), (0.0, 0.0, -1.25), colour=visuals.DARK), *cheeks,
        Piece(Box(3.6, 2.2, 1.2), (-0.6, 0.0, -0.5)), Piece(Box(1.6, 1.2, 2.0), (0.9, 1.7, 0.2), colour=WHITE),
        Piece(Box(1.7, 1.3, 0.9), (0.9, 1.7, 0.45), colour=GLASS),
    ]  # fmt: skip


def hook_block() -> list[Piece]:
    """A block with a hook under it."""
    ring = Piece(Cylinder(0.14, 0.06), (0.0, 0.0, -0.32), from_two_vectors((0.0, 0.0, 1.0), Y), visuals.STEEL)
    shank = Piece(Cylinder(0.06, 0.4), (0.0, 0.0, -0.15), colour=visuals.STEEL)
    return [Piece(Box(0.3, 0.4, 0.5), (0.0, 0.0, 0.12), colour=YELLOW), shank, ring]
