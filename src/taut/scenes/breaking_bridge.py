"""A truck crosses a bridge of hung planks with two rotten hangers: they give way under it, and the rest follows.

16 planks of 1 m and 100 kg, with hinges and springs between them that spread a load, hang by two steel hangers each
(0.5 kN/mm) from girders 3 m above. One end is hinged to its bank, the other one rests on a shelf of the far bank.
Hangers bear 7 kN, but the two of one plank behind the middle are rotten and bear 3.5 kN; hinges bear 40 kN. The truck
slides on four round skids at 3.5 m/s. One of 3 t loads each hanger with 5.6 kN as it comes by: it passes the first
eight pairs, the rotten ones break, their neighbours then carry 9 kN, and so the bridge comes apart, hanger by hanger to
both sides and at last its hinges, and drops the truck 5 m. A car of 1.5 t gets across. Dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks, spatial
from taut.joints.revolute import Revolute
from taut.machines import visuals
from taut.results.events import Broken
from taut.results.record import Recording
from taut.scene.looks import Piece
from taut.scene.scene import WORLD, Scene
from taut.scenes._expect import expect, expect_below, expect_contacts
from taut.shapes import Box, Compound, Sphere

DURATION = 5.0
PICTURE = 3.1
FILM = (0.0, 5.0, 1.0)

LENGTH, WIDTH, DEPTH, PLANK_MASS = 1.0, 2.4, 0.1, 100.0
"""Of a plank, m and kg."""
BENDING, BENDING_LAG = 1e5, 0.02
"""Springs in the hinges, N m/rad, and damping over stiffness, s."""
GIRDER, STIFFNESS, LAG = 3.0, 5e5, 0.01
"""Height of the hangers' upper ends above the deck, m; N/m, and damping over stiffness, s."""
HANGER, ROTTEN, HINGE = 7e3, 3.5e3, 4e4
"""What hangers, rotten ones and hinges bear, N."""
GROUND, BANK, SHELF = -5.0, 4.0, Box(0.6, WIDTH, 0.3)
"""Height of the ground and length of the banks, m, and what the far end rests on by half its depth."""
SPEED, START, AXLE = 3.5, -2.0, 1.0
"""Of the truck, m/s, m along the bridge, and m from its middle to an axle."""
LIGHT, HEAVY, SOUND = 1500.0, 3000.0, 3600.0
"""Trucks up to the first get across, from the second on bring the bridge down, and beyond the third break sound hangers
before they come to the rotten ones, kg."""
Y = (0.0, 1.0, 0.0)
SIDES = (("left", 0.5 * WIDTH), ("right", -0.5 * WIDTH))


def build(planks: int = 16, load: float = 3000.0) -> Scene:
    """Build the bridge from x = 0 on with planks `plank-1` ..., and the truck `load` on the near bank.

    Args:
        planks: number of planks.
        load: mass of the truck, kg.
    """
    count = int(checks.number("scene 'breaking_bridge'", "planks", planks, at_least=4))
    scene = Scene(friction=0.5)
    scene.add_plane(offset=GROUND)
    for number in range(1, count + 1):
        add_plank(scene, number, ROTTEN if number == rotten_plank(count) else HANGER)
    far, deck = count * LENGTH, 0.5 * DEPTH
    scene.add_body("shelf", SHELF, position=(far, 0.0, -deck - 0.5 * SHELF.z), fixed=True)
    bank = Box(BANK, WIDTH, deck - GROUND)
    for name, x, end in (("near-bank", -0.5 * BANK, 1), ("far-bank", far + 0.5 * BANK, count)):
        scene.add_body(name, bank, position=(x, 0.0, 0.5 * (deck + GROUND)), fixed=True)
        scene.ignore_contacts(name, f"plank-{end}")
    skids = [(Sphere(0.3), (x, y, 0.3)) for x in (-AXLE, AXLE) for y in (-0.6, 0.6)]
    truck = Compound([(Box(2.4, 1.4, 0.6), (0.0, 0.0, 0.7)), *skids])
    place = (START, 0.0, deck)
    scene.add_body(
        "load", truck, mass=load, position=place, velocity=(SPEED, 0.0, 0.0), friction=0.0, visual=truck_look(),
        colour=(0.93, 0.62, 0.12),
    )  # fmt: skip
    return scene


