"""Dense twin of the interior-point method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.problem.solution import AT_LOWER, AT_UPPER, FREE


@dataclass
class BoxQp:
    """Rows of a box QP that take part: min 1/2 x'Ax + b'x, sign (x - bound) >= 0 for each bound.

    Bounds are a list of (row, sign, value): row x >= value for sign 1, x <= value for sign -1.
    """

    A: np.ndarray
    b: np.ndarray
    row: np.ndarray
    sign: np.ndarray
    value: np.ndarray

    def distance(self, x: np.ndarray) -> np.ndarray:
        """Distance of x to each bound, positive inside."""
        return np.asarray(self.sign * (x[self.row] - self.value))

    def gather(self, y: np.ndarray) -> np.ndarray:
        """Sum over the bounds of each row, with their signs: the transpose of the constraint matrix."""
        return np.bincount(self.row, self.sign * y, minlength=self.b.size)


def box_qp(A: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> BoxQp:
    """List the finite bounds."""
    has_lower, has_upper = np.flatnonzero(np.isfinite(lower)), np.flatnonzero(np.isfinite(upper))
    sign = np.concatenate([np.ones(has_lower.size), -np.ones(has_upper.size)])
    value = np.concatenate([lower[has_lower], upper[has_upper]])
    return BoxQp(A, b, np.concatenate([has_lower, has_upper]), sign, value)


def mehrotra_step(qp: BoxQp, x: np.ndarray, s: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predictor-corrector direction (dx, ds, dz) for  A x + b - C'z = 0,  C(x) - s = 0,  s z = 0.   [Mehrotra1992]"""
    from scipy.linalg.lapack import dpotrf, dpotrs

    # a small share of the diagonal keeps directions that A does not see still; the limit does not depend on it
    matrix = qp.A + np.diag(1e-12 + np.bincount(qp.row, z / s, minlength=qp.b.size))
    dual = qp.A @ x + qp.b - qp.gather(z)
    primal = qp.distance(x) - s
    factor, failed = dpotrf(matrix, lower=1)  # one factor for both directions; rounding may have made it indefinite

    def direction(target: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rhs = -dual - qp.gather((target + z * primal) / s)
        dx = np.linalg.solve(matrix, rhs) if failed else dpotrs(factor, rhs, lower=1)[0]
        ds = qp.sign * dx[qp.row] + primal
        return dx, ds, -(target + z * ds) / s

    _, ds, dz = direction(s * z)
    length = longest_step(s, z, ds, dz)
    share = (s + length * ds) @ (z + length * dz) / (s @ z)
    return direction(s * z + ds * dz - share**3 * (s @ z) / s.size)


def longest_step(s: np.ndarray, z: np.ndarray, ds: np.ndarray, dz: np.ndarray) -> float:
    """Longest step, at most 1, that keeps s and z nonnegative."""
    value, step = np.concatenate([s, z]), np.concatenate([ds, dz])
    falling = step < 0.0
    return min(1.0, float((-value[falling] / step[falling]).min(initial=1.0)))


def interior_point(
    A: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, tolerance: float = 1e-11, iterations: int = 60
) -> tuple[np.ndarray, np.ndarray, int]:
    """Box MLCP with positive semidefinite A by an interior-point method; no crossover.

    Rows are scaled to unit diagonal, fixed rows are eliminated first. The fast twin adds centrality corrections.

    Returns: lam, index set (tight where the dual of a bound exceeds its slack), iterations.
    """
    d = np.diag(A)
    root = np.sqrt(np.where(d > 0.0, d, 1.0))
    lam = np.where(lower == upper, lower, 0.0)
    labels = np.where(lower == upper, AT_LOWER, FREE)
    part = np.flatnonzero(lower != upper)
    scaled = A[np.ix_(part, part)] / np.outer(root[part], root[part])
    bias = (A @ lam + b)[part] / root[part]
    qp = box_qp(scaled, bias, (lower * root)[part], (upper * root)[part])
    x = np.clip(-bias, (lower * root)[part], (upper * root)[part])
    least = 0.1 * max(np.abs(bias).max(initial=0.0), np.abs(x).max(initial=0.0), 1e-300)
    s = np.maximum(qp.distance(x), least)
    z = np.maximum(qp.sign * (scaled @ x + bias)[qp.row], least)
    steps = 0
    while steps < iterations:
        dual = scaled @ x + bias - qp.gather(z)
        scale = max(np.abs(bias).max(initial=0.0), np.abs(x).max(initial=0.0), 1e-300)
        gap = np.sqrt(s @ z / max(s.size, 1))
        error = max(gap, np.abs(dual).max(initial=0.0), np.abs(qp.distance(x) - s).max(initial=0.0)) / scale
        if not error > tolerance:
            break
        dx, ds, dz = mehrotra_step(qp, x, s, z)
        steps += 1
        length = 0.995 * longest_step(s, z, ds, dz)
        x, s, z = x + length * dx, s + length * ds, z + length * dz
    tight = z > s
    labels[part[qp.row[tight]]] = np.where(qp.sign[tight] > 0.0, AT_LOWER, AT_UPPER)
    lam[part] = x / root[part]
    return lam, labels, steps
