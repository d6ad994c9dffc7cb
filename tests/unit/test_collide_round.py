"""Spheres, capsules and cylinders against each other."""

from __future__ import annotations

import numpy as np
import pytest
from collide_examples import LYING, UPRIGHT, collide
from scipy.spatial.transform import Rotation

from taut.collide.contacts import CENTRE_LINE, WORLD_NORMAL
from taut.shapes import Capsule, Cylinder, Sphere


def turned(axis: str, angle: float) -> np.ndarray:
    return Rotation.from_euler(axis, angle).as_matrix()


def test_spheres_touch_along_the_line_of_centres() -> None:
    contacts = collide((Sphere(0.2), (0, 0, 0), UPRIGHT), (Sphere(0.3), (0.3, 0.0, 0.4), UPRIGHT))
    assert contacts.count == 1
    np.testing.assert_allclose(contacts.normal[0], (0.6, 0.0, 0.8), atol=1e-15)
    assert contacts.gap[0] == pytest.approx(0.0, abs=1e-15)
    assert contacts.turning[0] == CENTRE_LINE


@pytest.mark.parametrize("seed", range(40))
def test_capsules_agree_with_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = Capsule(0.1, rng.uniform(0.2, 1.0)), Capsule(0.2, rng.uniform(0.2, 1.5))
    turn_a, turn_b = Rotation.random(2, random_state=seed).as_matrix()
    at = rng.normal(size=3) * 0.4
    contacts = collide((first, (0, 0, 0), turn_a), (second, at, turn_b), reach=5.0)
    share = np.linspace(-0.5, 0.5, 801)
    a, b = np.outer(share * first.length, turn_a[:, 2]), at + np.outer(share * second.length, turn_b[:, 2])
    nearest = np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=2).min()) - 0.3
    assert contacts.gap.min() == pytest.approx(nearest, abs=2e-3)
    assert contacts.gap.min() <= nearest + 1e-12


@pytest.mark.parametrize("shape", [Capsule(0.1, 2.0), Cylinder(0.1, 2.0)])
def test_parallel_logs_touch_at_both_ends_of_their_overlap(shape: object) -> None:
    contacts = collide((shape, (0, 0, 0), LYING), (shape, (0.3, 0.0, 0.2), LYING))
    assert contacts.count == 2
    np.testing.assert_allclose(np.sort(contacts.core_a[:, 2]), (-0.7, 1.0), atol=1e-12)
    np.testing.assert_allclose(contacts.gap, 0.0, atol=1e-12)
    np.testing.assert_allclose(contacts.normal, [(0, 0, 1)] * 2, atol=1e-12)


def test_two_points_move_to_the_nearest_ones_without_a_jump() -> None:
    log = Capsule(0.1, 2.0)
    spread = []
    for angle in np.linspace(0.0, 0.03 - 1e-6, 61):
        contacts = collide((log, (0, 0, 0), LYING), (log, (0.3, 0.0, 0.2), turned("z", angle) @ LYING))
        places = contacts.core_a[:, 2]
        spread.append(np.ptp(places))
        # the true nearest gap is 0: no point may be far from it
        assert contacts.gap.min() < 3e-4
    assert spread[0] == pytest.approx(1.7)
    assert spread[-1] < 1e-3
    assert np.abs(np.diff(spread)).max() < 0.1


def test_crossed_logs_touch_in_one_point_that_stays() -> None:
    log = Cylinder(0.1, 2.0)
    rng = np.random.default_rng(0)
    for _ in range(20):
        jitter = Rotation.from_rotvec(rng.normal(size=3) * 1e-6).as_matrix()
        contacts = collide((log, (0, 0, 0), LYING), (log, (0.3, 0.1, 0.2), jitter @ turned("z", np.pi / 2) @ LYING))
        assert contacts.count == 1
        assert contacts.turning[0] == WORLD_NORMAL
        np.testing.assert_allclose(contacts.core_a[0], (0, 0.1 * 0, 0.3), atol=1e-5)


@pytest.mark.parametrize("seed", range(40))
def test_sphere_against_cylinder_is_exact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn, at = Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3) * 0.4
    bodies = [(Sphere(0.1), np.zeros(3), UPRIGHT), (Cylinder(0.3, 0.8), at, turn)]
    x, y, z = turn.T @ -at
    side, cap = np.hypot(x, y) - 0.3, abs(z) - 0.4
    expected = max(side, cap) if max(side, cap) < 0.0 else np.hypot(max(side, 0.0), max(cap, 0.0))
    for contacts in (collide(*bodies, reach=5.0), collide(*bodies[::-1], reach=5.0)):
        assert contacts.gap[0] == pytest.approx(expected - 0.1, abs=1e-12)


def test_stacked_drums_touch_with_their_caps() -> None:
    contacts = collide(
        (Cylinder(0.2, 1.0), (0, 0, 0), UPRIGHT), (Cylinder(0.1, 0.6), (0.05, 0.02, 0.8 - 1e-6), UPRIGHT)
    )
    assert contacts.count == 4
    np.testing.assert_allclose(contacts.normal, [(0, 0, 1)] * 4, atol=1e-12)
    np.testing.assert_allclose(contacts.gap, -1e-6, atol=1e-12)


def test_bodies_inside_each_other_still_have_a_normal() -> None:
    for shape in (Sphere(0.2), Capsule(0.2, 1.0)):
        contacts = collide((shape, (0, 0, 0), UPRIGHT), (shape, (0, 0, 0), UPRIGHT))
        assert contacts.count >= 1
        np.testing.assert_allclose(np.linalg.norm(contacts.normal, axis=1), 1.0)
        np.testing.assert_allclose(contacts.gap, -0.4, atol=1e-12)


def test_oblique_logs_touch_at_the_nearest_points_and_watch_the_ends_of_their_overlap() -> None:
    log = Capsule(0.1, 2.0)
    contacts = collide((log, (0, 0, 0), LYING), (log, (0.3, 0.0, 0.2), turned("z", 0.2) @ LYING), reach=0.2)
    assert contacts.count == 3
    assert contacts.gap[0] == pytest.approx(0.0, abs=1e-12)
    assert contacts.gap[1:].min() > 0.01
