"""Contacts found again from frame to frame."""

from __future__ import annotations

import numpy as np
from collide_examples import LYING, UPRIGHT, collide, collider_of
from scipy.spatial.transform import Rotation

from taut.collide.contacts import Contacts
from taut.contact.matching import match
from taut.shapes import Box, Capsule, Plane

SHAPES = [Plane(), Box(1.0, 1.0, 1.0), Box(0.8, 0.8, 1.0), Capsule(0.1, 1.0)]
COLLIDER = collider_of(SHAPES)


def pile(shift: float = 0.0, turn: float = 0.0) -> Contacts:
    small = Rotation.from_euler("z", turn).as_matrix()
    poses = [((0, 0, 0), UPRIGHT), ((shift, 0, 0.5), small), ((0.05, 0.02, 1.5), UPRIGHT), ((0.1, 0.0, 2.1), LYING)]
    return collide(*((shape, *pose) for shape, pose in zip(SHAPES, poses, strict=True)), collider=COLLIDER)


def test_small_motion_finds_every_contact_again() -> None:
    old, new = pile(), pile(0.01, 0.02)
    found = match(old, new, COLLIDER.geoms.radius)
    assert old.count == new.count == 10
    assert sorted(found) == list(range(10))
    for now, before in enumerate(found):
        assert (new.geom_a[now], new.geom_b[now]) == (old.geom_a[before], old.geom_b[before])
        assert np.linalg.norm(new.core_a[now] - old.core_a[before]) < 0.05


def test_order_within_a_pair_does_not_matter() -> None:
    old = pile()
    turned = np.concatenate([[3, 2, 1, 0], np.arange(4, 10)])
    np.testing.assert_array_equal(match(old, old.take(turned), COLLIDER.geoms.radius), turned)


def test_a_contact_that_slides_keeps_its_corner() -> None:
    old, new = pile(), pile(0.4)
    ground = new.geom_a == 0
    assert np.all(match(old, new, COLLIDER.geoms.radius)[ground] == np.arange(4))


def test_far_and_foreign_contacts_are_new() -> None:
    old = pile()
    without = old.take(np.flatnonzero(old.geom_a != 0))
    found = match(without, old, COLLIDER.geoms.radius)
    assert np.all(found[:4] == -1)
    assert np.all(found[4:] == np.arange(6))
    moved = Contacts(*(getattr(old, name) for name in ("geom_a", "geom_b", "body_a", "body_b", "normal", "turning")),
                     old.core_a + 5.0, old.core_b + 5.0, old.radius_a, old.radius_b, old.gap)  # fmt: skip
    assert np.all(match(old, moved, COLLIDER.geoms.radius) == -1)


def test_nothing_matches_nothing() -> None:
    assert match(Contacts.none(), pile(), COLLIDER.geoms.radius).max() == -1
    assert match(pile(), Contacts.none(), COLLIDER.geoms.radius).size == 0
