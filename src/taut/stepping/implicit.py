"""Solves with the whole geometric stiffness: M~ with blocks between bodies, any solver on the rows that it leaves.

See `taut.responses.implicit`. A linearisation is made and answered for by all its stages as any other: this takes the
place of the response of free bodies between `respond` and `solve`, and of the velocities between `solve` and `move`.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from taut.contact.rows import ContactSet
from taut.contact.stiffness import contact_stiffness
from taut.errors import InputError
from taut.problem.kkt import Kkt, KktProblem
from taut.problem.solution import MlcpSolution, Status, WarmStart
from taut.responses.implicit import CoupledProblem, ImplicitResponse, Masses
from taut.rows.law import SOFT
from taut.rows.stiffness import stiffness_blocks, unknown_kinds
from taut.rows.stiffness_blocks import StiffnessBlocks, arm_blocks, joined, of_turns, turned
from taut.solvers.base import HIDDEN_ABOVE, HIDDEN_FOR_SURE, ROUNDING, Start, start_arrays
from taut.spatial import Array
from taut.stepping.refinement import refined, row_rates
from taut.stepping.stepper import RowMemory, Stepper
from taut.stepping.tables import IMBALANCE


class ImplicitSolver:
    """A solver of the KKT problems of one linearisation, with springs and the whole K~ in M~.

    Attributes:
        response: M~.
        problem: all rows, as the response leaves them.
        start: (n, 6) z, the change from v_k, without the rows that are left.
        changes: multipliers and z of the solutions so far.
        left_out: whether the last solution was found with "auto" instead.
    """

    def __init__(self, stepper: Stepper, memory: RowMemory, contacts: ContactSet) -> None:
        """Take over from the response of free bodies.

        Writes:  bias of the KKT blocks, and companion rows, which are idle where K~ is in M~
        """
        self.stepper, self.memory, self.solver = stepper, memory, stepper.settings.solver
        kkt, rows, candidate = memory.kkt, memory.rows, stepper.scratch.candidate
        self.auto = kkt.bias.copy(), rows.jacobian.copy(), rows.bias.copy()
        self.changes: list[tuple[Array, Array]] = []
        stiffness = all_stiffness(stepper, memory, contacts)
        response = response_of(stepper, memory, stiffness)
        masses = masses_of(stepper, kkt)
        self.problem: KktProblem = KktProblem(memory.entries, kkt, given_handle=memory.handles[1])
        self.response, self.left_out = response, not response.prepare(masses, stiffness, kkt)
        if self.left_out:  # something is not a number: the solver says so
            return
        self.idle_companions()
        self.push = np.einsum("bij,bj->bi", masses.auto, candidate.free_velocity - candidate.guess)
        rates = row_rates(kkt, candidate.guess) + rows.bias
        soft, impulse = response.absorbed.rows, -response.support * rates
        impulse[soft] = -rates[soft] / kkt.compliance[soft]
        self.start = response.apply(self.push + impulses(kkt, impulse))
        kkt.bias[:] = rates + row_rates(kkt, self.start)
        self.problem = CoupledProblem(
            memory.entries, kkt, given_handle=memory.handles[1], response=response, values=response.delassus(kkt),
            taken=np.zeros(rates.size),
        )  # fmt: skip

    def idle_companions(self) -> None:
        """Companions of what M~ has in full ask for nothing."""
        response, rows = self.response, self.memory.rows
        companion = response.absorbed.rows[response.is_companion]
        body = response.entries.entry_body[response.first_moving_block[companion]]
        idle = companion[~response.clipped[body]]
        rows.jacobian[response.entries.blocks_of(idle)[0]] = 0.0
        rows.bias[idle] = 0.0

    def solve(self, problem: KktProblem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem of this linearisation; where that fails, the one of "auto"."""
        if self.left_out or not isinstance(problem, CoupledProblem):
            return self.solver.solve(self.plain(problem), warm_start)
        solution = self.solve_coupled(problem, warm_start)
        if solution.solved or not self.solver.exact:
            return solution
        taken = self.memory.kkt.bias, self.memory.rows.jacobian, self.memory.rows.bias
        coupled = tuple(each.copy() for each in taken)
        for here, before in zip(taken, self.auto, strict=True):
            here[:] = before
        plain = self.solver.solve(self.plain(problem), warm_start)
        self.left_out = plain.solved
        if not plain.solved:
            for here, before in zip(taken, coupled, strict=True):
                here[:] = before
        return plain if plain.solved else solution

    def solve_coupled(self, problem: CoupledProblem, warm_start: Start) -> MlcpSolution:
        """Solve a problem with this M~, and judge the solution by all of its rows and bodies."""
        kept, own = self.response.kept, problem.kept_problem()
        lam, labels = np.zeros(problem.size), np.zeros(problem.size, np.int64)
        status, message, counts = Status.SOLVED, "", (1, 1, 0, (0, 0))
        if kept.size:
            start = None
            if warm_start is not None:
                index_set, guess = start_arrays(problem.size, warm_start)
                start = WarmStart(index_set[kept], guess[kept])
            found = self.solver.solve(own, start)
            lam[kept], labels[kept] = found.lam, found.index_set
            status, message = found.status, found.message
            counts = found.iterations, found.factorizations, found.coupling_iterations, found.parts
        change = self.start + self.response.apply(impulses(self.memory.kkt, lam))
        self.take_rows(lam, change)
        self.changes.append((lam, change))
        problem.taken[:] = lam
        w, residual = self.certify(problem, lam, change)
        if status is Status.SOLVED and not residual <= self.solver.accuracy:
            status, message = (
                Status.NOT_POSITIVE_DEFINITE,
                "rows or bodies miss their balance with the coupled mass matrix",
            )
        return MlcpSolution(lam, w, labels, status, residual, *counts[:2], message, *counts[2:])

    def take_rows(self, lam: Array, change: Array) -> None:
        """Multipliers of the rows in M~ with a change of velocity z (n, 6): of springs, and what supports have of it.

        Writes:  lam (rows,), which has those of the rows that the solver saw
        """
        kkt, rows, soft = self.memory.kkt, self.memory.rows, self.response.absorbed.rows
        rates = row_rates(kkt, self.stepper.scratch.candidate.guess + change) + rows.bias
        lam -= self.response.support * rates
        lam[soft] = -rates[soft] / kkt.compliance[soft]

    def certify(self, problem: CoupledProblem, lam: Array, change: Array) -> tuple[Array, float]:
        """Slack (rows,) and residual of a candidate in the whole problem: of all rows, and of the balance of bodies.

            w = J (v_k + z) + S lam + b            r = (alpha M + h D - h beta K~) z - g - J^T lam

        The residual is the larger one of the scaled natural residual and of r over what adds up to it, both by island.
        """
        from taut.problem.kkt_kernels import hides_violation, judge_slack

        kkt, rows, guess = problem.blocks, self.memory.rows, self.stepper.scratch.candidate.guess
        w = row_rates(kkt, guess + change) + kkt.compliance * lam + rows.bias
        count, island = problem.islands
        measures, work = np.empty((3, count)), np.empty_like(change)
        residual = float(judge_slack(problem.handle, island, lam, w, work, measures))
        if self.solver.exact and hides_violation(measures, ROUNDING, HIDDEN_ABOVE, HIDDEN_FOR_SURE):
            return w, math.inf
        left = self.balance(lam, change)
        return w, max(residual, left)

    def balance(self, lam: Array, change: Array) -> float:
        """What bodies miss in their balance over the largest number that adds up to it in their island.

        Both are over the root of alpha M + h D, in sqrt(J), as rows are in the natural residual. A single body is no
        measure: by symmetry there may be nothing but rounding in it.
        """
        response, kkt = self.response, self.memory.kkt
        base = np.einsum("bij,bj->bi", response.masses.base, change)
        parts = (base, response.foreseen(change), -self.push, -impulses(kkt, lam))
        missing, size = np.abs(sum(parts)), np.max(np.abs(parts), axis=0)
        size = np.maximum(size, impulses(kkt, lam, absolute=True))
        root = np.sqrt(np.einsum("bii->bi", response.masses.base))
        root[root == 0.0] = np.inf  # what does not move
        own, largest = (np.max(each / root, axis=1) for each in (missing, size))
        count, of_row = self.memory.entries.islands
        island = np.arange(own.size) + count  # bodies without rows are islands of their own
        island[kkt.entry_body] = of_row[kkt.entry_row]
        scale = np.zeros(own.size + count)
        np.maximum.at(scale, island, largest)
        return float(np.max(own / np.where(scale > 0.0, scale, 1.0)[island], initial=0.0))

    def plain(self, problem: KktProblem) -> KktProblem:
        """The problem that the response of free bodies left, in the same bounds."""
        blocks = self.memory.kkt._replace(lower=problem.lower, upper=problem.upper)
        return KktProblem(problem.entries, blocks, problem.name)

    def take_impulses(self, solution: MlcpSolution) -> float:
        """The new velocity of a solution; how far the worst hard row is left open by it where the solve closed it.

        Writes:  velocity of the candidate
        """
        from taut.rows.law_kernels import worst_slack
        from taut.stepping.move_kernels import take_impulses

        stepper, handles = self.stepper, self.memory.handles
        if self.left_out:
            return float(take_impulses(stepper.m, stepper.w, *handles))
        candidate, links, laws = stepper.scratch.candidate, stepper.model.links, stepper.model.laws
        change = next(change for lam, change in self.changes if lam is solution.lam)
        candidate.velocity[:] = candidate.guess + change
        return float(
            worst_slack(
                links.entry_start, links.entry_body, laws.closes, stepper.scratch.redundant, handles[0],
                candidate.velocity, solution.index_set,
            )
        )  # fmt: skip

    def refined(self, solution: MlcpSolution) -> MlcpSolution:
        """The solution with velocities corrected where hard rows do not close with them, see `refinement.py`."""
        if self.left_out:
            return refined(self.stepper, self.memory, self.plain(self.problem), solution)
        kept, velocity = self.response.kept, self.stepper.scratch.candidate.velocity
        own, kkt = self.stepper.mechanism.row_count, self.memory.kkt
        closes = np.zeros(solution.lam.size, bool)
        closes[:own] = (self.stepper.mechanism.laws.closes > 0) & (self.stepper.scratch.redundant == 0)
        slack = np.where(closes, row_rates(kkt, velocity) + self.memory.rows.bias, solution.w)
        assert isinstance(self.problem, CoupledProblem)
        missing = self.problem.with_bias(slack, self.problem.lower - solution.lam, self.problem.upper - solution.lam)
        start = WarmStart(solution.index_set[kept], np.zeros(kept.size))
        found = self.solver.solve(missing.kept_problem(), start)
        if not found.solved:
            return solution
        lam, w, labels = solution.lam.copy(), slack, solution.index_set.copy()
        more = np.zeros_like(lam)
        more[kept], w[kept], labels[kept] = found.lam, found.w, found.index_set
        change = self.response.apply(impulses(kkt, more))
        velocity += change
        lam += more - self.response.support * row_rates(kkt, change)
        soft = self.response.absorbed.rows
        lam[soft] -= row_rates(kkt, change)[soft] / kkt.compliance[soft]
        better = replace(solution, lam=lam, w=w, index_set=labels, residual=max(solution.residual, found.residual))
        self.memory.take(better)
        return better

    def judge_balance(self) -> int:
        """By how much bodies under tension miss their balance at x+, see `judge_balance` of the stages.

        Writes:  error of the candidate, IMBALANCE of the verdict
        Returns: the number of bodies that are clipped
        """
        from taut.stepping.balance_kernels import change_of_wrench, imbalance

        stepper, scratch, rows = self.stepper, self.stepper.scratch, self.memory.rows
        candidate, verdict, weights, links = scratch.candidate, scratch.verdict, scratch.weights, stepper.model.links
        counts = stepper.model.bodies.moves * (candidate.touched == 0)
        error, own = candidate.error, stepper.mechanism.row_count
        error.fill(0.0)
        change_of_wrench(
            links.entry_row, links.entry_body, stepper.model.laws.companion, rows.sign[:own], self.memory.answer.lam,
            rows.jacobian, scratch.there.jacobian, error,
        )  # fmt: skip
        change = candidate.velocity - candidate.guess
        if self.left_out:
            stiffness = candidate.stiffness
        else:
            error += self.response.foreseen(change)
            stiffness = np.zeros_like(candidate.stiffness)
        imbalance(
            counts, weights.alpha, weights.beta, float(weights.h[0]), candidate.guess, candidate.velocity,
            self.memory.kkt.inverse_mass, candidate.inertia, stiffness, scratch.there.stiffness, error,
        )  # fmt: skip
        np.maximum.at(verdict.table[IMBALANCE], verdict.group, np.abs(error).max(axis=1))
        return self.clipped

    @property
    def clipped(self) -> int:
        """Bodies for which the whole K~ was not safe, or all that move where "auto" had to be taken for all."""
        moves = self.stepper.mechanism.bodies.moves > 0
        return int((moves if self.left_out else moves & self.response.clipped).sum())


