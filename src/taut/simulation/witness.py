"""Hand the last problem of every frame to someone who wants to see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from taut.problem.dump import SolvedProblem
from taut.problem.kkt import KktProblem
from taut.problem.solution import MlcpSolution, WarmStart

Problems = Callable[[int, SolvedProblem], object]
"""Takes the number of a frame and its last problem."""


@dataclass(eq=False)
class ProblemWitness:
    """Keeps the last problem that the bodies of a frame had together, until the frame is done.

    Attributes:
        problems: who wants to see it.
        last: the last problem of this frame.
    """

    problems: Problems
    last: SolvedProblem | None = None

    def see(self, problem: KktProblem, start: WarmStart | MlcpSolution, solution: MlcpSolution) -> None:
        """Keep a problem that was just solved; its numbers are copied, because stages go on writing into them."""
        begin = WarmStart(start.index_set.copy(), start.lam.copy())
        own = problem.copy()
        self.last = SolvedProblem(problem.matrix().copy(), begin, solution.index_set.copy(), own)

    def hand_over(self, scene: str, frame: int) -> None:
        """Hand the last problem on, named by scene and frame."""
        if self.last is not None:
            named = replace(self.last.problem, name=f"{scene}-step{frame:06d}")
            self.problems(frame, replace(self.last, problem=named))
            self.last = None
