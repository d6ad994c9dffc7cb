"""Two crawler cranes of 75 t carry a pipe of 3.5 t in slings, in which it slides, and walk with it [Peiret2019].

Each crane has two tracks of 40 shoes around sprocket, idler and rollers, driven by motors through gears; car body,
slewing ring, upper works and a lattice boom on pendants and a luffing rope; a hoist rope of 42 segments, which stands
for two parts, block and hook. 333 bodies, 2,200 rows, 25,000:1. Groups are what the paper makes partitions of:
`west/left` and `west/right`, the tracks with 49 bodies each, `west/cable` with 42, and `west/works` and `west/sling`
with 26 together; so `east/...`, and the pipe, `load`.

A push brings the pipe to 0.6 m/s along its axis. It takes its slings along until they lean so far that it slides in
them. The belt of a sling whose legs lean by a to each side lies around the pipe by 2 (pi/2 + a), and its tension
presses it on all the way round, so that with the coefficient mu it brakes the pipe with

    mu_eff = mu (pi/2 + a) / cos(a)

of the weight that it carries. Then pipe and hooks swing on 17 m of rope, the cranes walk 1.5 m in step, and the eastern
one hoists its end by 0.4 m: the pipe leans by more than mu_eff and slides, until the crane has lowered it again. Each
hook carries what the lever rule says. The paper gives masses, counts of bodies and that the pipe slides; all else is
ours, also the friction, that of PTFE: with a usual one slings on hooks of half a ton go with the pipe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks
from taut.machines.base import own_direction
from taut.machines.cable import Cable
from taut.machines.sling import Sling
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps
from taut.scenes import _crawler_looks as looks
from taut.scenes._crawler import BLOCK, BLOCK_MASS, HOOK_MASS, OPENING, Crawler
from taut.scenes._expect import expect, expect_below, expect_contacts, expect_near
from taut.scenes._tandem_checks import (
    CRANES,
    check_energy,
    check_loads,
    check_slide,
    check_walk,
    pipe_axis,
    sling_of,
)
from taut.shapes import Cylinder
from taut.spatial import Array, from_two_vectors

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation

DURATION = 20.0
PICTURE, FOLLOW = 15.5, "pipe"
FILM = (0.5, 18.5, 3.0)

PIPE, PIPE_MASS, INNER = Cylinder(0.5, 12.0), 3500.0, 0.488
"""Outer radius and length, m; mass, kg; inner radius, m."""
APART, HEIGHT, DROP = 8.0, 8.0, 2.4
"""Between the slings, of the pipe's axis, and from the eye of a sling down to there, m."""
BELT: dict[str, Any] = {
    "segments": 14, "diameter": 0.06, "mass_per_length": 6.0, "axial_stiffness": 1e7, "bending_stiffness": 100.0,
    "torsional_stiffness": 400.0,
}  # fmt: skip
BAR, LEG, LINK, LINK_MASS = 0.3, 5e6, 0.1, 12.0
"""Length of the bar at each end of a belt, from which two legs go up, m; EA of a leg, N; height above the eye, m, and
mass of the link that the hook holds, kg."""
RIGGING = LINK + 2.0 * OPENING + BLOCK.z
"""From the eye up to the top of the block, m."""
PUSH = (0.8, 1.0, 1.2)
"""When the push begins, is largest and ends, s."""
WALK = ((3.0, 0.0), (4.5, 0.25), (9.0, 0.25), (10.5, 0.0))
"""Speed of all tracks, (s, m/s)."""
HOIST = ((12.0, 0.0), (13.0, -0.2), (14.0, -0.2), (15.0, 0.0), (16.0, 0.0), (17.0, 0.2), (18.0, 0.2), (19.0, 0.0))
"""Speed of the eastern hoist rope, (s, m/s): negative hauls in."""
LEAN = 2e-3
"""By which the pipe may lean otherwise than its ends are hoisted, rad."""
ORANGE = (0.95, 0.45, 0.1)
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def build(speed: float = 0.6, friction: float = 0.02) -> Scene:
    """Build the cranes `east` and `west` and the pipe `pipe`.

    Args:
        speed: that the pipe is pushed to along its axis, m/s.
        friction: between the pipe and its slings.
    """
    owner = "scene 'tandem_cranes'"
    speed, friction = checks.number(owner, "speed", speed), checks.number(owner, "friction", friction, at_least=0.0)
    scene = Scene(friction=0.8)
    scene.add_plane()
    driving, hoisting = Ramps(*WALK), {"west": Ramps((0.0, 0.0), (DURATION, 0.0)), "east": Ramps(*HOIST)}
    load = 0.5 * PIPE_MASS + sling_mass() + BLOCK_MASS + HOOK_MASS
    for name, y in (("west", 0.5 * APART), ("east", -0.5 * APART)):
        crane = Crawler(scene, name, y, driving, hoisting[name], load, HEIGHT + DROP + RIGGING)
        x = crane.head[0]
        if name == "west":
            add_pipe(scene, x, speed, friction)
        hang(scene, crane, np.array((x, y, HEIGHT)), friction)
    return scene


