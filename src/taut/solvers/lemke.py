"""Lemke's complementary pivoting within bounds: the way where A is not symmetric and block pivoting does not end.

Of the problems  A lam + b + t d = w,  lower <= lam <= upper,  the one with large t is solved by all rows at a bound,
where d pushes them. From there a path of solutions is followed, one pair (lam_i, w_i) at a time, until t is 0:

        A lam - w + t d = -b     n basic variables, one of each pair but one, and t; the others at a bound or 0

The variable whose partner left the basis last is driven until a basic one meets a bound and leaves in turn, or until
it has crossed its own box. Perturbations of b, compared lexicographically, decide ties, so no basis comes twice and the
path ends: at a solution, or on a ray along which nothing meets a bound.                [Lemke1965; Cottle1992, ch. 4.4]

What the end means depends on A; rows without bounds are eliminated first and must have a regular block.
 - All principal minors positive (a P-matrix): a solution, the only one. It is one for every t, so t never grows.
 - x'Ax >= 0 for all x: a solution, or a ray, which shows that there is none.
 - Any other A: a solution, or a ray that shows nothing.
The path may have exponentially many pieces [Murty1988]; the number of pivots is limited.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution, Status

if TYPE_CHECKING:
    from taut.solvers.base import PivotingSolver
    from taut.solvers.island_workspace import Search

SOLVED, RAY, LIMIT, SINGULAR = "solved", "ray", "limit", "singular"
"""How a path ended; SINGULAR: rows without bounds have no regular block, so there is no path."""
LEAST_PIVOTS, PIVOTS_A_ROW = 2000, 20
"""Pivots allowed: at least, and for each row of a larger problem."""
REFRESH = 50
"""Pivots after which the inverse of the basis is worked out anew: updates collect rounding."""
STILL = 1e-11
"""Rate of a basic variable, over the largest, that is rounding: it does not move."""
TIE = 1e-11
"""Difference of two distances, relative to them and to the data, that is rounding."""
REGULAR = 1e-13
"""Inverse condition number of the block of rows without bounds below which it is singular."""
SEMIDEFINITE = 1e-10
"""Least eigenvalue of A + A', negative and over the largest, that is rounding."""


