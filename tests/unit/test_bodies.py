"""Free, fixed and hanging bodies: initial velocities, centre of mass, damping, loads, springs, ropes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sample_mechanisms import GRAVITY, INERTIA, MASS, advance, falling_on_a_rope, one_body

import taut
from taut.joints import Distance, Fixed, Rope, Spherical


@pytest.mark.parametrize("integrator", ["euler", "bdf2"])
def test_free_flight(integrator: str) -> None:
    simulation = one_body(None, (0, 0, -GRAVITY), integrator=integrator, position=(1, 2, 3), velocity=(1, -2, 5))
    advance(simulation, 1.0)
    assert simulation.body("b").velocity == pytest.approx([1, -2, 5 - GRAVITY], rel=1e-12)
    error = GRAVITY / 2 / 60 if integrator == "euler" else 2e-4
    assert simulation.body("b").position == pytest.approx([2, 0, 8 - GRAVITY / 2], abs=1.01 * error)


def test_spin_about_a_principal_axis_turns_by_rate_times_time() -> None:
    simulation = one_body(None, angular_velocity=(0, 0, 2.0))
    advance(simulation, 1.0)
    assert taut.spatial.logarithm(simulation.body("b").orientation) == pytest.approx([0, 0, 2.0], rel=1e-9)


def test_position_is_the_origin_and_velocity_that_of_the_centre_of_mass() -> None:
    """A dumbbell spins about its centre of mass; its origin runs on a circle around it."""
    simulation = one_body(None, com=(0.5, 0, 0), position=(0, 0, 0), angular_velocity=(0, 0, math.pi))
    assert simulation.body("b").position == pytest.approx([0, 0, 0])
    advance(simulation, 1.0)
    assert simulation.body("b").velocity == pytest.approx([0, 0, 0], abs=1e-12)
    assert simulation.body("b").position == pytest.approx([1.0, 0, 0], abs=1e-9)


def test_centre_of_mass_off_the_origin_is_the_same_pendulum() -> None:
    plain = one_body(Spherical(), (0, 0, -GRAVITY), position=(0.7, 0, 0), at=(0, 0, 0))
    offset = one_body(Spherical(), (0, 0, -GRAVITY), position=(0.2, 0.1, -0.3), com=(0.5, -0.1, 0.3), at=(0, 0, 0))
    for simulation in (plain, offset):
        advance(simulation, 1.0)
    centre = offset.body("b").position + taut.spatial.rotate(offset.body("b").orientation, (0.5, -0.1, 0.3))
    assert centre == pytest.approx(plain.body("b").position, abs=1e-9)
    assert offset.report.energy - plain.report.energy == pytest.approx(0.0, abs=1e-8)


def test_fixed_bodies_do_not_move_and_carry_joints() -> None:
    scene = taut.Scene()
    scene.add_body("post", fixed=True, position=(0, 0, 1), velocity=(1, 2, 3), angular_velocity=(1, 2, 3))
    scene.add_body("b", mass=MASS, inertia=INERTIA, position=(0, 0, 0))
    scene.connect("post", "b", Fixed(), name="j")
    simulation = taut.Simulation(scene)
    simulation.body("post").apply(force=(100, 0, 0))
    advance(simulation, 0.5)
    assert simulation.body("post").position.tolist() == [0, 0, 1]
    assert not simulation.body("post").velocity.any()
    assert simulation.body("b").position == pytest.approx([0, 0, 0], abs=1e-9)
    assert simulation.joint("j").reaction[2] == pytest.approx(MASS * GRAVITY)


def test_velocities_that_break_a_joint_are_put_right_without_gaining_energy() -> None:
    simulation = one_body(Spherical(), position=(1, 0, 0), velocity=(3, 1, 0), at=(0, 0, 0))
    before = simulation.state.energy
    simulation.step()
    assert simulation.report.violation <= 1e-6
    assert simulation.report.energy < before
    assert simulation.body("b").velocity[1] == pytest.approx(MASS / (MASS + INERTIA[2]), rel=2e-2), (
        "only what the joint allows"
    )


@pytest.mark.parametrize("kind", ["linear", "angular"])
def test_body_damping_decays_exponentially(kind: str) -> None:
    options = (
        {"linear_damping": 3.0, "velocity": (1, 0, 0)}
        if kind == "linear"
        else {"angular_damping": 0.75, "angular_velocity": (0, 0, 1)}
    )
    simulation = one_body(None, step=1 / 1000, **options)
    advance(simulation, 1.0)
    velocity = simulation.body("b").velocity[0] if kind == "linear" else simulation.body("b").angular_velocity[2]
    assert velocity == pytest.approx(math.exp(-1.5), rel=1e-3)


def test_any_damping_is_stable() -> None:
    simulation = one_body(None, (0, 0, -GRAVITY), linear_damping=1e9, angular_damping=1e9, angular_velocity=(1, 2, 3))
    advance(simulation, 1.0)
    assert simulation.body("b").velocity[2] == pytest.approx(-MASS * GRAVITY / 1e9, rel=1e-6)


def test_loads_push_and_turn() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=MASS, inertia=INERTIA, com=(0.1, 0, 0))
    scene.add_load("b", force=(0, 3.0, 0), point=(0.1, 0, 0))
    scene.add_load("b", torque=(0, 0, 0.2))
    simulation = taut.Simulation(scene)
    advance(simulation, 1.0)
    assert simulation.body("b").velocity == pytest.approx([0, 1.5, 0])
    assert simulation.body("b").angular_velocity == pytest.approx([0, 0, 0.2 / INERTIA[2]])


def test_a_load_off_the_centre_is_a_pendulum() -> None:
    """A constant force on a lever swings it with omega^2 = F r / I: its arm turns with the body."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=MASS, inertia=INERTIA, orientation=taut.spatial.exponential((0, 0, 0.05)))
    scene.connect("world", "b", taut.joints.Revolute(axis=(0, 0, 1)), name="j")
    scene.add_load("b", force=(20.0, 0, 0), point=(0.5, 0, 0))
    simulation = taut.Simulation(scene, step=1 / 1000)
    omega = math.sqrt(20.0 * 0.5 / INERTIA[2])
    for index in range(1000):
        simulation.step()
        expected = 0.05 * (math.cos(omega * (index + 1) / 1000) - 1.0)
        assert simulation.joint("j").position == pytest.approx(expected, abs=5e-4)


