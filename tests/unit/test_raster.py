"""The software renderer against closed forms: silhouettes, depth, shade, shadows, clipping."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fresh_python import run_python
from picture_examples import batch, box, fine_ball, from_front, pixel_of

from taut.errors import InputError
from taut.shapes.surface import Surface, cuboid
from taut.view.camera import Camera
from taut.view.raster import GAMMA, Rasteriser, sun_direction, thickened, tile_edge, vertex_normals

WIDTH, HEIGHT = 240, 160
GROUND = [(0.0, 0.0, 1.0, 0.0)]
RED, GREEN = (220, 30, 30), (30, 200, 30)


@pytest.fixture(scope="module")
def rasteriser() -> Rasteriser:
    return Rasteriser(WIDTH, HEIGHT)


def changed(picture: np.ndarray, other: np.ndarray) -> np.ndarray:
    return (picture != other).any(axis=2)


def test_a_ball_covers_the_pixels_of_its_silhouette() -> None:
    rasteriser = Rasteriser(400, 400)
    camera, radius, distance = from_front(20.0, field_of_view=0.14), 1.0, 20.0
    seen = changed(rasteriser.draw([batch(fine_ball(), (0, 0, 0), RED)], camera), rasteriser.draw([], camera))
    focal = 200.0 / np.tan(0.07)
    silhouette = np.pi * (radius * focal) ** 2 / (distance**2 - radius**2)
    assert seen.sum() == pytest.approx(silhouette, rel=0.02)
    rows, columns = np.nonzero(seen)
    assert rows.mean() == pytest.approx(199.5, abs=0.1) and columns.mean() == pytest.approx(199.5, abs=0.1)


@pytest.mark.parametrize("order", [1, -1])
def test_what_is_nearer_hides_what_is_farther(rasteriser: Rasteriser, order: int) -> None:
    bodies = [box(4.0, (0, 5, 0), RED), box(1.0, (0, 0, 0), GREEN)][::order]
    picture = rasteriser.draw(bodies, from_front(10.0)).astype(int)
    middle, beside = picture[HEIGHT // 2, WIDTH // 2], picture[HEIGHT // 2, WIDTH // 2 + 30]
    assert middle[1] > 2 * middle[0]
    assert beside[0] > 2 * beside[1]


def test_what_explains_is_not_hidden_and_casts_no_shadow(rasteriser: Rasteriser) -> None:
    wall, camera = box(4.0, (0, 0, 2), RED), from_front(12.0, 4.0)
    mark = replace(box(0.5, (0, 8, 3), GREEN), on_top=True)
    for bodies in ([wall, mark], [mark, wall]):
        picture = rasteriser.draw(bodies, camera, GROUND).astype(int)
        row, column = (int(value) for value in pixel_of(camera, (0, 8, 3), WIDTH, HEIGHT))
        assert picture[row, column, 1] > 2 * picture[row, column, 0]
        only = changed(picture, rasteriser.draw([wall], camera, GROUND))
        rows, columns = np.nonzero(only)
        assert np.abs(rows - row).max() < 12 and np.abs(columns - column).max() < 12


def test_faces_have_no_holes(rasteriser: Rasteriser) -> None:
    """A square straight before the camera, with edges along the pixels' rows: all pixels of its outline."""
    camera = Camera(np.array([0.0, -12.0, 9.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]))
    corners = 3.0 * np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
    square = batch(Surface(corners, np.array([(0, 1, 2), (0, 2, 3)])), (0, 0, 0), RED)
    seen = changed(rasteriser.draw([square], camera), rasteriser.draw([], camera))
    outline = np.array([pixel_of(camera, corner, WIDTH, HEIGHT) for corner in corners])
    (a, b), (c, d) = outline[2] - outline[0], outline[3] - outline[1]
    assert seen.sum() == pytest.approx(0.5 * abs(a * d - b * c), rel=0.02)


