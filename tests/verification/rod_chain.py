"""A chain of rods with ball joints and a point mass at its end, without the engine: the reference of taut chains.

Each rod is a unit vector d_i. Rods that are round and do not turn about their own axes need nothing else:

    M d'' = -g c z + mu d      with |d_i| = 1, so that  d_i . d''_i = -|d'_i|^2

M (n, n) is constant: T = 1/2 sum M_ij d'_i . d'_j, and c (n,) is the mass that each rod carries times its length. The
forces mu along the rods follow from a symmetric system of n equations, (M^-1 * d d^T) mu = -|d'|^2 - d . M^-1 (-g c z).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import cho_factor, cho_solve

GRAVITY = 9.81


@dataclass(frozen=True)
class RodChain:
    """Rods of `length` m, `mass` kg and moment of inertia `inertia` kg m^2 across their axes; a point of `load` kg."""

    count: int
    length: float
    mass: float
    inertia: float
    load: float

    @cached_property
    def first_moment(self) -> np.ndarray:
        """c (count,), kg m: half of a rod, all rods after it and the load, times the length."""
        after = np.arange(self.count - 1, -1, -1)
        return self.length * (self.load + self.mass * (after + 0.5))

    @cached_property
    def mass_matrix(self) -> np.ndarray:
        """M (count, count), kg m^2: what the outer of two rods carries, and each rod's own moment about its end."""
        number = np.arange(self.count)
        outer = np.maximum(number[:, None], number)
        own = self.mass * self.length**2 / 4.0 + self.inertia
        carried = self.length**2 * (self.load + self.mass * (self.count - 1 - outer))
        return carried + np.where(np.eye(self.count) > 0, own, 0.5 * self.mass * self.length**2)

    def acceleration(self, d: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """d'' (count, 3), 1/s^2."""
        inverse, fall = self._inverse_and_fall
        pull = -(rate * rate).sum(axis=1) - (d * fall).sum(axis=1)
        forces = np.linalg.solve(inverse * (d @ d.T), pull)
        return fall + inverse @ (forces[:, None] * d)

    @cached_property
    def _inverse_and_fall(self) -> tuple[np.ndarray, np.ndarray]:
        factor = cho_factor(self.mass_matrix)
        fall = -GRAVITY * np.outer(cho_solve(factor, self.first_moment), (0.0, 0.0, 1.0))
        inverse = cho_solve(factor, np.eye(self.count))
        return 0.5 * (inverse + inverse.T), fall

    def energy(self, d: np.ndarray, rate: np.ndarray) -> float:
        """Kinetic and potential energy, J."""
        return float(0.5 * np.sum((self.mass_matrix @ rate) * rate) + GRAVITY * self.first_moment @ d[:, 2])

    def upright_momentum(self, d: np.ndarray, rate: np.ndarray) -> float:
        """Angular momentum about the vertical through the anchor, kg m^2/s."""
        moved = self.mass_matrix @ rate
        return float(np.sum(d[:, 0] * moved[:, 1] - d[:, 1] * moved[:, 0]))

    def swing(self, d: np.ndarray, rate: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Directions and their rates (times, count, 3) at these times (s), from those at time 0."""

        def slope(_: float, y: np.ndarray) -> np.ndarray:
            now, moving = y.reshape(2, self.count, 3)
            return np.concatenate([moving.ravel(), self.acceleration(now, moving).ravel()])

        start, span = np.concatenate([d.ravel(), rate.ravel()]), (0.0, float(times[-1]))
        path = solve_ivp(slope, span, start, "DOP853", t_eval=times, rtol=1e-10, atol=1e-10)
        assert path.success, path.message
        found = path.y.T.reshape(len(times), 2, self.count, 3)
        return found[:, 0], found[:, 1]

    def end(self, d: np.ndarray) -> np.ndarray:
        """Place of the point mass (..., 3), m from the anchor."""
        return self.length * d.sum(axis=-2)
