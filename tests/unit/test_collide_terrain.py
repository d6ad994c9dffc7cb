"""Everything against heightfields and meshes."""

from __future__ import annotations

import numpy as np
import pytest
from collide_examples import LYING, UPRIGHT, collide, collider_of
from scipy.spatial.transform import Rotation

import taut
from taut.shapes import Box, Capsule, Convex, Cylinder, Heightfield, Mesh, Plane, Sphere

FLAT = Heightfield(np.full((11, 11), 0.5), (10.0, 10.0))
RIDGE = Heightfield(np.tile(-0.2 * np.abs(np.linspace(-5.0, 5.0, 11)), (11, 1)), (10.0, 10.0))

BODIES = [
    (Sphere(0.5), 0.5, UPRIGHT, 1),
    (Capsule(0.5, 2.0), 0.5, LYING, 2),
    (Cylinder(0.5, 2.0), 0.5, LYING, 2),
    (Cylinder(0.5, 2.0), 1.0, UPRIGHT, 4),
    (Box(1.4, 1.2, 1.0), 0.5, UPRIGHT, 4),
]


def footprint(points: np.ndarray) -> tuple[float, ...]:
    """The middle of points on level ground in x and y, their largest distance, and the area between them.

    A cylinder may stand on any four points of its rim that are a quarter of a turn apart: all this stays the same.
    """
    level = points[:, :2]
    middle = (level.min(axis=0) + level.max(axis=0)) / 2
    distance = np.linalg.norm(level[:, None] - level, axis=2).max()
    x, y = (level - middle)[np.argsort(np.arctan2(*(level - middle).T))].T
    area = abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2
    return (*middle, distance, area)


@pytest.mark.parametrize(("shape", "height", "turn", "least"), BODIES)
@pytest.mark.parametrize("place", [(0.1, 0.2), (0.0, 0.0), (2.53, -1.71)])
def test_flat_terrain_is_a_plane(shape: object, height: float, turn: np.ndarray, least: int, place: tuple) -> None:
    at = (*place, 0.5 + height - 1e-5)
    terrain = collide((FLAT, (0, 0, 0), UPRIGHT), (shape, at, turn))
    plane = collide((Plane((0, 0, 1), 0.5), (0, 0, 0), UPRIGHT), (shape, at, turn))
    assert least <= terrain.count <= 4
    np.testing.assert_allclose(terrain.normal, [(0, 0, 1)] * terrain.count, atol=1e-12)
    np.testing.assert_allclose(terrain.gap, -1e-5, atol=1e-12)
    np.testing.assert_allclose(footprint(terrain.core_a), footprint(plane.core_a), atol=1e-9)


def test_sphere_over_a_ridge_touches_its_top() -> None:
    contacts = collide((RIDGE, (0, 0, 0), UPRIGHT), (Sphere(0.5), (0.05, 0.2, 0.5), UPRIGHT))
    assert contacts.count == 1
    np.testing.assert_allclose(contacts.core_a[0], (0.0, 0.2, 0.0), atol=1e-12)
    assert contacts.gap[0] == pytest.approx(np.hypot(0.05, 0.5) - 0.5)


def test_box_on_a_ridge_is_carried_straight_up() -> None:
    contacts = collide((RIDGE, (0, 0, 0), UPRIGHT), (Box(1.4, 1.2, 1.0), (0.0, 0.2, 0.5), UPRIGHT))
    np.testing.assert_allclose(contacts.normal, [(0, 0, 1)] * contacts.count, atol=1e-9)
    np.testing.assert_allclose(contacts.core_a[:, 0], 0.0, atol=1e-9)
    np.testing.assert_allclose((contacts.core_a[:, 1].min(), contacts.core_a[:, 1].max()), (-0.4, 0.8), atol=1e-9)


def test_a_slope_of_terrain_is_a_tilted_plane() -> None:
    slope = 0.3
    field = Heightfield(np.tile(slope * np.linspace(-5.0, 5.0, 21), (21, 1)), (10.0, 10.0))
    normal = np.array([-slope, 0.0, 1.0]) / np.hypot(slope, 1.0)
    turn = Rotation.align_vectors([normal], [(0, 0, 1)])[0].as_matrix()
    contacts = collide(
        (field, (0, 0, 0), UPRIGHT), (Box(1.0, 1.0, 0.4), 0.2 * normal + (0.03, 0.05, 0.03 * slope), turn)
    )
    assert contacts.count == 4
    np.testing.assert_allclose(contacts.normal, [normal] * 4, atol=1e-9)
    np.testing.assert_allclose(contacts.gap, 0.0, atol=1e-9)


def test_rows_are_y_and_columns_are_x() -> None:
    heights = np.zeros((5, 9))
    heights[4, 0] = 1.0  # x = -4, y = +2
    field = Heightfield(heights, (8.0, 4.0))
    assert collide((field, (0, 0, 0), UPRIGHT), (Sphere(0.2), (-3.9, 1.9, 0.9), UPRIGHT)).gap.min() < 0.0
    assert collide((field, (0, 0, 0), UPRIGHT), (Sphere(0.2), (3.9, -1.9, 0.9), UPRIGHT)).count == 0


