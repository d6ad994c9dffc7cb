"""Contact against Newton's laws and independent geometry: reported forces, momentum, penetration, small steps."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import taut
from taut.joints import Spherical
from taut.shapes import Box, Capsule, Heightfield, Shape, Sphere

GRAVITY = np.array([0.0, 0.0, -9.81])
PAIRS = [(Sphere(0.1), Sphere(0.1)), (Sphere(0.1), Box(0.3, 0.2, 0.2)), (Capsule(0.1, 0.2), Capsule(0.08, 0.3))]
FINE = 1 / 240


def turn(axis: str, degrees: float) -> np.ndarray:
    """Quaternion (w, x, y, z) of a rotation about x, y or z."""
    return np.roll(Rotation.from_euler(axis, degrees, degrees=True).as_quat(), 1)


def collision(friction: float, step: float, shapes: tuple[Shape, Shape]) -> taut.Simulation:
    """Two spinning bodies without restitution that meet off centre, without gravity."""
    scene = taut.Scene(gravity=(0, 0, 0), friction=friction)
    scene.add_body(
        "a", shapes[0], mass=1.0, position=(-0.4, 0.04, 0.02), velocity=(2, 0, 0), angular_velocity=(1, 4, 5)
    )
    scene.add_body(
        "b", shapes[1], mass=2.0, position=(0.2, -0.04, 0), velocity=(-2, 0, 0.1), angular_velocity=(4, 1, 2)
    )
    return taut.Simulation(scene, step=step)


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("step", [1 / 60, 1 / 240, 1 / 1000])
@pytest.mark.parametrize("shapes", PAIRS, ids=["balls", "box", "capsules"])
def test_momentum_is_kept_through_contact(shapes, step, friction):
    """Linear momentum to rounding; angular momentum to first order in h, as an impact without restitution is over one
    step in which bodies go on by h v: its impulse P acts at the end, and what is off is a multiple of h v P."""
    simulation = collision(friction, step, shapes)
    linear, angular = simulation.report.momentum
    pushed, worst = 0.0, 0.0
    while simulation.time < 0.5:
        report = simulation.step()
        pushed += float(np.linalg.norm(simulation.contacts.impulse, axis=1).sum())
        worst = max(worst, float(np.abs(report.momentum[1] - angular).max()))
        assert report.momentum[0] == pytest.approx(linear, abs=1e-12)
    assert pushed > 0.5
    assert worst <= 4.0 * step * pushed


def pile(integrator: str, step: float) -> taut.Simulation:
    """Boxes, a ball and a log that fall on each other, slide and topple, one of them on a string to another."""
    scene = taut.Scene(friction=0.5)
    scene.add_plane()
    scene.add_body("low", Box(0.6, 0.4, 0.2), mass=5.0, position=(0, 0, 0.1), velocity=(1, 0, 0))
    scene.add_body("high", Box(0.3, 0.3, 0.3), mass=2.0, position=(0.1, 0, 0.37), angular_velocity=(0, 1, 0))
    scene.add_body("ball", Sphere(0.1), mass=0.5, position=(0.15, 0.02, 0.75))
    scene.add_body("log", Capsule(0.08, 0.4), mass=3.0, position=(-0.6, 0, 0.12), orientation=turn("x", 85))
    scene.connect("low", "log", Spherical(), at=(-0.4, 0, 0.1), name="link")
    return taut.Simulation(scene, step=step, integrator=integrator)


@pytest.mark.parametrize("step", [1 / 60, 1 / 240])
def test_reported_forces_are_those_that_move_the_bodies(step):
    """m (v+ - v) / h = m g + contact forces + joint forces, with Euler in every frame that was done in one piece."""
    simulation = pile("euler", step)
    bodies = {"low": 5.0, "high": 2.0, "ball": 0.5, "log": 3.0}
    checked, moving = dict.fromkeys(bodies, 0), 0.0
    frames = int(1.0 / step)
    for _ in range(frames):
        before = {name: simulation.body(name).velocity for name in bodies}
        if simulation.step().substeps > 1:
            continue
        link = simulation.joint("link").reaction[:3]
        for name, mass in bodies.items():
            own = simulation.body(name).contacts
            force = own.impulse.sum(axis=0) / step + mass * GRAVITY
            force += link * {"low": -1.0, "log": 1.0}.get(name, 0.0)
            gained = mass * (simulation.body(name).velocity - before[name]) / step
            assert gained == pytest.approx(force, abs=1e-6 * (1.0 + np.abs(own.force).sum()))
            checked[name] += len(own) > 0
            moving = max(moving, float(np.abs(gained).max()))
    assert moving > 10.0
    assert min(checked.values()) > 0.3 * frames


def test_reported_forces_are_those_that_move_the_bodies_with_the_two_step_scheme():
    """Over a second the impulses are the change of momentum; frames done in parts report their last part only."""
    simulation = pile("bdf2", 1 / 240)
    mass, change = 10.5, np.zeros(3)
    start = simulation.report.momentum[0]
    for _ in range(240):
        simulation.step()
        change += -simulation.contacts.of("world").impulse.sum(axis=0) + mass * GRAVITY / 240
    assert simulation.report.momentum[0] - start == pytest.approx(change, abs=5e-3 * mass * 9.81)


def overlapping(scene: taut.Scene) -> taut.Simulation:
    """A simulation after its first frame, which is done in parts and reports the deepest of them."""
    simulation = taut.Simulation(scene, step=FINE)
    simulation.step()
    return simulation


def segment(body: taut.simulation.handles.BodyView, length: float) -> np.ndarray:
    """Ends (2, 3) of a capsule's axis."""
    rotation = Rotation.from_quat(np.roll(body.orientation, -1))
    return body.position + rotation.apply([[0, 0, -length / 2], [0, 0, length / 2]])


