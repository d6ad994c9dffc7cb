"""Primary tree: bodies with their joints already inside, eliminated along the tree; other rows see what is left.

    [ M~  -J^T ] [ v+ - v_free ]   [ J_a^T lam_a ]
    [ -J  -S   ] [     lam     ] = [ b + J v_free ]                                                 [Baraff1996, eq. 8]

Primary rows are the model's rows that no bound limits: joints, soft or hard, springs, drives of unlimited force,
velocity couplings. The graph of bodies and primary rows is a forest unless moving bodies close loops; then the rows
that close them either stay inside, at the price of some fill, or become auxiliary, whichever costs less.
"""

from __future__ import annotations

import importlib

import numpy as np

from taut.linalg.block_ldl import BlockLdl
from taut.model.model import Model
from taut.problem.condensed import CondensedMlcp
from taut.problem.mlcp import MlcpProblem
from taut.responses.anticipation import Anticipation
from taut.responses.free_bodies import HARD_REGULARISATION, FreeBodies
from taut.responses.primary_rows import PrimaryRows, choose_primary
from taut.rows.container import RowWork
from taut.rows.incidence import RowEntries
from taut.solvers.base import PivotingSolver
from taut.spatial import Array

REFINE_ABOVE = 1e-15
"""Slack of a primary row, over the size of the problem (see `judge_rows`), above which a solve is refined."""


class PrimaryTree(FreeBodies):
    """M~^-1 of bodies whose primary rows hold, and the MLCP of the rows that are left."""

    def __init__(self, model: Model, cut_loops: bool | None = None) -> None:
        """Choose the primary rows of this model and plan their elimination; see `choose_primary`."""
        self.primary: PrimaryRows = choose_primary(model, cut_loops)
        plan = self.primary.plan
        self.ldl = BlockLdl(plan, self.primary.sign, self.primary.given)
        self.x = np.zeros((plan.count, 6))
        self.change = np.zeros((model.bodies.count, 6))
        super().__init__(model)

    def use(self, entries: RowEntries) -> None:
        """Go on with these rows; all but the primary ones are auxiliary."""
        super().use(entries)
        if self.primary not in entries.structures:
            entries.structures[self.primary] = Anticipation.of(entries, self.primary)
        self.layout: Anticipation = entries.structures[self.primary]
        self.auxiliary, self.pattern = self.layout.auxiliary, self.layout.pattern
        self.island, self.island_count = self.layout.island, self.layout.island_count
        self.compliance, self.total_bias, self.weight = (np.zeros(entries.row_count) for _ in range(3))

    def load(self, solver: PivotingSolver) -> None:
        """Load the kernels."""
        for module in ("free_bodies_kernels", "primary_tree_kernels", "anticipation_kernels"):
            importlib.import_module(f"taut.responses.{module}")

    def assemble(self, work: RowWork) -> CondensedMlcp:  # type: ignore[override]
        """Factor bodies and primary rows, and condense the problem to the auxiliary ones; redundant rows give way."""
        from taut.responses import primary_tree_kernels as kernels

        primary, plan, entries, ldl = self.primary, self.primary.plan, self.entries, self.ldl
        self.work = work
        kernels.row_products(
            entries.entry_start, entries.entry_body, self.inverse_mass, self.inverse_inertia, self.free_velocity,
            work.jacobian, work.compliance, work.bias, self.redundant, HARD_REGULARISATION,
            self.response, self.compliance, self.total_bias, self.diagonal, self.weight,
        )  # fmt: skip
        self.broken = kernels.load_and_factor(
            primary.body_position, self.inverse_mass, self.turning,
            primary.row_position, primary.row_slot, self.compliance,
            primary.entry_block, primary.entry_slot, primary.entry_across, primary.filled, work.jacobian,
            plan.size, ldl.given, ldl.sign, plan.below_start, plan.below, plan.target, ldl.diagonal, ldl.block,
        ) >= 0  # fmt: skip
        self.whole: MlcpProblem | None = None
        self.values, self.bias = np.zeros(0), np.zeros(0)
        if self.auxiliary.size and not self.broken:
            self.bias = self.expand(np.zeros(self.auxiliary.size))[1][self.auxiliary]
            self.values = self.layout.condense(self)
        self.given_bias = self.total_bias.copy()
        return CondensedMlcp(self.given_bias, work.lower.copy(), work.upper.copy(), self)

    def expand(self, lam: Array) -> tuple[Array, Array]:
        """Multipliers and slack of all rows, the primary ones holding against these of the auxiliary ones."""
        from taut.responses import primary_tree_kernels as kernels

        primary, plan, entries, ldl = self.primary, self.primary.plan, self.entries, self.ldl
        every, w = np.zeros(entries.row_count), np.empty(entries.row_count)
        every[self.auxiliary] = lam
        kernels.solve_rows(
            entries.entry_start, entries.entry_row, entries.entry_body, primary.body_position,
            primary.row_position, primary.row_slot, self.work.jacobian, self.response, self.compliance,
            self.total_bias, self.weight, REFINE_ABOVE,
            plan.size, ldl.sign, plan.below_start, plan.below, ldl.diagonal, ldl.block, self.x, self.change, every, w,
        )  # fmt: skip
        return every, w

    def matrix(self) -> MlcpProblem:
        """The problem of all rows, with A written out."""
        if self.whole is None:
            work, given = self.work, self.work.compliance
            work.compliance = self.compliance  # in which redundant rows have given way already
            values, bias = self.products(work)
            work.compliance = given
            self.whole = MlcpProblem(self.incidence.pattern, values, bias, work.lower.copy(), work.upper.copy())
        return self.whole
