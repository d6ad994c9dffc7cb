"""Springs across trees: H y = b by iterations or by a factor, for one right-hand side and for a column a row.

What is cheaper depends on how many iterations the springs take, which is not known before: what the last step took
says so, and is kept with the state, see `taut.linalg.articulated_choice`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from taut.linalg.articulated_choice import REFINEMENTS, ArticulatedSolver
from taut.linalg.articulated_costs import MOST_ITERATIONS
from taut.linalg.articulated_response import respond_part
from taut.responses.articulated import ReducedRows
from taut.spatial import Array
from taut.tables import Handle, held

THREADS = 2
"""Threads that share columns; what they find does not depend on how many there are."""

WORTH_SHARING = 2e5
"""Predicted nanoseconds of all columns from which threads share them: to start some takes a tenth of that."""


class CrossingSprings:
    """Solves with the springs across the trees of a model, for one set of rows."""

    def __init__(self, rows: ReducedRows, method: str, solver: ArticulatedSolver | None = None) -> None:
        """Solve for the table of these rows by "pcg", "direct" or "auto", with a solver that others share."""
        self.rows, self.method = rows, method
        self.solver = ArticulatedSolver(held(rows.table.blocks)) if solver is None else solver
        self.chosen, self.most = "direct", 0

    def among(self, rows: ReducedRows) -> CrossingSprings:
        """The same springs where other rows are kept."""
        return CrossingSprings(rows, self.method, self.solver)

    def reduce(self, kkt: Handle, expected: int) -> tuple[bool, int]:
        """Write out A and b of the rows that are kept; whether that went well, and iterations to expect next time.

        `expected` is 0 where nothing is known. See the kernel of this name for trees without such springs.
        """
        from taut.responses.articulated_kernels import fill_values, mirror, prepare, take_rates, take_rows

        table, handle = self.rows.table, self.rows.handle
        prepare(kkt, handle)
        went_well, expected = self.solve_first(expected)
        if not went_well:
            return False, expected
        take_rates(handle)
        if table.kept.size:
            take_rows(kkt, handle)
            response = np.zeros((table.kept.size, table.kept.size))
            went_well = self.fill_response(response, expected)
            fill_values(kkt, handle, response)
            mirror(handle)
        return went_well, expected

    def recover(self, kkt: Handle, lam_out: Array) -> None:
        """Velocities of trees and impulses of all rows from those that are kept."""
        from taut.responses.articulated_impulse_kernels import complete, gather
        from taut.responses.articulated_kernels import take_rates

        table, handle = self.rows.table, self.rows.handle
        gather(kkt, handle, lam_out)
        if table.kept.size:
            self.solve_rhs(table.rhs)
        take_rates(handle)
        complete(kkt, handle, lam_out)

    def solve_first(self, expected: int) -> tuple[bool, int]:
        """Choose a method and solve for the impulses that act without kept rows; rates are left in the table."""
        table, solver = self.rows.table, self.solver
        solves = table.kept.size + 2 if table.kept.size else 1
        self.chosen, self.most = solver.choose(self.method, expected or None, solves)
        if self.chosen == "pcg" and solver.factor_tree() == 0:
            taken = self.solve_rhs(table.balance)
            if taken >= 0:
                return True, max(taken, 1)
        if self.chosen == "pcg":
            if self.method == "pcg" or solver.costs.is_long:
                return False, expected
            self.chosen, expected = "direct", self.most + 1
        return solver.factor_direct() == 0 and self.solve_rhs(table.balance) == 0, expected

    def solve_rhs(self, rhs: Array) -> int:
        """Rates under impulses (nodes, 6) by the method that was chosen; iterations, less than 0 if too many."""
        from taut.linalg.articulated_direct_kernels import solve_direct

        table = self.rows.table
        table.rate.fill(0.0)
        if self.chosen == "direct":
            solve_direct(self.solver.handle, self.solver.direct, rhs, table.zero, REFINEMENTS, table.rate)
            return 0
        return self.solver.iterate(rhs, table.zero, self.most, table.rate)

    def fill_response(self, response_out: Array, expected: int) -> bool:
        """G H^-1 G^T, one solve a row, of which threads share a large number; whether all went well.

        Rows do not wait for each other.                                                      [Baxter2019, section 3.4]
        """
        table, solver = self.rows.table, self.solver
        count, rows = table.kept.size, held(table.rows)
        time = expected * solver.costs.iteration if self.chosen == "pcg" else solver.costs.direct_solve
        parts = THREADS if count * time > WORTH_SHARING else 1
        ends = np.linspace(0, count, parts + 1).astype(int)

        def work(part: int) -> int:
            columns = int(ends[part]), int(ends[part + 1])
            return respond_part(solver, self.chosen, rows, columns, MOST_ITERATIONS, response_out)

        if parts == 1:
            return work(0) >= 0
        with ThreadPoolExecutor(parts) as executor:
            return min(executor.map(work, range(parts))) >= 0
