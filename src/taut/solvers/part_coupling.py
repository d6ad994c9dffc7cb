"""Parts solved on their own and coupled exactly through the Schur complement of their free rows.

With phi(lam_G) the least value of the box QP over the inner rows of all parts, multipliers lam_G of the interface are
sought that minimise phi within their bounds. phi is convex, has a continuous gradient, the slack w_G of the interface
when the parts are solved, and is quadratic on finitely many pieces, one for each index set of the parts. Algorithm 1 of
[Peiret2019] is Newton's method on it without a line search, and may cycle. Here a step of the paper is taken as it is
among the first FULL_STEPS, or if it makes the violation smaller than ever by a factor; any other one only as far as phi
falls along it, see `Coupling.move`.

Why it ends. The violation cannot become smaller by a factor without end, so sooner or later all steps are cut. A step d
is cut until phi has fallen by a twentieth at least of what the best step along d would gain, which is seen from the
slope w_G . d alone: phi is convex, so the slope rises along d. So phi converges to its minimum, where A is positive
definite. Near the minimum every piece that is met contains it, and as the gradient has no jumps, the quadratic of every
such piece has its minimum there: the next step in full is the answer, and w_G . d <= 0 at its end, as the
complementarity of the answer says.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taut.problem.kkt import Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import WarmStart
from taut.solvers.base import Start, labels_of, start_arrays
from taut.solvers.island_workspace import CODE, FACTORIZATIONS, PIVOTS, SOLVED
from taut.solvers.part_coupling_work import CouplingStructure, CouplingWorkspace

if TYPE_CHECKING:
    from taut.solvers.substructuring import Substructuring

Array = NDArray[np.float64]

FULL_STEPS = 2
"""Coupling iterations that are those of the paper: the first starts from no solution of the parts, and the second is
the last one in smooth motion."""
SMALLER = 0.5
"""Share of the smallest violation so far, with which a step is good enough."""
CLOSE, EXACT = 1e-12, 1e-14
"""Natural residual of the interface, relative to its island, with which steps are not questioned any more, and with
which one more would change nothing."""
REFINEMENTS = 2
"""Coupling iterations that only refine what is close, or has the labels of the iteration before."""
SHORTEST = 0.1
"""Share of the range in question that is left on either side where a step is cut."""
CUTS = 30
"""How often a step is cut; after that its range is nothing but rounding."""


@cache
def pool_of(threads: int) -> ThreadPoolExecutor:
    """Threads that solve parts, kept for all solves; the one that asks is the first."""
    return ThreadPoolExecutor(threads - 1, "taut-part")


@dataclass(eq=False)
class Coupling:
    """One solve, part by part.

    Attributes:
        solver, given, structure, work: how, what and with which arrays it is; `problem` is what is given, with its A.
        lam, labels, slack: (interface rows,) where the interface stands.
        everywhere: (n,) multipliers of all rows.
        violation: natural residual of the interface.
        iterations: of the coupling. rounds: how often all parts were solved.
        pivots, factorizations: of the interior-point method.
        swept, factored: pivots or sweeps of the interface, and its factors. interior: counted time of interior points.
        lowest: the smallest violation so far.
        given_up: whether it was predicted to take longer than all rows at once.
        settled: whether the last step led where it should, and the labels of the parts are those of S.
    """

    solver: Substructuring
    given: Problem
    structure: CouplingStructure
    work: CouplingWorkspace
    warm: bool
    lam: Array
    labels: NDArray[np.int64]
    slack: Array
    everywhere: Array
    violation: float = np.inf
    iterations: int = 0
    rounds: int = 0
    pivots: int = 0
    factorizations: int = 0
    swept: int = 0
    factored: int = 0
    interior: float = 0.0
    settled: bool = False
    given_up: bool = False
    lowest: float = np.inf
    problem: MlcpProblem = field(init=False)
    scale: Array = field(init=False)

    def __post_init__(self) -> None:
        self.problem, self.scale = self.given.matrix(), np.zeros(self.given.islands[0])

    @classmethod
    def of(
        cls, solver: Substructuring, given: Problem, structure: CouplingStructure, work: CouplingWorkspace, start: Start
    ) -> Coupling | None:
        """Take a problem and where to start from; None if it holds a number that is not finite."""
        from taut.solvers.part_coupling_kernels import take_parts

        problem, row = given.matrix(), structure.tearing.interface.row
        index_set, lam = start_arrays(problem.size, start)
        bounds = problem.lower, problem.upper
        if not take_parts(work.handle(0), problem.values, problem.bias, *bounds, index_set, lam):
            return None
        own = np.clip(np.where(np.isfinite(lam[row]), lam[row], 0.0), problem.lower[row], problem.upper[row])
        slack, everywhere = np.zeros(row.size), np.zeros(lam.size)
        return cls(solver, given, structure, work, start is not None, own, index_set[row], slack, everywhere)

    def run(self) -> bool:
        """Algorithm 1; whether it ended.                                                   [Peiret2019, Alg. 1]"""
        from taut.solvers.part_coupling_kernels import follow_labels

        if self.lam.size == 0:
            return self.solve_parts(self.lam)
        self.hold(self.lam)
        if min(self.each(follow_labels, self.structure.tearing.factor_cost)) < 0:
            return False
        self.slack = self.measure(self.lam)[1]
        refined = 0
        while self.rounds < self.solver.most and np.isfinite(self.slack).all():
            if (self.iterations >= FULL_STEPS and not self.pays()) or not self.complement():
                return False
            found = self.solve_interface()
            if found is None or not self.move(found):
                return False
            if self.violation <= EXACT:
                return True
            refined = refined + 1 if self.settled or self.violation <= CLOSE else 0
            if refined > REFINEMENTS:
                return True  # as good as rounding allows: the judge decides
        return False

    def complement(self) -> bool:
        """S of the labels that the parts have; whether there is one.                         [Peiret2019, eq. 24]"""
        from taut.solvers.part_coupling_kernels import complement_parts, sum_terms

        if min(self.each(complement_parts, self.structure.tearing.solve_cost)) < 0:
            return False
        sum_terms(self.work.handle(0), self.problem.values, self.work.matrix)
        return True

    def solve_interface(self) -> tuple[Array, NDArray[np.int64]] | None:
        """Multipliers and labels that solve S lam + z = w within bounds; None if nothing does.   [Peiret2019, eq. 18]

        z = w_G - S lam_G at where the interface stands is that of eq. 25, without what rounding does to its sum.
        """
        self.iterations += 1
        tearing = self.structure.tearing
        row = tearing.interface.row
        pattern, lower, upper = tearing.pattern, self.problem.lower[row], self.problem.upper[row]
        met = MlcpProblem(pattern, self.work.matrix, np.zeros(row.size), lower, upper)
        from taut.solvers.part_coupling_kernels import pose_interface

        pose_interface(pattern.indptr, pattern.indices, self.work.matrix, self.lam, self.slack, met.bias)
        start = WarmStart(self.labels, self.lam) if self.warm or self.iterations > 1 else None
        with self.structure.interface.lent() as work:
            found = self.solver.solve_interface(met, self.structure.interface, work, start)
        self.swept, self.factored = self.swept + found.iterations, self.factored + found.factorizations
        return (found.lam, found.index_set) if found.solved else None

    def move(self, found: tuple[Array, NDArray[np.int64]]) -> bool:
        """Go to what solves the interface problem, or as far as phi falls on the way; whether parts could be solved.

        The slope of phi along the way, w_G . d, rises. It is falling at `low` and rising at `high`; where the end of
        the step is beyond the lowest point, what was gained up to `low` is to be twice what may be lost after it.
        """
        (target, labels), begin, share = found, self.lam, 1.0
        direction = target - begin
        low, high = (0.0, float(self.slack @ direction)), (1.0, 0.0)
        for cut in range(CUTS):
            if cut and not self.pays():
                return False
            lam = target if share == 1.0 else begin + share * direction
            if not self.solve_parts(lam):
                return False
            self.violation, self.slack = self.measure(lam)
            slope, changes = float(self.slack @ direction), self.count_changes()
            if self.iterations <= FULL_STEPS or self.violation <= CLOSE or not low[1] < 0.0:
                break
            if share == 1.0 and self.violation <= SMALLER * self.lowest:
                break
            if slope <= 0.0 and (changes or share == 1.0):
                break  # further on, or S would be the same again, and the step too
            if slope > 0.0 and 2.0 * (share - low[0]) * slope <= -low[0] * low[1]:
                break
            low, high = ((share, slope), high) if slope <= 0.0 else (low, (share, slope))
            where = 0.5 if cut % 3 == 2 else low[1] / (low[1] - high[1])
            share = low[0] + (high[0] - low[0]) * min(max(where, SHORTEST), 1.0 - SHORTEST)
        self.lowest = min(self.lowest, self.violation)
        self.lam, self.settled = lam, share == 1.0 and changes == 0
        self.labels = labels if share == 1.0 else self.tight(lam)
        return True

    def count_changes(self) -> int:
        """Rows of parts whose labels are not those of S."""
        from taut.solvers.part_coupling_kernels import count_changes

        return int(count_changes(self.work.handle(0)))

    def tight(self, lam: Array) -> NDArray[np.int64]:
        """Labels of interface rows with these multipliers."""
        self.everywhere[self.structure.tearing.interface.row] = lam
        return labels_of(self.problem, self.everywhere)[self.structure.tearing.interface.row]

    def hold(self, lam: Array) -> None:
        """Give the parts the multipliers of the interface."""
        from taut.solvers.part_coupling_kernels import hold_interface

        hold_interface(self.work.handle(0), lam)

    def solve_parts(self, lam: Array) -> bool:
        """Solve every part with these multipliers at the interface; whether that was done.      [Peiret2019, eq. 16]"""
        from taut.solvers.part_coupling_kernels import pivot_parts

        self.rounds += 1
        self.hold(lam)
        limit = self.solver.warm_pivots if self.warm or self.iterations > 1 else self.solver.cold_pivots
        return sum(self.each(pivot_parts, self.structure.tearing.solve_cost, limit)) == 0 or self.solve_stuck_parts()

    def solve_stuck_parts(self) -> bool:
        """Go on with the interior-point method in parts where pivots did not end; whether that paid, and ended."""
        from taut.solvers.interior_point import run_stages

        cost, codes = self.structure.cost, self.work.tables.report[:, CODE]
        if not self.pays(cost.about_interior(codes != SOLVED)):
            return False
        rows = self.work.rows
        report = rows.tables.report
        report.fill(0)
        report[:, CODE] = codes
        run_stages(rows, None)
        self.interior += cost.of_interior(report)
        self.pivots += int(report[:, PIVOTS].max())
        self.factorizations += int(report[:, FACTORIZATIONS].max())
        return not report[:, CODE].any()

    def pays(self, ahead: float = 0.0) -> bool:
        """Whether what it took, with what is `ahead` for sure, is less than what all rows at once would take."""
        self.given_up = self.counted() + ahead > self.whole
        return not self.given_up

    @cached_property
    def whole(self) -> float:
        """Predicted nanoseconds of all rows at once, see `CouplingCost.of_whole`."""
        return self.structure.cost.of_whole(self.given)

    def counted(self) -> float:
        """Predicted nanoseconds of all that was done."""
        cost = self.structure.cost
        between = self.iterations * cost.sum + self.swept * cost.sweep + self.factored * cost.interface
        return self.rounds * cost.measure + between + cost.of_parts(self.work.tables.report) + self.interior

    def measure(self, lam: Array) -> tuple[float, Array]:
        """Natural residual and slack (interface rows,) of the interface with these multipliers."""
        from taut.solvers.part_coupling_kernels import measure_interface

        problem, slack = self.problem, np.empty(lam.size)
        violation = measure_interface(
            self.work.handle(0), problem.pattern.indptr, problem.pattern.indices, problem.values, problem.bias,
            problem.lower, problem.upper, self.given.islands[1], lam, self.scale, self.everywhere, slack,
        )  # fmt: skip
        return violation, slack

    def result(self) -> tuple[Array, NDArray[np.int64]]:
        """Multipliers and labels of all rows."""
        from taut.solvers.part_coupling_kernels import store_parts

        row = self.structure.tearing.interface.row
        index_set = np.zeros(self.problem.size, np.int64)
        store_parts(self.work.handle(0), self.problem.lower, self.problem.upper, self.everywhere, index_set)
        self.everywhere[row], index_set[row] = self.lam, self.labels
        return self.everywhere, index_set

    def spent(self) -> tuple[int, int]:
        """Pivots and factorisations: those of the worst part, and those of the interface."""
        pivots, factors = np.maximum.reduce(self.work.tables.report[:, [PIVOTS, FACTORIZATIONS]], initial=0).tolist()
        return self.swept + self.pivots + pivots, self.factored + self.factorizations + factors

    def each(self, kernel: Any, cost: Array, *arguments: Any) -> list[int]:
        """Run a kernel on all parts, whose costs (parts,) are about these: in threads, if that is worth handing it out.

        A part is worked on by one thread, with the same result whichever that is.
        """
        ranges = self.structure.ranges(self.solver.threads, cost)
        if len(ranges) == 1:
            return [kernel(self.work.handle(0), *ranges[0], *arguments)]
        pool = pool_of(len(ranges))
        others = [
            pool.submit(kernel, self.work.handle(thread), *own, *arguments)
            for thread, own in enumerate(ranges[1:], start=1)
        ]
        return [kernel(self.work.handle(0), *ranges[0], *arguments), *(each.result() for each in others)]
