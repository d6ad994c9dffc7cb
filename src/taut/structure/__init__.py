"""What can be said of a matrix from its pattern alone: islands, orderings, envelope. Nothing physical."""

from __future__ import annotations

from taut.structure.islands import find_islands
from taut.structure.orderings import order_rows
from taut.structure.symbolic import SymbolicStructure, analyze_pattern

__all__ = ["SymbolicStructure", "analyze_pattern", "find_islands", "order_rows"]
