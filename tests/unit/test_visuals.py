"""Looks of parts of machines: where they are, and that they can be seen to turn."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut import spatial
from taut.errors import InputError
from taut.machines import visuals
from taut.scene.looks import Piece, checked_visual
from taut.shapes import Box, Cylinder


def extent(pieces: list[Piece]) -> np.ndarray:
    """Lower and upper corner (2, 3) of what is seen, m."""
    found = []
    for piece in checked_visual("test", pieces) or ():
        points = spatial.rotate_each(
            np.tile(piece.orientation, (len(piece.shape.surface.points), 1)), piece.shape.surface.points
        )
        found.append(points + piece.position)
    points = np.vstack(found)
    return np.array([points.min(axis=0), points.max(axis=0)])


def test_a_wheel_has_its_radius_and_hardly_more_than_its_width() -> None:
    low, high = extent(visuals.wheel(0.5, 0.3))
    assert high == pytest.approx([0.5, 0.5, 0.165], rel=0.02) and low == pytest.approx(-high, rel=0.03)


def test_a_wheel_looks_otherwise_after_a_small_turn() -> None:
    spokes = [
        piece for piece in visuals.wheel(0.5, 0.3) if isinstance(piece.shape, Box) and piece.colour == visuals.STEEL
    ]
    places = np.array([piece.position for piece in spokes])
    assert len(spokes) == 5 and np.allclose(places.sum(axis=0), 0.0)
    turned = spatial.rotate_each(np.tile(spatial.from_axis_angle((0, 0, 1), 0.3), (5, 1)), places)
    assert np.linalg.norm(turned[:, None] - places[None], axis=2).min() > 0.02


def test_a_drum_and_a_boom_have_their_sizes() -> None:
    low, high = extent(visuals.drum(0.3, 1.0))
    assert high == pytest.approx([0.39, 0.39, 0.53], rel=0.01) and low == pytest.approx(-high, rel=0.01)
    low, high = extent(visuals.lattice(6.0, 0.5, 0.8))
    assert high == pytest.approx([3.0, 0.25, 0.4], rel=0.02) and low == pytest.approx(-high, rel=0.02)


def test_looks_can_be_put_in_another_place() -> None:
    turn = spatial.from_axis_angle((1, 0, 0), 0.5 * np.pi)
    low, high = extent(visuals.placed(visuals.wheel(0.5, 0.3), (1, 2, 3), turn))
    assert (low, high) == (pytest.approx([0.5, 1.835, 2.5], abs=0.02), pytest.approx([1.5, 2.165, 3.5], abs=0.02))


def test_a_body_takes_them_and_sizes_are_checked() -> None:
    scene = taut.Scene()
    scene.add_body("wheel", Cylinder(0.5, 0.3), mass=40.0, visual=visuals.wheel(0.5, 0.3, colour=(1, 0, 0)))
    drawing = taut.Simulation(scene).drawing
    assert [255, 0, 0] in drawing.piece_colours.tolist() and len(drawing.surfaces) == 5, "equal pieces share a surface"
    for make in (lambda: visuals.wheel(0.0, 1.0), lambda: visuals.drum(1.0, -1.0), lambda: visuals.lattice(1, 1, "x")):
        with pytest.raises(InputError, match="it must be a finite number > 0"):
            make()
