"""Everything against a plane."""

from __future__ import annotations

import numpy as np
import pytest
from collide_examples import LYING, UPRIGHT, collide
from scipy.spatial.transform import Rotation

from taut.collide.contacts import NORMAL_OF_A
from taut.shapes import Box, Capsule, Convex, Cylinder, Plane, Sphere

HEXAGON = Convex([(np.cos(a), np.sin(a), z) for a in np.arange(6) * np.pi / 3 for z in (-1.0, 1.0)])


@pytest.mark.parametrize(
    ("shape", "height", "turn", "count"),
    [
        (Sphere(0.5), 0.5, UPRIGHT, 1),
        (Capsule(0.1, 2.0), 0.1, LYING, 2),
        (Capsule(0.1, 2.0), 1.1, UPRIGHT, 1),
        (Cylinder(0.1, 2.0), 0.1, LYING, 2),
        (Cylinder(0.1, 2.0), 1.0, UPRIGHT, 4),
        (Box(0.2, 0.4, 0.6), 0.3, UPRIGHT, 4),
        (HEXAGON, 1.0, UPRIGHT, 4),
    ],
)
def test_bodies_at_rest_keep_their_points(shape: object, height: float, turn: np.ndarray, count: int) -> None:
    rng = np.random.default_rng(1)
    first = None
    for _ in range(30):
        small = Rotation.from_rotvec(rng.normal(size=3) * 1e-7).as_matrix()
        at = (0.1, 0.2, height + rng.uniform(-1e-3, 1e-6))
        contacts = collide((Plane(), (0, 0, 0), UPRIGHT), (shape, at, small @ turn))
        first = first or contacts
        assert contacts.count == count
        np.testing.assert_allclose(contacts.normal, [(0, 0, 1)] * count, atol=1e-12)
        np.testing.assert_allclose(contacts.gap, at[2] - height, atol=1e-6)
        np.testing.assert_allclose(contacts.core_b, first.core_b, atol=1e-5)
        assert set(contacts.turning) == {NORMAL_OF_A}


@pytest.mark.parametrize("shape", [Cylinder(0.3, 0.8), Box(0.2, 0.4, 0.6), HEXAGON, Capsule(0.2, 0.5)])
@pytest.mark.parametrize("seed", range(10))
def test_the_lowest_point_is_found(shape: object, seed: int) -> None:
    turn = Rotation.random(random_state=seed).as_matrix()
    if isinstance(shape, Cylinder):
        angle = np.linspace(0.0, 2.0 * np.pi, 4001)
        rim = np.column_stack([0.3 * np.cos(angle), 0.3 * np.sin(angle), np.full(4001, 0.4)])
        lowest = (np.vstack([rim, rim * (1, 1, -1)]) @ turn.T)[:, 2].min()
    elif isinstance(shape, Capsule):
        lowest = -0.25 * abs(turn[2, 2]) - 0.2
    else:
        points = shape.points if isinstance(shape, Convex) else np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T
        points = points if isinstance(shape, Convex) else points * (0.1, 0.2, 0.3)
        lowest = (points @ turn.T)[:, 2].min()
    contacts = collide((shape, (0, 0, 1.0), turn), (Plane(), (0, 0, 0), UPRIGHT), reach=0.5)
    assert contacts.gap.min() == pytest.approx(1.0 + lowest, abs=1e-5)


def test_a_tilted_plane_with_an_offset() -> None:
    normal = np.array([0.6, 0.0, 0.8])
    contacts = collide((Plane(tuple(normal), 2.0), (0, 0, 0), UPRIGHT), (Sphere(0.5), 2.4 * normal, UPRIGHT))
    np.testing.assert_allclose(contacts.normal[0], normal, atol=1e-15)
    assert contacts.gap[0] == pytest.approx(-0.1)
    np.testing.assert_allclose(contacts.core_a[0], 2.0 * normal, atol=1e-12)
