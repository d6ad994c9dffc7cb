"""Compiled planning of fronts: which eliminations are done together, in which order, and where their entries go."""

from __future__ import annotations

from taut.kernel import kernel
from taut.structure.cost_kernels import front_solve_time, front_time, pivot_time, plan_time, skyline_time
from taut.structure.minimum_degree_kernels import WORD

WIDTH, REST, PARENT, HEAD, TAIL, CHILD, SIBLING = 0, 1, 2, 3, 4, 5, 6
"""What is known of a front while fronts are joined: columns, rows below, parent, first and last group, first child, the
next child of the same parent."""


@kernel("void(int64[::1], int64[::1], int64[::1], float64[:, ::1])")
def weigh(
    island_start, lower_start, lower_column,
    cost_out,
):  # fmt: skip
    """Predicted nanoseconds of a skyline factor of all rows of each island, of a pivot, and of planning fronts for it.

    Shapes:  cost_out (3, islands)
    """
    for island in range(cost_out.shape[1]):
        begin, end = island_start[island], island_start[island + 1]
        products = 0.0
        stored = 0.0
        reach = end
        # the closed envelope from the last row up: its first column can only move left
        for k in range(end - 1, begin - 1, -1):
            reach = min(reach, k)
            if reach > begin:
                for e in range(lower_start[k], lower_start[k + 1]):
                    reach = min(reach, lower_column[e])
            products += float((k - reach) * (k - reach))
            stored += float(k - reach + 1)
        rows, entries = float(end - begin), float(lower_start[end] - lower_start[begin])
        cost_out[0, island] = skyline_time(rows, stored, 0.5 * products)
        cost_out[1, island] = pivot_time(rows, entries, stored, 0.5 * products)
        cost_out[2, island] = plan_time(rows, entries)


@kernel("void(int64[::1], int64[::1], int64[::1], int64[::1], float64[::1])")
def weigh_fronts(island_start, node_begin, first, row_start, cost_out):
    """Predicted nanoseconds to do all fronts of each island, and to solve with them.

    Shapes:  cost_out (islands,)
    """
    for island in range(cost_out.size):
        cost_out[island] = 0.0
        for k in range(node_begin[island_start[island]], node_begin[island_start[island + 1]]):
            width, rest = first[k + 1] - first[k], row_start[k + 1] - row_start[k]
            cost_out[island] += front_time(width, rest) + front_solve_time(width, rest)


@kernel("void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])")
def number_groups(
    order,
    number,  # workspace (groups,)
    group_out,
    leader_out,
    start_out,
    member_out,
    seen_out,
):  # fmt: skip
    """Number the groups by their first row in an order, and list the rows of each.

    Shapes:  order, group_out, member_out (n,), leader_out (groups,), start_out (groups + 1,), seen_out (n + 1,)
    Writes:  group_out: new number of the group of each row; by number: leader_out (a row), start_out and member_out
             (positions of the rows in the order); seen_out[k]: how many groups there are before position k
    """
    for g in range(number.size):
        number[g] = -1
    count = 0
    for k in range(order.size):
        seen_out[k] = count
        g = group_out[order[k]]
        if number[g] < 0:
            number[g] = count
            leader_out[count] = order[k]
            start_out[count] = 0
            count += 1
        group_out[order[k]] = number[g]
        start_out[number[g]] += 1
    seen_out[order.size] = count
    end = order.size
    for g in range(count - 1, -1, -1):
        end -= start_out[g]
        start_out[g] = end
        number[g] = end
    start_out[count] = order.size
    for k in range(order.size):
        g = group_out[order[k]]
        member_out[number[g]] = k
        number[g] += 1


