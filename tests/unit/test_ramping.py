"""Ramps: nothing goes beyond its goal, and cushions take the same in every frame."""

from __future__ import annotations

import math

import numpy as np
import pytest

from taut.machines.ramping import cushioned_speed, stopping_speed, towards


@pytest.mark.parametrize("way", [3.0, -3.0, 1e-4])
@pytest.mark.parametrize("step", [1 / 60, 1 / 120])
def test_what_follows_stopping_speeds_arrives_and_does_not_go_beyond(way: float, step: float) -> None:
    place, speed, speeds, places = 0.0, 0.0, [0.0], [0.0]
    for _ in range(round(20.0 / step)):
        wanted = stopping_speed(way - place, 2.0, step)
        speed = towards(speed, math.copysign(min(abs(wanted), 1.5), wanted), 2.0 * step)
        place += speed * step
        speeds.append(speed)
        places.append(place)
    assert place == pytest.approx(way, abs=1e-12)
    assert np.abs(places).max() <= abs(way) * (1.0 + 1e-12) and np.abs(np.diff(speeds)).max() <= 2.0 * step * (1 + 1e-9)


def test_a_short_way_takes_one_frame() -> None:
    assert stopping_speed(1e-9, 2.0, 0.01) == pytest.approx(1e-7, rel=1e-4)
    assert stopping_speed(0.0, 2.0, 0.01) == 0.0


@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_a_cushion_takes_the_same_in_every_frame(speed: float) -> None:
    way, step, speeds = 0.3, 1 / 120, [speed]
    while way > 1e-12 and len(speeds) < 1000:
        speeds.append(min(speeds[-1], cushioned_speed(way, speeds[-1], 0.5, step)))
        way -= speeds[-1] * step
    assert way == pytest.approx(0.0, abs=1e-9)
    lost = -np.diff(speeds)[:-2] / step
    expected = max(0.5, speed**2 / (2 * 0.3 + speed * step))
    assert lost[lost > 1e-9][1:] == pytest.approx(expected, rel=1e-9)


def test_an_end_without_a_cushion_is_reached_at_full_speed() -> None:
    assert cushioned_speed(0.1, 1.0, math.inf, 0.01) == pytest.approx(10.0)
    assert cushioned_speed(0.0, 1.0, 2.0, 0.01) == 0.0


def test_towards_changes_by_no_more_than_it_may() -> None:
    assert (towards(0.0, 1.0, 0.1), towards(0.0, -1.0, 0.1), towards(0.0, 0.05, 0.1)) == (0.1, -0.1, 0.05)
