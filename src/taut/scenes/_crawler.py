"""A crawler crane of 75 t: two tracks, a car body, upper works on a slewing ring, a lattice boom, and its ropes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from taut.joints.drive import Motor
from taut.joints.fixed import Fixed
from taut.joints.revolute import Revolute
from taut.joints.route import Route, attach, drum
from taut.joints.shafts import Shafts
from taut.machines import visuals
from taut.machines.boom import Boom
from taut.machines.cable import Cable
from taut.machines.hook import Hook
from taut.machines.reeving import Reeving
from taut.machines.slew import Slew
from taut.machines.track import Track
from taut.machines.winch import Winch
from taut.scene.scene import Scene
from taut.scene.schedules import Schedule
from taut.scenes import _crawler_looks as looks
from taut.shapes import Box, Cylinder
from taut.spatial import Array, from_axes, from_two_vectors

TRACK: dict[str, Any] = {
    "sprocket": (-2.3, 0.31, 0.45), "idler": (2.3, 0.31, 0.45), "links": 40,
    "width": 0.8, "thickness": 0.06, "grouser": 0.05,
    "rollers": [*((x, 0.0, 0.2) for x in (-1.6, -0.8, 0.0, 0.8, 1.6)), (0.0, 0.55, 0.2)], "mass": 60.0,
    "wheel_mass": 400.0, "roller_mass": 90.0, "tension": 6e4, "damping": 100.0,
}  # fmt: skip
"""Wheels are (x, z, radius) on the track frame, m; five rollers run on the ground side, one carries the upper run."""
GAUGE, FRAME_MASS, CAR_MASS, WORKS_MASS = 4.4, 7000.0, 21_500.0, 24_000.0
"""Between the middles of the tracks, m, and masses, kg."""
GEAR, MOTOR_MASS, MOTOR_TORQUE = 60.0, 25.0, 1500.0
"""Of a drive: turns of its motor for one of the sprocket, kg, N m."""
ROOT, GANTRY, HOIST, LUFF = (2.7, 0.0, -0.3), (-2.6, 0.0, 3.6), (0.6, 0.0, 1.2), (-1.2, 0.0, 1.2)
"""Foot of the boom, top of the gantry, and drums, on the upper works, m."""
BOOM, BOOM_MASS, ANGLE = 28.0, 5200.0, np.radians(70.0)
"""Length, m, mass, kg, and angle of the boom as built."""
BRIDLE, BRIDLE_MASS, REACH = Box(0.5, 1.2, 0.25), 60.0, 4.0
"""What the pendants end at, its mass, kg, and how far it is from the gantry, m."""
BLOCK, BLOCK_MASS, OPENING, HOOK_MASS = Box(0.5, 0.3, 0.9), 450.0, 0.2, 45.0
GRAVITY = 9.81
SEGMENT = 0.4
"""Length of a segment of the hoist rope, m."""
ROPE: dict[str, Any] = {"diameter": 0.03, "mass_per_length": 4.0, "axial_stiffness": 4e7}
"""Both parts of the hoist rope as one."""
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class Crawler:
    """Builds a crane that stands at (0, y) and looks along x; names begin with its own, groups are parts of that.

    Its groups: `left` and `right`, the tracks; `works`, all that they carry; `cable`, the hoist rope; `sling`.
    """

    def __init__(
        self, scene: Scene, name: str, y: float, driving: Schedule, hoisting: Schedule, load: float, top: float
    ) -> None:
        """Build it at once, but for what hangs on its rope: `load` kg, which begin at the height `top`, m.

        Schedules are the speeds of its tracks and its rope, m/s.
        """
        self.scene, self.name, self.y, self.load, self.top = scene, name, y, load, top
        self.driving, self.hoisting = driving, hoisting
        self.low = -Track(frame="world", **TRACK).ground
        self.add_car()
        for side, across in (("left", 0.5 * GAUGE), ("right", -0.5 * GAUGE)):
            self.add_track(side, across)
        self.add_works()
        self.add_boom()

    def body(self, what: str, shape: Any, mass: float, at: Any, group: str = "works", **options: Any) -> str:
        """Add a body of the crane at a place (3,) from its middle on the ground, m."""
        place = np.asarray(at, float) + (0.0, self.y, 0.0)
        return str(self.scene.add_body(
            f"{self.name}/{what}", shape, mass=mass, position=place, group=f"{self.name}/{group}", **options
        ))  # fmt: skip

    def add_car(self) -> None:
        """The body between the tracks."""
        shape, place = Box(3.2, 3.4, 0.7), (0.0, 0.0, self.low + 0.85)
        self.car = self.body("car", shape, CAR_MASS, place, visual=looks.car(GAUGE))

    def add_track(self, side: str, across: float) -> None:
        """A frame with its track, and a motor that drives its sprocket through a gear."""
        frame = self.body(
            f"{side}-frame", Box(4.0, 0.6, 0.5), FRAME_MASS, (0.0, across, self.low), collides=False,
            visual=looks.track_frame(),
        )  # fmt: skip
        self.scene.connect(self.car, frame, Fixed(), name=f"{frame}-joint")
        track = f"{self.name}/{side}"
        self.scene.add(Track(frame=frame, **TRACK), name=track)
        self.paint_track(track)
        at = np.array((TRACK["sprocket"][0], across - np.sign(across) * 0.6, self.low + TRACK["sprocket"][1]))
        motor = self.body(
            f"{side}-motor", Cylinder(0.15, 0.3), MOTOR_MASS, at, collides=False, orientation=from_two_vectors(Z, Y)
        )
        drive = Motor(speed=0.0, max_force=MOTOR_TORQUE)
        self.scene.connect(frame, motor, Revolute(axis=Y, motor=drive), name=f"{motor}-hinge")
        gear = Shafts(shafts=((frame, motor, Y, 1.0), (frame, f"{track}/sprocket", Y, -GEAR)))
        self.scene.connect(motor, f"{track}/sprocket", gear, name=f"{motor}-gear")
        self.scene.add_control(
            f"{track}.speed", act=partial(run_track, track, f"{motor}-hinge"), low=-0.5, high=0.5, unit="m/s",
            schedule=self.driving,
        )  # fmt: skip

    def paint_track(self, track: str) -> None:
        """Shoes of steel, a sprocket with teeth, and wheels on which one sees that they turn."""
        paint, width = self.scene.paint, 0.4 * TRACK["width"]
        paint(f"{track}/shoes", colour=looks.IRON)
        paint(f"{track}/sprocket", visual=looks.sprocket(TRACK["sprocket"][2], width, 9))
        paint(f"{track}/idler", visual=looks.roller(TRACK["idler"][2], width))
        for number, (_, _, radius) in enumerate(TRACK["rollers"], start=1):
            paint(f"{track}/roller-{number}", visual=looks.roller(radius, width))

    def add_works(self) -> None:
        """The upper works on their slewing ring."""
        ring = self.low + 1.2
        self.middle = np.array((-1.5, 0.0, ring + 1.0))
        self.works = self.body("upper", Box(6.0, 3.0, 1.8), WORKS_MASS, self.middle, visual=looks.works(GANTRY, ROOT))
        slew = Slew(base=(self.car, (0.0, 0.0, 0.35)), upper=self.works, max_torque=3e5, max_speed=0.15)
        self.scene.add(slew, name=f"{self.name}/slew")

    def add_boom(self) -> None:
        """The boom on pendants, a bridle and the luffing rope; its two drums."""
        name = f"{self.name}/works/boom"
        boom = Boom(
            root=(self.works, ROOT), length=BOOM, angle=ANGLE, mass=BOOM_MASS, profile=(1.2, 1.2), luff=(0.5, 1.45)
        )
        self.scene.add(boom, name=name)
        self.tip = boom.tip(name)
        self.scene.paint(self.tip[0], visual=looks.boom(BOOM, 1.2, looks.RED))
        self.add_luffing()

    def add_luffing(self) -> None:
        """What holds the boom: two pendants from its tip to a bridle, and six parts of rope on to the gantry."""
        head, gantry = self.head, self.middle + GANTRY
        along = (head - gantry) / np.linalg.norm(head - gantry)
        down = np.array((along[2], 0.0, -along[0]))
        place = gantry + REACH * along + self.sag() * down
        bridle = self.body(
            "bridle",
            BRIDLE,
            BRIDLE_MASS,
            place,
            orientation=from_axes(along, -down),
            collides=False,
            colour=looks.IRON,
        )
        for side, across in (("left", 0.5), ("right", -0.5)):
            ends = attach(bridle, (0.25, across, 0.0)), attach(self.tip[0], (0.5 * BOOM, across, 0.0))
            self.scene.connect(bridle, self.tip[0], Route(ends), name=f"{self.name}/{side}-pendant")
        spin = from_two_vectors(Z, Y)
        wheel = self.body(
            "luff-drum", Cylinder(0.35, 0.8), 900.0, self.middle + LUFF, orientation=spin, collides=False,
            visual=visuals.drum(0.35, 0.8),
        )  # fmt: skip
        motor = Motor(speed=0.0, max_force=5e4)
        self.scene.connect(self.works, wheel, Revolute(axis=Y, motor=motor), name=f"{self.name}/luff")
        self.scene.add_control(f"{self.name}/luff.speed", joint=f"{self.name}/luff", low=-1.0, high=1.0)
        rope = Reeving(
            upper=(self.works, GANTRY), lower=(bridle, (-0.25, 0.0, 0.0)), parts=6, radius=0.25, axis=(0.0, -1.0, 0.0),
            line=drum(wheel, radius=0.35, axis=Z, stored=40.0), efficiency=1.0,
        )  # fmt: skip
        self.scene.add(rope, name=f"{self.name}/luffing")

    @property
    def head(self) -> Array:
        """Where the tip of the boom is from the crane's middle on the ground, m."""
        return self.middle + ROOT + BOOM * np.array((np.cos(ANGLE), 0.0, np.sin(ANGLE)))

    def sag(self) -> float:
        """How far the bridle hangs below the line of its ropes as built: W / (T (1/a + 1/b)) across it, m."""
        span, foot = self.head - (self.middle + GANTRY), self.middle + ROOT
        length = float(np.linalg.norm(span))
        arm = self.head - foot
        on_tip = self.load + ROPE["mass_per_length"] * (self.head[2] - self.top)
        moment = GRAVITY * (0.5 * BOOM_MASS + on_tip) * arm[0]
        lever = abs(np.cross(arm, span / length)[1])
        across = GRAVITY * BRIDLE_MASS * span[0] / length
        return float(across / (moment / lever * (1.0 / REACH + 1.0 / (length - REACH))))

    def add_hoist(self, eyes: list[Any]) -> None:
        """Block and hook below the tip, and the winch; the hook holds the nearest of its eyes."""
        scene, name = self.scene, self.name
        distance, middle = self.head[2] - self.top, (self.head[0], 0.0, self.top - 0.5 * BLOCK.z)
        block = self.body("block", BLOCK, BLOCK_MASS, middle, "sling", visual=looks.block(BLOCK))
        hook = Hook(on=(block, (0.0, 0.0, -0.5 * BLOCK.z)), eyes=eyes, mass=HOOK_MASS, opening=OPENING, closed=True)
        scene.add(hook, name=f"{name}/sling/hook")
        scene.paint(f"{name}/sling/hook", colour=looks.RED)
        pull = GRAVITY * (self.load + 0.5 * ROPE["mass_per_length"] * distance)
        rope = Cable(
            to=(block, (0.0, 0.0, 0.5 * BLOCK.z)), length=distance / (1.0 + pull / ROPE["axial_stiffness"]),
            segment_length=SEGMENT, group=f"{name}/cable", **ROPE,
        )  # fmt: skip
        winch = Winch(
            rope=rope, exit=self.tip, drum=(self.works, HOIST), radius=0.4, width=0.9, stored=40.0, inertia=58.0,
            max_pull=1.2e5, max_speed=0.5, schedule=self.hoisting,
        )  # fmt: skip
        scene.add(winch, name=f"{name}/hoist")
        scene.paint(f"{name}/cable", colour=visuals.DARK)


def run_track(track: str, motor: str, simulation: Any, speed: float) -> None:
    """Run a track at a speed, m/s, by the motor behind its gear."""
    radius = simulation.part(track).handle.sizes["radius"]
    simulation.joint(motor).drive(GEAR * speed / radius)
