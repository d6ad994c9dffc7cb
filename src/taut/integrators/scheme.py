"""What an integrator is: the weights of one linear multistep formula, and where it linearises."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from taut.spatial import Array

OLDER = 6
"""Steps before the last one that a scheme may look back on."""

STEP = 16
"""Numbers of a body that are kept of each: velocity (6), spin (3), slim spin (1), displacement (6)."""


@dataclass(frozen=True)
class Scheme:
    """Weights of a step of length h:

        alpha M v+ - J^T lam = now M v + before (M v_prev + ...) + h f     momentum = (now, before)
        x+ = x + drift (dX_prev + ...) + beta v+                            beta = position * h
        v_k = guess[0] v + guess[1] (v_prev + ...)                          where the first linearisation is made

    The dots are steps further back, with weights relative to the last one's: `older_momentum` and `older_drift`.
    A scheme that looks back on more steps than there are is replaced by its `starter`, and that by its own. With
    `first_order` alpha is h alpha / (1 s), so that force gives velocity, not acceleration.
    """

    name: str
    summary: str
    alpha: float
    position: float
    momentum: tuple[float, float]
    drift: float
    guess: tuple[float, float]
    order: int
    starter: Scheme | None = None
    older_momentum: tuple[float, ...] = ()
    older_drift: tuple[float, ...] = ()
    first_order: bool = False

    @cached_property
    def depth(self) -> int:
        """How many steps it looks back on at most."""
        return 0 if self.starter is None else self.starter.depth + 1

    @cached_property
    def numbers(self) -> Array:
        """The scheme (8 + 2 OLDER,) as kernels take it: 1 if alpha grows with h, then the weights in their order."""
        numbers = self.first_order, self.alpha, self.position, *self.momentum, self.drift, *self.guess
        rest = (0.0,) * (OLDER - len(self.older_drift))
        return np.array([*numbers, *self.older_momentum, *rest, *self.older_drift, *rest], np.float64)

    @cached_property
    def ladder(self) -> Array:
        """The scheme for bodies that may look back on no step, on one, and so on (depth + 1, 8 + 2 OLDER)."""
        own = self.numbers[None]
        return own if self.starter is None else np.concatenate([self.starter.ladder, own])


def backward_differences(name: str, summary: str, differences: tuple[float, ...], starter: Scheme) -> Scheme:
    """The scheme  h y'+ = sum_j c_j (1 - Z)^j y+,  Z the shift by a step back, of second order where c = (1, 1/2, ...).

    The guess is the extrapolation by the same past that is exact for v = t.
    """
    delta = np.zeros(len(differences) + 1)
    power = np.ones(1)
    for weight in differences:
        power = np.convolve(power, [1.0, -1.0])
        delta[: power.size] += weight * power
    alpha, momentum = float(delta[0]), -delta[1:]
    drift = np.cumsum(momentum[::-1])[::-1][1:] / -alpha
    past = momentum[1:] / momentum[1]
    guess = -1.0 / float(past @ np.arange(1, past.size + 1))
    return Scheme(
        name=name, summary=summary, alpha=alpha, position=1.0 / alpha,
        momentum=(float(momentum[0]), float(momentum[1])), drift=float(drift[0]),
        guess=(1.0 - guess * float(past.sum()), guess), order=2, starter=starter,
        older_momentum=tuple(map(float, past[1:])), older_drift=tuple(map(float, drift[1:] / drift[0])),
    )  # fmt: skip