def segment_distance(p: np.ndarray, q: np.ndarray) -> float:
    """Distance of two segments (2, 3), by a general minimiser, m."""

    def distance2(s: np.ndarray) -> float:
        return float(np.sum((p[0] + s[0] * (p[1] - p[0]) - q[0] - s[1] * (q[1] - q[0])) ** 2))

    starts = product((0.1, 0.5, 0.9), repeat=2)
    runs = [minimize(distance2, start, bounds=[(0, 1)] * 2, tol=1e-16, options={"ftol": 1e-18}) for start in starts]
    return float(np.sqrt(min(run.fun for run in runs)))


@pytest.mark.parametrize("angle", [90.0, 60.0, 20.0, 5.0, 1.5])
@pytest.mark.parametrize("lean", [0.0, 12.0])
def test_penetration_of_crossed_and_leaning_capsules(angle, lean):
    scene = taut.Scene(friction=0.3)
    scene.add_body("lower", Capsule(0.1, 1.0), fixed=True, orientation=turn("y", 90), mass=1.0)
    over = Rotation.from_euler("zy", [angle, 90.0 - lean], degrees=True)
    sunk = 0.003
    scene.add_body(
        "upper", Capsule(0.07, 0.6), mass=2.0, position=(0.05, 0.02, 0.3), orientation=np.roll(over.as_quat(), 1)
    )
    upper = segment(taut.Simulation(scene).body("upper"), 0.6)
    lower = np.array([[-0.5, 0, 0], [0.5, 0, 0]])
    low, high = 0.0, 0.4  # how far down the upper one must go to overlap by `sunk`
    for _ in range(40):
        middle = 0.5 * (low + high)
        gap = segment_distance(lower, upper - [0, 0, middle]) - 0.17
        low, high = (middle, high) if gap > -sunk else (low, middle)
    scene.bodies[-1].position = np.array([0.05, 0.02, 0.3 - low])
    simulation = overlapping(scene)
    for _ in range(3):
        report = simulation.step()
        depth = 0.17 - segment_distance(lower, segment(simulation.body("upper"), 0.6))
        assert depth > 1e-3
        assert report.penetration == pytest.approx(depth, abs=1e-5)