def add_pipe(scene: Scene, x: float, speed: float, friction: float) -> None:
    """The pipe, and what pushes it."""
    outer, inner = PIPE.radius**2, INNER**2
    across = PIPE_MASS * (3.0 * (outer + inner) + PIPE.length**2) / 12.0
    scene.add_body(
        "pipe", PIPE, mass=PIPE_MASS, inertia=(across, across, 0.5 * PIPE_MASS * (outer + inner)),
        position=(x, 0.0, HEIGHT), orientation=from_two_vectors(Z, Y), friction=friction, group="load",
        visual=looks.pipe(PIPE.radius, PIPE.length, INNER),
    )  # fmt: skip
    most = max(5e4, abs(pusher(speed)(PUSH[1])))
    scene.add_control("pipe.push", act=push, low=-most, high=most, unit="N", schedule=pusher(speed))


def pusher(speed: float) -> Ramps:
    """Force over time that brings the pipe to a speed, m/s, if nothing holds it."""
    force = PIPE_MASS * speed / (0.5 * (PUSH[2] - PUSH[0]))
    return Ramps((PUSH[0], 0.0), (PUSH[1], force), (PUSH[2], 0.0))


def push(simulation: Simulation, force: float) -> None:
    """Push the pipe along its axis, N."""
    simulation.body("pipe").apply(force=(0.0, force, 0.0))


def wrap() -> float:
    """Half the angle that a belt lies around the pipe, rad."""
    return float(np.pi - np.arccos((PIPE.radius + 0.5 * BELT["diameter"]) / DROP))


def capstan(friction: float) -> float:
    """mu_eff: the force on a pipe that slides in slings over its weight, with the coefficient `friction`."""
    half = wrap()
    return friction * half / np.sin(half)


def rim() -> tuple[Array, float]:
    """Angles (segments - 1,) from below of the corners that a belt has around the pipe, rad, and how far out, m."""
    turn = np.linspace(-wrap(), wrap(), BELT["segments"] - 1)
    return turn, float((PIPE.radius + 0.5 * BELT["diameter"]) / np.cos(0.5 * (turn[1] - turn[0])))


def segment_length() -> float:
    """Length of a segment of a belt, m."""
    turn, radius = rim()
    return float(2.0 * radius * np.sin(0.5 * (turn[1] - turn[0])))


def sling_mass() -> float:
    """Mass below a hook without the pipe, kg."""
    return LINK_MASS + float(BELT["mass_per_length"] * BELT["segments"] * segment_length())


