"""The box-constrained mixed linear complementarity problem: plain arrays, no physics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.errors import InputError
from taut.structure.pattern import Pattern

if TYPE_CHECKING:
    import scipy.sparse

SYMMETRY_TOLERANCE = 1e-12
"""Largest |a_ij - a_ji| / sqrt(|a_ii a_jj|) that counts as rounding and is averaged away."""
NOT_FINITE_MESSAGE = "A holds a value that is NaN or infinite; all its entries must be finite"


@dataclass(slots=True, eq=False)
class MlcpProblem:
    """Find lam and w with  A lam + b = w  and, row by row,

        lower <= lam <= upper,   w >= 0 at lower,   w <= 0 at upper,   w = 0 between.          [Lefebvre2020, eq. 1.18]

    The constructor takes the arrays as they are, unchecked, because a simulation makes one every step; `from_matrix`
    and `load` check. In mechanics lam is an impulse (N s), w a velocity (m/s) and A the Delassus matrix (1/kg).

    Shapes: values (pattern.entry_count,), bias, lower, upper (pattern.size,), all float64 and contiguous.
    """

    pattern: Pattern
    values: np.ndarray
    bias: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    name: str = ""
    symmetric: bool = True

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.bias.size

    @property
    def islands(self) -> tuple[int, np.ndarray]:
        """Number of groups of rows that nothing couples, and the group (rows,) of each."""
        from taut.structure.islands import find_islands

        return find_islands(self.pattern)

    def matrix(self) -> MlcpProblem:
        """The problem with A written out: itself. See `KktProblem.matrix`."""
        return self

    def copy(self) -> MlcpProblem:
        """The same problem with numbers of its own."""
        values, bias, lower, upper = (each.copy() for each in (self.values, self.bias, self.lower, self.upper))
        return replace(self, values=values, bias=bias, lower=lower, upper=upper)

    def with_bounds(self, lower: np.ndarray, upper: np.ndarray) -> MlcpProblem:
        """The same problem within other bounds (rows,)."""
        return replace(self, lower=lower, upper=upper)

    def with_bias(self, bias: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> MlcpProblem:
        """The same problem with another b within other bounds, all (rows,)."""
        return replace(self, bias=bias, lower=lower, upper=upper)

    @property
    def sparse(self) -> scipy.sparse.csr_array:
        """A as a SciPy sparse array that shares `values`."""
        import scipy.sparse

        shape = (self.size, self.size)
        return scipy.sparse.csr_array((self.values, self.pattern.indices, self.pattern.indptr), shape=shape)

    @classmethod
    def from_matrix(cls, A: Any, b: Any, lower: Any = None, upper: Any = None, name: str = "") -> MlcpProblem:
        """Check and take a problem given as matrix and vectors; nothing passed in is kept or changed.

        Args:
            A: Square matrix, dense or scipy.sparse.
            b: Vector of the same size.
            lower: Vector, one number for all rows, or None for no lower bounds.
            upper: Vector, one number for all rows, or None for no upper bounds.
            name: For messages and file names.
        """
        matrix = _as_matrix(A)
        size = matrix.shape[0]
        bias = _as_vector("b", b, size)
        lower = _as_vector("lower", -np.inf if lower is None else lower, size)
        upper = _as_vector("upper", np.inf if upper is None else upper, size)
        pattern, values, symmetric = _read_dense(matrix) if isinstance(matrix, np.ndarray) else _read_sparse(matrix)
        _check_numbers(bias, lower, upper)
        return cls(pattern, values, bias, lower, upper, name, symmetric)

    def save(self, path: str | Path, **others: Any) -> None:
        """Write the problem to an npz file: `A` (values), `indices`, `indptr`, `b`, `lower`, `upper`, `name`.

        Other arrays may ride along; `load` does not see them.
        """
        np.savez_compressed(
            path, A=self.values, indices=self.pattern.indices.astype(np.int32), indptr=self.pattern.indptr, b=self.bias,
            lower=self.lower, upper=self.upper, name=np.array(self.name), **others,
        )  # fmt: skip

    @classmethod
    def load(cls, path: str | Path) -> MlcpProblem:
        """Read and check a problem written by `save`; the name is the file's if the file holds none."""
        import zipfile

        import scipy.sparse

        if not isinstance(path, str | Path) or "\0" in str(path):
            raise InputError(f"problem file is {path!r}; it must be the name of a file")
        path = Path(path)
        try:
            with np.load(path, allow_pickle=False) as file:
                size = file["b"].size
                matrix = scipy.sparse.csr_array((file["A"], file["indices"], file["indptr"]), shape=(size, size))
                name = str(file["name"]) if "name" in file else path.stem
                return cls.from_matrix(matrix, file["b"], file["lower"], file["upper"], name)
        except InputError as error:
            raise InputError(f"problem file {path}: {error}") from None
        except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise InputError(f"problem file {path} cannot be read: {error}") from None


