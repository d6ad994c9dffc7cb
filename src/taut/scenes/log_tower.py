"""A tower of 160 logs with a 2,500 kg box on top, until a rolling ball hits its base [Peiret2019].

40 layers of 4 logs of 50 kg, each layer across the one below, and so a stack of roller bearings: nothing but friction
between round things holds it, and any error of a solver shows. Logs are capsules of 0.1 m radius and 2.2 m length; four
of them lie 0.6 m apart. The box is 2 x 2 x 1 m; the ball of 500 kg and 0.4 m radius comes along x. The paper gives
counts and masses; dimensions are ours. It runs in real time at h = 1/60 s: `taut bench piles` measured 0.8 ms a frame
while it stands and 8 ms while it falls, 25 ms at worst.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_below, expect_contacts
from taut.shapes import Box, Capsule, Sphere
from taut.spatial import from_two_vectors

DURATION = 8.0
PICTURE = 4.7

LOG = Capsule(radius=0.1, length=2.0)
LOG_MASS, LOGS_IN_A_LAYER, SPACING = 50.0, 4, 0.6
BOX, BOX_MASS = Box(2.0, 2.0, 1.0), 2500.0
BALL, BALL_MASS = Sphere(0.4), 500.0


def build(layers: int = 40, speed: float = 6.0, arrival: float = 4.0, friction: float = 0.5) -> Scene:
    """Build the tower.

    Args:
        layers: of four logs.
        speed: of the ball, m/s.
        arrival: when the ball touches the tower, s.
        friction: between all bodies.
    """
    owner = "scene 'log_tower'"
    layers = int(checks.number(owner, "layers", layers, at_least=1))
    arrival = checks.number(owner, "arrival", arrival, at_least=0.0)
    scene = Scene(friction=friction)
    scene.add_plane()
    for layer in range(layers):
        add_layer(scene, layer)
    height = 2.0 * LOG.radius * layers
    scene.add_body("box", BOX, mass=BOX_MASS, position=(0.0, 0.0, height + 0.5 * BOX.z))
    start = near_side() - BALL.radius - speed * arrival
    rolling = (0.0, speed / BALL.radius, 0.0)
    place, motion = (start, 0.0, BALL.radius), (speed, 0.0, 0.0)
    scene.add_body("ball", BALL, mass=BALL_MASS, position=place, velocity=motion, angular_velocity=rolling)
    return scene


def add_layer(scene: Scene, layer: int) -> None:
    """Four logs side by side: along y in even layers, along x in odd ones; `log-<layer>-<number>`."""
    along, across = (np.eye(3)[1], np.eye(3)[0]) if layer % 2 == 0 else (np.eye(3)[0], np.eye(3)[1])
    turn = from_two_vectors((0.0, 0.0, 1.0), along)
    for number in range(LOGS_IN_A_LAYER):
        aside = (number - 0.5 * (LOGS_IN_A_LAYER - 1)) * SPACING
        place = aside * across + (0.0, 0.0, (2 * layer + 1) * LOG.radius)
        scene.add_body(f"log-{layer + 1}-{number + 1}", LOG, mass=LOG_MASS, position=place, orientation=turn)


def near_side() -> float:
    """The x of the tower's side where the ball comes from: the ends of the logs that lie along x, m."""
    return -0.5 * LOG.length - LOG.radius


def check(recording: Recording) -> None:
    """Every frame is solved; until the ball arrives no log moves or overlaps by 1 mm, and then the tower is hit."""
    expect_contacts(recording, penetration=5e-3)
    arrival = recording.info.parameters["arrival"]
    standing = recording.time < arrival - 0.05
    depth = np.where(standing, recording.column("penetration"), 0.0)
    expect_below(recording, "penetration in m before the ball comes", depth, 1e-3)
    tower = [name != "ball" for name in recording.info.body_names]
    shift = np.linalg.norm(recording.positions[:, tower] - recording.positions[0, tower], axis=2).max(axis=1)
    expect_below(recording, "shift in m before the ball comes", np.where(standing, shift, 0.0), 1e-3)
    if recording.time[-1] > arrival + 0.5:
        expect(shift[-1] > 0.05, "the ball never hit the tower")
