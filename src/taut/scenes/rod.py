"""A needle of 20 cm and 1.5 g, cut into pieces that are welded together, swings from its end and stays straight.

17 pieces, 102 degrees of freedom, joined by 96 rows and hung on a hinge: the rod of the InSimo slides (20 cm, 1.5 g,
100 dofs), where Gauss-Seidel needs more iterations than there is time for (`taut bench stepping`). What it is pinned to
and that it swings is ours: a steel needle of 0.55 mm radius, let go horizontally. The slides' step is 0.01 ms.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.joints.fixed import Fixed
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_below, expect_energy, expect_joined, expect_near
from taut.scenes._pendulum import pendulum_angle
from taut.shapes import Cylinder
from taut.spatial import Array, from_two_vectors

DURATION = 1.0

LENGTH, MASS, RADIUS = 0.2, 1.5e-3, 0.55e-3
SHORT = 2e-3
"""Step that resolves the swing, 0.73 s, well, s."""


def build(pieces: int = 17) -> Scene:
    """Build the rod from `piece-1` at the hinge to the last piece at its free end.

    Args:
        pieces: that it is cut into; each has six degrees of freedom.
    """
    count = int(checks.number("scene 'rod'", "pieces", pieces, at_least=2))
    length = LENGTH / count
    shape, turn = Cylinder(RADIUS, length), from_two_vectors((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    scene = Scene(collisions=False)
    for number in range(1, count + 1):
        place = ((number - 0.5) * length, 0.0, 0.0)
        scene.add_body(f"piece-{number}", shape, mass=MASS / count, position=place, orientation=turn)
        end = ((number - 1) * length, 0.0, 0.0)
        if number == 1:
            scene.connect("world", "piece-1", Revolute(axis=(0.0, 1.0, 0.0)), at=end, name="hinge")
        else:
            scene.connect(f"piece-{number - 1}", f"piece-{number}", Fixed(), at=end, name=f"weld-{number}")
    return scene


def check(recording: Recording) -> None:
    """Joints hold to 1e-8 m at steps up to 2 ms, else to 1e-6 m, the rod is straight to 1e-9 m, energy does not rise.

    It swings as a rigid rod does, with an error of second order: 1,000 rad/s^2 times the square of the step, for every
    second.
    """
    step = recording.info.step
    expect_joined(recording, violation=1e-8 if step <= SHORT else 1e-6)
    expect_energy(recording, scale=9.81 * MASS * LENGTH, loss=np.inf)
    place = places(recording)
    expect_below(recording, "bend in m", bend(place), 1e-9)
    angle = np.arctan2(place[:, -1, 0], -place[:, -1, 2])
    rigid = pendulum_angle(recording.time, 0.5 * np.pi, moment_arm(place.shape[1]))
    expect_near(recording, "the angle in rad", angle, rigid, 1e3 * step**2 * max(1.0, recording.time[-1]))


def places(recording: Recording) -> Array:
    """Centres (frames, pieces, 3) of the pieces, from the hinge, m."""
    names = recording.info.body_names
    return np.stack([recording.body(name).position for name in names], axis=1)


def bend(place: Array) -> Array:
    """Largest distance (frames,) of a piece's centre from the line from the hinge to the last one, m."""
    along = place[:, -1] / np.linalg.norm(place[:, -1], axis=1)[:, None]
    across = place - np.einsum("fpi,fi->fp", place, along)[..., None] * along[:, None]
    return np.asarray(np.linalg.norm(across, axis=2).max(axis=1))


def moment_arm(pieces: int) -> float:
    """Length of the point pendulum that swings as the rod does: 2 L / 3, and a little for its thickness, m."""
    piece = Cylinder(RADIUS, LENGTH / pieces)
    inertia = MASS * (LENGTH**2 / 12.0 + piece.radius**2 / 4.0 + (0.5 * LENGTH) ** 2)
    return inertia / (MASS * 0.5 * LENGTH)
