"""One linearised solve of a step, and what it achieved at the new configuration."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from taut.integrators.scheme import Scheme
from taut.model import Model
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution, WarmStart
from taut.responses.free_bodies import FreeBodies
from taut.rows.container import RowWork
from taut.solvers.base import PivotingSolver
from taut.spatial import Array
from taut.state import State


@dataclass(frozen=True)
class Settings:
    """How a simulation steps.

    Attributes:
        step: h, s.
        scheme: the integrator of smooth motion.
        solver: the pivoting solver.
        geometric_stiffness: whether K~ = d(J^T lam)/dx is implicit; without it taut systems blow up, as a comparison.
        tolerance: largest error of the linearisation in an accepted step, m or rad.
        energy_tolerance: rise of energy over a step beyond the work put in, relative to the energy that moved.
        linearisations: solves before a step is halved.
        budget: solves a frame.
        halvings: times a step may be halved.
    """

    step: float
    scheme: Scheme
    solver: PivotingSolver
    geometric_stiffness: bool = True
    tolerance: float = 1e-6
    energy_tolerance: float = 1e-4
    linearisations: int = 4
    budget: int = 24
    halvings: int = 6


@dataclass(eq=False)
class Outcome:
    """A candidate for the next state, with the proof of its solve and its errors at the new configuration."""

    velocity: Array
    position: Array
    orientation: Array
    spin: Array
    force: Array
    coordinate: Array
    problem: MlcpProblem
    solution: MlcpSolution
    violation: float
    error: float
    energy: float
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
        self.has_drives = bool(model.layout.laws.drives.any())
        self.drives = model.layout.laws.drives.astype(np.uint8)
        self.position, self.orientation, self.rotation = np.zeros((count, 3)), np.zeros((count, 4)), np.zeros((count, 9))
        self.verdict, self.mechanical = np.zeros(3), np.zeros(8)
        self.seconds = np.zeros(6)
        self.clock = 0.0

    def lap(self, stage: int) -> None:
        """Charge the time since the last lap to a stage of `taut.report.STAGES`."""
        now = perf_counter()
        self.seconds[stage] += now - self.clock
        self.clock = now


def predict(bench: Workbench, state: State, scheme: Scheme, h: float) -> Array:
    """Velocity (bodies, 6) to linearise at first."""
    from taut.integrators import motion_kernels

    bodies = bench.model.bodies
    guess = np.empty_like(state.velocity)
    motion_kernels.predict(
        bodies.moves, bodies.inertia, state.orientation, state.displacement, state.velocity, state.previous_velocity,
        state.spin, state.previous_spin, *scheme.guess, scheme.drift, scheme.position * h, guess,
    )  # fmt: skip
    return guess


def move(bench: Workbench, state: State, scheme: Scheme, h: float, velocity: Array) -> None:
    """Place the bench's configuration where this velocity leads."""
    from taut.integrators.motion_kernels import place

    place(
        bench.model.bodies.moves, state.position, state.orientation, state.displacement, velocity,
        scheme.drift, scheme.position * h, bench.position, bench.orientation, bench.rotation,
    )  # fmt: skip


def linearised_solve(
    bench: Workbench, state: State, scheme: Scheme, h: float, guess: Array, warm: WarmStart, force: Array
) -> Outcome:
    """Linearise at the configuration the guess leads to, solve the MLCP, and move there with the new velocity."""
    rows, response, settings = bench.rows, bench.response, bench.settings
    rows.step, rows.beta = h, scheme.position * h
    rows.force[:] = force if settings.geometric_stiffness else 0.0
    rows.coordinate_reference[:] = state.coordinate
    move(bench, state, scheme, h, guess)
    rows.evaluate(bench.position, bench.rotation)
    rows.apply_laws(state.target, guess)
    bench.lap(1)
    response.prepare(state, scheme, h, guess, bench.position, bench.rotation, rows)
    problem = response.assemble(rows)
    bench.lap(2)
    solution = settings.solver.solve(problem, None, warm)
    bench.lap(3)
    velocity = response.velocity(solution.lam)
    outcome = judge(bench, state, scheme, h, velocity, problem, solution)
    bench.lap(4)
    return outcome


def judge(
    bench: Workbench, state: State, scheme: Scheme, h: float, velocity: Array, problem: MlcpProblem, solution: MlcpSolution
) -> Outcome:
    """Errors and energy at the new, nonlinear configuration."""
    from taut.integrators.motion_kernels import mechanical_state, spins
    from taut.rows.law_kernels import judge_rows

    rows, response, bodies, laws = bench.rows, bench.response, bench.model.bodies, bench.model.layout.laws
    spin = np.empty_like(state.spin)
    spins(response.inertia, velocity, spin)
    work = work_put_in(bench, state, scheme, velocity, solution.lam)
    force = rows.sign * solution.lam / h
    move(bench, state, scheme, h, velocity)
    rows.evaluate(bench.position, bench.rotation)
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
    moved = kinetic + abs(energy - state.energy) + abs(work)
    rise = (energy - state.energy - work) / moved if moved > 0.0 else 0.0
    return Outcome(
        velocity, bench.position.copy(), bench.orientation.copy(), spin, force, rows.coordinate.copy(),
        problem, solution, violation, error, energy, rise, bench.mechanical[2:].reshape(2, 3).copy(),
    )  # fmt: skip


def work_put_in(bench: Workbench, state: State, scheme: Scheme, velocity: Array, lam: Array) -> float:
    """Work of applied loads and of driving rows over the step, J."""
    from taut.integrators.motion_kernels import external_work
    from taut.rows.law_kernels import drive_work

    layout = bench.model.layout
    work = external_work(bench.response.wrench, scheme.drift * state.displacement + bench.rows.beta * velocity)
    if bench.has_drives:
        work += drive_work(bench.drives, layout.entry_start, layout.entry_body, bench.rows.jacobian, lam, velocity)
    return work

