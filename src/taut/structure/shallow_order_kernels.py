"""Compiled order of elimination with little fill and a low tree, for factors that are changed a path at a time.

Nodes go in rounds. In a round go those of least degree, or of one more, that are not next to each other. A chain then
loses every other node in a round, as in cyclic reduction: its tree has the height log2 n instead of n, and a column has
two blocks instead of one. Leaves and inner nodes of trees go together, as in tree contraction.
"""

from __future__ import annotations

from taut.kernel import kernel
from taut.structure.body_order_kernels import WORD, count_bits, join, list_bits
from taut.tables import WholeRows, Wholes

SLACK = 1
"""By how much the degree of a node that goes in a round may be above the least. With 0 a chain goes from its ends, with
more than 1 nets fill in."""

GONE = -1
"""What a node that is eliminated waits for."""


@kernel(inner=True)
def take(
    v: int, sign: Wholes, start: Wholes, near: Wholes, count: int, met: Wholes,
    # in and out
    bits: WholeRows, waits: Wholes, degree: Wholes,
) -> None:  # fmt: skip
    """Eliminate a node: all that it meets now meet each other, and those that waited for it do so no more.

    Writes:  bits, waits, degree
    """
    row = bits[v]
    for a in range(count):
        u = met[a]
        other = bits[u]
        for word in range(row.shape[0]):
            other[word] |= row[word]
        other[v // WORD] &= ~(1 << (v % WORD))
        other[u // WORD] &= ~(1 << (u % WORD))
        degree[u] = count_bits(other)
    waits[v] = GONE
    for e in range(start[v], start[v + 1]):
        if sign[v] > 0 and sign[near[e]] < 0:
            waits[near[e]] -= 1


@kernel()
def order_shallow(
    sign: Wholes, start: Wholes, near: Wholes,
    # workspace
    bits: WholeRows, work: WholeRows,
    # out
    order_out: Wholes,
) -> None:  # fmt: skip
    """Order of elimination in rounds; a node of sign -1 waits for all of sign 1 that it meets.

    Its own block may be zero. Once all that it meets are gone its pivot is definite, whatever came between: what has
    been eliminated is always a KKT matrix of some bodies and of rows that touch no other.

    Shapes:  sign (n,) 1 or -1; start (n + 1,), near: neighbours of each node; bits (n, n // 32 + 1), work (4, n);
             order_out (n,)
    Cost:    about n / 32 times neighbours for each elimination, and n for each round
    """
    nodes = sign.shape[0]
    waits, degree, met, blocked = work[0], work[1], work[2], work[3]
    for v in range(nodes):
        waits[v], blocked[v] = 0, -1
        for word in range(bits.shape[1]):
            bits[v, word] = 0
    for v in range(nodes):
        for e in range(start[v], start[v + 1]):
            join(v, near[e], bits)
            waits[v] += 1 if sign[v] < 0 and sign[near[e]] > 0 else 0
    for v in range(nodes):
        degree[v] = count_bits(bits[v])
    done, round_ = 0, 0
    while done < nodes:
        least = nodes
        for v in range(nodes):
            if waits[v] == 0:
                least = min(least, degree[v])
        for extra in range(SLACK + 1):
            for v in range(nodes):
                if waits[v] == 0 and blocked[v] != round_ and degree[v] == least + extra:
                    count = list_bits(bits[v], met)
                    take(v, sign, start, near, count, met, bits, waits, degree)
                    for a in range(count):
                        blocked[met[a]] = round_
                    order_out[done] = v
                    done += 1
        round_ += 1
