"""Impacts with restitution against their closed forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import taut
import taut.stepping.advance
import taut.stepping.frame
import taut.stepping.step
from taut.contact.settings import FRICTION
from taut.joints import Spherical
from taut.model.state import State
from taut.shapes import Box, Capsule, Sphere
from taut.stepping import impacts
from taut.stepping.impacts import Bounces, bounce, runs_wild
from taut.stepping.settings import IMPACTS


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


def ball_at_a_wall(**options: Any) -> taut.Simulation:
    """A ball of 2 kg that meets a wall at 3 m/s within the next frame, and one far away."""
    scene = taut.Scene(friction=0.0, **({"gravity": (0.0, 0.0, 0.0)} | options))
    scene.add_body("wall", Box(1, 1, 1), fixed=True, position=(0.61, 0, 0), restitution=0.5)
    scene.add_body("ball", Sphere(0.1), mass=2.0, velocity=(3.0, 0, 0), restitution=0.5)
    scene.add_body("other", Sphere(0.1), mass=2.0, position=(0, 5, 0), velocity=(4.0, 0, 0))
    return taut.Simulation(scene)


def made_up(bounces: Bounces, state: State, velocity: np.ndarray) -> Bounces:
    """Bounces after which bodies have other velocities (n, 6), without spins."""
    return replace(bounces, state=replace(state, velocity=velocity, spin=np.zeros_like(state.spin)))


def test_blows_that_multiply_energy_run_wild() -> None:
    """What bodies that a blow joined may have: twice what they had; what others have does not count."""
    simulation, h = ball_at_a_wall(), 1 / 60
    state, stepper = simulation.state, simulation.stepper
    bounces, _ = bounce(stepper, state, h, 8)
    assert bounces is not None and not runs_wild(stepper, state, bounces, h)
    for share, wild in ((0.99, False), (1.01, True), (100.0, True)):
        velocity = state.velocity.copy()
        velocity[2, 0] = -3.0 * np.sqrt(share * IMPACTS.tamed)
        assert runs_wild(stepper, state, made_up(bounces, state, velocity), h) is wild


def test_forces_may_give_energy_to_what_was_at_rest() -> None:
    simulation, h = ball_at_a_wall(), 1 / 60
    bounces, _ = bounce(simulation.stepper, simulation.state, h, 8)
    assert bounces is not None
    state = replace(simulation.state, velocity=np.zeros_like(simulation.state.velocity))
    velocity = state.velocity.copy()
    velocity[2, 0] = -0.1
    assert runs_wild(simulation.stepper, state, made_up(bounces, state, velocity), h)
    state.applied[2, 0] = -2.0 * 0.1 / h
    assert not runs_wild(simulation.stepper, state, made_up(bounces, state, velocity), h)


def test_blows_that_run_wild_are_left_to_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ball is stopped at the wall without rebound rather than thrown back faster than it came."""
    gather, made = impacts.gathered, []

    def throw(*arguments: Any) -> Bounces | None:
        bounces = gather(*arguments)
        if bounces is not None:
            made.append(bounces)
            bounces.state.velocity[2, 0] = -1e4
        return bounces

    monkeypatch.setattr(impacts, "gathered", throw)
    simulation = ball_at_a_wall()
    simulation.step()
    assert made and simulation.step().status == "solved"
    assert simulation.body("ball").velocity[0] == pytest.approx(0.0, abs=1e-2)
    assert simulation.body("other").velocity[0] == pytest.approx(4.0)


def row_of_balls(count: int = 12) -> taut.Simulation:
    """A ball that comes at a row of others: one pass of blows for each of them in the same frame."""
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), friction=0.0)
    for index in range(count):
        speed, place = (20.0, -0.1) if index == 0 else (0.0, 0.2 * index)
        scene.add_body(f"ball-{index}", Sphere(0.1), mass=1.0, position=(place, 0, 0), velocity=(speed, 0, 0),
                       restitution=1.0)  # fmt: skip
    return taut.Simulation(scene)