def test_a_load_that_follows_its_body_drives_it_in_circles() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=1.0, inertia=(1, 1, 1), angular_velocity=(0, 0, 2 * math.pi))
    scene.add_load("b", force=(1.0, 0, 0), follows=True)
    simulation = taut.Simulation(scene, step=1 / 1000)
    advance(simulation, 1.0)
    assert simulation.body("b").velocity == pytest.approx([0, 0, 0], abs=2e-3), "a full turn of the thrust cancels"
    assert simulation.body("b").position[1] == pytest.approx(1 / (2 * math.pi), rel=1e-2)


def lever(force: float) -> taut.Simulation:
    """A lever of 0.01 kg m^2, 1 rad away from a force at its end."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=0.1, inertia=(0.01, 0.01, 0.01), orientation=taut.spatial.exponential((0, 0, 1.0)))
    scene.connect("world", "b", taut.joints.Revolute(axis=(0, 0, 1)), name="j")
    scene.add_load("b", force=(force, 0, 0), point=(1.0, 0, 0))
    return taut.Simulation(scene)


@pytest.mark.parametrize("force", [10.0, 100.0, 1e4])
def test_a_heavy_load_on_a_light_lever_is_stable(force: float) -> None:
    """The force can give no more than it loses in potential, force * (1 - cos 1), however stiff the lever."""
    simulation = lever(force)
    reports = advance(simulation, 1.0)
    assert max(report.energy for report in reports) <= 1.01 * force * (1.0 - math.cos(1.0))


def test_the_work_of_a_load_is_not_taken_for_a_gain() -> None:
    """One solve a frame in smooth motion, 12 frames a swing."""
    reports = advance(lever(10.0), 1.0)
    assert np.mean([report.solves for report in reports[1:]]) <= 1.2


def test_a_torque_on_a_fast_wheel_is_its_work() -> None:
    """Several radians a step: the work of a torque is torque times the whole angle, and no energy is found too much."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=MASS, inertia=INERTIA)
    scene.connect("world", "b", taut.joints.Revolute(axis=(0, 0, 1)), name="j")
    scene.add_load("b", torque=(0, 0, 100.0))
    simulation = taut.Simulation(scene)
    reports = advance(simulation, 1.0)
    assert simulation.joint("j").velocity == pytest.approx(100.0 / INERTIA[2], rel=1e-6)
    assert max(report.solves for report in reports[1:]) == 1


def test_spring_hangs_by_its_law_and_pushes_too() -> None:
    for point, rest in ((3.0, 2.0), (-2.0, 1.5)):
        scene = taut.Scene()
        scene.add_body("b", mass=MASS, inertia=INERTIA)
        scene.connect("world", "b", taut.joints.Prismatic(axis=(0, 0, 1)))
        scene.add_spring(
            "b", "world", point_b=(0, 0, point), stiffness=500.0, damping=100.0, rest_length=rest, name="s"
        )
        simulation = taut.Simulation(scene)
        advance(simulation, 3.0)
        height = point - math.copysign(rest, point) - MASS * GRAVITY / 500.0
        assert simulation.body("b").position[2] == pytest.approx(height, abs=1e-6)


