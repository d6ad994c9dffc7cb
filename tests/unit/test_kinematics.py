"""Joint coordinates of where bodies are, and bodies from their joint coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import random_quaternion
from tree_examples import (
    KINDS,
    coordinates_of,
    distance,
    linked,
    on_tree,
    placed,
    places_near,
    places_of,
    random_joint,
    random_tree,
    shaken,
    subspace_of,
    turn_between,
)  # fmt: skip

from taut import spatial
from taut.joints import Revolute, Universal
from taut.model.compile import compile_scene
from taut.rows.part import Pose
from taut.stepping.mechanism import mechanism_of

ENDS = pytest.mark.parametrize("ends", [("world", "b"), ("a", "b"), ("b", "a")], ids="-".join)
KIND = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def opened(mechanism, model, places) -> float:
    """Largest measure of a row that a tree keeps, m or rad."""
    worst = 0.0
    for node, first in enumerate(mechanism.trees.first_row):
        rows = range(first, first + mechanism.trees.row_count[node])
        for spec, start in zip(model.layout.specs, model.layout.first_row, strict=True):
            if start not in rows:
                continue
            poses = [Pose(places.position[k], places.rotation[k].reshape(3, 3)) for k in spec.part.bodies]
            worst = max(worst, float(np.abs(spec.part.evaluate(poses)[0]).max()))
    return worst


@KIND
@ENDS
def test_places_on_a_tree_stay(kind: type, ends: tuple[str, str], rng: np.random.Generator) -> None:
    model, state = compile_scene(linked(random_joint(rng, kind), ends))
    mechanism = mechanism_of(model, "reduced")
    assert distance(on_tree(mechanism.trees, places_of(state)), places_of(state)) <= 1e-14, "where it is made"
    for size in (0.1, 1.0):
        places = places_near(mechanism, state, rng, size)
        assert opened(mechanism, model, places) <= 1e-13, "no joint is open"
        assert distance(on_tree(mechanism.trees, places), places) <= 1e-13, "who is there stays"
        assert distance(places, places_of(state)) > 0.01 or kind.__name__ == "Fixed", "and got somewhere"


@KIND
@ENDS
def test_what_is_read_are_the_nearest_coordinates(kind: type, ends: tuple[str, str], rng: np.random.Generator) -> None:
    """A little off the joint, no small change of its coordinates brings the body nearer in angle, then in position."""
    joint = random_joint(rng, kind)
    model, state = compile_scene(linked(joint, ends))
    mechanism = mechanism_of(model, "reduced")
    trees = mechanism.trees
    node = int(np.argmax(trees.body == model.bodies.names.index("b")))
    start = places_near(mechanism, state, rng, 0.5)
    # carriers stay, so that the joint alone is measured
    off = placed(trees, coordinates_of(trees, start), start)
    body = trees.body[node]
    off.position[body] += 0.02 * rng.normal(size=3)
    off.orientation[body] = spatial.multiply(spatial.exponential(0.02 * rng.normal(size=3)), off.orientation[body])
    off.rotation[body] = spatial.matrix(off.orientation[body]).ravel()
    found = on_tree(trees, off)
    _, subspace = subspace_of(trees, found)
    turns = subspace[trees.dof_start[node] + trees.slides[node] : trees.dof_start[node + 1], 3:]
    rest = turn_between(found.orientation[body], off.orientation[body])
    # what is left is across the axes that it turns about
    assert np.abs(turns @ rest).max(initial=0.0) <= (1e-3 if kind is Universal else 1e-12)


@KIND
def test_no_joint_is_led_further_away_than_it_was(kind: type, rng: np.random.Generator) -> None:
    """Bodies are put at most about as far as their joints were open: within a factor that says 'the same size'."""
    model, state = compile_scene(linked(random_joint(rng, kind), ("world", "b")))
    mechanism = mechanism_of(model, "reduced")
    for size in (1e-9, 1e-6, 1e-3, 1e-1):
        before = places_near(mechanism, state, rng, 0.5)
        state.position[:], state.orientation[:] = before.position, before.orientation
        off = shaken(mechanism, state, rng, size)
        found = on_tree(mechanism.trees, off)
        assert distance(found, off) <= 4.0 * distance(before, off) + 1e-14


def test_trees_of_all_joints_close(rng: np.random.Generator) -> None:
    for floats in (False, True):
        for _ in range(10):
            model, state = compile_scene(random_tree(rng, 12, floats))
            mechanism = mechanism_of(model, "reduced")
            places = places_near(mechanism, state, rng, 1.0)
            assert opened(mechanism, model, places) <= 1e-12
            assert distance(on_tree(mechanism.trees, places), places) <= 1e-12
            assert np.abs(np.linalg.norm(places.orientation, axis=1) - 1.0).max() <= 1e-14
            expected = [spatial.matrix(q).ravel() for q in places.orientation]
            assert places.rotation == pytest.approx(np.array(expected), abs=1e-13)


def test_bodies_that_float_and_those_in_maximal_coordinates_stay(rng: np.random.Generator) -> None:
    scene = random_tree(rng, 5, floats=True)
    scene.add_body("alone", mass=1.0, inertia=(1, 1, 1), position=(9, 0, 0))
    model, state = compile_scene(scene)
    mechanism = mechanism_of(model, "reduced")
    off = shaken(mechanism, state, rng, 0.3)
    found, names = on_tree(mechanism.trees, off), model.bodies.names
    root = mechanism.trees.body[mechanism.trees.carrier < 0]
    for body in (*root, names.index("alone"), 0):
        assert np.array_equal(found.position[body], off.position[body])
        assert np.array_equal(found.orientation[body], off.orientation[body])


def test_hinges_turn_any_number_of_degrees(rng: np.random.Generator) -> None:
    """Near half a turn too, where a rotation has no nearest one of another sign."""
    model, state = compile_scene(linked(Revolute(axis=(0, 0, 1)), ("world", "b")))
    mechanism = mechanism_of(model, "reduced")
    trees, places = mechanism.trees, places_of(state)
    coordinate = coordinates_of(trees, places)
    start = coordinate[0, :4].copy()
    for angle in (*np.linspace(-3.2, 3.2, 9), np.pi, -np.pi, 2 * np.pi):
        coordinate[0, :4] = spatial.multiply(spatial.exponential(angle * trees.axis_a[0]), start)
        turned = placed(trees, coordinate, places)
        assert distance(on_tree(trees, turned), turned) <= 1e-13
        body = trees.body[0]
        expected = spatial.multiply(spatial.exponential((0, 0, angle)), places.orientation[body])
        assert np.abs(spatial.matrix(turned.orientation[body]) - spatial.matrix(expected)).max() <= 1e-13


def test_joints_in_opposite_orientations_are_put_somewhere(rng: np.random.Generator) -> None:
    """Where no coordinate is nearest, some one is taken: numbers, and no joint open."""
    model, state = compile_scene(linked(Revolute(axis=(0, 0, 1)), ("world", "b")))
    mechanism, places = mechanism_of(model, "reduced"), places_of(state)
    body = mechanism.trees.body[0]
    for turn in ((np.pi, 0, 0), (0, np.pi, 0), (np.pi / np.sqrt(2), np.pi / np.sqrt(2), 0)):
        off = placed(mechanism.trees, coordinates_of(mechanism.trees, places), places)
        off.orientation[body] = spatial.multiply(spatial.exponential(turn), places.orientation[body])
        off.rotation[body] = spatial.matrix(off.orientation[body]).ravel()
        found = on_tree(mechanism.trees, off)
        assert all(np.isfinite(values).all() for values in found)
        assert opened(mechanism, model, found) <= 1e-12


def test_rotation_vectors_are_the_shorter_way(rng: np.random.Generator) -> None:
    """The twin of this file against itself: what tests measure with is right."""
    for _ in range(20):
        start, turn = random_quaternion(rng), rng.normal(size=3)
        end = spatial.multiply(spatial.exponential(turn), start)
        assert turn_between(start, end) == pytest.approx(turn, abs=1e-12)
        assert turn_between(start, -end) == pytest.approx(turn, abs=1e-12)