def truck_look() -> list[Piece]:
    """A cab, a platform with a load, and wheels where the skids are."""
    turn = spatial.from_axis_angle((1.0, 0.0, 0.0), 0.5 * np.pi)
    wheel, corners = visuals.wheel(0.3, 0.25), [(x, y, 0.3) for x in (-AXLE, AXLE) for y in (-0.6, 0.6)]
    return [
        Piece(Box(2.4, 1.3, 0.2), (0.0, 0.0, 0.5)),
        Piece(Box(0.8, 1.4, 0.9), (0.8, 0.0, 0.95)),
        Piece(Box(0.5, 1.42, 0.35), (0.97, 0.0, 1.1), colour=(0.14, 0.18, 0.24)),
        Piece(Box(1.4, 1.2, 0.6), (-0.4, 0.0, 0.9), colour=(0.55, 0.40, 0.25)),
        *[piece for corner in corners for piece in visuals.placed(wheel, corner, turn)],
    ]


def rotten_plank(count: int) -> int:
    """Number of the plank with the rotten hangers."""
    return count // 2 + 1


def add_plank(scene: Scene, number: int, strength: float) -> None:
    """Hinge a plank to the one before, or to the bank, and hang it up by hangers that bear so much, N."""
    name, x = f"plank-{number}", (number - 0.5) * LENGTH
    scene.add_body(name, Box(LENGTH, WIDTH, DEPTH), mass=PLANK_MASS, position=(x, 0.0, 0.0), colour=(0.62, 0.47, 0.31))
    spring = 0.0 if number == 1 else BENDING
    hinge = Revolute(axis=Y, stiffness=spring, damping=BENDING_LAG * spring)
    before, seam = WORLD if number == 1 else f"plank-{number - 1}", (x - 0.5 * LENGTH, 0.0, 0.5 * DEPTH)
    scene.connect(before, name, hinge, at=seam, name=f"hinge-{number}", break_force=HINGE)
    for side, y in SIDES:
        scene.add_spring(
            WORLD, name, (x, y, GIRDER), (0.0, y, 0.0), stiffness=STIFFNESS, damping=LAG * STIFFNESS,
            rest_length=GIRDER - 0.5 * 9.81 * PLANK_MASS / STIFFNESS, name=f"{side}-{number}", break_force=strength,
        )  # fmt: skip


def check(recording: Recording) -> None:
    """Every frame is solved, joints hold to 0.1 mm and energy does not rise by more than 1 % of the truck's; what
    breaks carries more than it bears. Under 3 t the rotten hangers go first, within 1 m of its first axle, then
    those beside them, and the truck falls; 1.5 t get across, and nothing breaks.
    """
    expect_contacts(recording, penetration=5e-3)
    count, mass = int(recording.info.parameters["planks"]), float(recording.info.parameters["load"])
    truck, rotten, time = recording.body("load"), rotten_plank(count), recording.time
    scale = mass * (0.5 * SPEED**2 - 9.81 * GROUND)
    expect_below(recording, "energy gained, as a share", np.diff(recording.energy, prepend=np.inf) / scale, 0.01)
    for event in recording.events:
        bears = HINGE if event.name.startswith("hinge") else HANGER
        bears = ROTTEN if event.name in (f"left-{rotten}", f"right-{rotten}") else bears
        expect(isinstance(event, Broken), f"{event.name} is {event.kind}, though nobody touched it")
        expect(event.force > bears, f"{event.name} broke at {event.force:.4g} N; it bears {bears:g} N")
    order = [event.name for event in recording.events]
    across = START + SPEED * time[-1]
    if mass <= LIGHT:
        expect(not order, f"{len(order)} joints broke under a light truck")
        expect_below(recording, "sink of the truck in m", -truck.position[:, 2], 0.02)
        expect(truck.position[-1, 0] > across - 0.05 * abs(across - START), "the truck does not get across")
    if mass < HEAVY or across < count * LENGTH - BANK:
        return
    expect(truck.position[-1, 2] < 0.6 * GROUND, f"the truck is at {truck.position[-1, 2]:.3g} m; it must have fallen")
    if mass > SOUND:
        return
    first = [f"{side}-{rotten}" for side, _ in SIDES]
    expect(set(order[:2]) == set(first), f"{order[:2]} broke first; {first} must")
    beside = {f"{side}-{rotten + way}" for side, _ in SIDES for way in (-1, 1)}
    expect(bool(beside & set(order[2:4])), f"{order[2:4]} broke next; they must be beside the rotten ones")
    axle = float(np.interp(recording.events[0].time, time, truck.position[:, 0])) + AXLE
    expect(abs(axle - (rotten - 0.5) * LENGTH) < LENGTH, f"the first axle was at {axle:.3g} m when they broke")
