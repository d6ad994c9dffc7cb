"""What an integrator is: the weights of one linear multistep formula, and where it linearises."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from taut.spatial import Array


@dataclass(frozen=True)
class Scheme:
    """Weights of a step of length h:

        alpha M v+ - J^T lam = now M v + before M v_prev + h f         momentum = (now, before)
        x+ = x + drift dX_prev + beta v+                                beta = position * h
        v_k = guess[0] v + guess[1] v_prev                              where the first linearisation is made

    With `first_order` alpha is h alpha / (1 s), so that force gives velocity, not acceleration.
    """

    name: str
    summary: str
    alpha: float
    position: float
    momentum: tuple[float, float]
    drift: float
    guess: tuple[float, float]
    order: int
    needs_history: bool
    first_order: bool = False

    @cached_property
    def numbers(self) -> Array:
        """The scheme (8,) as kernels take it: 1 if alpha grows with h, then the weights in their order."""
        numbers = self.first_order, self.alpha, self.position, *self.momentum, self.drift, *self.guess
        return np.array(numbers, np.float64)
