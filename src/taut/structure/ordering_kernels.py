"""Compiled graph searches over a pattern: islands and the reverse Cuthill-McKee order."""

from __future__ import annotations

from taut.kernel import kernel

UNVISITED = -1


@kernel("int64(int64[::1], int64[::1], int64[::1], int64[::1])")
def label_islands(
    indptr, indices,
    queue,  # workspace (n,)
    label_out,
):  # fmt: skip
    """Number the connected components by their first row.

    Shapes:  queue, label_out (n,)
    Cost:    at most one visit an entry
    Returns: number of islands
    """
    count = 0
    left = label_out.size
    for i in range(left):
        label_out[i] = UNVISITED
    for seed in range(label_out.size):
        if label_out[seed] != UNVISITED:
            continue
        label_out[seed] = count
        left -= 1
        queue[0] = seed
        head, tail = 0, 1
        while head < tail and left > 0:
            row = queue[head]
            head += 1
            for column in indices[indptr[row] : indptr[row + 1]]:
                if label_out[column] == UNVISITED:
                    label_out[column] = count
                    queue[tail] = column
                    tail += 1
                    left -= 1
        count += 1
    return count


@kernel("int64(int64[::1], int64[::1], int64, int64, int64[::1], int64[::1])", inner=True)
def cuthill_mckee(
    indptr, indices, start, stamp,
    stamp_out,
    order_out,
):  # fmt: skip
    """Breadth-first order of one island from a start row, neighbours by growing degree; marks rows with `stamp`.

    Shapes:  stamp_out (n,), order_out (rows of the island,)
    Returns: number of rows visited
    """
    stamp_out[start] = stamp
    order_out[0] = start
    head, tail = 0, 1
    while head < tail:
        row = order_out[head]
        head += 1
        first_new = tail
        for column in indices[indptr[row] : indptr[row + 1]]:
            if stamp_out[column] == stamp:
                continue
            stamp_out[column] = stamp
            degree = indptr[column + 1] - indptr[column]
            # insertion keeps the new neighbours sorted; the lists are short
            k = tail
            while k > first_new and indptr[order_out[k - 1] + 1] - indptr[order_out[k - 1]] > degree:
                order_out[k] = order_out[k - 1]
                k -= 1
            order_out[k] = column
            tail += 1
    return tail


@kernel("int64(int64[::1], int64[::1], int64[::1], int64[::1])", inner=True)
def envelope_size(
    indptr, indices, order,
    position_out,
):  # fmt: skip
    """Number of entries under the closed (monotone) envelope of an island in this order, diagonal left out.

    Shapes:  order (rows of the island,), position_out (n,)
    Writes:  position_out at the island's rows
    """
    size = order.size
    for k in range(size):
        position_out[order[k]] = k
    total = 0
    reach = size
    # from the last row up, the first column of the closed envelope can only move left
    for k in range(size - 1, -1, -1):
        row = order[k]
        reach = min(reach, k)
        for column in indices[indptr[row] : indptr[row + 1]]:
            reach = min(reach, position_out[column])
        total += k - reach
    return total


@kernel("void(int64[::1], int64[::1], int64[::1], int64[:, ::1], int64[::1], int64[::1])")
def order_islands(
    indptr, indices, label,
    work,  # workspace (3, n)
    order_out,
    island_start_out,
):  # fmt: skip
    """Order the rows island by island: reverse Cuthill-McKee, or as they are where that has the smaller envelope.

    Shapes:  label (n,), the island of each row; order_out (n,), island_start_out (islands + 1,)
    Writes:  order_out[k] = row at position k; island_start_out
    """
    size = order_out.size
    islands = island_start_out.size - 1
    natural, stamp, position = work[0], work[1], work[2]
    for k in range(islands + 1):
        island_start_out[k] = 0
    for i in range(size):
        island_start_out[label[i] + 1] += 1
        stamp[i] = UNVISITED
    for k in range(islands):
        island_start_out[k + 1] += island_start_out[k]
        position[k] = island_start_out[k]
    for i in range(size):
        natural[position[label[i]]] = i
        position[label[i]] += 1
    for k in range(islands):
        rows = natural[island_start_out[k] : island_start_out[k + 1]]
        order = order_out[island_start_out[k] : island_start_out[k + 1]]
        entries = 0
        for row in rows:
            entries += indptr[row + 1] - indptr[row]
        least = (entries - rows.size) // 2
        as_they_are = envelope_size(indptr, indices, rows, position)
        if as_they_are == least:
            # no order is better than one without a zero under its envelope, such as that of a chain or a full island
            for a in range(rows.size):
                order[a] = rows[a]
            continue
        # two searches, each from the row the one before reached last, end near the rim of the graph
        cuthill_mckee(indptr, indices, rows[0], 0, stamp, order)
        cuthill_mckee(indptr, indices, order[rows.size - 1], 1, stamp, order)
        cuthill_mckee(indptr, indices, order[rows.size - 1], 2, stamp, order)
        for a in range(rows.size // 2):
            b = rows.size - 1 - a
            order[a], order[b] = order[b], order[a]
        if as_they_are <= envelope_size(indptr, indices, order, position):
            for a in range(rows.size):
                order[a] = rows[a]
