"""Angular momentum of groups of bodies that float: kept to rounding, which no multistep formula does by itself.

A group is a set of bodies joined by rows none of which reaches a fixed body. Rows inside it cannot change its angular
momentum about its own centre of mass, so after a solve

    alpha L+ = now L + before L_prev + h tau_external

must hold. The formula in x and v misses it by O(h^3) a step. The difference is given back as a rigid rotation rate of
the whole group, which moves no row: J (omega x r) = 0.
"""

from __future__ import annotations

from copy import copy

import numpy as np
from numpy.typing import NDArray

from taut.integrators.weights import Weights
from taut.model.groups import joined_groups
from taut.model.model import Model
from taut.model.state import State
from taut.spatial import Array, Integers


class FloatingGroups:
    """The floating groups of a model; bodies alone need none, and damped ones exchange momentum with the world."""

    def __init__(self, model: Model) -> None:
        """Find them by union over rows."""
        self.hold(floating_groups(model))

    def hold(self, groups: list[list[int]]) -> None:
        """Keep these groups as arrays."""
        self.groups = groups
        self.start = np.concatenate([[0], np.cumsum([len(group) for group in groups])]).astype(np.int64)
        self.body = np.array([body for group in groups for body in group], np.int64)
        self.exist = bool(groups)

    def untouched(self, touched: Integers) -> FloatingGroups:
        """The groups without any of these bodies, on which contacts act from outside."""
        if not self.exist or not touched.size:
            return self
        rest = copy(self)
        rest.hold([group for group in self.groups if not np.isin(group, touched).any()])
        return rest

    def conserve(
        self, model: Model, state: State, weights: Weights, wrench: Array, inertia: Array,
        position: Array, rotation: Array, slim: NDArray[np.uint8], out: Array,
    ) -> None:  # fmt: skip
        """Correct the new velocities `out` (bodies, 6); position and rotation (bodies, 9) are where they lead."""
        from taut.integrators.motion_kernels import spins
        from taut.stepping.momentum_kernels import conserve

        bodies, spin, slim_spin = model.bodies, np.empty_like(state.spin), np.empty_like(state.slim_spin)
        spins(slim, bodies.inertia, bodies.slim_axis, inertia, rotation, out, spin, slim_spin)
        conserve(
            self.start, self.body, bodies.mass, state.position, state.displacement, state.velocity,
            state.previous_velocity, state.spin, state.previous_spin, wrench, inertia, position, spin,
            weights.alpha, weights.now, weights.before, weights.h, out,
        )  # fmt: skip


def floating_groups(model: Model) -> list[list[int]]:
    """Groups of two or more undamped moving bodies that rows join to each other and to nothing fixed."""
    bodies, labels = model.bodies, joined_groups(model, through_fixed=True)
    damped = (bodies.linear_damping > 0.0) | (bodies.angular_damping > 0.0)
    groups = [np.flatnonzero((labels == label) & (bodies.moves > 0)) for label in np.unique(labels) if label > 0]
    return [group.tolist() for group in groups if len(group) > 1 and not damped[group].any()]
