"""The collider as a whole: pairs, filters, order, the local model, and poses of all sorts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from collide_examples import LYING, UPRIGHT, collide, collider_of, every_shape, gaps_after, rock
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import taut
from taut.collide.collider import Collider, automatic_margin
from taut.collide.contacts import Contacts
from taut.collide.polytopes import PolytopeTable
from taut.collide.site import MOST
from taut.model.geometry import compile_geoms
from taut.shapes import Box, Capsule, Cylinder, Heightfield, Plane, Sphere


def crowd(seed: int, count: int = 60) -> tuple[Collider, np.ndarray, np.ndarray]:
    """Many bodies of all kinds over a plane, with their poses."""
    rng = np.random.default_rng(seed)
    shapes = every_shape(rng)
    collider = collider_of([Plane(), *(shapes[i % len(shapes)] for i in range(count))], margin=None)
    position = np.vstack([np.zeros(3), rng.uniform((-1, -1, 0), (1, 1, 1.5), (count, 3))])
    rotation = np.vstack([np.eye(3).ravel(), Rotation.random(count, random_state=seed).as_matrix().reshape(-1, 9)])
    return collider, position, rotation


def all_fields(contacts: Contacts) -> list[np.ndarray]:
    return [np.asarray(value) for value in vars(contacts).values()]


@pytest.mark.parametrize("seed", range(5))
def test_sweep_finds_the_pairs_of_brute_force(seed: int) -> None:
    collider, position, rotation = crowd(seed)
    reach = np.random.default_rng(seed).uniform(0.0, 0.05, len(position))
    pairs = collider.near_pairs(position, rotation, reach)
    near, wanted = collider.near, []
    for a, b in itertools.combinations(range(1, collider.geoms.count), 2):
        ball = collider.geoms.radius[[a, b]].sum() + near.band[[a, b]].sum()
        apart = np.linalg.norm(near.centre[a] - near.centre[b]) > ball
        if np.all(near.box[a, :3] <= near.box[b, 3:]) and np.all(near.box[b, :3] <= near.box[a, 3:]) and not apart:
            wanted.append((a, b))
    found = [tuple(pair[:2]) for pair in pairs if pair[0] != 0]
    assert found == wanted
    assert len(wanted) > 50


def test_contacts_are_sorted_and_the_same_whatever_came_before() -> None:
    collider, position, rotation = crowd(7)
    reach = np.zeros(len(position))
    first = collider.contacts(position, rotation, reach)
    key = first.geom_a * collider.geoms.count + first.geom_b
    assert np.all(np.diff(key) >= 0)
    assert np.bincount(np.unique(key, return_inverse=True)[1]).max() <= 4
    assert np.all(first.geom_a < first.geom_b)
    collider.contacts(position[::-1].copy(), rotation, reach)
    for one, two in zip(all_fields(first), all_fields(collider.contacts(position, rotation, reach)), strict=True):
        np.testing.assert_array_equal(one, two)


def test_bodies_that_are_nowhere_touch_nothing() -> None:
    collider, position, rotation = crowd(3)
    reach = np.zeros(len(position))
    before = collider.contacts(position, rotation, reach)
    position[5] = np.nan
    without = collider.contacts(position, rotation, reach)
    touched = (before.body_a == 5) | (before.body_b == 5)
    assert touched.any()
    for one, two in zip(all_fields(before), all_fields(without), strict=True):
        np.testing.assert_array_equal(one[~touched], two)


def test_there_is_room_for_as_many_pairs_as_there_are() -> None:
    count = 60
    collider = collider_of([Sphere(0.5)] * count)
    position = np.random.default_rng(1).uniform(-0.1, 0.1, (count + 1, 3))
    found = collider.contacts(position, np.tile(np.eye(3).ravel(), (count + 1, 1)), np.zeros(count + 1))
    assert found.count == count * (count - 1) // 2 > 4 * count + 64


def test_who_never_touches() -> None:
    scene = taut.Scene()
    for name, group, fixed in (
        ("a", "x", False),
        ("b", "x", False),
        ("c", "y", False),
        ("d", "y", True),
        ("e", "y", True),
    ):
        scene.add_body(name, Sphere(0.5), mass=1.0, group=group, fixed=fixed)
    scene.connect("a", "c", taut.joints.Spherical())
    scene.ignore_contacts("x", "x")
    scene.ignore_contacts("b", "d")
    moves = np.array([not spec.fixed for spec in scene.bodies], np.uint8)
    collider = Collider(compile_geoms(scene, np.zeros((6, 3))), moves)
    found = collider.contacts(np.zeros((6, 3)), np.tile(np.eye(3).ravel(), (6, 1)), np.zeros(6))
    # a-b same group, a-c jointed, b-d ignored, d-e both fixed
    assert set(zip(found.body_a, found.body_b, strict=True)) == {(1, 4), (1, 5), (2, 3), (2, 5), (3, 4), (3, 5)}


def test_parts_of_one_body_do_not_touch() -> None:
    shape = taut.shapes.Compound([(Sphere(0.5), (0, 0, 0)), (Sphere(0.5), (0.5, 0, 0))])
    assert collide((shape, (0, 0, 0), UPRIGHT)).count == 0
    assert collide((shape, (0, 0, 0), UPRIGHT), (Sphere(0.2), (0.1, 0, 0.6), UPRIGHT)).count == 2


def test_reach_widens_the_band() -> None:
    bodies = (Sphere(0.5), (0, 0, 0), UPRIGHT), (Sphere(0.5), (0, 0, 1.05), UPRIGHT)
    assert collide(*bodies, reach=0.02).count == 0
    assert collide(*bodies, reach=0.03).gap[0] == pytest.approx(0.05)
    assert collide(*bodies, reach=0.0, margin=0.06).count == 1


def test_automatic_margin_is_small_beside_thickness() -> None:
    geoms = collider_of([Plane(), Sphere(0.5), Capsule(0.1, 2.0), Box(1.0, 1.0, 0.01)]).geoms
    np.testing.assert_allclose(automatic_margin(geoms), (0.0, 0.005, 0.01, 0.0005))


def test_an_empty_scene_has_no_contacts() -> None:
    assert collide((Sphere(1.0), (0, 0, 0), UPRIGHT)).count == 0
    assert collider_of([]).contacts(np.zeros((1, 3)), np.eye(3).reshape(1, 9), np.zeros(1)).count == 0


ROCK = rock(np.random.default_rng(5))
RESTING = [
    ((Sphere(0.3), (0, 0, 0), UPRIGHT), (Sphere(0.2), (0.1, 0.2, 0.45), UPRIGHT)),
    ((Plane(), (0, 0, 0), UPRIGHT), (Cylinder(0.3, 1.0), (0, 0, 0.3), LYING)),
    ((Plane(), (0, 0, 0), UPRIGHT), (Box(0.4, 0.5, 0.6), (0, 0, 0.3), UPRIGHT)),
    ((Box(1, 1, 1), (0, 0, 0), UPRIGHT), (Box(0.4, 0.5, 0.6), (0.1, 0.2, 0.8), UPRIGHT)),
    ((Box(1, 1, 1), (0, 0, 0), UPRIGHT), (Capsule(0.1, 0.5), (0.1, 0.2, 0.6), LYING)),
    ((Box(1, 1, 1), (0, 0, 0), UPRIGHT), (Sphere(0.2), (0.62, 0.61, 0.6), UPRIGHT)),
    (
        (Capsule(0.1, 1.0), (0, 0, 0), LYING),
        (Capsule(0.1, 1.0), (0.1, 0.0, 0.2), Rotation.from_euler("z", 1.0).as_matrix() @ LYING),
    ),
    ((Capsule(0.1, 1.0), (0, 0, 0), LYING), (Sphere(0.2), (0.1, 0.0, 0.3), UPRIGHT)),
    ((Box(1, 1, 1), (0, 0, 0), UPRIGHT), (ROCK, (0.1, 0.1, 0.8), UPRIGHT)),
]


@pytest.mark.parametrize("bodies", RESTING, ids=lambda bodies: "-".join(type(body[0]).__name__ for body in bodies))
def test_local_model_is_right_to_second_order(bodies: tuple) -> None:
    collider = collider_of([shape for shape, _, _ in bodies])
    placed = [(np.zeros(3), UPRIGHT)] + [
        (np.asarray(at, float), turn) for shape, at, turn in bodies if not isinstance(shape, Plane)
    ]
    position, rotation = np.array([at for at, _ in placed]), np.array([turn.ravel() for _, turn in placed])
    rng = np.random.default_rng(11)
    shift, spin = rng.normal(size=position.shape), rng.normal(size=position.shape)
    reach = np.full(len(placed), 0.05)
    contacts = collider.contacts(position, rotation, reach)
    assert contacts.count >= 1
    errors = []
    for small in (1e-3, 1e-4):
        turns = Rotation.from_rotvec(small * spin).as_matrix()
        now = np.array([(turn @ old.reshape(3, 3)).ravel() for turn, old in zip(turns, rotation, strict=True)])
        there = position + small * shift
        foretold = gaps_after(contacts, there, now, rotation)
        errors.append(abs(foretold.min() - collider.contacts(there, now, reach).gap.min()))
    assert errors[0] < 30.0 * 1e-6
    assert errors[1] < 30.0 * 1e-8 + 1e-12


GROUND = Heightfield(0.1 * np.random.default_rng(4).normal(size=(9, 9)), (4.0, 4.0))
EVERY = [*every_shape(np.random.default_rng(8)), Box(1.0, 0.8, 0.01), Capsule(0.01, 2.0), GROUND]
PAIRS = {
    (i, j): collider_of([EVERY[i], EVERY[j]]) for i, j in itertools.combinations_with_replacement(range(8), 2) if i < 7
}
small = st.floats(-0.7, 0.7)
angle = st.floats(-3.0, 3.0)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(PAIRS)), st.tuples(small, small, small), st.tuples(*[angle] * 6))
def test_any_pose_gives_sound_contacts(pair: tuple[int, int], at: tuple, spins: tuple) -> None:
    first, second = (Rotation.from_rotvec(spins[i : i + 3]).as_matrix() for i in (0, 3))
    second = UPRIGHT if pair[1] == 7 else second
    position = np.array([np.zeros(3), np.zeros(3) if pair[1] < 7 else at, at if pair[1] < 7 else np.zeros(3)])
    rotation = np.array([UPRIGHT.ravel(), first.ravel(), second.ravel()])
    contacts = PAIRS[pair].contacts(position, rotation, np.full(3, 0.02))
    assert contacts.count <= (4 if pair[1] < 7 else MOST)
    np.testing.assert_allclose(np.linalg.norm(contacts.normal, axis=1), 1.0, atol=1e-9)
    for value in all_fields(contacts):
        assert np.all(np.isfinite(value))
    np.testing.assert_allclose(gaps_after(contacts, position, rotation, rotation), contacts.gap, atol=1e-9)
    assert np.all(contacts.gap < 0.04 + 1e-9)


@pytest.mark.parametrize("kind", ["capsule", "box"])
def test_an_edit_keeps_the_polytopes_that_are_still_all_there(kind: str) -> None:
    scene, rng = taut.Scene(), np.random.default_rng(5)
    for number, shape in enumerate([Capsule(0.1, 0.3), Box(0.2, 0.3, 0.4), rock(rng), Cylinder(0.1, 0.2), Sphere(0.1)]):
        scene.add_body(f"body-{number}", shape, mass=1.0, position=(2.0 * number, 0, 5))
    simulation = taut.Simulation(scene)
    simulation.step()
    before = simulation.stepper.collider
    with simulation.edit() as edit:
        edit.remove_body("body-0")
        edit.add_body("new", Box(0.1, 0.1, 0.1) if kind == "box" else Capsule(0.1, 0.2), mass=1.0, position=(-2, 0, 5))
    collider, fresh = simulation.stepper.collider, taut.Simulation(simulation.scene).stepper.collider
    for name in set(PolytopeTable._fields) - {"corners", "cores"}:  # which are scratch
        np.testing.assert_array_equal(getattr(collider.polytopes[0], name), getattr(fresh.polytopes[0], name))
    np.testing.assert_array_equal(collider.thickness, fresh.thickness)
    assert (collider.polytopes[0].vertices is before.polytopes[0].vertices) == (kind == "capsule")
