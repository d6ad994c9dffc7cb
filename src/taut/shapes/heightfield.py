"""A heightfield: static terrain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.shapes.base import Shape, read_only
from taut.shapes.surface import Surface


@dataclass(frozen=True, eq=False)
class Heightfield(Shape):
    """Terrain for fixed bodies: `heights` (rows, columns) in m over a rectangle of `size` (x, y) in m.

    Centred on the body's origin: `heights[i, j]` is z at x = -size_x/2 + j dx, y = -size_y/2 + i dy, with the `spacing`
    dx = size_x / (columns - 1), dy = size_y / (rows - 1). Everything below the surface is solid.
    """

    solid: ClassVar[bool] = False
    heights: Any
    size: Any

    def __post_init__(self) -> None:
        """Refuse heights that are no grid of finite numbers, and sizes that are not positive."""
        wanted = f"Heightfield: heights is {checks.shown(self.heights)}; it must be a grid of at least 2 x 2 numbers"
        try:
            heights = np.array(checks.real_array(self.heights), order="C")
        except (TypeError, ValueError, OverflowError):
            raise InputError(wanted) from None
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise InputError(wanted)
        wrong = np.argwhere(~(np.abs(heights) <= checks.LARGEST))  # NaN compares false
        if len(wrong):
            i, j = wrong[0]
            wanted = f"a finite number of at most {checks.LARGEST:g}"
            raise InputError(f"Heightfield: heights[{i}, {j}] is {heights[i, j]:g}; it must be {wanted}")
        x, y = checks.vector("Heightfield", "size", self.size, 2)
        for extent in (x, y):
            checks.number("Heightfield", "size", extent, above=0.0)
        object.__setattr__(self, "heights", read_only(heights))
        object.__setattr__(self, "size", (float(x), float(y)))

    @property
    def spacing(self) -> tuple[float, float]:
        """Distance (dx, dy) of neighbouring heights, m."""
        rows, columns = self.heights.shape
        return self.size[0] / (columns - 1), self.size[1] / (rows - 1)

    @property
    def bounding_radius(self) -> float:
        """Radius of a ball around the origin that holds the surface, m."""
        return float(np.hypot(0.5 * np.hypot(*self.size), np.abs(self.heights).max()))

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """Two sorts of tiles as on a board, each of some cells."""
        whole, (rows, columns) = self.surface, self.heights.shape
        edge = max(self.size) / TILES
        i, j = np.indices((rows - 1, columns - 1)).reshape(2, -1)
        across, along = (np.maximum(np.rint(edge / np.array(self.spacing)), 1)).astype(np.int64)
        dark = np.tile((j // across + i // along) % 2 == 1, 2)
        return tuple(Surface(whole.points, whole.triangles[sort]) for sort in (~dark, dark) if sort.any())

    @property
    def surface(self) -> Surface:
        """The cells, two triangles each, smooth; cut along the same diagonal as in collisions."""
        rows, columns = self.heights.shape
        x = np.linspace(-0.5, 0.5, columns) * self.size[0]
        y = np.linspace(-0.5, 0.5, rows) * self.size[1]
        points = np.stack([*np.meshgrid(x, y), self.heights], axis=-1).reshape(-1, 3)
        corner = np.arange(rows * columns).reshape(rows, columns)
        low, right, up, far = (corner[i : rows - 1 + i, j : columns - 1 + j].ravel() for i, j in CELL)
        return Surface(points, np.vstack([np.column_stack([low, right, far]), np.column_stack([low, far, up])]))

    def check_carrier(self, owner: str, fixed: bool) -> None:
        """Terrain does not move."""
        if not fixed:
            raise InputError(f"{owner}: shape is a Heightfield, which only fixed bodies can have; give fixed=True")


TILES = 16
"""Tiles along the longer side, about."""

CELL = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Steps in row and column to the corners of a cell."""
