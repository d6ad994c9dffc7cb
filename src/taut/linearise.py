"""One linearised solve of a step, and what it achieved at the new configuration."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from taut.groups import energy_groups
from taut.integrators.momentum import FloatingGroups
from taut.integrators.scheme import Scheme
from taut.model import Model
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution, WarmStart
from taut.responses.free_bodies import FreeBodies, active_loads
from taut.rows.container import RowWork
from taut.rows.law import LIMITS, SOFT
from taut.rows.layout import Integers
from taut.solvers.base import PivotingSolver
from taut.spatial import Array
from taut.state import State

ITERATIVE_REPAIR = 0.2
"""Share of a violation that a step with an iterative solver takes back, as engines built on them do (Baumgarte): taking
back all of it with impulses that have not converged blows up at once, and would flatter the exact solvers."""

WORK_ERROR = 1e-2
"""Share of the work put in over a step that may be missing from its estimate."""

TINY = 1e-300
"""Keeps a quotient of two zeros finite."""

MOMENTUM_PASSES = 5
"""Passes of the momentum correction of floating groups: each is off by the turn of one step; five reach rounding."""


@dataclass(frozen=True)
class Settings:
    """How a simulation steps.

    Attributes:
        step: h, s.
        scheme: the integrator of smooth motion.
        solver: the pivoting solver.
        geometric_stiffness: whether K~ = d(J^T lam)/dx is implicit; without it taut systems blow up, as a comparison.
        tolerance: error of the linearisation, m or rad, above which a step is linearised again.
        limit: error above which it is halved, and without budget left reported as unconverged.
        contradiction: violation, m or rad, of rows that no motion can close, above which a frame is reported.
        energy_tolerance: rise of energy over a step beyond the work put in, relative to the energy that moved; above
            the error of the two-step scheme in smooth motion, far below that of a step that explodes.
        rough_energy_tolerance: the same for a while after rough motion.
        linearisations: solves before a step is halved.
        budget: solves a frame; once it is spent, every part still to come takes one more.
        halvings: times a step may be halved.
    """

    step: float
    scheme: Scheme
    solver: PivotingSolver
    geometric_stiffness: bool = True
    tolerance: float = 1e-6
    limit: float = 5e-5
    contradiction: float = 2e-3
    energy_tolerance: float = 1e-2
    rough_energy_tolerance: float = 1e-6
    linearisations: int = 8
    budget: int = 36
    halvings: int = 6


@dataclass(eq=False)
class Outcome:
    """A candidate for the next state, with the proof of its solve and its errors at the new configuration.

    By group of bodies (see `taut.groups`), J: `kinetic` energy, and `gain`, the energy that came from nowhere.
    `energy_rise` is what of it is more than a step resolves, relative to the energy that moved, in the worst group.
    """

    velocity: Array
    position: Array
    orientation: Array
    spin: Array
    slim_spin: Array
    force: Array
    coordinate: Array
    problem: MlcpProblem
    solution: MlcpSolution
    violation: float
    error: float
    energy: float
    kinetic: Array
    gain: Array
    energy_rise: float
    momentum: Array


class Workbench:
    """The memory of a simulation's steps: rows, response, predicted configuration, seconds by stage."""

    def __init__(self, model: Model, settings: Settings) -> None:
        """Allocate for this model."""
        count = model.bodies.count
        self.model = model
        self.settings = settings
        self.rows = RowWork(model.layout, count)
        self.response = FreeBodies(model)
        self.floating = FloatingGroups(model)
        # what a soft motor gives is in the energy of its spring
        self.drives = (model.layout.laws.drives & (model.layout.laws.kind != SOFT)).astype(np.uint8)
        self.has_drives = bool(self.drives.any())
        self.limits = model.layout.laws.kind == LIMITS
        self.position, self.base_position = np.zeros((count, 3)), np.zeros((count, 3))
        self.orientation, self.base_orientation = np.zeros((count, 4)), np.zeros((count, 4))
        self.rotation = np.zeros((count, 9))
        self.group = energy_groups(model)
        self.mixed = bool((self.group[model.bodies.moves > 0] == 0).any())
        self.unresolved_energy = unresolved_energy(model, settings, self.group)
        self.verdict, self.mechanical = np.zeros(3), np.zeros(8)
        self.seconds = np.zeros(6)
        self.clock = 0.0

    def load(self) -> None:
        """Load the kernels and analyse the pattern now, so that the first step costs what the others do."""
        modules = ["integrators.motion_kernels", "responses.free_bodies_kernels", "rows.law_kernels"]
        if self.floating.exist:
            modules.append("integrators.momentum_kernels")
        for module in modules:
            importlib.import_module(f"taut.{module}")
        solver = self.settings.solver
        solver.analyze(self.model.incidence.pattern)
        solver.solve(MlcpProblem.from_matrix([[1.0]], [0.0], 0.0))

    def lap(self, stage: int) -> None:
        """Charge the time since the last lap to a stage of `taut.report.STAGES`."""
        now = perf_counter()
        self.seconds[stage] += now - self.clock
        self.clock = now


