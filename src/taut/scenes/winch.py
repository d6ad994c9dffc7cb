"""A winch of 400 kg drags a chain of 50 links of 1 kg over a kerb and winds it up at constant speed [Lefebvre2020].

The chain of capsules with ball joints hangs from the rim of the drum, runs over the ground and up onto a pavement,
friction being 1. The drum turns with 0.5 rad/s from a soft start on: 5 m of chain come off the pavement over its kerb
and are wound up in one turn and a half. Where the chain is dragged it is pulled by the friction of what is behind,

    T_i = mu m g (n - i)        between link i and the next.

The paper gives counts, masses, friction and constant speed. Dimensions, kerb and start are ours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.joints.drive import Motor
from taut.joints.revolute import Revolute
from taut.joints.spherical import Spherical
from taut.machines import visuals
from taut.results.record import Recording
from taut.scene.scene import WORLD, Scene
from taut.scene.schedules import Ramps
from taut.scenes._expect import expect, expect_below, expect_contacts, expect_near, expect_rows, gained, torque_about
from taut.shapes import Box, Capsule, Cylinder
from taut.spatial import Array, from_two_vectors

DURATION = 20.0
PICTURE = 9.0
FILM = (1.0, 17.5, 3.0)

DRUM, DRUM_MASS = Cylinder(radius=0.5, length=1.2), 400.0
LINKS, RADIUS, LENGTH, MASS = 50, 0.03, 0.2, 1.0
"""Their number, and of one: m, m from joint to joint, kg."""
HANGING, KERB, ROAD = 8, 0.05, 20
"""Links that hang from the drum, height of the kerb in m, and links up to the one that leads onto the pavement."""
SPEED, BEGIN, FULL = 0.5, 0.5, 1.5
"""Of the drum, rad/s, when it begins to turn and when it has that speed, s."""
DRAGGED, WINDOW, WOUND = 1.2, 2.0, 5.0
"""m that are wound up before all of the chain is dragged, s for which forces are averaged, as it hops a little, and m
that are wound up before the last ten links come to the kerb."""
STEEL, STONE = (0.55, 0.57, 0.6), (0.62, 0.6, 0.57)
Y = (0.0, 1.0, 0.0)


def build(friction: float = 1.0) -> Scene:
    """Build the drum `drum` and the chain `link-1` ... with joints `joint-1` ..., the first on the drum's rim.

    Args:
        friction: of all that touches.
    """
    scene = Scene(friction=friction)
    scene.add_plane()
    rim = DRUM.radius + RADIUS
    corners = way_of_chain() + (rim, 0.0, 0.0)
    scene.add_body(
        "drum", DRUM, mass=DRUM_MASS, position=(0.0, 0.0, corners[0, 2]), group="winch",
        orientation=from_two_vectors((0.0, 0.0, 1.0), Y), visual=visuals.drum(DRUM.radius, DRUM.length),
    )  # fmt: skip
    add_stand(scene, corners[0, 2])
    scene.connect(WORLD, "drum", Revolute(axis=(0.0, -1.0, 0.0), motor=Motor(speed=0.0)), name="axle")
    schedule = Ramps((BEGIN, 0.0), (FULL, SPEED))
    scene.add_control("winch.speed", joint="axle", low=-2.0 * SPEED, high=2.0 * SPEED, schedule=schedule)
    previous = "drum"
    for number, (start, end) in enumerate(zip(corners[:-1], corners[1:], strict=True), start=1):
        link, turn = f"link-{number}", from_two_vectors((0.0, 0.0, 1.0), end - start)
        scene.add_body(
            link,
            Capsule(RADIUS, LENGTH),
            mass=MASS,
            position=0.5 * (start + end),
            orientation=turn,
            group="chain",
            colour=STEEL,
        )
        scene.connect(previous, link, Spherical(), at=start, name=f"joint-{number}")
        previous = link
    edge = corners[ROAD, 0] + 0.01
    size = Box(0.8 * LENGTH * LINKS, 2.0, KERB)
    scene.add_body("pavement", size, position=(edge + 0.5 * size.x, 0.0, 0.5 * KERB), fixed=True, colour=STONE)
    return scene


def add_stand(scene: Scene, height: float) -> None:
    """Something to look at under the axle of the drum at a height, m; nothing touches it."""
    posts = [(Box(0.3, 0.1, height), (0.0, side * 0.7 * DRUM.length, -0.5 * height)) for side in (-1.0, 1.0)]
    axle = (Cylinder(0.08, 1.5 * DRUM.length), (0.0, 0.0, 0.0), from_two_vectors((0.0, 0.0, 1.0), Y))
    scene.add_body(
        "stand", position=(0.0, 0.0, height), visual=[*posts, axle], fixed=True, collides=False, group="winch",
        colour=visuals.DARK,
    )  # fmt: skip


def way_of_chain() -> Array:
    """Ends of the links (LINKS + 1, 3) from the rim on, m: down, along the ground, up the kerb, along the pavement."""
    climb = np.sqrt(LENGTH**2 - KERB**2)
    steps = np.tile((LENGTH, 0.0, 0.0), (LINKS, 1))
    steps[:HANGING] = (0.0, 0.0, -LENGTH)
    steps[ROAD - 1] = (climb, 0.0, KERB)
    return np.vstack([np.zeros(3), np.cumsum(steps, axis=0)]) + (0.0, 0.0, HANGING * LENGTH + RADIUS)


def check(recording: Recording) -> None:
    """Joints hold to 0.1 mm, the drum keeps its speed to 1e-9 and energy rises by its work alone. While the chain is
    dragged, a tenth to two fifths of the rows are at a bound, and in every 2 s links far behind are pulled by the
    friction of what is behind them, to 10 %; up to sqrt(2) of it where they go sideways, as box friction has it.
    """
    expect_contacts(recording, penetration=1e-4)
    friction = float(recording.info.parameters["friction"])
    turning = recording.joint("axle").velocity
    assert turning is not None
    full = recording.time >= FULL - 1e-9
    expect_near(recording, "the drum's speed in rad/s", np.where(full, turning[:, 0], SPEED), SPEED, 1e-9)
    torque = torque_about(recording, "axle", "drum", (0.0, 0.0, -1.0))
    work = np.cumsum(torque * turning[:, 0]) * recording.info.step
    scale = MASS * LINKS * 9.81 * HANGING * LENGTH
    expect_below(recording, "energy gained beyond the work of the drum", (gained(recording) - work) / scale, 1e-3)
    expect_rows(recording, 0.15, most=370)
    share = recording.column("tight") / np.maximum(recording.column("rows"), 1)
    begin, end = ((way / (SPEED * (DRUM.radius + RADIUS))) + 0.5 * (BEGIN + FULL) for way in (DRAGGED, WOUND))
    dragged = share[(recording.time > begin) & (recording.time <= end)]
    if dragged.size * recording.info.step > WINDOW:
        text = f"{dragged.mean():.3g} of the rows are at a bound while the chain is dragged; 0.1 to 0.4 is right"
        expect(0.1 < dragged.mean() < 0.4, text)
    for start in np.arange(begin, min(end, recording.time[-1]) - WINDOW, WINDOW):
        among = (recording.time > start) & (recording.time <= start + WINDOW)
        for behind in (5, 7, 9):
            pull, right = tension(recording, LINKS - behind + 1)[among].mean(), friction * behind * MASS * 9.81
            text = f"the last {behind} links pull with {pull:.4g} N from {start:.3g} s on; {right:.4g} N is right"
            most = 1.1 if straight(recording, LINKS - behind, among) else 1.1 * np.sqrt(2.0)
            expect(0.9 < pull / right < most, text)


def straight(recording: Recording, number: int, among: NDArray[np.bool_]) -> bool:
    """Whether a link moves straight towards the drum in these frames, and not sideways as well, as it is wound."""
    way = np.ptp(recording.body(f"link-{number}").position[among], axis=0)
    return bool(way[1] < 0.01 * way[0])


def tension(recording: Recording, number: int) -> Array:
    """Force (frames,) in a joint of the chain, N."""
    reaction = recording.joint(f"joint-{number}").reaction
    assert reaction is not None
    return np.linalg.norm(reaction[:, :3], axis=1)
