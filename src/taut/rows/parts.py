"""The parts of a model by kind: one table each, which one kernel evaluates together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from taut.rows.coordinate import Angle, Angles, Slide, Slides, Spin, Spins
from taut.rows.coupling import CouplingPart, Couplings
from taut.rows.direction import DirectionPart, Directions
from taut.rows.distance import DistancePart, Distances
from taut.rows.orientation import OrientationPart, Orientations
from taut.rows.part import Part, pack
from taut.rows.point import PointPart, Points
from taut.rows.route import RoutePart
from taut.rows.route_table import Routes
from taut.rows.slip import SlipPart, Slips

if TYPE_CHECKING:
    from taut.rows.layout import RowLayout


class Parts(NamedTuple):
    """All parts of a model; kinds it does not have are empty. Coordinates are before the rows that combine them."""

    points: Points
    directions: Directions
    orientations: Orientations
    distances: Distances
    slips: Slips
    slides: Slides
    angles: Angles
    spins: Spins
    couplings: Couplings
    routes: Routes


KINDS: dict[str, type[Part]] = {
    "points": PointPart, "directions": DirectionPart, "orientations": OrientationPart, "distances": DistancePart,
    "slips": SlipPart, "couplings": CouplingPart, "routes": RoutePart,
}  # fmt: skip
"""Classes of parts by the table that they are in."""


def pack_parts(members: Sequence[tuple[Part, int]], layout: RowLayout) -> Parts:
    """The tables of parts, each given with its first row; coordinates are those that the layout has slots for."""

    def of(kind: type[Part]) -> list[tuple[Any, int]]:
        return [member for member in members if type(member[0]) is kind]

    def slots(kind: type[Part]) -> list[tuple[Any, int]]:
        return [(coordinate, slot) for slot, coordinate in enumerate(layout.coordinates) if type(coordinate) is kind]

    return Parts(
        points=pack(Points, of(PointPart), layout),
        directions=pack(Directions, of(DirectionPart), layout),
        orientations=pack(Orientations, of(OrientationPart), layout),
        distances=pack(Distances, of(DistancePart), layout),
        slips=pack(Slips, of(SlipPart), layout),
        slides=pack(Slides, slots(Slide)),
        angles=pack(Angles, slots(Angle)),
        spins=pack(Spins, slots(Spin)),
        couplings=Couplings.of(of(CouplingPart), layout),
        routes=Routes.of(of(RoutePart), layout),
    )


def kinds_of(parts: Parts) -> list[type[Part]]:
    """The classes of the parts that a model has."""
    return [kind for name, kind in KINDS.items() if getattr(parts, name).row.size]