def belt_around() -> Array:
    """Corners (segments + 1, 3) of a belt around the pipe, from its middle: the last segments lead up to the eye."""
    turn, radius = rim()
    arc = radius * np.column_stack([np.sin(turn), np.zeros_like(turn), -np.cos(turn)])
    eye = np.array((0.0, 0.0, DROP))
    ends = [end + segment_length() * (eye - end) / np.linalg.norm(eye - end) for end in (arc[0], arc[-1])]
    return np.vstack([ends[0], arc, ends[1]])


def hang(scene: Scene, crane: Crawler, place: Array, friction: float) -> None:
    """Sling and hook that hold the pipe at a place of its axis (3,), m."""
    name = crane.name
    corners = place + belt_around()
    points = [tuple(point) for point in corners[1:-1]]
    belt = Cable(start=corners[0], end=corners[-1], points=points, friction=friction, group=f"{name}/sling", **BELT)
    scene.add(belt, name=f"{name}/belt")
    for number in range(BELT["segments"]):
        scene.paint(f"{name}/belt/{number + 1}", colour=ORANGE)
    eye = place + (0.0, 0.0, DROP + LINK)
    link = scene.add_body(
        f"{name}/link", Cylinder(0.12, 0.04), mass=LINK_MASS, position=eye, collides=False, group=f"{name}/sling"
    )
    half = 0.5 * scene.parts[f"{name}/belt"].sizes["segment"]
    for side, across in (("front", 0.5 * BAR), ("back", -0.5 * BAR)):
        ends = [
            (body, (0.0, 0.0, end) + across * own_direction(scene, body, Y))
            for body, end in ((f"{name}/belt/1", -half), (f"{name}/belt/{BELT['segments']}", half))
        ]
        scene.add(Sling(eye=(link, (0.0, across, -LINK)), to=ends, axial_stiffness=LEG), name=f"{name}/{side}-legs")
    crane.add_hoist([link])


def check(recording: Recording) -> None:
    """Joints hold to 20 um and nothing overlaps by more than 0.5 mm. The hooks carry the weight to 0.5 %, and share it
    as levers do to 1 %. Slings brake the pipe that slides with mu_eff, to 10 %, and it stays in them. Cranes walk in
    step, as far as their tracks run, to 2 cm; tracks pull in every pin. The pipe leans as one end is hoisted, to 0.1
    degrees. Energy rises by the work of motors alone, and at the end the pipe has slid.
    """
    expect_contacts(recording, penetration=5e-4, violation=2e-5)
    time, parameters = recording.time, recording.info.parameters
    slings = {name: sling_of(recording, name, BELT["segments"], 0.5 * BELT["diameter"]) for name in CRANES}
    for name, sling in slings.items():
        expect_below(recording, f"way of the {name} sling along the pipe in m", abs(sling.place), 0.5 * PIPE.length)
    pushing = np.array([pusher(float(parameters["speed"]))(at) for at in time])
    check_loads(recording, slings, PIPE_MASS, sling_mass(), HOIST[0][0])
    friction = capstan(float(parameters["friction"]))
    check_slide(recording, slings, pushing, PIPE_MASS, friction)
    way = integral(recording, WALK)
    for name in CRANES:
        check_walk(recording, name, way)
    lean = -integral(recording, HOIST) / APART
    expect_near(recording, "lean of the pipe", np.where(time > 1.0, pipe_axis(recording)[:, 2], 0.0), -lean, LEAN)
    check_energy(recording, pushing)
    if time[-1] >= DURATION - 1e-9 and friction < 0.9 * lean.max():
        slid = [float(np.ptp(sling.place)) for sling in slings.values()]
        expect(min(slid) > 0.1, f"the pipe slid by {min(slid):.3g} m only, though it leant by more than its friction")


def integral(recording: Recording, points: Any) -> Array:
    """What a speed that follows ramps from point to point adds up to (frames,), m."""
    schedule = Ramps(*points)
    speed = np.array([schedule(at) for at in recording.time])
    return np.asarray(np.cumsum(speed * np.diff(recording.time, prepend=recording.time[0])))
