"""Ropes over many bodies as one row: geometry, Jacobians, wraps, and what they do in a simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from dense_twins import evaluate_by_kernel, moved, numeric_jacobian
from hypothesis import given
from hypothesis import strategies as st
from part_examples import zigzag
from sample_mechanisms import same_state

import taut
from taut.errors import InputError
from taut.joints import Motor, Revolute, Route, attach, drum, pinhole, sheave
from taut.rows.part import Pose
from taut.rows.route import RoutePart, Stop

SEEDS = st.integers(0, 2**32 - 1)
GRAVITY = 9.81


@given(seed=SEEDS)
def test_the_jacobian_is_exact_also_where_spans_are_not_in_the_plane_of_their_sheaves(seed: int) -> None:
    part, poses = zigzag(np.random.default_rng(seed))
    numeric = numeric_jacobian(part, poses, 1e-6)
    assert numeric == pytest.approx(part.evaluate(poses)[1], abs=1e-7)


@given(seed=SEEDS)
def test_the_kernel_equals_the_dense_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    part, poses = zigzag(rng, friction=0.2)
    part = RoutePart(tuple(Stop(**{**vars(stop), "near": 0.0}) for stop in part.stops))  # as the kernel's memory is
    laid = evaluate_by_kernel([part], poses, -rng.uniform(size=part.rows))
    value, jacobian = part.evaluate(poses)
    assert laid.rows.value[: part.rows] == pytest.approx(value, abs=1e-12)
    rows = laid.jacobian().reshape(-1, 5, 6)[: part.rows]
    assert rows == pytest.approx(jacobian[:, np.argsort(part.bodies)], abs=1e-11)
    wraps = part.trace(poses).wraps
    slots = [laid.layout.slots[wrap] for wrap in part.coordinates]
    assert laid.rows.coordinate[slots] == pytest.approx(wraps, abs=1e-12)


def test_companions_and_arm_blocks_are_the_second_derivative_where_sheaves_stay_in_their_plane() -> None:
    """-K~ = T d(J^T)/dx for motions of the centres; bodies that only move do not turn axes."""
    ends = Stop(1, (0.1, 0.0, 0.2)), Stop(3, (0.0, 0.0, 0.3))
    part = RoutePart((ends[0], Stop(2, (0.2, 0.0, 0.0), 0.3), ends[1]))
    places = np.array([[0.0, 0, 0], [-1.0, 0, -2], [0.1, 0, 0], [1.2, 0, -3]])
    poses = [Pose(place, np.eye(3)) for place in places]
    tension = 7.0
    laid = evaluate_by_kernel([part], poses, np.array([-tension]))
    companions = laid.jacobian()[1:].reshape(4, 4, 6)[:, :, :3].reshape(4, 12)
    scale = laid.rows.step[0] * laid.rows.beta[0]

    def gradient(shift: np.ndarray) -> np.ndarray:
        there = [Pose(place + move, np.eye(3)) for place, move in zip(places, shift.reshape(4, 3), strict=True)]
        return part.evaluate([there[body] for body in part.bodies])[1][0][:, :3].ravel()

    h, hessian = 1e-6, np.zeros((9, 9))
    for k in range(9):
        shift = np.zeros(12)
        shift[3 + k] = h
        hessian[:, k] = (gradient(shift) - gradient(-shift)) / (2.0 * h)
    assert companions[:, 3:].T @ companions[:, 3:] / scale == pytest.approx(tension * hessian, abs=1e-5)


def test_tangents_and_arcs_of_two_circles() -> None:
    """Up, over a circle of 0.5 m and one of 1 m that are 4 m apart, and down."""
    stops = Stop(0, (0, 0, 0)), Stop(1, (0, 0, 0), 0.5), Stop(2, (0, 0, 0), 1.0), Stop(3, (0, 0, 0))
    places = [(-0.5, 0, -3), (0, 0, 0), (4, 0, 0), (5, 0, -2)]
    course = RoutePart(stops).trace([Pose(np.array(place, float), np.eye(3)) for place in places])
    lean = math.asin(0.5 / 4.0)
    assert [span.length for span in course.spans] == pytest.approx([3.0, math.sqrt(16 - 0.25), 2.0])
    assert course.wraps == pytest.approx([0.0, 0.5 * math.pi - lean, 0.5 * math.pi + lean, 0.0])


def test_a_wrap_that_opens_leaves_the_sheave_out_and_keeps_the_length() -> None:
    """The end of a rope is carried over a sheave from one side to the other: the length is continuous and smooth."""
    part = RoutePart((Stop(0, (-2, 0, 0)), Stop(0, (0, 0, -0.5), 0.3), Stop(1, (0, 0, 0))))
    heights = np.linspace(-0.6, 0.6, 241)
    courses = [part.trace([Pose(np.zeros(3), np.eye(3)), Pose(np.array([2.0, 0, z]), np.eye(3))]) for z in heights]
    values = [part.evaluate([Pose(np.zeros(3), np.eye(3)), Pose(np.array([2.0, 0, z]), np.eye(3))]) for z in heights]
    length, slope = np.array([value[0] for value, _ in values]), np.array([jac[0, 1, 2] for _, jac in values])
    open_ = np.array([len(course.spans) == 1 for course in courses])
    assert open_.any() and not open_.all()
    straight = np.hypot(4.0, heights)
    assert length[open_] == pytest.approx(straight[open_]), "the straight line"
    assert (length[~open_] > straight[~open_]).all()
    assert np.diff(length) / np.diff(heights) == pytest.approx(0.5 * (slope[1:] + slope[:-1]), abs=5e-4)
    assert all((course.wraps[1] < 0.0) == alone for course, alone in zip(courses, open_, strict=True))


def atwood(light: float, heavy: float, radius: float = 0.2, **options: object) -> taut.Simulation:
    """Two weights on a rope over a fixed sheave."""
    scene = taut.Scene()
    for name, mass, side in (("light", light, -radius), ("heavy", heavy, radius)):
        scene.add_body(name, mass=mass, inertia=(1, 1, 1), position=(side, 0, -2))
    stops = attach("light"), sheave("world", radius=radius), attach("heavy")
    scene.connect("light", "heavy", Route(stops=stops), name="rope")
    return taut.Simulation(scene, **options)


@pytest.mark.parametrize("options", [{}, {"solver": "ipm"}, {"solver": "linear-time"}, {"coordinates": "reduced"}])
def test_atwood(options: dict) -> None:
    simulation = atwood(1.0, 2.0, **options)
    reports = [simulation.step() for _ in range(30)]
    assert simulation.body("heavy").velocity[2] == pytest.approx(-GRAVITY / 3.0 * 0.5, rel=1e-9)
    assert simulation.joint("rope").tension == pytest.approx(4.0 / 3.0 * GRAVITY, rel=1e-9)
    assert max(report.solves for report in reports[1:]) == 1


def test_a_rope_that_is_not_taut_pulls_nothing() -> None:
    simulation = atwood(1.0, 2.0)
    simulation.joint("rope").set_length(simulation.joint("rope").length + 1.0)
    for _ in range(12):
        simulation.step()
    assert simulation.joint("rope").tension == 0.0
    assert simulation.body("light").velocity[2] == pytest.approx(-GRAVITY * 0.2, rel=1e-9)


def winch(**options: object) -> taut.Simulation:
    """A load on a rope that a drum of 0.3 m on a hinge winds up, by a motor."""
    scene = taut.Scene()
    scene.add_body("drum", mass=50.0, inertia=(2, 2, 2), position=(-3, 0, 0))
    scene.add_body("load", mass=100.0, inertia=(1, 1, 1), position=(0.2, 0, -4))
    motor = Motor(speed=0.0, max_force=1e4)
    scene.connect("world", "drum", Revolute(axis=(0, 1, 0), motor=motor), at=(-3, 0, 0), name="shaft")
    stops = drum("drum", radius=0.3, stored=5.0), sheave("world", radius=0.2), attach("load")
    scene.connect("drum", "load", Route(stops=stops), name="rope")
    return taut.Simulation(scene, **options)


@pytest.mark.parametrize("options", [{}, {"coordinates": "reduced"}, {"solver": "ipm"}])
def test_a_drum_pays_out_and_takes_up_over_many_turns(options: dict) -> None:
    simulation = winch(**options)
    start = simulation.body("load").position[2]
    simulation.joint("shaft").drive(-5.0)
    for _ in range(120):
        assert simulation.step().status == "solved"
    turn = simulation.joint("shaft").position
    assert turn < -9.0
    assert simulation.body("load").position[2] - start == pytest.approx(-0.3 * turn, abs=1e-9)
    assert simulation.joint("rope").tension == pytest.approx(100.0 * GRAVITY, rel=1e-6)
    simulation.joint("shaft").drive(5.0)
    for _ in range(240):
        simulation.step()
    turn = simulation.joint("shaft").position
    assert simulation.body("load").position[2] - start == pytest.approx(-0.3 * turn, abs=1e-9)


def test_wraps_are_counted_after_a_restart(tmp_path: object) -> None:
    first = winch()
    first.joint("shaft").drive(-5.0)
    for _ in range(100):
        first.step()
    first.state.save(tmp_path / "state.npz")
    second = winch()
    second.restore(taut.State.load(tmp_path / "state.npz"))
    for simulation in (first, second):
        for _ in range(20):
            simulation.step()
    assert np.array_equal(first.state.position, second.state.position)
    assert np.array_equal(first.state.coordinate, second.state.coordinate)


def test_a_rope_stretches_by_its_stiffness() -> None:
    scene = taut.Scene()
    scene.add_body("load", mass=100.0, inertia=(1, 1, 1), position=(0, 0, -4))
    stops = attach("world", (-3, 0, 0)), pinhole("world"), attach("load")
    scene.connect("world", "load", Route(stops=stops, axial_stiffness=1e5, damping=3e3), name="rope")
    simulation = taut.Simulation(scene)
    for _ in range(240):
        simulation.step()
    assert simulation.joint("rope").length == pytest.approx(7.0)
    assert simulation.body("load").position[2] == pytest.approx(-4.0 - 100.0 * GRAVITY * 7.0 / 1e5, abs=1e-5)


@pytest.mark.parametrize("built", [2.2, 3.0, 4.5])
def test_a_rope_stretches_by_its_own_length_however_far_apart_its_ends_were_built(built: float) -> None:
    """Taken from the way at the start, a rope of 3 m that began with 1.5 m of stretch gave way by half more."""
    scene = taut.Scene()
    scene.add_body("load", mass=100.0, inertia=(1, 1, 1), position=(0, 0, -built))
    ends = attach("world"), attach("load")
    rope = Route(stops=ends, length=3.0, axial_stiffness=2e4, damping=2e3)
    scene.connect("world", "load", rope, name="rope")
    simulation = taut.Simulation(scene)
    for _ in range(600):
        simulation.step()
    assert simulation.body("load").position[2] == pytest.approx(-3.0 * (1.0 + 100.0 * GRAVITY / 2e4), abs=1e-5)


def test_rope_that_is_wound_up_at_the_start_does_not_stretch() -> None:
    scene = taut.Scene()
    scene.add_body("load", mass=100.0, inertia=(1, 1, 1), position=(0.3, 0, -4))
    stops = drum("world", radius=0.3, stored=5.0), attach("load")
    scene.connect("world", "load", Route(stops=stops, length=8.5, axial_stiffness=2e4, damping=2e3), name="rope")
    simulation = taut.Simulation(scene)
    for _ in range(600):
        simulation.step()
    assert simulation.body("load").position[2] == pytest.approx(-3.5 * (1.0 + 100.0 * GRAVITY / 2e4), abs=1e-5)


@pytest.mark.parametrize("h", [1.0 / 60.0, 1.0 / 1000.0])
def test_a_rope_that_is_half_as_firm_is_one_of_half_the_stiffness(h: float) -> None:
    ends = []
    for stiffness, firmness in ((1e5, 0.5), (5e4, 1.0)):
        scene = taut.Scene(collisions=False)
        for name, x in (("swings", 2.0), ("load", 0.0)):  # two groups: a frame that fails goes on in parts
            scene.add_body(name, mass=100.0, inertia=(1, 1, 1), position=(x, 0, -3.5))
            stops = attach("world", (-3, 0, 0)), pinhole("world"), attach(name)
            damping = 3e3 * stiffness / 1e5
            rope = Route(stops=stops, length=6.0, axial_stiffness=stiffness, damping=damping, stretching=7.0)
            scene.connect("world", name, rope, name=f"rope-{name}")
        simulation = taut.Simulation(scene, step=h)
        simulation.state.firmness[:] = firmness
        simulation.refresh()
        simulation.body("swings").apply(force=(3e5, 0, 0))  # frames are divided
        solves = [simulation.step().solves for _ in range(40)]
        assert max(solves) > 1
        ends.append(simulation.state.but(firmness=np.ones(simulation.state.force.size)))
    assert same_state(*ends) == []


def test_what_makes_no_rope_is_said() -> None:
    ends = attach("a"), attach("b")
    with pytest.raises(InputError, match="stretching is 0"):
        Route(stops=ends, axial_stiffness=1e5, stretching=0.0)
    with pytest.raises(InputError, match=r"stops\[1\] of 3 is 'attach'"):
        Route(stops=(ends[0], attach("world"), ends[1]))
    with pytest.raises(InputError, match="sheave: radius is 0"):
        sheave("a", radius=0.0)
    with pytest.raises(InputError, match="sheave: sense is 0; it must be 1 or -1"):
        sheave("a", radius=1.0, sense=0)
    scene = taut.Scene()
    for name in "abc":
        scene.add_body(name, mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(InputError, match="nobody"):
        scene.connect("a", "b", Route(stops=(ends[0], pinhole("nobody"), ends[1])))
    scene.connect("a", "c", Route(stops=ends))
    with pytest.raises(InputError, match="its stops are on 'a', 'b'"):
        taut.Simulation(scene)


def test_moving_everything_as_one_body_changes_nothing(rng: np.random.Generator) -> None:
    part, poses = zigzag(rng)
    twist = rng.normal(size=6)
    turn = moved(Pose(np.zeros(3), np.eye(3)), twist)
    there = [Pose(turn.position + turn.rotation @ pose.position, turn.rotation @ pose.rotation) for pose in poses]
    assert part.evaluate(there)[0] == pytest.approx(part.evaluate(poses)[0], abs=1e-12)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("over", [pinhole("world", (0, 0, 3)), sheave("world", (0, 0, 3), radius=0.2, axis=(0, 1, 0))])
def test_stops_at_the_same_point_are_no_trouble(over: object) -> None:
    scene = taut.Scene()
    scene.add_body("load", taut.shapes.Box(0.4, 0.4, 0.4), mass=5.0, position=(0, 0, 1))
    stops = (attach("world", (1, 0, 3)), over, pinhole("world", (0, 0, 3)), attach("load", (0, 0, 0.2)))
    scene.connect("world", "load", Route(stops), name="rope")
    simulation = taut.Simulation(scene)
    for _ in range(10):
        assert simulation.step().status == "solved"
    assert simulation.joint("rope").tension == pytest.approx(5.0 * 9.81, rel=1e-6)
