"""Plain dense NumPy versions of what the kernels compute, and small random inputs for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taut import spatial
from taut.integrators.scheme import Scheme
from taut.rows.law import hold
from taut.rows.layout import RowLayout, RowSpec, lay_out
from taut.rows.part import Part, Pose
from taut.rows.table import Places, RowTable
from taut.structure.incidence import RowEntries
from taut.tables import held

Array = np.ndarray


def random_quaternion(rng: np.random.Generator) -> Array:
    """A unit quaternion, all rotations alike."""
    quaternion = rng.normal(size=4)
    return quaternion / np.linalg.norm(quaternion)


def random_pose(rng: np.random.Generator) -> Pose:
    """A pose within about a metre of the origin."""
    return Pose(rng.normal(size=3), spatial.matrix(random_quaternion(rng)))


def random_unit(rng: np.random.Generator) -> tuple[float, float, float]:
    """A unit vector as plain floats."""
    vector = rng.normal(size=3)
    return tuple(float(x) for x in vector / np.linalg.norm(vector))


def random_point(rng: np.random.Generator) -> tuple[float, float, float]:
    """A point within about half a metre."""
    return tuple(float(x) for x in 0.5 * rng.normal(size=3))


def random_spd(rng: np.random.Generator, spread: float = 10.0) -> Array:
    """A symmetric positive definite (3, 3) matrix with eigenvalues between 1 and `spread`."""
    turn = spatial.matrix(random_quaternion(rng))
    return turn @ np.diag(np.geomspace(1.0, spread, 3)) @ turn.T


def moved(pose: Pose, twist: Array) -> Pose:
    """The pose after a twist (6,): x + v, exp(w) R, in world axes."""
    turn = spatial.matrix(spatial.exponential(twist[3:]))
    return Pose(pose.position + twist[:3], turn @ pose.rotation)


def all_moved(poses: Sequence[Pose], twists: Array) -> list[Pose]:
    """Every pose after its twist (bodies, 6)."""
    return [moved(pose, twist) for pose, twist in zip(poses, twists, strict=True)]


def central_difference(function, width: int, bodies: int, step: float) -> Array:
    """Derivative (values, bodies, 6) of a function of twists (bodies, 6) at zero."""
    result = np.zeros((width, bodies, 6))
    for body in range(bodies):
        for axis in range(6):
            twists = np.zeros((bodies, 6))
            twists[body, axis] = step
            result[:, body, axis] = (function(twists) - function(-twists)) / (2.0 * step)
    return result


def numeric_jacobian(part: Part, poses: Sequence[Pose], step: float = 1e-6) -> Array:
    """Jacobian (rows, bodies, 6) of a part by finite differences of its value."""

    def value(twists: Array) -> Array:
        return part.evaluate(all_moved(poses, twists))[0]

    return central_difference(value, part.rows, len(poses), step)


class LaidRows:
    """The rows of a layout with memory of their own, for tests of their kernels.

    Attributes:
        layout: what the rows are.
        rows, places: what kernels write, and where bodies are.
    """

    def __init__(self, layout: RowLayout, bodies: int) -> None:
        self.layout, self.places = layout, Places.empty(bodies)
        self.rows = RowTable.of(bodies, len(layout.coordinates), layout.row_count, layout.entry_body.size)

    def evaluate(self, poses: Sequence[Pose]) -> None:
        """Let the kernels measure the rows where bodies have these poses, the world first."""
        from taut.rows.parts_kernels import evaluate

        self.places.position[:], self.places.rotation[:] = arrays_of(poses)
        evaluate(held(self.layout.parts), held(self.places), held(self.rows))

    def jacobian(self) -> Array:
        """Jacobian (rows, 6 bodies)."""
        return dense_jacobian(self.layout, self.rows.jacobian, len(self.places.position))


def evaluate_by_kernel(parts: Sequence[Part], poses: Sequence[Pose], force: Array | None = None) -> LaidRows:
    """Row memory after the kernels have evaluated these parts; `poses` are those of all bodies, the world first."""
    laid = LaidRows(lay_out([RowSpec(part, (hold(),)) for part in parts]), len(poses))
    laid.rows.step[0] = 0.1
    laid.rows.beta[:] = np.linspace(0.05, 0.08, laid.rows.beta.size)
    if force is not None:
        laid.rows.force[: len(force)] = force
    laid.evaluate(poses)
    return laid


def arrays_of(poses: Sequence[Pose]) -> tuple[Array, Array]:
    """Positions (bodies, 3) and rotations (bodies, 9)."""
    return np.array([pose.position for pose in poses]), np.array([pose.rotation.ravel() for pose in poses])


def dense_jacobian(entries: RowLayout | RowEntries, blocks: Array, bodies: int) -> Array:
    """Jacobian (rows, 6 bodies) from its blocks (entries, 6)."""
    result = np.zeros((entries.row_count, bodies, 6))
    for entry, (row, body) in enumerate(zip(entries.entry_row, entries.entry_body, strict=True)):
        result[row, body] += blocks[entry]
    return result.reshape(entries.row_count, 6 * bodies)


def world_inertia(rotation: Array, inertia: Array) -> Array:
    """R I R^T of nine numbers each."""
    turn = rotation.reshape(3, 3)
    return turn @ inertia.reshape(3, 3) @ turn.T


def positive_part(matrix: Array) -> Array:
    """Symmetric part of a (3, 3) matrix without its negative eigenvalues."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return vectors @ np.diag(np.maximum(values, 0.0)) @ vectors.T


def stiff_part(matrix: Array) -> Array:
    """[u . N u]+ u u^T + [P sym(N) P]+ with u the least singular direction of N (3, 3) and P = 1 - u u^T."""
    soft = np.linalg.svd(matrix)[2][-1]
    across = np.eye(3) - np.outer(soft, soft)
    along = max(float(soft @ matrix @ soft), 0.0)
    return along * np.outer(soft, soft) + positive_part(across @ matrix @ across)


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
    level: Array

    @classmethod
    def of(cls, scheme: Scheme, h: float, history: Array) -> Weights:
        """The scheme for bodies with as much history (bodies,) as it looks back on, its starters for the others."""
        level, chosen = np.minimum(history, scheme.depth), [scheme]
        while chosen[0].starter is not None:
            chosen.insert(0, chosen[0].starter)
        rows = np.array([weights_of(chosen[each], h) for each in level])
        return cls(h, *np.ascontiguousarray(rows.T), level)

    def path(self, displacement: Array, velocity: Array) -> Array:
        """Displacement (bodies, 6) of the step with this new velocity, m and rad."""
        return self.drift[:, None] * displacement + self.beta[:, None] * velocity


def weights_of(scheme: Scheme, h: float) -> tuple[float, ...]:
    """The weights of one body, in the order of `Weights`."""
    alpha = h * scheme.alpha if scheme.first_order else scheme.alpha
    return alpha, scheme.position * h, *scheme.momentum, scheme.drift, *scheme.guess