def test_spring_of_no_length_pulls_alike_in_all_directions() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=MASS, inertia=INERTIA, position=(0.3, -0.2, 0.5), velocity=(0, 0, 0))
    scene.add_spring("world", "b", stiffness=80.0, rest_length=0.0)
    simulation = taut.Simulation(scene, step=1 / 1000)
    advance(simulation, 0.1)
    factor = math.cos(math.sqrt(80.0 / MASS) * 0.1)
    assert simulation.body("b").position == pytest.approx(factor * np.array([0.3, -0.2, 0.5]), rel=1e-3)


def test_spring_between_points_that_coincide_at_the_start() -> None:
    scene = taut.Scene()
    scene.add_body("b", mass=MASS, inertia=INERTIA)
    scene.add_spring("world", "b", stiffness=800.0, damping=80.0)
    simulation = taut.Simulation(scene)
    advance(simulation, 3.0)
    assert simulation.body("b").position[2] == pytest.approx(-MASS * GRAVITY / 800.0, rel=1e-3)


def test_spring_by_frequency_uses_the_masses_at_both_ends() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("a", mass=1.0, inertia=INERTIA, position=(0, 0, 0), velocity=(0.03, 0, 0))
    scene.add_body("b", mass=3.0, inertia=INERTIA, position=(1, 0, 0), velocity=(-0.01, 0, 0))
    scene.add_spring("a", "b", frequency=2.0)
    simulation = taut.Simulation(scene, step=1 / 1000)
    for index in range(500):
        simulation.step()
        gap = simulation.body("b").position[0] - simulation.body("a").position[0]
        assert gap == pytest.approx(1.0 - 0.04 / (4 * math.pi) * math.sin(4 * math.pi * (index + 1) / 1000), abs=1e-4)


def test_rope_is_slack_then_taut_and_never_pushes() -> None:
    simulation = falling_on_a_rope()
    slack, taut_frames = 0, 0
    for _ in range(240):
        report = simulation.step()
        assert report.status == "solved" and report.violation <= 5e-5
        distance, pull = np.linalg.norm(simulation.body("b").position), simulation.joint("j").reaction[:3]
        assert distance <= 1.0 + 5e-5
        tension = -pull @ simulation.body("b").position / distance
        assert tension >= -1e-9
        slack += distance < 0.99
        taut_frames += tension > 1.0
        assert tension < 1e-9 or distance > 0.99
    assert slack > 20 and taut_frames > 20


def test_a_body_at_rest_on_a_rope_pulls_with_its_weight() -> None:
    scene = taut.Scene()
    scene.add_body("b", mass=MASS, inertia=INERTIA, position=(0, 0, -1))
    scene.connect("world", "b", Rope(), name="j")
    simulation = taut.Simulation(scene)
    advance(simulation, 0.5)
    assert simulation.joint("j").reaction[:3] == pytest.approx([0, 0, MASS * GRAVITY], abs=1e-6)


def test_rod_pushes_and_pulls() -> None:
    for height in (1.0, -1.0):
        scene = taut.Scene()
        scene.add_body("b", mass=MASS, inertia=INERTIA, position=(0, 0, height))
        scene.connect("world", "b", Distance(), name="j")
        simulation = taut.Simulation(scene)
        advance(simulation, 0.2)
        assert simulation.joint("j").reaction[2] == pytest.approx(MASS * GRAVITY, rel=1e-6)


def test_rest_is_rest() -> None:
    """A still mechanism stays still, one solve a frame, whatever the masses and the distance from the origin."""
    for height, mass in ((-20.123, 500.0), (2e4, 1e6), (0.0, 1e-3)):
        scene = taut.Scene()
        for index in range(2):
            scene.add_body(f"b{index}", taut.shapes.Box(1, 1, 1), mass=mass, position=(0.3, 0, height - 2 * index))
            scene.connect(
                f"b{index - 1}" if index else "world", f"b{index}", Spherical(), at=(0.3, 0, height - 2 * index + 1)
            )
        simulation = taut.Simulation(scene)
        reports = advance(simulation, 2.0)
        assert max(report.solves for report in reports[1:]) == 1
        assert np.abs(simulation.body("b1").velocity).max() < 1e-8 * max(1.0, abs(height))


def test_rest_without_gravity_is_rest() -> None:
    """With no energy about, rounding is not a rise of energy."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=MASS, inertia=INERTIA, position=(0.3, 0.1, 0.7), velocity=(1, 0, 0))
    scene.connect("world", "b", taut.joints.Prismatic(axis=(1, 0, 0), limits=(-1.0, 0.1)))
    scene.add_spring("world", "b", point_a=(3, 2, 1), stiffness=1e3, damping=1e3)
    reports = advance(taut.Simulation(scene), 5.0)
    assert max(report.solves for report in reports[150:]) == 1
