"""One linearised step as a dense system, by the velocity increment and by the new velocity: they are one.      [InSimo]

With the mass M, the stiffness K of springs and K~ of turning forces, both df/dx in N/m, the Jacobian J and compliance C
of the rows, the forces f at x_k, and the gaps phi there, linearised at x_k = x + h v_k by implicit Euler:

    A = M - h^2 (K + K~)

    [ A   -J^T   ] [ dv ]   [ h f + h^2 (K + K~)(v - v_k)        ]
    [ J   C/h^2  ] [ mu ] = [ -phi/h - J (v - v_k)               ]                  the increment dv = v+ - v

    [ A   -J^T   ] [ v+ ]   [ M v + h f - h^2 (K + K~) v_k       ]
    [ J   C/h^2  ] [ mu ] = [ -phi/h + J v_k                     ]                  the new velocity

and with the rows left for last, v_free = v + A^-1 (h f + h^2 (K + K~)(v - v_k)):

    (J A^-1 J^T + C/h^2) mu = -phi/h - J (v_free - v_k)            v+ = v_free + A^-1 J^T mu

mu is an impulse, N s. The slides linearise at x, that is v_k = 0; their signs are put right here, see
docs/theory/insimo.md. Plain NumPy for small systems: what the engine's step is compared with.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.spatial import Array


class DenseStep(NamedTuple):
    """A step of n degrees of freedom and m rows, SI units.

    Shapes: mass, stiffness (n, n), stiffness K + K~; jacobian (m, n); compliance (m, m) in m/N; force, velocity, guess
    (n,), guess v_k; gap (m,) at x_k; step h in s.
    """

    mass: Array
    stiffness: Array
    jacobian: Array
    compliance: Array
    force: Array
    velocity: Array
    guess: Array
    gap: Array
    step: float

    @property
    def matrix(self) -> Array:
        """A (n, n)."""
        return np.asarray(self.mass - self.step**2 * self.stiffness)

    @property
    def push(self) -> Array:
        """What moves bodies without rows, by the increment, (n,) N s."""
        return np.asarray(self.step * self.force + self.step**2 * self.stiffness @ (self.velocity - self.guess))


def saddle(step: DenseStep, upper: Array, lower: Array) -> tuple[Array, Array]:
    """Solution of the saddle point system: velocities (n,) and impulses (m,)."""
    count = step.mass.shape[0]
    system = np.block([[step.matrix, -step.jacobian.T], [step.jacobian, step.compliance / step.step**2]])
    solution = np.linalg.solve(system, np.concatenate([upper, lower]))
    return solution[:count], solution[count:]


def velocity_increment(step: DenseStep) -> tuple[Array, Array]:
    """v+ (n,) and mu (m,) with the increment as the unknown."""
    lower = -step.gap / step.step - step.jacobian @ (step.velocity - step.guess)
    increment, impulse = saddle(step, step.push, lower)
    return step.velocity + increment, impulse


def new_velocity(step: DenseStep) -> tuple[Array, Array]:
    """v+ (n,) and mu (m,) with the new velocity as the unknown."""
    h = step.step
    upper = step.mass @ step.velocity + h * step.force - h**2 * step.stiffness @ step.guess
    return saddle(step, upper, -step.gap / h + step.jacobian @ step.guess)


def free_motion(step: DenseStep) -> tuple[Array, Array]:
    """v+ (n,) and mu (m,) by the free velocity and its correction."""
    free = step.velocity + np.linalg.solve(step.matrix, step.push)
    response = np.linalg.solve(step.matrix, step.jacobian.T)
    delassus = step.jacobian @ response + step.compliance / step.step**2
    impulse = np.linalg.solve(delassus, -step.gap / step.step - step.jacobian @ (free - step.guess))
    return np.asarray(free + response @ impulse), np.asarray(impulse)


FORMULATIONS = (velocity_increment, new_velocity, free_motion)
