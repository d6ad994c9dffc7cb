"""Disjoint sets: which things are connected, found by joining them pair by pair."""

from __future__ import annotations

from collections.abc import Iterable


class DisjointSets:
    """Sets of the numbers 0 to count - 1, each alone at first; a set is known by its lowest member."""

    def __init__(self, count: int) -> None:
        """Start with every number alone."""
        self.parent = list(range(count))

    def find(self, member: int) -> int:
        """Lowest member of the set that a number is in; paths are halved on the way."""
        parent = self.parent
        while parent[member] != member:
            parent[member] = parent[parent[member]]
            member = parent[member]
        return member

    def join(self, members: Iterable[int]) -> bool:
        """Make one set of those that these numbers, all different, are in; False if two of them were in one already."""
        given = list(members)
        roots = {self.find(member) for member in given}
        for root in roots:
            self.parent[root] = min(roots)
        return len(roots) == len(given)
