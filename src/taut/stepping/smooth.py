"""Smooth frames without going back to Python: nothing is near, and they are accepted at the first or second try.

The stages are those of any frame, see `frame_kernels.py`. What is not smooth ends the run before it changes the state,
and Python goes on from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.contact.table import ContactTable
from taut.model.state import State
from taut.problem.kkt import Kkt, KktAnswer
from taut.problem.solution import MlcpSolution, Status, WarmStart
from taut.responses.articulated import ReducedRows, ReducedTable
from taut.responses.crossing import SpringWork, to_expect
from taut.rows.table import RowTable
from taut.solvers.base import PivotingSolver
from taut.solvers.block_pivoting import BlockPivoting
from taut.solvers.island_workspace import SkylineWork
from taut.solvers.linear_time import LinearTime
from taut.solvers.tree.work import TreeWork
from taut.stepping.collide import find_meetings
from taut.stepping.outcome import Outcome
from taut.stepping.settings import CORRECTION
from taut.stepping.step import outcome_of
from taut.stepping.stepper import ARRAYS, Stepper
from taut.stepping.tables import (
    ENERGY,
    FRAMES,
    PIVOTS,
    RESIDUAL,
    SMOOTH,
    SOLVES,
    TIGHT,
    UNSOLVED,
    WORST,
    Course,
    Scratch,
    StateTable,
    StepModel,
)
from taut.stepping.tally import Tally
from taut.tables import RealRows, Reals, Wholes, held

CHANGED, GIVEN = StateTable._fields[:-6], StateTable._fields[-6:]
"""Arrays of a state that frames change."""

NOTHING = np.zeros(0)


class PivotingWork(NamedTuple):
    """Structure and memory of block pivoting within a frame.

    Attributes:
        body_start, entry, target, mirror, diagonal: where products of blocks go in A, see `Incidence`.
        values: (nonzeros,) of A.
        skyline: of the pivoting solver.
        island: (rows,) group of each row.
        change, measure: (n, 6), (3, islands) scratch of the judge.
        pivots, accuracy: options of the solver.
    """

    body_start: Wholes
    entry: Wholes
    target: Wholes
    mirror: Wholes
    diagonal: Wholes
    values: Reals
    skyline: SkylineWork
    island: Wholes
    change: RealRows
    measure: RealRows
    pivots: int
    accuracy: float


class ReducedWork(NamedTuple):
    """Trees in joint coordinates within a frame, and block pivoting on the rows that they leave.

    Attributes:
        table: structure and memory of the elimination.
        skyline: of the pivoting solver.
        lower, upper, start_lam, start_set, index_set: (kept rows,) bounds, where to start, and labels found.
        pivots, accuracy: options of the solver.
    """

    table: ReducedTable
    skyline: SkylineWork
    lower: Reals
    upper: Reals
    start_lam: Reals
    start_set: Wholes
    index_set: Wholes
    pivots: int
    accuracy: float


class CrossingWork(NamedTuple):
    """The same with springs across the trees."""

    reduced: ReducedWork
    springs: SpringWork


class World(NamedTuple):
    """All that smooth frames need but for their solver's work."""

    model: StepModel
    state: StateTable
    scratch: Scratch
    rows: RowTable
    kkt: Kkt
    contacts: ContactTable
    answer: KktAnswer
    course: Course


class PivotingWorld(NamedTuple):
    """The same with block pivoting."""

    world: World
    work: PivotingWork


class TreeWorld(NamedTuple):
    """The same with joints eliminated along the tree."""

    world: World
    work: TreeWork


class ReducedWorld(NamedTuple):
    """The same with trees in joint coordinates."""

    world: World
    work: ReducedWork


class CrossingWorld(NamedTuple):
    """The same with springs across the trees."""

    world: World
    work: CrossingWork


def reduced_work(reduced: ReducedRows, solver: PivotingSolver) -> ReducedWork:
    """Memory for trees in joint coordinates; rows that they leave are pivoted on by `bpp`."""
    kept, pivoting = reduced.table.kept.size, solver if isinstance(solver, BlockPivoting) else BlockPivoting()
    return ReducedWork(
        table=reduced.table, skyline=pivoting.analyze(reduced.pattern).work(), lower=np.zeros(kept),
        upper=np.zeros(kept), start_lam=np.zeros(kept), start_set=np.zeros(kept, np.int64),
        index_set=np.zeros(kept, np.int64), pivots=pivoting.warm_pivots, accuracy=solver.accuracy,
    )  # fmt: skip


