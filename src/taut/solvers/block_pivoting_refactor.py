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

    def make_structure(self, pattern: Pattern) -> IslandStructure:
        """Order, islands and envelope of a pattern, with workspaces."""
        return IslandStructure.of(pattern, plain=True)
