"""A crane of 50 t on a ship of 5,500 t in a beam sea lifts a module of 15 t over the side, 4,400,000:1 [Lefebvre2020].

The heaviest body is the hull of 4,380 t, the lightest one a segment of the hoist rope, 0.99 kg. A knuckle-boom crane,
whose cylinders have barrels and rods, lifts the module off the deck and slews it outboard: it slides along the bulwark
for two seconds, friction being 1, until it is hoisted over it, swings out and is lowered beside the hull, against which
the sea throws it. The rope of 26 mm stretches, bends and twists as steel wire rope does; its segments come off the
drum and go back onto it. The ship floats on six springs and is tilted by the crane and the waves.

The paper gives masses, mass ratio, friction and that the module slides on the hull. Its ship and crane would be more
than 5 million times a segment of less than 1 kg; so the hull has two tanks of 535 t fixed to it. Dimensions, sea and
story are ours. Water, 12 m deep, carries the ship, but does nothing to the module, which stays above it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut import checks
from taut.machines.sling import Sling
from taut.machines.winch import Winch
from taut.results.record import Recording
from taut.scene.looks import Piece
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps
from taut.scenes._expect import expect, expect_below, expect_contacts, expect_near, expect_rows, gained, torque_about
from taut.scenes._hoisting import HoistRecord, held_for, stretch_errors
from taut.scenes._knuckle_boom import ANGLES, KnuckleBoomCrane, hook_block
from taut.scenes._ship import DECK, GRAVITY, SIDE, ShipRecord, add_hull, add_sea, float_up
from taut.shapes import Box, Compound
from taut.spatial import Array, rotate_each

DURATION = 20.0
PICTURE = 15.3
FILM = (4.0, 18.0, 2.0)

MODULE, SKID = Box(3.0, 2.5, 2.5), Box(3.0, 0.3, 0.3)
"""Sizes over all, and of the two beams that it stands on, m."""
HOOK, HOOK_MASS = Box(0.35, 0.35, 0.8), 180.0
LUG, SLING, SLACK = (1.3, 1.05), 2.0, 0.05
"""Where the legs of the sling are on the module, how high their eye is above it, and how much too long they are, m."""
FOOT, START = (-14.0, 2.0), np.radians(-35.0)
"""Where the crane is on deck, m, and where it points at the start, from ahead to starboard, rad."""
HOIST = Ramps(
    (0.5, 0.0), (0.8, -0.1), (1.9, -0.1), (2.4, -0.3), (2.9, -0.3), (3.4, 0.0), (7.0, 0.0), (7.6, -0.7), (9.0, -0.7),
    (9.6, 0.0), (10.8, 0.0), (12.0, 1.2), (14.9, 1.2), (15.9, 0.0),
)  # fmt: skip
FASTEST = 1.2
SLEW = Ramps(
    (2.5, 0.0), (3.5, -0.09), (5.0, -0.09), (6.0, -0.025), (8.0, -0.025), (9.5, -0.085), (11.2, -0.085), (12.2, 0.0)
)
"""Speed of the rope, m/s, and the greatest of it, and speed of the slewing ring, rad/s."""
SCHEDULES = {
    "winch": HOIST, "slew": SLEW, "main": Ramps((12.0, ANGLES[0]), (16.0, ANGLES[0] + 0.02)),
    "knuckle": Ramps((12.0, ANGLES[1]), (16.0, ANGLES[1] - 0.03)),
}  # fmt: skip
ABOARD, OUTBOARD, LOWERED = (5.0, 9.5), 12.0, 16.0
"""When the module slides along the bulwark, and from when on it is outside, and low, s."""
WINDOW, SLIPS = 0.5, 0.05
"""s over which forces are averaged, and m/s from which on a contact slides."""
PULL_WITHIN = 0.03
"""Share of what hangs on the rope by which its pull may be off."""
PAINT, DARK, Z = (0.93, 0.42, 0.10), (0.25, 0.26, 0.28), (0.0, 0.0, 1.0)


def build(load: float = 15e3, wave: float = 0.4, period: float = 9.0, friction: float = 1.0) -> Scene:
    """Build the ship `hull`, its crane, and the body `module` on deck, in the slings of `hook`.

    Args:
        load: mass of the module, kg.
        wave: height of the waves, m.
        period: of the waves, s.
        friction: of all that touches.
    """
    owner = "scene 'offshore'"
    load, period = checks.number(owner, "load", load, above=0.0), checks.number(owner, "period", period, above=0.0)
    wave = checks.number(owner, "wave", wave, at_least=0.0)
    scene = Scene(friction=friction)
    add_hull(scene)
    crane = KnuckleBoomCrane(scene, "hull", np.array((*FOOT, DECK)), START, SCHEDULES)
    x, y, top = crane.tip.tolist()
    add_module(scene, load, x, y)
    eye = DECK + MODULE.z + SLING
    middle = (x, y, eye + 0.5 * HOOK.z)
    scene.add_body("hook", HOOK, mass=HOOK_MASS, position=middle, group="load", visual=hook_block())
    leg = np.sqrt(SLING**2 + LUG[0] ** 2 + LUG[1] ** 2) + SLACK
    lugs = [("module", (a * LUG[0], b * LUG[1], 0.5 * MODULE.z)) for a in (-1, 1) for b in (-1, 1)]
    sling = Sling(eye=("hook", (0.0, 0.0, -0.5 * HOOK.z)), to=lugs, length=leg, axial_stiffness=3e7, damping=2e4)
    scene.add(sling, name="sling")
    crane.add_winch(("hook", (0.0, 0.0, 0.5 * HOOK.z)), top - eye - HOOK.z)
    float_up(scene)
    add_sea(scene, wave, period)
    return scene


def add_module(scene: Scene, mass: float, x: float, y: float) -> None:
    """A box on two skids on deck, its centre of mass in its middle."""
    box = Box(MODULE.x, MODULE.y, MODULE.z - SKID.z)
    skids = [(SKID, (0.0, side * 0.95, 0.5 * (SKID.z - MODULE.z))) for side in (-1.0, 1.0)]
    inside = Box(MODULE.x - 0.3, MODULE.y - 0.3, box.z - 0.3)
    bars = [
        Piece(Box(0.2, 0.2, box.z), (a * (0.5 * MODULE.x - 0.1), b * (0.5 * MODULE.y - 0.1), 0.5 * SKID.z))
        for a in (-1, 1) for b in (-1, 1)
    ]  # fmt: skip
    rims = [Piece(Box(MODULE.x, MODULE.y, 0.2), (0.0, 0.0, z)) for z in (0.5 * (MODULE.z - 0.2), -0.5 * box.z + 0.3)]
    tanks = [Piece(inside, (0.0, 0.0, 0.5 * SKID.z), colour=(0.92, 0.80, 0.25))]
    feet = [Piece(*skid, colour=DARK) for skid in skids]
    scene.add_body(
        "module", Compound([(box, (0.0, 0.0, 0.5 * SKID.z)), *skids]), mass=mass, com=(0.0, 0.0, 0.0),
        inertia=mass * MODULE.unit_inertia, position=(x, y, DECK + 0.5 * MODULE.z), group="load",
        visual=[*tanks, *bars, *rims, *feet], colour=PAINT,
    )  # fmt: skip


def check(recording: Recording) -> None:
    """Joints hold to 1e-6 m, nothing overlaps by more than 2 mm, and energy rises by motors and waves alone.

    The rope is longer than what ran off the drum by what EA makes of its tension, to 2 %, and pulls as what hangs on it
    is heavy and accelerated, to 3 % in every half second in which that touches nothing. No segment that comes or goes
    is felt by the module with more than 2 % of the rope's speed. It slides along the bulwark for 1.5 s or more and is
    held back with mu N, to 2 % in the median; in the end it hangs over the side. In the last period of the waves the
    mean draught is what it was, to 1 mm, and the mean heel is the moment of what is aboard over what rights the ship,
    to 5 %.
    """
    expect_contacts(recording, penetration=2e-3, violation=1e-6)
    parameters = recording.info.parameters
    ship = ShipRecord(recording, float(parameters["wave"]), float(parameters["period"]))
    rope, slide = HoistRecord(recording, "winch", hoist_of(parameters)), Slide(recording)
    check_energy(recording, ship)
    check_rope(recording, rope)
    check_load(recording, rope, slide)
    if recording.time[-1] < DURATION - 1e-9:
        return
    expect_rows(recording, 0.15, most=350)
    slide.check(recording, float(parameters["friction"]))
    place = recording.body("module").position
    outside = bool((place[recording.time > OUTBOARD, 1] < -SIDE).all())
    expect(outside, "the module is not outside the hull in the end")
    low = float(place[recording.time > LOWERED, 2].mean())
    expect(low < DECK, f"the module is {low:.3g} m high in the end, above the deck")
    end, start = len(recording) - 1, int(np.searchsorted(recording.time, DURATION - float(parameters["period"]) - 1e-9))
    height, right = ship.mean_height(start, end)
    expect(abs(height - right) < 1e-3, f"the ship is {height:.4g} m high on average; {right:.4g} m is right")
    heel, right = ship.mean_heel(start, end)
    expect(abs(heel / right - 1.0) < 0.05, f"the ship heels by {heel:.4g} rad on average; {right:.4g} rad is right")


def hoist_of(parameters: dict[str, Any]) -> Winch:
    """The winch of a scene with these parameters."""
    part = build(**parameters).parts["winch"].part
    assert isinstance(part, Winch)
    return part


def check_energy(recording: Recording, ship: ShipRecord) -> None:
    """Energy less the work of winch, slewing ring, cylinders, water and buoyancy never rises by more than 0.1 % of what
    lifting the module by 5 m takes.
    """
    given = ship.work()
    for joint, body in (("winch/hinge", "winch/drum"), ("slew/hinge", "frame")):
        given += worked(recording, joint, torque_about(recording, joint, body, Z))
    for boom in ("main", "knuckle"):
        joint, rod = f"{boom}/cylinder/motor", recording.body(f"{boom}/cylinder/rod")
        push = np.sum(
            reaction(recording, joint)[:, :3] * rotate_each(rod.orientation, np.tile(Z, (len(recording), 1))), 1
        )
        given += worked(recording, joint, push)
    left = gained(recording) - given
    scale = 5.0 * GRAVITY * recording.body("module").mass
    risen = (left - np.minimum.accumulate(left)) / scale
    expect_below(recording, "energy gained beyond the work of motors and sea, as a share", risen, 1e-3)


def worked(recording: Recording, joint: str, force: Array) -> Array:
    """Work (frames,) of a force or torque along the first coordinate of a joint, J."""
    place = recording.joint(joint).position
    assert place is not None
    return np.append(0.0, np.cumsum(force[1:] * np.diff(place[:, 0])))


def reaction(recording: Recording, joint: str) -> Array:
    """Force and torque (frames, 6) of a joint."""
    found = recording.joint(joint).reaction
    assert found is not None
    return found


def check_rope(recording: Recording, rope: HoistRecord) -> None:
    """Where the rope is taut it is as long as EA says, to 2 % of what the module at rest stretches it by."""
    share = stretch_errors(rope, GRAVITY * (recording.body("module").mass + HOOK_MASS))
    expect_near(recording, "the stretch of the rope, as a share of that at rest", share, 0.0, 0.02)


def check_load(recording: Recording, rope: HoistRecord, sliding: Slide) -> None:
    """Where it touches nothing, the rope pulls as it must, and segments that come or go are not felt."""
    momentum, weight = np.zeros((len(recording), 3)), 0.0
    for body in map(recording.body, ("module", "hook")):
        momentum, weight = momentum + body.mass * body.velocity, weight + GRAVITY * body.mass
    step, count = recording.info.step, round(WINDOW / recording.info.step)
    alone = held_for(~sliding.near, count)
    pulled = np.cumsum(rope.pull, axis=0) * step
    missed = momentum[count:] - momentum[:-count] - (pulled[count:] - pulled[:-count])
    missed[:, 2] += weight * WINDOW
    share = np.zeros(len(recording))
    share[count:] = np.linalg.norm(missed, axis=1) / (weight * WINDOW)
    expect_below(recording, "error of the pull of the rope, as a share of the weight", share * alone, PULL_WITHIN)
    spikes = np.zeros(len(recording))
    spikes[3:] = np.linalg.norm(np.diff(recording.body("module").velocity, n=3, axis=0), axis=1) / 3.0
    felt = np.zeros(len(recording), bool)
    for event in recording.events:
        felt[round(event.time / step) :][:4] = event.kind == "spooled"
    expect_below(recording, "spike of the module's speed at a segment, in m/s", spikes * felt * alone, 0.02 * FASTEST)


class Slide:
    """Where the module touches something, and how friction holds it back where it slides.

    Attributes:
        touches: frames (frames,) in which it does; near: those and the four around them.
        friction, normal: forces (frames,) against its way and into it of all points that slide, N.
    """

    def __init__(self, recording: Recording) -> None:
        """Read all contacts."""
        count = len(recording)
        self.touches, self.friction, self.normal = np.zeros(count, bool), np.zeros(count), np.zeros(count)
        for frame in range(count):
            points = recording.contacts(frame).of("module")
            self.touches[frame] = len(points) > 0
            speed = np.linalg.norm(points.slip, axis=1)
            for point in np.flatnonzero(speed > SLIPS):
                self.friction[frame] -= points.force[point] @ points.slip[point] / speed[point]
                self.normal[frame] += points.normal_force[point]
        self.near = np.convolve(self.touches, np.ones(9), "same") > 0.5

    def check(self, recording: Recording, coefficient: float) -> None:
        """It slides along the bulwark for 1.5 s, held back with mu N."""
        aboard = (recording.time > ABOARD[0]) & (recording.time < ABOARD[1])
        for_long = float(np.count_nonzero(self.touches & aboard)) * recording.info.step
        expect(for_long > 1.5, f"the module is at the bulwark for {for_long:.3g} s; more than 1.5 s is right")
        slides = aboard & (self.normal > 0.0)
        found = float(np.median(self.friction[slides] / self.normal[slides]))
        text = f"friction at the bulwark is {found:.4g} of the normal force; {coefficient:.4g} is right"
        expect(bool(abs(found - coefficient) <= max(0.02 * coefficient, 1e-6)), text)
