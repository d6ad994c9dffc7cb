"""Problems with known answers, and random ones of chosen difficulty: for tests, benchmarks and examples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from taut.errors import InputError
from taut.problem.mlcp import MlcpProblem


@dataclass(frozen=True, eq=False)
class KnownProblem:
    """A problem and, where there is exactly one, its solution; `lam` is None where no solution exists."""

    problem: MlcpProblem
    lam: np.ndarray | None
    unique: bool = True


def _small_pair() -> KnownProblem:
    """A = [[2, 1], [1, 2]], b = (-5, -6): both rows free."""
    problem = MlcpProblem.from_matrix([[2, 1], [1, 2]], [-5, -6], 0)
    return KnownProblem(problem, np.array([4 / 3, 7 / 3]))


def _diagonal() -> KnownProblem:
    """a_ii = i, b = -1, i = 1..9."""
    numbers = np.arange(1.0, 10.0)
    return KnownProblem(MlcpProblem.from_matrix(np.diag(numbers), -np.ones(9), 0), 1 / numbers)


def _upper_triangular() -> KnownProblem:
    """Unit upper triangular with 2 above the diagonal, 16 rows, b = -1: a P-matrix, not symmetric [Murty1988]."""
    matrix = np.eye(16) + 2 * np.triu(np.ones((16, 16)), 1)
    return KnownProblem(MlcpProblem.from_matrix(matrix, -np.ones(16), 0), np.eye(16)[15])


def _zero_matrix() -> KnownProblem:
    """A = 0, b > 0: every row at its lower bound."""
    return KnownProblem(MlcpProblem.from_matrix(np.zeros((3, 3)), [1, 2, 3], 0), np.zeros(3))


def _redundant_rows() -> KnownProblem:
    """The same row three times, b in the range of A: the sum of lam is 2, its parts are not determined."""
    problem = MlcpProblem.from_matrix(np.ones((3, 3)), -2 * np.ones(3), 0)
    return KnownProblem(problem, np.full(3, 2 / 3), unique=False)


def _fixed_rows() -> KnownProblem:
    """Rows with lower = upper have a given lam and any w."""
    problem = MlcpProblem.from_matrix([[2, 1, 0], [1, 2, 1], [0, 1, 2]], [5, -4, -9], [1, -10, 2], [1, 10, 2])
    return KnownProblem(problem, np.array([1.0, 0.5, 2.0]))


def _box() -> KnownProblem:
    """One row at its lower bound, one at its upper, one free, one unbounded."""
    matrix = np.diag([2.0, 2.0, 2.0, 2.0]) - 0.5 * (np.eye(4, k=1) + np.eye(4, k=-1))
    lam = np.array([-1.0, 1.0, 0.25, 4.0])
    w = np.array([3.0, -2.0, 0.0, 0.0])
    lower, upper = np.array([-1, -1, -1, -np.inf]), np.array([1, 1, 1, np.inf])
    return KnownProblem(MlcpProblem.from_matrix(matrix, w - matrix @ lam, lower, upper), lam)


def _degenerate() -> KnownProblem:
    """lam = 0 and w = 0 in the same row: either label fits."""
    problem = MlcpProblem.from_matrix([[1, 0.5], [0.5, 1]], [-1, -0.5], 0)
    return KnownProblem(problem, np.array([1.0, 0.0]))


def _negative() -> KnownProblem:
    """A = -1, b = -1, lam >= 0: no solution, A not positive semidefinite."""
    return KnownProblem(MlcpProblem.from_matrix([[-1]], [-1], 0), None)


def _unbounded() -> KnownProblem:
    """A = [[1, -1], [-1, 1]], b = (-1, -1), lam >= 0: no solution, lam runs off along (1, 1)."""
    return KnownProblem(MlcpProblem.from_matrix([[1, -1], [-1, 1]], [-1, -1], 0), None)


def _contradiction() -> KnownProblem:
    """The same row twice with different b and no bounds: no solution."""
    return KnownProblem(MlcpProblem.from_matrix(np.ones((2, 2)), [1, 2]), None)


_BUILDERS: dict[str, Callable[[], KnownProblem]] = {
    "box": _box,
    "contradiction": _contradiction,
    "degenerate": _degenerate,
    "diagonal": _diagonal,
    "fixed-rows": _fixed_rows,
    "negative": _negative,
    "redundant-rows": _redundant_rows,
    "small-pair": _small_pair,
    "unbounded": _unbounded,
    "upper-triangular": _upper_triangular,
    "zero-matrix": _zero_matrix,
}


def names() -> list[str]:
    """Names of all problems with known answers."""
    return list(_BUILDERS)


def build(name: str) -> KnownProblem:
    """The problem of this name."""
    if name not in _BUILDERS:
        raise InputError(f"unknown problem {name!r}; valid are: {', '.join(names())}")
    known = _BUILDERS[name]()
    known.problem.name = name
    return known