def pivoting_work(stepper: Stepper, solver: BlockPivoting) -> PivotingWork:
    """Memory for block pivoting on the rows of a mechanism."""
    entries = stepper.mechanism.entries
    incidence, (islands, island) = entries.incidence, entries.islands
    structure = solver.analyze(incidence.pattern)
    return PivotingWork(
        body_start=incidence.body_start, entry=incidence.entry, target=incidence.target, mirror=incidence.mirror,
        diagonal=incidence.diagonal, values=np.zeros(incidence.pattern.entry_count),
        skyline=structure.work(), island=island,
        change=np.zeros((stepper.mechanism.count, 6)), measure=np.zeros((3, islands)), pivots=solver.warm_pivots,
        accuracy=solver.accuracy,
    )  # fmt: skip


class SmoothFrames:
    """Frames of a stepper in compiled code."""

    def __init__(self, stepper: Stepper) -> None:
        """Prepare for a stepper that `can_be_smooth`."""
        from taut.stepping.frame_kernels import carry_state, look_ahead

        mechanism, settings = stepper.mechanism, stepper.settings
        solver = chosen_solver(stepper)
        assert solver is not None
        self.stepper = stepper
        self.course = Course(
            ladder=settings.scheme.ladder,
            rounding=np.array([CORRECTION.rounding * settings.tolerance]),
            slim=stepper.slim[0], servos=mechanism.servos.astype(np.uint8),
            watched=np.zeros(mechanism.count, np.uint8), risen=np.zeros(mechanism.count),
            error=np.zeros(mechanism.count), fault=np.zeros(mechanism.count, np.int64),
            report=np.zeros(8), ticks=np.zeros(6, np.int64),
        )  # fmt: skip
        own, course = stepper.own.handles, held(self.course)
        world = held(World._make([stepper.m, stepper.s, stepper.w, *own[:2], stepper.alone.handle, own[2], course]))
        if stepper.own.reduced is not None and stepper.own.springs is not None:
            from taut.stepping.smooth_crossing_kernels import run, solve_crossing, try_part

            work = held(reduced_work(stepper.own.reduced, solver))
            self.solver, self.work = solve_crossing, held(CrossingWork._make([work, stepper.own.springs.work]))
            self.world = held(CrossingWorld._make([world, self.work]))
        elif stepper.own.reduced is not None:
            from taut.stepping.smooth_reduced_kernels import run, solve_reduced, try_part

            self.solver, self.work = solve_reduced, held(reduced_work(stepper.own.reduced, solver))
            self.world = held(ReducedWorld._make([world, self.work]))
        elif isinstance(solver, LinearTime):
            from taut.stepping.smooth_tree_kernels import run, solve_tree, try_part

            self.solver, self.work = solve_tree, solver.tree_of(mechanism.entries).work_handle
            self.world = held(TreeWorld._make([world, self.work]))
        else:
            from taut.stepping.smooth_pivoting_kernels import run, solve_by_pivoting, try_part

            assert isinstance(solver, BlockPivoting)
            self.solver, self.work = solve_by_pivoting, held(pivoting_work(stepper, solver))
            self.world = held(PivotingWorld._make([world, self.work]))
        self.carry, self.run, self.try_part, self.look_ahead = carry_state, run, try_part, look_ahead
        self.ahead = (stepper.m, stepper.s, stepper.w, own[0], own[2], course)
        self.looks_back = settings.scheme.depth > 1

    def advance(self, state: State, count: int) -> tuple[State, int, int]:
        """The state after at most so many smooth frames, how many were done, and how the frame after them ended."""
        stepper = self.stepper
        if self.carry(stepper.s, 1, *ARRAYS(state)):
            stepper.take(state)  # says what does not fit
        if stepper.collider is not None and not self.is_clear(state):
            return state, 0, UNSOLVED
        stepper.find_redundant(state)
        self.choose(state)
        self.code = code = int(self.run(self.world, count))
        stepper.watch.share(self.course.ticks)
        self.report = report = self.course.report.tolist()
        frames = int(report[FRAMES])
        if frames == 0:
            return state, 0, code
        made, time = [np.empty_like(getattr(state, name)) for name in CHANGED], state.time
        if not self.looks_back:
            made[CHANGED.index("older")] = state.older[:0]
        self.carry(stepper.s, 0, *made, *(getattr(state, name) for name in GIVEN))
        for _ in range(frames):
            time += stepper.settings.step  # as one by one, to the bit
        arrays, iterations = dict(zip(CHANGED, made, strict=True)), self.iterations(state)
        arrays["older"] = arrays["older"] if arrays["older"].size else state.older
        steps, energy = state.steps + frames, report[ENERGY]
        return state.but(time=time, steps=steps, energy=energy, iterations=iterations, **arrays), frames, code

    def choose(self, state: State) -> None:
        """Choose how springs across trees are solved with in all that follows from a state."""
        if self.stepper.own.springs is not None:
            self.stepper.own.springs.choose(to_expect(state.iterations, state.steps))

    def iterations(self, state: State) -> int:
        """What to expect next of springs across trees, after a solve that followed from a state."""
        springs = self.stepper.own.springs
        return state.iterations if springs is None else springs.expected

    def is_clear(self, state: State) -> bool:
        """Whether nothing touches anything, nor comes near where the state leads; scratch then says how near."""
        collider, scratch = self.stepper.collider, self.stepper.scratch
        assert collider is not None
        self.look_ahead(*self.ahead)
        places, reach, guess = scratch.places, scratch.reach, scratch.candidate.guess
        if collider.contacts(places.position, places.rotation, reach).count:
            return False
        start, h = self.stepper.places_of(state), self.stepper.settings.step
        return find_meetings(self.stepper, start, guess, h) is None

    def tally(self) -> Tally:
        """What the last smooth frame took."""
        report = self.report
        return Tally(
            NOTHING, solves=int(report[SOLVES]), substeps=1, pivots=int(report[PIVOTS]), residual=report[RESIDUAL],
            violation=report[WORST], rows=self.stepper.mechanism.row_count, tight=int(report[TIGHT]), finite=True,
            # where it was not the last, scratch holds the frame after it, which was not smooth
            momentum=self.stepper.scratch.verdict.balance[2:8].reshape(2, 3).copy() if self.code == SMOOTH else None,
        )  # fmt: skip

    def first_try(self, state: State, h: float) -> Outcome | None:
        """The candidate of the first try at a part of a frame, None where it could not be solved or closed."""
        self.stepper.take(state)
        self.choose(state)
        self.course.ticks.fill(0)
        judged = self.try_part(self.world, h)
        self.stepper.watch.share(self.course.ticks)
        return self.outcome(state) if judged else None

    def solve(self, state: State, start: WarmStart | MlcpSolution) -> MlcpSolution | None:
        """The solution of the rows as they are linearised; None where the solver has to do more than pivot."""
        memory = self.stepper.own
        self.choose(state)
        memory.answer.start_set[:], memory.answer.start_lam[:] = start.index_set, start.lam
        return self.solution() if self.solver(memory.handles[1], self.work, memory.handles[2]) else None

    def solution(self) -> MlcpSolution:
        """What the last solve found."""
        answer = self.stepper.own.answer
        return MlcpSolution(
            lam=answer.lam.copy(), w=answer.w.copy(), index_set=answer.index_set.copy(), status=Status.SOLVED,
            residual=float(answer.report[0]), iterations=int(answer.report[1]), factorizations=int(answer.report[1]),
        )  # fmt: skip

    def outcome(self, state: State) -> Outcome:
        """The candidate of a frame that was judged and not accepted."""
        outcome = outcome_of(self.stepper, state, self.stepper.own, self.stepper.alone, self.solution())
        outcome.iterations = self.iterations(state)
        return outcome


def chosen_solver(stepper: Stepper) -> PivotingSolver | None:
    """Who solves while nothing touches; None where islands have different solvers."""
    return stepper.settings.solver.chosen(stepper.mechanism.entries if stepper.own.reduced is None else None)


def can_be_smooth(stepper: Stepper) -> bool:
    """Whether frames of a stepper may be compiled: nothing bounces, no rope rubs, and its solver can be called there.

    Projections are Python, and further linearisations where none is needed are left to it.

    Where bodies can touch, those frames may in which none comes near another.
    """
    solver, policy = chosen_solver(stepper), stepper.settings.policy
    if policy.projections is not None or policy.newton > 1:
        return False
    if (
        stepper.bounces
        or stepper.rubs
        or stepper.is_exact
        or not stepper.settings.policy.accepts
        or not stepper.mechanism.row_count
    ):
        return False
    if stepper.own.reduced is not None and not stepper.own.reduced.table.kept.size:
        return True
    if type(solver) is LinearTime and stepper.own.reduced is None:
        return not solver.tree_of(stepper.mechanism.entries).layout.auxiliary.size
    return type(solver) is BlockPivoting
