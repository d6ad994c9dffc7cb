"""A car crosses a cable-stayed bridge: a flexible deck of hinged pieces on 30 cables from two towers [Baxter2019].

180 m of steel deck (5 t/m, E I = 25 GN m^2) in `dofs` equal pieces with hinges, springs and dampers between them, so
that it bends like a beam whatever the resolution. One end is on the hinge that the tree of joints begins with, the
other is grounded by a joint that closes the loop: a bearing that keeps its height and lets it slide, 1 row. (Held
lengthwise too, a straight deck that cannot stretch could not sag at all.) 30 springs, one every 6 m, are the cables (40
cm^2 of steel) to two towers at the quarters, which reach 40 m above the deck. Each cable carries its 6 m of deck at the
start, so that without a car all is at rest. Rigid towers are fixed bodies. Flexible ones are chains of as many pieces
as the deck: hollow concrete of 3 m, wall 0.5 m, clamped 15 m below the deck.

A medium car weighs 1.5 t. It slides on four round skids without friction, kept in its lane by a planar joint, from one
abutment to the other at 38 m/s: 5 s. With `car` = 500 it weighs 750 t and bends deck and towers. With `ratio` the deck
is made light against the car, and stays as stiff.

The thesis gives neither dimensions nor how its car is held; those are ours. Its cables are springs too, which push
where a real cable would be slack: under the 750 t car some do.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.planar import Planar
from taut.joints.point_on_plane import PointOnPlane
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_below, expect_contacts, expect_energy
from taut.shapes import Box, Compound, Sphere

DURATION = 5.0

LENGTH, WIDTH, DEPTH = 180.0, 14.0, 1.0
"""Of the deck, m; its middle is at z = 0."""
DECK_MASS, DECK_BENDING = 5e3, 2.5e10
"""kg/m; E I in N m^2: 210 GPa times 0.12 m^4."""
CABLES = 30
SPACING = LENGTH / CABLES
CABLE_STIFFNESS = 195e9 * 4e-3
"""E A in N: strands of 195 GPa and 40 cm^2; 30 t of deck stress them to about 100 MPa, a tenth of what they bear."""
TOWERS = (0.25 * LENGTH, 0.75 * LENGTH)
TOP, FOOT, FAN = 40.0, -15.0, 1.2
"""Highest cable and foot of a tower above the deck, m, and how much lower each cable nearer to it ends, m."""
TOWER_EDGE, TOWER_MASS, TOWER_BENDING = 3.0, 12.5e3, 35e9 * (3.0**4 - 2.0**4) / 12.0
"""m; kg/m: 5 m^2 of 2,500 kg/m^3; E I in N m^2, concrete of 35 GPa."""
LAG = 6e-3
"""Damping over stiffness of hinges and cables, s: about 2 % of critical at 1 Hz, as bridges have."""
CAR_MASS, SPEED, LANE, START = 1500.0, 38.0, -3.5, -5.0
"""kg, m/s, m across and m along the bridge."""
WHEEL, BASE, TRACK = 0.33, 2.6, 1.6
"""Radius of a skid, and their distances along and across, m."""
SKID_COMPLIANCE = 1e-10
"""m/N: skids of 750 t sink in by 0.2 mm, so that they hardly feel the seams between pieces of a few centimetres."""
KINDS = ("rigid", "flexible")
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def build(dofs: int = 120, towers: str = "rigid", car: float = 1.0, ratio: float = 0.0) -> Scene:
    """Build the bridge, its cables and the car.

    Args:
        dofs: degrees of freedom of the hinges: all of the deck's, or with flexible towers a third of them each.
        towers: "rigid" or "flexible".
        car: mass of the car in medium cars of 1,500 kg; 0 for none.
        ratio: mass of the car over that of a piece of the deck; 0 for a deck of 5 t/m.
    """
    owner = "scene 'stayed_bridge'"
    flexible = checks.known(owner, "towers", towers, KINDS) == "flexible"
    chains = 3 if flexible else 1
    count = int(checks.number(owner, "dofs", dofs, at_least=20 * chains)) // chains
    mass = CAR_MASS * checks.number(owner, "car", car, at_least=0.0)
    light = checks.number(owner, "ratio", ratio, at_least=0.0)
    if light > 0.0 and mass == 0.0:
        raise InputError(f"{owner}: ratio is {light:g} and car is 0; a mass ratio needs a car")
    deck = DECK_MASS if light == 0.0 else mass / light * count / LENGTH
    scene = Scene(friction=0.0, contact_compliance=SKID_COMPLIANCE)
    add_deck(scene, count, deck)
    for number, x in enumerate(TOWERS, start=1):
        add_tower(scene, number, x, count if flexible else 1, flexible)
    for number in range(CABLES):
        add_cable(scene, number, count, count if flexible else 1, deck)
    add_abutments(scene)
    if mass > 0.0:
        add_car(scene, mass)
    scene.connect("world", f"deck-{count}", PointOnPlane(normal=Z), at=(LENGTH, 0.0, 0.0), name="far-end")
    scene.ignore_contacts("bridge", "bridge")
    return scene


def add_deck(scene: Scene, count: int, mass: float) -> None:
    """Pieces `deck-1` ... of this mass (kg/m), hinged to each other and the first to the world; the ends are pinned."""
    piece = LENGTH / count
    bending = DECK_BENDING / piece
    for number in range(1, count + 1):
        scene.add_body(
            f"deck-{number}", Box(piece, WIDTH, DEPTH), mass=mass * piece,
            position=((number - 0.5) * piece, 0.0, 0.0), group="bridge",
        )  # fmt: skip
        stiffness = 0.0 if number == 1 else bending
        hinge = Revolute(axis=Y, stiffness=stiffness, damping=LAG * stiffness)
        before = "world" if number == 1 else f"deck-{number - 1}"
        scene.connect(before, f"deck-{number}", hinge, at=((number - 1) * piece, 0.0, 0.0), name=f"deck-hinge-{number}")


def add_tower(scene: Scene, tower: int, x: float, count: int, flexible: bool) -> None:
    """Pieces `tower-1-1` ... from the foot up, clamped to the world; a rigid one is a single fixed body."""
    piece = (TOP - FOOT) / count
    for number in range(1, count + 1):
        name = f"tower-{tower}-{number}"
        scene.add_body(
            name, Box(TOWER_EDGE, TOWER_EDGE, piece), mass=TOWER_MASS * piece,
            position=(x, 0.0, FOOT + (number - 0.5) * piece), fixed=not flexible, collides=False, group="bridge",
        )  # fmt: skip
        if flexible:
            # half a piece bends between the clamp and the first hinge
            stiffness = TOWER_BENDING / piece * (2.0 if number == 1 else 1.0)
            hinge = Revolute(axis=Y, stiffness=stiffness, damping=LAG * stiffness)
            before = "world" if number == 1 else f"tower-{tower}-{number - 1}"
            scene.connect(before, name, hinge, at=(x, 0.0, FOOT + (number - 1) * piece), name=f"{name}-hinge")


def cable_ends(number: int) -> tuple[float, int, float]:
    """Where cable 0 ... 29 begins on the deck (m), its tower (0 or 1) and where it ends above the deck (m)."""
    x, tower = (number + 0.5) * SPACING, number // (CABLES // 2)
    outermost = CABLES // 4
    return x, tower, TOP - FAN * (outermost - round(abs(x - TOWERS[tower]) / SPACING))


def add_cable(scene: Scene, number: int, deck_pieces: int, tower_pieces: int, mass: float) -> None:
    """A spring that is as long at rest as it must be to carry its share of a deck of this mass (kg/m)."""
    x, tower, height = cable_ends(number)
    deck, piece = LENGTH / deck_pieces, (TOP - FOOT) / tower_pieces
    at_deck = min(int(x / deck), deck_pieces - 1)
    at_tower = min(int((height - FOOT) / piece), tower_pieces - 1)
    length = float(np.hypot(x - TOWERS[tower], height))
    tension = 9.81 * mass * SPACING * length / height
    rest = length / (1.0 + tension / CABLE_STIFFNESS)
    stiffness = CABLE_STIFFNESS / rest
    scene.add_spring(
        f"deck-{at_deck + 1}", f"tower-{tower + 1}-{at_tower + 1}", name=f"cable-{number + 1}",
        point_a=(x - (at_deck + 0.5) * deck, 0.0, 0.0), point_b=(0.0, 0.0, height - FOOT - (at_tower + 0.5) * piece),
        stiffness=stiffness, damping=LAG * stiffness, rest_length=rest,
    )  # fmt: skip


def add_abutments(scene: Scene) -> None:
    """Fixed ground before and behind the deck."""
    for name, x in (("near-abutment", -10.0), ("far-abutment", LENGTH + 10.0)):
        scene.add_body(name, Box(20.0, WIDTH, DEPTH), position=(x, 0.0, 0.0), fixed=True, group="bridge")


def add_car(scene: Scene, mass: float) -> None:
    """The car, on the near abutment, under way."""
    skids = [(Sphere(WHEEL), (x, y, 0.0)) for x in (-0.5 * BASE, 0.5 * BASE) for y in (-0.5 * TRACK, 0.5 * TRACK)]
    shape = Compound([(Box(4.2, 1.8, 0.6), (0.0, 0.0, 0.5)), (Box(2.4, 1.6, 0.5), (-0.2, 0.0, 1.05)), *skids])
    start = (START, LANE, 0.5 * DEPTH + WHEEL)
    scene.add_body("car", shape, mass=mass, position=start, velocity=(SPEED, 0.0, 0.0))
    scene.connect("world", "car", Planar(normal=Y), at=start, name="lane")


def check(recording: Recording) -> None:
    """Both ends stay grounded, deck and towers bend as statics say, and energy does not rise.

    Joints hold to 2e-6 m. The deck sags between half of what the stiffest and twice what the softest cables let through
    under the car, and by 2 mm at most without one. Flexible towers bend by 5 to 50 % of what the whole weight of the
    car would make of them sideways.
    """
    expect_contacts(recording, penetration=3e-3, violation=2e-6)
    info = recording.info
    flexible, mass = info.parameters["towers"] == "flexible", CAR_MASS * info.parameters["car"]
    deck = [index for index, name in enumerate(info.body_names) if name.startswith("deck-")]
    weight = 9.81 * sum(info.masses[index] for index in deck)
    expect_energy(recording, 0.5 * mass * SPEED**2 + 0.1 * weight, loss=0.02, gain=1e-3)
    sag = -recording.positions[:, deck, 2].min(axis=1)
    expect_below(recording, "sag of the deck in m", sag, 2e-3 + 2.0 * static_sag(mass, flexible)[1])
    if mass == 0.0 or recording.body("car").position[-1, 0] < 0.5 * LENGTH:
        return
    least = 0.5 * static_sag(mass, flexible)[0]
    expect(bool(sag.max() >= least), f"the deck sags by {sag.max():.3g} m under the car; at least {least:.3g} is right")
    if flexible:
        top = recording.body(f"tower-1-{len(deck)}").position[:, 0]
        bent = np.abs(top - top[0])
        sideways = 9.81 * mass * (TOP - FOOT) ** 3 / (3.0 * TOWER_BENDING)
        expect_below(recording, "bending of the tower in m", bent, 0.5 * sideways)
        text = f"the tower bends by {bent.max():.3g} m; at least {0.05 * sideways:.3g} is right"
        expect(bool(bent.max() >= 0.05 * sideways), text)


def static_sag(mass: float, flexible: bool) -> tuple[float, float]:
    """Sag (m) under a car of this mass (kg) at rest, for the stiffest and for the softest of the cables.

    A beam on cables that are smeared out to a foundation of stiffness k per length (Winkler):

        w = P b / (2 k)        b = (k / (4 E I))^(1/4)        1/k = s (l / (E A sin^2 a) + cot^2 a H^3 / (3 E I_tower))

    with the angle a of a cable of length l, one every s; a rigid tower does without the last term.
    """
    sags = []
    for number in range(CABLES):
        x, tower, height = cable_ends(number)
        away = abs(x - TOWERS[tower])
        length = np.hypot(away, height)
        give = length**3 / (CABLE_STIFFNESS * height**2)
        if flexible:
            give += (away / height) ** 2 * (height - FOOT) ** 3 / (3.0 * TOWER_BENDING)
        foundation = 1.0 / (SPACING * give)
        sags.append(0.5 * 9.81 * mass * (foundation / (4.0 * DECK_BENDING)) ** 0.25 / foundation)
    return float(min(sags)), float(max(sags))
