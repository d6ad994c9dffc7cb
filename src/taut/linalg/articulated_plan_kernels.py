"""Compiled planning of direct factors of trees with springs."""

from __future__ import annotations

from taut.kernel import kernel
from taut.structure.cost_kernels import front_solve_time, front_time
from taut.tables import Wholes


@kernel()
def find_tops(parent: Wholes, left: Wholes, right: Wholes, top_out: Wholes) -> None:
    """First node that both nodes of each pair hang on, or -1.

    Shapes:  left, right, top_out (pairs,)
    """
    for k in range(left.shape[0]):
        a, b = left[k], right[k]
        # parents come first: the later of two nodes cannot be above the other
        while a != b:
            if a > b:
                a = parent[a]
            else:
                b = parent[b]
        top_out[k] = a


@kernel()
def join_groups(weight: Wholes, rest: Wholes, parent: Wholes, front_out: Wholes) -> int:
    """Join each group to the next if it hangs on that and one front is predicted to take less time than two.

    Shapes:  weight (columns), rest (rows below), parent, front_out (groups,)
    Returns: number of fronts; those without columns are joined to the next whatever it is
    """
    fronts, width = 0, 0
    count = weight.shape[0]
    for g in range(count):
        front_out[g] = fronts
        width += weight[g]
        if g + 1 == count:
            return fronts + 1
        joined, high = width + weight[g + 1], rest[g + 1]
        apart = front_time(width, rest[g]) + front_solve_time(width, rest[g])
        apart += front_time(weight[g + 1], high) + front_solve_time(weight[g + 1], high)
        if width > 0 and (parent[g] != g + 1 or front_time(joined, high) + front_solve_time(joined, high) > apart):
            fronts += 1
            width = 0
    return fronts
