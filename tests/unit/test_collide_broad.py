"""The sweep: what it finds does not depend on strips, and how much it looks at."""

from __future__ import annotations

import numpy as np
import pytest
from collide_examples import collider_of

from taut.collide.collider import Collider
from taut.shapes import Box, Shape, Sphere


def spread(rng: np.random.Generator, count: int, sizes: float) -> tuple[Collider, np.ndarray, np.ndarray]:
    """A collider of boxes and balls whose sizes spread over some powers of ten, and where they are."""
    radius = 0.15 * 10.0 ** rng.uniform(0.0, sizes, count)
    shapes: list[Shape] = [Sphere(r) if k % 2 else Box(r, 2.0 * r, r) for k, r in enumerate(radius)]
    collider = collider_of(shapes)
    position = rng.uniform(-1.0, 1.0, (count + 1, 3)) * (2.0, 1.0, 0.5)
    return collider, position, np.tile(np.eye(3).ravel(), (count + 1, 1))


def plain_pairs(collider: Collider) -> list[tuple[int, int]]:
    """Pairs whose boxes and balls overlap, each with each."""
    near, geoms = collider.near, collider.geoms
    found = []
    for a in range(geoms.count):
        for b in range(a + 1, geoms.count):
            boxes = (near.box[a, :3] <= near.box[b, 3:]).all() and (near.box[b, :3] <= near.box[a, 3:]).all()
            reach = geoms.radius[a] + geoms.radius[b] + near.band[a] + near.band[b]
            if boxes and np.linalg.norm(near.centre[a] - near.centre[b]) <= reach:
                found.append((a, b))
    return found


@pytest.mark.parametrize("sizes", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(6))
def test_strips_find_each_pair_once(seed: int, sizes: float) -> None:
    rng = np.random.default_rng(seed)
    collider, position, rotation = spread(rng, 50, sizes)
    pairs = collider.near_pairs(position, rotation, np.zeros(len(position)))
    assert pairs is not None
    assert [(int(a), int(b)) for a, b in pairs[:, :2]] == plain_pairs(collider)
    assert len(pairs) > 3


@pytest.mark.parametrize("axis", range(3))
def test_geoms_in_a_row_or_on_one_spot_are_found(axis: int) -> None:
    collider, position, rotation = spread(np.random.default_rng(1), 20, 0.0)
    position[:] = 0.0
    for pitch in (0.0, 0.05):
        position[1:, axis] = pitch * np.arange(20)
        pairs = collider.near_pairs(position, rotation, np.zeros(len(position)))
        assert pairs is not None
        assert [(int(a), int(b)) for a, b in pairs[:, :2]] == plain_pairs(collider)


@pytest.mark.parametrize("sizes", [0.0, 2.0, 5.0])
def test_strips_hold_three_times_the_geoms_at_most(sizes: float) -> None:
    rng = np.random.default_rng(4)
    collider, position, rotation = spread(rng, 200, sizes)
    for scale in (1e-3, 1.0, 1e6):
        assert collider.near_pairs(scale * position, rotation, np.zeros(len(position))) is not None
        assert collider.near.first.max() <= 3 * 200


@pytest.mark.parametrize("reach", [np.inf, 1e300, 1e308])
def test_bodies_that_may_go_anywhere_are_near_all(reach: float) -> None:
    collider, position, rotation = spread(np.random.default_rng(6), 30, 1.0)
    reaches = np.zeros(len(position))
    reaches[[3, 8]] = reach
    pairs = collider.near_pairs(position, rotation, reaches)
    assert pairs is not None
    found = {(int(a), int(b)) for a, b in pairs[:, :2]}
    assert {(min(g, 7), max(g, 7)) for g in range(30) if g != 7} <= found


def test_a_reach_that_is_no_number_leads_nowhere_outside() -> None:
    collider, position, rotation = spread(np.random.default_rng(7), 30, 1.0)
    reaches = np.zeros(len(position))
    reaches[::3] = np.nan
    pairs = collider.near_pairs(position, rotation, reaches)
    assert pairs is not None
    assert ((pairs[:, 0] >= 0) & (pairs[:, 0] < pairs[:, 1]) & (pairs[:, 1] < 30)).all()
    assert collider.near.first.max() <= 30  # all are in one strip


def test_what_the_last_sweep_left_changes_nothing() -> None:
    collider, position, rotation = spread(np.random.default_rng(5), 60, 1.0)
    pairs = collider.near_pairs(position, rotation, np.zeros(len(position)))
    assert pairs is not None
    first = pairs.copy()
    for table in (collider.near, collider.pairs):
        for values in table:
            values.fill(np.nan if values.dtype.kind == "f" else 7)
    again = collider.near_pairs(position, rotation, np.zeros(len(position)))
    np.testing.assert_array_equal(again, first)
