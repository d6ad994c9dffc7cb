"""How long each solver takes on the same problems from the same starts, in turn, and how far their answers differ.

A problem is solved as a frame meets it: nothing is kept from the solve before but what depends on its structure alone,
and A is written out already, for those who need it. `new_ms` is the time with a structure that nobody has seen, as
contacts that come and go make them: pattern, A, order, envelope and partition included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.benchmarks._schur_cases import BASELINE, COUPLED, OWN, PAPER, SPARSE, Contender
from taut.benchmarks._sequences import Frame
from taut.problem.kkt import DELASSUS, KktProblem
from taut.problem.solution import MlcpSolution, WarmStart
from taut.solvers.base import Start

PAPERS_LIMIT = 10
"""Most coupling iterations of the paper [Peiret2019, Table 1]."""
PATIENCE = 20.0
"""Seconds of solves that a solver gets for a scene; it is not asked about the frames that are left then."""
LONG = 0.3
"""Seconds of the processor from which a solve needs no other before it that warms the processor's caches up."""


class Taken(NamedTuple):
    """What a solve took, s, and found."""

    wall: float
    cpu: float
    solution: MlcpSolution


@dataclass(frozen=True)
class Timed:
    """One solver on one frame.

    Attributes:
        contender: name of the solver.
        frame: number among the frames that were chosen.
        rows: of the problem.
        wall, cpu: medians of a solve, s.
        least: least time of a solve by the clock, s.
        new: median processor time of a solve with a new structure, s.
        solution: what was found.
        error: difference of the velocities to those of `bpp`, see `velocity_error`.
    """

    contender: str
    frame: int
    rows: int
    wall: float
    cpu: float
    least: float
    new: float
    solution: MlcpSolution
    error: float = 0.0

    def row(self, scene: str) -> dict[str, Any]:
        """The line of a frame."""
        found = self.solution
        return {
            "scene": scene, "solver": self.contender, "frame": self.frame, "rows": self.rows,
            "wall_ms": 1e3 * self.wall, "cpu_ms": 1e3 * self.cpu, "new_ms": 1e3 * self.new,
            "iterations": found.iterations, "factors": found.factorizations, "coupling": found.coupling_iterations,
            "status": str(found.status), "residual": finite(found.residual), "velocity_error": finite(self.error),
        }  # fmt: skip


def finite(value: float) -> float | str:
    """A number as JSON and tables can show it."""
    return value if np.isfinite(value) else "infinite"


def known(problem: KktProblem) -> KktProblem:
    """The problem as new to solvers, with its structure known and its A written out."""
    values = problem.matrix().values
    fresh = replace(problem, kept={DELASSUS: values})
    fresh.matrix()
    return fresh


def unseen(problem: KktProblem) -> KktProblem:
    """The problem with a structure that nobody has seen."""
    return replace(problem, entries=replace(problem.entries, structures={}), kept={})


def take(contender: Contender, problem: KktProblem, start: Start) -> Taken:
    """Solve once."""
    wall, cpu = perf_counter(), process_time()
    solution = contender.solver.solve(problem, start)
    cpu, wall = process_time() - cpu, perf_counter() - wall
    return Taken(wall, cpu, solution)


def time_frame(
    contenders: Sequence[Contender],
    frame: Frame,
    number: int,
    rounds: int,
    start: WarmStart | None,
    long: float = LONG,
) -> list[Timed]:
    """Medians over rounds in turn, each beginning with another solver, with a look at a new structure in each.

    A short solve is made twice and the second counts; a long one is made once, whatever its structure.
    """
    problem = problem_of(frame)
    taken: list[list[Taken]] = [[] for _ in contenders]
    new: list[list[float]] = [[] for _ in contenders]
    for turn in range(rounds):
        for place in range(len(contenders)):
            which = (place + turn) % len(contenders)
            contender, own = contenders[which], taken[which]
            if own and own[0].cpu > long:
                continue
            first = take(contender, known(problem), start)
            if first.cpu > long:
                own.append(first)
                new[which].append(first.cpu)
                continue
            own.append(take(contender, known(problem), start))
            new[which].append(take(contender, unseen(problem), start).cpu)
    return [
        Timed(
            contender.name, number, problem.size, median(each.wall for each in own), median(each.cpu for each in own),
            min(each.wall for each in own), median(seen), own[-1].solution,
        )
        for contender, own, seen in zip(contenders, taken, new, strict=True)
    ]  # fmt: skip


def problem_of(frame: Frame) -> KktProblem:
    """A recorded problem by its bodies."""
    assert frame.by_bodies is not None, "recorded problems have bodies"
    return frame.by_bodies


def time_frames(
    contenders: Sequence[Contender], frames: Sequence[Frame], rounds: int, cold: bool = False
) -> list[Timed]:
    """Every solver on every frame from where the engine started, or all rows free, as long as its patience lasts."""
    found: list[Timed] = []
    spent = dict.fromkeys((each.name for each in contenders), 0.0)
    for number, frame in enumerate(frames):
        asked = [each for each in contenders if spent[each.name] < PATIENCE and each.takes(frame.problem.size)]
        own = time_frame(asked, frame, number, rounds, None if cold else frame.start)
        reference = next(each.solution for each in own if each.contender == OWN)
        for each in own:
            spent[each.contender] += each.cpu + each.new
            found.append(replace(each, error=velocity_error(problem_of(frame), each.solution, reference)))
    return found


