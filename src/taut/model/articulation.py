"""Which bodies move in joint coordinates: a tree of joints from the ground, or from a body that floats.

Joints are taken in the order in which they were connected: one that would close a loop stays a set of rows, and so does
one that is soft, or of a kind that no tree is made of. What the tree keeps by itself, the first rows of each of its
joints, is eliminated; soft rows of unlimited force within a tree are absorbed into its masses; all others are kept for
the solver, see `taut.responses.articulated`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.joints.motion import ABOUT_AXIS, ABOUT_TWO_AXES, ANY_TURN, NO_AXIS, NO_TURN, Motion
from taut.joints.softening import gives_way
from taut.model.groups import joined_groups
from taut.model.model import Link, Model
from taut.rows.law import SOFT
from taut.rows.layout import COMPANION
from taut.spatial import Array, Integers, conjugate, multiply
from taut.structure.union import DisjointSets
from taut.tables import Flags, RealRows, Wholes

__all__ = [
    "ABOUT_AXIS", "ABOUT_TWO_AXES", "ANY_TURN", "AT_BODY", "AT_JOINT", "COORDINATES", "CROSSING", "ELIMINATED", "KEPT",
    "NO_TURN", "Articulation", "articulate",
]  # fmt: skip

KEPT, ELIMINATED, AT_BODY, AT_JOINT, CROSSING = range(5)
"""What becomes of a row: left to the solver; kept by the tree itself; or soft and absorbed, into the block of one body,
into that of one joint, or across the tree."""

COORDINATES = ("maximal", "reduced", "auto")
"""Coordinates: of bodies alone; of joints wherever there are some; of joints in what is a tree as a whole."""


class Articulation(NamedTuple):
    """Bodies in joint coordinates as nodes of trees, parents before children and tree by tree.

    Attributes:
        node: (n,) node of every body, -1 for bodies in maximal coordinates.
        body: (nodes,) body of each node.
        parent: (nodes,) node that it hangs on, -1 for roots.
        carrier: (nodes,) body that it hangs on, which may be fixed, -1 for bodies that float.
        tree_start: (trees + 1,) first node of each tree.
        dof_start: (nodes + 1,) first degree of freedom of each node.
        flipped: (nodes,) 1 where the node is the joint's A, and its carrier the joint's B.
        turn, slides: (nodes,) kind of turn, see `taut.joints.motion`, and number of slides.
        slide_axis: (nodes, 9) axes of A that B slides along.
        axis_a, axis_b: (nodes, 3) axes of A and of B that B turns about.
        point_a, point_b: (nodes, 3) m, the joint's point in the axes of each from its centre of mass.
        relative: (nodes, 4) orientation of B relative to A where all coordinates are zero.
        first_row, row_count: (nodes,) rows that the tree keeps by itself.
        role: (rows,) what becomes of every row of the model.
    """

    node: Wholes
    body: Wholes
    parent: Wholes
    carrier: Wholes
    tree_start: Wholes
    dof_start: Wholes
    flipped: Flags
    turn: Wholes
    slides: Wholes
    slide_axis: RealRows
    axis_a: RealRows
    axis_b: RealRows
    point_a: RealRows
    point_b: RealRows
    relative: RealRows
    first_row: Wholes
    row_count: Wholes
    role: Wholes


@dataclass(frozen=True)
class Node:
    """A body on its way into a tree; `link` is None where it floats."""

    body: int
    parent: int
    carrier: int = -1
    link: Link | None = None
    motion: Motion = Motion()
    flipped: bool = False


def articulate(model: Model, coordinates: str) -> Articulation:
    """The trees of a model in these coordinates; none in maximal ones."""
    node, role = np.full(model.bodies.count, -1), np.full(model.layout.row_count, KEPT)
    if coordinates == "maximal":
        return no_trees()._replace(node=node, role=role)
    nodes, tree_start = hang_up(model, tree_links(model, whole=coordinates == "auto"))
    first_rows = [first_row(model, each.link) if each.link else 0 for each in nodes]
    trees = tabulate_trees(nodes, tree_start, first_rows)._replace(node=node, role=role)
    node[trees.body] = np.arange(trees.body.size)
    if nodes:
        find_roles(model, trees)
    return trees


@cache
def no_trees() -> Articulation:
    """No trees, but for what bodies and rows have of them."""
    return tabulate_trees([], np.zeros(1, np.int64), [])


def tabulate_trees(nodes: list[Node], tree_start: Integers, first_rows: list[int]) -> Articulation:
    """Nodes as arrays, but for what bodies and rows have of them; `first_rows` are those of their joints."""
    motions, frames = [node.motion for node in nodes], [node.link.frame if node.link else None for node in nodes]
    freedom = [motion.freedom if node.link else 6 for node, motion in zip(nodes, motions, strict=True)]

    def vectors(values: list[Array], width: int = 3) -> Array:
        return np.array(values, float).reshape(len(nodes), width)

    still, nothing = np.zeros(3), np.zeros(0, np.int64)
    return Articulation(
        node=nothing,
        body=np.array([node.body for node in nodes], np.int64),
        parent=np.array([node.parent for node in nodes], np.int64),
        carrier=np.array([node.carrier for node in nodes], np.int64),
        tree_start=tree_start,
        dof_start=np.concatenate([[0], np.cumsum(freedom)]).astype(np.int64),
        flipped=np.array([node.flipped for node in nodes], np.uint8),
        turn=np.array([motion.turn for motion in motions], np.int64),
        slides=np.array([len(motion.slides) for motion in motions], np.int64),
        slide_axis=vectors([np.ravel([*each.slides, NO_AXIS, NO_AXIS, NO_AXIS][:3]) for each in motions], 9),
        axis_a=vectors([np.array(motion.axis_a) for motion in motions]),
        axis_b=vectors([np.array(motion.axis_b) for motion in motions]),
        point_a=vectors([np.array(frame.point_a(frame.at)) if frame else still for frame in frames]),
        point_b=vectors([np.array(frame.point_b(frame.at)) if frame else still for frame in frames]),
        relative=np.array(
            [multiply(conjugate(each.quaternion_a), each.quaternion_b) if each else np.eye(4)[0] for each in frames]
        ).reshape(-1, 4),
        first_row=np.array(first_rows, np.int64),
        row_count=np.array([6 - free if node.link else 0 for node, free in zip(nodes, freedom, strict=True)], np.int64),
        role=nothing,
    )  # fmt: skip


def first_row(model: Model, link: Link) -> int:
    """First row of a joint."""
    return int(model.first_rows(link)[0]) if link.rows else 0


def tree_links(model: Model, whole: bool) -> dict[int, Motion]:
    """Links that a tree is made of, and what they leave free; with `whole` only of groups that are one tree.

    Those are groups of two bodies or more in which no hard row is left over: loops and couplings stay in maximal
    coordinates, and one body alone on a joint gains nothing.
    """
    moves, chosen = model.bodies.moves, dict[int, Motion]()
    over: list[int] = []
    sets = DisjointSets(model.bodies.count)
    for index, link in enumerate(model.links):
        motion = motion_of(link)
        bodies = bodies_of(link)
        ends = {sets.find(int(body) if moves[body] else 0) for body in bodies}
        if motion is None or len(ends) != 2:
            over += bodies.tolist() if is_hard(link) else []
            continue
        sets.join(ends)
        chosen[index] = motion
    if whole:
        joined = joined_groups(model)
        size = np.bincount(joined[moves > 0], minlength=moves.size)
        alone = np.flatnonzero(size == 1)
        others = np.union1d(joined[over][moves[over] > 0], alone)
        chosen = {k: each for k, each in chosen.items() if not np.isin(joined[moving_of(model, k)], others).any()}
    return chosen


def moving_of(model: Model, index: int) -> Integers:
    """Bodies of a link that move."""
    bodies = bodies_of(model.links[index])
    return bodies[model.bodies.moves[bodies] > 0]


def bodies_of(link: Link) -> Integers:
    """Bodies that the rows of a link touch."""
    return np.unique([body for part in link.parts for body in part.bodies]).astype(np.int64)


def motion_of(link: Link) -> Motion | None:
    """What a link leaves free, None where it is soft or of a kind that no tree is made of."""
    motion = getattr(link.spec.kind, "motion", None)
    return None if motion is None or gives_way(link.spec.compliance) else motion(link.frame)


def is_hard(link: Link) -> bool:
    """Whether any row of a link is not soft: it closes a loop, or couples joints."""
    return any(law.kind != SOFT for row in link.rows for law in row.laws)


def hang_up(model: Model, chosen: dict[int, Motion]) -> tuple[list[Node], Integers]:
    """Nodes of the trees that these links make, and the first of each tree (trees + 1,).

    A tree hangs from what is fixed, else from its heaviest body.
    """
    moves, mass = model.bodies.moves > 0, model.bodies.mass
    beside: dict[int, list[tuple[int, int]]] = {}
    for index in chosen:
        frame = model.links[index].frame
        beside.setdefault(frame.a, []).append((frame.b, index))
        beside.setdefault(frame.b, []).append((frame.a, index))
    nodes: list[Node] = []
    number: dict[int, int] = {}
    starts = [0]

    def grow(first: Node) -> None:
        waiting = deque([first])
        while waiting:
            node = waiting.popleft()
            number[node.body] = len(nodes)
            nodes.append(node)
            waiting += [
                hung(model, chosen, index, node.body, number[node.body])
                for body, index in beside[node.body]
                if moves[body] and body not in number
            ]
        starts.append(len(nodes))

    for fixed in np.flatnonzero(~moves):
        for body, index in beside.get(int(fixed), []):
            if moves[body] and body not in number:
                grow(hung(model, chosen, index, int(fixed), -1))
    for body in sorted(beside, key=lambda body: (-mass[body], body)):
        if moves[body] and body not in number:
            grow(Node(body, -1))
    return nodes, np.array(starts, np.int64)


def hung(model: Model, chosen: dict[int, Motion], index: int, carrier: int, parent: int) -> Node:
    """The body at the other end of a link than its carrier."""
    link = model.links[index]
    flipped = link.frame.b == carrier
    body = link.frame.a if flipped else link.frame.b
    return Node(body, parent, carrier, link, chosen[index], flipped)


def find_roles(model: Model, trees: Articulation) -> None:
    """Say what becomes of every row.

    Writes:  role of the trees
    """
    layout, moves, role = model.layout, model.bodies.moves, trees.role
    for first, count in zip(trees.first_row, trees.row_count, strict=True):
        role[first : first + count] = ELIMINATED
    soft = np.isin(layout.laws.kind, (SOFT, COMPANION)) & model.entries.unbounded & (role == KEPT)
    balanced = np.zeros(layout.row_count, bool)
    declared = slice(layout.declared_count)
    balanced[declared] = np.array([spec.part.balanced for spec in layout.specs], bool)[layout.row_spec[declared]]
    for row in np.flatnonzero(soft):
        bodies = layout.entry_body[layout.entry_start[row] : layout.entry_start[row + 1]]
        role[row] = role_of_soft(trees, bodies, moves, bool(balanced[row]))


def role_of_soft(trees: Articulation, bodies: Integers, moves: NDArray[np.uint8], balanced: bool) -> int:
    """What becomes of a soft row between these bodies, whose forces are `balanced` or not.

    One between a body and the one that carries it is then a function of the joint's own coordinates. A companion is
    none, nor is a point that is open: what they do to two bodies that turn together is not nothing.
    """
    moving = bodies[moves[bodies] > 0]
    nodes = trees.node[moving]
    if (nodes < 0).any() or not moving.size:
        return KEPT
    if moving.size == 1:
        return AT_BODY
    if balanced and bodies.size == 2 and (trees.carrier[nodes[0]] == moving[1] or trees.carrier[nodes[1]] == moving[0]):
        return AT_JOINT
    return CROSSING
