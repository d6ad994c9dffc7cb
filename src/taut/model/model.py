"""The model: everything about a scene that does not change in time, as frozen arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from taut.collide.geometry import Geoms
from taut.joints.frame import JointFrame
from taut.rows.coordinate import Coordinate
from taut.rows.layout import RowLayout, RowSpec
from taut.rows.part import Part
from taut.scene.looks import Colour, Piece
from taut.scene.scene import LinkSpec
from taut.shapes import Plane, Shape
from taut.spatial import Array, Integers
from taut.structure.incidence import RowEntries


@dataclass(frozen=True, eq=False)
class Bodies:
    """Bodies in order, the world first; inertia about the centre of mass in body axes, row by row.

    Shapes and units: mass (n,) kg, inertia (n, 9) kg m^2, slim_axis (n, 3) unit vector of the least moment in body
    axes, com (n, 3) m in the body's own frame, moves (n,) 1 or 0, linear_damping (n,) N s/m, angular_damping (n,)
    N m s/rad. Visuals, colours and groups are as in `taut.scene.specs.BodySpec`.
    """

    names: tuple[str, ...]
    shapes: tuple[Shape | None, ...]
    visuals: tuple[tuple[Piece, ...] | None, ...]
    colours: tuple[Colour | None, ...]
    groups: tuple[str, ...]
    mass: Array
    inertia: Array
    slim_axis: Array
    com: Array
    moves: NDArray[np.uint8]
    linear_damping: Array
    angular_damping: Array

    @property
    def count(self) -> int:
        """Number of bodies, the world included."""
        return len(self.names)


@dataclass(frozen=True, eq=False)
class Loads:
    """Constant loads: body (k,), force (k, 3) N, point (k, 3) m from the centre of mass, torque (k, 3) N m."""

    body: Integers
    force: Array
    point: Array
    torque: Array
    follows: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Link:
    """A joint or spring as compiled: what its rows are, and the coordinates that it reports."""

    spec: LinkSpec
    frame: JointFrame
    coordinates: tuple[Coordinate, ...]
    rows: tuple[RowSpec, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        """What its rows measure."""
        return tuple(row.part for row in self.rows)


@dataclass(frozen=True, eq=False)
class Model:
    """A compiled scene."""

    name: str
    gravity: Array
    bodies: Bodies
    loads: Loads
    links: tuple[Link, ...]
    planes: tuple[Plane, ...]
    geoms: Geoms
    contact_compliance: float
    """Of one contact point, m/N."""
    contact_margin: float | None
    """Gap in m below which bodies at rest count as near; None = by their size."""
    layout: RowLayout
    entries: RowEntries
    slim: NDArray[np.uint8]
    """(n,) 1 for slim bodies that rows hold: see `taut.responses.free_bodies_kernels.balance`."""
    slim_shape: NDArray[np.uint8]
    """(n,) 1 for all slim bodies: contacts hold them too, for a while."""
    contact_damping: float | None = None
    """Of one contact point, N s/m; None = by the masses that meet there."""

    @cached_property
    def link_numbers(self) -> dict[str, int]:
        """Number of every joint and spring by name."""
        return {link.spec.name: number for number, link in enumerate(self.links)}

    def first_rows(self, link: Link) -> Integers:
        """First row of every part of a joint or spring."""
        return self.layout.first_rows(self.link_numbers[link.spec.name])
