"""A model as the thesis' step sees it: trees in joint coordinates, springs, and rows that close loops.

Bodies that nothing joins float, and are trees of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from taut.errors import InputError
from taut.joints.motion import ABOUT_AXIS, ABOUT_TWO_AXES, ANY_TURN
from taut.model.articulation import ELIMINATED, Articulation, articulate, first_row
from taut.model.model import Link, Model
from taut.model.redmax_tables import BALL, SLIDE, TURN, RedMaxTree
from taut.rows.coordinate import Angle, Slide
from taut.rows.coupling import CouplingPart
from taut.rows.distance import DistancePart
from taut.rows.law import FOLLOW, HOLD, LIMITS, SOFT
from taut.rows.layout import RowSpec
from taut.rows.orientation import OrientationPart
from taut.rows.point import PointPart
from taut.spatial import Array, Integers, matrix

NAME = "integrator 'redmax'"
"""How messages call the step."""

Places = dict[int, tuple[Array, Array]]
Frames = tuple[Array, Array, Array, Array]


@dataclass(frozen=True, eq=False)
class Springs:
    """Springs between two points, eqs. 2.39 to 2.41: nodes (k,) and points (k, 3) of both ends.

    A node of -1 is what is fixed, its point then in world axes. Stiffness and damping (k,) in N/m and N s/m; rest
    length (k,) in m. Springs that are `whole` (k,) pull points together along all axes alike, but for an offset (k, 3)
    in m of the second; `row` (k,) is the first row of each.
    """

    node_a: Integers
    node_b: Integers
    point_a: Array
    point_b: Array
    stiffness: Array
    damping: Array
    rest: Array
    offset: Array
    whole: NDArray[np.bool_]
    row: Integers

    def aimed(self, target: Array) -> Springs:
        """The same at rest where the targets of all rows (rows,) have them."""
        offset = np.zeros_like(self.offset)
        offset[self.whole] = target[self.row[self.whole, None] + np.arange(3)]
        return replace(self, rest=np.where(self.whole, 0.0, target[self.row]), offset=offset)


@dataclass(frozen=True, eq=False)
class JointSprings:
    """Springs and dampers along degrees of freedom (dofs,): K_r, D_r and where the springs are at rest.

    `slot` is the joint coordinate of the state that counts the turns of each, -1 where none does.
    """

    stiffness: Array
    damping: Array
    rest: Array
    slot: Integers


@dataclass(frozen=True, eq=False)
class RedMaxModel:
    """What the step is made of.

    Attributes:
        body: (n,) body of each node. node: (bodies,) node of each body, -1 for what is fixed.
        tree: the trees.
        mass: (n, 6, 6) of each body in its own axes, angular first.
        damping: (n, 6) D_m of each body, its diagonal.
        springs, joint_springs: what pulls.
        loops: rows that no tree keeps: loop closures and couplings, eq. 2.42.
        joint_rows: rows of the joint of each node, and of the springs along its coordinates.
    """

    body: Integers
    node: Integers
    tree: RedMaxTree
    mass: Array
    damping: Array
    springs: Springs
    joint_springs: JointSprings
    loops: Integers
    joint_rows: list[Integers]


def redmax_model(model: Model) -> RedMaxModel:
    """The model of a step; an InputError where it has what the thesis' step does not know."""
    refuse_contacts(model)
    found = articulate(model, "reduced")
    body = np.concatenate([found.body, np.flatnonzero((found.node < 0) & (model.bodies.moves > 0))]).astype(np.int64)
    node = np.full(model.bodies.count, -1)
    node[body] = np.arange(body.size)
    tree = redmax_tree(model, found, body.size)
    inertia, mass = model.bodies.inertia[body].reshape(-1, 3, 3), np.zeros((body.size, 6, 6))
    mass[:, :3, :3], mass[:, 3:, 3:] = inertia, model.bodies.mass[body, None, None] * np.eye(3)
    damping = [model.bodies.angular_damping[body], model.bodies.linear_damping[body]]
    sorted_rows = sort_rows(model, found, tree, node)
    return RedMaxModel(body, node, tree, mass, np.repeat(np.array(damping).T, 3, axis=1), *sorted_rows)


