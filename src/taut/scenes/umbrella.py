"""An umbrella opens: a motor pushes the runner up the tube, and eight stretchers push eight ribs apart [Baxter2019].

The tube is fixed. Ribs of 0.55 m hang from its tip, stretchers of 0.28 m lean out from the runner, which slides on a
prismatic joint with a motor of at most 60 N and a stop at each end. Both are chains of equally many steel rods with
universal joints, 4 mm thick, whose springs are those of the bent wire; the first joint of each is free to open. Each
stretcher ends at a pin through its rib, which closes a loop: the end stays on the line of the pin, 2 rows, 16 in all,
as the eight hinges of the thesis have. (A whole hinge would have 5; what the other rows do, the stiff chains do.)
Springs between neighbouring ribs are the canopy, at rest where it is closed, so that they pull. Pins and motor:

    runner below the tip = 2 d cos(a)        d = 0.28 m from the tip to the pin, a angle of straight ribs to the tube

Dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.drive import Drive, Motor
from taut.joints.fixed import Fixed
from taut.joints.point_on_line import PointOnLine
from taut.joints.prismatic import Prismatic
from taut.joints.universal import Universal
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_below, expect_energy, expect_joined
from taut.shapes import Cylinder
from taut.spatial import Array, from_two_vectors

DURATION = 5.0
PICTURE = 4.0

RIBS = 8
RIB, PIN = 0.55, 0.28
"""Length of a rib, and of a stretcher, which is as long as the part of the rib above its pin, m."""
CLOSED, OPEN = np.radians(15.0), np.radians(70.0)
"""Angle of the ribs to the tube at the start, and where the runner meets its upper stop."""
TRAVEL = 2.0 * PIN * float(np.cos(CLOSED) - np.cos(OPEN))
SPEED, PUSH = 0.12, 60.0
"""Of the runner, m/s, and the largest force of its motor, N."""
WIRE, DENSITY = 0.002, 7850.0
"""Radius of a rod, m, and steel's density, kg/m^3."""
BENDING = 200e9 * np.pi / 4.0 * WIRE**4
"""E I of a rod, N m^2."""
LAG = 5e-3
"""Damping over stiffness of the joints and of the canopy, s."""
CANOPY = 40.0
"""Stiffness of all springs between two ribs, N/m."""
RUNNER = 0.05
"""Mass of the runner, kg."""
Z = (0.0, 0.0, 1.0)


