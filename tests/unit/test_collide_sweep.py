"""The sweep: what meets on its way, when and where, and what only passes by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from collide_examples import collider_of, rock

from taut.collide.sweep import Meetings, held_apart, with_meetings
from taut.shapes import Box, Capsule, Convex, Cylinder, Heightfield, Sphere

WALL = Box(0.002, 2.0, 2.0)
SLACK = 0.02


def sweep(shapes: list[Any], start: Any, way: Any, spin: Any = 0.0, known: Meetings | None = None) -> Meetings | None:
    """Meetings of bodies that start at places and go by ways (bodies, 3), m, turning by (bodies, 3), rad."""
    collider, count = collider_of(shapes), len(shapes) + 1
    place, path, turn = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 6))
    place[1:], path[1:], turn[1:, 3:] = start, way, spin
    orientation, rotation = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.tile(np.eye(3).ravel(), (count, 1))
    return collider.sweep.meetings((place, orientation, rotation), place + path, turn, 1.0, SLACK, known)


BULLETS = {
    "ball": (Sphere(0.05), 0.05), "capsule": (Capsule(0.02, 0.1), 0.02), "box": (Box(0.1, 0.06, 0.04), 0.05),
    "cylinder": (Cylinder(0.03, 0.1), 0.03),
}  # fmt: skip


@pytest.mark.parametrize("name", BULLETS)
@pytest.mark.parametrize("speed", [1.0, 5.0, 80.0])
def test_a_bullet_meets_a_thin_wall_when_its_front_gets_there(name: str, speed: float) -> None:
    shape, front = BULLETS[name]
    found = sweep([shape, WALL], [(-0.5, 0.1, 0.2), (0, 0, 0)], [(speed, 0, 0), (0, 0, 0)])
    assert found is not None
    assert found.held[1]
    assert found.way[1, 0] == pytest.approx(0.5 - front - 0.001, abs=0.05 * front + 1e-4)
    assert np.abs(found.contacts.normal) == pytest.approx(np.tile([1.0, 0.0, 0.0], (found.contacts.count, 1)), abs=1e-6)
    assert found.contacts.gap.min() == pytest.approx(0.0, abs=0.05 * front + 1e-4)


def test_two_that_move_meet_where_both_are() -> None:
    found = sweep([Sphere(0.05), Sphere(0.05)], [(-1, 0, 0), (1, 0, 0)], [(3, 0, 0), (-1, 0, 0)])
    assert found is not None
    assert found.way[1:, 0] == pytest.approx([1.9 * 0.75, -1.9 * 0.25], abs=2e-3)


@pytest.mark.parametrize(
    ("start", "way"),
    [
        ((-0.5, 1.06, 0.0), (1.0, 0.0, 0.0)),  # past the edge
        ((-0.06, 0.0, 0.0), (0.0, 3.0, 0.0)),  # along the face
        ((-0.06, 0.0, 0.0), (-3.0, 0.0, 0.0)),  # away from it
        ((-0.5, 0.0, 0.0), (0.4, 0.0, 0.0)),  # not there yet
        ((-0.5, 0.0, 0.0), (0.47, 0.0, 0.0)),  # there, but not deep: contacts are found at the end
        ((-0.01, 0.0, 0.0), (0.01, 0.0, 0.0)),  # slow
    ],
)
def test_what_passes_by_or_gets_in_a_little_meets_nothing(start: Any, way: Any) -> None:
    assert sweep([Sphere(0.05), WALL], [start, (0, 0, 0)], [way, (0, 0, 0)]) is None


def turned_box(rng: np.random.Generator, half: Any) -> Convex:
    """A box, turned anyhow within its own axes."""
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) * half
    return Convex(corners @ np.linalg.qr(rng.normal(size=(3, 3)))[0].T)


@pytest.mark.parametrize("seed", [317, 382, 518, 759])
def test_a_rod_meets_a_box_whose_face_is_along_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bodies = [turned_box(rng, [0.004, 0.004, 0.12]), turned_box(rng, [0.03, 0.05, 0.02])]
    assert sweep(bodies, [(-0.5, 0, 0), (0, 0, 0)], [(1.2, 0, 0), (0, 0, 0)]) is not None


def test_a_plate_is_as_thin_when_it_stands_askew() -> None:
    plate = turned_box(np.random.default_rng(3), [0.002, 0.5, 0.5])
    assert collider_of([plate]).sweep.thickness[-1] == pytest.approx(0.002)
    for bullet in (Sphere(0.02), Box(0.02, 0.02, 0.02)):
        assert sweep([bullet, plate], [(-0.5, 0, 0), (0, 0, 0)], [(1.0, 0, 0), (0, 0, 0)]) is not None


def test_a_log_that_rolls_is_not_fast_and_one_that_tumbles_is() -> None:
    logs, apart = [Capsule(0.1, 2.0), Capsule(0.1, 2.0)], [(0, 0, 0), (0.3, 0, 0)]
    still = [(0, 0, 0), (0, 0, 0)]
    assert sweep(logs, apart, still, [(0, 0, 3.0), (0, 0, 0)]) is None
    assert sweep(logs, apart, still, [(0, 3.0, 0), (0, 0, 0)]) is not None


def test_what_turns_many_times_is_followed_to_the_end() -> None:
    bodies = [Box(0.02, 0.02, 0.3), WALL]
    spin = [(0, 60.0, 0), (0, 0, 0)]
    beside = sweep(bodies, [(-0.2, 0, 0), (0, 0, 0)], [(0, 1.0, 0), (0, 0, 0)], spin)
    through = sweep(bodies, [(-0.5, 0, 0), (0, 0, 0)], [(1.0, 0, 0), (0, 0, 0)], spin)
    assert beside is None
    assert through is not None
    assert 0.3 < through.way[1, 0] < 0.5


def test_a_rod_that_turns_through_a_wall_meets_it() -> None:
    bodies = [Capsule(0.01, 0.6), WALL]
    still = sweep(bodies, [(-0.2, 0, 0), (0, 0, 0)], [(0, 0, 0), (0, 0, 0)])
    turning = sweep(bodies, [(-0.2, 0, 0), (0, 0, 0)], [(0, 0, 0), (0, 0, 0)], [(0, 3.0, 0), (0, 0, 0)])
    assert still is None
    assert turning is not None
    # its end is 0.31 m out, and gets to the wall when it has turned by asin(0.2 / 0.3), less what the radius is
    assert turning.way[1, 4] == pytest.approx(np.arcsin(0.189 / 0.3), abs=0.03)


def test_dominoes_that_turn_together_do_not_meet() -> None:
    stones = [Box(0.0075, 0.024, 0.048), Box(0.0075, 0.024, 0.048)]
    turn = [(0, 0.3, 0), (0, 0.3, 0)]
    assert sweep(stones, [(0, 0, 0), (0.0076, 0, 0)], [(0.004, 0, 0), (0.004, 0, 0)], turn) is None


def test_a_ball_that_spins_is_nowhere_else() -> None:
    ways = [(0, 0, 0), (0, 0, 0)]
    assert sweep([Sphere(0.05), WALL], [(-0.06, 0, 0), (0, 0, 0)], ways, [(0, 400, 0), (0, 0, 0)]) is None


def test_a_bullet_meets_a_hill_before_it_is_through() -> None:
    heights = np.zeros((21, 21))
    heights[:, 10] = heights[10, :] = 1.0
    land = Heightfield(heights, (20.0, 20.0))
    found = sweep([land, Sphere(0.1)], [(0, 0, 0), (-5.5, -5.5, 0.4)], [(0, 0, 0), (11, 11, 0)])
    assert found is not None
    assert -1.5 < -5.5 + found.way[2, 0] < 0.0


def test_of_several_only_what_comes_first_is_met() -> None:
    walls = [(0, 0, 0), (0.5, 0, 0), (1.0, 0, 0)]
    found = sweep([Sphere(0.05), WALL, WALL, WALL], [(-0.5, 0, 0), *walls], [(3, 0, 0), *(3 * [(0, 0, 0)])])
    assert found is not None
    first = found.contacts.take(np.flatnonzero(found.contacts.body_a == 1))
    assert found.way[1, 0] == pytest.approx(0.449, abs=2e-3)
    assert 2 in first.body_b


def test_what_met_is_kept_and_what_gets_through_it_is_seen() -> None:
    bodies, start = [Sphere(0.05), WALL], [(-0.5, 0, 0), (0, 0, 0)]
    met = sweep(bodies, start, [(3, 0, 0), (0, 0, 0)])
    stopped = sweep(bodies, start, [(0.449, 0, 0), (0, 0, 0)], known=met)
    through = sweep(bodies, start, [(2.0, 0, 0), (0, 0, 0)], known=met)
    assert met is not None and stopped is not None and through is not None
    assert stopped.contacts.count == through.contacts.count == met.contacts.count
    assert not stopped.passed.any()
    assert through.passed[1]


def test_corners_far_from_the_first_are_as_near_as_a_small_turn_brings_them() -> None:
    found = sweep([rock(np.random.default_rng(1)), WALL], [(-1, 0, 0), (0, 0, 0)], [(3, 0, 0), (0, 0, 0)])
    assert found is not None
    wide, slack = found.contacts, 1e-4
    near = held_apart(wide, slack)
    arm = np.linalg.norm(wide.core_a - wide.core_a[np.argmin(wide.gap)], axis=1)
    assert np.all(near.gap <= wide.gap)
    assert np.all(near.gap <= wide.gap.min() + np.sqrt(2.0 * slack * arm) + 1e-12)


def test_contacts_of_the_other_side_give_way_to_those_of_the_meeting() -> None:
    bodies, start = [Sphere(0.05), WALL], [(-0.5, 0, 0), (0, 0, 0)]
    met = sweep(bodies, start, [(3, 0, 0), (0, 0, 0)])
    assert met is not None
    collider, rotation = collider_of(bodies), np.tile(np.eye(3).ravel(), (3, 1))
    behind = np.array([(0, 0, 0), (0.052, 0, 0), (0, 0, 0)], float)
    found = collider.contacts(behind, rotation, np.full(3, 0.01))
    assert found.count == 1
    both = with_meetings(found, met.at(behind, rotation, collider.geoms.radius), collider.geoms.thickness)
    assert both.normal == pytest.approx(met.contacts.normal)
