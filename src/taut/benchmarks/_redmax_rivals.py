"""The direct factor of H beside SciPy's SuperLU and LAPACK's dense Cholesky, which are given H for nothing.

Ours puts H together first and corrects its solution once. Thesis: Pardiso, which is not to be had here.
"""

from __future__ import annotations

from functools import partial
from time import process_time
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sparse
from scipy.sparse.linalg import splu

from taut.benchmarks._clock import Measurement, medians_in_turn
from taut.benchmarks._redmax_solves import Linearisation, sizes_of
from taut.linalg.articulated import ArticulatedBlocks, dense_jacobian, dense_reduced
from taut.spatial import Array


def reduced_matrix(blocks: ArticulatedBlocks) -> Array:
    """H (dofs, dofs), with M~ and springs kept sparse."""
    nodes, springs = blocks.nodes, blocks.cross_weight.size
    own = sparse.block_diag(list(blocks.block.reshape(nodes, 6, 6)), format="csr")
    spring = np.repeat(np.arange(springs), np.diff(blocks.cross_start))
    columns = 6 * blocks.cross_node[:, None] + np.arange(6)
    entries = blocks.cross_jacobian.ravel(), (np.repeat(spring, 6), columns.ravel())
    cross = sparse.csr_array(entries, shape=(springs, 6 * nodes))
    maximal = own + cross.T @ sparse.diags_array(blocks.cross_weight) @ cross
    jacobian = dense_jacobian(blocks)
    matrix: Array = jacobian.T @ (maximal @ jacobian) + dense_reduced(blocks)
    return matrix


class Rivals:
    """H of a linearisation and a right-hand side for others."""

    def __init__(self, linearisation: Linearisation) -> None:
        table = linearisation.rows.table
        self.linearisation = linearisation
        linearisation.solve("direct")
        self.matrix = reduced_matrix(table.blocks)
        # entries of degrees of freedom that do not meet are zero but for rounding; what hangs as leaves comes first
        backwards = np.where(np.abs(self.matrix) > 1e-14 * np.abs(self.matrix).max(), self.matrix, 0.0)[::-1, ::-1]
        self.sparse = sparse.csc_array(backwards)
        self.rhs = dense_jacobian(table.blocks).T @ table.balance.ravel()

    def ours(self) -> dict[str, float]:
        """Seconds to put H together, to factor it and to solve with it."""
        from taut.linalg.articulated_direct_kernels import assemble_direct, factor_direct

        solver, laps = self.linearisation.solver, [process_time()]
        assemble_direct(solver.handle, solver.factor, solver.direct)
        laps.append(process_time())
        factor_direct(solver.direct)
        laps.append(process_time())
        self.linearisation.solve_direct()
        laps.append(process_time())
        self.found = self.linearisation.rows.table.rate.copy()
        return dict(zip(("assemble", "factor", "solve"), np.diff(laps).tolist(), strict=True))

    def superlu(self, order: str) -> dict[str, float]:
        """The same of SuperLU in its symmetric mode with this order of columns; leaves first is "NATURAL"."""
        laps = [process_time()]
        factor = splu(self.sparse, permc_spec=order, diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        laps.append(process_time())
        self.found = factor.solve(self.rhs[::-1])[::-1]
        laps.append(process_time())
        return dict(zip(("factor", "solve"), np.diff(laps).tolist(), strict=True))

    def lapack(self) -> dict[str, float]:
        """The same of LAPACK's dpotrf on the whole of H."""
        laps = [process_time()]
        factor = scipy.linalg.cho_factor(self.matrix, check_finite=False)
        laps.append(process_time())
        self.found = scipy.linalg.cho_solve(factor, self.rhs, check_finite=False)
        laps.append(process_time())
        return dict(zip(("factor", "solve"), np.diff(laps).tolist(), strict=True))

    def rows(self, rounds: int) -> list[dict[str, Any]]:
        """One row a solver; ratio is time over ours, the assembly of ours included."""
        ways: dict[str, Measurement] = {
            "ours": self.ours, "SuperLU, leaves first": partial(self.superlu, "NATURAL"),
            "SuperLU, minimum degree": partial(self.superlu, "MMD_AT_PLUS_A"), "LAPACK, dense": self.lapack,
        }  # fmt: skip
        seconds = medians_in_turn(list(ways.values()), rounds)
        own = sum(seconds[0].values())
        return [
            sizes_of(self.linearisation)
            | {"solver": name}
            | {f"{stage}_ms": 1e3 * value for stage, value in each.items()}
            | {"total_ms": 1e3 * sum(each.values()), "ratio": sum(each.values()) / own}
            for name, each in zip(ways, seconds, strict=True)
        ]
