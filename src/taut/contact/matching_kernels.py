"""Kernels of `matching.py`."""

from __future__ import annotations

from taut.contact.settings import MATCHING
from taut.kernel import kernel
from taut.tables import Flags, RealRows, Reals, Wholes


@kernel("float64(float64[::1], float64[::1])", inner=True)
def distance2(
    p, q,  # (3,) m
):  # fmt: skip
    """Squared distance of two points, m^2."""
    x, y, z = p[0] - q[0], p[1] - q[1], p[2] - q[2]
    return x * x + y * y + z * z


@kernel("int64(int64[::1], int64[::1], int64)", inner=True)
def end_of_pair(
    geom_a, geom_b,  # (k,) sorted by pair
    start,
):  # fmt: skip
    """The first contact after `start` that is of another geom pair."""
    stop = start + 1
    while stop < geom_a.shape[0] and geom_a[stop] == geom_a[start] and geom_b[stop] == geom_b[start]:
        stop += 1
    return stop


@kernel()
def match_points(
    old_geom_a: Wholes, old_geom_b: Wholes, old_core_a: RealRows, old_core_b: RealRows,  # (k_old,), (k_old, 3)
    geom_a: Wholes, geom_b: Wholes, core_a: RealRows, core_b: RealRows,  # likewise (k_new)
    radius: Reals,  # (g,) m
    used_out: Flags,  # (k_old,) 1 for contacts that were found again
    found_out: Wholes,  # (k_new,)
) -> None:  # fmt: skip
    """Match contacts pair by pair, nearest first; see `match`.

    Writes:  used_out, found_out
    """
    for j in range(used_out.shape[0]):
        used_out[j] = 0
    for i in range(found_out.shape[0]):
        found_out[i] = -1
    j, i = 0, 0
    while i < geom_a.shape[0] and j < old_geom_a.shape[0]:
        a, b = geom_a[i], geom_b[i]
        if old_geom_a[j] < a or (old_geom_a[j] == a and old_geom_b[j] < b):
            j += 1
            continue
        i_end = end_of_pair(geom_a, geom_b, i)
        if old_geom_a[j] != a or old_geom_b[j] != b:
            i = i_end
            continue
        j_end = end_of_pair(old_geom_a, old_geom_b, j)
        limit = (MATCHING.share * min(radius[a], radius[b])) ** 2
        for _ in range(min(i_end - i, j_end - j)):
            best, new, old = limit, -1, -1
            for p in range(i, i_end):
                if found_out[p] >= 0:
                    continue
                for q in range(j, j_end):
                    if used_out[q] == 0:
                        at_a, at_b = distance2(core_a[p], old_core_a[q]), distance2(core_b[p], old_core_b[q])
                        d = min(at_a, at_b) + MATCHING.other_side * max(at_a, at_b)
                        if d < best:
                            best, new, old = d, p, q
            if new < 0:
                break
            found_out[new], used_out[old] = old, 1
        i, j = i_end, j_end
