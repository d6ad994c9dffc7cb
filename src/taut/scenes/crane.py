"""A truck crane of 30 t on outriggers hoists a concrete pipe of 2 t on a cable of 70 kg that has mass [Lefebvre2020].

A single fall of wire rope, 22 segments of 3.18 kg under a carrier of 20 t, 6,300:1. The hook is let down onto the pipe
until the cable is slack, takes the ring of the sling with its latch and is drawn in; the legs of the sling become taut
and the pipe leaves its bearers. It is hoisted by 4 m, while the crane slews by 60 degrees, let down by 1.6 m and held.
All of that presses on four pads, and what hangs on a rope swings with

    T = 2 pi sqrt(l / g)        l = sum m r^2 / sum m r,  r from the head of the boom

The paper gives masses, mass ratio and rows, and that the hook touches the pipe within the first 5 s. Dimensions, story,
sling and latch are ours, and so is the boom of three sections, extended to 18 m, from where the cable has its 70 kg
when the hook stands on the pipe.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.machines.hook import Hook
from taut.machines.sling import Sling
from taut.machines.winch import Winch
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps
from taut.scenes import _crane_looks as looks
from taut.scenes import _crane_measures as measures
from taut.scenes._expect import expect, expect_below, expect_contacts, expect_near, expect_rows, gained
from taut.scenes._hoisting import HoistRecord, stretch_errors
from taut.scenes._ranges import within
from taut.scenes._truck_crane import add_hoist, add_truck, add_upper, head_as_built
from taut.shapes import Box, Capsule, Compound, Convex
from taut.spatial import Array, from_axis_angle, from_two_vectors

DURATION = 20.0
PICTURE = 13.0
FILM = (0.5, 18.5, 3.0)

BEHIND = np.pi
"""Where the boom points as built, rad from straight ahead."""
RADIUS, INSIDE, LENGTH, STAVES = 0.6, 0.49, 2.2, 12
"""Of the pipe, m, and how many plane staves it is made of."""
BEARER = Box(0.2, 1.5, 0.12)
"""What the pipe lies on, m."""
BLOCK, BLOCK_MASS, HOOK_MASS, OPENING = Capsule(0.16, 0.2), 40.0, 25.0, 0.14
"""Of the weight at the end of the cable and the hook under it: m, kg."""
RING, WIRE, RING_MASS, BESIDE = 0.16, 0.018, 5.0, 0.22
"""Of the ring that the hook takes: m, kg, and how far beside the hook it lies, m."""
LEG, APART, CLEAR = 1.3, 0.7, 0.5
"""Length of the legs of the sling, where they hold the pipe, from its middle, and room under the hook at first, m."""
LOADS, SLEWS = (500.0, 3000.0), (-90.0, 90.0)
"""That the crane lifts at this radius on all four pads, kg, and by which it slews here, degrees."""
STOCK = ((2.6, 0.0), (3.9, 0.0), (3.25, 1.06))
"""How far beside the pipe others lie, and how far above the ground, m."""
LIFT = (
    (0.5, 0.0), (0.9, 1.0), (2.0, 1.0), (2.3, 0.0), (2.4, 0.0), (2.8, -1.25), (4.1, -1.25), (4.8, -0.1), (5.9, -0.1),
    (6.7, -1.0), (9.7, -1.0), (10.7, 0.0), (15.5, 0.0), (16.3, 0.8), (17.5, 0.8), (18.3, 0.0),
)  # fmt: skip
"""When the rope has which speed, s and m/s: down to the pipe, in until the sling is taut, up, and down."""
LATCH = ((2.0, 0.0), (2.1, 1.0))
"""When the latch is closed, s."""
TURN = (8.2, 10.7, 15.2, 17.7)
"""When the crane begins to slew, has its full speed, loses it again and stands, s."""
LANDED, LIFTED, CARRIED, HELD = 5.0, 7.2, (11.0, 15.4), (18.5, DURATION)
"""Until when the hook touches the pipe, since when this hangs, when nothing is hoisted on the way, and at last, s."""


def build(load: float = 2000.0, slew: float = 60.0) -> Scene:
    """Build the crane `truck/carrier` ..., `crane/turntable` ..., and the pipe `load` on its bearers.

    Args:
        load: mass of the pipe, kg.
        slew: angle that the crane slews by, degrees.
    """
    owner = "scene 'crane'"
    mass, angle = within(owner, "load", load, LOADS, "kg"), within(owner, "slew", slew, SLEWS, "degrees")
    scene = Scene(friction=1.0)
    scene.add_plane()
    add_truck(scene)
    speed = np.radians(angle) / (TURN[2] - TURN[0])
    add_upper(scene, BEHIND, Ramps(*zip(TURN, (0.0, speed, speed, 0.0), strict=True)))
    x, y, _ = head_as_built(BEHIND)
    add_load(scene, mass, x, y)
    low = BEARER.z + 2.0 * RADIUS + CLEAR + 2.4 * OPENING  # the hook is 2.4 openings long
    half = 0.5 * BLOCK.length + BLOCK.radius
    scene.add_body(
        "crane/block", BLOCK, mass=BLOCK_MASS, position=(x, y, low + half), group="crane/hook-block",
        visual=looks.ball(BLOCK.radius),
    )  # fmt: skip
    hook = Hook(
        on=("crane/block", (0.0, 0.0, -half)), eyes=[("ring", (-RING, 0.0, 0.0))], mass=HOOK_MASS, opening=OPENING,
        schedule=Ramps(*LATCH),
    )  # fmt: skip
    scene.add(hook, name="crane/hook")
    scene.paint("crane/hook", colour=looks.RED)
    add_hoist(scene, BEHIND, ("crane/block", (0.0, 0.0, half)), Ramps(*LIFT))
    return scene


def add_load(scene: Scene, mass: float, x: float, y: float) -> None:
    """The pipe on its bearers, on it a ring with two legs to its anchors, and some more pipes beside it."""
    top = BEARER.z + 2.0 * RADIUS
    solid, look = pipe(), looks.pipe(RADIUS, INSIDE, LENGTH, APART)
    place = x, y, BEARER.z + RADIUS
    scene.add_body("load", solid, mass=mass, position=place, group="load/pipe", visual=look)
    for number, side in enumerate((-APART, APART), start=1):
        scene.add_body(
            f"bearer-{number}", bearer(), position=(x + side, y, 0.5 * BEARER.z), fixed=True, colour=looks.WOOD
        )
    scene.add_body(
        "ring", ring(), mass=RING_MASS, position=(x + BESIDE, y, top + WIRE), group="load/sling", colour=looks.DARK
    )
    for number, (beside, up) in enumerate(STOCK, start=1):
        place = x, y + beside, RADIUS + up
        scene.add_body(f"stock-{number}", solid, position=place, fixed=True, visual=look)
    anchors = [("load", (side, 0.0, RADIUS)) for side in (-APART, APART)]
    scene.add(Sling(eye=("ring", (RING, 0.0, 0.0)), to=anchors, length=LEG), name="sling")


def pipe() -> Compound:
    """Staves around the x axis, one of them flat below."""
    half = np.pi / STAVES
    corners = [
        (side * 0.5 * LENGTH, r / np.cos(half) * np.sin(turn), -r / np.cos(half) * np.cos(turn))
        for side in (-1.0, 1.0) for r in (INSIDE, RADIUS) for turn in (-half, half)
    ]  # fmt: skip
    turns = [from_axis_angle((1.0, 0.0, 0.0), 2.0 * half * number) for number in range(STAVES)]
    return Compound([(Convex(corners), (0.0, 0.0, 0.0), turn) for turn in turns])


def bearer() -> Compound:
    """A beam across, with wedges at both sides of the pipe, which do not touch it as long as it lies still."""
    flat, steep = RADIUS * np.tan(np.pi / STAVES) + 0.03, RADIUS * np.sin(np.pi / 3.0)
    corners = [(flat, 0.0), (steep + 0.1, 0.0), (steep + 0.1, 0.2)]
    wedge = Convex([(x, y, z) for x in (-0.5 * BEARER.x, 0.5 * BEARER.x) for y, z in corners])
    mirrored = Convex(np.array(wedge.points) * (1.0, -1.0, 1.0))
    top = (0.0, 0.0, 0.5 * BEARER.z)
    return Compound([(BEARER, (0.0, 0.0, 0.0)), (wedge, top), (mirrored, top)])


def ring(sides: int = 8) -> Compound:
    """A ring of rods around the z axis, so that RING is from its middle to the rods."""
    turns = 2.0 * np.pi * (np.arange(sides + 1) + 0.5) / sides
    corners: Array = RING / np.cos(np.pi / sides) * np.stack([np.cos(turns), np.sin(turns), 0.0 * turns], axis=1)
    ends = zip(corners[:-1], corners[1:], strict=True)
    edge = float(np.linalg.norm(corners[1] - corners[0]))
    return Compound([(Capsule(WIRE, edge), 0.5 * (a + b), from_two_vectors((0.0, 0.0, 1.0), b - a)) for a, b in ends])


def check(recording: Recording) -> None:
    """Joints hold to 20 um, bodies overlap by no more than 0.1 mm, and rows are those of the paper, to 15 %. All pads
    stand on the ground, the truck stays where it is, energy comes from the motors alone, and the rope that is out is
    what ran off the drum, stretched as EA says, to 1 %. The rope carries what hangs on it, the pads all there is; the
    pipe swings as its rope is long, and feels nothing of the segments that come and go. A fifth to two fifths of the
    rows are gone when it hangs.
    """
    expect_contacts(recording, penetration=1e-4, violation=2e-5)
    expect_rows(recording, 0.15, most=430)
    least = measures.on_ground(recording)[:, 1:].min()
    expect(least > 0.0, f"a pad is pressed with {least:.4g} N only")
    truck = recording.body("truck/carrier").position
    expect_near(recording, "the place of the truck in m", truck, truck[0], 1e-4)
    check_energy(recording)
    end = float(recording.time[-1])
    if end > LIFTED:
        check_spikes(recording)
    if end >= CARRIED[1]:
        check_carried(recording)
    if end >= DURATION - 1e-9:
        check_held(recording)


def check_energy(recording: Recording) -> None:
    """What motors and rope bring in is there, but for what is lost: 1 % of all that was done once the pipe hangs."""
    work = measures.work(recording)
    lost = work.sum(axis=0) + measures.carried(recording) - gained(recording)
    scale = measures.GRAVITY * recording.body("load").mass
    expect_below(recording, "energy gained beyond the work of the motors, in m of the load,", -lost / scale, 1e-3)
    done = np.abs(np.diff(work, axis=1, prepend=0.0)).sum(axis=0)
    hangs = recording.time >= LIFTED
    if hangs.any():
        share = (lost[hangs] - lost[hangs][0]) / (done[hangs].sum() + scale)
        expect(float(share.max()) < 0.01, f"{100.0 * share.max():.3g} % of the work is lost; at most 1 % is right")


def check_spikes(recording: Recording) -> None:
    """Spikes of the load's speed, which bounces on its rope, are below 0.3 % of the rope's once it hangs."""
    speed, spikes = recording.body("load").velocity[:, 2], np.zeros(len(recording))
    spikes[3:] = np.abs(np.diff(speed, n=3)) / 3.0  # a spike of one frame is three times as large there
    most = 3e-3 * max(abs(speed) for _, speed in LIFT)
    expect_below(recording, "spike of the load's speed in m/s", np.where(recording.time > LIFTED, spikes, 0.0), most)


def check_carried(recording: Recording) -> None:
    """While it is carried about the pipe is high up, swings as its rope is long, and is all that rope and pads hold."""
    first, last = span = measures.frames(recording, *CARRIED)
    height = recording.body("load").position[:, 2]
    hoisted = float(height[first:last].min() - height[0])
    expect(3.5 < hoisted < 4.5, f"the pipe is hoisted by {hoisted:.3g} m; 4 m is right")
    check_forces(recording, span)
    found, right = measures.period(recording, span)
    expect(abs(found / right - 1.0) < 0.01, f"the pipe swings in {found:.4g} s; {right:.4g} s is right")
    rows = recording.column("rows")
    fall = 1.0 - rows[last] / rows[recording.time < LANDED].max()
    expect(0.2 < fall < 0.4, f"{100.0 * fall:.3g} % of the rows are gone with the pipe in the air; 20 to 40 is right")


def check_held(recording: Recording) -> None:
    """At last it is held, turned by what was asked. Ever since it hung its rope was stretched as EA says, to 1 %; at
    rest what is out is then what ran off the drum.
    """
    check_forces(recording, measures.frames(recording, *HELD))
    turned, asked = recording.joint("crane/slew/hinge").position, float(recording.info.parameters["slew"])
    assert turned is not None
    angle = float(np.degrees(turned[-1, 0]))
    expect(abs(angle - asked) < 0.1, f"the crane slewed by {angle:.4g} degrees; {asked:.4g} is right")
    rope = HoistRecord(recording, "crane/winch", hoist_of(recording.info.parameters))
    weight = measures.GRAVITY * sum(recording.body(name).mass for name in measures.LOAD)
    errors = np.where(recording.time >= LIFTED, stretch_errors(rope, weight), 0.0)
    expect_near(recording, "the stretch of the rope, as a share of that at rest", errors, 0.0, 0.01)
    off = np.where(recording.time >= HELD[0], rope.length - rope.stretch - rope.run_off, 0.0)
    expect_near(recording, "the rope that is out in m", off, 0.0, 1e-6)


def hoist_of(parameters: dict[str, Any]) -> Winch:
    """The winch of a scene with these parameters."""
    part = build(**parameters).parts["crane/winch"].part
    assert isinstance(part, Winch)
    return part


def check_forces(recording: Recording, span: tuple[int, int]) -> None:
    """On the mean the rope carries what hangs on it, to 0.5 %, and pads carry all there is, to 0.1 %."""
    first, last = span
    mass, momentum = measures.hanging(recording)
    moving = recording.momentum[:, 0, 2]
    weighed = (
        ("rope", measures.rope_force(recording)[:, 2], mass[last], momentum, 5e-3),
        ("pads", measures.on_ground(recording).sum(axis=0), measures.whole(recording, last), moving, 1e-3),
    )
    for name, force, kilograms, up, share in weighed:
        found, right = force[first + 1 : last + 1].mean(), measures.mean_force(recording, kilograms, up, span)
        expect(abs(found / right - 1.0) < share, f"the {name} carry {found:.5g} N; {right:.5g} N is right")
