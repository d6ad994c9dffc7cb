"""Compiled symbolic analysis: the permuted lower triangle and its envelope."""

from __future__ import annotations

from taut.kernel import kernel


@kernel(
    "int64(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])"
)
def permute_lower(
    indptr, indices, order, island_start,
    position,  # workspace (n,)
    last,  # workspace (n,)
    lower_start_out,
    lower_column_out,
    lower_source_out,
):  # fmt: skip
    """Lower triangle of the permuted matrix by rows, the diagonal last in each row.

    Shapes:  lower_start_out (n + 1,), lower_column_out and lower_source_out ((nnz + n) / 2,)
    Writes:  lower_column_out (positions) and lower_source_out (where the value is in the given matrix)
    Returns: largest closed profile (diagonal included) of any island
    """
    size = order.size
    for k in range(size):
        position[order[k]] = k
        last[k] = k
    end = 0
    lower_start_out[0] = 0
    for k in range(size):
        row = order[k]
        diagonal = -1
        for entry in range(indptr[row], indptr[row + 1]):
            column = position[indices[entry]]
            if column < k:
                lower_column_out[end] = column
                lower_source_out[end] = entry
                end += 1
                last[column] = k
            elif column == k:
                diagonal = entry
        lower_column_out[end] = k
        lower_source_out[end] = diagonal
        end += 1
        lower_start_out[k + 1] = end
    largest = 0
    for island in range(island_start.size - 1):
        profile = 0
        reach = 0
        for k in range(island_start[island], island_start[island + 1]):
            reach = max(reach, last[k])
            profile += reach - k + 1
        largest = max(largest, profile)
    return largest
