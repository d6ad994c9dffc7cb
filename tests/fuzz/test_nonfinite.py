"""Bodies whose poses are not numbers, as a failed solve may leave them, touch nothing and crash nothing."""

from __future__ import annotations

from fresh_python import run_python

COLLIDE = """
import numpy as np
import taut
from taut.shapes import Box, Capsule, Cylinder

scene = taut.Scene()
scene.add_plane()
shapes = Box(1, 1, 1), Cylinder(0.5, 1), Capsule(0.3, 1)
for number in range(12):
    scene.add_body(f"body-{number}", shapes[number % 3], mass=1, position=(0.5 * number, 0, 0.6))
sim = taut.Simulation(scene)
collider, place, turn = sim.stepper.collider, sim.state.position, np.tile(np.eye(3).ravel(), (13, 1))
touched = 0
for seed in range(300):
    lost = np.random.default_rng(seed).random(13) < 0.5
    lost[0] = False
    where, which = np.where(lost[:, None], np.nan, place), np.where(lost[:, None], np.nan, turn)
    contacts = collider.contacts(where, which, np.full(13, 0.1))
    touched += np.count_nonzero(lost[contacts.body_a] | lost[contacts.body_b])
print(touched)
"""


def test_lost_bodies_touch_nothing() -> None:
    """In a process of its own, which a wild index would end."""
    done = run_python("-c", COLLIDE)
    assert (done.returncode, done.stdout.strip()) == (0, "0"), done.stderr
