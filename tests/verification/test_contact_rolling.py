"""Spheres that roll and slide, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from verification.mechanisms import run

import taut
from taut import scenes
from taut.shapes import Cylinder, Sphere
from taut.spatial import from_two_vectors

G = 9.81
AFTER_1_S = 1.8135820232
"""5/7 g sin(15), m/s."""


@pytest.mark.parametrize("friction", ["box", "box-refined", "cone"])
@pytest.mark.parametrize("step", [1e-3, 1 / 60])
def test_sphere_rolls_down_a_slope(step, friction):
    recording = run(scenes.build("rolling_sphere"), 1.0, step=step, friction=friction)
    ball = recording.body("ball")
    assert np.linalg.norm(ball.velocity[-1]) == pytest.approx(AFTER_1_S, rel=0.01)
    turning = scenes.rolling_sphere.RADIUS * np.linalg.norm(ball.angular_velocity[-1])
    assert turning == pytest.approx(AFTER_1_S, rel=0.01)


def test_sphere_slips_where_friction_is_too_low():
    friction, slope = 0.05, np.radians(15.0)
    recording = run(scenes.build("rolling_sphere", friction=friction), 1.0, step=1e-3)
    ball = recording.body("ball")
    assert np.linalg.norm(ball.velocity[-1]) == pytest.approx(G * (np.sin(slope) - friction * np.cos(slope)), rel=0.01)
    spin = 2.5 * friction * G * np.cos(slope) / scenes.rolling_sphere.RADIUS
    assert np.linalg.norm(ball.angular_velocity[-1]) == pytest.approx(spin, rel=0.01)


@pytest.mark.parametrize("direction", [0.0, 30.0])
@pytest.mark.parametrize("friction", ["box", "cone"])
def test_thrown_sphere_rolls_at_five_sevenths_of_its_speed(friction, direction):
    speed, mu, radius = 2.0, 0.3, 0.1
    along = np.array([np.cos(np.radians(direction)), np.sin(np.radians(direction)), 0.0])
    scene = taut.Scene(friction=mu)
    scene.add_plane()
    scene.add_body("ball", Sphere(radius), mass=2.0, position=(0.0, 0.0, radius), velocity=speed * along)
    recording = run(scene, 0.4, step=1e-3, friction=friction)
    ball = recording.body("ball")
    np.testing.assert_allclose(ball.velocity[-1], 5.0 / 7.0 * speed * along, atol=0.01 * speed)
    # it slides until then: slip is the speed at the lowest point
    slip = np.linalg.norm(ball.velocity - radius * np.cross(ball.angular_velocity, (0.0, 0.0, 1.0)), axis=1)
    rolls = recording.time[np.argmax(slip < 1e-3 * speed)]
    assert rolls == pytest.approx(2.0 * speed / (7.0 * mu * G), rel=0.01, abs=2e-3)


def test_rolling_friction_brings_a_cylinder_to_rest():
    # the torque b N acts on m r^2 / 2 + m r^2: deceleration (2/3) g b / r
    speed, radius, arm = 1.0, 0.1, 0.01
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body(
        "roller", Cylinder(radius, 0.4), mass=3.0, position=(0.0, 0.0, radius), velocity=(speed, 0.0, 0.0),
        orientation=from_two_vectors((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)), angular_velocity=(0.0, speed / radius, 0.0),
        rolling_friction=arm,
    )  # fmt: skip
    recording = run(scene, 2.0, step=1e-3)
    deceleration = 2.0 / 3.0 * G * arm / radius
    position = recording.body("roller").position[:, 0]
    assert position[-1] == pytest.approx(speed**2 / (2.0 * deceleration), rel=0.01)
    assert abs(position[-1] - position[-100]) <= 1e-7


def test_torsional_friction_stops_a_spinning_sphere():
    # the torque b N acts on 2/5 m r^2
    spin, radius, arm = 20.0, 0.1, 0.004
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body(
        "ball", Sphere(radius), mass=1.0, position=(0.0, 0.0, radius), angular_velocity=(0.0, 0.0, spin),
        torsional_friction=arm,
    )  # fmt: skip
    recording = run(scene, 1.0, step=1e-3)
    rate = recording.body("ball").angular_velocity[:, 2]
    slowing = arm * G / (0.4 * radius**2)
    np.testing.assert_allclose(rate, np.maximum(spin - slowing * recording.time, 0.0), atol=0.01 * spin)
