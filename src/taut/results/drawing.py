"""What a model looks like: surfaces on bodies, lines along joints, ground. Everything but the motion.

A viewer, a picture and a recording all draw from this one description, so a recording can be looked at without the
program that made it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taut.results.rope_paths import BODY, COLUMNS, POINT, size_of, stops_of, trace_ropes
from taut.shapes.surface import Surface, cuboid
from taut.spatial import Array, multiply_each, rotate_each

if TYPE_CHECKING:
    from taut.model.model import Bodies, Link, Model
    from taut.shapes.base import Shape

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Drawing:
    """What there is to draw. Bodies are numbered with the world first; poses are in a body's own frame, m.

    Attributes:
        body_names: (n,) names, "world" first.
        moves: (n,) whether a body moves.
        masses: (n,) kg.
        surfaces: (s,) the different surfaces; bodies of the same shape share one.
        piece_surface, piece_body: (k,) surface and body of each piece.
        piece_position, piece_orientation: (k, 3), (k, 4) where a piece is on its body.
        planes: (p, 4) unit normal and offset (m) of the ground.
        link_names, link_kinds: (m,) names of joints and springs, and the names of their kinds.
        pulls: (m,) whether a joint or spring acts along a line: a rod, rope or spring.
        couples: (m,) whether a joint couples motions, as gears do, and has no place: its path is from centre to centre.
        bonds: (b, 2) pairs of moving bodies that joints connect; a joint of three has two.
        path_start: (m + 1,) ranges of the points below, two or more a joint: from its body A to its body B.
        path_body, path_point: (q,), (q, 3) points that a joint goes through, on their bodies.
        ropes: (k, ...) stops of ropes over many bodies, whose points move on their bodies, see `rope_paths.py`.
    """

    body_names: tuple[str, ...]
    moves: Flags
    masses: Array
    surfaces: tuple[Surface, ...]
    piece_surface: Integers
    piece_body: Integers
    piece_position: Array
    piece_orientation: Array
    planes: Array
    link_names: tuple[str, ...]
    link_kinds: tuple[str, ...]
    pulls: Flags
    couples: Flags
    bonds: Integers
    path_start: Integers
    path_body: Integers
    path_point: Array
    ropes: Array

    @cached_property
    def unit(self) -> float:
        """Size of a typical moving piece, between its length and its thickness, m: what marks are measured by."""
        thickness, length = self.typical_size
        return 0.5 * float(np.sqrt(thickness * length))

    @cached_property
    def typical_size(self) -> tuple[float, float]:
        """Thickness and length of a typical moving piece, m."""
        extents = np.array([np.ptp(surface.points, axis=0) for surface in self.surfaces]).reshape(-1, 3)
        moving = extents[self.piece_surface[self.moves[self.piece_body]]]
        if not len(moving):
            return 2.0, 2.0
        return float(np.median(moving.min(axis=1))), float(np.median(moving.max(axis=1)))

    @cached_property
    def reach(self) -> Array:
        """How far each body (n,) reaches from its origin at most, m."""
        sizes = np.array([np.linalg.norm(surface.points, axis=1).max(initial=0.0) for surface in self.surfaces])
        reach = np.zeros(len(self.body_names))
        if len(sizes):
            own = np.linalg.norm(self.piece_position, axis=1) + sizes[self.piece_surface]
            np.maximum.at(reach, self.piece_body, own)
        return reach

    @cached_property
    def copies(self) -> tuple[Integers, ...]:
        """Pieces (c,) that have each surface, one array a surface."""
        return tuple(np.flatnonzero(self.piece_surface == number) for number in range(len(self.surfaces)))

    @cached_property
    def link_of_point(self) -> Integers:
        """The joint (q,) that each point of a path belongs to."""
        return np.repeat(np.arange(len(self.link_names)), np.diff(self.path_start))

    @cached_property
    def arms(self) -> Integers:
        """Points of paths (a,) that are outside the body they move with: something must reach out to them."""
        far = np.linalg.norm(self.path_point, axis=1) > 1.02 * self.reach[self.path_body]
        return np.flatnonzero(far & self.moves[self.path_body] & ~self.couples[self.link_of_point])

    def piece_poses(self, positions: Array, orientations: Array) -> tuple[Array, Array]:
        """Positions (k, 3) and orientations (k, 4) of all pieces, world axes, with bodies at these poses (n, ...)."""
        turn = orientations[self.piece_body]
        place = positions[self.piece_body] + rotate_each(turn, self.piece_position)
        return place, multiply_each(turn, self.piece_orientation)

    def path_points(self, positions: Array, orientations: Array) -> Array:
        """World points (q, 3) that joints go through, with bodies at these poses (n, ...)."""
        points = positions[self.path_body] + rotate_each(orientations[self.path_body], self.path_point)
        if len(self.ropes):
            trace_ropes(self.ropes, self.path_start, positions, orientations, points)
        return points

    def arrays(self) -> dict[str, Any]:
        """All of it as plain arrays by name, to be written to a file."""
        named = {part.name: getattr(self, part.name) for part in fields(self) if part.name != "surfaces"}
        texts = {name: np.array([text.encode() for text in named[name]], "S") for name in TEXTS}
        points = [surface.points for surface in self.surfaces]
        triangles = [surface.triangles for surface in self.surfaces]
        return named | texts | {
            "surface_points": np.vstack([np.zeros((0, 3)), *points]).astype(np.float32),
            "surface_triangles": np.vstack([np.zeros((0, 3), np.int32), *triangles]).astype(np.int32),
            "surface_sizes": np.array([(len(p), len(t)) for p, t in zip(points, triangles, strict=True)], np.int64),
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, values: Mapping[str, Any]) -> Drawing:
        """The drawing that `arrays` came from."""
        sizes = np.asarray(values["surface_sizes"]).reshape(-1, 2)
        ends = np.cumsum(sizes, axis=0)
        points, triangles = np.asarray(values["surface_points"], float), np.asarray(values["surface_triangles"])
        surfaces = tuple(
            Surface(points[p - pn : p], triangles[t - tn : t].astype(np.int64))
            for (p, t), (pn, tn) in zip(ends.tolist(), sizes.tolist(), strict=True)
        )
        plain = {part.name: values[part.name] for part in fields(cls) if part.name not in ("surfaces", "ropes")}
        plain["ropes"] = values["ropes"] if "ropes" in values else np.zeros((0, COLUMNS))  # older files have none
        for name in TEXTS:
            plain[name] = tuple(text.decode() for text in values[name].tolist())
        return cls(surfaces=surfaces, **plain)


TEXTS = ("body_names", "link_names", "link_kinds")
"""Fields of a `Drawing` that are names."""


def draw_model(model: Model) -> Drawing:
    """What a compiled scene looks like. A body without a shape is drawn as the box that has its inertia."""
    from taut.results.joint_readings import acts_along_a_line

    bodies = model.bodies
    surfaces: list[Surface] = []
    known: dict[Shape, int] = {}
    pieces: list[tuple[int, int, Array, Array]] = []
    for body, shape in enumerate(bodies.shapes):
        if shape is None and bodies.moves[body]:
            surface, position, orientation = inertia_box(bodies, body)
            pieces.append((len(surfaces), body, position, orientation))
            surfaces.append(surface)
        for part, position, orientation in () if shape is None else shape.parts:
            if part not in known:
                known[part] = len(surfaces)
                surfaces.append(part.surface)
            pieces.append((known[part], body, position, orientation))
    paths = [path_of(model, link) for link in model.links]
    ends = np.array([end for path in paths for end, _ in path], np.int64)
    points = np.array([point for path in paths for _, point in path], float).reshape(-1, 3)
    return Drawing(
        body_names=bodies.names,
        moves=bodies.moves > 0,
        masses=bodies.mass,
        surfaces=tuple(surfaces),
        piece_surface=np.array([piece[0] for piece in pieces], np.int64),
        piece_body=np.array([piece[1] for piece in pieces], np.int64),
        piece_position=np.array([piece[2] for piece in pieces], float).reshape(-1, 3),
        piece_orientation=np.array([piece[3] for piece in pieces], float).reshape(-1, 4),
        planes=np.array([(*plane.normal, plane.offset) for plane in model.planes], float).reshape(-1, 4),
        link_names=tuple(link.spec.name for link in model.links),
        link_kinds=tuple(type(link.spec.kind).__name__ for link in model.links),
        pulls=np.array([acts_along_a_line(link) for link in model.links], bool),
        couples=np.array([couples_motions(link) for link in model.links], bool),
        bonds=np.array([bond for link in model.links for bond in bonds_of(model, link)], np.int64).reshape(-1, 2),
        path_start=np.cumsum([0, *(len(path) for path in paths)]).astype(np.int64),
        path_body=ends,
        path_point=points,
        ropes=np.concatenate(
            [np.zeros((0, COLUMNS)), *(stops_of(model, k, link) for k, link in enumerate(model.links))]
        ),
    )


def couples_motions(link: Link) -> bool:
    """Whether a joint has a row that combines several coordinates."""
    return any(len(getattr(part, "terms", ())) > 1 for part in link.parts)


def bonds_of(model: Model, link: Link) -> list[tuple[int, int]]:
    """Pairs of moving bodies that a joint connects: the first with each of the others."""
    held = dict.fromkeys(body for part in link.parts for body in part.bodies)
    moving = [body for body in held if model.bodies.moves[body]]
    return [(moving[0], other) for other in moving[1:]]


def path_of(model: Model, link: Link) -> list[tuple[int, Array]]:
    """Points (body, place in its own frame) that a joint goes through: its point on body A and that on body B."""
    frame, spec = link.frame, link.spec
    stops = stops_of(model, 0, link)
    if len(stops):
        return [(int(stop[BODY]), stop[POINT]) for stop in stops for _ in range(size_of(stop))]
    if couples_motions(link):
        return [(body, model.bodies.com[body]) for body in (spec.a, spec.b)]
    ends = next((part for part in link.parts if hasattr(part, "point_a") and hasattr(part, "point_b")), None)
    point_a = ends.point_a if ends is not None else frame.point_a(spec.at)
    point_b = ends.point_b if ends is not None else frame.point_b(spec.at)
    return [(spec.a, point_a + model.bodies.com[spec.a]), (spec.b, point_b + model.bodies.com[spec.b])]


def inertia_box(bodies: Bodies, body: int) -> tuple[Surface, Array, Array]:
    """Surface of the homogeneous box with a body's mass and inertia, and its pose on the body.

    Edges from the principal moments: x^2 = 6 (Iy + Iz - Ix) / m, and so on round.
    """
    from taut.rows.orientation import quaternion_of

    moments, axes = np.linalg.eigh(bodies.inertia[body].reshape(3, 3))
    squares = 6.0 * (moments.sum() - 2.0 * moments) / bodies.mass[body]
    x, y, z = np.sqrt(np.maximum(squares, 1e-4 * squares.max())).tolist()
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    return cuboid((x, y, z)), bodies.com[body], quaternion_of(axes)
