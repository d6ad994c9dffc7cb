"""Compiled reading of matrices: the symmetric pattern that holds a matrix and its transpose, and the values on it."""

from __future__ import annotations

import math

import numpy as np

from taut.kernel import kernel

STRIP = 8
"""Rows read side by side: what a matrix holds of them below each other is then a line of the cache."""
NOT_FINITE, UNSYMMETRIC, SYMMETRIC = -1, 0, 1
"""What a matrix turned out to be."""


@kernel("int64(float64[:, ::1], float64, float64[::1], int64[::1])")
def measure_dense(
    matrix: np.ndarray,
    tolerance: float,
    root: np.ndarray,  # workspace (n,)
    indptr_out: np.ndarray,
) -> int:
    """Count entries where a matrix or its transpose is not 0, and those on the diagonal, and compare the two.

    Shapes:  matrix (n, n), indptr_out (n + 1,)
    Writes:  indptr_out
    Returns: SYMMETRIC if |a_ij - a_ji| <= tolerance sqrt(|a_ii a_jj|) for all pairs, UNSYMMETRIC, or NOT_FINITE
    """
    size = root.size
    differing = 0
    indptr_out[0] = 0
    for i in range(size):
        indptr_out[i + 1] = size
        root[i] = math.sqrt(abs(matrix[i, i]))
        differing += 0 if root[i] < math.inf else 1
    for first in range(0, size, STRIP):
        end = min(first + STRIP, size)
        for j in range(end):
            for i in range(max(first, j + 1), end):
                below, above = matrix[i, j], matrix[j, i]
                if below == 0.0 and above == 0.0:
                    indptr_out[i + 1] -= 1
                    indptr_out[j + 1] -= 1
                # what is not finite differs from all, also from itself
                differing += 0 if abs(below - above) <= tolerance * root[i] * root[j] else 1
    for i in range(size):
        indptr_out[i + 1] += indptr_out[i]
    if differing == 0:
        return SYMMETRIC
    for i in range(size):
        for j in range(size):
            if not (abs(matrix[i, j]) < math.inf):
                return NOT_FINITE
    return UNSYMMETRIC


@kernel("void(float64[:, ::1], int64, int64[::1], int64[::1], int64[::1], float64[::1])")
def read_dense(
    matrix: np.ndarray,
    symmetric: int,
    indptr: np.ndarray,
    place: np.ndarray,  # workspace (n,)
    indices_out: np.ndarray,
    values_out: np.ndarray,
) -> None:
    """Columns and values of the entries that were counted; of a symmetric matrix (1) the mean with its transpose.

    Shapes:  matrix (n, n), indptr (n + 1,), see `measure_dense`; indices_out, values_out (entries,)
    Writes:  indices_out, values_out
    """
    size = place.size
    for i in range(size):
        place[i] = indptr[i]
    for first in range(0, size, STRIP):
        end = min(first + STRIP, size)
        for j in range(size):
            for i in range(first, end):
                here, there = matrix[i, j], matrix[j, i]
                if here != 0.0 or there != 0.0 or i == j:
                    indices_out[place[i]] = j
                    values_out[place[i]] = 0.5 * (here + there) if symmetric == 1 else here
                    place[i] += 1


@kernel("void(int64[::1], int64[::1], float64[::1], int64[::1], int64[::1], float64[::1])")
def transpose_rows(
    indptr: np.ndarray,
    indices: np.ndarray,
    values: np.ndarray,
    indptr_out: np.ndarray,
    indices_out: np.ndarray,
    values_out: np.ndarray,
) -> None:
    """Compressed rows of the transpose, columns sorted.

    Shapes:  indptr, indptr_out (n + 1,), all others (entries,)
    """
    size = indptr.size - 1
    for i in range(size + 1):
        indptr_out[i] = 0
    for e in range(indices.size):
        indptr_out[indices[e] + 1] += 1
    for i in range(size):
        indptr_out[i + 1] += indptr_out[i]
    # each start moves up to the next one while its row fills, so afterwards all are one place too far
    for i in range(size):
        for e in range(indptr[i], indptr[i + 1]):
            place = indptr_out[indices[e]]
            indices_out[place] = i
            values_out[place] = values[e]
            indptr_out[indices[e]] = place + 1
    for i in range(size, 0, -1):
        indptr_out[i] = indptr_out[i - 1]
    indptr_out[0] = 0


@kernel(
    "int64(int64[::1], int64[::1], float64[::1], int64[::1], int64[::1], float64[::1], int64[::1], int64[::1],"
    " float64[:, ::1])"
)
def merge_rows(
    # the matrix
    indptr: np.ndarray,
    indices: np.ndarray,
    values: np.ndarray,
    # its transpose
    indptr_across: np.ndarray,
    indices_across: np.ndarray,
    values_across: np.ndarray,
    # both
    indptr_out: np.ndarray,
    indices_out: np.ndarray,
    values_out: np.ndarray,
) -> int:
    """Rows of a matrix beside those of its transpose, where one of them is not 0 and on the diagonal.

    Shapes:  columns sorted in each row; indices_out (room for both and the diagonal,), values_out (2, the same)
    Writes:  indptr_out, indices_out, values_out: a_ij and a_ji
    Returns: number of entries
    """
    size = indptr.size - 1
    count = 0
    indptr_out[0] = 0
    for i in range(size):
        here, there, diagonal = indptr[i], indptr_across[i], 0
        while True:
            column = i if diagonal == 0 else size
            if here < indptr[i + 1]:
                column = min(column, indices[here])
            if there < indptr_across[i + 1]:
                column = min(column, indices_across[there])
            if column == size:
                break
            own, across = 0.0, 0.0
            if here < indptr[i + 1] and indices[here] == column:
                own = values[here]
                here += 1
            if there < indptr_across[i + 1] and indices_across[there] == column:
                across = values_across[there]
                there += 1
            diagonal = 1 if column == i else diagonal
            if own != 0.0 or across != 0.0 or column == i:
                indices_out[count] = column
                values_out[0, count], values_out[1, count] = own, across
                count += 1
        indptr_out[i + 1] = count
    return count


@kernel("int64(int64[::1], int64[::1], float64, float64[::1], float64[:, ::1])")
def symmetrise_rows(
    indptr: np.ndarray,
    indices: np.ndarray,
    tolerance: float,
    root: np.ndarray,  # workspace (n,)
    values_out: np.ndarray,
) -> int:
    """Replace the values of a matrix by their mean with the transpose if the two differ by rounding only.

    Shapes:  as `merge_rows` writes them
    Writes:  values_out[0]
    Returns: SYMMETRIC if |a_ij - a_ji| <= tolerance sqrt(|a_ii a_jj|) for all pairs, UNSYMMETRIC, or NOT_FINITE
    """
    total = 0.0
    for i in range(root.size):
        for e in range(indptr[i], indptr[i + 1]):
            # 0 x is 0 for every finite x and NaN for all else
            total += 0.0 * values_out[0, e]
            if indices[e] == i:
                root[i] = math.sqrt(abs(values_out[0, e]))
    if not (total == 0.0):
        return NOT_FINITE
    for i in range(root.size):
        for e in range(indptr[i], indptr[i + 1]):
            if abs(values_out[0, e] - values_out[1, e]) > tolerance * root[i] * root[indices[e]]:
                return UNSYMMETRIC
    for e in range(indptr[root.size]):
        values_out[0, e] = 0.5 * (values_out[0, e] + values_out[1, e])
    return SYMMETRIC