@pytest.mark.parametrize("most", [1, 3, 5])
def test_passes_of_blows_in_a_frame_are_bounded(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many parts the frame has; what is left over is stopped by the step."""
    strike, done = impacts.strike, []

    def count(*arguments: Any) -> bool:
        struck = strike(*arguments)
        done.append(struck)
        return struck

    monkeypatch.setattr(impacts, "strike", count)
    simulation = row_of_balls()
    simulation.step()
    assert sum(done) > 5, "the test must meet a frame that needs them"
    monkeypatch.setattr(taut.stepping.advance, "IMPACTS", IMPACTS._replace(passes=most))
    simulation, energy = row_of_balls(), 200.0
    for _ in range(4):
        done.clear()
        report = simulation.step()
        assert sum(done) <= most and report.energy <= energy * (1.0 + 1e-9)
        energy = report.energy


def tumbling_boxes() -> taut.Simulation:
    """Boxes that are thrown on top of each other: blows and contacts with friction in the same frames."""
    scene = taut.Scene(friction=0.6)
    scene.add_plane(restitution=0.4)
    for index in range(5):
        turn = taut.spatial.exponential(np.array([0.3, 0.2 * index, 0.1]))
        scene.add_body(
            f"box-{index}", Box(0.3, 0.2, 0.2), mass=1.0, position=(0.05 * index, 0, 0.15 + 0.35 * index),
            orientation=turn, velocity=(1.0, 0.5, -4.0), angular_velocity=(2.0, -3.0, 5.0), restitution=0.3,
        )  # fmt: skip
    return taut.Simulation(scene, friction="cone")


def count_friction_solves(simulation: taut.Simulation, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by one with every solve that passes of friction make."""
    solver, inside, solves = type(simulation.settings.solver), [], []
    solve = solver.solve

    def counted(*arguments: Any, **options: Any) -> Any:
        solves.extend([1] if inside else [])
        return solve(*arguments, **options)

    def within(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            inside.append(1)
            result = function(*arguments, **options)
            inside.pop()
            return result

        return call

    monkeypatch.setattr(solver, "solve", counted)
    monkeypatch.setattr(taut.stepping.step, "settle_friction", within(taut.stepping.step.settle_friction))
    monkeypatch.setattr(impacts, "with_friction", within(impacts.with_friction))
    return solves


@pytest.mark.parametrize("most", [0, 30])
def test_passes_of_friction_in_a_frame_are_bounded(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of blows and of the solves of all parts share what a frame may have."""
    simulation = tumbling_boxes()
    start, passes = simulation.state.copy(), []
    solves = count_friction_solves(simulation, monkeypatch)
    for _ in range(5):
        solves.clear()
        simulation.step()
        passes.append(len(solves))
    assert max(passes) > 30, "the test must meet frames that need them"
    monkeypatch.setattr(taut.stepping.frame, "FRICTION", FRICTION._replace(frame_passes=most))
    simulation.restore(start)
    for _ in range(5):
        solves.clear()
        simulation.step()
        assert len(solves) <= most


@pytest.mark.parametrize(("size", "drop"), [(0.02, 1.0), (0.05, 0.5), (0.05, 1.5), (0.2, 0.5)])
def test_blows_on_jointed_bodies_put_no_energy_in(size: float, drop: float) -> None:
    """Two small arms that swing onto a floor, turning far in a step; followed back, blows gained 3 to 10 % in one."""
    scene = taut.Scene()
    scene.add_plane(offset=-drop * size, restitution=1.0)
    previous = "world"
    for number in range(2):
        arm = scene.add_body(f"arm-{number}", Box(size, 0.1 * size, 0.1 * size), mass=1.0,
                             position=((number + 0.5) * size, 0.0, 0.0))  # fmt: skip
        scene.connect(previous, arm, Spherical(), at=(number * size, 0.0, 0.0))
        previous = arm
    simulation = taut.Simulation(scene)
    energy, solved = [simulation.state.energy], []
    for _ in range(120):
        solved.append(simulation.step().status == "solved")
        energy.append(simulation.state.energy)
    assert np.mean(solved) > 0.98
    assert np.diff(energy)[solved].max() < 1e-2 * 9.81 * size
