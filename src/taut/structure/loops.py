"""Whether rows close loops of bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.structure.incidence import RowEntries


def has_loops(entries: RowEntries, rows: NDArray[np.bool_]) -> bool:
    """Whether these rows (rows,) close a loop, owner by owner, the world and fixed bodies being one."""
    from taut.structure.union_kernels import merge_groups

    count, chosen = entries.moves.size, rows[entries.entry_row]
    bodies = np.where(entries.moves > 0, np.arange(count), 0)[entries.entry_body[chosen]]
    owner = entries.owner[entries.entry_row[chosen]]
    again = np.zeros(owner.size, bool)  # rows of one joint mostly touch the same two bodies, one row after the other
    again[2:] = (owner[2:] == owner[:-2]) & (bodies[2:] == bodies[:-2])
    owner, bodies = np.divmod(np.unique((owner * count + bodies)[~again]), count)
    joints = int(np.count_nonzero(np.diff(owner, prepend=-1)))
    parent, first = np.arange(count), bodies[np.searchsorted(owner, owner)]
    merge_groups(first, bodies, np.ones(bodies.size, np.uint8), parent)
    # a joint of n bodies that closes no loop makes n - 1 groups fewer
    return int(np.count_nonzero(parent != np.arange(count))) < bodies.size - joints
