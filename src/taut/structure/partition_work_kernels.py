"""Kernels of `partition_work.py`: operations of factors part by part, counted along envelopes."""

from __future__ import annotations

from taut.kernel import kernel


@kernel("void(int64[::1], int64[::1], int64[::1])")
def sort_rows(
    key,  # (rows,)
    work,  # workspace (largest key + 2,)
    sequence_out,  # (rows,)
):
    """Rows by rising key, those with one key as they are.

    Writes:  sequence_out
    """
    for k in range(work.shape[0]):
        work[k] = 0
    for row in range(key.shape[0]):
        work[key[row] + 1] += 1
    for k in range(1, work.shape[0]):
        work[k] += work[k - 1]
    for row in range(key.shape[0]):
        sequence_out[work[key[row]]] = row
        work[key[row]] += 1


@kernel("int64(int64[::1], int64[::1], uint8[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[:, ::1])")
def count_inner(
    entry_start, entry_body, moves,  # (rows + 1,), (entries,), (bodies,)
    row_part,  # (rows,)
    sequence,  # (rows,) in the order of elimination, the interface last
    # out
    first_out,  # (bodies,)
    stored_out,  # (rows + 1,)
    work_out,  # (6, parts + 1)
):  # fmt: skip
    """Rows, entries of the envelope and multiplications of a skyline factor of each part; the rest of the table is 0.

    Writes:  first_out: place of the first row within parts at each body, -1 for none; stored_out: entries before each
             place; work_out
    Returns: number of rows within parts
    """
    first_out[:] = -1
    work_out[:] = 0
    stored_out[0] = inner = 0
    for place in range(sequence.shape[0]):
        row = sequence[place]
        part = row_part[row]
        if part < 0:
            break
        begin = place
        for body in entry_body[entry_start[row] : entry_start[row + 1]]:
            if moves[body] != 0:
                if first_out[body] < 0:
                    first_out[body] = place
                begin = min(begin, first_out[body])
        height = place - begin
        stored_out[place + 1] = stored_out[place] + height + 1
        work_out[0, part] += 1
        work_out[1, part] += height + 1
        work_out[2, part] += height * (height + 1) // 2
        inner = place + 1
    return inner


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[:, ::1],"
    "int64[:, ::1])"
)
def count_met(
    entry_start, entry_body, part,  # (rows + 1,), (entries,), (bodies,)
    interface,  # (rows of the interface,)
    first, stored,  # as `count_inner` left them
    end,  # (parts,) places after the rows of each part
    # workspace
    work,  # (2, parts)
    # out
    work_out,  # (6, parts + 1)
):  # fmt: skip
    """What rows of the interface cost each part: how many meet it, and where L^-1 G^T is not 0: rows, entries of L.

    Writes:  work, work_out
    """
    seen, reached = work
    for p in range(seen.shape[0]):
        seen[p] = -1
    for row in interface:
        for body in entry_body[entry_start[row] : entry_start[row + 1]]:
            p = part[body]
            if p < 0 or first[body] < 0:
                continue
            if seen[p] != row:
                seen[p], reached[p] = row, end[p]
                work_out[3, p] += 1
            if first[body] < reached[p]:
                work_out[4, p] += reached[p] - first[body]
                work_out[5, p] += stored[reached[p]] - stored[first[body]]
                reached[p] = first[body]


@kernel("void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[:, ::1])")
def count_between(
    entry_start, entry_body, part,  # (rows + 1,), (entries,), (bodies,)
    interface,  # (rows of the interface,) in the order of elimination
    first_out,  # (parts,)
    work_out,  # (6, parts + 1)
):  # fmt: skip
    """Rows, envelope and multiplications of a factor of the interface, whose rows meet where they touch one part.

    Writes:  first_out, the last column of work_out
    """
    for p in range(first_out.shape[0]):
        first_out[p] = -1
    last = first_out.shape[0]
    for place in range(interface.shape[0]):
        begin = place
        for body in entry_body[entry_start[interface[place]] : entry_start[interface[place] + 1]]:
            p = part[body]
            if p >= 0:
                if first_out[p] < 0:
                    first_out[p] = place
                begin = min(begin, first_out[p])
        height = place - begin
        work_out[0, last] += 1
        work_out[1, last] += height + 1
        work_out[2, last] += height * (height + 1) // 2
