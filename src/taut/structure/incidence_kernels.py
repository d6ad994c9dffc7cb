"""Kernels of `incidence.py`."""

from __future__ import annotations

from taut.kernel import kernel


@kernel("int64(int64[::1], uint8[::1], int64[::1], int64[::1])")
def group_by_body(
    # model
    entry_body,  # (entries,)
    moves,  # (bodies,)
    # out
    body_start_out,  # (bodies + 1,)
    entry_out,  # (entries,) filled as far as needed
):
    """Jacobian blocks of moving bodies, body by body, in the order of their rows.

    Writes:  body_start_out, entry_out
    Returns: number of pairs (i, j <= i) of blocks at all bodies
    """
    bodies = moves.shape[0]
    for body in range(bodies + 1):
        body_start_out[body] = 0
    for entry in range(entry_body.shape[0]):
        if moves[entry_body[entry]] != 0:
            body_start_out[entry_body[entry] + 1] += 1
    pairs = 0
    for body in range(bodies):
        count = body_start_out[body + 1]
        pairs += count * (count + 1) // 2
        body_start_out[body + 1] += body_start_out[body]
    for entry in range(entry_body.shape[0]):
        body = entry_body[entry]
        if moves[body] != 0:
            # the start of a body is moved on while it is filled, and put back below
            entry_out[body_start_out[body]] = entry
            body_start_out[body] += 1
    for body in range(bodies, 0, -1):
        body_start_out[body] = body_start_out[body - 1]
    body_start_out[0] = 0
    return pairs


@kernel(
    "int64(int64, int64[::1], int64[::1], int64[::1], int64[::1], uint8[::1], int64[::1], int64[:, ::1])", inner=True
)
def merge_columns(
    row,
    # model
    entry_start, entry_row, entry_body,
    body_start, moves,
    entry,  # blocks by body
    # out
    lists,  # (2, rows) workspace, the columns of the row end up in lists[0]
):  # fmt: skip
    """Columns that a row meets, sorted, each once: the rows at its moving bodies are sorted lists that are merged.

    Writes:  lists
    Returns: their number
    """
    count = 1
    lists[0, 0] = row
    for e in range(entry_start[row], entry_start[row + 1]):
        body = entry_body[e]
        if moves[body] == 0:
            continue
        a, b = lists[0], lists[1]
        i, j, end, total = 0, body_start[body], body_start[body + 1], 0
        while i < count or j < end:
            if j == end or (i < count and a[i] <= entry_row[entry[j]]):
                if j < end and a[i] == entry_row[entry[j]]:
                    j += 1
                b[total] = a[i]
                i += 1
            else:
                b[total] = entry_row[entry[j]]
                j += 1
            total += 1
        count = total
        for k in range(count):
            a[k] = b[k]
    return count


@kernel("boolean(int64, int64[::1], int64[::1], uint8[::1])", inner=True)
def is_like_the_last(
    row,
    entry_start, entry_body,
    moves,
):  # fmt: skip
    """Whether a row touches the bodies that the row before it touches, one that moves among them."""
    first, end = entry_start[row], entry_start[row + 1]
    if row == 0 or end - first != first - entry_start[row - 1]:
        return False
    meets = False
    for e in range(first, end):
        body = entry_body[e]
        if body != entry_body[e - (end - first)]:
            return False
        meets = meets or moves[body] != 0
    return meets


