"""Springs across trees: H y = b by iterations or by a factor, for one right-hand side or for a column a row.

What is cheaper depends on how many iterations the springs take, which is not known before: what the last step took
says so, and is kept with the state, see `taut.linalg.articulated_choice`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np

from taut.linalg.articulated_costs import MOST_ITERATIONS, Costs
from taut.linalg.articulated_direct import DirectFactor
from taut.linalg.articulated_pcg import TOLERANCE, ConjugateGradients
from taut.responses.articulated import ReducedRows
from taut.spatial import Array
from taut.tables import Handle, held

PATIENCE = 2
"""How many times the iterations that cost what a factor costs are allowed where fewer were expected."""

REFINEMENTS = 1
"""Corrections of a direct solution by its residual in maximal space."""

THREADS = 2
"""Threads that share columns; what they find does not depend on how many there are."""

WORTH_SHARING = 2e5
"""Predicted nanoseconds of all columns from which threads share them: to start some takes a tenth of that."""


class CrossingSprings:
    """Solves with the springs across the trees of one table."""

    def __init__(self, rows: ReducedRows, method: str) -> None:
        """Solve for the table of these rows by "pcg", "direct" or "auto"."""
        self.rows, self.method, self.table = rows, method, rows.table
        self.blocks, self.factor = held(rows.table.blocks), held(rows.table.factor)
        self.costs = Costs(rows.table.blocks)
        self.iterates = False

    def among(self, rows: ReducedRows) -> CrossingSprings:
        """The same springs where other rows are kept."""
        other = CrossingSprings.__new__(CrossingSprings)
        other.__dict__.update(self.__dict__, rows=rows, table=rows.table)
        return other

    @cached_property
    def direct(self) -> Handle:
        """Room for a direct factor, planned when it is first needed."""
        return held(DirectFactor.of(self.costs.plan, self.table.blocks.nodes))

    @cached_property
    def gradients(self) -> list[Handle]:
        """Vectors of conjugate gradients, for each thread."""
        blocks = self.table.blocks
        return [held(ConjugateGradients.of(blocks.nodes, blocks.dofs)) for _ in range(THREADS)]

    def reduce(self, kkt: Handle, expected: int) -> tuple[bool, int]:
        """Write out A and b of the rows that are kept; whether that went well, and iterations to expect next time.

        `expected` is 0 where nothing is known. See the kernel of this name for trees without such springs.
        """
        from taut.responses.articulated_kernels import mirror, prepare, take_rates, take_rows

        table, handle = self.table, self.rows.handle
        prepare(kkt, handle)
        went_well, expected = self.solve_first(table.balance, expected)
        if not went_well:
            return False, expected
        take_rates(handle)
        if table.kept.size:
            take_rows(kkt, handle)
            went_well = self.columns(kkt, expected)
            mirror(handle)
        return went_well, expected

    def recover(self, kkt: Handle, lam_out: Array) -> bool:
        """Velocities of trees and impulses of all rows from those that are kept; whether that went well."""
        from taut.responses.articulated_impulse_kernels import complete, gather
        from taut.responses.articulated_kernels import take_rates

        table, handle = self.table, self.rows.handle
        gather(kkt, handle, lam_out)
        went_well = not table.kept.size or self.solve_again(table.rhs, table.rate)
        take_rates(handle)
        complete(kkt, handle, lam_out)
        return went_well

    def solve_first(self, rhs: Array, expected: int) -> tuple[bool, int]:
        """The first right-hand side (nodes, 6), for which a method is chosen; rates are left in the table."""
        from taut.linalg.articulated_kernels import factor_tree

        most = self.most_iterations(expected)
        self.iterates = most > 0 and factor_tree(self.blocks, self.factor) == 0
        if self.iterates:
            taken = self.iterate(rhs, most, self.table.rate, 0)
            if taken >= 0:
                return True, max(taken, 1)
            if self.method == "pcg":
                return False, expected
            self.iterates, expected = False, most + 1
        return self.factor_direct() and self.solve_again(rhs, self.table.rate), expected

    def most_iterations(self, expected: int) -> int:
        """How many iterations a right-hand side are worth it, none where a direct factor is cheaper."""
        if self.method != "auto":
            return MOST_ITERATIONS if self.method == "pcg" else 0
        columns = self.table.kept.size + 2 if self.table.kept.size else 1
        most = self.costs.iterations_of_a_factor(columns)
        if expected == 0:
            return most
        return PATIENCE * most if expected <= most else 0

    def iterate(self, rhs: Array, most: int, y_out: Array, thread: int) -> int:
        """Conjugate gradients from rest; iterations taken, or less than 0."""
        from taut.linalg.articulated_pcg_kernels import pcg

        y_out.fill(0.0)
        gradients = self.gradients[thread]
        return int(pcg(self.blocks, self.factor, gradients, rhs, self.table.zero, TOLERANCE, most, y_out))

    def factor_direct(self) -> bool:
        """Factor H; whether all pivots are positive."""
        from taut.linalg.articulated_direct_kernels import assemble_direct, factor_direct

        assemble_direct(self.blocks, self.factor, self.direct)
        return int(factor_direct(self.direct)) == 0

    def solve_again(self, rhs: Array, y_out: Array, thread: int = 0) -> bool:
        """A right-hand side (nodes, 6) by the method that was chosen; whether that went well."""
        from taut.linalg.articulated_direct_kernels import solve_direct

        if self.iterates:
            return self.iterate(rhs, MOST_ITERATIONS, y_out, thread) >= 0
        solve_direct(self.blocks, self.direct, rhs, self.table.zero, REFINEMENTS, y_out)
        return True

    def columns(self, kkt: Handle, expected: int) -> bool:
        """A of the rows that are kept, one solve a row; whether all went well.

        Iterations of different rows do not meet, so threads may share them.                  [Baxter2019, section 3.4]
        """
        count = self.table.kept.size
        if not self.iterates or count * expected * self.costs.iteration < WORTH_SHARING:
            return all([self.column(kkt, k, 0) for k in range(count)])
        with ThreadPoolExecutor(THREADS) as executor:
            shares = executor.map(
                lambda thread: [self.column(kkt, k, thread) for k in range(thread, count, THREADS)], range(THREADS)
            )
            return all(went_well for share in shares for went_well in share)

    def column(self, kkt: Handle, k: int, thread: int) -> bool:
        """One row of A, from the diagonal on."""
        from taut.linalg.articulated_kernels import times_j
        from taut.responses.articulated_kernels import fill_row

        rows, blocks = self.table.rows, self.table.blocks
        load, velocity = np.zeros((2, blocks.nodes, 6))
        rates, entries = np.zeros(blocks.dofs), slice(rows.row_start[k], rows.row_start[k + 1])
        np.add.at(load, rows.row_node[entries], rows.row_jacobian[entries])
        if not self.solve_again(load, rates, thread):
            return False
        times_j(self.blocks, rates, velocity)
        fill_row(kkt, self.rows.handle, k, velocity)
        return True
