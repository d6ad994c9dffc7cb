"""Gear, differential, rack, screw and universal joint: rows over several bodies, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sample_mechanisms import advance

import taut
from taut.joints import Differential, Gear, Motor, Prismatic, Rack, Revolute, Screw, Universal

Z = (0, 0, 1)


def shafts(*inertias: float, gravity: tuple = (0, 0, 0)) -> taut.Scene:
    """Wheels "a", "b", "c" ... on hinges along z, with these moments about them."""
    scene = taut.Scene(gravity=gravity)
    for index, moment in enumerate(inertias):
        name = "abcd"[index]
        scene.add_body(name, mass=1.0, inertia=(moment, moment, moment), position=(index, 0, 0))
        scene.connect("world", name, Revolute(axis=Z), name=f"shaft-{name}")
    return scene


def rate(simulation: taut.Simulation, name: str) -> float:
    return float(simulation.body(name).angular_velocity[2])


@pytest.mark.parametrize("ratio", [2.0, -3.0, 0.25])
def test_gear_ratio_and_torque(ratio: float) -> None:
    """omega_A = ratio omega_B; B feels ratio times the torque, so A has the inertia I_A + I_B / ratio^2."""
    scene = shafts(0.5, 0.8)
    scene.connect("a", "b", Gear(ratio=ratio), name="gear")
    simulation = taut.Simulation(scene)
    simulation.body("a").apply(torque=(0, 0, 0.6))
    advance(simulation, 2.0)
    assert rate(simulation, "a") == pytest.approx(2.0 * 0.6 / (0.5 + 0.8 / ratio**2), rel=1e-9)
    assert rate(simulation, "a") == pytest.approx(ratio * rate(simulation, "b"), rel=1e-9)
    angles = [simulation.joint(f"shaft-{name}").position for name in "ab"]
    assert angles[0] == pytest.approx(ratio * angles[1], rel=1e-9)
    assert simulation.joint("gear").reaction[5] == pytest.approx(0.8 * rate(simulation, "b") / 2.0, rel=1e-6)


def test_gear_axes_may_differ() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    for name, axis in (("a", (0, 0, 1)), ("b", (1, 0, 0))):
        scene.add_body(name, mass=1.0, inertia=(1, 1, 1), angular_velocity=axis)
        scene.connect("world", name, Revolute(axis=axis))
    scene.connect("a", "b", Gear(ratio=2.0, axis_a=(0, 0, 1), axis_b=(1, 0, 0)))
    simulation = taut.Simulation(scene)
    advance(simulation, 0.5)
    assert simulation.body("a").angular_velocity[2] == pytest.approx(2.0 * simulation.body("b").angular_velocity[0])


def test_planetary_gear_on_a_moving_carrier() -> None:
    """Sun held still, carrier turning at w: a planet of half the sun's radius turns at w (1 + 2)."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("carrier", mass=1.0, inertia=(1, 1, 1))
    scene.add_body("sun", mass=1.0, inertia=(1, 1, 1))
    scene.add_body("planet", mass=0.1, inertia=(0.01, 0.01, 0.01), position=(1.5, 0, 0))
    scene.connect("world", "carrier", Revolute(axis=Z, motor=Motor(speed=0.7)))
    scene.connect("world", "sun", Revolute(axis=Z, motor=Motor(speed=0.0)))
    scene.connect("carrier", "planet", Revolute(axis=Z), at=(1.5, 0, 0))
    scene.connect("sun", "planet", Gear(ratio=-0.5, carrier="carrier"))
    simulation = taut.Simulation(scene)
    advance(simulation, 2.0)
    assert rate(simulation, "sun") == pytest.approx(0.0, abs=1e-9)
    assert rate(simulation, "planet") == pytest.approx(0.7 * 3.0, rel=1e-6)


def test_differential_averages_its_outputs_and_splits_the_torque() -> None:
    scene = shafts(0.5, 0.8, 0.2)
    scene.connect("a", "b", Differential(other="c", ratio=3.0))
    simulation = taut.Simulation(scene)
    simulation.body("a").apply(torque=(0, 0, 0.6))
    advance(simulation, 1.0)
    a, b, c = (rate(simulation, name) for name in "abc")
    assert a == pytest.approx(3.0 * (b + c) / 2.0, rel=1e-9)
    assert 0.8 * b == pytest.approx(0.2 * c, rel=1e-6), "equal torque on both outputs"
    assert b > 0.01