def build(dofs: int = 129) -> Scene:
    """Build the umbrella, closed, its tip at the origin.

    Args:
        dofs: degrees of freedom of the joints: two for each of the equally many rods of all ribs and stretchers, and
            the runner's; rounded down to what there can be.
    """
    count = max((int(checks.number("scene 'umbrella'", "dofs", dofs, at_least=33)) - 1) // (4 * RIBS), 1)
    scene = Scene(collisions=False)
    scene.add_body("tube", Cylinder(radius=0.005, length=0.8), density=DENSITY, position=(0.0, 0.0, -0.4))
    scene.connect("world", "tube", Fixed(), at=(0.0, 0.0, 0.0), name="handle")
    low = np.array([0.0, 0.0, -2.0 * PIN * np.cos(CLOSED)])
    scene.add_body("runner", Cylinder(radius=0.015, length=0.04), mass=RUNNER, position=low)
    slider = Prismatic(axis=Z, limits=(0.0, TRAVEL), motor=Motor(speed=SPEED, max_force=PUSH))
    scene.connect("tube", "runner", slider, at=low, name="slider")
    for number in range(1, RIBS + 1):
        add_rods(scene, number, "rib", count, np.zeros(3), RIB * along(number, np.pi - CLOSED))
        add_rods(scene, number, "stretcher", count, low, PIN * along(number, CLOSED))
    add_canopy(scene, count)
    add_pins(scene, count)
    scene.add_control("runner", joint="slider", low=-0.3, high=0.3, keys=("J", "U"))
    return scene


def frame(number: int) -> tuple[Array, Array]:
    """Unit vectors away from the tube and around it at rib 1 ... 8."""
    turn = 2.0 * np.pi * (number - 1) / RIBS
    return np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([-np.sin(turn), np.cos(turn), 0.0])


def along(number: int, tilt: float) -> Array:
    """Unit vector in the plane of rib 1 ... 8, tilted from the upward vertical by this angle, rad."""
    return np.sin(tilt) * frame(number)[0] + np.cos(tilt) * np.array(Z)


def add_rods(scene: Scene, number: int, chain: str, count: int, start: Array, way: Array) -> None:
    """Rods `rib-1-1` ... or `stretcher-1-1` ... from `start` along `way` (m), joined to each other and their root."""
    length = float(np.linalg.norm(way))
    piece, direction, around = length / count, way / length, frame(number)[1]
    stiffness = BENDING / piece
    spring = Drive(stiffness=stiffness, damping=LAG * stiffness)
    before = "tube" if chain == "rib" else "runner"
    for place in range(count):
        name, at = f"{chain}-{number}-{place + 1}", start + place * piece * direction
        scene.add_body(
            name, Cylinder(radius=WIRE, length=piece), density=DENSITY, position=at + 0.5 * piece * direction,
            orientation=from_two_vectors(Z, direction),
        )  # fmt: skip
        joint = Universal(
            axis_a=tuple(around), axis_b=tuple(np.cross(direction, around)), first=spring if place else Drive(),
            second=spring,
        )  # fmt: skip
        scene.connect(before, name, joint, at=at, name=f"{name}-joint")
        before = name


def add_canopy(scene: Scene, count: int) -> None:
    """Springs between the ends of rods that are equally far out on neighbouring ribs."""
    end = (0.0, 0.0, 0.5 * RIB / count)
    stiffness = CANOPY / count
    for number in range(1, RIBS + 1):
        for place in range(1, count + 1):
            scene.add_spring(
                f"rib-{number}-{place}", f"rib-{number % RIBS + 1}-{place}", point_a=end, point_b=end,
                stiffness=stiffness, damping=LAG * stiffness, name=f"canopy-{number}-{place}",
            )  # fmt: skip


def add_pins(scene: Scene, count: int) -> None:
    """Joints between the last rods of stretchers and the ribs: they close the loops."""
    pinned = int(PIN / RIB * count) + 1
    for number in range(1, RIBS + 1):
        pin, at = PointOnLine(axis=tuple(frame(number)[1])), PIN * along(number, np.pi - CLOSED)
        scene.connect(f"rib-{number}-{pinned}", f"stretcher-{number}-{count}", pin, at=at, name=f"pin-{number}")


def tips(recording: Recording) -> Array:
    """Paths (8, frames, 3) of the last rods of all ribs: away from the tube, around it and up, m."""
    count = sum(name.startswith("rib-1-") for name in recording.info.body_names)
    paths = []
    for number in range(1, RIBS + 1):
        outward, around = frame(number)
        paths.append(recording.body(f"rib-{number}-{count}").position @ np.stack([outward, around, Z]).T)
    return np.array(paths)


def check(recording: Recording) -> None:
    """Loops stay closed to 1e-5 m, ribs move alike to 1e-3 m, and the motor gives all energy there is.

    At the end the runner is at its stop, and the ends of the ribs are more than 60 degrees away from the tube.
    """
    expect_joined(recording, violation=1e-5)
    expect_energy(recording, scale=PUSH * TRAVEL, loss=1e-3, gain=1.0)
    paths = tips(recording)
    expect_below(recording, "difference of two ribs in m", np.abs(paths - paths[0]).max(axis=(0, 2)), 1e-3)
    if recording.time[-1] < DURATION - 1e-9:
        return
    way = float(recording.body("runner").position[-1, 2] - recording.body("runner").position[0, 2])
    expect(abs(way - TRAVEL) <= 1e-4, f"the runner went {way:.4g} m; {TRAVEL:.4g} m is right")
    angle = np.degrees(np.arctan2(paths[:, -1, 0], -paths[:, -1, 2]))
    text = f"the ribs are {angle.min():.3g} degrees away from the tube; more than 60 is right"
    expect(bool(angle.min() > 60.0), text)