def test_a_cut_between_bodies_is_where_they_meet(rasteriser: Rasteriser) -> None:
    """Two long bars through each other: each is in front on one side, whichever is drawn first."""
    bars = [cuboid((4.0, 0.2, 0.5)), cuboid((0.5, 4.0, 0.2))]
    bodies = [batch(bars[0], (0, 0, 0), RED), batch(bars[1], (0, 0, 0), GREEN)]
    camera = Camera(np.array([0.0, -6.0, 6.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]))
    forth, back = rasteriser.draw(bodies, camera), rasteriser.draw(bodies[::-1], camera)
    np.testing.assert_array_equal(forth, back)


def test_the_shade_of_a_face(rasteriser: Rasteriser) -> None:
    """Linear light is colour (SUN n.s + sky) + GLOSS (n.h)^SHINE with h between the sun and the eye."""
    from taut.view.shade_kernels import BOUNCE, GLOSS, SHINE, SKY, SUN

    camera = from_front(10.0)
    sun, normal = sun_direction(camera), np.array([0.0, -1.0, 0.0])
    half = (sun + normal) / np.linalg.norm(sun + normal)
    bright = SUN * (normal @ sun) + 0.5 * (SKY + BOUNCE)
    light = (np.array(RED) / 255.0) ** GAMMA * bright + GLOSS * (normal @ half) ** SHINE
    picture = rasteriser.draw([box(1.0, (0, 0, 0), RED)], camera)
    expected = 255.0 * np.clip(light, 0.0, 1.0) ** (1.0 / GAMMA)
    np.testing.assert_allclose(picture[HEIGHT // 2, WIDTH // 2], expected, atol=2.0)


def test_the_sides_of_a_ball_are_smooth(rasteriser: Rasteriser) -> None:
    picture = rasteriser.draw([batch(fine_ball(32), (0, 0, 0), RED)], from_front(6.0)).astype(int)
    row = picture[HEIGHT // 2, WIDTH // 2 - 25 : WIDTH // 2 + 25, 0]
    assert np.ptp(row) > 20  # bright on the side of the sun ...
    assert np.abs(np.diff(row)).max() <= 8  # ... and no edges in between


def test_a_shadow_falls_where_the_ray_from_the_sun_says(rasteriser: Rasteriser) -> None:
    camera = Camera(np.array([0.0, -12.0, 9.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]))
    sun = sun_direction(camera)
    for place in ((0.0, 0.0, 2.0), (1.0, 1.0, 1.0), (-1.0, 0.5, 0.5)):
        lit = rasteriser.draw([], camera, GROUND).astype(int)
        shaded = rasteriser.draw([box(0.8, place)], camera, GROUND).astype(int)
        hit = np.array(place) - place[2] / sun[2] * sun
        row, column = (int(each) for each in pixel_of(camera, hit, WIDTH, HEIGHT))
        assert (lit[row, column] - shaded[row, column]).min() > 15
        beside = hit - 2.0 * sun * (1.0, 1.0, 0.0)
        row, column = (int(each) for each in pixel_of(camera, beside, WIDTH, HEIGHT))
        np.testing.assert_array_equal(lit[row, column], shaded[row, column])


def test_bodies_shade_each_other(rasteriser: Rasteriser) -> None:
    camera = Camera(np.array([0.0, -12.0, 9.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]))
    slab = batch(cuboid((6.0, 6.0, 0.2)), (0, 0, -0.1), (200, 200, 200))
    hit = np.array((0.0, 0.0, 2.0)) - 2.0 / sun_direction(camera)[2] * sun_direction(camera)
    row, column = (int(each) for each in pixel_of(camera, hit, WIDTH, HEIGHT))
    lit = rasteriser.draw([slab], camera).astype(int)[row, column]
    shaded = rasteriser.draw([slab, box(0.8, (0, 0, 2.0))], camera).astype(int)[row, column]
    assert (lit - shaded).min() > 30


def test_what_reaches_behind_the_camera_is_cut_off(rasteriser: Rasteriser) -> None:
    """A floor that starts behind the camera looks as one that starts just before what is seen."""
    camera = from_front(0.0 + 10.0, height=2.0)
    ends = {"behind": -40.0, "before": -9.0}
    pictures = {}
    for name, start in ends.items():
        corners = np.array([(-50.0, start, 0.0), (50.0, start, 0.0), (50.0, 60.0, 0.0), (-50.0, 60.0, 0.0)])
        floor = Surface(corners, np.array([(0, 1, 2), (0, 2, 3)]))
        pictures[name] = rasteriser.draw([batch(floor, (0, 0, 0), RED)], camera).astype(int)
    assert changed(pictures["behind"], rasteriser.draw([], camera))[-1].all()
    assert np.abs(pictures["behind"] - pictures["before"]).max() <= 1


def test_what_is_behind_the_camera_or_seen_from_inside_is_not_drawn(rasteriser: Rasteriser) -> None:
    camera = from_front(10.0)
    empty = rasteriser.draw([], camera)
    np.testing.assert_array_equal(rasteriser.draw([box(1.0, (0, -15, 0))], camera), empty)
    np.testing.assert_array_equal(rasteriser.draw([box(40.0, (0, 0, 0))], camera), empty)


def test_ground_is_drawn_from_above_only_and_fades_into_the_background(rasteriser: Rasteriser) -> None:
    above, below = from_front(10.0, height=2.0), from_front(10.0, height=-2.0)
    seen = changed(rasteriser.draw([], above, GROUND), rasteriser.draw([], above))
    horizon = HEIGHT // 2
    assert seen[horizon + 20 :].mean() > 0.95 and not seen[:horizon].any()
    assert not changed(rasteriser.draw([], below, GROUND), rasteriser.draw([], below)).any()


def test_tilted_ground_and_bodies_hide_each_other(rasteriser: Rasteriser) -> None:
    """Of a box half sunk into a slope only the upper half is seen."""
    slope = [(-0.5, 0.0, np.sqrt(0.75), 0.0)]
    camera = from_front(10.0, height=1.0)
    whole = rasteriser.draw([box(2.0, (0, 0, 0), RED)], camera)
    sunk = rasteriser.draw([box(2.0, (0, 0, 0), RED)], camera, slope)
    red = [(each[:, :, 0] > 2.0 * each[:, :, 1]).sum() for each in (whole, sunk)]
    assert 0.3 < red[1] / red[0] < 0.7


def test_the_same_bits_twice() -> None:
    camera = Camera(np.array([3.0, -12.0, 9.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]))
    bodies = [batch(fine_ball(24), [(0, 0, 1), (2, 1, 1)], GREEN), box(1.0, (-2, 0, 0.5))]
    first = Rasteriser(WIDTH, HEIGHT)
    other = first.draw([box(3.0, (0, 0, 0))], camera)
    picture = first.draw(bodies, camera, GROUND)
    assert changed(picture, other).any()
    np.testing.assert_array_equal(picture, Rasteriser(WIDTH, HEIGHT).draw(bodies, camera, GROUND))


def test_what_is_thinner_than_a_pixel_is_still_seen(rasteriser: Rasteriser) -> None:
    camera = from_front(10.0)
    wire = batch(cuboid((4.0, 1e-4, 1e-4)), (0, 0, 0), RED)
    seen = changed(rasteriser.draw([wire], camera), rasteriser.draw([], camera))
    assert seen.any(axis=0).sum() > 95 and 1 <= seen.any(axis=1).sum() <= 4


@pytest.mark.parametrize("place", [(np.nan, 0.0, 0.0), (np.inf, 0.0, 0.0), (1e200, -1e200, 1e200), (0.0, 1e12, 0.0)])
def test_a_body_that_has_left_all_bounds_does_no_harm(rasteriser: Rasteriser, place: tuple[float, ...]) -> None:
    camera = from_front(10.0, height=1.0)
    alone = rasteriser.draw([box(1.0, (0, 0, 0.5))], camera, GROUND)
    with np.errstate(all="ignore"):
        both = rasteriser.draw([box(1.0, (0, 0, 0.5)), box(1.0, place)], camera, GROUND)
    assert changed(both, alone).mean() < 1e-3


def test_without_a_compiler_the_picture_is_the_same(tmp_path: Path) -> None:
    """The same code as plain Python, in another process."""
    code = (
        "import sys, numpy as np; from picture_examples import *; from taut.view.raster import Rasteriser\n"
        "np.save(sys.argv[1], Rasteriser(24, 16).draw([box(2.0, (0, 0, 1.0))], from_front(10.0, 2.0), [(0, 0, 1, 0)]))"
    )
    pictures = []
    for flag in ("0", "1"):
        done = run_python("-c", code, str(tmp_path / f"{flag}.npy"), NUMBA_DISABLE_JIT=flag)
        assert done.returncode == 0, done.stderr
        pictures.append(np.load(tmp_path / f"{flag}.npy").astype(int))
    assert np.abs(pictures[0] - pictures[1]).max() <= 1  # fused multiply-adds round differently


def test_thickening_changes_nothing_that_is_thick_enough() -> None:
    scales = thickened(cuboid((1.0, 2.0, 0.01)), np.ones((2, 3)), np.array([0.1, 0.001]))
    np.testing.assert_allclose(scales, [(1.0, 1.0, 10.0), (1.0, 1.0, 1.0)])


def test_edges_have_in_between_shades(rasteriser: Rasteriser) -> None:
    """Along a slanting edge the share of a pixel that is covered takes all of the values 1/4, 1/2, 3/4."""
    corners = np.array([(-2.0, 0.0, -2.0), (2.0, 0.0, -2.0), (2.0, 0.0, 1.3)])
    dark = batch(Surface(corners, np.array([(0, 1, 2)])), (0, 0, 0), (0, 0, 0))
    camera = from_front(10.0)
    covered = 1.0 - (rasteriser.draw([dark], camera)[:, :, 0] / rasteriser.draw([], camera)[:, :, 0]) ** GAMMA
    full = covered.max()
    for share in (0.25, 0.5, 0.75):
        assert (np.abs(covered / full - share) < 0.03).sum() > 5


def test_copies_are_turned_scaled_and_coloured_one_by_one(rasteriser: Rasteriser) -> None:
    two = batch(cuboid((1.0, 1.0, 1.0)), [(-1.5, 0, 0), (1.5, 0, 0)], [RED, GREEN], (1.0, 1.0, 2.0))
    picture = rasteriser.draw([two], from_front(10.0)).astype(int)
    seen = changed(picture, rasteriser.draw([], from_front(10.0)))
    rows, columns = np.nonzero(seen)
    # each is twice as high as wide; the near face counts, the camera looks along y
    assert np.ptp(rows) == pytest.approx(2.0 * HEIGHT / 2 / np.tan(np.radians(16.0)) / 9.5, abs=2.0)
    left, right = picture[HEIGHT // 2, columns.min() + 8], picture[HEIGHT // 2, columns.max() - 8]
    assert left[0] > 2 * left[1] and right[1] > 2 * right[0]


def test_normals() -> None:
    ball = fine_ball(24)
    inner = np.abs(ball.points[:, 2]) < 0.9  # around the poles triangles are long and uneven
    np.testing.assert_allclose(vertex_normals(ball)[inner], ball.points[inner], atol=0.03)
    normals = vertex_normals(cuboid((1.0, 2.0, 3.0)))
    assert set(map(tuple, np.round(normals, 12).tolist())) == {
        (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1),
    }  # fmt: skip


@pytest.mark.parametrize(("distance", "edge"), [(9.0, 1.0), (17.0, 1.0), (18.0, 2.0), (45.0, 5.0), (0.9, 0.1)])
def test_tiles_have_round_edges(distance: float, edge: float) -> None:
    assert tile_edge(distance) == pytest.approx(edge)


@pytest.mark.parametrize("size", [(0, 100), (100, -1), (100_000, 100)])
def test_sizes_are_checked(size: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="size is"):
        Rasteriser(*size)
