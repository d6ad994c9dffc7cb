"""A robot arm of seven hinges with a balancing spring and tendons follows its motors.

Links as long and heavy as those of a common 7-axis arm (1.3 m, 18 kg), straight up at the start, with a tool of 5 kg.
Hinges turn about the arm and across it in turn; all have limits and motors of at most 40 to 350 N m. A spring whose
rest length is zero balances the arm about its shoulder: from a mast of 0.3 m above the shoulder to 0.15 m along
the upper arm with

    k a b = m g l        m l: mass times distance from the shoulder, of all that it carries, stretched out

so that whatever the angle the shoulder's motor has only to carry what the bent elbow takes away. Three tendons run
past two to four hinges each, off the axis: springs between bodies that are not joined [Baxter2019]. Hard servos turn at
constant speed, so the tool moves on a known curve. Soft ones are springs and dampers to the angles that hard ones
reach after 5 s, which they approach without overshooting. Dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.drive import Motor
from taut.joints.fixed import Fixed
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_joined, expect_near
from taut.shapes import Box, Compound, Cylinder
from taut.spatial import Array, from_axis_angle, multiply, rotate

DURATION = 5.0
PICTURE = 4.0

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
AXES = (Z, Y, Z, Y, Z, Y, Z)
LENGTHS = (0.34, 0.2, 0.2, 0.2, 0.2, 0.13, 0.08)
MASSES = (4.0, 4.0, 3.0, 2.7, 1.7, 1.8, 0.3)
SPEEDS = (0.25, 0.2, 0.12, 0.3, -0.2, 0.25, 0.3)
"""Of hard servos, rad/s."""
LIMITS = (2.9, 2.0, 2.9, 2.0, 2.9, 2.0, 3.0)
FORCES = (350.0, 350.0, 180.0, 180.0, 110.0, 60.0, 40.0)
"""Largest torques of the motors, N m."""
SOFT, LAG = 8.0, 0.4
"""Stiffness of soft servos over their largest torque, 1/rad, and damping over stiffness, s."""
TOOL, RADIUS = 0.1, 0.05
"""Edge of the tool and radius of the links, m."""
MAST, REACH, BESIDE = 0.3, 0.15, 0.12
"""From the shoulder up the mast and along the upper arm to the ends of the balancing spring, and beside the arm, m."""
TENDONS = ((2, 4, 900.0), (3, 6, 500.0), (1, 5, 300.0))
"""Links (from 1) whose middles they join, and stiffness, N/m."""
OFF = 0.08
"""Distance of tendons from the arm at the start, m; at rest they are a tenth shorter than then."""
LIFT = 10.0
"""Heaviest tool, kg, that the motors carry along the whole curve."""
APART = 2.5
"""Between two arms, m."""
SERVOS = ("hard", "soft")


def build(arms: int = 1, servo: str = "hard", tool: float = 5.0) -> Scene:
    """Build the arms, with hard servos under way.

    Args:
        arms: number of equal arms side by side, seven degrees of freedom each.
        servo: "hard" for motors of constant speed, "soft" for springs and dampers to an angle.
        tool: mass of the tool, kg.
    """
    owner = "scene 'spring_arm'"
    count = int(checks.number(owner, "arms", arms, at_least=1))
    hard = checks.known(owner, "servo", servo, SERVOS) == "hard"
    mass = checks.number(owner, "tool", tool, above=0.0)
    scene = Scene(collisions=False)
    for number in range(1, count + 1):
        row, column = divmod(number - 1, int(np.ceil(np.sqrt(count))))
        add_arm(scene, f"arm-{number}", np.array([APART * column, APART * row, 0.0]), hard, mass)
    return scene


def add_arm(scene: Scene, name: str, foot: Array, hard: bool, tool: float) -> None:
    """Seven links `arm-1-link-1` ... and the tool `arm-1-tool`, their joints, and the springs."""
    before, at, velocity, spin = "world", foot, np.zeros(3), np.zeros(3)
    for place, (axis, length) in enumerate(zip(AXES, LENGTHS, strict=True)):
        if hard:
            spin = spin + SPEEDS[place] * np.array(axis)
        link, along = f"{name}-link-{place + 1}", np.array([0.0, 0.0, length])
        scene.add_body(
            link, column() if place == 0 else Cylinder(RADIUS, length), mass=MASSES[place], com=(0.0, 0.0, 0.0),
            position=at + 0.5 * along, velocity=velocity + np.cross(spin, 0.5 * along), angular_velocity=spin,
        )  # fmt: skip
        hinge = Revolute(axis=axis, limits=(-LIMITS[place], LIMITS[place]), motor=servo_motor(place, hard))
        scene.connect(before, link, hinge, at=at, name=f"{name}-joint-{place + 1}")
        before, at, velocity = link, at + along, velocity + np.cross(spin, along)
    out = np.array([0.0, 0.0, 0.5 * TOOL])
    scene.add_body(
        f"{name}-tool", Box(TOOL, TOOL, TOOL), mass=tool, position=at + out, velocity=velocity + np.cross(spin, out),
        angular_velocity=spin,
    )  # fmt: skip
    scene.connect(before, f"{name}-tool", Fixed(), at=at, name=f"{name}-flange")
    add_springs(scene, name, tool)


def column() -> Compound:
    """The first link with the mast beside it."""
    mast = Cylinder(0.01, LENGTHS[0] + MAST)
    return Compound([(Cylinder(RADIUS, LENGTHS[0]), (0.0, 0.0, 0.0)), (mast, (0.0, BESIDE, 0.5 * MAST))])


def servo_motor(place: int, hard: bool) -> Motor:
    """The motor of hinge 0 ... 6."""
    speed, force = SPEEDS[place], FORCES[place]
    if hard:
        return Motor(speed=speed, max_force=force)
    return Motor(position=speed * DURATION, stiffness=SOFT * force, damping=LAG * SOFT * force, max_force=force)


def moment(tool: float) -> float:
    """Weight times distance from the shoulder of all that it carries, stretched out, N m."""
    starts = np.cumsum((0.0, *LENGTHS[1:]))
    total = float(np.dot(MASSES[1:], starts[:-1] + 0.5 * np.array(LENGTHS[1:])))
    return 9.81 * (total + tool * (float(starts[-1]) + 0.5 * TOOL))


def add_springs(scene: Scene, name: str, tool: float) -> None:
    """The balancing spring and the tendons."""
    scene.add_spring(
        f"{name}-link-1", f"{name}-link-2", point_a=(0.0, BESIDE, 0.5 * LENGTHS[0] + MAST),
        point_b=(0.0, BESIDE, REACH - 0.5 * LENGTHS[1]), stiffness=moment(tool) / (MAST * REACH), rest_length=0.0,
        name=f"{name}-balance",
    )  # fmt: skip
    middles = np.cumsum(LENGTHS) - 0.5 * np.array(LENGTHS)
    for number, (one, other, stiffness) in enumerate(TENDONS, start=1):
        side = (OFF, 0.0, 0.0)
        scene.add_spring(
            f"{name}-link-{one}", f"{name}-link-{other}", point_a=side, point_b=side, stiffness=stiffness,
            damping=0.02 * stiffness, rest_length=0.9 * float(middles[other - 1] - middles[one - 1]),
            name=f"{name}-tendon-{number}",
        )  # fmt: skip


def tool_at(time: float) -> Array:
    """Where hard servos have the tool of the first arm at this time (s), m."""
    turn, position = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
    for axis, speed, length in zip(AXES, SPEEDS, LENGTHS, strict=True):
        turn = multiply(turn, from_axis_angle(axis, speed * time))
        position = position + rotate(turn, (0.0, 0.0, length))
    return position + rotate(turn, (0.0, 0.0, 0.5 * TOOL))


def check(recording: Recording) -> None:
    """Joints hold to 1e-6 m. With hard servos a tool of at most 10 kg follows its curve to 0.1 mm.

    With soft ones it ends as far from the curve's end as gravity and tendons push the servos: 50 mm at most.
    """
    expect_joined(recording, violation=1e-6)
    path = recording.body("arm-1-tool").position
    if recording.body("arm-1-tool").mass > LIFT:
        return
    if recording.info.parameters["servo"] == "hard":
        curve = np.array([tool_at(time) for time in recording.time])
        expect_near(recording, "the tool's position in m", path, curve, 1e-4)
    elif recording.time[-1] >= DURATION - 1e-9:
        miss = float(np.linalg.norm(path[-1] - tool_at(DURATION)))
        expect(miss <= 0.05, f"the tool is {miss:.3g} m from the end of its curve; at most 0.05 m is right")
