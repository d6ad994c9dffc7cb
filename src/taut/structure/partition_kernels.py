"""Kernels of `partition.py`: which bodies rows link, parts that grow body by body, rows that lie within one part."""

from __future__ import annotations

from taut.kernel import kernel
from taut.structure.incidence_kernels import is_like_the_last

WIDEST = 64
"""Bodies of a row that makes them neighbours. One over more leads from part to part anyway, and has as many pairs."""


@kernel("void(int64[::1], int64[::1], uint8[::1], int64[::1], int64[::1], int64[::1])", inner=True)
def spread_links(
    entry_start, entry_body,  # (rows + 1,), (entries,)
    moves, label,  # (bodies,)
    cursor_out,  # (bodies,) where the next neighbour of each body goes
    neighbour_out,  # (room,), or (0,) to count only
):  # fmt: skip
    """The neighbours of each body, as often as rows say so: those with the bodies of the row before them say nothing.

    Bodies are linked that move, share a row that is not too wide, and have one label, which is not negative.

    Writes:  cursor_out, neighbour_out
    """
    for row in range(entry_start.shape[0] - 1):
        if is_like_the_last(row, entry_start, entry_body, moves):
            continue
        bodies = entry_body[entry_start[row] : entry_start[row + 1]]
        if bodies.shape[0] > WIDEST:
            continue
        for body in bodies:
            if moves[body] == 0 or label[body] < 0:
                continue
            for other in bodies:
                if other != body and moves[other] != 0 and label[other] == label[body]:
                    if neighbour_out.shape[0] > 0:
                        neighbour_out[cursor_out[body]] = other
                    cursor_out[body] += 1


@kernel("int64(int64[::1], int64[::1], uint8[::1], int64[::1], int64[::1])")
def count_links(
    entry_start, entry_body,  # (rows + 1,), (entries,)
    moves, label,  # (bodies,)
    start_out,  # (bodies + 1,)
):  # fmt: skip
    """Room for the links of each body, see `spread_links`.

    Writes:  start_out
    Returns: room for all
    """
    for body in range(start_out.shape[0]):
        start_out[body] = 0
    spread_links(entry_start, entry_body, moves, label, start_out[1:], start_out[:0])
    for body in range(moves.shape[0]):
        start_out[body + 1] += start_out[body]
    return start_out[moves.shape[0]]


@kernel("void(int64[::1], int64[::1], uint8[::1], int64[::1], int64[::1], int64[::1], int64[::1])")
def link_bodies(
    entry_start, entry_body,  # (rows + 1,), (entries,)
    moves, label,  # (bodies,)
    work,  # workspace (bodies,)
    start_out,  # (bodies + 1,) as `count_links` left it
    neighbour_out,  # (room,)
):  # fmt: skip
    """The graph of bodies that share a row: the neighbours of each body, each once, in the order of their rows.

    Writes:  start_out, neighbour_out: body b has neighbour_out[start_out[b] : start_out[b + 1]]
    Cost:    two visits a link and row that is not like the one before it
    """
    for body in range(moves.shape[0]):
        work[body] = start_out[body]
    spread_links(entry_start, entry_body, moves, label, work, neighbour_out)
    for body in range(moves.shape[0]):
        work[body] = -1
    total = begin = 0
    for body in range(moves.shape[0]):
        end = start_out[body + 1]
        for k in range(begin, end):
            other = neighbour_out[k]
            if work[other] != body:
                work[other] = body
                neighbour_out[total] = other
                total += 1
        begin = end
        start_out[body + 1] = total


