"""Linear-time Lagrange multipliers: joints in O(n) along the tree, pivoting on what is left."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from taut.problem.kkt import FACTORIZATIONS, PIVOTS, KktProblem, Problem
from taut.problem.solution import MlcpSolution, Status, WarmStart
from taut.solvers.base import HIDDEN_ABOVE, HIDDEN_FOR_SURE, ROUNDING, Start, start_arrays
from taut.solvers.block_pivoting import BlockPivoting, load_pivoting
from taut.solvers.interior_point import load_interior_point
from taut.solvers.tree.primary import choose_primary
from taut.solvers.tree.tree import Tree, TreeFactor
from taut.structure.incidence import RowEntries


@dataclass(frozen=True)
class LinearTime(BlockPivoting):
    """Sparse LDL^T of bodies and joints, then block pivoting on the auxiliary rows.                   [Baraff1996, 8]

    The certificate is that of all rows, primary ones included. Where the sparse factor breaks down or leaves too much,
    the problem is written out and all its rows are pivoted on; so is a plain matrix, which has no bodies to eliminate.

    The factor is kept with the rows, so two threads must not solve problems of one `RowEntries` at the same time.
    """

    name: ClassVar[str] = "linear-time"
    summary: ClassVar[str] = "joints by a sparse LDL^T in O(n), block pivoting on limits, contacts and cut loops"

    cut_loops: bool | None = None
    """Whether rows that close loops are left to pivoting; None = where that is cheaper."""

    def prepare(self, entries: RowEntries, contacts: bool = False) -> None:
        """Choose the primary rows, and load the kernels: where rows are left to pivot on, those of that as well.

        What touches first is met without an index set, from where pivoting seldom ends before the interior point.
        """
        for module in ("tree_kernels", "anticipation_kernels"):
            importlib.import_module(f"taut.solvers.tree.{module}")
        if self.tree_of(entries).layout.auxiliary.size or contacts:
            load_pivoting()
        if contacts:
            load_interior_point()

    def tree_of(self, entries: RowEntries) -> Tree:
        """Primary and auxiliary rows of some entries; worked out once and kept with them."""
        tree: Tree | None = entries.structures.get(self)
        if tree is None:
            if entries.base is None:
                factor = TreeFactor.of(choose_primary(entries, self.cut_loops))
            else:
                factor = self.tree_of(entries.base).factor
            limits = np.array([self.accuracy, ROUNDING, HIDDEN_ABOVE, HIDDEN_FOR_SURE])
            tree = entries.structures[self] = Tree.of(entries, factor, limits)
        return tree

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        if isinstance(problem, KktProblem):
            solution = self.solve_along_tree(problem, warm_start)
            if solution.solved:
                return solution
        return super().solve(problem.matrix(), warm_start)

    def solve_along_tree(self, problem: KktProblem, warm_start: Start) -> MlcpSolution:
        """The solution by elimination of the primary rows, or how far it got."""
        from taut.solvers.tree.tree_kernels import solve_tree

        tree = self.tree_of(problem.entries)
        answer, rows = tree.answer, tree.layout.auxiliary
        if rows.size == 0:
            tree.factor.kept = None  # the factor is written over
            if solve_tree(problem.handle, tree.work_handle, tree.answer_handle):
                return concluded(tree, Status.SOLVED, "")
            return concluded(tree, Status.NOT_POSITIVE_DEFINITE, INACCURATE)
        if not tree.eliminate(problem):
            return self.refuse(problem)
        warm = None
        if warm_start is not None:
            index_set, lam = start_arrays(problem.size, warm_start)
            warm = WarmStart(index_set[rows], lam[rows])
        part = super().solve(tree.left(problem), warm)
        answer.index_set.fill(0)
        answer.index_set[rows] = part.index_set
        answer.report[PIVOTS], answer.report[FACTORIZATIONS] = part.iterations, part.factorizations + 1
        if tree.expand(problem, part.lam):
            return concluded(tree, Status.SOLVED, "")
        if part.solved:
            return concluded(tree, Status.NOT_POSITIVE_DEFINITE, INACCURATE)
        return concluded(tree, part.status, part.message)


INACCURATE = "the sparse factor of the joints is not accurate enough"


def concluded(tree: Tree, status: Status, message: str) -> MlcpSolution:
    """A solution of its own from what kernels left in the answer."""
    answer = tree.answer
    residual, pivots, factorizations, _ = answer.report.tolist()
    return MlcpSolution(
        lam=answer.lam.copy(),
        w=answer.w.copy(),
        index_set=answer.index_set.copy(),
        status=status,
        residual=residual,
        iterations=int(pivots),
        factorizations=int(factorizations),
        message=message,
    )
