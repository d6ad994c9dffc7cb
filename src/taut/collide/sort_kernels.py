"""Sorting by a key, as Numba's own takes two seconds to compile."""

from __future__ import annotations

from taut.kernel import kernel


@kernel("void(float64[::1], int64[::1], int64[::1], int64)")
def sort_by(
    key,  # of all things that are sorted, by their numbers
    # in and out
    order,  # numbers of things
    spare,  # at least as long: scratch
    count,  # how many of them
):
    """Sort things by their keys; equal ones keep their order. Runs that are in order are merged, two by two.

    Writes:  order, spare
    Cost:    n log2(n) comparisons, n where they are in order
    """
    width = 1
    while width < count:
        for start in range(0, count, 2 * width):
            middle, stop = min(start + width, count), min(start + 2 * width, count)
            left, right = start, middle
            if middle == stop or key[order[middle - 1]] <= key[order[middle]]:
                continue
            for place in range(start, stop):
                if left < middle and (right >= stop or key[order[left]] <= key[order[right]]):
                    spare[place] = order[left]
                    left += 1
                else:
                    spare[place] = order[right]
                    right += 1
            for place in range(start, stop):
                order[place] = spare[place]
        width *= 2
