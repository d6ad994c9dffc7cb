"""Bounces: heights, speeds, momentum and reported impulses against closed forms.

A bounce happens where surfaces meet within the step, so its errors are not of the order of the step: a rebound's height
is off by less than 4e-4 at h = 1/60 s, which is the first frame's error of the free fall, and by 3e-5 at 1/240 s.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import taut
from taut import scenes
from taut.shapes import Box, Capsule, Sphere

GRAVITY, HEIGHT, HALF = 9.81, 0.5, 0.1
PAIRS = [(Sphere(0.1), Sphere(0.1)), (Sphere(0.1), Box(0.3, 0.2, 0.2)), (Capsule(0.1, 0.2), Capsule(0.08, 0.3))]
SHAPES = {"ball": Sphere(HALF), "box": Box(2 * HALF, 2 * HALF, 2 * HALF)}


def rises(restitution: float, step: float, shape: str = "ball", mass: float = 1.0, count: int = 1) -> list[float]:
    """Heights that a body reaches after its first bounces from HEIGHT, from its energy in the frames after them, m."""
    scene = taut.Scene(contact_compliance=1e-9 / max(mass, 1.0))
    scene.add_plane(restitution=restitution)
    scene.add_body("body", SHAPES[shape], mass=mass, position=(0, 0, HALF + HEIGHT))
    simulation, found, falling = taut.Simulation(scene, step=step), [], False
    body = simulation.body("body")
    while len(found) < count and simulation.time < 2.0:
        assert not simulation.step().unconverged
        speed = body.velocity[2]
        if falling and speed > 1e-3:
            found.append(body.position[2] - HALF + speed**2 / (2 * GRAVITY))
        falling = speed <= 1e-3
    return found


@pytest.mark.parametrize("shape", ["ball", "box"])
@pytest.mark.parametrize("step", [1 / 60, 1 / 240, 1 / 1000])
@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.8, 1.0])
def test_height_of_the_first_rebound(shape, step, restitution):
    """It is e^2 H, and that of a body of a gram is that of one of a thousand tonnes."""
    masses = (1e-3, 1.0, 1e6)
    heights = [rises(restitution, step, shape, mass)[0] for mass in masses]
    assert heights == pytest.approx([restitution**2 * HEIGHT] * 3, rel=5e-4 if step > 1 / 100 else 5e-5)
    assert heights == pytest.approx([heights[0]] * 3, rel=1e-9)


@pytest.mark.parametrize(("restitution", "step", "count"), [(0.3, 1 / 60, 2), (0.5, 1 / 60, 4), (0.3, 1 / 1000, 4)])
def test_small_bounces_come_back_no_higher(restitution, step, count):
    """Down to where a body rests: 4 mm high at h = 1/60 s."""
    expected = [HEIGHT * restitution ** (2 * number) for number in range(1, count + 1)]
    assert rises(restitution, step, count=count) == pytest.approx(expected, rel=5e-4)


@pytest.mark.parametrize("shape", ["ball", "box"])
@pytest.mark.parametrize("step", [1 / 60, 1 / 1000])
def test_without_restitution_a_body_stays_where_it_lands(shape, step):
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("body", SHAPES[shape], mass=1.0, position=(0, 0, HALF + 0.05))
    simulation = taut.Simulation(scene, step=step)
    body = simulation.body("body")
    while simulation.time < 0.15:
        simulation.step()
        assert body.velocity[2] < 1e-3
    assert body.position[2] == pytest.approx(HALF, abs=1e-6)


def colliding(friction: float, step: float, shapes: tuple[taut.shapes.Shape, taut.shapes.Shape]) -> taut.Simulation:
    """Two spinning bodies that meet off centre, without gravity."""
    scene = taut.Scene(gravity=(0, 0, 0), friction=friction)
    scene.add_body(
        "a", shapes[0], mass=1.0, position=(-0.53, 0.05, 0.02), velocity=(2, 0, 0), angular_velocity=(1, 8, 9),
        restitution=0.8,
    )  # fmt: skip
    scene.add_body(
        "b", shapes[1], mass=2.0, position=(0.3, -0.05, 0), velocity=(-2, 0, 0.1), angular_velocity=(9, 1, 5),
        restitution=0.8,
    )  # fmt: skip
    return taut.Simulation(scene, step=step)


@pytest.mark.parametrize("step", [1 / 60, 1 / 240])
@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("shapes", PAIRS, ids=["balls", "box", "capsules"])
def test_a_glancing_blow_keeps_momentum(shapes, friction, step):
    """Linear and angular, the latter about any point as the former is kept."""
    simulation = colliding(friction, step, shapes)
    linear, angular = simulation.report.momentum
    before, hit = simulation.state.velocity.copy(), 0
    energy = simulation.state.energy
    while simulation.time < 0.4:
        report = simulation.step()
        hit += bool(simulation.contacts.blow.any())
        if simulation.contacts.force.any():
            break  # slow enough to rest: no bounce
        assert report.momentum[0] == pytest.approx(linear, abs=1e-12)
        assert report.momentum[1] == pytest.approx(angular, abs=1e-9)
    assert hit > 0
    assert np.linalg.norm(simulation.state.velocity - before) > 1.0
    assert report.energy < energy


@pytest.mark.parametrize("step", [1 / 60, 1 / 240])
def test_a_glancing_blow_of_smooth_balls_turns_them_as_it_should(step):
    """The part of the approach along the line of centres where they touch is turned round, whatever the step."""
    scene = taut.Scene(gravity=(0, 0, 0), friction=0.0)
    offset, radius = 0.1, 0.1
    scene.add_body("a", Sphere(radius), mass=1.0, position=(-0.53, offset, 0), velocity=(2, 0, 0), restitution=1.0)
    scene.add_body("b", Sphere(radius), mass=2.0, position=(0.3, 0, 0), velocity=(-2, 0, 0), restitution=1.0)
    simulation = taut.Simulation(scene, step=step)
    simulation.run(0.4)
    line = np.array([np.sqrt((2 * radius) ** 2 - offset**2), -offset, 0.0]) / (2 * radius)
    impulse = 2.0 * (1.0 * 2.0 / 3.0) * 4.0 * line[0] * line
    assert simulation.body("a").velocity == pytest.approx([2, 0, 0] - impulse / 1.0, abs=1e-8)
    assert simulation.body("b").velocity == pytest.approx([-2, 0, 0] + impulse / 2.0, abs=1e-8)


@pytest.mark.parametrize("step", [1 / 60, 1 / 240])
def test_reported_impulses_are_the_change_of_momentum(step):
    """m (v+ - v) = h m g + sum of the reported impulses on every body, in frames with bounces too.

    With Euler, whose law this is; the two-step scheme balances 3/2 v+ - 2 v + 1/2 v_prev.
    """
    scene = taut.Scene(friction=0.4)
    scene.add_plane(restitution=0.8)
    masses = {"low": 2.0, "high": 0.5, "box": 1.0}
    scene.add_body("low", Sphere(0.1), mass=2.0, position=(0, 0, 0.5), velocity=(0.5, 0, 0), restitution=0.8)
    scene.add_body("high", Sphere(0.1), mass=0.5, position=(0.3, 0.02, 0.9), restitution=0.8)
    scene.add_body("box", Box(0.3, 0.2, 0.1), mass=1.0, position=(1, 0, 0.6), angular_velocity=(2, 3, 1))
    simulation, bounced = taut.Simulation(scene, step=step, integrator="euler"), dict.fromkeys(masses, 0)
    while simulation.time < 0.6:
        before = {name: simulation.body(name).velocity for name in masses}
        resting = {name: simulation.body(name).contacts.force.any() for name in masses}
        report = simulation.step()
        for name, mass in masses.items():
            own = simulation.body(name).contacts
            if report.substeps > 1 or resting[name]:
                continue
            bounced[name] += bool(own.blow.any())
            change = mass * (simulation.body(name).velocity - before[name])
            expected = own.impulse.sum(axis=0) + step * mass * np.array([0, 0, -GRAVITY])
            assert change == pytest.approx(expected, abs=1e-9), name
    assert min(bounced.values()) >= 1


def test_a_bounce_off_what_rests_does_not_push_it_into_the_ground():
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("anvil", Box(0.4, 0.4, 0.2), mass=1.0, position=(0, 0, 0.1))
    scene.add_body("ball", Sphere(0.05), mass=5.0, position=(0, 0, 0.7), restitution=0.9)
    simulation = taut.Simulation(scene)
    drop, fastest = 0.45, 0.0
    while simulation.time < 0.6:
        simulation.step()
        fastest = max(fastest, float(np.linalg.norm(simulation.body("anvil").velocity)))
        assert abs(simulation.body("anvil").position[2] - 0.1) < 1e-5
    assert fastest < 1e-3
    ball = simulation.body("ball")
    height = ball.position[2] - 0.25 + ball.velocity[2] ** 2 / (2 * GRAVITY)
    assert height == pytest.approx(0.9**2 * drop, rel=1e-3)


def test_balls_on_hinges_hand_a_blow_on_at_any_angle():
    """The ball between two others stays, and the last goes on with the speed of the first, however steep the way."""
    for angle, step in ((30.0, 1 / 60), (60.0, 1 / 60), (60.0, 1 / 100), (30.0, 1 / 240)):
        recording = taut.Simulation(scenes.build("newtons_cradle", balls=3, angle=angle), step=step).run(2.0)
        height = (recording.positions[:, :, 2] + 0.5) / (0.5 - 0.5 * np.cos(np.radians(angle)))
        late = recording.time > 1.0  # after the second blow
        assert height[:, 2].max() == pytest.approx(1.0, abs=0.015)
        assert height[late, 0].max() == pytest.approx(1.0, abs=0.06)
        assert height[:, 1].max() < 1e-4


def test_blows_are_recorded(tmp_path):
    scene = taut.Scene()
    scene.add_plane(restitution=0.5)
    scene.add_body("ball", Sphere(0.1), mass=2.0, position=(0, 0, 0.4))
    recording = taut.Simulation(scene).run(0.5, tmp_path / "run.h5")
    for kept in (recording, taut.Recording.load(tmp_path / "run.h5")):
        blows = [kept.contacts(frame).of("ball").blow.sum(axis=0) for frame in range(len(kept.time))]
        first = next(blow for blow in blows if blow.any())
        assert first == pytest.approx([0, 0, 2.0 * 1.5 * np.sqrt(2 * GRAVITY * 0.3)], rel=1e-3)
        sizes = [np.linalg.norm(blow) for blow in blows if blow.any()]
        assert len(sizes) > 1 and all(late < early for early, late in pairwise(sizes))


@pytest.mark.parametrize(("step", "highest", "rise"), [(1 / 60, 1.01, None), (1 / 240, 1.001, 1e-3)])
def test_a_spinning_box_gains_no_energy_from_blows(step, highest, rise):
    """A blow keeps the energy of the angular momentum where it happens; what is left is the error of free flight.

    With 1/60 s the box turns by up to 1.6 rad a step, and flight loses as much as chance has it turn.
    """
    scene = taut.Scene(friction=0.0)
    scene.add_plane(restitution=1.0)
    scene.add_body("box", Box(0.4, 0.1, 0.05), mass=1.0, position=(0, 0, 0.5), angular_velocity=(3, 30, 3))
    simulation, blows = taut.Simulation(scene, step=step), 0
    energy = first = simulation.state.energy
    while simulation.time < 2.0:
        report = simulation.step()
        blows += bool(simulation.contacts.blow.any())
        assert report.energy <= highest * first
        assert rise is None or report.energy - energy <= rise * first
        energy = report.energy
    assert blows >= 3
    assert rise is None or energy > 0.99 * first


@pytest.mark.parametrize(("law", "most"), [("box", np.sqrt(2.0)), ("cone", 1.0)])
@pytest.mark.parametrize("shape", [Box(0.3, 0.2, 0.1), Capsule(0.05, 0.4)], ids=["box", "capsule"])
def test_friction_of_blows_stays_within_its_law(shape, law, most):
    """|b_t| <= mu b_n with the normal impulse of the blow itself, along each tangent or in all."""
    friction, random, blows, greatest = 0.5, np.random.default_rng(0), 0, 0.0
    scene = taut.Scene(friction=friction)
    scene.add_plane(restitution=0.8)
    for index in range(4):
        turn = random.normal(size=4)
        scene.add_body(
            f"body-{index}", shape, mass=1.0, position=(2 * index, 0, 0.8), orientation=turn / np.linalg.norm(turn),
            velocity=3 * random.normal(size=3), angular_velocity=10 * random.normal(size=3),
        )  # fmt: skip
    simulation = taut.Simulation(scene, friction=law)
    while simulation.time < 1.0:
        report, found = simulation.step(), simulation.contacts
        if report.substeps > 1:
            continue
        normal = np.einsum("ki,ki->k", found.blow, found.normal)
        across = np.linalg.norm(found.blow - normal[:, None] * found.normal, axis=1)
        assert (across <= most * friction * normal * (1 + 1e-3) + 1e-12).all()
        greatest = max(greatest, float((across / np.maximum(friction * normal, 1e-9)).max(initial=0.0)))
        blows += int((normal > 0.0).sum())
    assert blows > 5 and greatest > 0.5