def test_differential_lets_one_output_stand() -> None:
    scene = shafts(0.5, 0.8, 0.2, 1.0)
    scene.connect("a", "b", Differential(other="c"))
    scene.connect("world", "b", Revolute(axis=Z, motor=Motor(speed=0.0)), at=(1, 0, 0))
    simulation = taut.Simulation(scene)
    simulation.body("a").apply(torque=(0, 0, 0.6))
    advance(simulation, 1.0)
    assert rate(simulation, "b") == pytest.approx(0.0, abs=1e-9)
    assert rate(simulation, "c") == pytest.approx(2.0 * rate(simulation, "a"), rel=1e-9)


@pytest.mark.parametrize("radius", [0.4, -0.4])
def test_rack_travels_with_its_pinion(radius: float) -> None:
    scene = shafts(0.5, gravity=(0, 0, -9.81))
    scene.add_body("rack", mass=3.0, inertia=(1, 1, 1), position=(0, 1, 0))
    scene.connect("world", "rack", Prismatic(axis=(1, 0, 0)), name="rail")
    scene.connect("a", "rack", Rack(radius=radius, axis=Z, axis_rack=(1, 0, 0)))
    simulation = taut.Simulation(scene)
    simulation.body("rack").apply(force=(1.5, 0, 0))
    advance(simulation, 1.0)
    assert simulation.body("rack").velocity[0] == pytest.approx(1.5 / (3.0 + 0.5 / radius**2), rel=1e-9)
    assert simulation.body("rack").velocity[0] == pytest.approx(radius * rate(simulation, "a"), rel=1e-9)


@pytest.mark.parametrize("pitch", [0.5, -0.02])
def test_screw_travels_a_pitch_a_turn(pitch: float) -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("nut", mass=2.0, inertia=(0.2, 0.2, 0.3))
    scene.connect("world", "nut", Screw(axis=Z, pitch=pitch), name="thread")
    simulation = taut.Simulation(scene)
    simulation.body("nut").apply(torque=(0, 0, 4.0))
    advance(simulation, 2.0)
    lead = pitch / (2.0 * math.pi)
    assert rate(simulation, "nut") == pytest.approx(2.0 * 4.0 / (0.3 + 2.0 * lead**2), rel=1e-6)
    assert simulation.joint("thread").position > 10.0, "several turns"
    assert simulation.body("nut").position[2] == pytest.approx(lead * simulation.joint("thread").position, abs=1e-6)


def test_a_screw_turns_under_a_push() -> None:
    scene = taut.Scene(gravity=(0, 0, -9.81))
    scene.add_body("nut", mass=2.0, inertia=(0.2, 0.2, 0.3))
    scene.connect("world", "nut", Screw(axis=Z, pitch=0.5), name="thread")
    simulation = taut.Simulation(scene)
    advance(simulation, 1.0)
    lead = 0.5 / (2.0 * math.pi)
    assert simulation.body("nut").velocity[2] == pytest.approx(-9.81 * 2.0 * lead**2 / (0.3 + 2.0 * lead**2), rel=1e-6)


@pytest.mark.parametrize("bend", [0.2, 0.8])
def test_universal_joint_follows_cardan(bend: float) -> None:
    """omega_2 / omega_1 = cos bend / (1 - sin^2 bend cos^2 theta_1), theta_1 from the plane of the shafts."""
    out = (math.cos(bend), math.sin(bend), 0.0)
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("one", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(-1, 0, 0))
    scene.add_body(
        "two",
        mass=1.0,
        inertia=(0.1, 0.1, 0.1),
        position=out,
        orientation=taut.spatial.from_two_vectors((1, 0, 0), out),
    )
    scene.connect("world", "one", Revolute(axis=(1, 0, 0), motor=Motor(speed=2.0)), name="first")
    scene.connect("world", "two", Revolute(axis=out), name="second")
    scene.connect(
        "one",
        "two",
        Universal(axis_a=(0, 0, 1), axis_b=(-math.sin(bend), math.cos(bend), 0)),
        at=(0, 0, 0),
        name="cross",
    )
    simulation = taut.Simulation(scene, step=1 / 240)
    for _ in range(480):
        assert simulation.step().status == "solved"
        turn = simulation.joint("first").position
        # A's axis starts across the plane of the shafts
        expected = math.cos(bend) / (1.0 - (math.sin(bend) * math.sin(turn)) ** 2)
        ratio = simulation.joint("second").velocity / simulation.joint("first").velocity
        assert ratio == pytest.approx(expected, rel=5e-3)
        cross = [np.array(simulation.body(n).orientation) for n in ("one", "two")]
        axes = taut.spatial.rotate(cross[0], (0, 0, 1)), taut.spatial.rotate(cross[1], (0, 1, 0))
        assert axes[0] @ axes[1] == pytest.approx(0.0, abs=1e-6), "the cross stays a right angle"
    assert abs(simulation.joint("first").position) > 3.0