def unresolved_energy(model: Model, settings: Settings, group: Integers) -> Array:
    """Energy of each group moving by the tolerance in a step, against gravity and loads, J: less is at rest."""
    mass = np.bincount(group, np.where(model.bodies.moves > 0, model.bodies.mass, 0.0))
    weight = mass * float(np.linalg.norm(model.gravity))
    weight[0] += float(np.abs(model.loads.force).sum() + np.abs(model.loads.torque).sum())
    return weight * settings.tolerance + 0.5 * mass * (settings.tolerance / settings.step) ** 2


def predict(bench: Workbench, state: State, scheme: Scheme, h: float) -> Array:
    """Velocity (bodies, 6) to linearise at first."""
    from taut.integrators import motion_kernels

    bodies = bench.model.bodies
    guess = np.empty_like(state.velocity)
    motion_kernels.predict(
        bodies.moves, bench.model.slim, bodies.inertia, state.orientation, state.displacement,
        state.velocity, state.previous_velocity, state.spin, state.previous_spin,
        *scheme.guess, scheme.drift, scheme.position * h, guess,
    )  # fmt: skip
    return guess


def predicted_configuration(bench: Workbench, state: State, scheme: Scheme, h: float, guess: Array) -> None:
    """Put the bench where the guess leads: x + drift dX_prev + beta v_k."""
    from taut.integrators.motion_kernels import place

    place(
        bench.model.bodies.moves, state.position, state.orientation, state.displacement, guess,
        scheme.drift, scheme.position * h, bench.position, bench.orientation, bench.rotation,
    )  # fmt: skip


def move(bench: Workbench, guess: Array, velocity: Array) -> None:
    """Move the bench on from where it was linearised: x_k + beta (v+ - v_k).

    Rotations are composed, exp(beta (omega+ - omega_k)) R_k, so the Jacobian at x_k is exact to first order however far
    a body turns in a step; where the two velocities agree, it is the same configuration as before.
    """
    from taut.integrators.motion_kernels import place

    place(
        bench.model.bodies.moves, bench.base_position, bench.base_orientation, guess, velocity,
        -bench.rows.beta, bench.rows.beta, bench.position, bench.orientation, bench.rotation,
    )  # fmt: skip


def linearised_solve(
    bench: Workbench, state: State, scheme: Scheme, h: float, guess: Array, warm: WarmStart | MlcpSolution, force: Array
) -> Outcome:
    """Linearise at the bench's configuration, reached with the guess; solve the MLCP; move on with the new velocity."""
    rows, response, settings = bench.rows, bench.response, bench.settings
    rows.step, rows.beta = h, scheme.position * h
    rows.force[:] = force if settings.geometric_stiffness else 0.0
    rows.coordinate_reference[:] = state.coordinate
    bench.base_position[:], bench.base_orientation[:] = bench.position, bench.orientation
    rows.evaluate(bench.position, bench.rotation)
    rows.apply_laws(state.target, guess, 1.0 if settings.solver.exact else ITERATIVE_REPAIR)
    bench.lap(1)
    response.prepare(state, scheme, h, guess, bench.position, bench.rotation, rows)
    problem = response.assemble(rows)
    bench.lap(2)
    solution = settings.solver.solve(problem, None, warm)
    bench.lap(3)
    velocity = response.velocity(solution.lam)
    for _ in range(MOMENTUM_PASSES if bench.floating.exist else 0):
        move(bench, guess, velocity)
        bench.floating.conserve(
            bench.model, state, scheme, h, response.wrench, response.inertia, bench.position, bench.rotation, velocity
        )
    outcome = judge(bench, state, scheme, h, guess, velocity, problem, solution)
    bench.lap(4)
    return outcome


