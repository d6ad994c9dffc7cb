"""What became of everything when a model changed: the one thing that carries state, warm starts and readings over."""

from __future__ import annotations

from dataclasses import dataclass, replace

from taut.contact.memory import ContactMemory
from taut.structure.numbering import Numbering


@dataclass(frozen=True, eq=False)
class IndexMap:
    """New numbers of what a model had: of its bodies, links, rows, slots (joint coordinates) and geoms."""

    body: Numbering
    link: Numbering
    row: Numbering
    slot: Numbering
    geom: Numbering

    def contacts(self, memory: ContactMemory) -> ContactMemory:
        """The contacts between bodies that are still there, with their new numbers; what stays keeps its order."""
        found = memory.contacts
        if not found.count:
            return memory
        stays = (self.geom[found.geom_a] >= 0) & (self.geom[found.geom_b] >= 0)
        if not stays.all():
            memory = memory.take(stays.nonzero()[0])
            found = memory.contacts
        if self.geom.keeps_all and self.body.keeps_all:
            return memory
        found = replace(
            found, geom_a=self.geom[found.geom_a], geom_b=self.geom[found.geom_b], body_a=self.body[found.body_a],
            body_b=self.body[found.body_b],
        )  # fmt: skip
        return replace(memory, contacts=found)
