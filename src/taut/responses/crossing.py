"""Springs across trees: H y = b by iterations or by a factor, for one right-hand side and for a column a row.

What is cheaper depends on how many iterations the springs take, which is not known before: what the last step took
says so, and is kept with the state, see `taut.linalg.articulated_choice`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import NamedTuple

import numpy as np

from taut.linalg.articulated import ArticulatedBlocks, ArticulatedFactor
from taut.linalg.articulated_choice import METHODS, ArticulatedSolver
from taut.linalg.articulated_costs import MOST_ITERATIONS
from taut.linalg.articulated_direct import DirectFactor
from taut.linalg.articulated_pcg import ConjugateGradients
from taut.linalg.articulated_plan import plan_direct
from taut.linalg.articulated_response import respond_part
from taut.responses.articulated import THREADS, ReducedRows
from taut.spatial import Array
from taut.tables import Handle, RealRows, Reals, Wholes, held

__all__ = ["DOUBTFUL", "METHODS", "CrossingSprings", "SpringWork", "to_expect"]

WORTH_SHARING = 2e5
"""Predicted nanoseconds of all columns from which threads share them: to start some takes a tenth of that."""

CORRECTED = 1e-4
"""Share of what velocities leave in the balance of bodies that a correction may leave of it."""

DOUBTFUL = 1e-10
"""Residual of the whole problem above which velocities are corrected: a tenth of what solvers are allowed."""

ASKED_AGAIN = 64
"""Steps after which iterations are tried again where a factor was cheaper: springs change."""

METHOD, MOST, EXPECTED = range(3)
"""What is said of a solve: its method, the iterations that are allowed, and those to expect next time, 0 where nothing
is known."""

ITERATES, DIRECT = range(2)
"""Methods: conjugate gradients, or a factor."""


def to_expect(iterations: int, steps: int) -> int:
    """Iterations to expect of springs after so many steps, 0 where they are to be asked again."""
    return 0 if steps % ASKED_AGAIN == 0 else iterations


class SpringWork(NamedTuple):
    """Memory of solves with springs across trees, for one set of rows.

    Attributes:
        factor, gradients, direct: of trees alone, of iterations, and of H; the last is of nothing where none is made.
        course: (3,) see METHOD.
        response: (k, k) what rows that are kept feel of each other.
        load: (nodes, 6) zero; velocity, rate: (nodes, 6), (dofs,) of one of them.
    """

    factor: ArticulatedFactor
    gradients: ConjugateGradients
    direct: DirectFactor
    course: Wholes
    response: RealRows
    load: RealRows
    velocity: RealRows
    rate: Reals


class CrossingSprings:
    """Solves with the springs across the trees of a model, for one set of rows."""

    def __init__(self, rows: ReducedRows, method: str, solver: ArticulatedSolver | None = None) -> None:
        """Solve for the table of these rows by "pcg", "direct" or "auto", with a solver that others share."""
        self.rows, self.method = rows, method
        self.solver = ArticulatedSolver(held(rows.table.blocks)) if solver is None else solver
        self.course = np.zeros(3, np.int64)

    def among(self, rows: ReducedRows) -> CrossingSprings:
        """The same springs where other rows are kept."""
        return CrossingSprings(rows, self.method, self.solver)

    @property
    def is_direct(self) -> bool:
        """Whether a direct factor may be made at all."""
        return self.method == "direct" or (self.method == "auto" and not self.solver.costs.is_long)

    @cached_property
    def work(self) -> Handle:
        """What kernels take these springs by."""
        count, blocks, solver = self.rows.table.kept.size, self.solver.blocks, self.solver
        return held(
            SpringWork(
                factor=solver.factor, gradients=held(ConjugateGradients.of(blocks.nodes, blocks.dofs)),  # type: ignore[arg-type]
                direct=solver.direct if self.is_direct else no_factor(), course=self.course,  # type: ignore[arg-type]
                response=np.zeros((count, count)), load=np.zeros((blocks.nodes, 6)),
                velocity=np.zeros((blocks.nodes, 6)), rate=np.zeros(blocks.dofs),
            )
        )  # fmt: skip

    def choose(self, expected: int) -> None:
        """Choose a method where so many iterations are expected, 0 where nothing is known."""
        count = self.rows.table.kept.size
        method, most = self.solver.choose(self.method, expected or None, count + 2 if count else 1)
        self.course[:] = DIRECT if method == "direct" else ITERATES, most, expected

    @property
    def expected(self) -> int:
        """Iterations to expect next time."""
        return int(self.course[EXPECTED])

    def reduce(self, kkt: Handle, expected: int) -> bool:
        """Write out A and b of the rows that are kept; whether that went well.

        `expected` are iterations, 0 where nothing is known. See the kernel of this name for trees without such springs.
        """
        from taut.responses.crossing_kernels import reduce_first

        self.choose(expected)
        tables = kkt, self.rows.handle, self.work
        failed = reduce_first(*tables)
        if failed and self.is_direct and self.course[METHOD] != DIRECT:
            self.course[:] = DIRECT, self.course[MOST], self.course[MOST] + 1
            failed = reduce_first(*tables)
        return not failed and (not self.rows.table.kept.size or self.reduce_rest(kkt))

    def reduce_rest(self, kkt: Handle) -> bool:
        """Write out A of the rows that are kept; threads share a large number of them."""
        from taut.responses.articulated_kernels import end_reduction, take_response
        from taut.responses.crossing_kernels import reduce_rest

        if not self.is_shared:
            return not reduce_rest(kkt, self.rows.handle, self.work)
        response: Array = self.work.response
        went_well = self.share_columns(response)
        take_response(self.rows.handle, response)
        end_reduction(kkt, self.rows.handle)
        return went_well

    @property
    def is_shared(self) -> bool:
        """Whether threads share columns."""
        costs, direct = self.solver.costs, self.course[METHOD] == DIRECT
        time = costs.direct_solve if direct else self.course[EXPECTED] * costs.iteration
        count = self.rows.table.kept.size
        return bool(min(THREADS, count) > 1 and count * time > WORTH_SHARING)

    def recover(self, kkt: Handle, lam_out: Array) -> None:
        """Velocities of trees and impulses of all rows from those that are kept; by a factor if iterations fail."""
        from taut.responses.crossing_kernels import recover_all, recover_by_factor

        tables = kkt, self.rows.handle, self.work, lam_out
        if recover_all(*tables) and self.is_direct and self.course[METHOD] != DIRECT:
            self.course[:] = DIRECT, self.course[MOST], self.course[MOST] + 1
            recover_by_factor(*tables)

    def correct(self, kkt: Handle, lam_out: Array) -> None:
        """Correct velocities and impulses by what they leave in the balance of bodies."""
        from taut.responses.crossing_kernels import correct_all

        correct_all(kkt, self.rows.handle, self.work, lam_out)

    def share_columns(self, response_out: Array) -> bool:
        """G H^-1 G^T, one solve a row, shared by threads; whether all went well.

        Rows do not wait for each other.                                                      [Baxter2019, section 3.4]
        """
        table, method = self.rows.table, "direct" if self.course[METHOD] == DIRECT else "pcg"
        ends, rows = np.linspace(0, table.kept.size, THREADS + 1).astype(int), held(table.rows)

        def work(part: int) -> int:
            columns = int(ends[part]), int(ends[part + 1])
            return respond_part(self.solver, method, rows, columns, MOST_ITERATIONS, response_out)

        with ThreadPoolExecutor(THREADS) as executor:
            return min(executor.map(work, range(THREADS))) >= 0


def no_factor() -> Handle:
    """A direct factor of one node, where none is ever made."""
    none = np.zeros(0, np.int64)
    blocks = ArticulatedBlocks(
        parent=np.array([-1]), dof_start=np.array([0, 1]), arm=np.zeros((1, 3)), subspace=np.zeros((1, 6)),
        block=np.zeros((1, 36)), reduced=np.zeros((1, 6)), cross_start=np.zeros(1, np.int64), cross_node=none,
        cross_jacobian=np.zeros((0, 6)), cross_weight=np.zeros(0),
    )  # fmt: skip
    return held(DirectFactor.of(plan_direct(blocks), 1))
