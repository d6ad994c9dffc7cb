"""What a model looks like: surfaces on bodies, lines along joints, ground. Everything but the motion.

A viewer, a picture and a recording all draw from this one description, so a recording can be looked at without the
program that made it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.results.rope_paths import BODY, COLUMNS, POINT, numbered_stops, size_of, stops_of, trace_ropes
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
        body_groups: (n,) names of the groups that bodies are in.
        surfaces: (s,) the different surfaces; bodies of the same shape share one.
        piece_surface, piece_body: (k,) surface and body of each piece.
        piece_position, piece_orientation: (k, 3), (k, 4) where a piece is on its body.
        piece_colours: (k, 3) red, green and blue of pieces that were given a colour, 0 to 255; -1 for others.
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
    body_groups: tuple[str, ...]
    surfaces: tuple[Surface, ...]
    piece_surface: Integers
    piece_body: Integers
    piece_position: Array
    piece_orientation: Array
    piece_colours: NDArray[np.int16]
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
    def touchable(self) -> Flags:
        """Whether a joint (m,) holds anything that can be cut: all but the levers of machine parts."""
        return np.array([kind != "Lever" for kind in self.link_kinds], bool)

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

    def sharing(self, before: Drawing) -> Drawing:
        """This drawing with the memory of another one where they are alike; the other one where all of it is."""
        values = {part.name: (getattr(self, part.name), getattr(before, part.name)) for part in fields(self)}
        same = {name: other for name, (own, other) in values.items() if alike(own, other)}
        return before if len(same) == len(values) else replace(self, **same)

    def arrays(self) -> dict[str, Any]:
        """All of it as plain arrays by name, to be written to a file."""
        named = {part.name: getattr(self, part.name) for part in fields(self) if part.name != "surfaces"}
        if not len(self.ropes):
            del named["ropes"]
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
        return cls.of(values, surfaces)

    @classmethod
    def of(cls, values: Mapping[str, Any], surfaces: tuple[Surface, ...]) -> Drawing:
        """The drawing with these surfaces, and the rest as plain arrays by name."""
        pieces, bodies = len(values["piece_body"]), len(values["body_names"])
        others: dict[str, Any] = {
            "ropes": np.zeros((0, COLUMNS)),  # few have any
            "piece_colours": np.full((pieces, 3), -1, np.int16),  # recordings of before have none
            "body_groups": np.array([b"default"] * bodies),
        }
        plain = {
            part.name: values[part.name] if part.name in values else others[part.name]
            for part in fields(cls)
            if part.name != "surfaces"
        }
        for name in TEXTS:
            plain[name] = tuple(text.decode() for text in plain[name].tolist())
        return cls(surfaces=surfaces, **plain)


UNPAINTED = (-1, -1, -1)
"""In the place of the colour of a piece that was given none."""


DARKER, GROUND = 0.91, (172, 176, 182)
"""Brightness of dark tiles over that of light ones, and the colour of what never moves."""


def alike(a: Any, b: Any) -> bool:
    """Whether two fields of drawings say the same."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, Surface):
        return alike(a.points, b.points) and alike(a.triangles, b.triangles)
    if isinstance(a, tuple) and a and isinstance(a[0], Surface):
        return len(a) == len(b) and all(one is other or alike(one, other) for one, other in zip(a, b, strict=True))
    return bool(a == b)


TEXTS = ("body_names", "body_groups", "link_names", "link_kinds")
"""Fields of a `Drawing` that are names."""


def draw_model(model: Model, sketches: Sketches | None = None) -> Drawing:
    """What a compiled scene looks like. A body without a shape is drawn as the box that has its inertia.

    Hands are left out: they come and go with every move of a mouse. Joints that `sketches` has are not sketched
    again, which is most of the work; it has those of this model then.
    """
    bodies = model.bodies
    surfaces, pieces = draw_bodies(bodies)
    before = {} if sketches is None else sketches.copy()
    drawn = [model.links[number] for number in drawn_links(model).tolist()]
    links = [before.get(link) or sketched(model, link) for link in drawn]
    if sketches is not None:
        sketches.clear()
        sketches.update(zip(drawn, links, strict=True))
    path = [end for link in links for end in link.path]
    return Drawing(
        body_names=bodies.names,
        moves=bodies.moves > 0,
        masses=bodies.mass,
        body_groups=bodies.groups,
        surfaces=tuple(surfaces),
        **piece_columns(pieces),
        planes=np.array([(*plane.normal, plane.offset) for plane in model.planes], float).reshape(-1, 4),
        link_names=tuple([link.name for link in links]),
        link_kinds=tuple([link.kind for link in links]),
        pulls=np.array([link.pulls for link in links], bool),
        couples=np.array([link.couples for link in links], bool),
        bonds=np.array([bond for link in links for bond in link.bonds], np.int64).reshape(-1, 2),
        path_start=np.cumsum([0, *(len(link.path) for link in links)]).astype(np.int64),
        path_body=np.array([body for body, _ in path], np.int64),
        path_point=np.array([point for _, point in path], float).reshape(-1, 3)
        + bodies.com[[body for body, _ in path]],
        ropes=numbered_stops([link.stops for link in links]),
    )


