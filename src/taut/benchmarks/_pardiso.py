"""Block pivoting with PARDISO, Intel's sparse direct solver, through the package ``pypardiso``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from taut.benchmarks._sparse_pivoting import SimplicialPivoting, SparseFactor
from taut.problem.mlcp import MlcpProblem
from taut.structure.pattern import Pattern

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

POSITIVE_DEFINITE = 2
"""PARDISO's kind of a real symmetric positive definite matrix, of which it takes the upper triangle."""
FACTORISE, SOLVE = 12, 33
"""Its phases: analysis with factorisation, and solution."""


@cache
def pardiso() -> Any:
    """The solver of the package, or None if it is not installed with its library, which takes long to look for."""
    try:
        from pypardiso import PyPardisoSolver

        return PyPardisoSolver(mtype=POSITIVE_DEFINITE)
    except ImportError:
        return None


class PardisoFactor(SparseFactor):
    """A `Factor` that PARDISO makes; each pivot has another pattern, which it analyses anew."""

    def __init__(self, problem: MlcpProblem, kept: Integers, scale: Reals) -> None:
        """Take a problem."""
        self.take(problem, kept, scale)
        self.free, self.part = np.zeros(0, np.int64), scipy.sparse.csr_array((0, 0))

    def factorise(self, begin: int, end: int, index_set: Integers, shift: Reals, dependent_out: NDArray[Any]) -> int:
        """Factor the free rows; see `Factor.factorise`. PARDISO refuses what is not definite."""
        from pypardiso.pardiso_wrapper import PyPardisoError

        self.release()
        dependent_out[:] = 0
        self.free = np.flatnonzero(index_set == 0)
        if self.free.size == 0:
            return 0
        part = self.rows[self.free][:, self.free]
        if shift.size:
            part = part + scipy.sparse.diags_array(shift[self.free])
        self.part = scipy.sparse.csr_matrix(scipy.sparse.triu(part))
        self.part.sort_indices()
        try:
            self.call(FACTORISE, np.zeros((self.free.size, 1)))
        except PyPardisoError:
            return -1
        return 0

    def solve(self, rhs: Reals, x_out: Reals) -> None:
        """Solve with the last factor; see `Factor.solve`."""
        if self.free.size:
            x_out[self.free] = self.call(SOLVE, rhs[self.free][:, None])[:, 0]

    def call(self, phase: int, rhs: Reals) -> Reals:
        """One phase. The package's own methods compare the matrix with the last one each time, which takes long."""
        pardiso().set_phase(phase)
        answer: Reals = pardiso()._call_pardiso(self.part, rhs)
        return answer

    def release(self) -> None:
        """Give memory back to PARDISO, which Python does not see."""
        if self.free.size:
            pardiso().free_memory(everything=True)
        self.free = np.zeros(0, np.int64)


@dataclass(frozen=True)
class PardisoPivoting(SimplicialPivoting):
    """`bpp-simplicial` with the factor of PARDISO."""

    name: ClassVar[str] = "bpp-pardiso"
    summary: ClassVar[str] = "block pivoting, PARDISO at every pivot (rival)"

    def make_structure(self, pattern: Pattern) -> Pattern:  # type: ignore[override]
        """Nothing: PARDISO orders each matrix itself."""
        return pattern

    def make_factor(self, problem: MlcpProblem, kept: Integers, scale: Reals) -> PardisoFactor:
        """The factor of a problem's rows that are kept."""
        return PardisoFactor(problem, kept, scale)
