"""One drawing of all that ever was, while bodies and joints come and go: numbers in it stay what they are.

    union = DrawingUnion()
    here = union.add(draw_model(simulation.model))       # again after every change
    union.drawing, here.bodies, here.links

A body or joint that comes back as it was has its number again. One that comes back under its name but looks otherwise
is another one, so names in the union may be there twice.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from taut.results.drawing import Drawing, DrawnPiece, piece_columns
from taut.results.rope_paths import BODY, LINK, numbered_stops
from taut.shapes.surface import Surface
from taut.spatial import Array, Integers


@dataclass(frozen=True, eq=False)
class Placement:
    """Where a drawing is in a union.

    Attributes:
        bodies, links: (n,), (m,) numbers in the union of its bodies, the world first, and of its joints.
        bonds: (b, 2) its pairs of bodies that joints connect, by their numbers in the union.
    """

    bodies: Integers
    links: Integers
    bonds: Integers


class DrawingUnion:
    """Drawings laid over each other."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._surfaces: list[Surface] = []
        self._pieces: list[DrawnPiece] = []
        self._body_names: list[str] = []
        self._groups: list[str] = []
        self._moves: list[bool] = []
        self._masses: list[float] = []
        self._planes: Array = np.zeros((0, 4))
        self._links: list[tuple[str, str, bool, bool]] = []
        self._paths: list[list[tuple[int, Array]]] = []
        self._stops: list[Array] = []
        self._known: dict[Hashable, int] = {}
        self._bonds: dict[tuple[int, int], None] = {}
        self._drawing: Drawing | None = None

    def add(self, drawing: Drawing) -> Placement:
        """Lay a drawing over the others."""
        size = len(self._known)
        surfaces = [self._surface(surface) for surface in drawing.surfaces]
        bodies = self._add_bodies(drawing, surfaces)
        links = self._add_links(drawing, bodies)
        bonds = bodies[drawing.bonds]
        self._bonds |= dict.fromkeys((int(a), int(b)) for a, b in bonds)
        masses = [float(mass) for mass in drawing.masses]
        for body, mass in zip(bodies.tolist(), masses, strict=True):
            if self._masses[body] != mass:
                self._masses[body], self._drawing = mass, None
        if len(self._known) != size or not np.array_equal(self._planes, drawing.planes):
            self._planes, self._drawing = drawing.planes, None
        return Placement(bodies, links, bonds)

    @property
    def drawing(self) -> Drawing:
        """All of them as one; the same object as long as nothing new comes. Masses are the last that were known."""
        if self._drawing is None:
            self._drawing = self._drawn()
        return self._drawing

    def _surface(self, surface: Surface) -> int:
        key = ("surface", surface.points.tobytes(), surface.triangles.tobytes())
        number = self._known.setdefault(key, len(self._surfaces))
        if number == len(self._surfaces):
            self._surfaces.append(surface)
        return number

    def _add_bodies(self, drawing: Drawing, surfaces: list[int]) -> Integers:
        own: list[list[tuple[int, Array, Array, tuple[int, ...]]]] = [[] for _ in drawing.body_names]
        places, turns, colours = drawing.piece_position, drawing.piece_orientation, drawing.piece_colours.tolist()
        owners = zip(drawing.piece_body.tolist(), drawing.piece_surface.tolist(), places, turns, colours, strict=True)
        for body, surface, place, turn, colour in owners:
            own[body].append((surfaces[surface], place, turn, tuple(colour)))
        numbers = []
        bodies = zip(drawing.body_names, drawing.body_groups, drawing.moves.tolist(), own, strict=True)
        for name, group, moves, pieces in bodies:
            looks = tuple((surface, place.tobytes(), turn.tobytes(), colour) for surface, place, turn, colour in pieces)
            number = self._known.setdefault(("body", name, group, moves, looks), len(self._body_names))
            if number == len(self._body_names):
                self._body_names.append(name)
                self._groups.append(group)
                self._moves.append(moves)
                self._masses.append(float("nan"))
                self._pieces += [(surface, number, place, turn, colour) for surface, place, turn, colour in pieces]
            numbers.append(number)
        return np.array(numbers, np.int64)

    def _add_links(self, drawing: Drawing, bodies: Integers) -> Integers:
        numbers = []
        ends, points = bodies[drawing.path_body].tolist(), drawing.path_point
        flags = drawing.pulls.tolist(), drawing.couples.tolist()
        kinds = zip(drawing.link_names, drawing.link_kinds, *flags, strict=True)
        for place, link in enumerate(kinds):
            path = [(ends[at], points[at]) for at in range(drawing.path_start[place], drawing.path_start[place + 1])]
            stops = drawing.ropes[drawing.ropes[:, LINK] == place]
            stops[:, BODY], stops[:, LINK] = bodies[stops[:, BODY].astype(np.int64)], 0.0
            key = ("link", link, tuple((body, point.tobytes()) for body, point in path), stops.tobytes())
            number = self._known.setdefault(key, len(self._links))
            if number == len(self._links):
                self._links.append(link)
                self._paths.append(path)
                self._stops.append(stops)
            numbers.append(number)
        return np.array(numbers, np.int64)

    def _drawn(self) -> Drawing:
        names, kinds, pulls, couples = ([link[part] for link in self._links] for part in range(4))
        path: list[tuple[int, Array]] = [point for points in self._paths for point in points]
        return Drawing(
            body_names=tuple(self._body_names),
            moves=np.array(self._moves, bool),
            masses=np.array(self._masses),
            body_groups=tuple(self._groups),
            surfaces=tuple(self._surfaces),
            **piece_columns(self._pieces),
            planes=self._planes,
            link_names=tuple(str(name) for name in names),
            link_kinds=tuple(str(kind) for kind in kinds),
            pulls=np.array(pulls, bool),
            couples=np.array(couples, bool),
            bonds=np.array(list(self._bonds), np.int64).reshape(-1, 2),
            path_start=np.cumsum([0, *(len(points) for points in self._paths)]).astype(np.int64),
            path_body=np.array([body for body, _ in path], np.int64),
            path_point=np.array([point for _, point in path], float).reshape(-1, 3),
            ropes=numbered_stops(self._stops),
        )