@kernel("void(int64, int64[::1], int64[:, ::1], int64[::1], int64[::1], int64[::1], int64[:, ::1])", inner=True)
def measure_fronts(fronts, weight, bits, front, first, following, front_out):
    """Columns, rows below, parent (or the number of fronts), first and last group of each front, see `join_fronts`."""
    for f in range(fronts):
        front_out[HEAD, f] = first[f]
        front_out[WIDTH, f] = 0
        front_out[REST, f] = 0
        front_out[PARENT, f] = fronts
        g = first[f]
        while g >= 0:
            front_out[WIDTH, f] += weight[g]
            front_out[TAIL, f] = g
            g = following[g]
        row = bits[first[f]]
        for g in range(weight.size):
            if row[g // WORD] >> (g % WORD) & 1:
                front_out[REST, f] += weight[g]
                front_out[PARENT, f] = min(front_out[PARENT, f], front[g])


@kernel("int64(int64, int64, int64[:, ::1], int64[::1])", inner=True)
def join_with_parents(fronts, border, front_out, next_out):
    """Join fronts with their parents, but for the front `border`, where one larger front costs less.

    Writes:  front_out: of fronts that are joined, -1 - the one that they are part of as WIDTH; of the others as PARENT
             one that is not; next_out: groups of joined fronts, one after the other
    Returns: the first of the fronts that have no parent, the others follow as SIBLING
    """
    width, rest, parent, head, tail = (
        front_out[WIDTH], front_out[REST], front_out[PARENT], front_out[HEAD], front_out[TAIL]
    )  # fmt: skip
    child, sibling = front_out[CHILD], front_out[SIBLING]
    for f in range(fronts):
        p = parent[f]
        child[f] = -1
        if p < fronts and p != border:
            joint = front_time(width[f] + width[p], rest[p])
            if joint <= front_time(width[f], rest[f]) + front_time(width[p], rest[p]):
                width[p] += width[f]
                next_out[tail[f]] = head[p]
                head[p] = head[f]
                width[f] = -1 - p
    top = -1
    for f in range(fronts - 1, -1, -1):
        if width[f] > 0:
            p = parent[f]
            while p < fronts and width[p] < 0:
                p = -1 - width[p]
            parent[f] = p
            if p < fronts:
                sibling[f] = child[p]
                child[p] = f
            else:
                sibling[f] = top
                top = f
    return top


@kernel(
    "int64(int64, int64, int64[::1], int64[:, ::1], int64[::1], int64[::1], int64[::1], int64[:, ::1], int64[::1],"
    " int64[:, ::1])"
)
def join_fronts(
    fronts, border, weight, bits, front, first,
    next_out,
    work,  # workspace (7, groups)
    group_out,
    node_out,
):  # fmt: skip
    """Join fronts with their parents where one larger front costs less, and put children before parents.

    The front `border` stays as it is; it is the last one, or -1 for none.

    Shapes:  weight, front, next_out (groups,), bits (groups, words), first (fronts,), see `eliminate_groups`; group_out
             (groups,) in the order of elimination; node_out (5, groups)
    Writes:  group_out; node_out, by node: how many groups, columns, rows below, parent or -1, the group whose bits are
             the rows below
    Returns: number of nodes
    """
    measure_fronts(fronts, weight, bits, front, first, next_out, work)
    f = join_with_parents(fronts, border, work, next_out)
    width, rest, parent, head, tail = work[WIDTH], work[REST], work[PARENT], work[HEAD], work[TAIL]
    child, sibling = work[CHILD], work[SIBLING]
    nodes = 0
    end = 0
    while f >= 0:
        while child[f] >= 0:
            f = child[f]
        node_out[0, nodes] = 0
        node_out[1, nodes] = width[f]
        node_out[2, nodes] = rest[f]
        node_out[4, nodes] = first[f]
        g = head[f]
        while g >= 0:
            group_out[end] = g
            end += 1
            node_out[0, nodes] += 1
            g = next_out[g] if g != tail[f] else -1
        # from here on the front is known by its node
        width[f] = nodes
        nodes += 1
        p = parent[f]
        f = sibling[f]
        if f < 0 and p < fronts:
            child[p] = -1
            f = p
    for f in range(fronts):
        if width[f] >= 0:
            node_out[3, width[f]] = width[parent[f]] if parent[f] < fronts else -1
    return nodes


@kernel(
    "void(int64, int64[::1], int64[::1], int64[:, ::1], int64[:, ::1], int64[::1], int64[::1], int64[::1], int64[::1])"
)
def list_rows(
    nodes, weight, group, bits, node,
    first_out,
    column_out,
    row_start_out,
    row_out,
):  # fmt: skip
    """Columns of each node, and the rows below them: columns of its ancestors, in their order.

    Shapes:  group (groups,), node (5, groups), see `join_fronts`; first_out, row_start_out (nodes + 1,), column_out
             (groups,), row_out (rows of all nodes,)
    Writes:  first_out: first column of each node; column_out: first column of each group; row_start_out, row_out
    """
    end = 0
    column = 0
    row_start_out[0] = 0
    for k in range(nodes):
        first_out[k] = column
        for a in range(end, end + node[0, k]):
            column_out[group[a]] = column
            column += weight[group[a]]
        end += node[0, k]
        row_start_out[k + 1] = row_start_out[k] + node[2, k]
    first_out[nodes] = column
    start = weight.size
    for k in range(nodes - 1, -1, -1):
        start -= node[0, k]
        # the workspace is the last thing that this row is needed for: where the groups of each node begin
        node[1, k] = start
    for k in range(nodes):
        row = bits[node[4, k]]
        place = row_start_out[k]
        p = node[3, k]
        while place < row_start_out[k + 1]:
            for a in range(node[1, p], node[1, p] + node[0, p]):
                g = group[a]
                if row[g // WORD] >> (g % WORD) & 1:
                    for c in range(column_out[g], column_out[g] + weight[g]):
                        row_out[place] = c
                        place += 1
            p = node[3, p]


@kernel("void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])")
def place_rows(
    first, parent, row_start, row,
    local,  # workspace (columns,)
    place_out,
):  # fmt: skip
    """Where the rows below each node are in the front of its parent: columns of the parent first, rows below it then.

    Shapes:  first, row_start (nodes + 1,), parent (nodes,), row, place_out (rows of all nodes,)
    """
    for k in range(parent.size):
        p = parent[k]
        if p < 0:
            continue
        for a in range(row_start[p], row_start[p + 1]):
            local[row[a]] = first[p + 1] - first[p] + a - row_start[p]
        for a in range(row_start[k], row_start[k + 1]):
            c = row[a]
            place_out[a] = c - first[p] if c < first[p + 1] else local[c]


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1],"
    " int64[::1], int64[:, ::1])"
)
def place_entries(
    lower_start, lower_column, column, first, row_start, row,
    node,
    local,  # workspace (columns,)
    fill,  # workspace (nodes,)
    entry_start_out,
    entry_out,
):  # fmt: skip
    """Where the entries of a lower triangle go: which front, and which row and column of it.

    Shapes:  lower_start (n + 1,), lower_column (entries,) of positions; column (n,) of each position in the tree or -1;
             node (columns,) of each column; entry_start_out (nodes + 1,), entry_out (3, entries of the tree)
    Writes:  entry_start_out; entry_out: place in the lower triangle, row and column in the front
    """
    nodes = fill.size
    for k in range(nodes + 1):
        entry_start_out[k] = 0
    for r in range(column.size):
        if column[r] >= 0:
            for e in range(lower_start[r], lower_start[r + 1]):
                entry_start_out[node[min(column[r], column[lower_column[e]])] + 1] += 1
    for k in range(nodes):
        entry_start_out[k + 1] += entry_start_out[k]
        fill[k] = entry_start_out[k]
    for r in range(column.size):
        if column[r] >= 0:
            for e in range(lower_start[r], lower_start[r + 1]):
                a, b = column[r], column[lower_column[e]]
                k = node[min(a, b)]
                entry_out[0, fill[k]] = e
                entry_out[1, fill[k]] = max(a, b)
                entry_out[2, fill[k]] = min(a, b) - first[k]
                fill[k] += 1
    for k in range(nodes):
        for a in range(row_start[k], row_start[k + 1]):
            local[row[a]] = first[k + 1] - first[k] + a - row_start[k]
        for e in range(entry_start_out[k], entry_start_out[k + 1]):
            c = entry_out[1, e]
            entry_out[1, e] = c - first[k] if c < first[k + 1] else local[c]
