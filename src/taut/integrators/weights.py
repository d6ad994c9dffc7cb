"""The weights of a step body by body: bodies whose motion is not smooth restart with Euler while others go on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taut.integrators.euler import EULER
from taut.integrators.scheme import Scheme
from taut.spatial import Array


@dataclass(frozen=True, eq=False)
class Weights:
    """A `Scheme` for every body, arrays (bodies,), for one step length h in s.

        alpha M v+ - J^T lam = now M v + before M v_prev + h f
        x+ = x + drift dX_prev + beta v+
        v_k = guess_now v + guess_before v_prev

    Bodies that rows join must share their scheme, so that J^T and J meet the same beta and A stays symmetric.
    """

    h: float
    alpha: Array
    beta: Array
    now: Array
    before: Array
    drift: Array
    guess_now: Array
    guess_before: Array

    @classmethod
    def of(cls, scheme: Scheme, h: float, history: NDArray[np.uint8]) -> Weights:
        """The scheme for bodies with history (bodies,) and Euler for the others."""
        pairs = (
            (scheme.alpha, EULER.alpha),
            (scheme.position * h, EULER.position * h),
            (scheme.momentum[0], EULER.momentum[0]),
            (scheme.momentum[1], EULER.momentum[1]),
            (scheme.drift, EULER.drift),
            (scheme.guess[0], EULER.guess[0]),
            (scheme.guess[1], EULER.guess[1]),
        )
        looks_back = history > 0
        return cls(h, *(np.where(looks_back, with_history, without) for with_history, without in pairs))

    def path(self, displacement: Array, velocity: Array) -> Array:
        """Displacement (bodies, 6) of the step with this new velocity, m and rad."""
        return self.drift[:, None] * displacement + self.beta[:, None] * velocity
