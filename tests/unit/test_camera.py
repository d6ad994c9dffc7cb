"""First views: everything is in the picture, nothing is in the way."""

from __future__ import annotations

import numpy as np
import pytest
from picture_examples import all_frames, pixel_of, still_recording

from taut.errors import InputError
from taut.results.drawing import Drawing
from taut.scene.scene import Scene
from taut.shapes import Box, Sphere
from taut.view.camera import Camera, framing
from taut.view.frame import Frame

UP = np.array([0.0, 0.0, 1.0])


def shares(camera: Camera, drawing: Drawing, frames: list[Frame], aspect: float = 1.6) -> np.ndarray:
    """Where all points of all bodies are seen: (n, 2) rows and columns from 0 to 1."""
    found = []
    for frame in frames:
        place, turn = drawing.piece_poses(frame.positions, frame.orientations)
        assert np.allclose(turn, [1.0, 0.0, 0.0, 0.0])
        for piece, surface in enumerate(drawing.piece_surface.tolist()):
            for point in drawing.surfaces[surface].points + place[piece]:
                row, column = pixel_of(camera, point, 1000, round(1000 / aspect))
                found.append((row / (1000 / aspect), column / 1000))
    return np.array(found)


def row_of_boxes(direction: int, count: int = 5) -> Scene:
    scene = Scene()
    scene.add_plane()
    for number in range(count):
        place = np.zeros(3)
        place[direction], place[2] = number, 0.25
        scene.add_body(f"box-{number}", Box(0.5, 0.5, 0.5), mass=1.0, position=place)
    return scene


@pytest.mark.parametrize("aspect", [0.7, 1.0, 1.6, 2.5])
@pytest.mark.parametrize("drift", [(0.0, 0.0, 0.0), (3.0, 0.0, 0.0), (0.0, 2.0, 1.0)])
def test_everything_is_in_the_picture_and_fills_it(aspect: float, drift: tuple[float, ...]) -> None:
    drawing, frames = all_frames(still_recording(row_of_boxes(0), drift=drift))
    seen = shares(framing(drawing, frames, aspect), drawing, frames, aspect)
    assert seen.min() >= 0.0 and seen.max() <= 1.0
    assert np.ptp(seen, axis=0).max() > 0.6


@pytest.mark.parametrize("direction", [0, 1])
def test_a_row_is_seen_across_the_picture(direction: int) -> None:
    drawing, frames = all_frames(still_recording(row_of_boxes(direction), frames=2))
    camera = framing(drawing, frames)
    seen = shares(camera, drawing, frames)
    assert np.ptp(seen[:, 1]) > 0.6
    sight = camera.axes()[2]
    assert abs(sight[direction]) < abs(sight[1 - direction])
    assert camera.position[2] > 0.0 > sight[2]


def test_one_body_that_flies_off_does_not_dwarf_the_rest() -> None:
    recording = still_recording(row_of_boxes(0, 40), frames=2)
    drawing, frames = all_frames(recording)
    near = framing(drawing, frames)
    for frame in frames:
        frame.positions[3] = (500.0, 300.0, 900.0)
    assert framing(drawing, frames).distance == pytest.approx(near.distance, rel=0.05)


def test_ground_is_seen_from_above_and_slopes_from_their_side() -> None:
    scene = Scene()
    scene.add_plane(normal=(-np.sin(0.5), 0.0, np.cos(0.5)))
    for number in range(4):
        scene.add_body(f"box-{number}", Box(0.2, 0.2, 0.2), mass=1.0, position=(0.0, number, 0.3))
    drawing, frames = all_frames(still_recording(scene, frames=2))
    camera = framing(drawing, frames)
    assert drawing.planes[0, :3] @ camera.position > drawing.planes[0, 3]
    assert abs(camera.axes()[2][1]) > 0.8


def test_what_stands_in_the_way_is_looked_around() -> None:
    """Between two high walls along y, with the row along x: from the open ends or from high above."""
    scene = row_of_boxes(1)
    for x in (-1.0, 1.0):
        scene.add_body(f"wall{x:+.0f}", Box(0.1, 8.0, 3.0), position=(x, 2.0, 1.5), fixed=True)
    drawing, frames = all_frames(still_recording(scene, frames=2))
    sight = framing(drawing, frames).axes()[2]
    assert abs(sight[1]) > abs(sight[0])


def test_a_scene_of_one_ball_at_rest() -> None:
    scene = Scene()
    scene.add_body("ball", Sphere(0.01), mass=1.0, position=(5.0, 5.0, 5.0))
    drawing, frames = all_frames(still_recording(scene, frames=1))
    camera = framing(drawing, frames)
    assert 0.02 < camera.distance < 0.2
    np.testing.assert_allclose(camera.target, 5.0, atol=0.01)


def test_axes_are_right_handed_unit_vectors() -> None:
    camera = Camera(np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5, 0.0]), UP)
    axes = camera.axes()
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert axes[1] @ UP < 0.0 and abs(axes[0] @ UP) < 1e-14


def test_impossible_cameras() -> None:
    with pytest.raises(InputError, match="on one line"):
        Camera(np.array([0.0, 0.0, 3.0]), np.zeros(3), UP).axes()
    with pytest.raises(InputError, match="on one line"):
        Camera(np.zeros(3), np.zeros(3), UP).axes()
    with pytest.raises(InputError, match="field_of_view"):
        Camera(np.ones(3), np.zeros(3), UP, 4.0)
    drawing, _ = all_frames(still_recording(frames=1))
    with pytest.raises(InputError, match="no frames"):
        framing(drawing, [])
