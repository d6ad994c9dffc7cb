"""Compiled tearing of a pattern into parts, and the pattern of what is left between them."""

from __future__ import annotations

from taut.kernel import kernel


@kernel("int64(int64[::1], int64[::1], int64[::1], int64[::1], int64[:, ::1])")
def number_rows(indptr, indices, part, last, number_out):
    """Number inner rows, and interface rows, of part -1, among their like; and the copies of these.

    An interface row has a copy in each part that it is coupled to.

    Shapes:  part (n,), last (parts,) workspace, number_out (2, n + 1)
    Writes:  number_out: number of each row; first copy of each interface row, by its number
    Returns: copies
    """
    number, first_copy = number_out
    inner, interface, copies = 0, 0, 0
    for p in range(last.size):
        last[p] = -1
    for i in range(part.size):
        if part[i] >= 0:
            number[i] = inner
            inner += 1
            continue
        number[i], first_copy[interface] = interface, copies
        interface += 1
        for e in range(indptr[i], indptr[i + 1]):
            p = part[indices[e]]
            if p >= 0 and last[p] != i:
                last[p] = i
                copies += 1
    first_copy[interface] = copies
    return copies


@kernel("void(int64[::1], int64[::1], int64[::1], int64[:, ::1], int64, int64[::1], int64[:, ::1], int64[::1])")
def count_entries(indptr, indices, part, number, copies, copy_at, row_out, indptr_out):
    """The rows of the torn problem, inner ones before copies, and how many entries each of them has.

    Shapes:  number (2, n + 1) of `number_rows`, copy_at (parts,) workspace, row_out (3, torn rows), indptr_out
    Writes:  row_out: row of the problem; number of the interface row that it is a copy of, or -1; its part. indptr_out
    """
    inner, copy = 0, row_out.shape[1] - copies
    indptr_out[0] = 0
    for i in range(part.size):
        if part[i] >= 0:
            row_out[0, inner], row_out[1, inner], row_out[2, inner] = i, -1, part[i]
            inner += 1
            indptr_out[inner] = indptr[i + 1] - indptr[i]
            continue
        first = copy
        for e in range(indptr[i], indptr[i + 1]):
            p = part[indices[e]]
            if p < 0:
                continue
            if not first <= copy_at[p] < copy:
                copy_at[p] = copy
                row_out[0, copy], row_out[1, copy], row_out[2, copy] = i, number[0, i], p
                copy += 1
                indptr_out[copy] = 1
            indptr_out[copy_at[p] + 1] += 1
    for t in range(indptr_out.size - 1):
        indptr_out[t + 1] += indptr_out[t]


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64[:, ::1], int64, int64[::1], int64[::1], int64[:, ::1],"
    " int64[::1], int64[::1])"
)
def tear_rows(indptr, indices, part, number, copies, copy_at, cursor, row, indices_out, source_out):
    """The torn pattern: each part couples its inner rows, and these with its copies of interface rows, in rising order.

    Shapes:  as of `count_entries`; cursor (torn rows,) where each torn row begins
    Writes:  cursor; indices_out, and source_out: the entry of the given pattern that each one is
    """
    inner = row.shape[1] - copies
    # inner columns come before copies, and both in rising order, as rows are taken in that order
    for t in range(inner):
        i = row[0, t]
        for e in range(indptr[i], indptr[i + 1]):
            if part[indices[e]] >= 0:
                indices_out[cursor[t]], source_out[cursor[t]] = number[0, indices[e]], e
                cursor[t] += 1
    for i in range(part.size):
        if part[i] >= 0:
            continue
        first, last = inner + number[1, number[0, i]], inner + number[1, number[0, i] + 1]
        for own in range(first, last):
            copy_at[row[2, own]] = own
        diagonal = -1
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            diagonal = e if j == i else diagonal
            if part[j] >= 0:
                own, t = copy_at[part[j]], number[0, j]
                indices_out[cursor[own]], source_out[cursor[own]] = t, e
                indices_out[cursor[t]], source_out[cursor[t]] = own, e
                cursor[own] += 1
                cursor[t] += 1
        for own in range(first, last):
            indices_out[cursor[own]], source_out[cursor[own]] = own, diagonal


@kernel(
    "int64(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1],"
    " int64[:, ::1], int64[::1])"
)
def meet_rows(indptr, indices, number, interface, border_start, border, copy_start, copy_part, work, indices_out):
    """Columns that each interface row meets: those that A couples it with, and all that share a part with it.

    Shapes:  number (n,) of rows among the interface, else -1; interface (m,) its rows; border (copies,) interface rows
             part by part; copy_start (m + 1,), copy_part (copies,) parts of each interface row; work (2, m + 1);
             indices_out (entries,), or (0,) to count only
    Writes:  work[0]: where each row begins; indices_out, each row in no order
    Returns: entries
    """
    count, keep = 0, indices_out.size > 0
    for j in range(interface.size):
        work[1, j] = -1
    for j in range(interface.size):
        work[0, j] = count
        for e in range(indptr[interface[j]], indptr[interface[j] + 1]):
            k = number[indices[e]]
            if k >= 0 and work[1, k] != j:
                work[1, k] = j
                if keep:
                    indices_out[count] = k
                count += 1
        for c in range(copy_start[j], copy_start[j + 1]):
            for b in range(border_start[copy_part[c]], border_start[copy_part[c] + 1]):
                k = border[b]
                if work[1, k] != j:
                    work[1, k] = j
                    if keep:
                        indices_out[count] = k
                    count += 1
    work[0, interface.size] = count
    return count


@kernel("void(int64[::1], int64[::1], int64[::1], int64[::1])")
def sort_rows(indptr, indices, cursor, indices_out):
    """The rows of a symmetric pattern with columns in rising order: it is read by columns.

    Shapes:  cursor (rows,) workspace
    Writes:  indices_out
    """
    for i in range(cursor.size):
        cursor[i] = indptr[i]
    for i in range(cursor.size):
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            indices_out[cursor[j]] = i
            cursor[j] += 1


@kernel(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1],"
    " int64[::1], int64[:, ::1], int64[::1])"
)
def place_terms(
    indptr, indices, number, interface,
    met_indptr, met_indices, border_start, border, term_start,
    place,  # workspace (m,)
    term_out, own_out,
):  # fmt: skip
    """Where the entries of A and the terms of the parts go in the matrix of the interface.

    Shapes:  met_indptr, met_indices: pattern of the interface; term_start (parts + 1,) ranges of the lower triangles of
             the parts, column by column; term_out (2, terms); own_out (entries of the interface,)
    Writes:  term_out: place of each entry of a triangle, and of its mirror image; own_out: entry of A, or -1
    """
    for j in range(interface.size):
        for e in range(met_indptr[j], met_indptr[j + 1]):
            place[met_indices[e]] = e
            own_out[e] = -1
        for e in range(indptr[interface[j]], indptr[interface[j] + 1]):
            if number[indices[e]] >= 0:
                own_out[place[number[indices[e]]]] = e
    for p in range(term_start.size - 1):
        first, last = border_start[p], border_start[p + 1]
        for c in range(first, last):
            j = border[c]
            for e in range(met_indptr[j], met_indptr[j + 1]):
                place[met_indices[e]] = e
            for b in range(first, last):
                # the row of column c holds both (c, b) for b > c in the mirror, and (c, b) for b <= c in the triangle
                low, high = min(b, c) - first, max(b, c) - first
                size = last - first
                t = term_start[p] + low * size - low * (low - 1) // 2 + high - low
                if b >= c:
                    term_out[1, t] = place[border[b]]
                if b <= c:
                    term_out[0, t] = place[border[b]]
