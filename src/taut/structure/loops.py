"""Whether rows close loops of bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.structure.incidence import RowEntries


def has_loops(entries: RowEntries, rows: NDArray[np.bool_]) -> bool:
    """Whether these rows (rows,) close a loop, owner by owner, the world and fixed bodies being one.

    Rows of one owner follow each other; between the bodies they touch they close no loop.
    """
    from taut.structure.loops_kernels import closes_loop

    group, owner = np.arange(entries.moves.size), np.full(entries.moves.size, -2)
    return bool(
        closes_loop(
            rows.view(np.uint8), entries.owner, entries.entry_start, entries.entry_body, entries.moves, group, owner
        )
    )