def test_beyond_the_edge_nothing_is_touched() -> None:
    assert collide((FLAT, (0, 0, 0), UPRIGHT), (Box(1.0, 1.0, 1.0), (5.6, 0.0, 1.0), UPRIGHT)).count == 0


VALLEY = Heightfield(np.tile(0.8 * np.abs(np.linspace(-5.0, 5.0, 11)), (11, 1)), (10.0, 10.0))
SPIKE = Heightfield(np.tile(-2.0 * np.abs(np.linspace(-5.0, 5.0, 11)), (11, 1)), (10.0, 10.0))


@pytest.mark.parametrize("depth", [0.4, 3.0, 20.0])
@pytest.mark.parametrize("shape", [Sphere(0.01), Capsule(0.01, 0.02), Cylinder(0.01, 0.02), Box(0.02, 0.02, 0.02)])
@pytest.mark.parametrize("field", [FLAT, VALLEY, RIDGE], ids=["flat", "valley", "ridge"])
def test_what_is_deep_under_the_terrain_is_pushed_up(field: Heightfield, shape: object, depth: float) -> None:
    contacts = collide((field, (0, 0, 0), UPRIGHT), (shape, (0.05, 0.2, -depth), UPRIGHT))
    assert contacts.count >= 1
    assert (contacts.normal[:, 2] > 0.7).all()
    assert (contacts.gap < -0.7 * depth).all()


def test_a_ball_beside_a_sharp_ridge_is_not_under_its_other_side() -> None:
    above = (0.3, 0.2, -0.3)  # the ground is at -0.6
    contacts = collide((SPIKE, (0, 0, 0), UPRIGHT), (Sphere(0.01), above, UPRIGHT))
    assert contacts.count == 0


def test_a_small_fast_ball_does_not_fall_through() -> None:
    scene = taut.Scene()
    scene.add_body("ground", Heightfield(np.zeros((11, 11)), (10.0, 10.0)), fixed=True)
    scene.add_body("ball", Sphere(0.01), mass=0.01, position=(0.13, 0.2, 1.0), velocity=(0.0, 0.0, -24.0))
    simulation = taut.Simulation(scene)
    for _ in range(10):
        simulation.step()
    assert simulation.state.position[2, 2] == pytest.approx(0.01, abs=1e-3)


@pytest.mark.parametrize("y", [-1e-15, -1e-17, -3e-26, 0.0, 1e-17])
def test_a_ball_on_a_line_of_the_grid_is_over_a_triangle(y: float) -> None:
    """Rounding must not put it beyond the edges of both: it sank by 25 mm, in steps that were solved."""
    field = Heightfield(np.zeros((11, 121)), (60.0, 5.0))
    for x in np.linspace(-20.0, 20.0, 401):
        contacts = collide((field, (20.0, 0.0, 0.0), UPRIGHT), (Sphere(0.5), (20.0 + x, y, 0.499), UPRIGHT))
        assert contacts.count >= 1
        assert contacts.gap == pytest.approx(-0.001)


ROUGH = Heightfield(np.random.default_rng(7).uniform(-0.15, 0.15, (33, 33)), (8.0, 8.0))
STONE = Convex(0.07 * np.random.default_rng(8).normal(size=(16, 3)))
KINDS = [Sphere(0.1), Capsule(0.05, 0.15), Cylinder(0.1, 0.2), Box(0.2, 0.15, 0.1), STONE]


def as_mesh(field: Heightfield) -> Mesh:
    """The same ground as a mesh."""
    return Mesh(field.surface.points, field.surface.triangles)


