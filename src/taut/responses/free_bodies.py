"""Free bodies: M~ is block diagonal, one 3 x 3 inverse a body, and all rows are left to the pivoting solver."""

from __future__ import annotations

import importlib

import numpy as np
from numpy.typing import NDArray

from taut.integrators.weights import Weights
from taut.model.model import Loads, Model
from taut.model.state import State
from taut.problem.mlcp import MlcpProblem
from taut.responses.redundancy import RedundantRows
from taut.rows.container import RowWork
from taut.rows.incidence import Incidence, RowEntries
from taut.solvers.base import PivotingSolver
from taut.spatial import Array, Integers

HARD_REGULARISATION = 1e-12
"""Compliance of a hard row over its Delassus diagonal: redundant rows stay solvable, far below any tolerance."""


def active_loads(model: Model, state: State, arms: bool) -> list[Loads]:
    """Loads whose arms matter: what is applied away from centres of mass, if `arms` says so, then the constant ones."""
    loads = []
    if arms:
        count = model.bodies.count
        force, torque = state.applied[:, :3].copy(), state.applied[:, 3:].copy()
        loads.append(Loads(np.arange(count), force, state.applied_point, torque, np.zeros(count, np.uint8)))
    return [*loads, model.loads] if model.loads.body.size else loads


class FreeBodies:
    """M~^-1 of unconnected bodies, and the MLCP of their rows.

    M~ = alpha M + h D - h beta K~          per body: a mass and a 3 x 3 rotation block
    A  = J M~^-1 J^T + S                    [Lefebvre2020, eq. 1.18]
    """

    def __init__(self, model: Model) -> None:
        """Allocate for this model."""
        count = model.bodies.count
        self.model = model
        self.inverse_mass = np.zeros(count)
        self.inverse_inertia = np.zeros((count, 9))
        self.inertia = np.zeros((count, 9))
        self.turning = np.zeros((count, 9))
        self.free_velocity = np.zeros((count, 6))
        self.wrench = np.zeros((count, 6))
        self.use(model.entries)
        self.redundancy = RedundantRows(model)
        self.redundant: Integers = np.zeros(0, np.int64)

    def use(self, entries: RowEntries) -> None:
        """Go on with these rows."""
        self.entries = entries
        self.response = np.zeros((entries.entry_body.size, 6))
        self.diagonal = np.zeros(entries.row_count)

    @property
    def incidence(self) -> Incidence:
        """Where products of Jacobian blocks go in A."""
        return self.entries.incidence

    def load(self, solver: PivotingSolver) -> None:
        """Load the kernels and analyse the pattern of the model's rows."""
        importlib.import_module("taut.responses.free_bodies_kernels")
        solver.analyze(self.model.entries.incidence.pattern)

    def prepare(
        self, state: State, weights: Weights, guess: Array, rotation: Array, work: RowWork, slim: NDArray[np.uint8]
    ) -> None:
        """Factor M~ at the predicted configuration and find the velocity without row impulses.

        M~ v_free = p + h f - h beta K~ v_k, with p the scheme's momentum history and v_k the guess. The geometric
        stiffness in `work` is clipped to its stabilising part on the way.
        """
        from taut.responses.free_bodies_kernels import balance, factor

        bodies, loads = self.model.bodies, self.model.loads
        self.wrench[:] = state.applied
        for load in active_loads(self.model, state, bool(state.applied_point.any())):
            from taut.responses.load_kernels import add_loads

            if load is not loads:  # with its points of attack, what users apply is a load on every body
                self.wrench.fill(0.0)
            add_loads(
                load.body, load.force, load.point, load.torque, load.follows, rotation, self.wrench, work.stiffness
            )
        factor(
            bodies.moves, bodies.mass, bodies.inertia, bodies.linear_damping, bodies.angular_damping,
            rotation, weights.alpha, weights.h, weights.beta,
            work.stiffness, self.inertia, self.turning, self.inverse_mass, self.inverse_inertia,
        )  # fmt: skip
        self.stiffness = work.stiffness.copy()
        balance(
            bodies.moves, slim, bodies.mass, bodies.slim_axis, self.model.gravity, rotation, self.wrench,
            state.velocity, state.previous_velocity, state.spin, state.previous_spin,
            state.slim_spin, state.previous_slim_spin, self.inertia, guess,
            weights.now, weights.before, weights.h, weights.beta,
            work.stiffness, self.inverse_mass, self.inverse_inertia, self.free_velocity,
        )  # fmt: skip

    def find_redundant(self, rotation: Array, work: RowWork) -> None:
        """Find redundant rows where a frame starts; the rows hold there, a predicted configuration is a little off."""
        from taut.responses.free_bodies_kernels import factor

        if self.redundancy.factor is None:
            return
        bodies, ones = self.model.bodies, np.ones(self.model.bodies.count)
        self.use(self.model.entries)
        work.compliance.fill(-1.0)
        factor(
            bodies.moves, ones, self.redundancy.inertia, bodies.linear_damping, bodies.angular_damping,
            rotation, ones, 0.0, ones, np.zeros_like(self.inertia),
            self.inertia, self.turning, self.inverse_mass, self.inverse_inertia,
        )  # fmt: skip
        self.redundant = self.redundancy.find(self.products(work)[0])

    def assemble(self, work: RowWork) -> MlcpProblem:
        """The MLCP of all rows: A lam + b = w; redundant rows give way."""
        incidence = self.incidence
        values, bias = self.products(work)
        if self.redundant.size:
            work.compliance[self.redundant] = self.diagonal[self.redundant]
            self.diagonal[self.redundant] *= 2.0
            values[incidence.diagonal[self.redundant]] = self.diagonal[self.redundant]
        return MlcpProblem(incidence.pattern, values, bias, work.lower.copy(), work.upper.copy())

    def products(self, work: RowWork) -> tuple[Array, Array]:
        """Values of A = J M~^-1 J^T + S on its pattern, and b + J v_free."""
        from taut.responses.free_bodies_kernels import delassus

        incidence, entries = self.incidence, self.entries
        values = np.zeros(incidence.pattern.entry_count)
        bias = np.empty(incidence.pattern.size)
        delassus(
            entries.entry_start, entries.entry_row, entries.entry_body, incidence.body_start, incidence.entry,
            incidence.target, incidence.mirror, incidence.diagonal,
            self.inverse_mass, self.inverse_inertia, self.free_velocity,
            work.jacobian, work.compliance[: bias.size], work.bias[: bias.size], HARD_REGULARISATION,
            self.response, values, bias, self.diagonal,
        )  # fmt: skip
        return values, bias

    def velocity(self, lam: Array) -> Array:
        """v+ = v_free + M~^-1 J^T lam, (bodies, 6)."""
        from taut.responses.free_bodies_kernels import add_response

        velocity = self.free_velocity.copy()
        add_response(self.entries.entry_row, self.entries.entry_body, self.response, lam, velocity)
        return velocity
