"""Force-based interface coupling: parts and interface in turn, each with the forces of the others, kept to compare."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.errors import InputError
from taut.problem.kkt import Problem
from taut.problem.mlcp import MlcpProblem
from taut.problem.parts import row_parts
from taut.problem.residuals import natural_residual
from taut.problem.solution import MlcpSolution, Status, WarmStart
from taut.solvers.base import PivotingSolver, Start, labels_of, start_arrays
from taut.solvers.block_pivoting import BlockPivoting
from taut.solvers.island_workspace import IslandStructure
from taut.structure.pattern import Pattern

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Integers = NDArray[np.int64]

INSIDE = BlockPivoting(reuse=True)
"""Solves one block: sweeps change its b alone, so that it seldom needs another factor."""


class Block(NamedTuple):
    """Rows that are solved at once.

    Attributes:
        rows: (k,) their numbers.
        pattern: of A among them.
        own: (entries,) places of these entries in A's values.
        outer_start, outer_column, outer: rows of A's entries with rows of other blocks, and their places in its values.
    """

    rows: Integers
    pattern: Pattern
    own: Integers
    outer_start: Integers
    outer_column: Integers
    outer: Integers


class LoadedBlock(NamedTuple):
    """A block with its numbers.

    Attributes:
        rows: (k,) their numbers.
        problem: of these rows alone.
        outer: (k, n) A's entries with rows of other blocks.
    """

    rows: Integers
    problem: MlcpProblem
    outer: csr_array

    def solve(self, labels: Integers, lam: NDArray[np.float64]) -> int:
        """Solve the rows with the others as they are.

        Writes:  labels and multipliers of its rows, those that are numbers
        Returns: factorisations
        """
        rows = self.rows
        own = replace(self.problem, bias=self.problem.bias + self.outer @ lam)
        found = INSIDE.solve(own, WarmStart(labels[rows], lam[rows]))
        labels[rows], lam[rows] = found.index_set, np.where(np.isfinite(found.lam), found.lam, lam[rows])
        return found.factorizations


@dataclass(frozen=True)
class ForceCoupling(PivotingSolver):
    """Block Gauss-Seidel over the parts of a partition and their interface.          [Peiret2019, sec. 4, eq. 16, 17]

    A part is solved with the impulses that its interface rows had last, then the interface with those of the parts. The
    interface sees the masses of the bodies next to it, and nothing of what they are joined to: stiff problems need many
    sweeps, and start from the multipliers of the frame before. What is kept between sweeps is made anew at each solve,
    so bits depend on the problem and its start alone.
    """

    name: ClassVar[str] = "fbic"
    summary: ClassVar[str] = "parts and their interface in turn, each solved by block pivoting"
    exact: ClassVar[bool] = False
    accuracy: ClassVar[float] = 1e-6

    partition: str = "auto"
    """How bodies are parted, see `row_parts`."""
    part_size: int = 0
    """Bodies of a part; 0: chosen."""
    sweeps: int = 250
    """Most sweeps over all blocks."""
    tolerance: float = 1e-9
    """Scaled natural residual at which it stops."""

    def __post_init__(self) -> None:
        if self.sweeps < 1 or not self.tolerance >= 0.0:
            given = f"sweeps {self.sweeps} and tolerance {self.tolerance}"
            raise InputError(f"solver 'fbic' got {given}; at least 1 and at least 0 are needed")

    def solve(self, problem: Problem, warm_start: Start = None) -> MlcpSolution:
        """Solve a problem; see `PivotingSolver.solve`."""
        given, problem = problem, problem.matrix()
        if not problem.symmetric:
            return self.solve_unsymmetric(problem, warm_start)
        labels, start = start_arrays(problem.size, warm_start)
        lam = np.clip(np.where(np.isfinite(start), start, 0.0), problem.lower, problem.upper)
        if not np.isfinite(natural_residual(given, lam)):
            return self.refuse(problem)
        labels, sweeps, factors = labels.copy(), 0, 0
        parts = row_parts(given, self.partition, self.part_size)
        blocks = [load_block(block, problem) for block in blocks_of(problem.pattern, parts)]
        while sweeps < self.sweeps:
            factors += sum(block.solve(labels, lam) for block in blocks)
            sweeps += 1
            if natural_residual(given, lam) <= self.tolerance:
                break
        message = f"parts and interface did not settle in {sweeps} sweeps"
        ended = labels_of(problem, lam)
        return self.conclude(given, lam, ended, Status.ITERATION_LIMIT, message, sweeps, factors)


def blocks_of(pattern: Pattern, parts: Integers) -> list[Block]:
    """The blocks of a partition (rows,) of a pattern, the interface, -1, last; worked out once and kept with it."""
    key: Hashable = (Block, parts.tobytes())
    known: list[Block] | None = pattern.structures.get(key)
    if known is None:
        known = pattern.structures.setdefault(key, [make_block(pattern, parts == part) for part in in_turn(parts)])
    return known


def in_turn(parts: Integers) -> Integers:
    """The parts that there are, the interface last."""
    found = np.unique(parts)
    return np.concatenate([found[found >= 0], found[found < 0]])


def make_block(pattern: Pattern, member: NDArray[np.bool_]) -> Block:
    """The block of the rows (n,) that are members."""
    rows = np.flatnonzero(member)
    counts = np.diff(pattern.indptr)[rows]
    place = np.arange(counts.sum()) + np.repeat(pattern.indptr[rows] - np.cumsum(counts) + counts, counts)
    column, row = pattern.indices[place], np.repeat(np.arange(rows.size), counts)
    inner = member[column]
    number = np.cumsum(member) - 1
    outer_column, outer = column[~inner], place[~inner]
    own = Pattern(starts(row[inner], rows.size), number[column[inner]])
    return Block(rows, own, place[inner], starts(row[~inner], rows.size), outer_column, outer)


def starts(row: Integers, size: int) -> Integers:
    """Where rows begin (size + 1,) among entries that are sorted by row."""
    return np.searchsorted(row, np.arange(size + 1)).astype(np.int64)


def load_block(block: Block, problem: MlcpProblem) -> LoadedBlock:
    """A block with the numbers of a problem, and without a factor that was kept for it."""
    from scipy.sparse import csr_array

    structure: IslandStructure = INSIDE.analyze(block.pattern)
    pattern = Pattern(block.pattern.indptr, block.pattern.indices, {INSIDE: replace(structure, idle=[])})
    rows = block.rows
    own = MlcpProblem(
        pattern, problem.values[block.own], problem.bias[rows], problem.lower[rows], problem.upper[rows], problem.name
    )
    shape = (rows.size, problem.size)
    outer = csr_array((problem.values[block.outer], block.outer_column, block.outer_start), shape=shape)
    return LoadedBlock(rows, own, outer)
