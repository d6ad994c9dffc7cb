"""A step that tests take stage by stage, with what stages write at hand; and models whose rows tests write down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import taut
from taut.contact.rows import ContactSet
from taut.integrators import EULER
from taut.integrators.scheme import Scheme
from taut.model.compile import compile_scene
from taut.model.model import Model
from taut.model.state import State
from taut.problem import KktProblem
from taut.problem.kkt import Kkt
from taut.rows.layout import RowSpec, entries_of, lay_out
from taut.stepping.collide import find_contacts
from taut.stepping.mechanism import mechanism_of
from taut.stepping.settings import Settings
from taut.stepping.stepper import RowMemory, Stepper

Array = np.ndarray
STEP = 0.02


class Staged:
    """A step on its way: bodies where a state has them, rows and contacts there, and the stages by name.

    Attributes:
        stepper, state, contacts: what steps, from where, and what touches.
        scratch, rows, kkt, answer: the tables that stages write.
        entries: which bodies the rows touch.
    """

    def __init__(self, stepper: Stepper, state: State, h: float = STEP, scheme: Scheme = EULER) -> None:
        """Start a step of length h from a state, whose history says which bodies look back."""
        from taut.stepping.collide_kernels import meet

        self.stepper, self.state, self.scratch = stepper, state, stepper.scratch
        stepper.take(state)
        stepper.weigh(scheme, h, state.history)
        for places in (self.scratch.base, self.scratch.places):
            stepper.put(places, state)
        self.scratch.left.fill(0.0)
        self.scratch.candidate.guess[:] = state.velocity
        self.use(stepper.alone)
        meet(stepper.m, stepper.w, self.table, *stepper.slim)

    def use(self, contacts: ContactSet) -> None:
        """Take these contacts."""
        self.contacts, memory = contacts, self.stepper.rows_with(contacts)
        self.entries, self.rows, self.kkt, self.answer = memory.entries, memory.rows, memory.kkt, memory.answer
        self.handles, self.table = memory.handles, contacts.handle

    def collide(self, velocity: Array | None = None) -> None:
        """Find contacts where bodies are, reached with a velocity (bodies, 6)."""
        moving = self.state.velocity if velocity is None else velocity
        self.use(find_contacts(self.stepper, self.state, moving, float(self.scratch.weights.h[0])))

    def predict(self) -> None:
        """Move bodies to where the state leads."""
        from taut.stepping.linearise_kernels import predict

        predict(self.stepper.m, self.stepper.s, self.stepper.w)

    def linearise(self, force: Array | float = 0.0) -> None:
        """Linearise with these forces (rows,) along rows."""
        from taut.stepping.linearise_kernels import linearise

        self.rows.force[:] = force
        linearise(self.stepper.m, self.stepper.s, self.stepper.w, self.handles[0], self.table)

    def respond(self) -> KktProblem:
        """Find how bodies respond; the problem of the rows."""
        from taut.stepping.linearise_kernels import respond

        respond(self.stepper.m, self.stepper.s, self.stepper.w, *self.handles[:2])
        return KktProblem(self.entries, self.kkt)

    def take_impulses(self, lam: Array) -> float:
        """Take these impulses (rows,); how far they leave a row open."""
        from taut.stepping.move_kernels import take_impulses

        self.answer.lam[:] = lam
        return take_impulses(self.stepper.m, self.stepper.w, *self.handles)

    def solve(self) -> None:
        """Solve the rows as they are linearised, and take the impulses."""
        solution = taut.solvers.get("bpp").solve(self.respond())
        assert solution.solved
        self.answer.w[:], self.answer.index_set[:] = solution.w, solution.index_set
        self.take_impulses(solution.lam)

    def move(self) -> None:
        """Move bodies on with the new velocity."""
        from taut.stepping.move_kernels import move

        rows, _, answer = self.handles
        move(self.stepper.m, self.stepper.s, self.stepper.w, rows, self.table, answer)

    def judge(self) -> Array:
        """Judge where bodies are; what was achieved (VERDICTS, groups)."""
        from taut.stepping.judge_kernels import judge

        rows, kkt, answer = self.handles
        judge(self.stepper.m, self.stepper.s, self.stepper.w, rows, kkt, self.table, answer)
        return self.scratch.verdict.table

    def jacobian(self) -> Array:
        """Jacobian (rows, 6 bodies), as the laws left it."""
        bodies = self.stepper.mechanism.count
        dense = np.zeros((self.entries.row_count, bodies, 6))
        np.add.at(dense, (self.entries.entry_row, self.entries.entry_body), self.rows.jacobian)
        return dense.reshape(self.entries.row_count, 6 * bodies)


def stepper_of(model: Model, h: float = STEP, scheme: Scheme = EULER) -> Stepper:
    """A model that is ready to step."""
    return Stepper(mechanism_of(model), Settings(step=h, scheme=scheme, solver=taut.solvers.get("bpp")))


def staged(simulation: taut.Simulation) -> Staged:
    """The next step of a simulation, with its scheme."""
    settings = simulation.settings
    return Staged(simulation.stepper, simulation.state, settings.step, settings.scheme)


def staged_rows(
    specs: Sequence[RowSpec], bodies: int = 2, h: float = STEP, gravity: tuple[float, float, float] = (0, 0, 0)
) -> Staged:
    """A step of bodies of 2 kg, the world among them, at the origin with these rows between them and nothing else."""
    scene = taut.Scene(gravity=gravity, collisions=False)
    for index in range(1, bodies):
        scene.add_body(f"b{index}", mass=2.0, inertia=(0.3, 0.4, 0.5))
    model, state = compile_scene(scene)
    layout = lay_out(specs)
    model = replace(model, layout=layout, entries=entries_of(layout, model.bodies.moves))
    target, rows, slots = layout.laws.target, layout.row_count, len(layout.coordinates)
    state = replace(
        state, target=target.copy(), reached=target.copy(), measure=target.copy(), force=np.zeros(rows),
        limits=layout.laws.limits, reached_limits=layout.laws.limits, force_limits=layout.laws.force_limits,
        firmness=np.ones(rows), command=np.zeros((rows, 4)), index_set=np.zeros(rows, np.int64),
        coordinate=np.zeros(slots),
    )  # fmt: skip
    return Staged(stepper_of(model, h), state, h)


def latest_rows(simulation: taut.Simulation) -> RowMemory:
    """The rows of the last linearisation of a simulation, as its stages left them."""
    return simulation.stepper.latest[1] if simulation.state.contacts.contacts.count else simulation.stepper.own


def latest_problem(simulation: taut.Simulation) -> KktProblem:
    """The problem of the last linearisation of a simulation, with numbers of its own."""
    memory = latest_rows(simulation)
    return KktProblem(memory.entries, Kkt(*(array.copy() for array in memory.kkt)))
