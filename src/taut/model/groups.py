"""Groups of bodies that rows join: what one group does is no business of another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.model.model import Model
from taut.spatial import Integers
from taut.structure.union import DisjointSets


def joined_groups(model: Model, through_fixed: bool) -> Integers:
    """Label (n,) of every body: the lowest index in its group; with `through_fixed` all fixed bodies are one."""
    moves = model.bodies.moves
    sets = DisjointSets(model.bodies.count)
    for spec in model.layout.specs:
        sets.join(body if moves[body] else 0 for body in spec.part.bodies if moves[body] or through_fixed)
    return np.array([sets.find(body) if moves[body] else 0 for body in range(model.bodies.count)], np.int64)


def merged_groups(
    group: Integers, moves: NDArray[np.uint8], body_a: Integers, body_b: Integers, counts: Any
) -> Integers:
    """Group (n,) of every body after bodies met at contacts that `counts` (contacts,) says; the lowest number stays."""
    from taut.model.groups_kernels import merge_groups

    parent = np.arange(int(group.max(initial=0)) + 1)
    label = np.where(moves > 0, group, -1)
    merge_groups(label[body_a], label[body_b], np.asarray(counts).astype(np.uint8), parent)
    return parent[group]