def velocity_error(problem: KktProblem, found: MlcpSolution, reference: MlcpSolution) -> float:
    """|u - u*| / |u*| of the velocities u = M^-1 J^T lam that impulses lead to, |u|^2 = u^T M u: that of v+ as well, as
    far as rows change it. Multipliers of redundant rows are not unique, velocities are."""
    if not np.isfinite(found.lam).all():
        return np.inf
    difference = problem.velocity_change(found.lam - reference.lam)
    whole = energy_norm(problem, problem.velocity_change(reference.lam))
    return energy_norm(problem, difference) / whole if whole > 0.0 else 0.0


def energy_norm(problem: KktProblem, velocity: NDArray[np.float64]) -> float:
    """sqrt(u^T M u) of velocities (bodies, 6)."""
    inverse = problem.blocks.inverse_mass
    moves = inverse > 0.0
    linear = (velocity[moves, :3] ** 2).sum(axis=1) / inverse[moves]
    turning = problem.blocks.turning.reshape(-1, 3, 3)[moves]
    angular = np.einsum("bi,bij,bj->b", velocity[moves, 3:], turning, velocity[moves, 3:])
    return float(np.sqrt(linear.sum() + angular.sum()))


def by_contender(timed: list[Timed]) -> dict[str, list[Timed]]:
    """What each solver did."""
    found: dict[str, list[Timed]] = {}
    for each in timed:
        found.setdefault(each.contender, []).append(each)
    return found


def time_rows(scene: str, timed: list[Timed]) -> list[dict[str, Any]]:
    """One line a solver: means over frames, as in the paper; ratios over the frames that both have.

    [Peiret2019, Table 3]
    """
    every = by_contender(timed)
    return [time_row(scene, name, own, every) for name, own in every.items()]


def time_row(scene: str, name: str, own: list[Timed], every: dict[str, list[Timed]]) -> dict[str, Any]:
    """The times of one solver."""
    line: dict[str, Any] = {
        "scene": scene, "solver": name, "frames": len(own), "rows": fmean(each.rows for each in own),
        "wall_ms": 1e3 * fmean(each.wall for each in own), "cpu_ms": 1e3 * fmean(each.cpu for each in own),
        "new_ms": 1e3 * fmean(each.new for each in own),
    }  # fmt: skip
    for column, base in (("over_dense", BASELINE), ("over_sparse", SPARSE), ("over_bpp", OWN)):
        if base in every:
            line[column] = ratio(every[base], own, lambda each: each.cpu)
    line["wall_over_sparse"] = ratio(every[SPARSE], own, lambda each: each.wall)
    said = PAPER.get(scene)
    if said is not None and kind_of(name) in said.ms:
        line |= {"paper_ms": said.ms[kind_of(name)], "paper_over_sparse": said.ms[SPARSE] / said.ms[kind_of(name)]}
    return line


def kind_of(name: str) -> str:
    """The solver that a contender is a variety of."""
    return name.partition(",")[0]


def answer_rows(scene: str, timed: list[Timed]) -> list[dict[str, Any]]:
    """One line a solver: how it came to its answers, and how good they are.              [Peiret2019, Table 3, Fig. 8]

    `as_whole` counts frames in which the coupling of parts did not end or pay, so that all rows were solved at once.
    """
    return [answer_row(scene, name, own) for name, own in by_contender(timed).items()]


def answer_row(scene: str, name: str, own: list[Timed]) -> dict[str, Any]:
    """The answers of one solver."""
    line: dict[str, Any] = {
        "scene": scene, "solver": name, "frames": len(own),
        "unsolved": sum(not each.solution.solved for each in own),
        "residual_max": finite(max(each.solution.residual for each in own)),
        "velocity_error_max": finite(max(each.error for each in own)),
        "iterations": fmean(each.solution.iterations for each in own),
        "factors": fmean(each.solution.factorizations for each in own),
    }  # fmt: skip
    if kind_of(name) in COUPLED:
        counts = [each.solution.coupling_iterations for each in own]
        line |= {"coupling": fmean(counts), "coupling_max": max(counts)}
        line["over_10_percent"] = 100.0 * fmean(count > PAPERS_LIMIT for count in counts)
        line["as_whole"] = sum(bool(each.solution.message) for each in own)
        said = PAPER.get(scene)
        if said is not None:
            line |= {"paper_coupling": said.coupling, "paper_at_limit_percent": said.at_limit}
    return line


def ratio(base: list[Timed], own: list[Timed], seconds: Callable[[Timed], float]) -> float:
    """How many times as long the base takes on the frames that both have."""
    both = {each.frame for each in base} & {each.frame for each in own}
    sums = [sum(seconds(each) for each in side if each.frame in both) for side in (base, own)]
    return sums[0] / sums[1] if sums[1] else 0.0
