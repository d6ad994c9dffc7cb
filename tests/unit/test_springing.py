"""What suspensions have in common: the height they stand at, how they swing, and what they refuse."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from vehicles import SOLVERS, G, add_wheels, chassis, oscillation

import taut
from taut.errors import InputError
from taut.machines import DoubleWishbone, MachinePart, SolidAxle, Strut, SwingAxle, TrailingArm
from taut.machines.springing import equal_springs

LOW = -0.45  # wheels of 0.35 m, below a hull at 0.8 m


def four(kind: str, mass: float = 20.0, **options: Any) -> tuple[dict[str, MachinePart], list[Any]]:
    """Suspensions of four wheels, and what carries these."""
    places = [(x, y, LOW) for x in (1.4, -1.2) for y in (0.8, -0.8)]
    if kind == "solid axle":
        axles = {f"axle-{x}": SolidAxle(chassis=("hull", (x, 0.0, LOW)), track=1.6, mass=3.0 * mass, **options)
                 for x in (1.4, -1.2)}  # fmt: skip
        return axles, [(f"{name}/hub", (0.0, side * 0.8, 0.0)) for name in axles for side in (1.0, -1.0)]
    make = {
        "strut": lambda p: Strut(chassis=("hull", p), mass=mass, **options),
        "leaning strut": lambda p: Strut(chassis=("hull", p), axis=(0.2, 0.0, 1.0), mass=mass, **options),
        "trailing arm": lambda p: TrailingArm(chassis=("hull", p), pivot=(p[0] + 0.5, p[1], LOW + 0.1), mass=mass,
                                              **options),
        "double wishbone": lambda p: DoubleWishbone(
            chassis=("hull", p), mass=mass, tie=[(p[0] - 0.15, 0.4 * p[1], LOW), (p[0] - 0.15, 0.9 * p[1], LOW)],
            upper=[(p[0] + 0.2, 0.5 * p[1], LOW + 0.12), (p[0] - 0.2, 0.5 * p[1], LOW + 0.12),
                   (p[0], 0.9 * p[1], LOW + 0.12)],
            lower=[(p[0] + 0.2, 0.4 * p[1], LOW - 0.12), (p[0] - 0.2, 0.4 * p[1], LOW - 0.12),
                   (p[0], 0.9 * p[1], LOW - 0.12)], **options),
        "swing axle": lambda p: SwingAxle(chassis=("hull", p), pivot=(p[0], 0.1 * p[1], LOW), mass=mass, **options),
    }[kind]  # fmt: skip
    parts = {f"at-{number}": make(place) for number, place in enumerate(places)}
    return parts, [f"{name}/hub" for name in parts]


KINDS = ("strut", "double wishbone", "leaning strut", "trailing arm", "swing axle", "solid axle")


def standing(kind: str, friction: float = 1.0, shape: str = "two spheres", **options: Any) -> taut.Scene:
    """A hull on four wheels."""
    scene = chassis(friction=friction)
    parts, carriers = four(kind, **options)
    for name, part in parts.items():
        scene.add(part, name=name)
    add_wheels(scene, carriers, shape=shape)
    return scene


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
def test_suspensions_stand_at_the_height_they_are_built_at(kind: str, solver: str) -> None:
    scene = standing(kind)
    sim = taut.Simulation(scene, solver=solver)
    sim.run(1.0)
    parts = [name for name in scene.parts if not name.startswith("wheel")]
    for name in parts:
        np.testing.assert_allclose(sim.part(name).travel, 0.0, atol=2e-5)
        assert not sim.part(name).bottomed
    np.testing.assert_allclose(sim.body("hull").position, (0.0, 0.0, 0.8), atol=2e-5)
    loads = np.array([sim.part(f"wheel-{number}").load for number in range(4)])
    weight = sum(body.mass for body in scene.bodies[1:]) * G
    assert loads.sum() == pytest.approx(weight, rel=1e-6)
    arms = 80.0 if kind in ("trailing arm", "swing axle") else 0.0  # springs hold half of their mass too
    held = sum(np.sum(sim.part(name).force) for name in parts)
    assert held == pytest.approx((1200.0 + 0.5 * arms) * G, rel=1e-4)


def test_eight_wheels_share_the_weight_as_equal_springs_do() -> None:
    scene = chassis(mass=12000.0, position=(0.3, 0.05))
    places = [(x, y) for x in (2.1, 0.7, -0.7, -2.1) for y in (1.2, -1.2)]
    for number, place in enumerate(places):
        scene.add(Strut(chassis=("hull", (*place, LOW)), mass=100.0), name=f"strut-{number}")
    add_wheels(scene, [f"strut-{number}/hub" for number in range(8)], mass=200.0)
    sim = taut.Simulation(scene)
    sim.run(1.0)
    loads = np.array([sim.part(f"wheel-{number}").load for number in range(8)])
    x, y = np.array(places).T
    # the plane a + b x + c y that has the weight and its moments
    own = 12000.0 / 8.0 + 12000.0 * 0.3 * x / (x @ x) + 12000.0 * 0.05 * y / (y @ y)
    np.testing.assert_allclose(loads, (own + 300.0) * G, rtol=1e-4)


def test_a_mass_that_is_given_counts_instead() -> None:
    scene = chassis(mass=1000.0, position=(0.0, 0.0))
    for number, (x, y) in enumerate([(1.0, 0.8), (1.0, -0.8)]):
        scene.add(Strut(chassis=("hull", (x, y, LOW)), mass=20.0, carries=150.0), name=f"front-{number}")
    scene.add(SolidAxle(chassis=("hull", (-3.0 / 7.0, 0.0, LOW)), track=1.6, mass=60.0), name="rear")
    add_wheels(scene, ["front-0/hub", "front-1/hub", ("rear/hub", (0, 0.8, 0)), ("rear/hub", (0, -0.8, 0))])
    sim = taut.Simulation(scene)
    sim.run(1.0)
    assert sim.part("front-0").force == pytest.approx(150.0 * G, rel=1e-4)
    np.testing.assert_allclose(sim.part("rear").force, 350.0 * G, rtol=1e-4)


def test_what_is_joined_to_the_chassis_is_carried_too_and_what_is_not_joined_is_not() -> None:
    scene = chassis(mass=800.0, position=(0.0, 0.0))
    scene.add_body("load", taut.shapes.Box(0.5, 0.5, 0.5), mass=400.0, position=(0.7, 0.0, 1.4))
    scene.connect("hull", "load", taut.joints.Fixed())
    scene.add_body("stone", taut.shapes.Box(0.5, 0.5, 0.5), mass=400.0, position=(9.0, 0.0, 0.25))
    for number, (x, y) in enumerate([(1.0, 0.8), (1.0, -0.8), (-1.0, 0.8), (-1.0, -0.8)]):
        scene.add(Strut(chassis=("hull", (x, y, LOW)), mass=20.0), name=f"strut-{number}")
    add_wheels(scene, [f"strut-{number}/hub" for number in range(4)])
    sim = taut.Simulation(scene)
    sim.run(1.0)
    forces = [sim.part(f"strut-{number}").force for number in range(4)]
    np.testing.assert_allclose(forces, np.array([370.0, 370.0, 230.0, 230.0]) * G, rtol=1e-4)


def bouncing(kind: str, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    """Heights of a hull that is pushed up, over where it stands, m."""
    # without friction and width, which would hold wheels that lean as they rise; arms are light: a third of them swings
    scene = standing(kind, friction=0.0, shape="sphere", mass=3.0, **options)
    scene.connect("world", "hull", taut.joints.Prismatic(axis=(0, 0, 1)), name="rail")
    sim = taut.Simulation(scene, step=1 / 480)
    sim.state.velocity[1, 2] = 0.05
    time, height = [], []
    for _ in range(960):
        sim.step()
        time.append(sim.time)
        height.append(sim.body("hull").position[2] - 0.8)
    return np.array(time), np.array(height)


@pytest.mark.parametrize("kind", KINDS)
def test_suspensions_swing_and_are_damped_as_they_are_given(kind: str) -> None:
    frequency, ratio = oscillation(*bouncing(kind, frequency=1.6, damping_ratio=0.2))
    assert frequency == pytest.approx(1.6 * math.sqrt(1.0 - 0.2**2), rel=0.01)
    assert ratio == pytest.approx(0.2, rel=0.02)


def test_stiffness_and_damping_may_be_given_instead() -> None:
    stiffness, damping = 3e4, 1500.0
    omega = math.sqrt(4.0 * stiffness / 1200.0)
    ratio = 4.0 * damping / (2.0 * 1200.0 * omega)
    found = oscillation(*bouncing("strut", stiffness=stiffness, damping=damping))
    assert found[0] == pytest.approx(omega * math.sqrt(1.0 - ratio**2) / (2.0 * math.pi), rel=0.01)
    assert found[1] == pytest.approx(ratio, rel=0.02)


@pytest.mark.parametrize("bump", [math.inf, 2e5])
@pytest.mark.parametrize("kind", KINDS)
def test_stops_hold_at_both_ends(kind: str, bump: float) -> None:
    scene = standing(kind, travel=(0.06, 0.09), bump_stiffness=bump, frequency=1.0, damping_ratio=0.3)
    scene.add_load("hull", force=(0, 0, -30000), point=(0.1, 0.05, 0), name="press")
    sim = taut.Simulation(scene)
    sim.run(3.0)
    part = next(name for name in scene.parts)
    soft = 0.0 if bump == math.inf else 0.04
    low = np.min(sim.part(part).travel)
    assert sim.part(part).bottomed and 0.06 - 1e-4 <= low <= 0.06 + soft + 1e-3
    flying = taut.Simulation(standing(kind, travel=(0.06, 0.09), bump_stiffness=bump))
    flying.state.position[1:, 2] += 1.0
    for _ in range(20):
        flying.step()
    assert flying.part(part).bottomed and np.max(flying.part(part).travel) == pytest.approx(-0.09, abs=soft + 5e-3)


@pytest.mark.parametrize("kind", ["strut", "double wishbone", "trailing arm", "swing axle"])
def test_bars_between_both_sides_add_to_the_stiffness_against_roll(kind: str) -> None:
    found = {}
    for bar in (0.0, 2e4):
        scene = chassis(friction=0.0)
        parts, carriers = four(kind, stiffness=4e4, damping=4e3, mass=1.0)
        for number, (name, part) in enumerate(parts.items()):
            other = ("at-0", bar) if number == 1 and bar else None
            scene.add(dataclasses.replace(part, anti_roll=other), name=name)
        add_wheels(scene, carriers, shape="sphere")
        scene.add_load("hull", torque=(400.0, 0.0, 0.0), name="moment")
        sim = taut.Simulation(scene)
        sim.run(4.0)
        hull = taut.spatial.matrix(sim.body("hull").orientation)
        found[bar] = 400.0 / math.asin(hull[2, 1])
        np.testing.assert_allclose(sim.part("at-0").travel, -sim.part("at-1").travel, rtol=0.1)
    assert found[2e4] - found[0.0] == pytest.approx(2e4, rel=0.03)


@pytest.mark.parametrize("wrong", [("nobody", 1e4), ("wheel", 1e4)])
def test_bars_need_another_side(wrong: tuple[str, float]) -> None:
    scene = chassis()
    add_wheels(scene, ["hull"])
    with pytest.raises(InputError, match="strut 's': anti_roll is with '.*'; it must be a suspension of the same"):
        scene.add(Strut(chassis="hull", mass=1.0, anti_roll=wrong), name="s")
    assert len(scene.bodies) == 3
    with pytest.raises(InputError, match="Strut: anti_roll is 5.0; it must be"):
        Strut(chassis="hull", mass=1.0, anti_roll=5.0)


def test_shares_of_equal_springs_have_the_sum_and_the_moments() -> None:
    points = np.array([(1.0, 0.5), (0.2, -0.4), (-0.5, 0.6), (-1.0, -0.7)])
    rest = np.array([100.0, 10.0, -5.0])
    shares = equal_springs(points, rest, np.zeros(4))
    np.testing.assert_allclose([shares.sum(), *(shares @ points)], rest, atol=1e-10)
    plane = np.linalg.lstsq(np.column_stack([np.ones(4), points]), shares, rcond=None)[0]
    np.testing.assert_allclose(np.column_stack([np.ones(4), points]) @ plane, shares, atol=1e-10)
    np.testing.assert_allclose(equal_springs(points[:2], rest, np.zeros(2)), (50.0, 50.0))


def test_hubs_lean_and_point_as_they_are_given() -> None:
    for side in (1.0, -1.0):
        scene = chassis()
        scene.add(Strut(chassis=("hull", (1, side, LOW)), mass=20.0, camber=0.1, toe=0.05), name="strut")
        turn = taut.spatial.matrix(scene.bodies[-1].orientation)
        top, front = turn @ (0, 0, 1), turn @ (1, 0, 0)
        assert side * top[1] == pytest.approx(math.sin(0.1) * math.cos(0.05)) and top[2] == pytest.approx(math.cos(0.1))
        assert side * front[1] == pytest.approx(-math.sin(0.05))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"chassis": "world"}, "Strut: chassis is the world; it must be a body that moves"),
        ({"travel": (0.1, 0.0)}, "Strut: travel is (0.1, 0.0); it must be (bump, droop), both > 0"),
        ({"camber": 3.0}, "Strut: camber is 3 rad; it must be from -0.5 to 0.5"),
        ({"carries": -1.0}, "Strut: carries is -1"),
        ({"axis": (1, 0, 0)}, "Strut: axis is (1.0, 0.0, 0.0); it must point up"),
    ],
)
def test_wrong_suspensions_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Strut(**({"chassis": "hull", "mass": 10.0} | wrong))
    assert message in str(caught.value)


def test_a_suspension_that_is_cut_off_has_no_readings() -> None:
    sim = taut.Simulation(standing("strut"))
    with sim.edit() as edit:
        edit.remove_joint("at-0/guide")
    with pytest.raises(InputError, match="at-0/guide was removed; there is no travel"):
        _ = sim.part("at-0").travel
