"""Dense NumPy twins of the fast solvers, written to be read beside the papers."""

from __future__ import annotations

from taut.solvers.reference.block_pivoting import block_pivoting
from taut.solvers.reference.interior_point import interior_point
from taut.solvers.reference.residual import natural_residual
from taut.solvers.reference.substructuring import schur_complement, substructuring

__all__ = ["block_pivoting", "interior_point", "natural_residual", "schur_complement", "substructuring"]