@pytest.mark.parametrize("angles", [(35.0, 30.0), (45.0, 35.264), (20.0, 50.0)])
def test_penetration_of_a_box_corner(angles):
    scene = taut.Scene(friction=0.6)
    scene.add_body("table", Box(2, 2, 0.2), fixed=True, mass=1.0, position=(0, 0, -0.1))
    pose = Rotation.from_euler("xy", angles, degrees=True)
    corners = np.array(list(product((-0.2, 0.2), (-0.15, 0.15), (-0.1, 0.1))))
    height = -pose.apply(corners)[:, 2].min() - 0.004
    scene.add_body("box", Box(0.4, 0.3, 0.2), mass=3.0, position=(0, 0, height), orientation=np.roll(pose.as_quat(), 1))
    simulation = overlapping(scene)
    body = simulation.body("box")
    for _ in range(3):
        report = simulation.step()
        now = Rotation.from_quat(np.roll(body.orientation, -1))
        depth = -(body.position + now.apply(corners))[:, 2].min()
        assert depth > 1e-3
        assert report.penetration == pytest.approx(depth, abs=1e-5)


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.31, -0.27), (-0.4, 0.45)])
def test_penetration_of_a_ball_on_terrain(place):
    """A smooth slope of triangles: the distance of the centre from their plane, less the radius."""
    slope = np.array([0.2, -0.1])
    x = np.linspace(-1, 1, 9)
    heights = slope[0] * x[None, :] + slope[1] * x[:, None]
    normal = np.array([-slope[0], -slope[1], 1.0]) / np.sqrt(1 + slope @ slope)
    scene = taut.Scene(friction=0.5)
    scene.add_body("ground", Heightfield(heights, (2, 2)), fixed=True)
    touching = np.array([*place, slope @ place]) + (0.1 - 0.004) * normal
    scene.add_body("ball", Sphere(0.1), mass=1.0, position=touching)
    simulation = overlapping(scene)
    for _ in range(3):
        report = simulation.step()
        depth = 0.1 - normal @ simulation.body("ball").position
        assert depth > 1e-3
        assert report.penetration == pytest.approx(depth, abs=1e-5)


@pytest.mark.parametrize(("step", "height"), [(1e-3, 0.05), (1e-4, 0.002)])
@pytest.mark.parametrize("compliance", [1e-9, 1e-6])
@pytest.mark.parametrize("shape", [Sphere(0.1), Box(0.2, 0.2, 0.2)], ids=["ball", "box"])
def test_a_drop_with_a_small_step_does_not_ring(shape, compliance, step, height):
    """Steps that resolve the spring of a contact do not throw a body back: its dashpot leaves 2 % of the speed."""
    scene = taut.Scene(contact_compliance=compliance)
    scene.add_plane()
    scene.add_body("body", shape, mass=1.0, position=(0, 0, 0.1 + height))
    simulation = taut.Simulation(scene, step=step)
    body, speed = simulation.body("body"), np.sqrt(2 * 9.81 * height)
    fall = np.sqrt(2 * height / 9.81)
    while simulation.time < fall + 20 * step + 3e-3:
        assert not simulation.step().unconverged
        assert body.velocity[2] < 0.03 * speed
        assert body.position[2] - 0.1 < 1e-4 or simulation.time < fall + 2 * step
    weight = 9.81 * compliance / (1 if isinstance(shape, Sphere) else 4)
    while simulation.time < fall + 0.08:
        simulation.step()
    assert body.position[2] - 0.1 == pytest.approx(-weight, abs=0.1 * weight + 1e-7)
    assert abs(body.velocity[2]) < 1e-3 * speed


@pytest.mark.parametrize("mode", ["box-refined", "cone"])
def test_reported_forces_obey_coulomb_with_the_reported_slip(mode: str) -> None:
    """A bar that spins while it slides, and a tilted one that tips over: |f_t| <= mu f_n, against the slip."""
    scene = taut.Scene(friction=0.4)
    scene.add_plane()
    turning = {"velocity": (2, 1, 0), "angular_velocity": (0, 0, 6)}
    scene.add_body("bar", Box(1, 0.2, 0.1), mass=2, position=(0, 0, 0.05), **turning)
    scene.add_body("post", Box(0.1, 0.1, 0.6), mass=1, position=(3, 0, 0.3), velocity=(1, 0.3, 0))
    sim = taut.Simulation(scene, friction=mode)
    slid = 0
    for _ in range(40):
        assert sim.step().status == "solved"
        table = sim.contacts
        push, normal = table.normal_force, table.normal
        rub = table.force - push[:, None] * normal
        loaded = push > 0.01 * push.max(initial=0.0)
        limit = np.sqrt(2.0) if mode == "box-refined" else 1.0
        assert (np.linalg.norm(rub, axis=1)[loaded] <= 0.4 * limit * push[loaded] * (1 + 2e-2)).all()
        fast = loaded & (np.linalg.norm(table.slip, axis=1) > 0.05)
        if mode == "cone" and fast.any():
            slid += int(fast.sum())
            along = np.einsum("ki,ki->k", rub, table.slip)[fast]
            expected = -0.4 * push[fast] * np.linalg.norm(table.slip, axis=1)[fast]
            np.testing.assert_allclose(along, expected, rtol=2e-2)
    assert mode != "cone" or slid > 20