DrawnPiece = tuple[int, int, Array, Array, tuple[int, ...]]
"""Surface, body, position, orientation and colour of a piece, see `Drawing`."""


def draw_bodies(bodies: Bodies) -> tuple[list[Surface], list[DrawnPiece]]:
    """The different surfaces of bodies, and their pieces."""
    surfaces: list[Surface] = []
    known: dict[Shape, range] = {}
    pieces: list[DrawnPiece] = []

    def add(body: int, part: Shape, position: Array, orientation: Array, colour: tuple[int, ...]) -> None:
        if part not in known:
            first = len(surfaces)
            surfaces.extend(part.surfaces)
            known[part] = range(first, len(surfaces))
        for number in known[part]:
            pieces.append((number, body, position, orientation, colour))
            colour = darker(colour)

    looks = zip(bodies.shapes, bodies.visuals, bodies.colours, strict=True)
    for body, (shape, visual, colour) in enumerate(looks):
        plain = in_bytes(colour)
        if visual is not None:
            for part, position, orientation, own in visual:
                add(body, part, position, orientation, in_bytes(own) if own else plain)
        elif shape is not None:
            for part, position, orientation in shape.parts:
                add(body, part, position, orientation, plain)
        elif bodies.moves[body]:
            surface, position, orientation = inertia_box(bodies, body)
            pieces.append((len(surfaces), body, position, orientation, plain))
            surfaces.append(surface)
    return surfaces, pieces


def in_bytes(colour: tuple[float, ...] | None) -> tuple[int, ...]:
    """A colour as bytes; -1 for none."""
    return UNPAINTED if colour is None else tuple(round(255.0 * share) for share in colour)


def darker(colour: tuple[int, ...]) -> tuple[int, ...]:
    """The same in a darker tone; of none, that of ground."""
    return tuple(round(DARKER * share) for share in (GROUND if colour == UNPAINTED else colour))


def piece_columns(pieces: Sequence[DrawnPiece]) -> dict[str, Any]:
    """Fields of a `Drawing`."""
    return {
        "piece_surface": np.array([piece[0] for piece in pieces], np.int64),
        "piece_body": np.array([piece[1] for piece in pieces], np.int64),
        "piece_position": np.array([piece[2] for piece in pieces], float).reshape(-1, 3),
        "piece_orientation": np.array([piece[3] for piece in pieces], float).reshape(-1, 4),
        "piece_colours": np.fromiter([share for piece in pieces for share in piece[4]], np.int16).reshape(-1, 3),
    }


def drawn_links(model: Model) -> Integers:
    """Numbers (m,) of the joints and springs that are drawn and recorded: all but hands."""
    return np.array([number for number, link in enumerate(model.links) if not link.spec.hand], np.int64)


class Sketch(NamedTuple):
    """What a joint looks like, see `Drawing`; `path` has bodies, and points from their centres of mass."""

    name: str
    kind: str
    pulls: bool
    couples: bool
    bonds: list[tuple[int, int]]
    path: list[tuple[int, Any]]
    stops: Array


Sketches = dict["Link", Sketch]
"""Sketches of joints."""


def sketched(model: Model, link: Link) -> Sketch:
    """What a joint or spring looks like.

    Its bonds are between the first moving body and each of the others. Its path goes from its point on body A to that
    on body B; one that couples motions has no place, and goes from centre to centre.
    """
    from taut.results.joint_readings import acts_along_a_line

    frame, spec, parts = link.frame, link.spec, link.parts
    held = dict.fromkeys([body for part in parts for body in part.bodies])
    moving = [body for body in held if model.bodies.moves[body]]
    couples = any([len(getattr(part, "terms", ())) > 1 for part in parts])
    ends = next((part for part in parts if hasattr(part, "point_a") and hasattr(part, "point_b")), None)
    if couples:
        point_a = point_b = (0.0, 0.0, 0.0)
    elif ends is not None:
        point_a, point_b = ends.point_a, ends.point_b
    else:
        point_a, point_b = frame.point_a(spec.at), frame.point_b(spec.at)
    stops = stops_of(model, 0, link)
    path = [(spec.a, point_a), (spec.b, point_b)]
    if len(stops):
        ways = [(int(stop[BODY]), stop[POINT] - model.bodies.com[int(stop[BODY])]) for stop in stops]
        path = [way for way, stop in zip(ways, stops, strict=True) for _ in range(size_of(stop))]
    return Sketch(
        name=spec.name,
        kind=type(spec.kind).__name__,
        pulls=acts_along_a_line(link),
        couples=couples,
        bonds=[(moving[0], other) for other in moving[1:]],
        path=path,
        stops=stops,
    )


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
