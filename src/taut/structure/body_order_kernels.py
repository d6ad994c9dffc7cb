"""Compiled order of elimination of little fill for bodies and hard rows.

A node is next to others: a row of bits, so that an elimination, which makes all neighbours of a node neighbours of each
other, is a few bitwise operations for each of them.
"""

from __future__ import annotations

from taut.kernel import kernel
from taut.tables import WholeRows, Wholes

WORD = 32
"""Bits in use of each word of 64: kernels count bits in words with a sign."""


@kernel(inner=True)
def join(a: int, b: int, bits: WholeRows) -> None:
    """Make two nodes neighbours.

    Writes:  bits
    """
    bits[a, b // WORD] |= 1 << (b % WORD)
    bits[b, a // WORD] |= 1 << (a % WORD)


@kernel(inner=True)
def count_bits(bits: Wholes) -> int:
    """Number of bits that are set."""
    count = 0
    for word in range(bits.shape[0]):
        x = bits[word]
        x -= (x >> 1) & 0x55555555
        x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
        x = (x + (x >> 4)) & 0x0F0F0F0F
        count += ((x * 0x01010101) >> 24) & 0xFF
    return count


@kernel(inner=True)
def list_bits(bits: Wholes, list_out: Wholes) -> int:
    """Numbers of the bits that are set, rising.

    Returns: how many
    """
    count = 0
    for word in range(bits.shape[0]):
        left = bits[word]
        while left != 0:
            below = (left & -left) - 1
            below -= (below >> 1) & 0x55555555
            below = (below & 0x33333333) + ((below >> 2) & 0x33333333)
            below = (below + (below >> 4)) & 0x0F0F0F0F
            list_out[count] = word * WORD + (((below * 0x01010101) >> 24) & 0xFF)
            count += 1
            left &= left - 1
    return count


@kernel(inner=True)
def connect(group_member: Wholes, member: Wholes, node: Wholes, bits: WholeRows) -> None:
    """Neighbours before any elimination: bodies of a group that is no node with each other, a node with its bodies.

    Writes:  bits
    """
    for g in range(node.shape[0]):
        first, last = group_member[g], group_member[g + 1]
        for a in range(first, last):
            if node[g] >= 0:
                join(node[g], member[a], bits)
            else:
                for b in range(first, a):
                    join(member[a], member[b], bits)


@kernel(inner=True)
def put_in(node: int, degree: int, head: Wholes, chain: WholeRows) -> None:
    """Put a node at the head of the list of its degree.

    Writes:  head, chain: the next and the last node of each
    """
    chain[0, node], chain[1, node] = head[degree], -1
    if head[degree] >= 0:
        chain[1, head[degree]] = node
    head[degree] = node


@kernel(inner=True)
def take_out(node: int, degree: int, head: Wholes, chain: WholeRows) -> None:
    """Take a node out of the list of its degree.

    Writes:  head, chain
    """
    after, before = chain[0, node], chain[1, node]
    if after >= 0:
        chain[1, after] = before
    if before >= 0:
        chain[0, before] = after
    else:
        head[degree] = after


@kernel(inner=True)
def is_ready(v: int, group_member: Wholes, member: Wholes, group: int, gone: Wholes, used: Wholes) -> int:
    """Whether a hard node may be eliminated once body v is: v is its own and unused, or all of its bodies are gone.

    Writes:  used: bodies that a hard node was eliminated after
    """
    own, left = 0, 0
    for a in range(group_member[group], group_member[group + 1]):
        own += 1 if member[a] == v else 0
        left += 1 - gone[member[a]]
    if own == 1 and used[v] == 0:
        used[v] = 1
        return 1
    return 1 if left == 0 else 0


@kernel()
def order_nodes(
    bodies: int, group_member: Wholes, member: Wholes, node: Wholes, group_of: Wholes,
    # workspace
    bits: WholeRows, work: WholeRows,
    # out
    order_out: Wholes, position_out: Wholes,
) -> int:  # fmt: skip
    """Minimum degree, with nodes of hard rows after one of their bodies each.

    The own block of a hard node may be zero; it is definite once one of its bodies is eliminated that no other hard
    node has used, or all of them are.                                                               [Baraff1996, 7]

    Shapes:  node (groups,), group_of (nodes - bodies,) group of each hard node; bits (nodes, words), work
             (7, nodes + 1); order_out, position_out (nodes,)
    Writes:  bits: what each node was next to when it was eliminated; order_out, position_out
    Cost:    about words * neighbours for each elimination
    Returns: number of blocks below the diagonal
    """
    nodes = order_out.shape[0]
    degree, head, near, gone, used, chain = work[0], work[1], work[2], work[3], work[4], work[5:7]
    for i in range(nodes):
        for word in range(bits.shape[1]):
            bits[i, word] = 0
        head[i], gone[i], used[i] = -1, 0, 0
    connect(group_member, member, node, bits)
    for i in range(nodes - 1, -1, -1):
        degree[i] = count_bits(bits[i])
        if i >= bodies and degree[i] == 0:
            used[i] = 1  # nothing to wait for
        if i < bodies or used[i] == 1:
            put_in(i, degree[i], head, chain)
    least, blocks = 0, 0
    for k in range(nodes):
        while head[least] < 0:
            least += 1
        v = head[least]
        take_out(v, least, head, chain)
        order_out[k], position_out[v], gone[v] = v, k, 1
        count, row = list_bits(bits[v], near), bits[v]
        blocks += count
        for a in range(count):
            u = near[a]
            other = bits[u]
            for word in range(row.shape[0]):
                other[word] |= row[word]
            other[v // WORD] &= ~(1 << (v % WORD))
            other[u // WORD] &= ~(1 << (u % WORD))
            now = count_bits(other)
            if u < bodies or used[u] == 1:
                take_out(u, degree[u], head, chain)
                put_in(u, now, head, chain)
            elif v < bodies and is_ready(v, group_member, member, group_of[u - bodies], gone, used) == 1:
                used[u] = 1
                put_in(u, now, head, chain)
            if u < bodies or used[u] == 1:
                least = min(least, now)
            degree[u] = now
    return blocks
