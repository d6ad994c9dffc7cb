"""Rows at one instant: where nothing moves but velocities may jump, or bodies are put where rows hold.

        M (v+ - v) - J^T lam = j        J v+ + S lam + b = w

with M, J of one configuration, no geometric stiffness and no step: what impulses, blows and safe states solve.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from taut.contact.rows import ContactSet
from taut.integrators import EULER
from taut.model.state import State
from taut.problem.kkt import KktProblem
from taut.responses.free_bodies import FreeBodies
from taut.spatial import Array
from taut.stepping.collide import find_contacts
from taut.stepping.refinement import row_rates
from taut.stepping.settings import INSTANTS
from taut.stepping.stepper import RowMemory, Stepper


@dataclass(frozen=True, eq=False)
class Instant:
    """Rows, contacts and the response of bodies where they are in scratch, and the velocities (n, 6) there."""

    stepper: Stepper
    contacts: ContactSet
    memory: RowMemory
    velocity: Array
    bodies: FreeBodies

    @property
    def own(self) -> int:
        """Number of the mechanism's own rows."""
        return self.stepper.mechanism.row_count

    @property
    def rates(self) -> Array:
        """J v (rows,) of the velocities, m/s or rad/s."""
        return row_rates(self.memory.kkt, self.velocity)

    def begin_laws(self, state: State, velocity: Array) -> None:
        """Gaps, signs and bounds of rows, as for a step of a second in which bodies move with velocities (n, 6)."""
        from taut.contact.rows_kernels import apply_contact_laws
        from taut.rows.law_kernels import apply_laws

        laws, links, rows = self.stepper.mechanism.laws, self.stepper.mechanism.links, self.memory.handles[0]
        self.memory.rows.step[0] = 1.0
        self.memory.rows.beta.fill(1.0)
        apply_laws(
            laws.kind, laws.stiffness, laws.damping, links.entry_start, links.entry_body, state.target, state.limits,
            state.force_limits, state.firmness, velocity, 1.0, np.zeros(self.own), self.memory.rows.value[: self.own],
            rows,
        )  # fmt: skip
        apply_contact_laws(self.contacts.handle, velocity, rows)

    def problem(self, push: Array | None = None) -> KktProblem:
        """The problem of the rows as their laws are, with impulses (n, 6) that act on bodies beside them."""
        from taut.responses.row_kernels import respond_rows

        memory, rows = self.memory, self.memory.rows
        free = self.velocity if push is None else self.velocity + self.bodies.apply(push)
        hard, redundant = self.stepper.mechanism.laws.hard, self.stepper.scratch.redundant
        none = np.zeros_like(hard)  # joints of trees are rows like others
        respond_rows(hard, redundant, none, rows.compliance, rows.bias, free, free, memory.handles[1])
        blocks = memory.kkt
        return KktProblem(
            memory.entries,
            blocks._replace(bias=blocks.bias.copy(), lower=blocks.lower.copy(), upper=blocks.upper.copy()),
        )

    def solved(self) -> Array | None:
        """Velocities or displacements (n, 6) that the rows allow, or None where they cannot be found."""
        problem = self.problem()
        solution = self.stepper.settings.solver.solve(problem)
        change = self.velocity + problem.velocity_change(solution.lam)
        return change if solution.solved and bool(np.isfinite(change).all()) else None

    def hold(self, held: NDArray[np.bool_]) -> None:
        """Let only rows that are `held` (own rows,) take part, hard, and contacts only push; nothing has a bias."""
        rows, own, contacts = self.memory.rows, self.own, self.contacts
        rows.compliance[:own] = np.where(held, 0.0, INSTANTS.idle)
        rows.lower[:own][~held], rows.upper[:own][~held] = -np.inf, np.inf
        rows.compliance[own:], rows.bias[own:], rows.lower[own:], rows.upper[own:] = 0.0, 0.0, 0.0, 0.0
        rows.upper[contacts.table.row] = np.inf


def instant(stepper: Stepper, state: State) -> Instant:
    """Rows of a state, with the contacts there; velocities are the state's."""
    scratch = stepper.scratch
    stepper.put(scratch.places, state)
    contacts = find_contacts(stepper, state, np.zeros_like(state.velocity), stepper.settings.step)
    return instant_here(stepper, state, contacts)


def instant_here(stepper: Stepper, state: State, contacts: ContactSet) -> Instant:
    """Rows where bodies are in scratch, with these contacts; velocities and momenta are those of a state."""
    from taut.stepping.linearise_kernels import measure, respond

    scratch, memory = stepper.scratch, stepper.rows_with(contacts)
    rows, kkt, _ = memory.handles
    unloaded = np.zeros_like(state.applied), np.zeros_like(state.applied_point)
    stepper.take(replace(state, applied=unloaded[0], applied_point=unloaded[1]))
    stepper.weigh(EULER, 0.0, np.zeros_like(state.history))
    scratch.candidate.guess[:] = state.velocity
    memory.rows.force.fill(0.0)
    memory.rows.count_from(state.coordinate, 0.0)
    memory.rows.step[0] = 0.0
    memory.rows.beta.fill(0.0)
    measure(stepper.m, stepper.w, rows, contacts.handle)
    respond(stepper.m, stepper.s, stepper.w, rows, kkt)
    candidate, bodies = scratch.candidate, stepper.mechanism.bodies
    free = FreeBodies(memory.kkt, np.where(bodies.moves > 0, bodies.mass, 0.0), candidate.inertia.copy())
    return Instant(stepper, contacts, memory, candidate.free_velocity.copy(), free)
