"""From shapes to the geometry that collides: primitive parts, surfaces, and who never touches whom."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taut import spatial
from taut.collide.geometry import Geoms
from taut.collide.kinds import BOX, CAPSULE, CONVEX, CYLINDER, HEIGHTFIELD, MESH, PLANE, SPHERE
from taut.joints.base import Joint
from taut.scene.group_names import heads
from taut.scene.scene import Scene
from taut.scene.specs import BodySpec
from taut.shapes.base import Shape
from taut.spatial import Array, Integers

KIND_OF = {
    "Sphere": SPHERE,
    "Capsule": CAPSULE,
    "Cylinder": CYLINDER,
    "Box": BOX,
    "Convex": CONVEX,
    "Plane": PLANE,
    "Heightfield": HEIGHTFIELD,
    "Mesh": MESH,
}
"""Kind by the class of the primitive shape."""


@dataclass
class Part:
    """One geom while the scene is compiled; fields as in `Geoms`, `rotation` (3, 3)."""

    body: int
    kind: int
    size: ArrayLike
    position: Array
    rotation: Array
    radius: float
    surface: tuple[float, float, float, float, float, float]
    shape: Shape
    vertices: Array


def compile_geoms(scene: Scene, com: Array) -> Geoms:
    """Geoms of all bodies that collide; `com` (n, 3) m in each body's own frame."""
    parts = list(ground_parts(scene)) if scene.collisions else []
    for index in range(len(scene.bodies) if scene.collisions else 0):
        parts += parts_of_body(scene, index, com[index])
    geoms = tabulate_parts(parts)
    group, group_collides, excluded = exclusions(scene, geoms.body)
    return replace(geoms, group=group, group_collides=group_collides, excluded=excluded)


def parts_of_body(scene: Scene, index: int, com: Array) -> list[Part]:
    """The geoms of one body."""
    spec = scene.bodies[index]
    if spec.shape is None or not (spec.collides and scene.collisions):
        return []
    return [make_part(scene, index, com, *part) for part in spec.shape.parts]


def tabulate_parts(parts: Sequence[Part]) -> Geoms:
    """Geoms as arrays, without their groups."""
    surface = np.array([part.surface for part in parts], float).reshape(-1, 6)
    vertices = [part.vertices for part in parts]
    return Geoms(
        body=np.array([part.body for part in parts], np.int64),
        kind=np.array([part.kind for part in parts], np.int64),
        size=np.array([part.size for part in parts], float).reshape(-1, 3),
        position=np.array([part.position for part in parts], float).reshape(-1, 3),
        rotation=np.array([part.rotation.ravel() for part in parts], float).reshape(-1, 9),
        radius=np.array([part.radius for part in parts], float),
        friction=surface[:, 0].copy(),
        restitution=surface[:, 1].copy(),
        rolling=surface[:, 2].copy(),
        torsional=surface[:, 3].copy(),
        give=surface[:, 4].copy(),
        give_damping=surface[:, 5].copy(),
        shapes=tuple(part.shape for part in parts),
        vertex_start=np.cumsum([0, *(len(points) for points in vertices)]).astype(np.int64),
        vertices=np.vstack([np.zeros((0, 3)), *vertices]),
        group=np.zeros(len(parts), np.int64),
        group_collides=np.ones((1, 1), np.uint8),
        excluded=np.zeros(0, np.int64),
    )


def ground_parts(scene: Scene) -> Iterator[Part]:
    """Planes of the world."""
    for ground in scene.planes:
        normal = np.array(ground.plane.normal)
        friction = scene.friction if ground.friction is None else ground.friction
        yield Part(
            0, PLANE, np.zeros(3), ground.plane.offset * normal, frame_along(normal), np.inf,
            (friction, ground.restitution, 0.0, 0.0, 0.0, 0.0), ground.plane, np.zeros((0, 3)),
        )  # fmt: skip


