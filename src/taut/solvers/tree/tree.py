"""Bodies with their primary rows inside, eliminated along the tree; the other rows see what is left.

    [ M  -J^T ] [  u  ]   [ J_a^T lam_a ]
    [ -J  -S  ] [ lam ] = [      b      ]                                                            [Baraff1996, eq. 8]

Primary rows are those that never have bounds, among the rows that are always there: joints, soft or hard, springs,
drives of unlimited force, velocity couplings. The graph of bodies and primary rows is a forest unless moving bodies
close loops; then the rows that close them either stay inside, at the price of some fill, or become auxiliary, whichever
costs less. With primary rows p and auxiliary rows a, what is left to pivot on is

    A_aa - A_ap A_pp^-1 A_pa   matrix of the auxiliary rows: the primary ones respond as they are pushed
    b_a  - A_ap A_pp^-1 b_p    their bias: how they would move if only the primary rows held           [Baraff1996, 8]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.linalg.block_ldl import BlockLdl
from taut.problem.kkt import KktAnswer, KktProblem
from taut.problem.mlcp import MlcpProblem
from taut.solvers.tree.anticipation import Anticipation
from taut.solvers.tree.primary import PrimaryRows
from taut.solvers.tree.work import TreeWork
from taut.structure.incidence import RowEntries
from taut.tables import held

Array = NDArray[np.float64]


@dataclass(eq=False)
class TreeFactor:
    """The elimination of bodies and primary rows and its memory, the same whatever rows come and go beside them.

    Attributes:
        primary: which rows, and where everything is.
        ldl: the factor.
        x: (nodes, 6) scratch.
        kept: what was worked out about the blocks that the factor is of (see `KktProblem`): tells whether they are the
            same; None for none.
        definite: whether the factor of these exists.
    """

    primary: PrimaryRows
    ldl: BlockLdl
    x: Array
    kept: object = None
    definite: bool = False

    @classmethod
    def of(cls, primary: PrimaryRows) -> TreeFactor:
        """Allocate for these primary rows."""
        plan = primary.plan
        return cls(primary, BlockLdl(plan, primary.sign, primary.given), np.zeros((plan.count, 6)))


@dataclass(eq=False)
class Tree:
    """What is known of some entries: their primary rows, their auxiliary ones, and memory for both.

    Attributes:
        factor: of the bodies and primary rows.
        layout: of the auxiliary rows.
        work, answer: tables for the kernels, and their handles.
        values: of the matrix of the auxiliary rows.
        bias: (auxiliary,) of these rows, for `bias_of`, b (rows,) of a problem.
    """

    factor: TreeFactor
    layout: Anticipation
    work: TreeWork
    answer: KktAnswer
    values: Array = field(default_factory=lambda: np.zeros(0))
    bias: Array = field(default_factory=lambda: np.zeros(0))
    bias_of: Array | None = None

    def __post_init__(self) -> None:
        self.work_handle: Any = held(self.work)
        self.answer_handle: Any = held(self.answer)

    @classmethod
    def of(cls, entries: RowEntries, factor: TreeFactor, limits: Array) -> Tree:
        """Work out the structure for these entries; all rows but the primary ones are auxiliary."""
        primary, plan, ldl = factor.primary, factor.primary.plan, factor.ldl
        layout, rows = Anticipation.of(entries, primary), entries.row_count
        count, island = entries.islands
        work = TreeWork(
            size=plan.size,
            given=ldl.given,
            sign=ldl.sign,
            below_start=plan.below_start,
            below=plan.below,
            target=plan.target,
            diagonal=ldl.diagonal,
            block=ldl.block,
            body_position=primary.body_position,
            row_position=primary.row_position,
            row_slot=primary.row_slot,
            entry_block=primary.entry_block,
            entry_slot=primary.entry_slot,
            entry_across=primary.entry_across,
            filled=primary.filled,
            softening=primary.softening,
            auxiliary=layout.auxiliary,
            island=island,
            x=factor.x,
            change=np.zeros((entries.moves.size, 6)),
            measure=np.zeros((3, count)),
            limits=limits,
        )
        answer = KktAnswer(
            start_set=np.zeros(rows, np.int64),
            start_lam=np.zeros(rows),
            index_set=np.zeros(rows, np.int64),
            lam=np.zeros(rows),
            w=np.zeros(rows),
            report=np.zeros(4),
        )
        return cls(factor, layout, work, answer)

    def eliminate(self, problem: KktProblem) -> bool:
        """Factor bodies and primary rows, and condense the matrix to the auxiliary ones; False if that breaks down.

        A problem that shares its blocks with the latest one finds both done.
        """
        from taut.solvers.tree.tree_kernels import factor_tree

        factor = self.factor
        if factor.kept is not problem.kept:
            factor.definite = bool(factor_tree(problem.handle, self.work_handle))
            factor.kept, self.bias_of = problem.kept, None
            if factor.definite:
                self.condense(problem)
        return factor.definite

    def condense(self, problem: KktProblem) -> None:
        """Work out the matrix of the auxiliary rows."""
        self.values = self.layout.condense(problem.blocks, self.factor.primary, self.factor.ldl, self.factor.x)

    def left(self, problem: KktProblem) -> MlcpProblem:
        """The problem of the auxiliary rows alone."""
        rows = self.layout.auxiliary
        if self.bias_of is not problem.bias:
            self.expand(problem, np.zeros(rows.size))
            self.bias, self.bias_of = self.answer.w[rows], problem.bias
        return MlcpProblem(self.layout.pattern, self.values, self.bias, problem.lower[rows], problem.upper[rows])

    def expand(self, problem: KktProblem, lam: Array) -> bool:
        """Put multipliers and slack of all rows into the answer, the primary ones holding against these of the others.

        Returns: whether that solves the problem.
        """
        from taut.solvers.tree.tree_kernels import finish_tree

        self.answer.lam[self.layout.auxiliary] = lam
        return bool(finish_tree(problem.handle, self.work_handle, self.answer_handle))