def refuse_contacts(model: Model) -> None:
    """Scenes in which something can touch are refused."""
    if model.geoms.count > 1:
        raise InputError(f"{NAME}: scene {model.name!r} has contacts, which it does not know; give it collisions=False")


def redmax_tree(model: Model, found: Articulation, count: int) -> RedMaxTree:
    """The trees of a model as compositions of slides, turns and balls; bodies beyond those found float."""
    kinds: list[list[int]] = []
    axes: list[Array] = []
    frames: list[Frames] = []
    fixed = places_of(model)
    for node in range(count):
        floats = node >= found.body.size or found.carrier[node] < 0
        kind, axis, frame = floating() if floats else jointed(fixed, found, node)
        kinds.append(kind)
        axes.append(axis)
        frames.append(frame)
    parent = np.full(count, -1)
    parent[: found.body.size] = found.parent
    flat = [np.array([frame[k] for frame in frames]).reshape(count, -1) for k in range(4)]
    return RedMaxTree(
        parent, np.concatenate([[0], np.cumsum([len(kind) for kind in kinds])]).astype(np.int64),
        np.array([each for kind in kinds for each in kind], np.int64), np.concatenate([np.zeros((0, 3)), *axes]), *flat,
    )  # fmt: skip


def floating() -> tuple[list[int], Array, Frames]:
    """A free joint to the world: three slides and a ball."""
    here = np.zeros(3), np.eye(3)
    return [SLIDE] * 3 + [BALL] * 3, np.vstack([np.eye(3), np.zeros((3, 3))]), (*here, *here)


def jointed(places: Places, found: Articulation, node: int) -> tuple[list[int], Array, Frames]:
    """Degrees of freedom and frames of the joint that a node hangs on.

    Seen from the joint's B, everything is the inverse: the last motion first, and each backwards.
    """
    relative, turn = matrix(found.relative[node]), int(found.turn[node])
    slides = list(found.slide_axis[node].reshape(3, 3)[: found.slides[node]])
    turns = [found.axis_a[node]] if turn in (ABOUT_AXIS, ABOUT_TWO_AXES) else []
    turns += [relative @ found.axis_b[node]] if turn == ABOUT_TWO_AXES else []
    ball = [np.zeros(3)] * 3 if turn == ANY_TURN else []
    kind = [SLIDE] * len(slides) + [TURN] * len(turns) + [BALL] * len(ball)
    axis = np.array([*slides, *turns, *ball]).reshape(-1, 3)
    frame_a, frame_b = (found.point_a[node], np.eye(3)), (found.point_b[node], relative.T)
    if found.flipped[node]:
        kind, axis, frame_a, frame_b = kind[::-1], -axis[::-1], frame_b, frame_a
    if found.parent[node] < 0:
        place, rotation = places[int(found.carrier[node])]
        frame_a = place + rotation @ frame_a[0], rotation @ frame_a[1]
    return kind, axis, (*frame_a, *frame_b)


def places_of(model: Model) -> Places:
    """Centre of mass (3,) and rotation (3, 3) by body of all that joints and springs sit on, at the start."""
    frames = [link.frame for link in model.links]
    places = {frame.a: (frame.com_a, frame.rotation_a) for frame in frames}
    return places | {frame.b: (frame.com_b, frame.rotation_b) for frame in frames}


def sort_rows(
    model: Model, found: Articulation, tree: RedMaxTree, node: Integers
) -> tuple[Springs, JointSprings, Integers, list[Integers]]:  # fmt: skip
    """What is made of every row: springs, springs of joints, loops, and what joints of the tree keep by themselves."""
    count = tree.kind.size
    joint = JointSprings(np.zeros(count), np.zeros(count), np.zeros(count), np.full(count, -1))
    springs: list[tuple[RowSpec, int]] = []
    loops: list[int] = []
    kept: list[list[int]] = [[] for _ in tree.parent]
    for link in model.links:
        own = node_of(model, found, link)
        dofs = degrees_of(found, tree, own)
        for spec, row in zip(link.rows, model.first_rows(link).tolist(), strict=True):
            refuse_bounds(link, spec)
            if found.role[row] == ELIMINATED:
                kept[own] += range(row, row + spec.part.rows)
            elif spec.laws[0].kind in (HOLD, FOLLOW):
                loops += range(row, row + spec.part.rows)
            elif isinstance(spec.part, PointPart | DistancePart):
                springs.append((spec, row))
            elif dofs and put_joint_spring(model, link, spec, dofs, tree, joint):
                kept[own] += range(row, row + spec.part.rows)
            else:
                raise InputError(
                    f"{NAME}: joint {link.spec.name!r} has soft rows that are no springs along its coordinates; "
                    "make it hard, or use another integrator"
                )
    rows = [np.array(each, np.int64) for each in kept]
    return table_of(model, springs, node), joint, np.array(loops, np.int64), rows