@dataclass(eq=False)
class LemkePath:
    """A path of solutions and the basis where it has come to.

    Variables have numbers: i is lam_i, n + i is w_i, 2 n is t.

    Attributes:
        matrix, bias, lower, upper: (n, n), (n,) the problem; no row with equal bounds.
        label: (n,) -1 and 1 where lam is at a bound, else 0.
        push: (n,) d.
        basic: (n,) variables of the basis.
        inverse: (n, n) of the basis.
        pivots: made so far.
    """

    matrix: np.ndarray
    bias: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    pivots: int = 0
    label: np.ndarray = field(init=False)
    push: np.ndarray = field(init=False)
    basic: np.ndarray = field(init=False)
    inverse: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        size = self.bias.size
        self.label = np.where(np.isfinite(self.lower), -1, np.where(np.isfinite(self.upper), 1, 0))
        self.push = -self.label.astype(np.float64)
        self.basic = np.where(self.label == 0, np.arange(size), size + np.arange(size))

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.bias.size

    @property
    def values(self) -> np.ndarray:
        """Values (n,) of the basic variables, the driving one at its bound."""
        bound = np.where(self.label < 0, self.lower, np.where(self.label > 0, self.upper, 0.0))
        return np.asarray(self.inverse @ (-self.bias - self.matrix @ bound))

    @property
    def multipliers(self) -> np.ndarray:
        """lam (n,) where the path has come to."""
        lam = np.where(self.label < 0, self.lower, np.where(self.label > 0, self.upper, 0.0))
        inside = self.basic < self.size
        lam[self.basic[inside]] = self.values[inside]
        return np.clip(lam, self.lower, self.upper)

    def column(self, variable: int) -> np.ndarray:
        """Coefficients (n,) of a variable."""
        if variable < self.size:
            return np.asarray(self.matrix[:, variable])
        if variable == 2 * self.size:
            return self.push
        return np.where(np.arange(self.size) == variable - self.size, -1.0, 0.0)

    def refresh(self) -> bool:
        """Invert the basis anew; False if it is singular."""
        basis = np.column_stack([self.column(each) for each in self.basic])
        try:
            self.inverse = np.linalg.inv(basis)
        except np.linalg.LinAlgError:
            return False
        size = np.abs(basis).sum(axis=0).max() * np.abs(self.inverse).sum(axis=0).max()
        return bool(np.isfinite(size) and size * REGULAR < 1.0)

    def follow(self, limit: int) -> str:
        """Follow the path from large t; how it ended."""
        if self.size == 0:
            return SOLVED
        if not self.refresh():
            return SINGULAR
        driven = self.begin()
        while driven >= 0:
            if self.pivots >= limit:
                return LIMIT
            self.pivots += 1
            if self.pivots % REFRESH == 0 and not self.refresh():
                return LIMIT
            place, rate = self.first_to_meet(driven)
            if place is None:
                return RAY
            driven = self.exchange(driven, place, rate)
        return SOLVED

    def begin(self) -> int:
        """Take t into the basis at the least value that all rows at bounds allow; which variable to drive, -1 for none.

        Slack of a row at its lower bound grows with t, at its upper bound it falls.
        """
        rows = np.flatnonzero(self.label != 0)
        slack = -self.label[rows] * self.values[rows]
        if rows.size == 0 or slack.min() >= 0.0:
            return -1
        tied = np.flatnonzero(slack <= slack.min() + TIE * np.abs(slack).max())
        row = int(rows[tied[least(-self.label[rows[tied], None] * self.inverse[rows[tied]])]])
        self.enter(2 * self.size, row)
        return row

    def first_to_meet(self, driven: int) -> tuple[int | None, np.ndarray]:
        """Place in the basis of the variable that meets a bound first, -1 for the driven one itself, None for none.

        Also the rates (n,) of the basic variables.
        """
        size, values = self.size, self.values
        rate = -self.direction(driven) * (self.inverse @ self.column(driven))
        low, high = self.bounds()
        falls, grows = rate < -STILL * np.abs(rate).max(), rate > STILL * np.abs(rate).max()
        way = np.full(size, np.inf)
        way[falls] = np.maximum(values - low, 0.0)[falls] / -rate[falls]
        way[grows] = np.maximum(high - values, 0.0)[grows] / rate[grows]
        own = self.upper[driven] - self.lower[driven] if driven < size else np.inf
        first = min(way.min(), own)
        if not first < np.inf:
            return None, rate
        tied = np.flatnonzero(way <= first + TIE * (first + np.abs(values).max() / np.abs(rate).max()))
        ends = tied[self.basic[tied] == 2 * size]
        if ends.size:
            return int(ends[0]), rate
        # what a perturbation of b adds to each way; the driven variable's own has none
        extra = self.inverse[tied] / -rate[tied, None]
        if own <= first * (1.0 + TIE):
            tied, extra = np.append(tied, -1), np.vstack([extra, np.zeros(size)])
        return int(tied[least(extra)]), rate

    def direction(self, driven: int) -> float:
        """1 if the driven variable grows, -1 if it falls: lam away from its bound, w as its bound wants it."""
        return -float(self.label[driven % self.size])

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds (n,) of the basic variables; w of a row at a bound has one sign, and t is not negative."""
        size = self.size
        row = self.basic % size
        slack, path = (self.basic >= size) & (self.basic < 2 * size), self.basic == 2 * size
        low = np.where(slack, np.where(self.label[row] < 0, 0.0, -np.inf), np.where(path, 0.0, self.lower[row]))
        high = np.where(slack, np.where(self.label[row] < 0, np.inf, 0.0), np.where(path, np.inf, self.upper[row]))
        return low, high

    def exchange(self, driven: int, place: int, rate: np.ndarray) -> int:
        """Let a variable that met a bound go and the driven one in; which to drive next, -1 at the end."""
        size = self.size
        if place < 0:
            self.label[driven] = -self.label[driven]
            return size + driven
        leaving = int(self.basic[place])
        self.enter(driven, place)
        if driven < size:
            self.label[driven] = 0
        if leaving == 2 * size:
            return -1
        if leaving >= size:
            return leaving - size
        self.label[leaving] = -1 if rate[place] < 0.0 else 1
        return size + leaving

    def enter(self, variable: int, place: int) -> None:
        """Put a variable into the basis."""
        change = self.inverse @ self.column(variable)
        row = self.inverse[place] / change[place]
        self.inverse -= np.outer(change, row)
        self.inverse[place] = row
        self.basic[place] = variable


def least(vectors: np.ndarray) -> int:
    """Which of some vectors (count, n) is least by its first component that is not the same in all."""
    left = np.arange(vectors.shape[0])
    for component in vectors.T:
        if left.size == 1:
            break
        numbers = component[left]
        left = left[numbers <= numbers.min() + TIE * np.abs(numbers).max()]
    return int(left[0])


def finish_by_lemke(
    solver: PivotingSolver, problem: MlcpProblem, kept: np.ndarray, search: Search, failed: MlcpSolution
) -> MlcpSolution:
    """Solve a problem that is not symmetric and that block pivoting failed on; `failed`, with what it means, if not.

    `search` holds the rows that are `kept`, scaled; the others have equal bounds.
    """
    matrix = problem.sparse[kept][:, kept].toarray() * np.outer(search.scale, search.scale)
    path = LemkePath(matrix, search.bias, search.lower, search.upper)
    ended = path.follow(max(LEAST_PIVOTS, PIVOTS_A_ROW * kept.size))
    lam, labels = failed.lam.copy(), failed.index_set.copy()
    if ended == SOLVED:
        free = path.label == 0
        at_bound = np.where(path.label < 0, problem.lower[kept], problem.upper[kept])
        inside = np.clip(
            polished(path)[free] * search.scale[free], problem.lower[kept][free], problem.upper[kept][free]
        )
        lam[kept], labels[kept] = at_bound, path.label
        lam[kept[free]] = inside
    status, message = meaning(ended, matrix, failed)
    pivots = failed.iterations + path.pivots
    return solver.conclude(problem, lam, labels, status, message, pivots, failed.factorizations)


def polished(path: LemkePath) -> np.ndarray:
    """Multipliers (n,) at the end of a path, the free ones solved for anew."""
    lam, free = path.multipliers, path.label == 0
    for _ in range(2):
        left = path.matrix[free] @ lam + path.bias[free]
        try:
            lam[free] -= np.linalg.solve(path.matrix[np.ix_(free, free)], left)
        except np.linalg.LinAlgError:
            break
    return lam


def meaning(ended: str, matrix: np.ndarray, failed: MlcpSolution) -> tuple[Status, str]:
    """Status and message of a problem that was not solved, from the end of the path."""
    if ended == LIMIT:
        return Status.ITERATION_LIMIT, "A is not symmetric, and Lemke's method did not end within the pivots allowed"
    if ended == RAY:
        spectrum = np.linalg.eigvalsh(matrix + matrix.T)
        if spectrum[0] >= -SEMIDEFINITE * np.abs(spectrum).max():
            return Status.INFEASIBLE, "Lemke's method ended on a ray, and x'Ax >= 0 for all x: there is no solution"
        return failed.status, "A is neither symmetric nor positive semidefinite, and Lemke's method ended on a ray"
    if ended == SINGULAR:
        return failed.status, "A is not symmetric, and the block of its rows without bounds is singular"
    return failed.status, failed.message or "A is not symmetric, and rounding spoiled the end of Lemke's method"
