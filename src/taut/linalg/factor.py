"""What pivoting asks of a factor: the loops of the solvers are given one and do not know what is inside."""

from __future__ import annotations

from typing import Protocol

import numpy as np


class Factor(Protocol):
    """The scaled matrix A~ of a problem and a factor of some of its rows, F.        [Lefebvre2020, Alg. 2.1, lines 4-8]

    Rows are positions of the order that the factor chose; a part begin..end is one or more islands, and no entry
    couples it with the rest. A factor is an object, in Python, or a table with methods, in compiled code, see
    `taut.tables`.

    What it keeps from one set of rows to the next is its own affair: `factorise` is told all labels, so a factor that
    is changed row by row compares them with those it holds. All that it kept ends with `load`.
    """

    def load(self, values: np.ndarray, scale: np.ndarray) -> int:
        """Take the matrix of a problem, A~_ij = scale_i A_ij scale_j.

        Shapes:  values (entries of the pattern,), scale (n,)
        Returns: 1 if every entry is finite, else 0
        """

    def multiply(self, begin: int, end: int, lam: np.ndarray, bias: np.ndarray, w_out: np.ndarray) -> None:
        """w = A~ lam + b on a part.

        Shapes:  lam, bias, w_out (n,)
        """

    def factorise(
        self, begin: int, end: int, index_set: np.ndarray, shift: np.ndarray, dependent_out: np.ndarray
    ) -> int:
        """Factor A~_FF + diag(shift)_F with F the rows of a part whose label is 0.

        Shapes:  index_set, dependent_out (n,), shift (n,) or (0,) for none
        Writes:  dependent_out: 1 at rows of F whose slack a solve may leave, because they depend on others; else 0
        Returns: number of dependent rows, or a negative number if the matrix is not positive semidefinite
        """

    def solve(self, rhs: np.ndarray, x_out: np.ndarray) -> None:
        """Solve (A~_FF + diag(shift)_F) x_F = rhs_F with the last factor; other rows are left alone.

        Shapes:  rhs, x_out (n,), which may be the same array
        """