def impulses(kkt: Kkt, lam: Array, absolute: bool = False) -> Array:
    """J^T lam (n, 6), N s and N m s, or with all numbers taken positive."""
    total = np.zeros((kkt.inverse_mass.size, 6))
    product = lam[kkt.entry_row, None] * kkt.jacobian
    np.add.at(total, kkt.entry_body, np.abs(product) if absolute else product)
    total[kkt.inverse_mass == 0.0] = 0.0
    return total


def masses_of(stepper: Stepper, kkt: Kkt) -> Masses:
    """M, alpha M + h D and M~ of "auto" of every body, zero for what does not move."""
    bodies, weights, count = stepper.model.bodies, stepper.scratch.weights, stepper.mechanism.count
    matter, base, auto = np.zeros((3, count, 6, 6))
    h, unit, moving = weights.h[0], np.eye(3), (bodies.moves > 0)[:, None, None]
    inertia = stepper.scratch.candidate.inertia.reshape(-1, 3, 3)
    matter[:, :3, :3], matter[:, 3:, 3:] = bodies.mass[:, None, None] * unit, inertia
    base[:] = weights.alpha[:, None, None] * matter
    base[:, :3, :3] += h * bodies.linear_damping[:, None, None] * unit
    base[:, 3:, 3:] += h * bodies.angular_damping[:, None, None] * unit
    auto[:, :3, :3], auto[:, 3:, 3:] = base[:, :3, :3], kkt.turning.reshape(-1, 3, 3)
    return Masses(*(np.where(moving, each, 0.0) for each in (matter, base, auto)))


