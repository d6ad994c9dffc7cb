"""How times of pivoting grow: with the number of rows, and with the share of rows at a bound."""

from __future__ import annotations

from typing import Any

from taut import solvers
from taut.benchmarks._clock import exponent
from taut.benchmarks._pivot_times import BASELINE, REFACTOR, methods, time_frame
from taut.problem.families import chain_like, pile_like
from taut.problem.generators import random_box
from taut.problem.solution import WarmStart

REFERENCE = "bpp"
"""The solver whose solutions say which rows are tight and where warm solves start."""

FAMILIES = {"chain-like": chain_like, "pile-like": pile_like}

LARGEST_DENSE = 1200
"""Rows up to which dense factors are measured: with twice as many, one solve takes seconds."""

DENSE = (BASELINE, "bpp-downdate", "bpp-cached")
"""Methods with dense factors."""

CONDITION = 100.0
"""Of the random dense matrices of the break-even."""


def growth_rows(sizes: tuple[int, ...], rounds: int) -> list[dict[str, Any]]:
    """Times of chains and piles by size, from cold starts and from the solution; and how they grow.

    Exponents are those of the time of a factorisation with all that belongs to it: how many there are depends on luck.
    """
    found: list[dict[str, Any]] = []
    for family, make in FAMILIES.items():
        series: dict[tuple[str, str], list[tuple[int, float]]] = {}
        for size in sizes:
            problem = make(size)
            chosen = [each for each in methods() if each.name not in DENSE or problem.size <= LARGEST_DENSE]
            solution = solvers.get(REFERENCE).solve(problem)
            for start, given in (("cold", None), ("solved", WarmStart(solution.index_set, solution.lam))):
                taken = time_frame(chosen, problem, given, rounds)
                for solver, own in zip(chosen, taken, strict=True):
                    each_ms = 1e3 * own["cpu"] / own["factorizations"]
                    series.setdefault((start, solver.name), []).append((problem.size, each_ms))
                    found.append(
                        {"family": family, "start": start, "method": solver.name, "rows": problem.size}
                        | {"tight_share": solution.tight_count / problem.size, "ms": 1e3 * own["wall"]}
                        | {"cpu_ms": 1e3 * own["cpu"], "factorizations": own["factorizations"], "each_ms": each_ms}
                    )
        for (start, name), points in series.items():
            if len(points) > 1:
                slope = exponent([rows for rows, _ in points], [each_ms for _, each_ms in points])
                found.append({"family": family, "start": start, "method": name, "exponent": slope})
    return found


def break_even_rows(sizes: tuple[int, ...], shares: tuple[float, ...], rounds: int) -> list[dict[str, Any]]:
    """Speed-ups over both ways to factor anew, by rows and share of rows at a bound, on random dense matrices.

    As in the thesis matrices are dense and random. Whole solves are timed, from all rows free.
    """
    found = []
    for share in shares:
        for size in sizes:
            problem = random_box(size, seed=size, condition=CONDITION, tight_share=share).problem
            times = time_frame(methods(), problem, None, rounds)
            taken = dict(zip((each.name for each in methods()), times, strict=True))
            for name, own in taken.items():
                found.append(
                    {"method": name, "rows": size, "tight_share": share, "ms": 1e3 * own["wall"]}
                    | {"cpu_ms": 1e3 * own["cpu"], "pivots": own["pivots"]}
                    | {"over_dense": taken[BASELINE]["cpu"] / own["cpu"]}
                    | {"over_refactor": taken[REFACTOR]["cpu"] / own["cpu"]}
                )
    return found
