"""Rows of loops that say what trees, or other loops, say already, where trees are in joint coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from tree_examples import chain

import taut
from taut.joints import Distance, Fixed, Revolute, Spherical
from taut.model.articulation import ELIMINATED, KEPT
from taut.shapes import Box


def door(hinges: int, misfit: float = 0.0) -> taut.Scene:
    """A door on hinges along one line, the second `misfit` m off it."""
    scene = taut.Scene(collisions=False)
    scene.add_body("door", Box(1.0, 1.0, 0.05), mass=10.0, position=(0.5, 0, 0))
    for index, place in enumerate(np.linspace(-0.4, 0.4, max(hinges, 2))[:hinges]):
        scene.connect("world", "door", Revolute(axis=(0, 1, 0)), at=(0, place, misfit * (index == 1)), name=f"h{index}")
    return scene


def four_bar(**options: object) -> taut.Scene:
    """Three bars between two posts, all hinges across one plane: a loop in space with three rows too many."""
    scene = taut.Scene(collisions=False)
    corners = np.array([(0, 0, 0), (0, 0, 1), (2, 0, 1), (2, 0, 0)], float)
    previous = "world"
    for index, (start, end) in enumerate(zip(corners[:-1], corners[1:], strict=True)):
        middle = 0.5 * (start + end)
        scene.add_body(f"b{index}", Box(*(0.1 + np.abs(end - start))), mass=1.0, position=middle)
        scene.connect(previous, f"b{index}", Revolute(axis=(0, 1, 0)), at=start, name=f"h{index}")
        previous = f"b{index}"
    scene.connect(previous, "world", Revolute(axis=(0, 1, 0)), at=corners[3], name="last")
    scene.add_load("b0", force=(3.0, 0, 0))
    return scene


def redundant_rows(simulation: taut.Simulation) -> np.ndarray:
    """Rows that are found redundant where the simulation is."""
    stepper = simulation.stepper
    stepper.find_redundant(simulation.state)
    return np.flatnonzero(stepper.scratch.redundant)


@pytest.mark.parametrize(
    ("scene", "count"),
    [(door(1), 0), (door(2), 5), (door(3), 10), (four_bar(), 3), (chain(3), 0)],
    ids=["hinge", "two hinges", "three hinges", "four-bar", "chain"],
)
def test_redundant_rows_are_those_of_loops(scene: taut.Scene, count: int) -> None:
    simulation = taut.Simulation(scene, coordinates="reduced")
    trees, rows = simulation.stepper.mechanism.trees, redundant_rows(simulation)
    assert rows.size == count
    assert (trees.role[rows] == KEPT).all(), "never one that a tree keeps by itself"
    for _ in range(20):
        assert simulation.step().status == "solved"
    assert redundant_rows(simulation).size == count, "wherever it swings"
    assert (trees.role == ELIMINATED).sum() == 5 * (simulation.model.bodies.count - 1)


def test_trees_have_nothing_to_search() -> None:
    simulation = taut.Simulation(chain(3), coordinates="reduced")
    assert simulation.stepper.redundancy.factor is None and not simulation.stepper.redundancy.rows.size


def test_a_rod_that_says_what_a_tree_says_is_redundant() -> None:
    scene = chain(2)
    scene.connect("world", "b0", Distance(point_b=(-0.05, 0, 0)), name="rod")
    scene.connect("b0", "b1", Distance(point_a=(0.25, 0, 0.0), point_b=(0.1, 0, 0)), name="other rod")
    assert redundant_rows(taut.Simulation(scene, coordinates="reduced")).size == 2


def test_a_rod_that_says_more_is_not() -> None:
    scene = chain(2)
    scene.connect("world", "b1", Distance(point_a=(0, 0, 1), point_b=(0.1, 0, 0)), name="rod")
    assert not redundant_rows(taut.Simulation(scene, coordinates="reduced")).size


def test_a_second_loop_that_says_the_same_is_found() -> None:
    scene = chain(4)
    for name in ("first", "second"):
        scene.connect("world", "b3", Spherical(), at=(1.9, 0, 0.3), name=name)
    # a plane chain: of each ball joint the row across the plane is redundant, and of the second all
    rows = redundant_rows(taut.Simulation(scene, coordinates="reduced"))
    assert rows.size == 4


def test_a_weld_between_bodies_that_one_joint_holds_is_partly_redundant() -> None:
    scene = chain(2)
    scene.connect("b0", "b1", Fixed(), name="weld")
    simulation = taut.Simulation(scene, coordinates="reduced")
    assert redundant_rows(simulation).size == 5
    for _ in range(30):
        assert simulation.step().status == "solved"
    assert simulation.joint("j1").position == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("misfit", [0.0, 1e-9, 1e-7])
@pytest.mark.parametrize("build", [door, four_bar], ids=["door", "four-bar"])
def test_loops_move_as_in_maximal_coordinates(build: object, misfit: float) -> None:
    paths = []
    for coordinates in ("maximal", "reduced"):
        scene = build(2, misfit) if build is door else four_bar()
        recording = taut.Simulation(scene, coordinates=coordinates).run(1.0)
        assert set(recording.status) <= {"initial", "solved"}
        name = "door" if build is door else "b1"
        paths.append(recording.body(name).position)
        for joint in recording.info.joint_names:
            assert np.abs(recording.joint(joint).reaction).max() < 1e3, "no self-stress"
    assert np.abs(paths[0] - paths[0][0]).max() > 0.1
    assert np.abs(paths[1] - paths[0]).max() <= 2e-3 + 10.0 * misfit
