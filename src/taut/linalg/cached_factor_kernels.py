"""Compiled methods of `CachedFactor`: what pivoting asks of a factor, see `linalg.factor`."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.cached import (
    ASKED,
    BYTES,
    CHILD,
    ENTRIES,
    EVICTED,
    HITS,
    LONGEST,
    PARENT,
    RESTORED,
    ROW,
    SAVED,
    SIBLING,
    UNSAVED,
    USED,
    CachedFactor,
)
from taut.linalg.downdated import BEGIN, END, EXCHANGED, HOLDS, IN_USE, PANELS
from taut.linalg.downdated_factor_kernels import (
    collect_rows,
    copy_first,
    copy_numbers,
    exchange_rows,
    factor_first,
    is_accurate,
    lay_out,
    mark_independent,
    refactor,
)
from taut.linalg.skyline import INVERSE
from taut.tables import Flags, Reals, WholeRows, Wholes, method


@kernel()
def find_child(tree: WholeRows, entry: int, row: int) -> int:
    """The entry with one more tight row, or -1."""
    child = tree[CHILD, entry]
    while child >= 0 and tree[ROW, child] != row:
        child = tree[SIBLING, child]
    return child


@kernel()
def remove_leaf(tree_out: WholeRows, entry: int) -> None:
    """Take an entry that has none after it out of the tree."""
    parent, following = tree_out[PARENT, entry], tree_out[SIBLING, entry]
    if tree_out[CHILD, parent] == entry:
        tree_out[CHILD, parent] = following
        return
    before = tree_out[CHILD, parent]
    while tree_out[SIBLING, before] != entry:
        before = tree_out[SIBLING, before]
    tree_out[SIBLING, before] = following


@kernel()
def oldest_entry(tree: WholeRows, entries: int, now: int) -> int:
    """The entry that was not used for longest, with none after it, or -1 if all are in use now."""
    oldest, entry = now, -1
    for e in range(1, entries + 1):
        if tree[CHILD, e] < 0 and tree[USED, e] < oldest:
            oldest, entry = tree[USED, e], e
    return entry


@kernel(apart=True)
def closest_entry(cache: CachedFactor, rows: Wholes) -> int:
    """The longest beginning of a set of tight rows that is known; it and those before it are used now.

    Makes the factor at hand a copy of it.                                                    [Lefebvre2020, Alg. 3.2]

    Writes:  tree, counts, base of the cache
    Returns: the entry; its rows are counted in base.state[EXCHANGED]
    """
    tree, counts, base = cache.tree, cache.counts, cache.base
    counts[ASKED] += 1
    entry, known = 0, 0
    while known < rows.size:
        child = find_child(tree, entry, rows[known])
        if child < 0:
            break
        entry, known = child, known + 1
        tree[USED, entry] = counts[ASKED]
    counts[HITS] += 1 if known == rows.size else 0
    counts[LONGEST] = max(counts[LONGEST], known)
    if entry == 0:
        copy_first(base)
        return 0
    used = base.layout[1, base.state[PANELS]]
    slot = cache.slots[entry - 1]
    copy_numbers(used, slot, base.storage)
    copy_numbers((base.state[END] - base.state[BEGIN] + 3) // 4 * 4, slot[used:], base.real[INVERSE])
    base.state[EXCHANGED], base.state[HOLDS] = known, 1
    counts[RESTORED] += 1
    return entry


@kernel()
def room_for_entry(cache: CachedFactor) -> int:
    """An entry that is not in use, or -1: a new one, or else the one that was not used for longest.

    Writes:  tree, counts of the cache
    """
    counts = cache.counts
    if counts[ENTRIES] < cache.slots.shape[0]:
        counts[ENTRIES] += 1
        return counts[ENTRIES]
    entry = oldest_entry(cache.tree, counts[ENTRIES], counts[ASKED])
    if entry >= 0:
        remove_leaf(cache.tree, entry)
        counts[EVICTED] += 1
    return entry


@kernel(apart=True)
def save_entry(cache: CachedFactor, parent: int, row: int) -> int:
    """Keep the factor at hand, with one tight row more than its parent.               [Lefebvre2020, Alg. 3.1, line 12]

    Writes:  slots, tree, counts of the cache
    Returns: its entry, or -1 if there is no room or its parent is not known
    """
    tree, counts, base = cache.tree, cache.counts, cache.base
    entry = room_for_entry(cache) if parent >= 0 else -1
    if entry < 0:
        counts[UNSAVED] += 1
        return -1
    used = base.layout[1, base.state[PANELS]]
    size = (base.state[END] - base.state[BEGIN] + 3) // 4 * 4
    slot = cache.slots[entry - 1]
    copy_numbers(used, base.storage, slot)
    copy_numbers(size, base.real[INVERSE], slot[used:])
    tree[PARENT, entry], tree[ROW, entry], tree[CHILD, entry] = parent, row, -1
    tree[SIBLING, entry], tree[USED, entry] = tree[CHILD, parent], counts[ASKED]
    tree[CHILD, parent] = entry
    counts[SAVED] += 1
    counts[BYTES] = 8 * (used + size) * counts[ENTRIES]
    return entry


@kernel(apart=True)
def downdate_cached(cache: CachedFactor, begin: int, end: int, index_set: Wholes) -> int:
    """Make the factor one of the free rows, from the closest entry, row by row.    [Lefebvre2020, Alg. 3.1, lines 8-13]

    Returns: 1 if that succeeded, 0 if the free rows have to be factored anew
    """
    base, state = cache.base, cache.base.state
    if state[BEGIN] != begin or state[END] != end:
        lay_out(base, begin, end)
        cache.counts[ENTRIES], cache.counts[BYTES], cache.tree[CHILD, 0] = 0, 0, -1
    if factor_first(base) == 0:
        return 0
    rows = base.rows[0, : collect_rows(base, begin, end, index_set, 0)]
    entry = closest_entry(cache, rows)
    for k in range(state[EXCHANGED], rows.size):
        if exchange_rows(base, rows[k : k + 1]) == 0:
            return 0
        entry = save_entry(cache, entry, rows[k])
    return is_accurate(base)


@kernel(apart=True)
def factorise_cached(
    cache: CachedFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags
) -> int:
    """Take the tight rows of a part out of the closest factor that is known; see `Factor.factorise`.

    Writes:  all of cache but its matrix; dependent_out
    """
    base = cache.base
    base.state[IN_USE] = downdate_cached(cache, begin, end, index_set) if shift.size == 0 else 0
    if base.state[IN_USE] == 0:
        return refactor(base, begin, end, index_set, shift, dependent_out)
    mark_independent(begin, end, index_set, dependent_out)
    return 0


@method(CachedFactor)
def load(cache: CachedFactor, values: Reals, scale: Reals) -> int:
    """Take a matrix and forget all factors; see `Factor.load`."""
    return cache.base.load(values, scale)


@method(CachedFactor)
def multiply(cache: CachedFactor, begin: int, end: int, lam: Reals, bias: Reals, w_out: Reals) -> None:
    """w = A~ lam + b on a part; see `Factor.multiply`."""
    cache.base.multiply(begin, end, lam, bias, w_out)


@method(CachedFactor)
def factorise(cache: CachedFactor, begin: int, end: int, index_set: Wholes, shift: Reals, dependent_out: Flags) -> int:
    """Factor the free rows of a part; see `Factor.factorise` and `factorise_cached`."""
    return factorise_cached(cache, begin, end, index_set, shift, dependent_out)


@method(CachedFactor)
def solve(cache: CachedFactor, rhs: Reals, x_out: Reals) -> None:
    """Solve with the last factor; see `Factor.solve`."""
    cache.base.solve(rhs, x_out)
