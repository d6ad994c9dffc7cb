"""A net that carries a crate is cut cord by cord, and tears on by itself where what is left is overloaded.

8 x 8 knots of 0.2 kg, 0.3 m apart, with cords between neighbours and from the outer knots to a frame. Cords are springs
of 100 N/mm that bear 2 kN. A crate of 300 kg hangs by four slings from the knots in the middle, which eight cords hold,
some 1.3 kN in each. From 1 s on four of them are cut, one every 0.3 s. The crate sags and swings away from the hole.
After the third cut the cord that is left on that side carries too much and breaks; from there on the net opens by
itself, and the crate falls. Cutting gives no energy: what a cord has stored is gone with it. Dimensions are ours.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.results.events import Broken, Cut
from taut.results.record import Recording
from taut.scene.controls import NUMBER
from taut.scene.scene import WORLD, Scene
from taut.scenes._expect import expect, expect_below, expect_contacts
from taut.shapes import Box, Sphere
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation

DURATION = 4.0
PICTURE = 2.0

MESH, KNOT, KNOT_MASS = 0.3, Sphere(0.03), 0.2
"""m, shape and kg."""
HEIGHT, SAG = 4.0, 0.6
"""Of the frame above the ground, and of the middle of the net below the frame at the start, m."""
STIFFNESS, LAG, STRENGTH = 1e5, 0.01, 2e3
"""Of a cord: N/m, damping over stiffness in s, and what it bears, N."""
EDGE, SLING = 0.5, 1.0
"""Of the crate, and its depth under the knots that it hangs from, m."""
START, PAUSE = 1.0, 0.3
"""When the first cord is cut, and time to the next one, s."""
HEAVY, LIGHT = 300.0, 100.0
"""Crates from here on tear the net, and up to here do not, kg."""


def build(knots: int = 8, load: float = 300.0) -> Scene:
    """Build the net with knots `knot-1-1` ... and the crate `load`.

    Args:
        knots: along a side, an even number from 4 on.
        load: mass of the crate, kg.
    """
    count = int(checks.number("scene 'cut_net'", "knots", knots, at_least=4))
    if count % 2:
        raise InputError(f"scene 'cut_net': knots is {count}; it must be an even number")
    scene = Scene(friction=0.4)
    scene.add_plane()
    inner = range(1, count + 1)
    for i in inner:
        for j in inner:
            scene.add_body(f"knot-{i}-{j}", KNOT, mass=KNOT_MASS, position=place(i, j, count), group="net")
    for i in range(count + 1):
        for j in inner:
            add_cord(scene, (i, j), (i + 1, j), count)
            add_cord(scene, (j, i), (j, i + 1), count)
    scene.ignore_contacts("net", "net")
    add_load(scene, count, load)
    cords = cords_to_cut(count)
    times = tuple(START + PAUSE * number for number in range(len(cords)))
    schedule = partial(cuts_until, times)
    scene.add_control("cuts", act=partial(cut, cords), high=len(cords), unit=NUMBER, schedule=schedule)
    return scene


def place(i: int, j: int, count: int) -> Array:
    """Where a knot is at the start, or the end of a cord at the frame (numbers 0 and count + 1), m."""
    half = 0.5 * (count + 1)
    share = max(abs(i - half), abs(j - half)) / half
    return np.array([(i - half) * MESH, (j - half) * MESH, HEIGHT - SAG * (1.0 - share)])


def cord_name(start: tuple[int, int], end: tuple[int, int]) -> str:
    """Name of the cord between two places."""
    return f"cord-{start[0]}-{start[1]}-{end[0]}-{end[1]}"


def add_cord(scene: Scene, start: tuple[int, int], end: tuple[int, int], count: int) -> None:
    """Add a cord between two knots, or a knot and the frame, at rest length."""
    (a, point_a), (b, point_b) = (
        (f"knot-{i}-{j}", np.zeros(3)) if 0 < i <= count and 0 < j <= count else (WORLD, place(i, j, count))
        for i, j in (start, end)
    )
    scene.add_spring(
        a, b, point_a, point_b, STIFFNESS, LAG * STIFFNESS, name=cord_name(start, end), break_force=STRENGTH
    )


def add_load(scene: Scene, count: int, mass: float) -> None:
    """Hang the crate from the four knots in the middle, by slings as stiff as cords."""
    low, high = count // 2, count // 2 + 1
    top = place(low, low, count)[2] - SLING
    scene.add_body("load", Box(EDGE, EDGE, EDGE), mass=mass, position=(0.0, 0.0, top - 0.5 * EDGE))
    for i, x in ((low, -0.5), (high, 0.5)):
        for j, y in ((low, -0.5), (high, 0.5)):
            scene.add_spring(
                f"knot-{i}-{j}", "load", point_b=(x * EDGE, y * EDGE, 0.5 * EDGE), stiffness=STIFFNESS,
                damping=LAG * STIFFNESS, name=f"sling-{i}-{j}",
            )  # fmt: skip


def cords_to_cut(count: int) -> tuple[str, ...]:
    """Names of the cords that are cut, in order: those on one side of the middle, then one on either flank."""
    low, high = count // 2, count // 2 + 1
    ends = [
        ((low - 1, low), (low, low)), ((low - 1, high), (low, high)), ((low, low - 1), (low, low)),
        ((low, high), (low, high + 1)),
    ]  # fmt: skip
    return tuple(cord_name(*each) for each in ends)


def cuts_until(times: tuple[float, ...], time: float) -> float:
    """How many cords are cut by a time, s."""
    return float(bisect_right(times, time))


def cut(cords: tuple[str, ...], simulation: Simulation, number: float) -> None:
    """Cut the cord with this number, from 1, unless it is torn; 0 cuts none."""
    name = cords[int(number) - 1]
    if number >= 1.0 and name in simulation.meter.names:
        with simulation.edit() as edit:
            edit.cut(name)


def check(recording: Recording) -> None:
    """Every frame is solved and energy does not rise by more than 5e-4 of the crate's; cords are cut when they must be,
    others break above what they bear, under 300 kg none before two are cut; a crate of 300 kg falls, one of 100 kg
    hangs on.
    """
    expect_contacts(recording, penetration=5e-3)
    count, load = int(recording.info.parameters["knots"]), float(recording.info.parameters["load"])
    step, time = recording.info.step, recording.time
    expect_below(
        recording, "energy gained in J", np.diff(recording.energy, prepend=np.inf), 5e-4 * load * 9.81 * HEIGHT
    )
    known = {event.name: event for event in recording.events}
    for number, name in enumerate(cords_to_cut(count)):
        due, event = START + PAUSE * number, known.get(name)
        if time[-1] < due + step or isinstance(event, Broken):
            continue
        expect(isinstance(event, Cut), f"{name} was not cut at {due:g} s")
        assert event is not None
        expect(due - 1.5 * step < event.time < due + step, f"{name} was cut at {event.time:.4g} s; {due:g} s is right")
    for event in recording.events:
        if isinstance(event, Broken):
            expect(event.force > STRENGTH, f"{event.name} broke at {event.force:.4g} N; it bears {STRENGTH:g} N")
            early = load <= HEAVY and event.time <= START + PAUSE
            expect(not early, f"{event.name} broke at {event.time:.4g} s, before two cords were cut")
    torn, height = sum(isinstance(event, Broken) for event in recording.events), recording.body("load").position[-1, 2]
    if load >= HEAVY and time[-1] > START + 8.0 * PAUSE:
        expect(torn >= 4, f"{torn} cords broke by themselves; four or more must")
        expect(height < EDGE, f"the crate is at {height:.3g} m at the end; it must be on the ground")
    if load <= LIGHT:
        expect(torn == 0, f"{torn} cords broke by themselves under a light crate")
        expect(height > 0.4 * HEIGHT, f"the crate is at {height:.3g} m at the end; it must hang in the net")
