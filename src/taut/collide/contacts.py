"""Contacts: what collision hands to the rows. Plain arrays, one entry a contact point, no solver and no shapes."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from taut.spatial import Array, Integers

WORLD_NORMAL, NORMAL_OF_A, NORMAL_OF_B, CENTRE_LINE = 0, 1, 2, 3
"""How a normal follows the bodies until they are collided again: it stays, turns with A (a face of A), turns with B, or
runs along the line between the two cores (ball on ball)."""


@dataclass(frozen=True, eq=False)
class Contacts:
    """Contact points sorted by geometry pair, with a local model of both surfaces that is good for a small motion.

    The surface of a body near a contact is a core point that moves with the body, and a radius around it:

        p_A = core_A + radius_A n      p_B = core_B - radius_B n      gap = n . (p_B - p_A)

    with n the unit normal from A to B. The corner of a box is a core of radius 0, a ball its centre with its radius, a
    log the nearest point of its axis with its radius.

    Shapes and units: geom_a, geom_b, body_a, body_b (k,); normal (k, 3) world axes at the configuration collided;
    turning (k,) of the four constants above; core_a, core_b (k, 3) m, body axes from the centre of mass; radius_a,
    radius_b (k,) m; gap (k,) m, negative where bodies overlap.
    """

    geom_a: Integers
    geom_b: Integers
    body_a: Integers
    body_b: Integers
    normal: Array
    turning: Integers
    core_a: Array
    core_b: Array
    radius_a: Array
    radius_b: Array
    gap: Array

    @property
    def count(self) -> int:
        """Number of contact points."""
        return self.gap.size

    @classmethod
    def none(cls) -> Contacts:
        """No contacts."""
        whole, real, vectors = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 3))
        return cls(whole, whole, whole, whole, vectors, whole, vectors, vectors, real, real, real)

    def take(self, chosen: Integers) -> Contacts:
        """Some of the contacts, in this order."""
        return Contacts(*(getattr(self, field.name)[chosen] for field in fields(self)))