def make_part(scene: Scene, body: int, com: Array, shape: Any, position: ArrayLike, orientation: ArrayLike) -> Part:
    """A primitive part of a body; hulls, meshes and heightfields are moved to the middle of their bounding box."""
    spec: BodySpec = scene.bodies[body]
    kind = KIND_OF[type(shape).__name__]
    rotation = spatial.matrix(orientation)
    middle, vertices = np.zeros(3), np.zeros((0, 3))
    size: ArrayLike
    if kind == SPHERE:
        size = (shape.radius, 0.0, 0.0)
    elif kind in (CAPSULE, CYLINDER):
        size = (shape.radius, shape.length / 2.0, 0.0)
    elif kind == BOX:
        size = (shape.x / 2.0, shape.y / 2.0, shape.z / 2.0)
    elif kind == CONVEX:
        points = np.asarray(shape.points, float)
        middle = (points.min(axis=0) + points.max(axis=0)) / 2.0
        vertices, size = points - middle, np.ptp(points, axis=0) / 2.0
    elif kind == MESH:
        points = shape.vertices[np.unique(shape.triangles)]
        middle, size = (points.min(axis=0) + points.max(axis=0)) / 2.0, np.ptp(points, axis=0) / 2.0
    else:
        low, high = float(np.min(shape.heights)), float(np.max(shape.heights))
        middle = np.array([0.0, 0.0, (low + high) / 2.0])
        size = (shape.size[0] / 2.0, shape.size[1] / 2.0, (high - low) / 2.0)
    origin = np.asarray(position, float) + rotation @ middle - com
    friction = scene.friction if spec.friction is None else spec.friction
    surface = (
        friction, spec.restitution, spec.rolling_friction, spec.torsional_friction, 1.0 / spec.contact_stiffness,
        spec.contact_damping,
    )  # fmt: skip
    radius = reach_of(kind, np.asarray(size), vertices)
    return Part(body, kind, size, origin, rotation, radius, surface, shape, vertices)


def reach_of(kind: int, size: Array, vertices: Array) -> float:
    """Radius of the sphere around a geom's origin that holds it, m."""
    if kind == CAPSULE:
        return float(size[0] + size[1])
    if kind == CONVEX:
        return float(np.sqrt((vertices**2).sum(axis=1).max()))
    return float(np.linalg.norm(size))


def frame_along(normal: Array) -> Array:
    """Rotation (3, 3) whose third column is this unit vector."""
    other = np.zeros(3)
    other[np.argmin(np.abs(normal))] = 1.0
    first = spatial.cross(other, normal)
    first /= np.linalg.norm(first)
    return np.column_stack([first, spatial.cross(normal, first), normal])


def exclusions(scene: Scene, body: Integers) -> tuple[Integers, NDArray[np.uint8], Integers]:
    """Group of every geom, whose bodies these are (geoms,); table of groups that collide; keys of pairs of bodies that
    do not: jointed or ignored."""
    count = len(scene.bodies)
    if not body.size:
        return np.zeros(0, np.int64), np.ones((1, 1), np.uint8), np.zeros(0, np.int64)
    names = [spec.group for spec in scene.bodies]
    groups = {name: index for index, name in enumerate(dict.fromkeys(names))}
    of_body = np.array([*map(groups.__getitem__, names)], np.int64)
    table = np.ones((len(groups), len(groups)), np.uint8)
    joints = {kind for kind in {type(link.kind) for link in scene.links} if issubclass(kind, Joint)}
    # the world is no neighbour: what is hinged to it may still touch the ground
    keys = {
        (link.a * count + link.b if link.a < link.b else link.b * count + link.a)
        for link in scene.links
        if not link.collide and link.a and link.b and type(link.kind) in joints
    }
    if scene.ignored:
        index_of = {spec.name: index for index, spec in enumerate(scene.bodies)}
        below = groups_below(groups)
        for first, second in scene.ignored:
            ours, theirs = below.get(first, []), below.get(second, [])
            for a, b in itertools.product(ours, theirs):
                table[a, b] = table[b, a] = 0
            if first in index_of or second in index_of:
                sides = [members(index_of, of_body, *side) for side in ((first, ours), (second, theirs))]
                pairs = itertools.product(*sides)
                keys |= {a * count + b if a < b else b * count + a for a, b in pairs if a != b}
    return of_body[body], table, np.array(sorted(keys), np.int64)


def groups_below(groups: dict[str, int]) -> dict[str, list[int]]:
    """Numbers of all groups that are part of a group, itself among them, by its name."""
    below: dict[str, list[int]] = {}
    for name, number in groups.items():
        for head in heads(name):
            below.setdefault(head, []).append(number)
    return below


def members(index_of: dict[str, int], of_body: Integers, name: str, groups: list[int]) -> list[int]:
    """The body of this name, if there is one, and the bodies in these groups."""
    own = [index_of[name]] if name in index_of else []
    if not groups:
        return own
    chosen = np.zeros(of_body.max() + 1, bool)
    chosen[groups] = True
    return own + np.flatnonzero(chosen[of_body]).tolist()
