"""Compiled planning of direct factors of trees with springs."""

from __future__ import annotations

from taut.kernel import kernel
from taut.structure.cost_kernels import front_solve_time, front_time
from taut.tables import WholeRows, Wholes


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
def find_runs(parent: Wholes, dof_start: Wholes, column: Wholes, climb_out: WholeRows) -> None:
    """Ways from nodes to their roots as runs of columns, see `DirectPlan.climb`.

    Shapes:  column (dofs,), climb_out (3, n)
    """
    first, last, following = climb_out[0], climb_out[1], climb_out[2]
    for j in range(parent.shape[0]):
        above = first[parent[j]] if parent[j] >= 0 else -1
        if dof_start[j] == dof_start[j + 1]:
            first[j] = above
            continue
        first[j], last[j], following[j] = j, column[dof_start[j + 1] - 1], above
        if above >= 0 and column[dof_start[above]] == last[j] + 1:
            last[j], following[j] = last[above], following[above]


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


@kernel()
def measure_depths(parent: Wholes, dof_start: Wholes, depth_out: Wholes) -> None:
    """How many degrees of freedom are above each node.

    Shapes:  depth_out (n,)
    """
    for j in range(parent.shape[0]):
        p = parent[j]
        depth_out[j] = depth_out[p] + dof_start[p + 1] - dof_start[p] if p >= 0 else 0


@kernel()
def count_runs(parent: Wholes, climb: WholeRows, runs_out: Wholes) -> None:
    """Of how many runs of columns the way from each node to its root is made, see `DirectPlan.climb`.

    Shapes:  runs_out (n,)
    """
    for j in range(parent.shape[0]):
        own = climb[0, j]
        if own < 0:
            runs_out[j] = 0
        elif own != j:
            runs_out[j] = runs_out[own]
        else:
            runs_out[j] = runs_out[climb[2, j]] + 1 if climb[2, j] >= 0 else 1


@kernel()
def time_fronts(first: Wholes, row_start: Wholes) -> float:
    """Predicted nanoseconds to do all fronts.

    Shapes:  first, row_start (fronts + 1,)
    """
    total = 0.0
    for k in range(first.shape[0] - 1):
        total += front_time(first[k + 1] - first[k], row_start[k + 1] - row_start[k])
    return total


@kernel()
def time_solves(first: Wholes, row_start: Wholes) -> float:
    """Predicted nanoseconds to solve with all fronts.

    Shapes:  first, row_start (fronts + 1,)
    """
    total = 0.0
    for k in range(first.shape[0] - 1):
        total += front_solve_time(first[k + 1] - first[k], row_start[k + 1] - row_start[k])
    return total