def level_and_slope(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Height of the rough ground, m, and 1 over the length of its normal (-dz/dx, -dz/dy, 1)."""
    z, step = np.asarray(ROUGH.heights), 0.25
    across, along = (x + 4.0) / step, (y + 4.0) / step
    i, j = along.astype(int), across.astype(int)
    u, v = across - j, along - i
    corner = np.where(u >= v, z[i, j + 1], z[i + 1, j])
    first, last = corner - z[i, j], z[i + 1, j + 1] - corner
    rise = np.where(u >= v, u, v) * first + np.where(u >= v, v, u) * last
    return z[i, j] + rise, 1.0 / np.sqrt(1.0 + (first**2 + last**2) / step**2)


def surface_points(shape: object) -> np.ndarray:
    """Points all over a surface, from the centre of mass, m."""
    corners = shape.surface.points[shape.surface.triangles]
    shares = np.array([(i, j, 10 - i - j) for i in range(11) for j in range(11 - i)]) / 10.0
    return np.unique(np.einsum("wk,tkj->twj", shares, corners).reshape(-1, 3).round(9), axis=0) - shape.com


@pytest.mark.parametrize("field", [ROUGH, as_mesh(ROUGH)], ids=["heightfield", "mesh"])
@pytest.mark.parametrize("shape", KINDS, ids=["ball", "capsule", "cylinder", "box", "hull"])
def test_every_overlap_with_rough_ground_is_found(shape: object, field: object) -> None:
    """Against points all over the body: nothing of it is in the ground without a contact that says so, nor as deep."""
    rng, points, missed, deeper = np.random.default_rng(9), surface_points(shape), 0, 0
    both = collider_of([field, shape])
    for turn in Rotation.random(150, random_state=rng).as_matrix():
        place = points @ turn.T + (*rng.uniform(-2.0, 2.0, 2), 0.0)
        level, share = level_and_slope(place[:, 0], place[:, 1])
        lift = (level - place[:, 2]).max() - rng.choice([0.002, 0.005])
        depth = ((level - place[:, 2] - lift) * share).max()
        at = place.mean(axis=0) - (points @ turn.T).mean(axis=0) + (0.0, 0.0, lift)
        contacts = collide((field, (0, 0, 0), UPRIGHT), (shape, at, turn), collider=both)
        found = -contacts.gap.min(initial=1.0)
        missed += found < 0.3 * depth
        deeper += found > 3.0 * depth + 0.004
        assert (np.abs(np.linalg.norm(contacts.normal, axis=1) - 1.0) < 1e-9).all()
    assert missed <= 1 and deeper <= 1, "one in a hundred at most: an edge under the end of a ridge"


@pytest.mark.parametrize("shape", KINDS, ids=["ball", "capsule", "cylinder", "box", "hull"])
def test_a_mesh_is_what_a_heightfield_is(shape: object) -> None:
    rng, mesh = np.random.default_rng(4), as_mesh(ROUGH)
    first, second = collider_of([ROUGH, shape]), collider_of([mesh, shape])
    compared = 0
    for turn in Rotation.random(100, random_state=rng).as_matrix():
        at = (*rng.uniform(-2.0, 2.0, 2), rng.uniform(0.05, 0.25))
        one = collide((ROUGH, (0, 0, 0), UPRIGHT), (shape, at, turn), collider=first)
        other = collide((mesh, (0, 0, 0), UPRIGHT), (shape, at, turn), collider=second)
        if one.gap.min(initial=np.inf) > 0.0 and one.count < 8:  # above ground there is nothing to choose
            compared += one.count
            assert sorted(one.gap) == pytest.approx(sorted(other.gap), abs=1e-9)
    assert compared > 5


@pytest.mark.parametrize("place", [(0.5, 0.5), (0.5001, 0.4999), (0.0, 0.3), (1e-13, -1e-13)])
def test_seams_of_level_ground_are_not_there(place: tuple[float, float]) -> None:
    for ground in (FLAT, as_mesh(FLAT)):
        for shape, height in ((Sphere(0.2), 0.2), (Box(0.7, 0.3, 0.2), 0.1)):
            contacts = collide((ground, (0, 0, 0), UPRIGHT), (shape, (*place, 0.5 + height), UPRIGHT))
            assert contacts.count == (1 if isinstance(shape, Sphere) else 4)
            np.testing.assert_allclose(contacts.normal, [(0, 0, 1)] * contacts.count, atol=1e-12)


def test_an_edge_lies_across_a_ridge_with_a_normal_across_both() -> None:
    turn = Rotation.from_euler("xy", (90, 45), degrees=True).as_matrix()  # an edge down, along y, then tilted
    turn = Rotation.from_euler("x", 0.2).as_matrix() @ Rotation.from_euler("z", 90, degrees=True).as_matrix() @ turn
    shape = Box(0.6, 0.6, 2.0)
    low = np.array([(x, y, z) for x in (-0.3, 0.3) for y in (-0.3, 0.3) for z in (-1, 1)]) @ turn.T
    contacts = collide((RIDGE, (0, 0, 0), UPRIGHT), (shape, (0.0, 0.2, 0.3 * np.sqrt(2.0)), turn), reach=0.05)
    along = low[np.argsort(low[:, 2])[:2]]
    assert contacts.count >= 1
    deepest = contacts.normal[np.argmin(contacts.gap)]
    assert abs(deepest @ (along[1] - along[0])) < 0.2 * np.linalg.norm(along[1] - along[0])


def test_a_box_over_the_border_stands_on_its_edge() -> None:
    contacts = collide((FLAT, (0, 0, 0), UPRIGHT), (Box(1.0, 1.0, 1.0), (4.9, 0.1, 1.0), UPRIGHT))
    assert contacts.core_a[:, 0].max() == pytest.approx(5.0)
    np.testing.assert_allclose(contacts.normal, [(0, 0, 1)] * contacts.count, atol=1e-12)


def test_a_thin_wall_has_two_sides() -> None:
    """What touches the front of a closed mesh is not deep behind its back."""
    wall = Box(0.02, 2.0, 2.0).surface
    contacts = collide(
        (Mesh(wall.points, wall.triangles), (0, 0, 0), UPRIGHT), (Box(0.4, 0.4, 0.4), (0.209, 0.1, 0.2), UPRIGHT),
    )  # fmt: skip
    assert contacts.count == 4
    np.testing.assert_allclose(contacts.normal, [(1, 0, 0)] * 4, atol=1e-12)
    np.testing.assert_allclose(contacts.gap, -0.001, atol=1e-12)
