"""Loops with redundant rows move as the same mechanism without them, however slightly the rows disagree."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import taut
from taut.joints import Distance, Fixed, PointOnLine, Revolute, Rope, Spherical
from taut.model.compile import compile_scene
from taut.problem.mlcp import MlcpProblem
from taut.responses.redundancy import RedundantRows, restricted
from taut.shapes import Box, Sphere
from taut.stepping.mechanism import mechanism_of
from taut.structure.loops import has_loops


def door(hinges: int, axis: tuple[float, float, float], misfit: float = 0.0) -> taut.Scene:
    """A door on one or two hinges along an axis, the second `misfit` m off the line."""
    along = np.array(axis) / np.linalg.norm(axis)
    across = np.cross(along, (0.0, 0.0, 1.0))
    across /= np.linalg.norm(across)
    scene = taut.Scene()
    scene.add_body("door", Box(1.0, 1.0, 0.05), mass=10.0, position=0.5 * across)
    for place, off in ((-0.4, 0.0), (0.4, misfit))[:hinges]:
        at = place * along + off * np.cross(along, across)
        scene.connect("world", "door", Revolute(axis=tuple(along)), at=at)
    return scene


def pendulum(rod: float | None) -> taut.Scene:
    """A box on a ball joint, and if asked a rod to the same pivot that is `rod` m too long."""
    scene = taut.Scene()
    scene.add_body("door", Box(0.2, 0.2, 0.2), mass=1.0, position=(0.5, 0.0, 0.0))
    scene.connect("world", "door", Spherical(), at=(0.0, 0.0, 0.0))
    if rod is not None:
        scene.connect("world", "door", Distance(length=0.5 + rod))
    return scene


def path(scene: taut.Scene) -> tuple[np.ndarray, taut.Recording]:
    recording = taut.Simulation(scene).run(2.0)
    return recording.body("door").position, recording


@pytest.mark.parametrize("axis", [(0, 1, 0), (1, 2, 0.3)])
@pytest.mark.parametrize("misfit", [0.0, 1e-9, 1e-7, 1e-6])
def test_two_hinges_move_as_one(axis: tuple[float, float, float], misfit: float) -> None:
    expected, _ = path(door(1, axis))
    found, recording = path(door(2, axis, misfit))
    assert np.abs(found - expected).max() <= 1e-7 + 10.0 * misfit
    assert set(recording.status) <= {"initial", "solved"}
    assert recording.column("solves")[2:].max() <= 2
    assert recording.energy.max() <= recording.energy[0] + 1e-6
    assert np.abs(recording.joint("world-door").reaction).max() < 1e3, "no self-stress"


@pytest.mark.parametrize("misfit", [0.0, 1e-7, 1e-3])
def test_a_rod_that_says_the_same_changes_nothing(misfit: float) -> None:
    expected, _ = path(pendulum(None))
    found, recording = path(pendulum(misfit))
    assert np.abs(found - expected).max() <= 1e-5 + 3.0 * misfit
    assert set(recording.status) <= {"initial", "solved"}
    assert recording.violation[1:].max() >= 0.4 * misfit, "what cannot be closed is reported"


def test_loops_are_found_and_trees_cost_nothing() -> None:
    for scene, loop in ((door(1, (0, 1, 0)), False), (door(2, (0, 1, 0)), True), (pendulum(0.0), True)):
        mechanism = mechanism_of(compile_scene(scene)[0])
        bodies = mechanism.bodies
        rows = RedundantRows(mechanism.entries, mechanism.hard, bodies.mass, bodies.inertia)
        assert has_loops(mechanism.entries, mechanism.hard) is loop
        assert (rows.factor is None) is not loop


def test_a_body_beside_a_loop_that_cannot_be_solved_is_left_alone() -> None:
    scene = door(2, (0, 1, 0), misfit=3e-5)
    scene.add_body("flyer", Box(1, 1, 1), mass=1.0, position=(5, 0, 0), velocity=(7, 0, 0))
    simulation = taut.Simulation(scene)
    simulation.run(1.0)
    assert simulation.body("flyer").velocity == pytest.approx([7.0, 0.0, -9.81])


def found_redundant(simulation: taut.Simulation) -> list[int]:
    """Rows found redundant in the state of a simulation, whatever a step left behind."""
    stepper = simulation.stepper
    stepper.scratch.redundant.fill(1)
    stepper.find_redundant(simulation.state)
    return np.flatnonzero(stepper.scratch.redundant).tolist()


def test_rows_that_give_way_are_never_redundant() -> None:
    """Companions of a slack rod are zero: no row at all, rather than one that others make redundant."""
    simulation = taut.Simulation(pendulum(0.0))
    simulation.step()
    assert np.flatnonzero(simulation.stepper.scratch.redundant).tolist() == [3], "the rod, but none of its companions"
    assert found_redundant(simulation) == [3]


def four_bar(scale: float = 1.0, body: str = "") -> taut.Scene:
    """Three bars on hinges across a gap, the mass of one of them scaled: three rows of the loop say nothing new."""
    scene = taut.Scene()
    places = {"left": (0.0, 0.0, 0.5), "coupler": (0.5, 0.0, 1.0), "right": (1.0, 0.0, 0.5)}
    for name, place in places.items():
        size = Box(1.0, 0.05, 0.05) if name == "coupler" else Box(0.05, 0.05, 1.0)
        mass = scale if name == body else 1.0
        scene.add_body(name, size, mass=mass, position=place, collides=False)
    joints = [("world", "left", 0, 0), ("left", "coupler", 0, 1), ("coupler", "right", 1, 1), ("right", "world", 1, 0)]
    for first, second, x, z in joints:
        scene.connect(first, second, Revolute(axis=(0, 1, 0)), at=(x, 0, z))
    return scene


def redundant_rows(scene: taut.Scene) -> list[int]:
    """Rows found redundant where the scene starts."""
    return found_redundant(taut.Simulation(scene))


@pytest.mark.parametrize("scale", [1e-9, 1e9])
@pytest.mark.parametrize("body", ["left", "coupler", "right"])
def test_what_is_redundant_does_not_depend_on_masses(body: str, scale: float) -> None:
    expected = redundant_rows(four_bar())
    assert len(expected) == 3, "out of its plane the loop is held three times over"
    assert redundant_rows(four_bar(scale, body)) == expected


def test_a_pattern_of_chosen_rows_is_the_part_of_the_matrix(rng: np.random.Generator) -> None:
    matrix = rng.normal(size=(9, 9)) * (rng.random((9, 9)) < 0.4)
    matrix = matrix + matrix.T + 9.0 * np.eye(9)
    problem, chosen = MlcpProblem.from_matrix(matrix, np.zeros(9), 0.0), np.array([1, 0, 1, 1, 0, 0, 1, 1, 0], bool)
    pattern, source = restricted(problem.pattern, chosen)
    part = np.zeros((5, 5))
    part[np.repeat(np.arange(5), np.diff(pattern.indptr)), pattern.indices] = problem.values[source]
    assert np.array_equal(part, matrix[np.ix_(chosen, chosen)])


@pytest.mark.parametrize("misfit", [0.003, 0.007, 0.02])
def test_a_contradiction_is_said_in_frames_that_are_done_in_parts_too(misfit: float) -> None:
    """The first frame has four: what they leave for the rest of the frame is no part of what cannot be closed."""
    scene = pendulum(rod=misfit)
    with pytest.warns(taut.TautWarning):
        simulation = taut.Simulation(scene)
    reports = [simulation.step() for _ in range(5)]
    assert {report.status for report in reports} == {"contradiction"}


@pytest.mark.parametrize("speed", [0.1, 1.0, 10.0])
def test_rows_that_say_the_same_at_one_place_only_hold_the_body_there(speed: float) -> None:
    """A circle and a line that touches it: to first order a bead may move along both, but it cannot."""
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), collisions=False)
    scene.add_body("bead", Sphere(0.05), mass=1.0, position=(1.0, 0.0, 0.0), velocity=(0.0, 0.0, speed))
    scene.connect("world", "bead", Distance(length=1.0))
    scene.connect("world", "bead", PointOnLine(axis=(0.0, 0.0, 1.0)), at=(1.0, 0.0, 0.0))
    simulation = taut.Simulation(scene)
    for _ in range(5):
        report = simulation.step()
        x, _, z = simulation.state.position[1]
        assert max(abs(np.hypot(x, z) - 1.0), abs(x - 1.0)) < 2.0 * simulation.settings.limit
        assert np.abs(simulation.state.velocity).max() < 0.2 * speed, "it is stopped, not thrown back"
    assert report.status == "solved"


def on_two_balls(tilt: float) -> taut.Scene:
    """Two bodies on two ball joints, whose line has a component of this share along z: one row of six says nothing."""
    scene = taut.Scene(gravity=(0, 0, 0))
    line = np.array([1.0, 0.5 * tilt**0.5, tilt])
    scene.add_body("a", Box(1, 1, 1), mass=1.0)
    scene.add_body("b", Box(1, 1, 1), mass=1.0, position=(0.3, 0.4, 0.5))
    for place in (-0.4, 0.7):
        scene.connect("a", "b", Spherical(), at=place * line / np.linalg.norm(line))
    return scene


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("tilt", [1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6, 0.0])
def test_a_row_that_has_little_part_in_what_is_said_twice_is_found_all_the_same(tilt: float, coordinates: str) -> None:
    simulation = taut.Simulation(on_two_balls(tilt), coordinates=coordinates)
    simulation.stepper.find_redundant(simulation.state)
    assert simulation.stepper.scratch.redundant.sum() == 1


def welded_in_a_rope(overrun: float, chain: bool) -> taut.Scene:
    """Two boxes, or three in a row, welded to each other, that swing on a ball joint with a rope from end to end."""
    scene = taut.Scene()
    names = ["a", "b", "c"] if chain else ["a", "c"]
    for place, name in enumerate(names):
        scene.add_body(name, Box(0.2, 0.2, 0.2), mass=1.0 + place, position=(0.5 + place, 0.1 * place, 0))
    scene.connect("world", "a", Spherical(), at=(0, 0, 0))
    for first, second in pairwise(names):
        scene.connect(first, second, Fixed())
    span = float(np.hypot(1.0, 0.1)) * (len(names) - 1)
    scene.connect("a", "c", Rope(length=span - overrun), name="rope")
    return scene


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("chain", [False, True])
@pytest.mark.parametrize("overrun", [-1e-3, 0.0, 1e-8, 1e-5])
def test_a_rope_between_bodies_that_are_one_pulls_at_nothing(overrun: float, chain: bool, coordinates: str) -> None:
    simulation = taut.Simulation(welded_in_a_rope(overrun, chain), coordinates=coordinates)
    recording = simulation.run(1.0)
    assert set(recording.status) <= {"initial", "solved"}
    assert np.abs(recording.joint("rope").reaction).max() < 2.0, "no self-stress"
    assert recording.column("solves")[2:].max() <= 4
    assert recording.violation[1:].max() == pytest.approx(max(overrun, 0.0), abs=5e-6)


WELDS = {
    "crossed hinges": [(Revolute(axis=(1, 0, 0)), (1, 0, 0)), (Revolute(axis=(0, 1, 0)), (1, 0, 0.1))],
    "three balls": [(Spherical(), at) for at in ((1, 0, 0), (1, 0.1, 0), (1, 0, 0.1))],
    "a hinge and a ball": [(Revolute(axis=(0, 1, 0)), (1, 0, 0)), (Spherical(), (1, 0, 0.1))],
}
"""Joints, and where, that leave two bodies no freedom together, and each of them does."""


def held_by(joints: list[tuple[taut.joints.Joint, tuple[float, float, float]]], overrun: float) -> taut.Scene:
    """Two boxes held together by these joints, that swing on a ball joint with a rope from one to the other."""
    scene = taut.Scene(collisions=False)
    for place, name in enumerate(("a", "c")):
        scene.add_body(name, Box(0.2, 0.2, 0.2), mass=1.0 + place, position=(0.5 + place, 0.1 * place, 0))
    scene.connect("world", "a", Spherical(), at=(0, 0, 0))
    for joint, at in joints:
        scene.connect("a", "c", joint, at=at)
    scene.connect("a", "c", Rope(length=float(np.hypot(1.0, 0.1)) - overrun), name="rope")
    return scene


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("kind", WELDS)
@pytest.mark.parametrize("overrun", [-1e-3, 0.0, 1e-8, 1e-5])
def test_a_rope_between_bodies_that_several_joints_make_one_pulls_at_nothing(
    overrun: float, kind: str, coordinates: str
) -> None:
    simulation = taut.Simulation(held_by(WELDS[kind], overrun), coordinates=coordinates)
    recording = simulation.run(0.5)
    assert set(recording.status) <= {"initial", "solved"}
    assert np.abs(recording.joint("rope").reaction).max() < 2.0, "no self-stress"
    assert recording.column("solves")[2:].max() <= 4


@pytest.mark.parametrize(
    "joints",
    [
        [(Revolute(axis=(0, 1, 0)), (1, 0, 0)), (Revolute(axis=(0, 1, 0)), (1, 0.3, 0))],
        [(Spherical(), (1, 0, 0)), (Spherical(), (1, 0.1, 0.1))],
        [(Spherical(), (1, 0, 0))],
    ],
)
def test_a_rope_between_bodies_that_turn_on_several_joints_is_kept(joints: list) -> None:
    """Two hinges on a door, and two balls on a line, leave it one freedom."""
    simulation = taut.Simulation(held_by(joints, 0.0))
    simulation.run(0.2)
    assert not simulation.stepper.idle.any()


def test_what_is_one_by_pairs_is_one_as_a_whole() -> None:
    """Three plates in a row, each with two crossed hinges on the next, and the last on the world."""
    scene = taut.Scene(collisions=False)
    for place, name in enumerate("abc"):
        scene.add_body(name, Box(0.5, 0.5, 0.1), mass=1.0, position=(place, 0, 0))
    for first, second, x in (("a", "b", 0.5), ("b", "c", 1.5), ("c", "world", 2.5)):
        for axis, z in (((1, 0, 0), 0.0), ((0, 1, 0), 0.1)):
            scene.connect(first, second, Revolute(axis=axis), at=(x, 0, z))
    scene.connect("world", "a", Rope(point_a=(-2, 0, 0)), name="stay")
    simulation = taut.Simulation(scene)
    assert {simulation.step().status for _ in range(10)} == {"solved"}
    assert simulation.stepper.idle.sum() == 1


def test_a_rope_that_is_far_too_short_for_bodies_that_are_one_is_a_contradiction() -> None:
    simulation = taut.Simulation(welded_in_a_rope(5e-3, True))
    assert {simulation.step().status for _ in range(5)} == {"contradiction"}


def test_a_limit_of_what_can_move_is_kept() -> None:
    scene = welded_in_a_rope(0.0, True)
    scene.connect("world", "c", Rope(), name="free")
    scene.add_body("d", Box(0.2, 0.2, 0.2), mass=1.0, position=(4, 0, 0))
    scene.connect("c", "d", Revolute(axis=(0, 1, 0), limits=(-0.1, 0.1)))
    simulation = taut.Simulation(scene)
    simulation.stepper.find_redundant(simulation.state)
    names = [simulation.meter.names[row] for row in simulation.model.layout.row_owner]
    redundant = simulation.stepper.scratch.redundant > 0
    assert [name for name, there in zip(names, redundant, strict=True) if there] == ["rope"]


def test_a_hinge_with_a_motor_of_any_strength_is_no_weld() -> None:
    scene = taut.Scene(collisions=False, gravity=(0, 0, 0))
    scene.add_body("arm", Box(1, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0))
    motor = taut.joints.Motor(speed=1.0)
    scene.connect("world", "arm", taut.joints.Revolute(axis=(0, 1, 0), motor=motor), at=(0, 0, 0), name="hinge")
    scene.connect("world", "arm", taut.joints.Rope(length=0.5), at=(1.0, 0, 0.2), name="tether")
    assert not taut.Simulation(scene).stepper.idle.any()
