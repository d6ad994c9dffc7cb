"""Conjugate gradients for trees with springs across them, preconditioned by the tree: room for their vectors.

H y = b is solved in maximal space: residual and direction are kept as loads and velocities of nodes, not as sums over
the tree, in which light nodes would drown. P, the factor of `factor_tree`, is the projected block Jacobi
preconditioner [Baxter2019, eq. 3.1], so without springs the first iteration is the last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.tables import RealRows, Reals

TOLERANCE = 1e-12
"""|r|, in the norm of P^-1, at which the unknowns are good, as a share of that of the right-hand side."""

ROUNDING = 1e-13
"""|r|, in that norm, as a share of the loads that it is summed from, at which it may be rounding; it was found to be up
to 300 roundings of one number. Loads that joints balance are up to 1e10 times as large as what they leave of them."""
FALLS = 0.1
"""Share of |r|^2 that is left after an iteration, at most, if it is not rounding."""


class ConjugateGradients(NamedTuple):
    """Vectors of conjugate gradients, by nodes and by degrees of freedom: a table for kernels.

    Attributes:
        load: (n, 6) residual of the nodes; `force`: (dofs,) that of the degrees of freedom beside them.
        step_velocity: (n, 6) J z; `step`: (dofs,) z = P^-1 r.
        velocity: (n, 6) J p; `direction`: (dofs,) p.
        product: (n, 6) (M~ + springs) J p.
    """

    load: RealRows
    force: Reals
    step_velocity: RealRows
    step: Reals
    velocity: RealRows
    direction: Reals
    product: RealRows

    @classmethod
    def of(cls, nodes: int, dofs: int) -> ConjugateGradients:
        """Room for trees of this size."""
        load, step_velocity, velocity, product = np.zeros((4, nodes, 6))
        force, step, direction = np.zeros((3, dofs))
        return cls(load, force, step_velocity, step, velocity, direction, product)
