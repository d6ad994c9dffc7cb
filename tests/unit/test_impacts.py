"""Impacts with restitution against their closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.shapes import Box, Capsule, Sphere


def collide(mass_a: float, mass_b: float, restitution: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocities along x of two balls before and after they hit head on, without gravity."""
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), friction=0.0)
    scene.add_body("a", Sphere(0.1), mass=mass_a, position=(-0.5, 0, 0), velocity=(3.0, 0, 0), restitution=restitution)
    scene.add_body("b", Sphere(0.1), mass=mass_b, position=(0.2, 0, 0), velocity=(-1.0, 0, 0), restitution=restitution)
    simulation = taut.Simulation(scene)
    before = simulation.state.velocity[1:, 0].copy()
    for _ in range(30):
        simulation.step()
    return before, simulation.state.velocity[1:, 0]


@pytest.mark.parametrize("restitution", [0.3, 0.7, 1.0])
@pytest.mark.parametrize("mass", [1.0, 1000.0])
def test_two_balls(mass: float, restitution: float) -> None:
    before, after = collide(1.0, mass, restitution)
    assert after[1] - after[0] == pytest.approx(-restitution * (before[1] - before[0]), rel=1e-6)
    assert after @ [1.0, mass] == pytest.approx(before @ [1.0, mass], rel=1e-9)


def test_a_row_of_balls_hands_the_blow_on() -> None:
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), friction=0.0)
    for index in range(5):
        speed = 2.0 if index == 0 else 0.0
        place = (0.2 * index - (0.3 if index == 0 else 0.0), 0.0, 0.0)
        scene.add_body(f"ball-{index}", Sphere(0.1), mass=1.0, position=place, velocity=(speed, 0, 0), restitution=1.0)
    simulation = taut.Simulation(scene)
    for _ in range(20):
        simulation.step()
    assert simulation.state.velocity[1:, 0] == pytest.approx([0.0, 0.0, 0.0, 0.0, 2.0], abs=1e-6)


def test_without_restitution_nothing_leaves_the_ground() -> None:
    """Whatever the height and the first frames: the two-step formula must not throw a body back."""
    for height in (0.2, 0.31, 1.0):
        scene = taut.Scene()
        scene.add_plane()
        scene.add_body("ball", Sphere(0.01), mass=1.0, position=(0, 0, height), velocity=(0, 0, -10.0))
        simulation = taut.Simulation(scene)
        for _ in range(15):
            simulation.step()
            assert simulation.body("ball").velocity[2] < 1e-3


def test_a_spinning_rod_gains_no_energy() -> None:
    scene = taut.Scene(friction=0.8)
    scene.add_plane(restitution=0.5)
    scene.add_body(
        "rod", Capsule(0.05, 1.0), mass=5.0, position=(0, 0, 1.0), orientation=(0.9, 0.3, 0.2, 0.245),
        angular_velocity=(3.0, 5.0, 20.0),
    )  # fmt: skip
    simulation = taut.Simulation(scene)
    energy = simulation.state.energy
    for _ in range(120):
        simulation.step()
        assert simulation.state.energy <= energy * 1.01
        energy = max(simulation.state.energy, 1.0)


@pytest.mark.parametrize("law", ["box", "cone"])
@pytest.mark.parametrize(("speed", "friction"), [(5.0, 0.2), (5.0, 0.4), (1.0, 0.9)])
def test_friction_of_an_oblique_blow(law: str, speed: float, friction: float) -> None:
    """A ball that slides throughout loses mu (1 + e) v_n; one that sticks leaves rolling, with 5/7 of its speed."""
    restitution, fall, radius = 0.8, 2.0, 0.1
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), friction=friction)
    scene.add_plane(restitution=restitution)
    scene.add_body("ball", Sphere(radius), mass=2.0, position=(0, 0, 0.3), velocity=(speed, 0, -fall))
    simulation = taut.Simulation(scene, friction=law)
    simulation.run(0.3)
    loss = min(friction * (1.0 + restitution) * fall, 2.0 / 7.0 * speed)
    ball = simulation.body("ball")
    assert ball.velocity == pytest.approx([speed - loss, 0.0, restitution * fall], abs=1e-6)
    assert ball.angular_velocity == pytest.approx([0.0, 2.5 * loss / radius, 0.0], abs=1e-6)


def test_restitution_with_friction_gains_no_energy() -> None:
    """A slanted rod whose tip slips back: Newton's law with friction would raise its energy by 17 %."""
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), friction=0.5)
    scene.add_plane(restitution=1.0)
    slant = (np.cos(np.pi / 8), 0.0, np.sin(np.pi / 8), 0.0)
    scene.add_body("rod", Capsule(0.02, 1.0), mass=1.0, position=(0, 0, 0.6), orientation=slant, velocity=(1.8, 0, -3))
    simulation = taut.Simulation(scene, step=1 / 240)
    energy, blows = simulation.state.energy, 0
    for _ in range(29):
        assert simulation.step().energy <= energy * (1.0 + 1e-6)
        blows += bool(simulation.contacts.blow.any())
    assert blows == 1


def test_blows_come_in_the_order_of_time() -> None:
    """A heavy ball is hit from the left, moves on, and is hit from the right within the same step."""
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), friction=0.0)
    for name, mass, place, speed in (("left", 1.0, -0.3, 6.0), ("heavy", 3.0, 0.0, 0.0), ("right", 1.0, 0.33, -6.0)):
        scene.add_body(name, Sphere(0.1), mass=mass, position=(place, 0, 0), velocity=(speed, 0, 0), restitution=1.0)
    simulation = taut.Simulation(scene, step=0.05)
    simulation.run(0.2)
    assert simulation.state.velocity[1:, 0] == pytest.approx([-3.0, -1.5, 7.5], abs=1e-6)


def test_a_long_row_of_balls_hands_the_blow_on() -> None:
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), friction=0.0)
    for index in range(40):
        speed, place = (2.0, -0.3) if index == 0 else (0.0, 0.2 * index)
        scene.add_body(f"ball-{index}", Sphere(0.1), mass=1.0, position=(place, 0, 0), velocity=(speed, 0, 0),
                       restitution=1.0)  # fmt: skip
    simulation = taut.Simulation(scene)
    simulation.run(0.3)
    assert simulation.state.velocity[-1, 0] == pytest.approx(2.0, rel=0.02)
    assert np.abs(simulation.state.velocity[1:-1, 0]).max() < 0.01


@pytest.mark.parametrize("clearance", [0.02, 0.1])
def test_a_ball_between_walls_meets_both_within_a_step(clearance: float) -> None:
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), friction=0.0)
    for name, side in (("left", -1.0), ("right", 1.0)):
        scene.add_body(name, Box(1, 1, 1), fixed=True, position=(side * (0.6 + clearance / 2), 0, 0), restitution=1.0)
    scene.add_body("ball", Sphere(0.1), mass=1.0, velocity=(10, 0, 0), restitution=1.0)
    simulation = taut.Simulation(scene)
    for _ in range(60):
        simulation.step()
        assert abs(simulation.body("ball").position[0]) < clearance / 2 + 1e-6
    assert simulation.state.energy == pytest.approx(50.0, rel=1e-6)
