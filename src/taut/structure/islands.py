"""Islands: groups of rows that nothing couples, found in the pattern."""

from __future__ import annotations

import numpy as np

from taut.structure.pattern import Pattern

ISLANDS = "islands"
"""Key of the islands among what a pattern keeps."""


def find_islands(pattern: Pattern) -> tuple[int, np.ndarray]:
    """Number of connected components of the pattern and the component of each row, numbered by their first row.

    Worked out once and kept with the pattern.
    """
    islands: tuple[int, np.ndarray] | None = pattern.structures.get(ISLANDS)
    if islands is None:
        from taut.structure.ordering_kernels import label_islands

        labels = np.empty(pattern.size, np.int64)
        count = label_islands(pattern.indptr, pattern.indices, np.empty(pattern.size, np.int64), labels)
        islands = pattern.structures[ISLANDS] = count, labels
    return islands
