"""Free bodies: M~ is block diagonal, one 3 x 3 inverse a body, and all rows are left to the solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.problem.kkt import Kkt
from taut.spatial import Array


@dataclass(frozen=True, eq=False)
class FreeBodies:
    """M~^-1 of unconnected bodies, as the kernels of `free_bodies_kernels.py` left it; see `Response`.

        M~ = alpha M + h D - h beta K~          per body: a mass and a 3 x 3 rotation block

    Attributes:
        blocks: of the KKT problem, M~^-1 among them.
        mass: (n,) kg, 0 for what does not move.
        inertia: (n, 9) kg m^2, world axes.
    """

    blocks: Kkt
    mass: Array
    inertia: Array

    @property
    def block_count(self) -> int:
        """Number of bodies."""
        return self.mass.size

    def apply(self, impulses: Array) -> Array:
        """M~^-1 of impulses (..., n, 6), N s and N m s."""
        inverse = self.blocks.inverse_inertia.reshape(-1, 3, 3)
        turned = np.einsum("bij,...bj->...bi", inverse, impulses[..., 3:])
        return np.concatenate([self.blocks.inverse_mass[:, None] * impulses[..., :3], turned], axis=-1)

    def spin(self, velocity: Array) -> Array:
        """Angular momenta (n, 3) of velocities (n, 6), kg m^2/s."""
        return np.asarray(np.einsum("bij,bj->bi", self.inertia.reshape(-1, 3, 3), velocity[:, 3:]))

    def kinetic_energy(self, velocity: Array) -> Array:
        """Kinetic energy (n,) of velocities (n, 6), J."""
        turning = np.einsum("bi,bi->b", velocity[:, 3:], self.spin(velocity))
        return np.asarray(0.5 * (self.mass * (velocity[:, :3] ** 2).sum(axis=1) + turning))
