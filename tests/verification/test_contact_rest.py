"""Bodies that must stay where they are: held, stacked, loaded."""

from __future__ import annotations

import numpy as np
import pytest
from verification.mechanisms import run

import taut
from taut import scenes
from taut.results.record import Recording
from taut.shapes import Box, Capsule, Cylinder, Sphere
from taut.spatial import from_two_vectors


def creep(recording: Recording, name: str, since: float) -> float:
    """Mean speed of a body from a time on, m/s."""
    position, start = recording.body(name).position, int(np.searchsorted(recording.time, since))
    return float(np.linalg.norm(position[-1] - position[start]) / (recording.time[-1] - recording.time[start]))


@pytest.mark.parametrize("friction", ["box", "cone"])
def test_held_capsule_does_not_creep(friction):
    recording = run(scenes.build("pinched_capsule"), 3.0, step=1 / 60, friction=friction)
    assert creep(recording, "capsule", since=1.0) <= 1e-6
    assert np.linalg.norm(recording.body("capsule").position[-1]) <= 1e-4


def test_capsule_that_is_held_too_weakly_falls():
    # friction 0.5 and two pads hold as much as they are pushed with
    recording = run(scenes.build("pinched_capsule", force=4.0), 0.1, step=1e-3)
    weight = 0.5 * 9.81
    drop = 0.5 * (9.81 - 4.0 / 0.5) * recording.time[-1] ** 2
    assert weight > 4.0
    assert -recording.body("capsule").position[-1, 2] == pytest.approx(drop, rel=0.05)


@pytest.mark.parametrize("ratio", [1e2, 1e4, 1e6])
def test_heavy_box_rests_on_a_light_one(ratio):
    recording = run(scenes.build("heavy_on_light", ratio=ratio), 10.0, step=1 / 60)
    scenes.get("heavy_on_light").check(recording)
    assert recording.column("penetration").max() <= 1e-3
    for name in ("light", "heavy"):
        assert creep(recording, name, since=1.0) <= 1e-6


def test_stack_with_a_heavy_box_stands():
    recording = run(scenes.build("stack_of_boxes"), 5.0, step=1 / 60)
    shift = np.linalg.norm(recording.positions - recording.positions[0], axis=2)
    assert shift.max() <= 1e-3
    assert max(creep(recording, name, since=1.0) for name in recording.info.body_names) <= 1e-6


@pytest.mark.slow
def test_stack_stands_half_a_minute():
    recording = run(scenes.build("stack_of_boxes"), 30.0, step=1 / 60)
    assert np.linalg.norm(recording.positions - recording.positions[0], axis=2).max() <= 1e-3


@pytest.mark.parametrize(
    ("shape", "up"),
    [
        (Box(0.3, 0.2, 0.1), (0.0, 0.0, 1.0)),
        (Cylinder(0.1, 0.3), (0.0, 0.0, 1.0)),
        (Cylinder(0.1, 0.3), (0.0, 1.0, 0.0)),
        (Capsule(0.1, 0.3), (0.0, 1.0, 0.0)),
        (Sphere(0.1), (0.0, 0.0, 1.0)),
    ],
)
def test_dropped_body_comes_to_rest_with_the_deflection_of_its_weight(shape, up):
    height = 0.15 if isinstance(shape, Cylinder) and up[2] else 0.05 if isinstance(shape, Box) else 0.1
    mass, compliance = 200.0, 1e-8
    scene = taut.Scene(contact_compliance=compliance)
    scene.add_plane()
    turn = from_two_vectors((0.0, 0.0, 1.0), up)
    scene.add_body("body", shape, mass=mass, position=(0.0, 0.0, height + 0.02), orientation=turn)
    recording = run(scene, 2.0, step=1 / 60)
    points = int(recording.column("contacts")[-1])
    assert points >= 1
    sunk = height - recording.body("body").position[-1, 2]
    assert sunk == pytest.approx(mass * 9.81 * compliance / points, rel=1e-3)
    assert creep(recording, "body", since=1.0) <= 1e-6
    assert np.linalg.norm(recording.body("body").velocity[-1]) <= 1e-6


def test_bodies_that_start_overlapped_do_not_pop():
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0.0, 0.0, 0.07))
    recording = run(scene, 1.0, step=1 / 60)
    assert recording.body("ball").velocity[:, 2].max() <= 0.2
    assert recording.body("ball").position[:, 2].max() <= 0.1 + 1e-3
    assert recording.body("ball").position[-1, 2] == pytest.approx(0.1, abs=1e-5)


def test_tower_of_crossed_logs_stands():
    recording = run(scenes.build("log_tower", layers=10, arrival=100.0, speed=0.0), 3.0, step=1 / 60)
    assert recording.column("penetration").max() <= 1e-4
    shift = np.linalg.norm(recording.positions - recording.positions[0], axis=2)
    assert shift.max() <= 1e-4
