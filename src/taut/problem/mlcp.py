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
        import scipy.sparse

        matrix = _as_matrix(A)
        size = matrix.shape[0]
        bias = _as_vector("b", b, size)
        lower = _as_vector("lower", -np.inf if lower is None else lower, size)
        upper = _as_vector("upper", np.inf if upper is None else upper, size)
        _check_numbers(matrix.data, bias, lower, upper)
        matrix, symmetric = _symmetrise(matrix)
        # adding zeros of A' and I, kept explicit, makes the pattern symmetric with a full diagonal
        structure = (abs(matrix) + abs(matrix).T + scipy.sparse.eye_array(size, format="csr")).tocsr()
        structure.sort_indices()
        pattern = Pattern(structure.indptr.astype(np.int64), structure.indices.astype(np.int64))
        values = _values_on_pattern(matrix, pattern)
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


def _as_matrix(A: Any) -> scipy.sparse.csr_array:
    import scipy.sparse

    sparse = A if scipy.sparse.issparse(A) else real_numbers("A", A)
    if sparse.dtype.kind == "c":
        raise InputError("A holds complex numbers; they must be real")
    if sparse.ndim != 2 or sparse.shape[0] != sparse.shape[1]:
        raise InputError(f"A has shape {sparse.shape}; it must be a square matrix")
    try:
        matrix = scipy.sparse.csr_array(sparse, dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"A cannot be read as a matrix of numbers: {error}") from None
    matrix.sum_duplicates()
    return matrix


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


def _check_numbers(entries: np.ndarray, bias: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    if not np.isfinite(entries).all():
        raise InputError("A holds a value that is NaN or infinite; all its entries must be finite")
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


def _symmetrise(matrix: scipy.sparse.csr_array) -> tuple[scipy.sparse.csr_array, bool]:
    """Average rounding away where A is symmetric but for that; say whether it is."""
    difference = (matrix - matrix.T).tocoo()
    diagonal = np.abs(matrix.diagonal())
    allowed = SYMMETRY_TOLERANCE * np.sqrt(diagonal[difference.row] * diagonal[difference.col])
    if (np.abs(difference.data) > allowed).any():
        return matrix, False
    return (0.5 * (matrix + matrix.T)).tocsr(), True


def _values_on_pattern(matrix: scipy.sparse.csr_array, pattern: Pattern) -> np.ndarray:
    """Values of the matrix on a pattern that contains its own."""
    size = pattern.size
    values = np.zeros(pattern.entry_count)
    entries = matrix.tocoo()
    rows = np.repeat(np.arange(size), np.diff(pattern.indptr))
    keys = rows * size + pattern.indices
    values[np.searchsorted(keys, entries.row.astype(np.int64) * size + entries.col)] = entries.data
    return values
