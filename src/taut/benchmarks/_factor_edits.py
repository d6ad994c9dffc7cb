"""What it costs to change a kept factor where a scene changes, beside factoring anew and ordering anew.

Processor times in microseconds, medians over rounds in which all cases and ways take turns. `update` is the compiled
work of an edit, `edit` that and what Python does to say it; `refactor` does all numbers in the same order, `rebuild`
orders, finds the rows of all fronts and does all numbers. `fronts` of all `nodes` are done again by an update.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from taut.linalg.augmented import FRONTS, AugmentedFactor

LINKS, SIDES, ROUNDS = (1000,), (10, 25), 15
QUICK_LINKS, QUICK_SIDES, QUICK_ROUNDS = (30,), (4,), 2
SOFTNESS = 1e-9
"""-S of all rows."""


@dataclass
class Matrix:
    """A factor of made-up bodies of six rows and joints of three, and their nodes."""

    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    factor: AugmentedFactor = field(default_factory=AugmentedFactor)
    bodies: list[int] = field(default_factory=list)
    joints: list[int] = field(default_factory=list)

    def body(self) -> int:
        """A new body."""
        node = self.factor.add(6)
        self.factor.set(node, np.diag(self.rng.uniform(0.5, 2.0, 6)))
        self.bodies.append(node)
        return node

    def joint(self, *bodies: int) -> int:
        """A new joint of these bodies."""
        node = self.factor.add(3, -1)
        self.factor.set(node, -SOFTNESS * np.eye(3))
        for body in bodies:
            self.factor.couple(node, body, self.rng.normal(size=(3, 6)))
        self.joints.append(node)
        return node

    def remove(self, node: int) -> None:
        """Remove a body or a joint."""
        self.factor.remove(node)
        (self.bodies if node in self.bodies else self.joints).remove(node)


Edits = Callable[[Matrix], list[Callable[[], object]]]
"""What is done to a matrix, one after the other."""


def chain(links: int) -> Matrix:
    """Bodies in a row."""
    matrix = Matrix()
    for _ in range(links):
        matrix.joint(*matrix.bodies[-1:], matrix.body())
    return matrix


def net(side: int) -> Matrix:
    """Bodies in a square, joined with their neighbours."""
    matrix = Matrix()
    bodies = [matrix.body() for _ in range(side * side)]
    for number, body in enumerate(bodies):
        if number % side:
            matrix.joint(bodies[number - 1], body)
        if number >= side:
            matrix.joint(bodies[number - side], body)
    return matrix


def middle(nodes: list[int], rng: np.random.Generator) -> int:
    """Place of a node that is not near an end."""
    return int(rng.integers(len(nodes) // 4, 3 * len(nodes) // 4))


def cut_and_mend(matrix: Matrix) -> list[Callable[[], object]]:
    """A joint goes, and comes back."""
    place = middle(matrix.joints, matrix.rng)
    node, near = matrix.joints[place], []
    for edge in matrix.factor.edges(node):
        near += [int(each) for each in matrix.factor.table.edge[:2, edge] if each != node]
    return [lambda: matrix.remove(node), lambda: matrix.joint(*near)]


def insert_and_remove(matrix: Matrix) -> list[Callable[[], object]]:
    """A link comes between two others and goes again: a joint less, a body and two joints more, and back."""
    place = middle(matrix.bodies, matrix.rng)
    before, after = matrix.bodies[place - 1], matrix.bodies[place]
    new: list[int] = []

    def insert() -> None:
        matrix.remove(matrix.joints[place])
        new[:] = [matrix.body()]
        new.extend([matrix.joint(before, new[0]), matrix.joint(new[0], after)])

    def remove() -> None:
        for node in new:
            matrix.remove(node)
        matrix.joint(before, after)
        matrix.joints.insert(place, matrix.joints.pop())

    return [insert, remove]


def tie_and_untie(matrix: Matrix) -> list[Callable[[], object]]:
    """A joint comes between two bodies of a net that are a few apart, and goes again."""
    side = int(np.sqrt(len(matrix.bodies)))
    place = middle(matrix.bodies, matrix.rng)
    pair = matrix.bodies[place], matrix.bodies[(place + 2 * side + 1) % len(matrix.bodies)]
    return [lambda: matrix.joint(*pair), lambda: matrix.remove(matrix.joints[-1])]


def weigh(matrix: Matrix) -> list[Callable[[], object]]:
    """A body gets another mass."""
    node = matrix.bodies[middle(matrix.bodies, matrix.rng)]
    return [lambda: matrix.factor.set(node, np.diag(matrix.rng.uniform(0.5, 2.0, 6)))]


def cases(quick: bool) -> dict[str, tuple[Matrix, Edits, tuple[str, ...]]]:
    """Matrices, edits of them and what each edit is called."""
    found: dict[str, tuple[Matrix, Edits, tuple[str, ...]]] = {}
    for links in QUICK_LINKS if quick else LINKS:
        found[f"chain {links}, cut"] = chain(links), cut_and_mend, ("joint cut", "joint back")
        found[f"chain {links}, insertion"] = chain(links), insert_and_remove, ("link inserted", "link removed")
        found[f"chain {links}, mass"] = chain(links), weigh, ("mass changed",)
    for side in QUICK_SIDES if quick else SIDES:
        found[f"net {side} x {side}, cut"] = net(side), cut_and_mend, ("joint cut", "joint back")
        found[f"net {side} x {side}, tie"] = net(side), tie_and_untie, ("joint added", "joint removed")
    return found


def measure(quick: bool, out: Path) -> list[dict[str, Any]]:
    """One line an edit."""
    rows = []
    for name, (matrix, edits, words) in cases(quick).items():
        matrix.factor.order()
        samples = [sample for _ in range(QUICK_ROUNDS if quick else ROUNDS) for sample in edit_once(matrix, edits)]
        rows += [row_of(name, word, matrix, samples[place :: len(words)]) for place, word in enumerate(words)]
    return rows


def edit_once(matrix: Matrix, edits: Edits) -> list[dict[str, float]]:
    """Seconds of one edit after the other, of all numbers, and of all anew."""
    found, factor = [], matrix.factor
    for edit in edits(matrix):
        begin = process_time()
        edit()
        said = process_time()
        factor.update()
        done = process_time()
        fronts = int(factor.table.counts[FRONTS])
        found.append({"update": done - said, "edit": done - begin, "fronts": fronts})
    begin = process_time()
    factor.touch()
    factor.update()
    refactored = process_time()
    factor.order()
    for each in found:
        each |= {"refactor": refactored - begin, "rebuild": process_time() - refactored}
    return found


def row_of(name: str, word: str, matrix: Matrix, samples: list[dict[str, float]]) -> dict[str, Any]:
    """Medians of an edit."""
    median = {key: float(np.median([each[key] for each in samples])) for key in samples[0]}
    factor = matrix.factor
    return {
        "case": name.partition(",")[0], "edit": word, "nodes": int(factor.nodes.size), "height": factor.height,
        "fronts": int(median["fronts"]),
        **{f"{key}_us": 1e6 * median[key] for key in ("update", "edit", "refactor", "rebuild")},
        "over_refactor": median["refactor"] / median["update"],
        "over_rebuild": median["rebuild"] / median["update"],
        "edit_over_rebuild": median["rebuild"] / median["edit"],
    }  # fmt: skip