@kernel(
    "int64(int64[::1], int64[::1], int64[::1], int64[::1], uint8[::1], int64[::1], int64[:, ::1], int64[::1],"
    "int64[::1])"
)
def find_pattern(
    # model
    entry_start, entry_row, entry_body,  # (rows + 1,), (entries,), (entries,)
    body_start, moves, entry,  # (bodies + 1,), (bodies,), blocks by body
    # workspace
    lists,  # (2, rows)
    # out
    indptr_out,  # (rows + 1,)
    indices_out,  # (at least 2 pairs + rows,)
):  # fmt: skip
    """Compressed rows of A = J M^-1 J^T. Rows of a joint mostly touch the same bodies, and so have the same columns.

    Writes:  indptr_out, indices_out
    Returns: number of entries
    """
    total = count = 0
    indptr_out[0] = 0
    for row in range(indptr_out.shape[0] - 1):
        if not is_like_the_last(row, entry_start, entry_body, moves):
            count = merge_columns(row, entry_start, entry_row, entry_body, body_start, moves, entry, lists)
        source, out = lists[0, :count], indices_out[total : total + count]
        for k in range(count):
            out[k] = source[k]
        total += count
        indptr_out[row + 1] = total
    return total


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], uint8[::1], int64[::1], int64[::1], int64[::1],"
    "int64[:, ::1], int64[::1], int64[::1], int64[::1])"
)
def find_targets(
    # model
    entry_start, entry_row, entry_body,
    body_start, moves, entry,
    indptr, indices,
    # workspace
    work,  # (3, at least rows, entries and bodies): place of a column, slot of a block at its body, first pair
    # out
    target_out, mirror_out,  # (pairs,)
    diagonal_out,  # (rows,)
):  # fmt: skip
    """Place in A of every product of two blocks at a body, and of its transpose.

    Writes:  target_out, mirror_out, diagonal_out
    Cost:    two visits a pair
    """
    place, slot, first_pair = work[0], work[1], work[2]
    pairs = 0
    for body in range(moves.shape[0]):
        first_pair[body] = pairs
        first, last = body_start[body], body_start[body + 1]
        for k in range(first, last):
            slot[entry[k]] = k - first
        pairs += (last - first) * (last - first + 1) // 2
    for row in range(diagonal_out.shape[0]):
        for k in range(indptr[row], indptr[row + 1]):
            place[indices[k]] = k
        diagonal_out[row] = place[row]
        for e in range(entry_start[row], entry_start[row + 1]):
            body = entry_body[e]
            if moves[body] == 0:
                continue
            first, last, own = body_start[body], body_start[body + 1], slot[e]
            base = first_pair[body]
            for k in range(last - first):
                where = place[entry_row[entry[first + k]]]
                if k < own:
                    target_out[base + own * (own + 1) // 2 + k] = where
                elif k > own:
                    mirror_out[base + k * (k + 1) // 2 + own] = where
                else:
                    target_out[base + own * (own + 1) // 2 + own] = where
                    mirror_out[base + own * (own + 1) // 2 + own] = -1


@kernel("int64(int64[::1], int64)", inner=True)
def root_of(
    parent,  # in and out
    body,
):
    """Lowest body of the set that a body is in; paths are halved on the way.

    Writes:  parent
    Returns: the lowest body
    """
    while parent[body] != body:
        parent[body] = parent[parent[body]]
        body = parent[body]
    return body


@kernel("int64(int64[::1], int64[::1], uint8[::1], int64[::1], int64[::1])")
def label_rows(
    # model
    entry_start, entry_body,  # (rows + 1,), (entries,)
    moves,  # (bodies,)
    # workspace
    parent,  # (bodies,)
    # out
    label_out,  # (rows,)
):  # fmt: skip
    """Number the groups of rows that moving bodies connect, by their first row; a row at none is a group of its own.

    Writes:  parent, label_out
    Cost:    two visits a block
    Returns: number of groups
    """
    rows = label_out.shape[0]
    for body in range(parent.shape[0]):
        parent[body] = body
    for row in range(rows):
        first = -1
        for e in range(entry_start[row], entry_start[row + 1]):
            if moves[entry_body[e]] != 0:
                root = root_of(parent, entry_body[e])
                if first < 0:
                    first = root
                parent[max(first, root)] = min(first, root)
                first = min(first, root)
        label_out[row] = first
    count = 0
    for row in range(rows):
        # the number of a set is kept with its lowest body, as -1 - number, once it has one
        first = label_out[row]
        if first >= 0:
            while parent[first] >= 0 and parent[first] != first:
                first = parent[first]
        if first < 0 or parent[first] >= 0:
            if first >= 0:
                parent[first] = -1 - count
            label_out[row] = count
            count += 1
        else:
            label_out[row] = -1 - parent[first]
    return count
