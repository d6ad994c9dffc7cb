"""A camera that goes with a body."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.results.record import Recording
from taut.view.film import render
from taut.view.follow import calmed, following
from taut.view.frame import drawing_of, frame_at


@pytest.fixture(scope="module")
def drive() -> Recording:
    """A sledge with a box on a hinge slides 12 m away, past a house that stands still."""
    scene = taut.Scene(friction=0.0, name="drive")
    scene.add_plane()
    scene.add_body("sledge", taut.shapes.Box(2, 1, 0.4), mass=50.0, position=(0, 0, 0.2), velocity=(6, 0, 0))
    scene.add_body("box", taut.shapes.Box(0.5, 0.5, 0.5), mass=5.0, position=(0, 0, 0.8), velocity=(6, 0, 0))
    scene.connect("sledge", "box", taut.joints.Fixed())
    scene.add_body("house", taut.shapes.Box(3, 3, 3), mass=1e4, position=(4, 5, 1.5))
    return taut.Simulation(scene).run(2.0)


def seen_at(recording: Recording, index: int, camera: object, body: str) -> np.ndarray:
    """Place of a body in a picture: right and down over forward."""
    axes = camera.axes()
    place = frame_at(recording, index).positions[drawing_of(recording).body_names.index(body)]
    across = axes @ (place - camera.position)
    return across[:2] / across[2]


def test_the_body_stays_where_it_is_in_the_picture_and_others_pass(drive: Recording) -> None:
    indices = list(range(0, len(drive.time), 10))
    cameras = following(drive, indices, "sledge")
    places = np.array([seen_at(drive, index, camera, "box") for index, camera in zip(indices, cameras, strict=True)])
    assert np.abs(places - places[5]).max() < 1e-3
    houses = np.array([seen_at(drive, index, camera, "house") for index, camera in zip(indices, cameras, strict=True)])
    assert np.ptp(houses[:, 0]) > 0.5
    assert all(np.allclose(camera.axes(), cameras[0].axes()) for camera in cameras)
    assert cameras[0].distance < 15.0, "it is near: the house need not be in the picture"


def test_a_way_without_shaking() -> None:
    time = np.linspace(0.0, 4.0, 241)
    path = np.column_stack([2.0 * time, 0.1 * np.sin(40.0 * time), np.zeros_like(time)])
    path[100:110] = np.nan
    calm = calmed(time, path)
    assert np.abs(calm[:, 1]).max() < 0.03
    assert calm[60:180, 0] == pytest.approx(2.0 * time[60:180], abs=0.01)


def test_a_film_follows_and_a_wrong_name_is_said(drive: Recording, tmp_path: Path) -> None:
    from PIL import Image

    out = render(drive, tmp_path / "drive.webp", size=(96, 60), fps=5.0, follow="sledge")
    with Image.open(out) as film:
        assert film.n_frames == 11 and film.size == (96, 60)
    with pytest.raises(InputError, match="follow: there is no body 'sleigh' .*did you mean 'sledge'"):
        render(drive, tmp_path / "drive.webp", follow="sleigh")
