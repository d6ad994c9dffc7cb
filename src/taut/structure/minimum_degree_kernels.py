"""Compiled minimum-degree order of a symmetric pattern, with the fronts that it leaves.

Rows with the same neighbours are one group, as the rows of a joint or a contact are: the graph is that of groups. What
a group is next to is a row of bits, so that an elimination, which makes all neighbours of a group neighbours of each
other, is a few bitwise operations for each of them.
"""

from __future__ import annotations

from taut.kernel import kernel

WORD = 32
"""Bits in use of each word."""
REMAINDERS = 37
"""Powers of two below 2**32 leave different remainders on division by this."""


@kernel("int64(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])")
def group_rows(
    indptr, indices, late,
    table,  # workspace, a power of two of at least 2 n
    group_out,
    leader_out,
):  # fmt: skip
    """Number the groups of rows that have the same neighbours, themselves included, by their first row.

    Rows that are not to be eliminated before all others are (late 1) have groups of their own.

    Shapes:  late, group_out (n,), leader_out (n,) first row of each group
    Cost:    two visits an entry
    Returns: number of groups
    """
    for slot in range(table.size):
        table[slot] = -1
    count = 0
    for row in range(group_out.size):
        columns = indices[indptr[row] : indptr[row + 1]]
        key = 2 * columns.size + late[row]
        for e in range(columns.size):
            key = (key * 31 + columns[e]) & 0xFFFFFFFFFFF
        slot = (key ^ (key >> 15)) & (table.size - 1)
        group = -1
        while table[slot] >= 0:
            # groups are compared in full: a hash alone might join what is not the same
            leader = leader_out[table[slot]]
            others = indices[indptr[leader] : indptr[leader + 1]]
            same = others.size == columns.size and late[leader] == late[row]
            e = 0
            while same and e < columns.size:
                same = others[e] == columns[e]
                e += 1
            if same:
                group = table[slot]
                break
            slot = (slot + 1) & (table.size - 1)
        if group < 0:
            group = count
            table[slot] = group
            leader_out[group] = row
            count += 1
        group_out[row] = group
    return count


@kernel("void(int64[::1], int64[::1], int64[::1], int64[::1], int64, int64[:, ::1])")
def neighbour_bits(
    indptr, indices, number, leader, first,
    bits_out,
):  # fmt: skip
    """Rows of bits of the groups of an island: which others they are next to.

    Shapes:  number (n,) of the group of each row, first of the numbers of the island; leader (groups of the island,)
             a row of each; bits_out (groups of the island, words)
    """
    for k in range(leader.size):
        for word in range(bits_out.shape[1]):
            bits_out[k, word] = 0
        for column in indices[indptr[leader[k]] : indptr[leader[k] + 1]]:
            other = number[column] - first
            if other != k:
                bits_out[k, other // WORD] |= 1 << (other % WORD)


@kernel("int64(int64[::1], int64[::1], int64[::1])", inner=True)
def list_bits(row, place, list_out):
    """Numbers of the bits that are set in a row of bits.

    Shapes:  place (REMAINDERS,) bit by the remainder of its power of two
    Returns: how many
    """
    count = 0
    for word in range(row.size):
        left = row[word]
        while left != 0:
            list_out[count] = word * WORD + place[(left & -left) % REMAINDERS]
            count += 1
            left &= left - 1
    return count


@kernel("int64(int64[::1], int64[::1], int64[::1])", inner=True)
def least_degree(front, degree, height):
    """The group of least degree that is left; of equals the one that waits for the fewest eliminations; -1 if none is.

    Late groups are not asked: their front is below -1.
    """
    best = -1
    for k in range(front.size):
        if front[k] == -1 and (
            best < 0 or degree[k] < degree[best] or (degree[k] == degree[best] and height[k] < height[best])
        ):
            best = k
    return best


@kernel("int64(int64, int64, int64[::1], int64[::1], int64[:, ::1])", inner=True)
def take_neighbours(u, v, weight, place, bits_out):
    """Make all neighbours of v, which is eliminated, neighbours of u.

    Writes:  row u of bits_out
    Returns: by how much the degree of u grows
    """
    row, clique = bits_out[u], bits_out[v]
    # u was next to v, which is gone, and will be marked as next to itself
    added = -weight[v] - weight[u]
    for word in range(row.size):
        left = clique[word] & ~row[word]
        row[word] |= left
        while left != 0:
            added += weight[word * WORD + place[(left & -left) % REMAINDERS]]
            left &= left - 1
    row[v // WORD] &= ~(1 << (v % WORD))
    row[u // WORD] &= ~(1 << (u % WORD))
    return added


@kernel("int64(int64, int64[::1], int64[::1], int64[:, ::1])", inner=True)
def eliminate_border(fronts, front_out, next_out, bits_out):
    """Eliminate all groups that are left, the late ones, at once: they leave nothing.

    Returns: the first of them, or -1
    """
    first = -1
    last = -1
    for k in range(front_out.size):
        if front_out[k] < 0:
            front_out[k] = fronts
            if first < 0:
                first = k
            else:
                next_out[last] = k
            last = k
    if first >= 0:
        for word in range(bits_out.shape[1]):
            bits_out[first, word] = 0
    return first


@kernel("int64(int64[::1], int64[::1], int64[:, ::1], int64[:, ::1], int64[::1], int64[::1], int64[::1])")
def eliminate_groups(
    weight, late,
    bits_out,
    work,  # workspace (4, groups + REMAINDERS)
    front_out,
    next_out,
    first_out,
):  # fmt: skip
    """Eliminate the group of least degree, and with it all that then have no other neighbours, until none is left.

    Of equal degrees the one that waits for the fewest eliminations goes first, which keeps the tree low. Late groups
    come last, all at once.

    Shapes:  weight (groups,) rows of each, late (groups,), bits_out (groups, words), front_out, next_out, first_out
             (groups,)
    Writes:  front_out: number of the elimination of each group; first_out: its first group, by number; next_out: the
             next group of the same elimination or -1; bits_out: at the first groups, what their eliminations leave
    Cost:    about words * neighbours for each elimination, and groups to find the next one
    Returns: number of eliminations
    """
    degree, height, near, place = work[0], work[1], work[2], work[3]
    for bit in range(WORD):
        place[(1 << bit) % REMAINDERS] = bit
    for k in range(weight.size):
        front_out[k] = -1 - late[k]
        next_out[k] = -1
        height[k] = 0
        degree[k] = 0
        for a in range(list_bits(bits_out[k], place, near)):
            degree[k] += weight[near[a]]
    fronts = 0
    v = least_degree(front_out, degree, height)
    while v >= 0:
        count = list_bits(bits_out[v], place, near)
        for a in range(count):
            u = near[a]
            degree[u] += take_neighbours(u, v, weight, place, bits_out)
            height[u] = max(height[u], height[v] + 1)
        front_out[v] = fronts
        first_out[fronts] = v
        last = v
        for a in range(count):
            u = near[a]
            if late[u] == 0 and degree[u] == degree[v] - weight[u]:
                front_out[u] = fronts
                next_out[last] = u
                last = u
        u = next_out[v]
        while u >= 0:
            bits_out[v, u // WORD] &= ~(1 << (u % WORD))
            for a in range(count):
                bits_out[near[a], u // WORD] &= ~(1 << (u % WORD))
                degree[near[a]] -= weight[u]
            u = next_out[u]
        fronts += 1
        v = least_degree(front_out, degree, height)
    v = eliminate_border(fronts, front_out, next_out, bits_out)
    if v >= 0:
        first_out[fronts] = v
        fronts += 1
    return fronts
