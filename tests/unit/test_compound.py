"""Bodies of several shapes: mass by volume, parallel axes, compounds within compounds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.shapes import Box, Capsule, Compound, Convex, Plane, Sphere
from taut.spatial import from_axis_angle, matrix

ORIGIN = (0.0, 0.0, 0.0)
QUARTER_TURN = from_axis_angle((0, 0, 1), math.pi / 2)


def test_two_half_boxes_are_a_box() -> None:
    halves = Compound([(Box(1.0, 2.0, 1.5), (0.0, 0.0, -0.75)), (Box(1.0, 2.0, 1.5), (0.0, 0.0, 0.75))])
    whole = Box(1.0, 2.0, 3.0)
    assert halves.volume == pytest.approx(whole.volume) and halves.com == pytest.approx(ORIGIN)
    assert halves.inertia(5.0) == pytest.approx(whole.inertia(5.0), rel=1e-14)


def test_parts_share_the_mass_by_volume() -> None:
    """A ball with 8 times the volume of another: 8/9 of the mass; about the long axis only the balls' own moments."""
    balls = Compound([(Sphere(0.2), (-1.0, 0.0, 0.0)), (Sphere(0.1), (1.0, 0.0, 0.0))])
    assert balls.com == pytest.approx((-7.0 / 9.0, 0.0, 0.0))
    own = 0.4 * (8.0 * 0.2**2 + 0.1**2)
    across = own + 8.0 * (2.0 / 9.0) ** 2 + (16.0 / 9.0) ** 2
    assert balls.inertia(9.0) == pytest.approx(np.diag([own, across, across]), rel=1e-12)
    assert balls.bounding_radius == pytest.approx(1.2)


def test_turned_parts_turn_their_inertia() -> None:
    turned = Compound([(Box(1.0, 2.0, 3.0), (4.0, 5.0, 6.0), QUARTER_TURN)])
    assert turned.com == pytest.approx((4.0, 5.0, 6.0))
    assert turned.inertia(2.0) == pytest.approx(Box(2.0, 1.0, 3.0).inertia(2.0), abs=1e-12)


def test_parts_off_their_own_origin_count_where_they_are() -> None:
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1.0)])
    placed = Compound([(Convex(corners), (1.0, 2.0, 3.0), QUARTER_TURN)])
    moved = Convex(corners @ matrix(QUARTER_TURN).T + (1.0, 2.0, 3.0))
    assert placed.com == pytest.approx(moved.com)
    assert placed.inertia(2.0) == pytest.approx(moved.inertia(2.0), abs=1e-12)


def test_nested_compounds_are_taken_apart_in_place() -> None:
    rod, ball = Capsule(0.1, 1.0), Sphere(0.3)
    inner = Compound([(rod, (1.0, 0.0, 0.0)), (ball, (0.0, 0.0, 0.5), from_axis_angle((1, 0, 0), math.pi / 2))])
    outer = Compound([(Box(1, 1, 1), ORIGIN), (inner, (0.0, 2.0, 0.0), QUARTER_TURN)])
    assert [shape for shape, _, _ in outer.parts] == [Box(1, 1, 1), rod, ball]
    _, (_, rod_place, rod_turn), (_, ball_place, ball_turn) = outer.parts
    assert rod_place == pytest.approx((0.0, 3.0, 0.0)) and rod_turn == pytest.approx(QUARTER_TURN)
    assert ball_place == pytest.approx((0.0, 2.0, 0.5))
    assert matrix(ball_turn) @ (0, 1, 0) == pytest.approx((0, 0, 1)), "first about x, then about z"
    assert outer.volume == pytest.approx(1.0 + rod.volume + ball.volume)
    both = Compound([(Box(1, 1, 1), ORIGIN), *((s, p, q) for s, p, q in outer.parts[1:])])
    assert both == outer and both.inertia(1.0) == pytest.approx(outer.inertia(1.0))


@pytest.mark.parametrize(("parts", "words"), [
    ([], "at least one entry"),
    (Sphere(1.0), "list of"),
    ([Sphere(1.0)], r"parts\[0\] is Sphere.*must be \(shape, position\)"),
    ([(Sphere(1.0),)], r"parts\[0\]"),
    ([(Sphere(1.0), ORIGIN), ("ball", ORIGIN)], r"parts\[1\]: shape is 'ball'"),
    ([(Plane(), ORIGIN)], r"parts\[0\]: shape is Plane.*solid"),
    ([(Sphere(1.0), (0.0, 0.0))], r"parts\[0\]: position"),
    ([(Sphere(1.0), (0.0, 0.0, math.nan))], r"parts\[0\]: position"),
    ([(Sphere(1.0), ORIGIN, (1, 1, 0, 0))], r"parts\[0\]: orientation.*unit quaternion"),
], ids=lambda part: str(part)[:30])  # fmt: skip
def test_wrong_parts_are_refused(parts: object, words: str) -> None:
    with pytest.raises(InputError, match=f"^Compound: .*{words}") as caught:
        Compound(parts)
    assert "\n" not in str(caught.value)


def test_body_of_a_compound_swings_about_its_centre_of_mass() -> None:
    """A hammer: the head's share of the mass pulls the centre to it; free spin keeps that point at rest."""
    hammer = Compound([(Capsule(0.02, 0.5), ORIGIN), (Box(0.2, 0.1, 0.1), (0.0, 0.0, 0.3))])
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("hammer", hammer, density=1000.0, angular_velocity=(0, math.pi, 0))
    assert 0.2 < hammer.com[2] < 0.3
    simulation = taut.Simulation(scene)
    simulation.run(1.0)
    assert simulation.body("hammer").position == pytest.approx((0.0, 0.0, 2.0 * hammer.com[2]), abs=1e-3)
