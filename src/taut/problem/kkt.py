"""The waist: the KKT system of one linearisation, as blocks of numbers. Nothing physical.

        M u - J^T lam = 0               u: change of the velocities by the rows' impulses
        J u + S lam + b = w             lower <= lam <= upper,  w >= 0 at lower,  w <= 0 at upper,  w = 0 between

M is block diagonal with one block of six a body, J has one block of six numbers for every body that a row touches, S is
diagonal and not negative. What bodies do without rows is in b. Every solver eliminates in an order of its own: one that
wants to see rows only asks for A = J M^-1 J^T + S, see `KktProblem.matrix`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.problem.mlcp import MlcpProblem
from taut.structure.incidence import RowEntries
from taut.tables import Layout, RealRows, Reals, Wholes, held

Array = NDArray[np.float64]

HARD_REGULARISATION = 1e-12
"""Compliance, over its diagonal of A, of a row without any that nobody has searched for redundant ones, such as a limit
or a blow of a contact: redundant rows stay solvable, far below any tolerance."""

RESIDUAL, PIVOTS, FACTORIZATIONS, SOLVED = 0, 1, 2, 3
"""Places in the report of a `KktAnswer`."""


class Kkt(NamedTuple):
    """The arrays of a KKT system, in compiled code by its handle.

    Attributes:
        entry_start: (rows + 1,) first block of J of each row.
        entry_row, entry_body: (entries,) row and body of each block.
        inverse_mass: (bodies,) M^-1 of the first three numbers of a body, 0 for bodies that do not move.
        inverse_inertia: (bodies, 9) M^-1 of the last three, row by row.
        turning: (bodies, 9) M of the last three.
        jacobian: (entries, 6) blocks of J.
        response: (entries, 6) blocks of M^-1 J^T.
        compliance, bias, lower, upper: (rows,) S, b and the bounds.
        diagonal: (rows,) of A = J M^-1 J^T + S.
    """

    entry_start: Wholes
    entry_row: Wholes
    entry_body: Wholes
    inverse_mass: Reals
    inverse_inertia: RealRows
    turning: RealRows
    jacobian: RealRows
    response: RealRows
    compliance: Reals
    bias: Reals
    lower: Reals
    upper: Reals
    diagonal: Reals


class KktAnswer(NamedTuple):
    """Where compiled solvers start and what they find.

    Attributes:
        start_set, start_lam: (rows,) labels and multipliers to start from.
        index_set, lam, w: (rows,) labels, multipliers and slack found.
        report: (4,) scaled natural residual, pivots, factorisations, and 1 if solved.
    """

    start_set: Wholes
    start_lam: Reals
    index_set: Wholes
    lam: Reals
    w: Reals
    report: Reals


ANSWER = Layout(KktAnswer, {"report": (4,)}, by="rows")
"""How answers lie in memory."""


@dataclass(frozen=True, eq=False)
class KktProblem:
    """Find u, lam and w of the KKT system above.

    Its numbers stay as they are while it is in use. Problems that differ in b and bounds only are made from each other:
    they share `kept`, which holds what was worked out about their common blocks, A among it.

    Attributes:
        entries: which bodies each row touches.
        blocks: the numbers.
        name: for messages and file names.
        given_handle: the handle of the blocks, where there is one already.
        kept: what was worked out about M, J and S, by who did.
    """

    entries: RowEntries
    blocks: Kkt
    name: str = ""
    given_handle: Any = field(default=None, repr=False)
    kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.blocks.bias.size

    @property
    def bias(self) -> Array:
        """b (rows,), what bodies do without rows included."""
        return self.blocks.bias

    @property
    def lower(self) -> Array:
        """Lower bounds (rows,)."""
        return self.blocks.lower

    @property
    def upper(self) -> Array:
        """Upper bounds (rows,)."""
        return self.blocks.upper

    @property
    def diagonal(self) -> Array:
        """Diagonal (rows,) of A = J M^-1 J^T + S."""
        return self.blocks.diagonal

    @property
    def islands(self) -> tuple[int, NDArray[np.int64]]:
        """Number of groups of rows that nothing couples, and the group (rows,) of each."""
        return self.entries.islands

    @cached_property
    def handle(self) -> Any:
        """What kernels take the blocks by."""
        return held(self.blocks) if self.given_handle is None else self.given_handle

    @cached_property
    def _matrix(self) -> MlcpProblem:
        from taut.problem.kkt_kernels import multiply_blocks

        incidence, blocks = self.entries.incidence, self.blocks
        values = self.kept.get(DELASSUS)
        if values is None:
            values = self.kept[DELASSUS] = np.zeros(incidence.pattern.entry_count)
            multiply_blocks(
                incidence.body_start, incidence.entry, incidence.target, incidence.mirror, incidence.diagonal,
                blocks.jacobian, blocks.response, blocks.compliance, values,
            )  # fmt: skip
        return MlcpProblem(incidence.pattern, values, blocks.bias, blocks.lower, blocks.upper, self.name)

    def matrix(self) -> MlcpProblem:
        """The same problem with A = J M^-1 J^T + S written out, for solvers that see rows only; worked out once."""
        return self._matrix

    def copy(self) -> KktProblem:
        """The same problem with numbers of its own; which bodies its rows touch is shared."""
        return KktProblem(self.entries, Kkt._make(each.copy() for each in self.blocks), self.name)

    def with_bounds(self, lower: Array, upper: Array) -> KktProblem:
        """The same problem within other bounds (rows,)."""
        return self.with_bias(self.bias, lower, upper)

    def with_bias(self, bias: Array, lower: Array, upper: Array) -> KktProblem:
        """The same problem with another b within other bounds, all (rows,)."""
        blocks = self.blocks._replace(bias=bias, lower=lower, upper=upper)
        return KktProblem(self.entries, blocks, self.name, kept=self.kept)

    def part(self, rows: NDArray[np.int64]) -> KktProblem:
        """The problem of some rows (k,), in rising order, that nothing couples with the others."""
        blocks, (chosen, _) = self.blocks, self.entries.blocks_of(rows)
        entries = self.entries.part(rows)
        own = blocks._replace(
            entry_start=entries.entry_start, entry_row=entries.entry_row, entry_body=entries.entry_body,
            jacobian=blocks.jacobian[chosen], response=blocks.response[chosen], compliance=blocks.compliance[rows],
            bias=blocks.bias[rows], lower=blocks.lower[rows], upper=blocks.upper[rows],
            diagonal=blocks.diagonal[rows],
        )  # fmt: skip
        return KktProblem(entries, own, self.name)

    def velocity_change(self, lam: Array) -> Array:
        """u = M^-1 J^T lam, (bodies, 6)."""
        from taut.problem.kkt_kernels import add_response

        change = np.zeros((self.entries.moves.size, 6))
        add_response(self.blocks.entry_row, self.blocks.entry_body, self.blocks.response, lam, change)
        return change

    def save(self, path: str | Path) -> None:
        """Write the problem with its matrix to an npz file, see `MlcpProblem.save`."""
        self.matrix().save(path)


DELASSUS = "delassus"
"""Key of A's values among what problems keep."""

Problem = KktProblem | MlcpProblem
"""What solvers take: both say `size`, `bias`, `lower`, `upper`, `islands`, `matrix`, `with_bounds` and `with_bias`."""
