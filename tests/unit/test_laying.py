"""Where segments of cables are laid."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from taut.errors import InputError
from taut.machines.laying import along_corners, arc, hanging, with_lengths

WEIGHT = np.array([0.0, 0.0, -2.0])


def lengths(begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    return np.linalg.norm(end - begin, axis=1)


@pytest.mark.parametrize("length", [1.000001, 1.001, 1.2, 2.0, 5.0])
@pytest.mark.parametrize("rise", [-0.7, 0.0, 0.5])
def test_a_hanging_cable_is_a_catenary(length: float, rise: float) -> None:
    end = np.array([np.sqrt(1.0 - rise**2), 0.0, rise])
    count = 400
    begin, over = hanging("cable", np.zeros(3), end, count, length / count, WEIGHT / count, 0.0)
    np.testing.assert_allclose(lengths(begin, over), length / count, rtol=1e-12)
    np.testing.assert_allclose(begin[1:], over[:-1], atol=1e-15)
    assert np.abs(over[-1] - end).max() <= 1e-9 and not begin[0].any()
    # of the catenary z = a cosh((x - x0) / a) + c through both points: sqrt(length^2 - rise^2) = 2 a sinh(span / 2a)
    span = end[0]
    wanted = np.sqrt(length**2 - rise**2)
    a = brentq(lambda a: 2 * a * np.sinh(span / (2 * a)) - wanted, span / 20, 1e6)
    middle = 0.5 * (begin[:-1] + over[:-1])[1:]
    x0 = span / 2 - a * np.arctanh(rise / length)
    curve = a * (np.cosh((middle[:, 0] - x0) / a) - np.cosh(x0 / a))
    np.testing.assert_allclose(middle[:, 2], curve, atol=2e-4 * length)


@pytest.mark.parametrize("compliance", [1e-6, 1e-3, 3e-3])
@pytest.mark.parametrize("length", [0.7, 1.0, 1.5])
def test_joints_are_stretched_by_what_they_carry(compliance: float, length: float) -> None:
    count, end = 12, np.array([0.6, 0.0, 0.8])
    begin, over = hanging("cable", np.zeros(3), end, count, length / count, WEIGHT, compliance)
    gaps = np.diff(np.stack([begin, over], axis=1).reshape(-1, 3), axis=0)[1::2]
    pulls = gaps / compliance
    np.testing.assert_allclose(np.diff(pulls, axis=0), np.tile(-WEIGHT, (count - 2, 1)), atol=1e-6)
    np.testing.assert_allclose(end - over[-1], 0.5 * compliance * (pulls[-1] - WEIGHT), atol=1e-9)
    np.testing.assert_allclose(begin[0], 0.5 * compliance * (pulls[0] + WEIGHT), atol=1e-9)
    # no segment is turned: the moment of the pulls at its ends about its middle vanishes
    middle = 0.5 * (np.vstack([pulls[0] + WEIGHT, pulls])[:-1] + pulls)
    assert np.abs(np.cross(middle, (over - begin)[:-1])).max() <= 1e-6 * np.abs(pulls).max()


@pytest.mark.parametrize("weight", [np.zeros(3), WEIGHT])
@pytest.mark.parametrize("end", [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.3, 0.4, 0.0)])
def test_a_cable_that_would_fold_or_float_is_an_arc(weight: np.ndarray, end: tuple[float, ...]) -> None:
    begin, over = hanging("cable", np.zeros(3), np.array(end), 20, 0.1, weight, 0.0)
    np.testing.assert_allclose(lengths(begin, over), 0.1, rtol=1e-12)
    assert np.abs(over[-1] - end).max() <= 1e-9
    nodes = np.vstack([begin, over[-1:]])
    apart = np.linalg.norm(nodes[:, None] - nodes[None], axis=2)[np.triu_indices(21, 2)]
    assert np.sort(apart)[1] > 0.05, "segments lie on each other"


def test_an_arc_bulges_down() -> None:
    begin, _ = arc(np.zeros(3), np.array([1.0, 0.0, 0.0]), 10, 0.12, WEIGHT)
    assert begin[5, 2] < -0.2 and abs(begin[5, 1]) < 1e-12


def test_a_cable_that_is_too_short_is_refused() -> None:
    with pytest.raises(InputError, match=r"length is 0.9 m, but its ends are 1 m apart.*axial_stiffness"):
        hanging("cable 'x'", np.zeros(3), np.array([1.0, 0.0, 0.0]), 9, 0.1, WEIGHT, 0.0)


def test_segments_along_corners_are_equal_and_end_where_they_should(rng: np.random.Generator) -> None:
    for count in (17, 60, 400):
        corners = np.cumsum(rng.normal(size=(6, 3)) + np.array([1.5, 0.0, 0.0]), axis=0)
        begin, over = along_corners("cable", corners, count)
        assert np.ptp(lengths(begin, over)) <= 1e-9 * lengths(begin, over)[0]
        np.testing.assert_allclose(begin[1:], over[:-1])
        assert (begin[0] == corners[0]).all() and (over[-1] == corners[-1]).all()
        sides = np.diff(corners, axis=0)
        apart = []
        for node in begin:
            share = np.clip(((node - corners[:-1]) * sides).sum(axis=1) / (sides**2).sum(axis=1), 0, 1)
            apart.append(np.linalg.norm(corners[:-1] + share[:, None] * sides - node, axis=1).min())
        assert max(apart) <= 0.5 * lengths(begin, over)[0]
    with pytest.raises(InputError, match="same point twice"):
        along_corners("cable", np.zeros((3, 3)), 4)


def test_nodes_are_moved_as_little_as_it_takes_until_they_are_as_far_apart_as_asked(rng: np.random.Generator) -> None:
    """What is moved is along what the lengths depend on: it is J^T times some numbers, as a nearest point is."""
    angle = np.linspace(0.0, 2.0, 13)
    nodes = np.column_stack([np.cos(angle), np.sin(angle), 0.1 * angle])
    wanted = np.linalg.norm(np.diff(nodes, axis=0), axis=1) * rng.uniform(1.0, 1.001, 12)
    found = with_lengths(nodes, wanted)
    np.testing.assert_allclose(np.linalg.norm(np.diff(found, axis=0), axis=1), wanted, atol=1e-12)
    np.testing.assert_array_equal(found[[0, -1]], nodes[[0, -1]])
    along = np.diff(found, axis=0)
    rows = np.zeros((12, 13, 3))
    for k, step in enumerate(along):
        rows[k, k], rows[k, k + 1] = -step, step
    columns = rows[:, 1:-1].reshape(12, -1).T
    moved = (found - nodes)[1:-1].ravel()
    left = moved - columns @ np.linalg.lstsq(columns, moved, rcond=None)[0]
    assert np.linalg.norm(moved) > 1e-3 and np.linalg.norm(left) < 0.02 * np.linalg.norm(moved)


def test_nodes_on_a_straight_line_stay_and_a_bow_that_has_no_room_is_drawn_straight() -> None:
    straight = np.outer(np.linspace(0.0, 1.0, 6), [0.6, 0.0, 0.8])
    np.testing.assert_allclose(with_lengths(straight, np.full(5, 0.2)), straight, atol=1e-14)
    bow = straight + np.outer([0.0, 1e-3, 2e-3, 2e-3, 1e-3, 0.0], [0.0, 1.0, 0.0])
    np.testing.assert_allclose(with_lengths(bow, np.full(5, 0.2)), straight, atol=1e-6)
    too_short = with_lengths(bow, np.full(5, 0.19))
    assert np.abs(too_short - straight).max() < 5e-3, "it stays near where it can be"
