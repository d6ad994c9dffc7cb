"""A heavy bead slides out along a light straight wire that a motor turns about the vertical.

The wire of 4 m and 0.1 kg is hinged at the origin and leans `lean` degrees from the vertical; the bead of 10 kg runs
on it without friction. At the distance s_0 = g cos(lean)/(omega sin(lean))^2 gravity and the turning balance,
unstably. From rest on the wire `offset` m beyond it the distance is s = s_0 + offset cosh(omega sin(lean) t).
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.drive import Motor
from taut.joints.point_on_line import PointOnLine
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_joined, expect_near
from taut.shapes import Cylinder, Sphere
from taut.spatial import from_two_vectors

DURATION = 1.5

SPEED = 3.0
"""Rate of turn of the wire, rad/s."""
WIRE = Cylinder(radius=0.01, length=4.0)
Z = (0.0, 0.0, 1.0)


def build(lean: float = 60.0, offset: float = 0.1) -> Scene:
    """Build the wire and the bead.

    Args:
        lean: of the wire from the vertical, degrees; 90 is level.
        offset: distance of the bead from its balance at the start, m.
    """
    owner = "scene 'bead_on_wire'"
    angle = np.radians(checks.number(owner, "lean", lean, above=0.0))
    along = np.array([np.sin(angle), 0.0, np.cos(angle)])
    start = (balance(along) + checks.number(owner, "offset", offset)) * along
    spin = SPEED * np.array(Z)
    middle = 0.5 * WIRE.length * along
    scene = Scene(collisions=False)
    scene.add_body(
        "wire", WIRE, mass=0.1, position=middle, orientation=from_two_vectors(Z, along),
        velocity=np.cross(spin, middle), angular_velocity=spin,
    )  # fmt: skip
    scene.add_body("bead", Sphere(0.05), mass=10.0, position=start, velocity=np.cross(spin, start))
    scene.connect("world", "wire", Revolute(axis=Z, motor=Motor(speed=SPEED)), at=(0.0, 0.0, 0.0), name="motor")
    scene.connect("wire", "bead", PointOnLine(axis=tuple(along)), at=start, name="bead-on-wire")
    scene.add_control("turn", joint="motor", keys=("J", "L"))
    return scene


def check(recording: Recording) -> None:
    """The bead stays on the wire to 1e-5 m and slides out as it must, to 2 % of the way it has gone and 1 mm."""
    expect_joined(recording, violation=1e-5)
    bead = recording.body("bead")
    start = float(np.linalg.norm(bead.position[0]))
    along = bead.position[0] / start
    offset = start - balance(along)
    distance = balance(along) + offset * np.cosh(SPEED * np.hypot(along[0], along[1]) * recording.time)
    error = (np.linalg.norm(bead.position, axis=1) - distance) / (1e-3 + 0.02 * np.abs(distance - start))
    expect_near(recording, "the bead's distance, as a share of what is allowed", error, np.zeros_like(error), 1.0)


def balance(along: np.ndarray) -> float:
    """Distance along the wire's direction (3,) where a turning bead would stay, m."""
    return float(9.81 * along[2] / (SPEED**2 * (along[0] ** 2 + along[1] ** 2)))
