"""Which contact of now is which contact of before, so that impulses can be carried over."""

from __future__ import annotations

import numpy as np

from taut.collide.contacts import Contacts
from taut.spatial import Array, Integers


def match(old: Contacts, new: Contacts, radius: Array) -> Integers:
    """Index (k_new,) into `old` of the same contact, or -1.

    Two contacts are the same if their geom pair is, and if a core stayed where it was on its body: that of A or that of
    B, as a corner that slides keeps its place on its own body only. Nearest ones first, each old contact once.

    Args:
        old, new: sorted by geom pair, as the collider gives them.
        radius: (g,) of the geoms, m.
    """
    from taut.contact.matching_kernels import match_points

    found = np.empty(new.count, np.int64)
    match_points(
        old.geom_a, old.geom_b, old.core_a, old.core_b, new.geom_a, new.geom_b, new.core_a, new.core_b, radius,
        np.empty(old.count, np.uint8), found,
    )  # fmt: skip
    return found
