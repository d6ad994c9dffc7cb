"""Batches, cameras and recordings with known geometry, for tests of pictures."""

from __future__ import annotations

import numpy as np
from sample_recordings import report

from taut import scenes
from taut.model.compile import compile_scene
from taut.results.drawing import Drawing, draw_model
from taut.results.record import Recording, RecordingInfo
from taut.scene.scene import Scene
from taut.shapes.surface import Surface, cuboid
from taut.view.batches import Batch, none
from taut.view.camera import Camera
from taut.view.frame import Frame, frame_at


def batch(surface: Surface, positions: object, colours: object, scales: object = (1.0, 1.0, 1.0)) -> Batch:
    """Copies of a surface, not turned."""
    place = np.array(positions, float).reshape(-1, 3)
    count = len(place)
    turn, size = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.tile(np.array(scales, float), (count, 1))
    paint = np.broadcast_to(np.array(colours, np.uint8), (count, 3))
    return Batch("bodies/0", surface, place, turn, size, paint, none(place), none(place))


def box(edge: float, position: object, colour: object = (200, 60, 60)) -> Batch:
    """One cube."""
    return batch(cuboid((edge, edge, edge)), position, colour)


def fine_ball(turns: int = 96) -> Surface:
    """A ball of radius 1 with so many corners around."""
    around, up = 2.0 * np.pi / turns * np.arange(turns), np.linspace(-0.5 * np.pi, 0.5 * np.pi, turns // 2 + 1)
    ring = np.stack([np.cos(around), np.sin(around), np.ones(turns)], axis=1)
    points = np.concatenate([ring * (np.cos(angle), np.cos(angle), np.sin(angle)) for angle in up])
    lower = np.arange(turns * (turns // 2)).reshape(-1, turns)
    after = np.roll(lower, -1, axis=1)
    corners = np.concatenate([(lower, after, after + turns), (lower, after + turns, lower + turns)], axis=1)
    return Surface(points, np.moveaxis(corners, 0, -1).reshape(-1, 3))


def from_front(distance: float, height: float = 0.0, **more: float) -> Camera:
    """A camera on the -y side that looks along +y at the origin's height."""
    return Camera(np.array([0.0, -distance, height]), np.array([0.0, 0.0, height]), np.array([0.0, 0.0, 1.0]), **more)


def pixel_of(camera: Camera, point: object, width: int, height: int) -> tuple[float, float]:
    """Row and column in which a world point is seen."""
    x, y, z = camera.axes() @ (np.array(point, float) - camera.position)
    focal = 0.5 * height / np.tan(0.5 * camera.field_of_view)
    return 0.5 * height + focal * y / z, 0.5 * width + focal * x / z


def still_recording(scene: Scene | None = None, frames: int = 31, drift: object = (0.0, 0.0, 0.0)) -> Recording:
    """Frames of a scene 1/30 s apart in which every body moves with one velocity (m/s); nothing is simulated."""
    model, state = compile_scene(scenes.build("stack_of_boxes") if scene is None else scene)
    drawing = draw_model(model)
    info = RecordingInfo("stack_of_boxes", drawing.body_names[1:], solver="bpp", step=1 / 30)
    rest = np.zeros_like(state.position[1:])
    with Recording(info, drawing=drawing) as recording:
        for frame in range(frames):
            place = state.position[1:] + frame / 30 * np.array(drift, float)
            made = report(frame, time=frame / 30)
            recording.append(frame / 30, place, state.orientation[1:], rest, rest, made)
    return recording


def all_frames(recording: Recording) -> tuple[Drawing, list[Frame]]:
    """Drawing and frames of a recording."""
    assert recording.drawing is not None
    return recording.drawing, [frame_at(recording, index) for index in range(len(recording.time))]
