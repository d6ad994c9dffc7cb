"""Terrain: a grid of heights on a fixed body."""

from __future__ import annotations

import math

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.shapes import Compound, Heightfield

HEIGHTS = np.arange(12.0).reshape(3, 4)  # 3 rows along y, 4 columns along x


def test_grid_is_centred_with_rows_along_y() -> None:
    terrain = Heightfield(HEIGHTS, size=(6.0, 8.0))
    assert terrain.spacing == (2.0, 4.0)
    assert terrain.bounding_radius == pytest.approx(math.hypot(3.0, 4.0, 11.0))
    assert np.array_equal(terrain.heights, HEIGHTS) and not terrain.heights.flags.writeable
    assert terrain.heights.flags.c_contiguous and Heightfield(HEIGHTS.T, (1, 1)).heights.flags.c_contiguous


def test_heights_are_copied() -> None:
    heights = HEIGHTS.copy()
    terrain = Heightfield(heights, (1.0, 1.0))
    heights[0, 0] = 5.0
    assert terrain.heights[0, 0] == 0.0
    assert terrain == Heightfield(HEIGHTS, (1.0, 1.0)) != Heightfield(heights, (1.0, 1.0))


@pytest.mark.parametrize(("heights", "size", "words"), [
    ([[1.0, 2.0]], (1, 1), "heights.*2 x 2"),
    ([1.0, 2.0], (1, 1), "heights.*2 x 2"),
    (HEIGHTS * 1j, (1, 1), "heights.*2 x 2"),
    ([["1", "2"], ["3", "4"]], (1, 1), "heights.*2 x 2"),
    ([[1.0, 2.0], [3.0]], (1, 1), "heights.*2 x 2"),
    (np.where(HEIGHTS == 6.0, np.nan, HEIGHTS), (1, 1), r"heights\[1, 2\] is nan"),
    (np.where(HEIGHTS == 6.0, -np.inf, HEIGHTS), (1, 1), r"heights\[1, 2\] is -inf"),
    (HEIGHTS, (1, 0), "size is 0"),
    (HEIGHTS, (-1, 1), "size is -1"),
    (HEIGHTS, (1, 1, 1), "size"),
    (HEIGHTS, (1, math.nan), "size"),
    (HEIGHTS, 2.0, "size"),
], ids=lambda part: str(part).replace("\n", " ")[:20])  # fmt: skip
def test_wrong_grids_are_refused(heights: object, size: object, words: str) -> None:
    with pytest.raises(InputError, match=f"^Heightfield: {words}") as caught:
        Heightfield(heights, size)
    assert "\n" not in str(caught.value)


def test_only_fixed_bodies_have_terrain_and_it_gives_no_mass() -> None:
    scene, terrain = taut.Scene(), Heightfield(HEIGHTS, (6.0, 8.0))
    with pytest.raises(InputError, match="body 'hill'.*fixed=True"):
        scene.add_body("hill", terrain, mass=1.0)
    with pytest.raises(InputError, match="body 'hill'.*no volume"):
        scene.add_body("hill", terrain, density=1.0, fixed=True)
    with pytest.raises(InputError, match=r"Compound: parts\[0\].*solid"):
        Compound([(terrain, (0, 0, 0))])
    assert len(scene.bodies) == 1
    scene.add_body("hill", terrain, fixed=True, position=(0, 0, -1), friction=0.9)
    spec = scene.bodies[-1]
    assert spec.shape is terrain and spec.friction == 0.9 and not spec.com.any()


def test_it_is_drawn_as_a_board_of_tiles() -> None:
    field = Heightfield(np.zeros((9, 33)), (32.0, 8.0))
    light, dark = field.surfaces
    whole = field.surface.triangles
    assert sorted(map(tuple, np.vstack([light.triangles, dark.triangles]).tolist())) == sorted(
        map(tuple, whole.tolist())
    )
    middles = [field.surface.points[sort.triangles].mean(axis=1)[:, :2] for sort in (light, dark)]
    tiles = [np.unique(np.floor((middle + (16.0, 4.0)) / 2.0).sum(axis=1) % 2) for middle in middles]
    assert tiles[0].tolist() == [0.0] and tiles[1].tolist() == [1.0]
    assert len(Heightfield(np.zeros((2, 2)), (1.0, 1.0)).surfaces) == 1
