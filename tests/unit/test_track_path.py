"""The way of a track: belts around discs, links of equal length."""

from __future__ import annotations

import math

import numpy as np
import pytest

from taut.machines.track_path import belt_around, chords, links_around, pin_radii

CENTRES, RADII = np.array([(-2.0, 0.1), (2.0, 0.1), (-1.0, -0.3), (1.0, -0.3)]), np.array([0.4, 0.4, 0.2, 0.2])


def length_of(way: np.ndarray) -> float:
    """Of a closed way, m."""
    return float(np.linalg.norm(np.roll(way, -1, axis=0) - way, axis=1).sum())


def test_a_belt_around_two_discs_is_as_long_as_it_must_be() -> None:
    way = belt_around(CENTRES[:2], np.array([0.3, 0.5]))
    lean = math.asin(0.2 / 4.0)
    length = 2.0 * 4.0 * math.cos(lean) + 0.5 * (math.pi + 2.0 * lean) + 0.3 * (math.pi - 2.0 * lean)
    assert length_of(way) == pytest.approx(length, rel=1e-5)
    top = way[way[:, 1] > 0.3]
    assert (np.diff(top[:40, 0]) >= 0.0).all(), "it runs ahead on top"


def test_chords_go_on_until_the_way_is_over() -> None:
    way = belt_around(np.zeros((1, 2)), np.ones(1))
    ends, rounds = chords(way, 2.0 * math.sin(math.pi / 12.0), 12)
    assert rounds == pytest.approx(1.0, abs=1e-4)
    np.testing.assert_allclose(
        np.linalg.norm(np.diff(ends, axis=0), axis=1), 2.0 * math.sin(math.pi / 12.0), rtol=1e-12
    )


@pytest.mark.parametrize("count", [14, 25, 60])
def test_links_are_alike_close_and_lie_on_their_wheels(count: int) -> None:
    pins, pitch = links_around(CENTRES, RADII, count, 0.06)
    sides = np.roll(pins, -1, axis=0) - pins
    np.testing.assert_allclose(np.linalg.norm(sides, axis=1), pitch, rtol=1e-9)
    turns = np.unwrap(np.arctan2(sides[:, 1], sides[:, 0]))
    assert turns[0] - turns[-1] > 1.5 * math.pi and (np.diff(turns) < 1e-3).all()
    for centre, radius in zip(CENTRES, RADII, strict=True):
        # distance of the wheel's centre from every link, to its own side
        share = np.clip(((centre - pins) * sides).sum(axis=1) / pitch**2, 0.0, 1.0)
        near = np.linalg.norm(pins + share[:, None] * sides - centre, axis=1).min()
        assert radius + 0.03 - 1e-4 < near < radius + 0.03 + pitch**2


def test_links_stay_off_wheels_however_the_track_bends() -> None:
    for bend in (0.0, 0.2, math.pi):
        far = pin_radii(np.array([0.3]), np.array([bend]), 0.2)[0]
        half = min(0.5 * bend, math.atan2(0.1, 0.3))
        # a link whose ends are on both straights, or on the arc
        ahead = max(0.1 - far * math.sin(half), 0.0) / math.cos(half)
        assert far * math.cos(half) - ahead * math.sin(half) == pytest.approx(0.3, abs=1e-12)