def _as_matrix(A: Any) -> np.ndarray | scipy.sparse.csr_array:
    """A square matrix of floats: an array by rows, or sparse rows with sorted columns, each there once."""
    import scipy.sparse

    sparse = scipy.sparse.issparse(A)
    matrix = A if sparse or (isinstance(A, np.ndarray) and A.dtype == np.float64) else real_numbers("A", A)
    if matrix.dtype.kind == "c":
        raise InputError("A holds complex numbers; they must be real")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"A has shape {matrix.shape}; it must be a square matrix")
    if not sparse:
        return np.ascontiguousarray(matrix)
    try:
        rows = scipy.sparse.csr_array(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"A cannot be read as a matrix of numbers: {error}") from None
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def _read_dense(matrix: np.ndarray) -> tuple[Pattern, np.ndarray, bool]:
    """Symmetric pattern and values of a matrix (n, n), and whether it is symmetric; rounding is averaged away."""
    from taut.problem.matrix_kernels import NOT_FINITE, SYMMETRIC, measure_dense, read_dense

    size = matrix.shape[0]
    indptr = np.empty(size + 1, np.int64)
    found = measure_dense(matrix, SYMMETRY_TOLERANCE, np.empty(size), indptr)
    if found == NOT_FINITE:
        raise InputError(NOT_FINITE_MESSAGE)
    indices, values = np.empty(indptr[-1], np.int64), np.empty(indptr[-1])
    read_dense(matrix, found, indptr, np.empty(size, np.int64), indices, values)
    return Pattern(indptr, indices), values, found == SYMMETRIC


def _read_sparse(matrix: scipy.sparse.csr_array) -> tuple[Pattern, np.ndarray, bool]:
    """The same of a sparse matrix."""
    from taut.problem.matrix_kernels import NOT_FINITE, SYMMETRIC, merge_rows, symmetrise_rows, transpose_rows

    size, count = matrix.shape[0], matrix.nnz
    rows = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), np.ascontiguousarray(matrix.data)
    across = np.empty(size + 1, np.int64), np.empty(count, np.int64), np.empty(count)
    transpose_rows(*rows, *across)
    room = 2 * count + size
    indptr, indices, values = np.empty(size + 1, np.int64), np.empty(room, np.int64), np.empty((2, room))
    entries = merge_rows(*rows, *across, indptr, indices, values)
    found = symmetrise_rows(indptr, indices, SYMMETRY_TOLERANCE, np.empty(size), values)
    if found == NOT_FINITE:
        raise InputError(NOT_FINITE_MESSAGE)
    return Pattern(indptr, indices[:entries].copy()), values[0, :entries].copy(), found == SYMMETRIC


def real_numbers(name: str, value: Any) -> np.ndarray:
    """A new array of floats; InputError for texts and complex numbers, which NumPy would take in part or as numbers."""
    try:
        raw = np.array(value)
        if raw.dtype.kind == "c":
            raise InputError(f"{name} holds complex numbers; they must be real")
        texts = raw.dtype.kind == "O" and any(isinstance(each, str | bytes) for each in raw.flat)
        if texts or raw.dtype.kind not in "biufO":
            raise InputError(f"{name} cannot be read as numbers: its entries are of type {raw.dtype}")
        return raw.astype(np.float64, order="C", copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} cannot be read as numbers: {error}") from None


def _as_vector(name: str, vector: Any, size: int) -> np.ndarray:
    array = real_numbers(name, vector)
    if array.ndim == 0 and name != "b":
        return np.full(size, float(array))
    if array.shape != (size,):
        raise InputError(f"{name} has shape {array.shape}; A needs ({size},)")
    return array


def _check_numbers(bias: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    for name, array, bad in (
        ("b", bias, ~np.isfinite(bias)),
        ("lower", lower, np.isnan(lower) | (lower == np.inf)),
        ("upper", upper, np.isnan(upper) | (upper == -np.inf)),
    ):
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            allowed = "a finite number" if name == "b" else f"a number or {'-inf' if name == 'lower' else 'inf'}"
            raise InputError(f"{name}[{row}] is {array[row]}; it must be {allowed}")
    if (lower > upper).any():
        row = int(np.flatnonzero(lower > upper)[0])
        raise InputError(f"lower[{row}] = {lower[row]} is above upper[{row}] = {upper[row]}; lower <= upper is needed")
