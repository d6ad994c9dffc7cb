"""A heavy wheel spins on a tip and precesses steadily instead of falling over.

A disc of 10 kg, 0.5 m in radius and 0.05 m thick, its centre 0.1 m above the tip at the origin, on a ball joint,
tilted by 20 degrees. The spin is chosen so that precession at `precession` is steady: with A the moment across the
axis about the tip and C that along it, C omega_3 Omega - A Omega^2 cos(tilt) = m g l (Goldstein, Classical Mechanics,
sec. 5.7).
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.spherical import Spherical
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_energy, expect_joined, expect_near
from taut.shapes import Cylinder
from taut.spatial import from_axis_angle

DURATION = 10.0

MASS, HEIGHT = 10.0, 0.1
DISC = Cylinder(radius=0.5, length=0.05)


def build(precession: float = 0.5, tilt: float = 20.0) -> Scene:
    """Build the top.

    Args:
        precession: rate of the axis about the vertical, rad/s.
        tilt: of the axis from the vertical, degrees.
    """
    owner = "scene 'spinning_top'"
    rate = checks.number(owner, "precession", precession, above=0.0)
    angle = np.radians(checks.number(owner, "tilt", tilt))
    axis, up = np.array([np.sin(angle), 0.0, np.cos(angle)]), np.array([0.0, 0.0, 1.0])
    across, _, along = MASS * DISC.unit_inertia
    about_tip = across + MASS * HEIGHT**2
    spin = (MASS * 9.81 * HEIGHT / rate + about_tip * rate * np.cos(angle)) / along
    angular_velocity = spin * axis + rate * (up - np.cos(angle) * axis)
    scene = Scene(collisions=False)
    scene.add_body(
        "top", DISC, mass=MASS, position=HEIGHT * axis, orientation=from_axis_angle((0.0, 1.0, 0.0), angle),
        velocity=np.cross(angular_velocity, HEIGHT * axis), angular_velocity=angular_velocity,
    )  # fmt: skip
    scene.connect("world", "top", Spherical(), at=(0.0, 0.0, 0.0), name="tip")
    return scene


def check(recording: Recording) -> None:
    """The tip holds to 1e-5 m, energy to 0.1 % of the spin's, and the centre goes round steadily, to 2 mm."""
    expect_joined(recording, violation=1e-5)
    top = recording.body("top")
    start = top.position[0]
    spin = float(np.linalg.norm(top.angular_velocity[0]))
    expect_energy(recording, scale=0.5 * MASS * DISC.unit_inertia[2] * spin**2, loss=1e-3, gain=1e-3)
    rate = top.velocity[0, 1] / start[0]
    angle = rate * recording.time
    closed_form = np.stack([start[0] * np.cos(angle), start[0] * np.sin(angle), np.full_like(angle, start[2])], axis=1)
    expect_near(recording, "the centre's position in m", top.position, closed_form, 2e-3)
