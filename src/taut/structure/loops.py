"""Whether rows close loops of bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.structure.incidence import RowEntries
from taut.structure.union import DisjointSets


def has_loops(entries: RowEntries, rows: NDArray[np.bool_]) -> bool:
    """Whether these rows (rows,) close a loop, owner by owner, the world and fixed bodies being one."""
    count, chosen = entries.moves.size, rows[entries.entry_row]
    bodies = np.where(entries.moves > 0, np.arange(count), 0)[entries.entry_body[chosen]]
    owner, bodies = np.divmod(np.unique(entries.owner[entries.entry_row[chosen]] * count + bodies), count)
    sets, joints = DisjointSets(count), np.split(bodies, np.flatnonzero(np.diff(owner)) + 1)
    return not all(sets.join(each.tolist()) for each in joints)
