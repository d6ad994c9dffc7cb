"""Free bodies: M~ is block diagonal, one 3 x 3 inverse a body, and all rows are left to the solver."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.integrators.weights import Weights
from taut.model.model import Loads, Model
from taut.model.state import State
from taut.problem.kkt import HARD_REGULARISATION, Kkt, KktProblem
from taut.responses.redundancy import RedundantRows
from taut.rows.container import RowWork
from taut.spatial import Array, Integers
from taut.structure.incidence import RowEntries


def active_loads(model: Model, state: State, arms: bool) -> list[Loads]:
    """Loads whose arms matter: what is applied away from centres of mass, if `arms` says so, then the constant ones."""
    loads = []
    if arms:
        count = model.bodies.count
        force, torque = state.applied[:, :3].copy(), state.applied[:, 3:].copy()
        loads.append(Loads(np.arange(count), force, state.applied_point, torque, np.zeros(count, np.uint8)))
    return [*loads, model.loads] if model.loads.body.size else loads


class FreeBodies:
    """M~^-1 of unconnected bodies, and the KKT problem of their rows; see `taut.responses.base.Response`.

    M~ = alpha M + h D - h beta K~          per body: a mass and a 3 x 3 rotation block

    The arrays of M~ are made anew by `prepare`, so problems that were assembled before keep theirs.
    """

    def __init__(self, model: Model) -> None:
        """Allocate for this model."""
        count = model.bodies.count
        self.model = model
        self.inertia = np.zeros((count, 9))
        self.free_velocity = np.zeros((count, 6))
        self.wrench = np.zeros((count, 6))
        self.entries = model.entries
        self.redundancy = RedundantRows(model)
        self.redundant: Integers = np.zeros(0, np.int64)
        self.clear()

    def clear(self) -> None:
        """Bodies that nothing moves; those that do move are filled in."""
        count = self.model.bodies.count
        self.inverse_mass, self.inverse_inertia = np.zeros(count), np.zeros((count, 9))
        self.turning = np.zeros((count, 9))

    @property
    def block_names(self) -> tuple[str, ...]:
        """Names of the bodies."""
        return self.model.bodies.names

    def use(self, entries: RowEntries) -> None:
        """Go on with these rows."""
        self.entries = entries

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
        self.clear()
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
        self.redundant = np.zeros(0, np.int64)
        self.clear()
        factor(
            bodies.moves, ones, self.redundancy.inertia, bodies.linear_damping, bodies.angular_damping,
            rotation, ones, 0.0, ones, np.zeros_like(self.inertia),
            self.inertia, self.turning, self.inverse_mass, self.inverse_inertia,
        )  # fmt: skip
        work.compliance.fill(0.0)
        self.redundant = self.redundancy.find(self.assemble(work).matrix().values)

    def assemble(self, work: RowWork) -> KktProblem:
        """The KKT problem of all rows; hard rows are regularised, redundant ones give way, which `work` is told."""
        from taut.responses.free_bodies_kernels import row_products

        entries = self.entries
        rows, count = entries.row_count, entries.entry_body.size
        blocks = Kkt(
            entry_start=entries.entry_start,
            entry_row=entries.entry_row,
            entry_body=entries.entry_body,
            inverse_mass=self.inverse_mass,
            inverse_inertia=self.inverse_inertia,
            turning=self.turning,
            jacobian=work.jacobian[:count].copy(),
            response=np.empty((count, 6)),
            compliance=work.compliance[:rows].copy(),
            bias=work.bias[:rows].copy(),
            lower=work.lower[:rows].copy(),
            upper=work.upper[:rows].copy(),
            diagonal=np.empty(rows),
        )
        row_products(
            blocks.entry_start, blocks.entry_body, self.redundant, self.inverse_mass, self.inverse_inertia,
            self.free_velocity, HARD_REGULARISATION,
            blocks.jacobian, blocks.response, blocks.compliance, blocks.bias, blocks.diagonal,
        )  # fmt: skip
        if self.redundant.size:
            work.compliance[self.redundant] = blocks.compliance[self.redundant]
        self.problem = KktProblem(entries, blocks)
        return self.problem

    def apply(self, impulses: Array) -> Array:
        """M~^-1 of impulses (..., bodies, 6)."""
        change = np.empty_like(impulses)
        change[..., :3] = self.inverse_mass[:, None] * impulses[..., :3]
        change[..., 3:] = np.einsum("bij,...bj->...bi", self.inverse_inertia.reshape(-1, 3, 3), impulses[..., 3:])
        return change

    def push(self, impulses: Array) -> None:
        """Let impulses (bodies, 6) act beside the rows."""
        self.free_velocity += self.apply(impulses)

    def velocity(self, lam: Array) -> Array:
        """v+ = v_free + M~^-1 J^T lam, (bodies, 6), for the problem assembled last."""
        from taut.problem.kkt_kernels import add_response

        velocity, blocks = self.free_velocity.copy(), self.problem.blocks
        add_response(blocks.entry_row, blocks.entry_body, blocks.response, lam, velocity)
        return velocity

    def kinetic_energy(self, velocity: Array) -> Array:
        """Kinetic energy (bodies,) of velocities (bodies, 6), J; none of bodies that do not move."""
        bodies = self.model.bodies
        mass = np.where(bodies.moves > 0, bodies.mass, 0.0)
        linear = mass * np.einsum("bi,bi->b", velocity[:, :3], velocity[:, :3])
        return np.asarray(0.5 * (linear + np.einsum("bi,bi->b", velocity[:, 3:], self.spin(velocity))))

    def spin(self, velocity: Array) -> Array:
        """Angular momenta (bodies, 3) with velocities (bodies, 6), kg m^2/s; none of bodies that do not move."""
        return np.asarray(np.einsum("bij,bj->bi", self.inertia.reshape(-1, 3, 3), velocity[:, 3:]))
