"""A box MLCP whose unbounded rows are already eliminated inside a response: only the others are left to pivot on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from taut.problem.mlcp import MlcpProblem
from taut.structure.pattern import Pattern


class Condensation(Protocol):
    """What a response offers that has the primary rows p inside and leaves the auxiliary rows a.      [Baraff1996, 8]

        A_aa - A_ap A_pp^-1 A_pa   matrix of the auxiliary rows: the primary ones respond as they are pushed
        b_a  - A_ap A_pp^-1 b_p    their bias: how they would move if only the primary rows held

    `given_bias` is the bias (rows,) of all rows that it was condensed with: a problem with another needs A. So does a
    `broken` one, whose primary rows could not be eliminated: nothing is condensed then, and values and bias are empty.

    Shapes: auxiliary (k,); pattern and values of a k x k matrix; bias (k,); weight (rows,) = 1 / sqrt(diag A);
    island (rows,).
    """

    auxiliary: np.ndarray
    pattern: Pattern
    values: np.ndarray
    bias: np.ndarray
    weight: np.ndarray
    island: np.ndarray
    island_count: int
    given_bias: np.ndarray
    broken: bool

    def expand(self, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Multipliers and slack w = A lam + b of all rows, for those of the auxiliary rows."""

    def matrix(self) -> MlcpProblem:
        """The problem of all rows, with A written out."""


@dataclass(eq=False)
class CondensedMlcp:
    """A lam + b = w,  lower <= lam <= upper, with A given by what a response does.

    It stands in for an `MlcpProblem` wherever the entries of A are not asked for.

    Shapes: bias, lower, upper (rows,).
    """

    bias: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    system: Condensation
    name: str = ""

    @property
    def islands(self) -> tuple[int, np.ndarray]:
        """Number of groups of rows that nothing couples, and the group (rows,) of each."""
        return self.system.island_count, self.system.island

    @property
    def size(self) -> int:
        """Number of rows, primary ones included."""
        return self.bias.size

    def full(self) -> MlcpProblem:
        """The same problem with A written out."""
        whole = self.system.matrix()
        return MlcpProblem(whole.pattern, whole.values, self.bias, self.lower, self.upper, self.name)

    def save(self, path: str | Path) -> None:
        """Write the whole problem to an npz file, see `MlcpProblem.save`."""
        self.full().save(path)
