"""Kernels of `union.py`: groups that meet become one, by union with path halving."""

from __future__ import annotations

from taut.kernel import kernel


@kernel("int64(int64[::1], int64)", inner=True)
def lowest(
    parent,  # (groups,) a lower group that each is joined to, or itself
    group,
):
    """The group that stands for all that one is joined to; the way there is made shorter."""
    while parent[group] != group:
        parent[group] = parent[parent[group]]
        group = parent[group]
    return group


@kernel("void(int64[::1], int64, int64)", inner=True)
def join(
    parent,  # as in `lowest`
    first, second,
):  # fmt: skip
    """Join two groups; the lowest number stands for all.

    Writes:  parent
    """
    a, b = lowest(parent, first), lowest(parent, second)
    parent[max(a, b)] = min(a, b)


@kernel("int64(int64, int64[::1], int64[::1], uint8[::1])", inner=True)
def first_moving(row, entry_start, entry_body, moves):
    """First body of a row that moves, -1 where none does."""
    for e in range(entry_start[row], entry_start[row + 1]):
        if moves[entry_body[e]] != 0:
            return entry_body[e]
    return -1


@kernel("void(int64[::1], int64[::1], uint8[::1], int64[::1])")
def find_first_moving(
    entry_start, entry_body,  # (rows + 1,), (entries,)
    moves,  # (bodies,)
    body_out,  # (rows,)
):  # fmt: skip
    """First body of every row that moves, 0 where none does.

    Writes:  body_out
    """
    for row in range(body_out.shape[0]):
        body_out[row] = max(first_moving(row, entry_start, entry_body, moves), 0)


@kernel("void(int64[::1], int64[::1], uint8[::1], int64[::1])")
def join_rows(
    # model
    entry_start, entry_body,  # (rows + 1,), (entries,)
    moves,  # (bodies,)
    # in and out
    parent,  # (bodies,) parent[b] = b on entry; then the lowest body of the group, 0 for what does not move
):  # fmt: skip
    """Join the bodies of every row that move.

    Writes:  parent
    """
    for row in range(entry_start.shape[0] - 1):
        first = first_moving(row, entry_start, entry_body, moves)
        if first < 0:
            continue
        for e in range(entry_start[row], entry_start[row + 1]):
            body = entry_body[e]
            if moves[body] != 0:
                join(parent, first, body)
    for body in range(parent.shape[0]):
        parent[body] = lowest(parent, body) if moves[body] != 0 else 0


@kernel("void(int64[::1], int64[::1], uint8[::1], int64[::1])")
def merge_groups(
    # contacts
    group_a, group_b,  # (contacts,) groups that meet, or -1 for what does not move
    counts,  # (contacts,) whether the meeting counts
    # in and out
    parent,  # (groups,) parent[g] = g on entry; then the lowest group that g is joined to
):  # fmt: skip
    """Join groups that meet.

    Writes:  parent
    """
    for i in range(group_a.shape[0]):
        if counts[i] != 0 and group_a[i] >= 0 and group_b[i] >= 0:
            join(parent, group_a[i], group_b[i])
    for g in range(parent.shape[0]):
        parent[g] = lowest(parent, g)
