"""The thesis' own step, linearly implicit Euler in joint coordinates, to compare with.        [Baxter2019, eq. 2.13]

        M~_r qdot+ + G^T lam = f~_r,    G qdot+ = -rate g                                                 eq. 2.42
        M~_r = J^T (M + h D - h^2 K) J + h D_r - h^2 K_r                                                   eq. 2.14
        f~_r = J^T (M J qdot + h (f - M dJ/dt qdot)) + h f_r                                               eq. 2.15
        q+ = q + h qdot+

One solve a frame, taken as it is: no geometric stiffness of joint forces, no judge. The state stays that of bodies: q
and qdot are read off it, and written back to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.errors import InputError
from taut.integrators import REDMAX
from taut.model.model import Model
from taut.model.redmax_tables import RedMaxFactor, RedMaxMotion
from taut.model.redmax_tree import redmax_model
from taut.model.state import State
from taut.spatial import Array
from taut.stepping.energy import energy_of
from taut.stepping.redmax_dense import dense_matrix, jacobians
from taut.stepping.redmax_forces import (
    Pairs,
    add_diagonal,
    add_wrenches,
    definite,
    inertial_forces,
    not_above_zero,
    spring_forces,
    symmetric,
    times_pairs,
    turning_block,
)
from taut.stepping.redmax_loops import Solve, aims_of, constrained, loop_wrenches, open_loops
from taut.stepping.redmax_reactions import joint_rows, put_joint_forces, put_spring_forces
from taut.stepping.stepper import Stepper
from taut.stepping.tally import Tally
from taut.tables import held


@dataclass(eq=False)
class System:
    """M~_r and f~_r of a step.

    Attributes:
        blocks, pairs: (n, 6, 6) of bodies, and what crosses the tree.
        reduced: (dofs,) of joints.
        momentum: (n, 6) what f~_r is made of at bodies.
        joint_load: (dofs,) and at joints.
        load: (dofs,) f~_r.
    """

    blocks: Array
    pairs: Pairs
    reduced: Array
    momentum: Array
    joint_load: Array
    load: Array

    @property
    def crosses(self) -> bool:
        """Whether a spring couples two bodies."""
        return bool((self.pairs.node >= 0).all(axis=1).any())


def redmax_of(model: Model, stepper: Stepper, coordinates: str) -> RedMax | None:
    """What makes the frames of a stepper, None where its scheme is another one."""
    if stepper.settings.scheme is not REDMAX:
        return None
    if coordinates != "reduced":
        raise InputError(f"simulation: coordinates is {coordinates!r}; with integrator 'redmax' it must be 'reduced'")
    if not (model.bodies.moves > 0).any():
        raise InputError("simulation: nothing in the scene moves; with integrator 'redmax' at least one body must")
    if stepper.mechanism.curves.begin.size:
        raise InputError("simulation: a spring or damper is a curve; with integrator 'redmax' all must be straight")
    if stepper.settings.sleeping:
        raise InputError("simulation: sleeping is True; with integrator 'redmax' it must be False")
    return RedMax(model, stepper)


class RedMax:
    """The step of a model."""

    def __init__(self, model: Model, stepper: Stepper) -> None:
        """Find the trees; the stepper measures rows and energy."""
        self.model, self.stepper, self.own = model, stepper, redmax_model(model)
        tree = self.own.tree
        nodes, dofs = tree.parent.size, tree.kind.size
        self.motion, self.factor = RedMaxMotion.of(nodes, dofs), RedMaxFactor.of(nodes, dofs)
        self.handles = held(tree), held(self.motion), held(self.factor)
        self.joints = joint_rows(model, self.own)
        self.place = np.arange(dofs) - np.repeat(tree.dof_start[:-1], np.diff(tree.dof_start))
        """(dofs,) number of each degree of freedom within its joint."""

    def __reduce__(self) -> tuple[type[RedMax], tuple[Model, Stepper]]:
        """A copy is made anew: nothing that frames leave behind is worth keeping."""
        return RedMax, (self.model, self.stepper)

    def next_frames(self, state: State, count: int) -> tuple[State, Tally, int]:
        """The state up to so many frames later, what the last of them took, and how many were done.

        A frame that is lost is done alone: who asked stays where it began.
        """
        done, tally = 0, Tally.of(self.model.bodies.count)
        while done < count and tally.status == "solved":
            with np.errstate(over="ignore", invalid="ignore"):  # the tally says so
                after, spent = self.step(state, self.stepper.settings.step)
            if spent.status != "solved" and done:
                break
            state, tally, done = after, spent, done + 1
        return state, tally, done

    def step(self, state: State, h: float) -> tuple[State, Tally]:
        """The state a step later, and what that took."""
        from taut.stepping.redmax_kernels import move_tree

        tree, motion, _ = self.handles
        self.read(state)
        system = self.assemble(state, h)
        solve = self.solver(system)
        if solve is None:
            system = self.assemble(state, h, clipped=True)
            solve = self.solver(system) or nowhere
        rows = self.stepper.measure(state)
        loops = loop_wrenches(self.model, self.own, self.motion, rows)
        aims = aims_of(self.model, self.own, state, rows.value)
        rate, impulse = constrained(solve, system.load, self.projected(loops), aims)
        tally, force = Tally.of(self.model.bodies.count), np.zeros_like(state.force)
        tally.solves, tally.substeps, tally.rows = 1, 1, len(loops)
        tally.residual = self.account(system, loops, rate, impulse)
        put_joint_forces(self.joints, self.motion, rows, h, force)
        force[self.own.loops] = -impulse / h
        self.motion.qdot[:] = rate
        self.motion.q[:] += h * rate
        move_tree(tree, motion)
        after = self.write(state, h, force)
        tally.violation = float(np.abs(open_loops(self.model, self.own, after, after.measure)).max(initial=0.0))
        tally.drift = tally.violation
        tally.status = "solved" if after.is_finite() else "non-finite"
        return after, tally

    def projected(self, wrenches: Array) -> Array:
        """G (rows, dofs) of what rows do to bodies (rows, n, 6): G_m J."""
        from taut.stepping.redmax_kernels import times_transposed

        result = np.zeros((len(wrenches), self.motion.q.size))
        for wrench, out in zip(wrenches, result, strict=True):
            times_transposed(*self.handles[:2], wrench, out)
        return result

    def read(self, state: State) -> None:
        """Take q and qdot off the bodies of a state, and all that follows from them."""
        from taut.spatial_kernels import rotation_matrices
        from taut.stepping.redmax_kernels import move_tree
        from taut.stepping.redmax_reading_kernels import read_joint_coordinates, read_joint_rates

        tree, motion, _ = self.handles
        body = self.own.body
        rotation = np.zeros((body.size, 9))
        rotation_matrices(np.ascontiguousarray(state.orientation[body]), rotation)
        read_joint_coordinates(tree, np.ascontiguousarray(state.position[body]), rotation, self.motion.q)
        self.motion.qdot[:] = 0.0
        move_tree(tree, motion)
        turn = rotation.reshape(-1, 3, 3)
        twist = [np.einsum("nij,ni->nj", turn, state.velocity[body, part : part + 3]) for part in (3, 0)]
        read_joint_rates(tree, motion, np.hstack(twist), self.motion.qdot)
        move_tree(tree, motion)

    def write(self, before: State, h: float, force: Array) -> State:
        """The state a step after another, with bodies where the tree has them and these forces of rows (rows,)."""
        from taut.stepping.redmax_reading_kernels import write_orientations

        own, motion, after = self.own, self.motion, before.copy()
        body, turn = own.body, motion.rotation.reshape(-1, 3, 3)
        write_orientations(motion.rotation, body, after.orientation)
        after.position[body] = motion.position
        after.velocity[body, :3] = np.einsum("nij,nj->ni", turn, motion.twist[:, 3:])
        after.velocity[body, 3:] = np.einsum("nij,nj->ni", turn, motion.twist[:, :3])
        spin = np.einsum("nij,nj->ni", own.mass[:, :3, :3], motion.twist[:, :3])
        after.spin[body] = np.einsum("nij,nj->ni", turn, spin)
        after.slim_spin[body] = np.einsum("ni,ni->n", self.model.bodies.slim_axis[body], spin)
        after.previous_velocity, after.previous_spin = before.velocity.copy(), before.spin.copy()
        after.previous_slim_spin = before.slim_spin.copy()
        after.displacement[body] = h * after.velocity[body]
        after.reached, after.reached_limits = before.target.copy(), before.limits.copy()
        after.time, after.steps = before.time + h, before.steps + 1
        rows = self.stepper.measure(after)
        after.coordinate, after.measure, after.force = rows.coordinate.copy(), rows.value.copy(), force.copy()
        put_spring_forces(self.model, own, after, rows, after.force)
        after.energy = energy_of(self.stepper, after)
        return after

    def assemble(self, state: State, h: float, clipped: bool = False) -> System:
        """M~_r and f~_r of eqs. 2.14 and 2.15; K enters with its symmetric part, or what of that is definite."""
        from taut.stepping.redmax_kernels import times_jacobian, times_transposed

        own, joint = self.own, self.own.joint_springs
        tree, motion, _ = self.handles
        count, dofs = own.body.size, self.motion.q.size
        blocks = own.mass + h * own.damping[:, :, None] * np.eye(6)
        wrench, stiffness, damping = spring_forces(own.springs.aimed(state.target), self.motion)
        stiffness = definite(stiffness) if clipped else symmetric(stiffness)
        add_diagonal(blocks, damping, h)
        add_diagonal(blocks, stiffness, -h * h)
        force = inertial_forces(own.mass, self.motion, self.model.gravity) + self.loads(blocks, h, clipped)
        add_wrenches(force, stiffness.node, wrench)
        force += self.applied(state)
        now, rate = np.zeros((count, 6)), np.zeros((count, 6))
        times_jacobian(tree, motion, self.motion.qdot, now, rate)
        momentum = np.einsum("nij,nj->ni", own.mass, now) + h * (force - np.einsum("nij,nj->ni", own.mass, rate))
        load = np.zeros(dofs)
        times_transposed(tree, motion, momentum, load)
        counted = np.append(state.coordinate, 0.0)[joint.slot]
        stretch = np.where(joint.slot < 0, self.motion.q, counted) - joint.rest
        pairs, pull = Pairs(stiffness.node, h * damping.block - h * h * stiffness.block), -h * joint.stiffness * stretch
        return System(blocks, pairs, h * joint.damping + h * h * joint.stiffness, momentum, pull, load + pull)

    def loads(self, blocks: Array, h: float, clipped: bool) -> Array:
        """Wrenches (n, 6) of constant loads, eq. 2.35; those in world axes have a stiffness, eq. 2.37.

        Writes:  blocks
        """
        loads, total = self.model.loads, np.zeros((self.own.body.size, 6))
        node = self.own.node[loads.body]
        turn = self.motion.rotation[node].reshape(-1, 3, 3)
        follows = loads.follows[:, None] > 0
        force, torque = (
            np.where(follows, each, np.einsum("kij,ki->kj", turn, each)) for each in (loads.force, loads.torque)
        )
        add_wrenches(total, node, np.hstack([torque + np.cross(loads.point, force), force]))
        block = turning_block(turn, loads.point, np.where(follows, 0.0, loads.force))
        block = 0.5 * (block + block.transpose(0, 2, 1))
        add_wrenches(blocks, node, -h * h * (not_above_zero(block) if clipped else block))
        return total

    def applied(self, state: State) -> Array:
        """Wrenches (n, 6) of what is applied from outside, which has no stiffness: who pushes may let go."""
        turn, body = self.motion.rotation.reshape(-1, 3, 3), self.own.body
        force, torque = (np.einsum("nij,ni->nj", turn, state.applied[body, at : at + 3]) for at in (0, 3))
        return np.hstack([torque + np.cross(state.applied_point[body], force), force])

    def solver(self, system: System) -> Solve | None:
        """What solves with M~_r: recursion where no spring crosses the tree, else Cholesky's; None if not definite."""
        from taut.stepping.redmax_solve_kernels import factor_recursively, solve_recursively

        if system.crosses:
            jacobian, _ = jacobians(self.own.tree, self.motion)
            return cholesky(dense_matrix(jacobian, system.blocks, system.pairs, np.diag(system.reduced)))
        self.factor.block[:] = system.blocks.reshape(-1, 36)
        self.factor.reduced[np.arange(system.reduced.size), self.place] = system.reduced
        if factor_recursively(*self.handles):
            return None

        def solve(load: Array) -> Array:
            result = np.zeros_like(load)
            solve_recursively(*self.handles, np.ascontiguousarray(load), result)
            return result

        return solve

    def account(self, system: System, loops: Array, rate: Array, force: Array) -> float:
        """How far the step is missed, as a share of what is in it, by the products of Algorithms 2 and 3.

        J^T (blocks J qdot+ - momentum + G_m^T lam) + reduced qdot+ = joint_load

        Writes:  sums of the motion: the impulses that joints supply
        """
        from taut.stepping.redmax_kernels import times_jacobian, times_transposed

        tree, motion, _ = self.handles
        twist, unused = np.zeros_like(system.momentum), np.zeros_like(system.momentum)
        total = np.zeros_like(rate)
        times_jacobian(tree, motion, rate, twist, unused)
        wrench = np.einsum("nij,nj->ni", system.blocks, twist) + times_pairs(system.pairs, twist)
        wrench += np.einsum("kni,k->ni", loops, force) - system.momentum
        times_transposed(tree, motion, wrench, total)
        missed = total + system.reduced * rate - system.joint_load
        scale = max(np.abs(system.load).max(initial=0.0), np.abs(self.motion.sums).max(initial=0.0))
        return float(np.abs(missed).max(initial=0.0) / scale) if scale > 0.0 else 0.0


def nowhere(load: Array) -> Array:
    """The answer of a matrix that is not finite."""
    return np.full_like(load, np.nan)


def cholesky(square: Array) -> Solve | None:
    """What solves with a symmetric matrix, None if it is not positive definite."""
    try:
        lower = np.linalg.cholesky(square)
    except np.linalg.LinAlgError:
        return None
    return lambda load: np.linalg.solve(lower.T, np.linalg.solve(lower, load))