@kernel("int64(int64, int64, int64[::1])", inner=True)
def push(key, count, heap_out):
    """Put a key into a heap, whose least is first.

    Returns: how many keys it holds then
    """
    at = count
    while at > 0 and heap_out[(at - 1) // 2] > key:
        heap_out[at] = heap_out[(at - 1) // 2]
        at = (at - 1) // 2
    heap_out[at] = key
    return count + 1


@kernel("int64(int64, int64[::1])", inner=True)
def pop(count, heap_out):
    """Take the least key out of a heap.

    Returns: the key
    """
    least, key = heap_out[0], heap_out[count - 1]
    end, at = count - 1, 0
    while True:
        child = 2 * at + 1
        if child >= end:
            break
        if child + 1 < end and heap_out[child + 1] < heap_out[child]:
            child += 1
        if heap_out[child] >= key:
            break
        heap_out[at] = heap_out[child]
        at = child
    heap_out[at] = key
    return least


@kernel("int64(int64[::1], int64[::1], int64[::1], int64[::1])", inner=True)
def least_body(degree, part, held_out, heap_out):
    """Take the body of least degree that is in no part yet out of a heap; of equals the first.

    Keys are degree * bodies + body; those that were put in before the degree fell are passed over.

    Shapes:  degree, part (bodies,), held_out (1,) keys in the heap
    Returns: the body, or -1 if there is none
    """
    bodies = degree.shape[0]
    while held_out[0] > 0:
        key = pop(held_out[0], heap_out)
        held_out[0] -= 1
        body = key % bodies
        if part[body] < 0 and degree[body] == key // bodies:
            return body
    return -1


@kernel("int64(int64, int64[::1], int64[::1], int64[::1], int64[:, ::1], int64[:, ::1])", inner=True)
def leave_default_group(body, start, neighbour, part, held_out, heap_out):
    """What follows when a body goes into a part: its neighbours in none lose a degree, and are next to the part.

    Shapes:  held_out (3, bodies) keys in the heap of all and in that of neighbours, and degrees; heap_out (2, room)
    Writes:  held_out, heap_out
    Returns: how many such neighbours there are
    """
    bodies, count = part.shape[0], 0
    for other in neighbour[start[body] : start[body + 1]]:
        if part[other] < 0:
            held_out[2, other] -= 1
            key = held_out[2, other] * bodies + other
            held_out[0, 0] = push(key, held_out[0, 0], heap_out[0])
            held_out[1, 0] = push(key, held_out[1, 0], heap_out[1])
            count += 1
    return count


@kernel(
    "int64(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64, int64[:, ::1],"
    "int64[:, ::1], int64[::1], int64[::1])"
)
def grow_parts(
    start, neighbour,  # the graph of bodies
    member_start, member,  # bodies of each island of this graph
    sequence,  # the islands, those of one label one after the other
    label,  # (bodies,)
    size,
    # workspace
    held,  # (3, bodies)
    heap,  # (2, bodies + links)
    # out
    part_out, order_out,  # (bodies,)
):  # fmt: skip
    """Minimum-degree partitioning, with what would be left alone taken along.               [Peiret2019, Alg. 2]

    Each part begins with the body of least degree and takes the one of least degree next to it, until it is full.
    Degrees count neighbours that are in no part yet; of equals the first body goes first. An island that fits into a
    part is not cut; islands that fit into one together, and have one label, share it.

    Writes:  part_out: the part of each body, -1 in none; order_out: bodies in the order in which they came
    Cost:    O((bodies + links) log(bodies))
    Returns: number of parts
    Departs from the paper: where a part that is not full has no neighbours left, it goes on elsewhere in the island.
    """
    bodies, parts, taken, room, last = part_out.shape[0], 0, 0, 0, -1
    degree = held[2]
    for body in range(bodies):
        part_out[body] = -1
        degree[body] = start[body + 1] - start[body]
    for island in sequence:
        own = member[member_start[island] : member_start[island + 1]]
        if label[own[0]] != last or own.shape[0] > room:
            parts, room, last = parts + 1, size, label[own[0]]
        held[0, 0] = held[1, 0] = 0
        for body in own:
            held[0, 0] = push(degree[body] * bodies + body, held[0, 0], heap[0])
        left = own.shape[0]
        while left > 0:
            if room == 0:
                parts, room = parts + 1, size
                held[1, 0] = 0
            body = least_body(degree, part_out, held[1], heap[1])
            if body < 0:
                body = least_body(degree, part_out, held[0], heap[0])
            part_out[body] = parts - 1
            order_out[taken] = body
            taken, room, left = taken + 1, room - 1, left - 1
            leave_default_group(body, start, neighbour, part_out, held, heap)
            # orphans: all neighbours that they had are in parts, so the full part takes them along
            while room == 0 and held[1, 0] > 0 and heap[1, 0] < bodies:
                body = least_body(degree, part_out, held[1], heap[1])
                if body < 0 or degree[body] > 0:
                    break
                part_out[body] = parts - 1
                order_out[taken] = body
                taken, left = taken + 1, left - 1
    return parts


@kernel("int64(int64[::1], int64[::1], uint8[::1], int64[::1], int64[::1])")
def mark_rows(
    entry_start, entry_body,  # (rows + 1,), (entries,)
    moves, part,  # (bodies,)
    row_part_out,  # (rows,)
):  # fmt: skip
    """Part of each row: that of its moving bodies where they are all in one, else -1; 0 for a row at none.

    Writes:  row_part_out
    Returns: number of rows that are in no part: the interface
    """
    interface = 0
    for row in range(row_part_out.shape[0]):
        own, whole = -1, True
        for body in entry_body[entry_start[row] : entry_start[row + 1]]:
            if moves[body] != 0:
                whole = whole and part[body] >= 0 and (own < 0 or part[body] == own)
                own = part[body]
        row_part_out[row] = max(own, 0) if whole else -1
        if not whole:
            interface += 1
    return interface


@kernel("int64(int64[::1], int64[::1], uint8[::1], boolean[::1], uint8[::1], boolean[::1])")
def mark_pushed(
    entry_start, entry_body,  # (rows + 1,), (entries,)
    moves,  # (bodies,)
    unbounded,  # (rows,)
    pushed,  # (bodies,), work
    apart_out,  # (rows,)
):  # fmt: skip
    """Rows with bounds at bodies that a row with bounds pushes against another body that moves.

    Writes:  apart_out, pushed: 1 for these bodies, else 0
    Returns: number of such rows
    """
    pushed[:] = 0
    for row in range(apart_out.shape[0]):
        body = entry_body[entry_start[row] : entry_start[row + 1]]
        first = -1
        for k in range(0 if unbounded[row] else body.shape[0]):
            if moves[body[k]] != 0:
                if first >= 0 and body[k] != first:
                    pushed[body[k]] = pushed[first] = 1
                first = body[k]
    count = 0
    for row in range(apart_out.shape[0]):
        apart_out[row] = False
        for body in entry_body[entry_start[row] : entry_start[row + 1]]:
            if not unbounded[row] and pushed[body] != 0:
                apart_out[row] = True
        count += 1 if apart_out[row] else 0
    return count


@kernel("void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])")
def cut_nodes(
    start, neighbour,  # the graph
    order, part,  # (nodes,) part by part, as `grow_parts` leaves it
    part_out,  # (nodes,)
):  # fmt: skip
    """Part of each node, -1 if it is next to a node that stays in a part before its own: parts are not next to others.

    Writes:  part_out
    """
    for node in order:
        part_out[node] = part[node]
        for other in neighbour[start[node] : start[node + 1]]:
            # nodes of earlier parts are settled: those that left them cut nothing
            if part[other] < part[node] and part_out[other] >= 0:
                part_out[node] = -1


@kernel("void(int64[::1], int64[::1], uint8[::1], int64[::1], int64[::1], int64[::1], int64[::1])")
def row_keys(
    entry_start, entry_body,  # (rows + 1,), (entries,)
    moves, rank, part,  # (bodies,) place of each in the order in which parts took them, and its part
    row_part,  # (rows,)
    key_out,  # (rows,)
):  # fmt: skip
    """What rows are eliminated by: within parts by their last body, after them by the first part that they touch.

    Writes:  key_out
    """
    bodies = rank.shape[0]
    for row in range(row_part.shape[0]):
        key = 0 if row_part[row] >= 0 else 2 * bodies
        for body in entry_body[entry_start[row] : entry_start[row + 1]]:
            if moves[body] != 0:
                if row_part[row] >= 0:
                    key = max(key, rank[body])
                else:
                    key = min(key, bodies + max(part[body], 0))
        key_out[row] = key
