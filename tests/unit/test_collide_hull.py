"""Boxes, hulls, rods on flat faces."""

from __future__ import annotations

import numpy as np
import pytest
from collide_examples import LYING, UPRIGHT, collide, corners, rock, separation
from scipy.spatial.transform import Rotation

from taut.collide.contacts import CENTRE_LINE, NORMAL_OF_A, NORMAL_OF_B, WORLD_NORMAL, Contacts
from taut.collide.polytopes import build_polytope
from taut.shapes import Box, Capsule, Convex, Cylinder, Sphere

CUBE = Box(1.0, 1.0, 1.0)
HULL_CUBE = Convex([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def places(contacts: Contacts) -> set[tuple[float, ...]]:
    """Cores of A, rounded, in no order."""
    return {tuple(np.round(core, 4) + 0.0) for core in contacts.core_a}


@pytest.mark.parametrize("lower", [CUBE, HULL_CUBE], ids=["box", "hull"])
@pytest.mark.parametrize("upper", [CUBE, HULL_CUBE], ids=["box", "hull"])
@pytest.mark.parametrize(("turn", "shift"), [(0.0, 0.0), (0.0, 0.2), (0.3, 0.1), (np.pi / 4, 0.0)])
def test_stacked_boxes_keep_four_points(lower: object, upper: object, turn: float, shift: float) -> None:
    rng = np.random.default_rng(2)
    first = None
    for _ in range(40):
        small = Rotation.from_rotvec([*(rng.normal(size=2) * 1e-6), turn]).as_matrix()
        drop = rng.uniform(-1e-3, 1e-6)
        at = np.array([shift, shift, 1.0 + drop]) + rng.normal(size=3) * (1e-7, 1e-7, 0.0)
        contacts = collide((lower, (0, 0, 0), UPRIGHT), (upper, at, small))
        first = first or contacts
        assert contacts.count == 4
        np.testing.assert_allclose(contacts.gap, drop, atol=3e-6)
        np.testing.assert_allclose(contacts.normal, [(0, 0, 1)] * 4, atol=1e-12)
        nearest = np.linalg.norm(contacts.core_a[:, None] - first.core_a[None], axis=2).min(axis=1)
        assert nearest.max() < 2e-5
        assert set(contacts.turning) == {NORMAL_OF_A}


def test_crossing_edges_touch_in_one_point() -> None:
    first, second = Rotation.from_euler("x", np.pi / 4).as_matrix(), Rotation.from_euler("y", np.pi / 4).as_matrix()
    height = np.sqrt(2.0) - 1e-5
    contacts = collide((CUBE, (0, 0, 0), first), (CUBE, (0.1, 0.2, height), second))
    assert contacts.count == 1
    np.testing.assert_allclose(contacts.normal[0], (0, 0, 1), atol=1e-12)
    assert contacts.gap[0] == pytest.approx(-1e-5, abs=1e-12)
    assert contacts.turning[0] == WORLD_NORMAL


@pytest.mark.parametrize("seed", range(60))
def test_depth_agrees_with_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes = [
        rock(rng, int(rng.integers(6, 30))) if rng.random() < 0.6 else Box(*rng.uniform(0.2, 0.6, 3)) for _ in "ab"
    ]
    turns, way = Rotation.random(2, random_state=seed).as_matrix(), rng.normal(size=3)
    way /= np.linalg.norm(way)
    here = corners(shapes[0], np.zeros(3), turns[0])
    low, high, wanted = 0.0, 1.5, rng.uniform(-0.005, 0.002)
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (
            (middle, high) if separation(here, corners(shapes[1], middle * way, turns[1])) < wanted else (low, middle)
        )
    contacts = collide((shapes[0], (0, 0, 0), turns[0]), (shapes[1], low * way, turns[1]))
    assert 1 <= contacts.count <= 4
    # a face is kept where an edge separates better by half a percent of the thickness
    assert contacts.gap.min() == pytest.approx(wanted, abs=2e-3)
    assert np.linalg.norm(contacts.normal, axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(10))
def test_swapping_the_bodies_turns_the_normal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turns = Rotation.random(2, random_state=seed).as_matrix()
    bodies = [(rock(rng), (0, 0, 0), turns[0]), (Box(0.4, 0.5, 0.6), (0.1, 0.0, 0.5), turns[1])]
    one, two = collide(*bodies, reach=0.05), collide(*bodies[::-1], reach=0.05)
    assert one.count == two.count
    if one.count:
        assert one.gap.min() == pytest.approx(two.gap.min(), abs=2e-3)
        np.testing.assert_allclose(one.normal[0], -two.normal[0], atol=0.05)


def test_boxes_apart_do_not_touch() -> None:
    assert collide((CUBE, (0, 0, 0), UPRIGHT), (CUBE, (0, 0, 1.021), UPRIGHT)).count == 0
    assert collide((CUBE, (0, 0, 0), UPRIGHT), (CUBE, (0, 0, 1.019), UPRIGHT)).count == 4


def test_sphere_on_face_edge_and_corner() -> None:
    face = collide((Sphere(0.1), (0.0, 0.2, 0.6), UPRIGHT), (CUBE, (0, 0, 0), UPRIGHT))
    assert (face.count, face.turning[0]) == (1, NORMAL_OF_B)
    np.testing.assert_allclose(face.normal[0], (0, 0, -1))
    edge = collide((Sphere(0.1), (0.0, 0.55, 0.55), UPRIGHT), (CUBE, (0, 0, 0), UPRIGHT))
    assert edge.gap[0] == pytest.approx(0.05 * np.sqrt(2.0) - 0.1, abs=1e-12)
    assert edge.turning[0] == WORLD_NORMAL
    corner = collide((CUBE, (0, 0, 0), UPRIGHT), (Sphere(0.1), (0.55, 0.55, 0.55), UPRIGHT))
    np.testing.assert_allclose(corner.normal[0], np.ones(3) / np.sqrt(3.0), atol=1e-12)
    assert corner.turning[0] == CENTRE_LINE


@pytest.mark.parametrize("shape", [Capsule(0.1, 2.0), Cylinder(0.1, 2.0)], ids=["capsule", "cylinder"])
def test_log_over_a_box_touches_at_the_ends_of_the_face(shape: object) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        small = Rotation.from_rotvec(rng.normal(size=3) * 1e-6).as_matrix()
        contacts = collide((CUBE, (0, 0, 0), UPRIGHT), (shape, (0.0, 0.2, 0.6 - 1e-5), small @ LYING))
        assert contacts.count == 2
        np.testing.assert_allclose(np.sort(contacts.core_a[:, 0]), (-0.5, 0.5), atol=1e-5)
        np.testing.assert_allclose(contacts.gap, -1e-5, atol=2e-6)
        np.testing.assert_allclose(contacts.radius_b, 0.1)


def test_drum_stands_on_a_box() -> None:
    contacts = collide((CUBE, (0, 0, 0), UPRIGHT), (Cylinder(0.1, 0.6), (0.0, 0.2, 0.8), UPRIGHT))
    assert contacts.count == 4
    np.testing.assert_allclose(contacts.gap, 0.0, atol=1e-12)
    np.testing.assert_allclose(np.hypot(contacts.core_b[:, 0], contacts.core_b[:, 1]), 0.1, atol=1e-12)


def test_rod_through_a_box_is_pushed_out_of_the_nearest_face() -> None:
    contacts = collide((CUBE, (0, 0, 0), UPRIGHT), (Capsule(0.1, 0.2), (0.0, 0.1, 0.4), LYING))
    np.testing.assert_allclose(contacts.normal, [(0, 0, 1)] * 2, atol=1e-12)
    np.testing.assert_allclose(contacts.gap, -0.2, atol=1e-12)


def test_polytope_of_a_box_has_six_faces_and_twelve_edges() -> None:
    cube = build_polytope(np.array(HULL_CUBE.points))
    assert (len(cube.vertices), len(cube.planes), len(cube.edges)) == (8, 6, 12)
    for plane, loop in zip(cube.planes, cube.loops, strict=True):
        points = cube.vertices[loop]
        turn = np.cross(points[1] - points[0], points[2] - points[1])
        np.testing.assert_allclose(turn / np.linalg.norm(turn), plane[:3], atol=1e-12)
        np.testing.assert_allclose(points @ plane[:3], plane[3], atol=1e-12)
