"""The sparsity pattern of a symmetric matrix, and what solvers have already worked out about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Pattern:
    """Compressed rows of a structurally symmetric matrix: both triangles, sorted columns, diagonal always present.

    Two patterns are the same only if they are the same object, so keep one as long as the structure lasts: everything
    that depends on structure alone (ordering, islands, workspaces) is then worked out once and kept in `structures`.

    Shapes: indptr (size + 1,), indices (entry_count,), both int64.
    """

    indptr: np.ndarray
    indices: np.ndarray
    structures: dict[Any, Any] = field(default_factory=dict, repr=False)
    """What was worked out, by what it depends on: a solver with its options -> what its `analyze` returned; a class ->
    what is the same for all solvers."""

    def __getstate__(self) -> dict[str, Any]:
        """What a copy has: not what solvers worked out, whose workspaces are of one object."""
        return vars(self) | {"structures": {}}

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.indptr.size - 1

    @property
    def entry_count(self) -> int:
        """Number of stored entries."""
        return self.indices.size
