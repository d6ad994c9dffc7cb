"""Kernels of `groups.py`."""

from __future__ import annotations

from taut.kernel import kernel


@kernel("void(int64[::1], int64[::1], uint8[::1], int64[::1])")
def merge_groups(
    # contacts
    group_a,
    group_b,  # (contacts,) groups that meet, or -1 for what does not move
    counts,  # (contacts,) whether the meeting counts
    # in and out
    parent,  # (groups,) parent[g] = g on entry; then the lowest group that g is joined to
):
    """Join groups that meet, by union with path halving; the lowest number stands for all.

    Writes:  parent
    """
    for i in range(group_a.shape[0]):
        if counts[i] == 0 or group_a[i] < 0 or group_b[i] < 0:
            continue
        a, b = group_a[i], group_b[i]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a < b:
            parent[b] = a
        else:
            parent[a] = b
    for g in range(parent.shape[0]):
        # parents are lower, so they are final already
        parent[g] = parent[parent[g]]
