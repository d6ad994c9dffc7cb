"""Dry friction against closed forms: sliding to a stop, sticking and slipping on a slope, rope over a drum."""

from __future__ import annotations

import numpy as np
import pytest
from verification.mechanisms import run

import taut
from taut import scenes
from taut.shapes import Box

G = 9.81
MODES = ["box", "box-refined", "cone"]


@pytest.mark.parametrize("friction", MODES)
def test_block_slides_to_a_stop(friction):
    speed, mu = 3.0, 0.5
    recording = run(scenes.build("sliding_block", speed=speed, friction=mu), 0.8, step=1e-3, friction=friction)
    block = recording.body("block")
    assert block.position[-1, 0] == pytest.approx(speed**2 / (2.0 * mu * G), rel=0.01)
    stopped = recording.time[np.argmax(np.abs(block.velocity[:, 0]) < 1e-9)]
    assert stopped == pytest.approx(speed / (mu * G), rel=0.01)
    assert np.abs(block.velocity[-1]).max() <= 1e-9


@pytest.mark.parametrize("angle", [0.0, 30.0, 45.0])
def test_cone_is_the_same_in_all_directions(angle):
    speed, mu = 2.0, 0.4
    along = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0])
    scene = taut.Scene(friction=mu)
    scene.add_plane()
    scene.add_body("block", Box(0.4, 0.4, 0.1), mass=1.0, position=(0.0, 0.0, 0.05), velocity=speed * along)
    recording = run(scene, 0.8, step=1e-3, friction="cone")
    stop = recording.body("block").position[-1]
    assert recording.column("friction_residual").max() <= 1e-3
    np.testing.assert_allclose(stop[:2], speed**2 / (2.0 * mu * G) * along[:2], atol=0.01 * speed**2 / (2.0 * mu * G))


@pytest.mark.parametrize("angle", [0.0, 17.0, 45.0, 70.0])
def test_cone_decelerates_the_same_in_all_directions(angle):
    """A long block, whose corners are not as easily pushed along as across, slows down by mu g and keeps its course."""
    mu = 0.4
    along = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0])
    scene = taut.Scene(friction=mu)
    scene.add_plane()
    scene.add_body("block", Box(1.0, 0.2, 0.02), mass=1.0, position=(0.0, 0.0, 0.01), velocity=3.0 * along)
    recording = run(scene, 0.5, step=1 / 240, friction="cone")
    half = len(recording.time) // 2
    velocity, time = recording.body("block").velocity, recording.time
    slowing = (velocity[half] - velocity[-1]) / (time[-1] - time[half])
    np.testing.assert_allclose(slowing, mu * G * along, atol=1e-3 * mu * G)


@pytest.mark.parametrize("friction", ["box-refined", "cone"])
def test_heavy_block_slides_off_a_light_one(friction):
    """1e6 kg on 1 kg, a tenth steeper than friction holds; stiff contacts: a tilt of 1 mrad is 3 % of what is left."""
    mu = 0.4
    angle = np.arctan(1.1 * mu)
    gravity = (G * np.sin(angle), 0.0, -G * np.cos(angle))
    scene = taut.Scene(friction=mu, contact_compliance=1e-12, gravity=gravity)
    scene.add_plane()
    scene.add_body("light", Box(1.0, 1.0, 0.2), mass=1.0, position=(0.0, 0.0, 0.1))
    scene.add_body("heavy", Box(0.8, 0.8, 0.4), mass=1e6, position=(0.0, 0.0, 0.4))
    recording = run(scene, 0.5, step=1 / 60, friction=friction)
    speed, half = recording.body("heavy").velocity[:, 0], len(recording.time) // 2
    measured = (speed[-1] - speed[half]) / (recording.time[-1] - recording.time[half])
    assert measured == pytest.approx(G * (np.sin(angle) - mu * np.cos(angle)), rel=2e-3)


@pytest.mark.parametrize("friction", MODES)
@pytest.mark.parametrize("step", [1e-3, 1 / 60])
def test_block_sticks_below_and_slides_above_the_friction_angle(step, friction):
    angle, margin = 25.0, 0.02
    recording = run(scenes.build("incline", angle=angle, margin=margin), 1.0, step=step, friction=friction)
    rest, half = recording.body("sticks").position, np.searchsorted(recording.time, 0.5)
    creep = np.linalg.norm(rest[-1] - rest[half]) / (recording.time[-1] - recording.time[half])
    assert creep <= 1e-6
    expected = G * np.sin(np.radians(angle)) * margin
    speed = np.linalg.norm(recording.body("slides").velocity, axis=1)
    measured = (speed[-1] - speed[half]) / (recording.time[-1] - recording.time[half])
    assert measured == pytest.approx(expected, rel=0.01)


def test_pair_friction_is_the_geometric_mean():
    scene = taut.Scene(friction=0.8)
    scene.add_plane(friction=0.2)
    scene.add_body("block", Box(0.4, 0.4, 0.1), mass=1.0, position=(0.0, 0.0, 0.05), velocity=(2.0, 0.0, 0.0))
    recording = run(scene, 1.0, step=1e-3)
    assert recording.body("block").position[-1, 0] == pytest.approx(4.0 / (2.0 * 0.4 * G), rel=0.01)


def test_no_friction_slides_for_ever():
    recording = run(scenes.build("sliding_block", speed=2.0, friction=0.0), 1.0, step=1 / 60)
    np.testing.assert_allclose(recording.body("block").velocity[-1], (2.0, 0.0, 0.0), atol=1e-9)


@pytest.mark.parametrize("friction", [0.15, 0.25])
def test_rope_over_a_drum_holds_up_to_the_capstan_limit(friction):
    limit = float(np.exp(friction * np.pi))
    sunk = {}
    for share in (0.97, 1.03):
        recording = run(scenes.build("capstan", ratio=share * limit, friction=friction), 1.0, step=1 / 60)
        height = recording.body("load").position[:, 2]
        half = len(height) // 2
        sunk[share] = (height[half] - height[-1]) / (recording.time[-1] - recording.time[half])
    # beyond the limit it falls with (T2 - T1 e) / (m1 + m2), 3 % of the load's share: 0.1 m/s after half a second
    assert abs(sunk[0.97]) <= 1e-4
    assert sunk[1.03] >= 0.02
