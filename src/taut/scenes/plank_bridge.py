"""Somebody walks to the middle of a rope bridge of 128 planks, 893 bodies and 1,279 rods without mass [Peiret2019].

Planks of 12 kg hang from two hand ropes, and a keel rope hangs under them; ropes are points of 0.6 kg, two a plank, and
all that joins anything is a rod. The paper gives 128 planks, 893 bodies and 1,278 bilateral constraints, of which the
latter can only be had of single rows: n planks make 7n - 3 bodies and 10n - 1 rows. It starts where it hangs at rest,
every point in balance. Ropes with a load w a metre and a sag f over a span l pull with

    H = w l^2 / (8 f),        and with a weight P in the middle of W = w l       H' = H sqrt(1 + 3 P/W + 3 (P/W)^2)

(no stretch, small slopes). He walks from 1 s to 9 s and stands there. Span, sag, heights and damping are ours.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from taut import checks
from taut.joints.distance import Distance
from taut.results.record import Recording
from taut.scene.scene import WORLD, Scene
from taut.scene.schedules import Ramps
from taut.scenes._expect import expect, expect_joined, expect_near
from taut.shapes import Box, Sphere
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation

DURATION = 10.0
FILM = (0.0, 10.0, 2.0)

PLANK, PLANK_MASS = Box(0.25, 1.6, 0.04), 12.0
POINT, POINT_MASS = Sphere(0.03), 0.6
PITCH, SAG = 38.0 / 128.0, 0.08
"""From plank to plank, m, and sag of the ropes over their span."""
HAND, ABOVE, KEEL = 1.0, 0.03, 0.3
"""Hand ropes above the planks, where they hold them above their middle, and the keel rope below them, m."""
SHARE = 0.5
"""Of the weight of a point of the keel rope, that ties pull with: so it hangs as deep as the hand ropes do."""
DRAG, TURN_DRAG = 1.0, 0.1
"""Of a plank, N s/m and N m s/rad."""
START, THERE, AVERAGED = 1.0, 9.0, 0.8
"""When he begins to walk and when he is in the middle, and for how long pulls are averaged then, s."""
GRAVITY = 9.81
BANK = Box(2.0, 3.0, 5.0)
"""What the ropes come from, to look at, m."""
WOOD, HEMP, STONE = (0.55, 0.4, 0.25), (0.75, 0.65, 0.45), (0.62, 0.6, 0.57)
ROPES = {"left": 0.5 * PLANK.y, "right": -0.5 * PLANK.y, "keel": 0.0}
"""Ropes and where they are across the bridge, m."""


def build(planks: int = 128, walker: float = 80.0) -> Scene:
    """Build the bridge along x from 0 on: planks `plank-1` ..., ropes of points `left-1`, `right-1`, `keel-1` ...

    Args:
        planks: their number.
        walker: mass of who walks, kg.
    """
    owner = "scene 'plank_bridge'"
    count = int(checks.number(owner, "planks", planks, at_least=4))
    mass = checks.number(owner, "walker", walker, at_least=0.0)
    scene = Scene(collisions=False)
    places = {name: place_rope(name, count) for name in ROPES}
    deck = places["left"] - (0.0, ROPES["left"], HAND + ABOVE)
    for number in range(1, count + 1):
        scene.add_body(
            f"plank-{number}", PLANK, mass=PLANK_MASS, position=deck[2 * number - 1], linear_damping=DRAG,
            angular_damping=TURN_DRAG, group="bridge/planks", colour=WOOD,
        )  # fmt: skip
    for name, points in places.items():
        add_rope(scene, name, points)
    for number in range(1, count + 1):
        plank, point = f"plank-{number}", 2 * number - 1
        for name in ("left", "right"):
            end = (0.0, ROPES[name], ABOVE)
            scene.connect(plank, f"{name}-{point}", Distance(point_a=end), name=f"{name}-hanger-{number}")
        scene.connect(plank, f"keel-{point}", Distance(), name=f"tie-{number}")
        if number > 1:
            scene.connect(f"plank-{number - 1}", plank, Distance(), name=f"spacer-{number - 1}")
    for name, x in (("near", -0.5 * BANK.x), ("far", count * PITCH + 0.5 * BANK.x)):
        scene.add_body(f"{name}-bank", BANK, position=(x, 0.0, -0.5 * BANK.z), fixed=True, colour=STONE)
    scene.add_control(
        "walker.position", act=partial(walk, count, mass * GRAVITY), high=count * PITCH, unit="m",
        schedule=Ramps((START, 0.0), (THERE, 0.5 * count * PITCH)),
    )  # fmt: skip
    return scene


def loads(name: str) -> tuple[float, float]:
    """What a rope carries at points with and without a plank, N."""
    point = POINT_MASS * GRAVITY
    tie = SHARE * point
    return (point - tie if name == "keel" else point + 0.5 * (PLANK_MASS * GRAVITY + tie)), point


def place_rope(name: str, count: int) -> Array:
    """Where the points of a rope are at rest, its ends included (2 n + 1, 3), m.

    Level distances are the same from point to point, and slopes change by load over pull at every point.
    """
    pull, (with_plank, without) = pull_of(name, count), loads(name)
    load = np.where(np.arange(1, 2 * count) % 2 == 1, with_plank, without)
    slopes = np.append(0.0, np.cumsum(load)) / pull
    slopes -= slopes.mean()
    heights = np.append(0.0, np.cumsum(0.5 * PITCH * slopes))
    level = HAND + ABOVE
    if name == "keel":
        hand = place_rope("left", count)
        level = hand[1, 2] - HAND - ABOVE - KEEL - heights[1]
    points = np.zeros((2 * count + 1, 3))
    points[:, 0], points[:, 1], points[:, 2] = 0.5 * PITCH * np.arange(2 * count + 1), ROPES[name], heights + level
    return points


def pull_of(name: str, count: int) -> float:
    """Horizontal pull w l^2 / (8 f) of a rope at rest, N; the sag is that of the hand ropes."""
    return sum(loads(name)) * count / (8.0 * SAG)


def add_rope(scene: Scene, name: str, points: Array) -> None:
    """Add the points of a rope and the rods between them and to the world."""
    last = len(points) - 1
    for number in range(1, last):
        scene.add_body(
            f"{name}-{number}", POINT, mass=POINT_MASS, position=points[number], group=f"bridge/{name}", colour=HEMP
        )
    for number in range(1, last + 1):
        a, b = (f"{name}-{at}" if 0 < at < last else WORLD for at in (number - 1, number))
        ends = [
            point if body == WORLD else np.zeros(3) for body, point in ((a, points[number - 1]), (b, points[number]))
        ]
        scene.connect(a, b, Distance(point_a=tuple(ends[0]), point_b=tuple(ends[1])), name=f"{name}-rod-{number}")


def walk(count: int, weight: float, simulation: Simulation, position: float) -> None:
    """Let the weight (N) of who stands at a position (m) rest on the two nearest planks, more on the nearer one."""
    for number in range(1, count + 1):
        share = max(1.0 - abs(position / PITCH - (number - 0.5)), 0.0)
        simulation.body(f"plank-{number}").apply(force=(0.0, 0.0, -share * weight))


def check(recording: Recording) -> None:
    """Rods hold to 1e-5 m and no row is at a bound. At rest every rope, hanger and tie pulls, and the ropes pull as
    their load and sag say, to 0.1 %. With somebody in the middle the ropes pull together as they should, to 3 %, and
    the bridge stays upright.
    """
    expect_joined(recording, violation=1e-5)
    expect(recording.column("tight").max() == 0, "rows are at a bound, but rods have none")
    parameters, time = recording.info.parameters, recording.time
    count, weight = int(parameters["planks"]), float(parameters["walker"]) * GRAVITY
    tension = recording.joint_array("joint_tensions")
    assert tension is not None
    hung = [at for at, name in enumerate(recording.info.joint_names) if not name.startswith("spacer")]
    rest = (time > 0.0) & (time <= START)
    expect(bool((tension[rest][:, hung] > 0.0).all()), "a rope, hanger or tie pushes at rest")
    pulls = {name: level_pull(recording, name, count) for name in ROPES}
    span = count * PITCH
    for name, pull in pulls.items():
        middle, ends = recording.body(f"{name}-{count}").position[:, 2], place_rope(name, count)[0, 2]
        right = sum(loads(name)) / PITCH * span**2 / (8.0 * (ends - middle))
        error = np.where(rest, pull / right - 1.0, 0.0)
        expect_near(recording, f"pull of the rope {name} at rest, as a share", error, 0.0, 1e-3)
    expect_near(recording, "pull of the left hand rope, as a share", pulls["left"] / pulls["right"], 1.0, 1e-6)
    if time[-1] >= DURATION - 1e-9:
        late, share = time > DURATION - AVERAGED, weight / (count * GRAVITY * (PLANK_MASS + 6.0 * POINT_MASS))
        found = sum(pull[late].mean() for pull in pulls.values()) / sum(pull[rest].mean() for pull in pulls.values())
        right = np.sqrt(1.0 + 3.0 * share + 3.0 * share**2)
        expect(abs(found / right - 1.0) < 0.03, f"ropes pull {found:.4g} times as at rest; {right:.4g} times is right")


def level_pull(recording: Recording, name: str, count: int) -> Array:
    """Horizontal pull (frames,) of a rope in its middle, N; as at rest in the frame before the first."""
    reaction = recording.joint(f"{name}-rod-{count}").reaction
    assert reaction is not None
    return np.append(abs(reaction[1, 0]), np.abs(reaction[1:, 0]))
