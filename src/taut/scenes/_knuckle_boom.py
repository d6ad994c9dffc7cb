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
from taut.scene.looks import Piece
from taut.scene.scene import Scene
from taut.scene.schedules import Schedule
from taut.shapes import Box, Cylinder
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
YELLOW = (0.95, 0.72, 0.10)


class KnuckleBoomCrane:
    """Builds a crane on a body `base`, at a world point on top of it, turned to an angle about the vertical.

    Bodies `pedestal`, `frame`, those of the parts `main`, `knuckle` and `winch`; the part `slew`. Controls follow
    schedules by the part's name.
    """

    def __init__(self, scene: Scene, base: str, place: Array, angle: float, schedules: Mapping[str, Schedule]) -> None:
        """Build all but the winch."""
        self.scene, self.place, self.schedules = scene, place, schedules
        self.turn = from_axis_angle((0.0, 0.0, 1.0), angle)
        top = place + (0.0, 0.0, PEDESTAL.length)
        scene.add_body(
            "pedestal", PEDESTAL, mass=9000.0, position=place + (0.0, 0.0, 0.5 * PEDESTAL.length), group="crane",
            colour=visuals.DARK,
        )  # fmt: skip
        scene.connect(base, "pedestal", Fixed(), name="pedestal")
        self.centre = top + (0.0, 0.0, 0.5 * FRAME.z)
        scene.add_body(
            "frame", FRAME, mass=14000.0, position=self.centre, orientation=self.turn, group="crane", visual=cabin(),
            colour=YELLOW,
        )  # fmt: skip
        slew = Slew(
            base=("pedestal", (0.0, 0.0, 0.5 * PEDESTAL.length)), upper="frame", max_torque=3e6, max_speed=0.2,
            schedule={"speed": schedules["slew"]},
        )  # fmt: skip
        scene.add(slew, name="slew")
        self.add_booms()
        scene.ignore_contacts("crane", "crane")
        for group in ("main", "knuckle"):
            scene.ignore_contacts("crane", group)
        scene.ignore_contacts("main", "knuckle")

    def add_booms(self) -> None:
        """Main boom and knuckle boom, each luffed by a cylinder."""
        ahead = rotate(self.turn, np.array((1.0, 0.0, 0.0)))
        oil = {"pressure": 30e6, "mass": (800.0, 800.0)}
        lift = HydraulicCylinder(
            base=("frame", (1.7, 0.0, -1.1)), rod=("boom", (-3.0, 0.0, -0.5)), bore=0.45, flow=0.012, **oil
        )
        main = Boom(
            root=("frame", ROOT), length=LENGTHS[0], direction=ahead, angle=ANGLES[0], luff=(0.6, 1.35), mass=15000.0,
            profile=PROFILES[0], cylinder=lift, schedule={"luff": self.schedules["main"]},
        )  # fmt: skip
        self.scene.add(main, name="main")
        fold = HydraulicCylinder(
            base=("main/1", (2.0, 0.0, -0.6)), rod=("boom", (-2.0, 0.0, -0.45)), bore=0.30, flow=0.008, **oil
        )
        knuckle = Boom(
            root=main.tip("main"), length=LENGTHS[1], direction=ahead, angle=ANGLES[1], luff=(-0.9, 0.0), mass=8000.0,
            profile=PROFILES[1], cylinder=fold, schedule={"luff": self.schedules["knuckle"]},
        )  # fmt: skip
        self.scene.add(knuckle, name="knuckle")

    @property
    def tip(self) -> Array:
        """World point where the rope leaves, as built, m."""
        reach, height = ROOT[0], ROOT[2]
        for length, angle in zip(LENGTHS, ANGLES, strict=True):
            reach, height = reach + length * np.cos(angle), height + length * np.sin(angle)
        beyond, above = TIP[0] - 0.5 * LENGTHS[1], TIP[2]
        cosine, sine = np.cos(ANGLES[1]), np.sin(ANGLES[1])
        own = (reach + beyond * cosine - above * sine, 0.0, height + beyond * sine + above * cosine)
        return self.centre + rotate(self.turn, np.array(own))

    def add_winch(self, to: tuple[str, Any], length: float) -> None:
        """The part `winch` on the knuckle boom, with a rope of this length (m) beyond the tip to a body."""
        rope = Cable.of(ROPE, 0.026, to=to, length=length, segment_length=SEGMENT, group="crane/cable")
        across = rotate(self.turn, np.array((0.0, 1.0, 0.0)))
        winch = Winch(
            rope=rope, exit=("knuckle/1", TIP), drum=("knuckle/1", (-3.2, 0.0, 1.0)), axis=across, radius=0.45,
            width=1.0, stored=40.0, inertia=81.0, max_pull=3e5, max_speed=1.5, ramp=1.0,
            schedule=self.schedules["winch"],
        )  # fmt: skip
        self.scene.add(winch, name="winch")


def cabin() -> list[Piece]:
    """The turning frame with the driver's cabin beside the boom."""
    cheeks = [Piece(Box(2.6, 0.4, 3.0), (0.3, side * 0.9, 0.2)) for side in (-1.0, 1.0)]
    glass = Piece(Box(1.7, 1.3, 0.9), (0.9, 2.1, 0.45), colour=(0.2, 0.3, 0.38))
    return [
        Piece(Cylinder(1.6, 0.5), (0.0, 0.0, -1.25), colour=visuals.DARK), Piece(Box(3.6, 2.2, 1.2), (-0.6, 0.0, -0.5)),
        *cheeks, Piece(Box(1.6, 1.2, 2.0), (0.9, 2.1, 0.2)), glass,
    ]  # fmt: skip


def hook_block() -> list[Piece]:
    """A block with a hook under it."""
    ring = [Piece(Cylinder(0.05, 0.3), (0.0, 0.0, -0.3), from_two_vectors((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)))]
    return [Piece(Box(0.3, 0.4, 0.5), (0.0, 0.0, 0.1), colour=YELLOW), Piece(Cylinder(0.06, 0.4), (0.0, 0.0, -0.2)), *ring]
