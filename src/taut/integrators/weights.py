"""The weights of a step body by body: bodies whose motion is not smooth restart with Euler while others go on."""

from __future__ import annotations

import functools
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
        """The scheme for bodies with history (bodies,) and Euler for the others; first-order motion has no other."""
        restart = scheme if scheme.first_order else EULER
        looks_back = history > 0
        pairs = zip(weights_of(scheme, h), weights_of(restart, h), strict=True)
        return cls(h, *(np.where(looks_back, with_history, without) for with_history, without in pairs))

    def path(self, displacement: Array, velocity: Array) -> Array:
        """Displacement (bodies, 6) of the step with this new velocity, m and rad."""
        return self.drift[:, None] * displacement + self.beta[:, None] * velocity


@functools.cache
def numbers_of(scheme: Scheme) -> Array:
    """A scheme (8,) as kernels take it: 1 if alpha grows with h, and the weights of one body for h = 1."""
    return np.array([scheme.first_order, *weights_of(scheme, 1.0)], np.float64)


def weights_of(scheme: Scheme, h: float) -> tuple[float, ...]:
    """The weights of one body, in the order of `Weights`."""
    alpha = h * scheme.alpha if scheme.first_order else scheme.alpha
    return alpha, scheme.position * h, *scheme.momentum, scheme.drift, *scheme.guess
