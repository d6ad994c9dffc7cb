"""Kernels of `loops.py`."""

from __future__ import annotations

from taut.kernel import kernel
from taut.structure.union_kernels import lowest


@kernel("int64(uint8[::1], int64[::1], int64[::1], int64[::1], uint8[::1], int64[::1], int64[::1])")
def closes_loop(
    chosen,  # (rows,) 1 for rows that count
    owner,  # (rows,) whose they are, each owner's in a row
    entry_start, entry_body,  # (rows + 1,), (entries,)
    moves,  # (bodies,)
    # in and out
    parent,  # (bodies,) parent[b] = b on entry; then a lower body that each is joined to
    known,  # (bodies,) -2 on entry; then the last owner that each was joined for
):  # fmt: skip
    """Whether an owner joins two bodies that others before it have joined.

    Writes:  parent, known
    Returns: 1 if so; what was not looked at by then stays as it was
    """
    first, last = -1, -2
    for row in range(chosen.shape[0]):
        if chosen[row] == 0:
            continue
        if owner[row] != last:
            last, first = owner[row], -1
        for e in range(entry_start[row], entry_start[row + 1]):
            body = entry_body[e] if moves[entry_body[e]] != 0 else 0
            if known[body] == last:
                continue
            known[body] = last
            root = lowest(parent, body)
            if first < 0:
                first = root
            elif first == root:
                return 1
            else:
                low, high = min(first, root), max(first, root)
                parent[high], first = low, low
    return 0
