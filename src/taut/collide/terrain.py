"""Heightfields as flat arrays for the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.collide.geometry import Geoms
from taut.collide.kinds import HEIGHTFIELD
from taut.spatial import Array, Integers


def tabulate_heights(geoms: Geoms) -> tuple[Integers, Array]:
    """(g, 3) first height, rows and columns of each heightfield, and the heights of all from their middles, m."""
    grid, heights = np.zeros((geoms.count, 3), np.int64), [np.zeros(0)]
    for geom in np.flatnonzero(geoms.kind == HEIGHTFIELD):
        shape: Any = geoms.shapes[geom]
        field = np.asarray(shape.heights, float)
        grid[geom] = (sum(map(len, heights)), *field.shape)
        heights.append(field.ravel() - (field.min() + field.max()) / 2.0)
    return grid, np.concatenate(heights)