def judge(
    bench: Workbench, state: State, scheme: Scheme, h: float, guess: Array, velocity: Array,
    problem: MlcpProblem, solution: MlcpSolution,
) -> Outcome:  # fmt: skip
    """Errors and energy at the new, nonlinear configuration."""
    from taut.integrators.motion_kernels import mechanical_state, spins
    from taut.rows.law_kernels import judge_rows

    rows, response, bodies, laws = bench.rows, bench.response, bench.model.bodies, bench.model.layout.laws
    path = scheme.drift * state.displacement + rows.beta * velocity
    work = work_put_in(bench, state, h, path, solution.lam)
    force = rows.sign * solution.lam / h
    move(bench, guess, velocity)
    work += load_work(bench, state, path)
    rows.evaluate(bench.position, bench.rotation)
    spin, slim_spin = np.empty_like(state.spin), np.empty_like(state.slim_spin)
    spins(
        bench.model.slim, bodies.inertia, bodies.slim_axis, response.inertia, bench.rotation, velocity, spin, slim_spin
    )
    judge_rows(
        laws.kind, state.target, laws.stiffness, laws.damping, laws.lower_limit, laws.upper_limit,
        rows.sign, rows.beta, rows.compliance, response.diagonal, rows.bias,
        solution.lam, solution.w, solution.index_set, rows.value, bench.verdict,
    )  # fmt: skip
    mechanical_state(
        bodies.moves, bodies.mass, bench.model.gravity, bench.position, velocity, spin, bench.mechanical
    )
    violation, error, spring_energy = bench.verdict.tolist()
    kinetic, potential = bench.mechanical[:2].tolist()
    energy = kinetic + potential + spring_energy
    by_group, gain, rise = judge_energy(bench, state, velocity, spin, path, work, energy - state.energy - work)
    if not math.isfinite(energy):
        error = math.inf
    return Outcome(
        velocity, bench.position.copy(), bench.orientation.copy(), spin, slim_spin, force, rows.coordinate.copy(),
        problem, solution, violation, error, energy, by_group, gain, rise,
        bench.mechanical[2:].reshape(2, 3).copy(),
    )  # fmt: skip


def judge_energy(
    bench: Workbench, state: State, velocity: Array, spin: Array, path: Array, work: float, total: float
) -> tuple[Array, Array, float]:
    """Kinetic energy and gain of each group, J, and the worst relative rise.

    What springs stored, and what motors and loads did, is in the total and belongs to group 0.
    """
    from taut.integrators.motion_kernels import group_energy

    bodies = bench.model.bodies
    kinetic, gain = np.empty_like(bench.unresolved_energy), np.empty_like(bench.unresolved_energy)
    group_energy(
        bodies.moves, bench.group, bodies.mass, bench.model.gravity, state.position, state.velocity, state.spin,
        bench.position, velocity, spin, state.applied, path, kinetic, gain,
    )  # fmt: skip
    if state.applied_point.any():
        gain -= np.bincount(bench.group, arm_work(bench, state), minlength=gain.size)
    if bench.mixed:
        gain[0] += total - gain.sum()
    at_rest = bench.unresolved_energy + bench.settings.tolerance * float(np.abs(state.applied).sum())
    moved = kinetic + np.abs(gain) + at_rest
    # the work of drives and loads is known to the order of the scheme
    surplus = gain - at_rest
    surplus[0] -= WORK_ERROR * abs(work)
    moved[0] += abs(work)
    return kinetic, gain, float((surplus / np.maximum(moved, TINY)).max())


def arm_work(bench: Workbench, state: State) -> Array:
    """Work (bodies,) of applied forces along the way their points go beyond the centres of mass, F . (R+ - R) p, J."""
    from taut.spatial_kernels import rotation_matrices

    before = np.empty_like(bench.rotation)
    rotation_matrices(state.orientation, before)
    turned = (bench.rotation - before).reshape(-1, 3, 3)
    return np.einsum("bi,bij,bj->b", state.applied[:, :3], turned, state.applied_point)


def return_to(bench: Workbench, outcome: Outcome) -> None:
    """Put the bench and its rows back to where an earlier outcome led."""
    from taut.spatial_kernels import rotation_matrices

    bench.position[:], bench.orientation[:] = outcome.position, outcome.orientation
    rotation_matrices(bench.orientation, bench.rotation)
    bench.rows.evaluate(bench.position, bench.rotation)


def work_put_in(bench: Workbench, state: State, h: float, path: Array, lam: Array) -> float:
    """Work of driving rows and of what is applied at centres of mass, along the step's path, J."""
    from taut.rows.law_kernels import drive_work

    layout = bench.model.layout
    work = 0.0 if state.applied_point.any() else float(np.vdot(state.applied, path))
    if bench.has_drives:
        work += drive_work(bench.drives, layout.entry_start, layout.entry_body, bench.rows.jacobian, lam, h, path)
    return work


def load_work(bench: Workbench, state: State, path: Array) -> float:
    """Work of loads with arms from the state to the bench's configuration, reached along this path, J."""
    from taut.spatial_kernels import rotation_matrices

    work = 0.0
    for load in active_loads(bench.model, state):
        from taut.responses.load_kernels import load_work

        before = np.empty_like(bench.rotation)
        rotation_matrices(state.orientation, before)
        work += load_work(
            load.body, load.force, load.point, load.torque, load.follows,
            state.position, before, bench.position, bench.rotation, path,
        )  # fmt: skip
    return work
