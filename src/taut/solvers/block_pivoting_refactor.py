"""Block principal pivoting with a skyline factor of the free rows at every pivot: what `bpp` has to beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from taut.solvers.block_pivoting import BlockPivoting
from taut.solvers.island_workspace import IslandStructure
from taut.structure.pattern import Pattern


@dataclass(frozen=True)
class BlockPivotingRefactor(BlockPivoting):
    """`bpp` without fronts, borders and exchanges: each pivot factors the free rows anew, in their own envelope."""

    name: ClassVar[str] = "bpp-refactor"
    summary: ClassVar[str] = "block pivoting, skyline Cholesky of the free rows at every pivot"

    @property
    def by_bodies(self) -> bool:
        """Rows only: it is what other ways are compared with."""
        return False

    def make_structure(self, pattern: Pattern) -> IslandStructure:
        """Order, islands and envelope of a pattern, with workspaces."""
        return IslandStructure.of(pattern, plain=True)
