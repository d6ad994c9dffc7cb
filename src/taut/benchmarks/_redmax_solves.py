"""Linear solves of one linearisation of a frame, by all methods in turn on the same numbers.

A *solve* is all that depends on the method: the blocks of H, its factor or that of the tree, a right-hand side for the
balance, one a row that is kept (loops, limits, motors, contacts), one for what those then carry, and the impulses of
all joints. Only the pivoting on the kept rows is left out. A *kernel* is the factor and one right-hand side alone:
compiled code, without what Python adds. Iterations start from 0: what they solve for is the change from the prediction,
which is what a warm start is elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np

from taut.benchmarks._clock import least_seconds, medians_in_turn
from taut.benchmarks.linear_time import latest_rows
from taut.linalg.articulated_choice import REFINEMENTS, ArticulatedSolver
from taut.linalg.articulated_costs import MOST_ITERATIONS
from taut.responses import crossing
from taut.responses.crossing import DIRECT, METHOD, CrossingSprings
from taut.simulation.simulation import Simulation
from taut.tables import held

METHODS = ("pcg", "direct", "auto")
THREADS = (1, 2)


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Columns are shared by so many threads."""
    before, crossing.THREADS = crossing.THREADS, count
    try:
        yield
    finally:
        crossing.THREADS = before


class Linearisation:
    """The last linearisation of a simulation, to be solved again and again.

    Attributes:
        rows: the elimination; `memory` all rows; `lam` (rows,) impulses that the last solve found.
        solver: that of H, which all methods share.
        iterations: what the choice is made by, 0 where nothing is known.
    """

    def __init__(self, sim: Simulation) -> None:
        self.memory = latest_rows(sim)
        assert self.memory.reduced is not None
        self.rows, self.kkt = self.memory.reduced, self.memory.handles[1]
        self.solver = ArticulatedSolver(held(self.rows.table.blocks))
        self.iterations, self.lam = sim.state.iterations, np.zeros(self.memory.entries.row_count)
        self.springs = {method: CrossingSprings(self.rows, method, self.solver) for method in METHODS}

    def solve(self, method: str) -> int:
        """Solve; the iterations of the balance."""
        from taut.responses.articulated_impulse_kernels import recover
        from taut.responses.articulated_kernels import reduce

        table, springs, iterations = self.rows.table, self.springs[method], 0
        recursive = method == "auto" and not self.solver.crosses
        if recursive:
            reduce(self.kkt, self.rows.handle)
        else:
            springs.reduce(self.kkt, self.iterations)
            iterations = springs.expected
        table.lam[:] = self.memory.answer.lam[table.kept]
        if recursive:
            recover(self.kkt, self.rows.handle, self.lam)
        else:
            springs.recover(self.kkt, self.lam)
        return iterations

    def chosen(self) -> str:
        """What "auto" takes."""
        if not self.solver.crosses:
            return "recursion"
        self.solve("auto")
        return "direct" if self.springs["auto"].course[METHOD] == DIRECT else "pcg"

    def measure(self, method: str, clock: Callable[[], float] = process_time, count: int = 1) -> dict[str, float]:
        """Seconds of a solve, with so many threads."""
        with threads(count):
            start = clock()
            self.solve(method)
            return {"solve": clock() - start}

    def solve_direct(self) -> None:
        """One right-hand side with the direct factor."""
        from taut.linalg.articulated_direct_kernels import solve_direct

        table, solver = self.rows.table, self.solver
        solve_direct(solver.handle, solver.direct, table.balance, table.zero, REFINEMENTS, table.rate)

    def measure_kernels(self) -> dict[str, float]:
        """Seconds of both factors with one right-hand side, and of one more with the direct factor."""
        solver, table, laps = self.solver, self.rows.table, [process_time()]
        solver.factor_tree()
        table.rate.fill(0.0)
        self.taken = solver.iterate(table.balance, table.zero, MOST_ITERATIONS, table.rate)
        laps.append(process_time())
        solver.factor_direct()
        self.solve_direct()
        laps.append(process_time())
        self.solve_direct()
        laps.append(process_time())
        return dict(zip(("pcg", "direct", "more"), np.diff(laps).tolist(), strict=True))


def sizes_of(linearisation: Linearisation) -> dict[str, int]:
    """Degrees of freedom, springs across trees and rows that are kept."""
    table = linearisation.rows.table
    return {"dofs": table.blocks.dofs, "springs": table.crossing.size, "kept": table.kept.size}


def solve_row(linearisation: Linearisation, rounds: int) -> dict[str, Any]:
    """Medians of all methods in turn, in one thread."""
    found = medians_in_turn([partial(linearisation.measure, method) for method in METHODS], rounds)
    row = sizes_of(linearisation) | times_of({name: own["solve"] for name, own in zip(METHODS, found, strict=True)})
    return row | {"chosen": linearisation.chosen(), "iterations": linearisation.solve("pcg")}


def times_of(seconds: dict[str, float]) -> dict[str, float]:
    """Milliseconds of methods, and "auto" over the better of the two others."""
    row = {f"{name}_ms": 1e3 * own for name, own in seconds.items()}
    return row | {"auto_over_better": seconds["auto"] / min(seconds["pcg"], seconds["direct"])}


def kernel_row(linearisation: Linearisation, rounds: int) -> dict[str, Any]:
    """Least times of compiled code, beside what `linalg.articulated_costs` predicts of them.

    `misjudged` is how many times too dear iterations seem beside a factor: 1 where the choice is right.
    """
    (found,), costs = least_seconds([linearisation.measure_kernels], rounds), linearisation.solver.costs
    predicted = 1e-6 * (costs.start + max(linearisation.taken, 1) * costs.iteration), 1e-6 * costs.direct
    return sizes_of(linearisation) | {
        "pcg_ms": 1e3 * found["pcg"], "direct_ms": 1e3 * found["direct"], "more_ms": 1e3 * found["more"],
        "iterations": linearisation.taken, "pcg_predicted": predicted[0], "direct_predicted": predicted[1],
        "more_predicted": 1e-6 * costs.direct_solve,
        "misjudged": (predicted[0] / predicted[1]) / (found["pcg"] / found["direct"]),
    }  # fmt: skip


def thread_rows(linearisation: Linearisation, rounds: int) -> list[dict[str, Any]]:
    """Least time by the clock of solves in one thread and in two, in turn."""
    cases = [(method, count) for method in ("pcg", "direct") for count in THREADS]
    found = least_seconds([partial(linearisation.measure, each, perf_counter, count) for each, count in cases], rounds)
    wall = {case: 1e3 * own["solve"] for case, own in zip(cases, found, strict=True)}
    return [
        sizes_of(linearisation)
        | {"method": method, "one_ms": wall[method, 1], "two_ms": wall[method, 2]}
        | {"faster": wall[method, 1] / wall[method, 2]}
        for method in ("pcg", "direct")
    ]