def refuse_bounds(link: Link, spec: RowSpec) -> None:
    """Limits, motors and friction are refused: they need a solver of inequalities."""
    for law in spec.laws:
        what = "limits" if law.kind == LIMITS else "a motor" if law.drives else None
        if what is None and np.isfinite([law.lower_force, law.upper_force]).any():
            what = "a force with bounds"
        if what:
            raise InputError(
                f"{NAME}: joint {link.spec.name!r} has {what}; it knows joints, springs and loops only, "
                "use integrator 'bdf2' or 'euler'"
            )


def node_of(model: Model, found: Articulation, link: Link) -> int:
    """The node that hangs on a link, -1 where none does."""
    own = np.flatnonzero((found.row_count > 0) & (found.first_row == first_row(model, link)))
    return int(own[0]) if own.size else -1


def degrees_of(found: Articulation, tree: RedMaxTree, node: int) -> list[int]:
    """Degrees of freedom of a node in the order of the motion of its joint, none where there is no node."""
    if node < 0:
        return []
    dofs = list(range(tree.dof_start[node], tree.dof_start[node + 1]))
    return dofs[::-1] if found.flipped[node] else dofs


def put_joint_spring(
    model: Model, link: Link, spec: RowSpec, dofs: list[int], tree: RedMaxTree, joint: JointSprings
) -> bool:  # fmt: skip
    """Note a spring along a joint's own coordinate, or about all axes of a ball; False if it is none.

    Writes:  joint
    """
    law, places, slot = spec.laws[0], list[int](), -1
    if isinstance(spec.part, OrientationPart):
        places = [dof for dof in dofs if tree.kind[dof] == BALL]
    elif isinstance(spec.part, CouplingPart) and len(spec.part.terms) == 1:
        coordinate = spec.part.terms[0][0]
        wanted = {Slide: SLIDE, Angle: TURN}.get(type(coordinate), -1)
        alike = [each for each in link.coordinates if type(each) is type(coordinate)]
        same = [dof for dof in dofs if tree.kind[dof] == wanted]
        if coordinate in alike and len(alike) == len(same):
            places, slot = [same[alike.index(coordinate)]], model.layout.slots[coordinate]
    joint.stiffness[places] += law.stiffness
    joint.damping[places] += law.damping
    joint.rest[places], joint.slot[places] = law.target, slot
    return bool(places) and law.kind == SOFT


def table_of(model: Model, members: list[tuple[RowSpec, int]], node: Integers) -> Springs:
    """Springs as arrays."""
    parts = [spec.part for spec, _ in members]
    laws = [spec.laws[0] for spec, _ in members]
    ends, places = [], places_of(model)
    for name in ("a", "b"):
        bodies = [getattr(part, f"body_{name}") for part in parts]
        points = [np.array(getattr(part, f"point_{name}")) for part in parts]
        for k, body in enumerate(bodies):
            if node[body] < 0:
                place, rotation = places[body]
                points[k] = place + rotation @ points[k]
        ends.append((node[np.array(bodies, np.int64)], np.array(points).reshape(-1, 3)))
    return Springs(
        ends[0][0], ends[1][0], ends[0][1], ends[1][1],
        np.array([law.stiffness for law in laws]), np.array([law.damping for law in laws]),
        np.array([law.target for law in laws]), np.zeros((len(parts), 3)),
        np.array([isinstance(part, PointPart) for part in parts], bool),
        np.array([row for _, row in members], np.int64),
    )  # fmt: skip