def all_stiffness(stepper: Stepper, memory: RowMemory, contacts: ContactSet) -> StiffnessBlocks:
    """-h beta K~ of rows, contacts and loads in world axes; loads that turn with their body stay as they are."""
    places, weights, loads, state = stepper.scratch.places, stepper.scratch.weights, stepper.model.loads, stepper.state
    fixed = np.flatnonzero(loads.follows == 0)
    arm = turned(places, loads.body[fixed], loads.point[fixed])
    everywhere = np.arange(stepper.mechanism.count)
    applied = arm_blocks(turned(places, everywhere, state.applied_point), state.applied[:, :3])
    blocks = [
        stiffness_blocks(stepper.model.parts, places, memory.rows),
        of_turns(loads.body[fixed], loads.body[fixed], arm_blocks(arm, loads.force[fixed])),
        of_turns(everywhere, everywhere, applied),
    ]
    if contacts.count:
        blocks.append(contact_stiffness(contacts.table, places, memory.rows))
    whole = joined(blocks)
    scale = weights.h[0] * np.maximum(weights.beta[whole.first], weights.beta[whole.second])
    return whole._replace(block=-scale[:, None, None] * whole.block)


def response_of(stepper: Stepper, memory: RowMemory, stiffness: StiffnessBlocks) -> ImplicitResponse:
    """M~ of these rows; its order is worked out once and kept with them."""
    known: ImplicitResponse | None = memory.kept.get(ImplicitResponse)
    if known is None:
        unknown = unknown_kinds(stepper.model.parts)
        if unknown:
            kinds = ", ".join(unknown)
            raise InputError(
                f"simulation: geometric_stiffness is 'exact'; it does not know rows of {kinds}: use 'auto'"
            )
        laws, count = stepper.model.laws, memory.entries.row_count
        soft, companion, hard = np.zeros((3, count), bool)
        own = laws.kind.size
        hard[:own] = laws.hard > 0
        soft[:own] = (laws.kind == SOFT) & memory.entries.unbounded[:own]
        companion[:own] = laws.companion > 0
        known = ImplicitResponse(memory.entries, stiffness, soft, companion, hard)
        memory.kept[ImplicitResponse] = known
    return known
