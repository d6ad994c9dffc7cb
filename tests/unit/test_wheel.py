"""Wheels: how they roll, what they carry, what holds them back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from vehicles import SOLVERS, G, add_wheels, cart, chassis

import taut
from taut.errors import InputError
from taut.machines import Strut, Wheel
from taut.machines.wheel import SHAPES, Shaft, shaft_of

WEIGHT = 500.0 * G
TURNING = 500.0 + 0.5 * 20.0  # kg, with the wheel's inertia at its rim


def driven(speed: float = 3.0, time: float = 2.0, torque: float = 1000.0, solver: str = "bpp", **wheel: object):
    """A cart that its motor has brought to a speed."""
    sim = taut.Simulation(cart(motor=torque, **wheel), solver=solver)
    sim.controls["w.speed"].value = speed
    sim.run(time)
    return sim


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("solver", SOLVERS)
def test_wheels_roll_without_slip(shape: str, solver: str) -> None:
    sim = driven(shape=shape, solver=solver)
    wheel = sim.part("w")
    assert wheel.spin == pytest.approx(3.0 / 0.4, rel=1e-9)
    # the contact itself gives way by 5e-6 m at most
    assert wheel.speed == pytest.approx(0.4 * wheel.spin, rel=1e-5) and wheel.speed > 2.9
    assert abs(wheel.slip) < 1e-6 and abs(wheel.side_slip) < 1e-9
    assert wheel.contact and wheel.load == pytest.approx(WEIGHT, rel=1e-6)


def test_motor_power_becomes_kinetic_energy() -> None:
    sim = driven(speed=10.0, time=1.0, torque=400.0)
    before, work = sim.state.energy, 0.0
    for _ in range(60):
        spin = sim.part("w").spin
        sim.step()
        work += 400.0 * 0.5 * (spin + sim.part("w").spin) / 60.0
    assert sim.state.energy - before == pytest.approx(work, rel=1e-3)
    assert sim.part("w").speed == pytest.approx(400.0 / 0.4 / TURNING * 2.0, rel=1e-2)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_rolling_resistance_slows_down_by_its_share_of_the_weight(shape: str, solver: str) -> None:
    sim = driven(rolling_resistance=0.03, shape=shape, solver=solver)
    sim.joint("w/hinge").set_force_limit(0.0)
    sim.run(0.5)
    speed = sim.part("w").speed
    sim.run(1.0)
    assert speed - sim.part("w").speed == pytest.approx(0.03 * WEIGHT / TURNING, rel=1e-4)


def test_rolling_resistance_holds_on_a_gentle_slope() -> None:
    for share, stands in ((0.03, True), (0.01, False)):
        scene = cart(rolling_resistance=share)
        scene.gravity = np.array([G * math.sin(0.02), 0.0, -G * math.cos(0.02)])
        sim = taut.Simulation(scene)
        sim.run(2.0)
        moved = sim.body("cart").position[0]
        if stands:  # on the spring of its contact, and it does not creep
            sim.run(2.0)
            assert sim.body("cart").position[0] == pytest.approx(moved, abs=1e-9) and moved < 2e-4
        else:
            slope = (math.sin(0.02) - share * math.cos(0.02)) * WEIGHT / TURNING
            assert moved == pytest.approx(0.5 * slope * 2.0**2, rel=0.04)


@pytest.mark.parametrize("shape", SHAPES)
def test_tyres_give_way_by_load_over_stiffness(shape: str) -> None:
    sim = driven(shape=shape, tyre_stiffness=2e5, tyre_damping=1e4, speed=0.0)
    assert 0.4 - sim.body("w/wheel").position[2] == pytest.approx(WEIGHT / 2e5, rel=1e-3)


def test_tyres_swing_and_are_damped_as_they_are_given() -> None:
    stiffness, ratio = 5e4, 0.1
    scene = cart(tyre_stiffness=stiffness, tyre_damping=2.0 * ratio * math.sqrt(stiffness * 500.0), clear=-WEIGHT / 5e4)
    sim = taut.Simulation(scene, step=1 / 960)
    sim.state.velocity[1:, 2] = 0.1
    omega = math.sqrt(stiffness / 500.0)
    damped = omega * math.sqrt(1.0 - ratio**2)
    rest, start = 0.4 - WEIGHT / stiffness, sim.time
    for _ in range(500):
        sim.step()
        time = sim.time - start
        swing = 0.1 / damped * math.exp(-ratio * omega * time) * math.sin(damped * time)
        assert sim.body("w/wheel").position[2] - rest == pytest.approx(swing, abs=1e-4)


def test_tyres_carry_wheels_from_one_body_to_the_next() -> None:
    scene = cart(tyre_stiffness=2e5, tyre_damping=3e3, motor=1000.0, clear=1.0 - WEIGHT / 2e5)
    for number in range(8):
        scene.add_body(f"slab-{number}", taut.shapes.Box(0.5, 1.0, 1.0), position=(0.5 * number, 0, 0.5), fixed=True)
    sim = taut.Simulation(scene)
    sim.controls["w.speed"].value = 2.0
    for _ in range(120):
        assert sim.step().status == "solved"
        assert sim.body("cart").position[2] == pytest.approx(1.4 - WEIGHT / 2e5, abs=4e-3)
    assert sim.body("cart").position[0] > 1.5


def test_brakes_slow_down_by_their_torque_and_hold() -> None:
    sim = driven(brake=800.0)
    sim.joint("w/hinge").set_force_limit(0.0)
    sim.controls["w.brake"].value = 0.5
    assert sim.part("w").brake_torque == 400.0
    sim.run(0.5)
    speed = sim.part("w").speed
    sim.run(0.5)
    assert speed - sim.part("w").speed == pytest.approx(0.5 * 400.0 / 0.4 / TURNING, rel=1e-3)
    sim.run(5.0)
    place = sim.body("cart").position[0]
    sim.run(1.0)
    assert sim.body("cart").position[0] == pytest.approx(place, abs=1e-9)


def test_locked_wheels_slide_and_wheels_in_the_air_do_not() -> None:
    sim = driven(brake=1e5, friction=0.25)
    sim.joint("w/hinge").set_force_limit(0.0)
    sim.part("w").brake(1.0)
    sim.run(0.2)
    wheel = sim.part("w")
    assert wheel.spin == pytest.approx(0.0, abs=1e-9) and wheel.slip == pytest.approx(-wheel.speed, rel=0.05)
    before = wheel.speed
    sim.run(0.2)
    assert before - wheel.speed == pytest.approx(0.2 * 0.25 * G, rel=1e-3)
    flying = taut.Simulation(cart(clear=1.0))
    flying.step()
    assert flying.part("w").slip == 0.0 and flying.part("w").load == 0.0 and not flying.part("w").contact


def test_wheels_pushed_along_their_axis_slide_sideways() -> None:
    sim = driven(speed=0.0)
    sim.state.velocity[1:, 1] = 1.0
    sim.step()
    assert sim.part("w").side_slip == pytest.approx(1.0, rel=0.2) and abs(sim.part("w").slip) < 1e-3


def test_wheels_roll_ahead_of_what_carries_them_however_it_stands() -> None:
    turn = taut.spatial.from_axis_angle((0, 0, 1), 2.0)
    scene = taut.Scene()
    scene.add_body("cart", taut.shapes.Box(0.2, 0.2, 0.2), mass=10.0, orientation=turn, position=(1, 2, 3))
    scene.add(Wheel(carrier=("cart", (0.1, 0.2, 0)), radius=0.3, width=0.1, mass=5.0), name="w")
    assert shaft_of(scene, "w")[:3] == ("w/hinge", "cart", "w/wheel")
    np.testing.assert_allclose(shaft_of(scene, "w").axis, taut.spatial.rotate(turn, (0, 1, 0)), atol=1e-15)
    sim = taut.Simulation(scene)
    sim.step()
    ahead = sim.part("w").heading(np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(ahead, [math.cos(2.0), math.sin(2.0), 0.0], atol=1e-9)
    assert isinstance(shaft_of(scene, "w"), Shaft)


def test_wheels_do_not_touch_what_carries_them() -> None:
    scene = chassis()
    scene.add(Strut(chassis=("hull", (0, 0.5, -0.1)), mass=10.0, carries=100.0), name="strut")
    add_wheels(scene, ["strut/hub"])
    sim = taut.Simulation(scene)
    assert ("hull", "wheel-0") in scene.ignored
    sim.step()
    assert not sim.part("wheel-0").contact


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"shape": "square"}, "Wheel: shape is 'square'; it must be one of cylinder, two spheres, sphere"),
        ({"tyre_damping": 1.0}, "Wheel: tyre_damping is 1 without tyre_stiffness"),
        ({"carrier": 3}, "Wheel: carrier is 3"),
        ({"carrier": "nobody"}, "wheel 'w': there is no body 'nobody'"),
    ],
)
def test_wrong_wheels_are_refused(wrong: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"carrier": "world", "radius": 0.3, "width": 0.1, "mass": 5.0}
    with pytest.raises(InputError) as caught:
        taut.Scene().add(Wheel(**(given | wrong)), name="w")
    assert message in str(caught.value)


def test_what_a_wheel_does_not_have_is_said() -> None:
    sim = taut.Simulation(cart())
    with pytest.raises(InputError, match="wheel 'w': it has no motor"):
        sim.part("w").drive(1.0)
    with pytest.raises(InputError, match="wheel 'w': brake is 1; it must be from 0 to 1"):
        sim.part("w").brake(1.0)
    with pytest.raises(InputError, match="no wheel or track 'guide'"):
        shaft_of(sim.scene, "guide")
