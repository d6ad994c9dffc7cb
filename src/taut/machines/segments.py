"""Segments in a row: what cables and chains have in common."""

from __future__ import annotations

import math
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.frame import triple
from taut.machines.base import BuiltPart, PartEnd, PartView, checked_end, end_of, reading
from taut.machines.laying import Segments
from taut.scene.scene import Scene
from taut.shapes import Shape
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.edit import Edit

MOST_SEGMENTS = 100_000
"""A cable of more would be a mistake of units."""

ROUNDING = 1e-9
"""Share of its length that the end of a line may be off by rounding."""

Z = (0.0, 0.0, 1.0)


class SegmentsView(PartView):
    """Segments of a running simulation, from the start on; z of a segment's own frame leads to the next one.

    Where it was cut, it reads as the piece at its start, of which `segments` are the names; `bodies`, `joints`, `mass`
    and `momentum` are of all that is left.
    """

    @property
    def line(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of all segments as built, and of the joints before, between and after them."""
        return self.handle.bodies, self.handle.joints

    @property
    def segments(self) -> tuple[str, ...]:
        """Names of the segments from the first one that is left to where it was cut, or lost one."""
        bodies, joints = self.line
        there = set(self.simulation.model.bodies.names)
        first = next((number for number, body in enumerate(bodies) if body in there), len(bodies))
        piece = bodies[first : first + 1 + self.unbroken(joints[first + 1 : -1])]
        return tuple(takewhile(there.__contains__, piece))

    def unbroken(self, joints: tuple[str, ...]) -> int:
        """How many of these joints follow each other until one is gone."""
        there = self.simulation.model.link_numbers
        return next((number for number, joint in enumerate(joints) if joint not in there), len(joints))

    @property
    def segment(self) -> float:
        """Unstretched length of a segment as built, m."""
        return self.handle.sizes["segment"]

    @property
    def ahead(self) -> float:
        """Length before the first segment, m."""
        return 0.0

    @property
    def lengths(self) -> Array:
        """Unstretched lengths (segments,), m."""
        return lengths_of(self.handle, self.segments)

    @reading("N")
    def tensions(self) -> Array:
        """Tension (segments,) in the middle of each segment: 0 where it is slack."""
        return np.maximum(0.5 * self.pulls().sum(axis=1), 0.0)

    @reading("N")
    def end_tensions(self) -> Array:
        """Tension (2,) at the start and at the end."""
        pulls = self.pulls()
        return np.maximum([pulls[0, 0], pulls[-1, 1]], 0.0)

    @reading("m")
    def length(self) -> float:
        """Unstretched length."""
        return float(self.lengths.sum())

    @reading("m")
    def sag(self) -> float:
        """Greatest distance from the straight line between its ends."""
        begin, end = self.ends()
        nodes = np.vstack([begin, end[-1:]])
        span = nodes[-1] - nodes[0]
        distance = float(np.linalg.norm(span))
        along = span / distance if distance > 0.0 else np.zeros(3)
        arms = nodes - nodes[0]
        return float(np.linalg.norm(arms - np.outer(arms @ along, along), axis=1).max())

    def ends(self) -> Segments:
        """World points (segments, 3) where the segments begin and end, m."""
        half = np.outer(0.5 * self.lengths, Z)
        return self.points(self.segments, -half), self.points(self.segments, half)

    def pulls(self) -> Array:
        """Pull (segments, 2) along each segment at its beginning and at its end, N; negative where it is pushed."""
        begin, end = self.ends()
        along = (end - begin) / self.lengths[:, None]
        forces = self.reactions([name for pair in self.around() for name in pair]).reshape(-1, 2, 3)
        pulls: Array = -np.einsum("sei,si->se", forces, along)
        return pulls

    def around(self) -> list[tuple[str, str]]:
        """Names of the joints at the beginning and at the end of each segment that is there; they may be gone."""
        bodies, joints = self.line
        both = dict(zip(bodies, zip(joints[:-1], joints[1:], strict=True), strict=True))
        return [both[body] for body in self.segments]

    def middle(self) -> float:
        """Where the middle joint of the longest piece is that has any left, m from the start; NaN where none has."""
        there, joints = self.simulation.model.link_numbers, self.line[1]
        runs = groupby(range(len(joints)), lambda number: joints[number] in there)
        longest = max((list(run) for here, run in runs if here), key=len, default=[])
        places = self.ahead + joints_along(self.handle, joints)
        return float(places[longest[(len(longest) - 1) // 2]]) if longest else math.nan

    def cut(self, at: float) -> None:
        """Cut at the joint nearest to `at`, m of unstretched length from the start; as `edit.cut` does."""
        with self.simulation.edit() as edit:
            edit.cut(self.name, at)


def lengths_of(handle: BuiltPart, bodies: tuple[str, ...]) -> Array:
    """Unstretched lengths (k,) of segments of a part, m: that of all, or its own where one was split or joined."""
    sizes = handle.sizes
    return np.array([sizes.get(body, sizes["segment"]) for body in bodies])


def joints_along(handle: BuiltPart, joints: tuple[str, ...]) -> Array:
    """Where the joints (k,) of a line are along it, m of unstretched length from its first segment."""
    return np.append(0.0, np.cumsum(lengths_of(handle, handle.bodies[-(len(joints) - 1) :])))


def cut_line(edit: Edit, handle: BuiltPart, joints: tuple[str, ...], at: float | None, ahead: float = 0.0) -> None:
    """Remove the joint of a line that is nearest to `at`, m of unstretched length from its start.

    So much of it, `ahead`, is before its first segment, m.
    """
    if at is None:
        raise InputError(f"edit: cut {handle.name!r}: at is not given; say where, in m from its start")
    places = ahead + joints_along(handle, joints)
    there = {link.name for link in edit.scene.links}
    if not any(joint in there for joint in joints):
        raise InputError(f"edit: cut {handle.name!r}: it has no joint left to cut")
    length = places[-1]
    if at > length * (1.0 + ROUNDING):
        raise InputError(f"edit: cut {handle.name!r}: at is {at:g}; it must be within its length of {length:g} m")
    place = int(np.argmin(np.abs(places - at)))
    if joints[place] not in there:
        where = f"the joint there, at {places[place]:g} m"
        raise InputError(f"edit: cut {handle.name!r}: at is {at:g}; {where}, is cut already or free")
    edit.remove_joint(joints[place])


def ends_of(part: Any, handle: BuiltPart, thickness: float) -> list[PartEnd]:
    """Where a part with `from_` and `to` ends at others."""
    ends = ((part.from_, handle.bodies[0]), (part.to, handle.bodies[-1]))
    return [PartEnd(end[0], end[1], body, thickness) for end, body in ends if end is not None]


def check_way(part: Any) -> None:
    """Check the ends and corners of a part with `from_`, `to`, `start`, `end` and `points`."""
    owner = type(part).__name__
    for body, point in (("from_", "start"), ("to", "end")):
        if getattr(part, body) is not None:
            part.put(**{body: checked_end(owner, body, getattr(part, body))})
        if getattr(part, point) is not None:
            if getattr(part, body) is not None:
                raise InputError(f"{owner}: both {body} and {point} are given; an end is on a body, or free")
            part.put(**{point: triple(checks.vector(owner, point, getattr(part, point)))})
    if not isinstance(part.points, tuple | list | np.ndarray):
        raise InputError(f"{owner}: points is {checks.shown(part.points)}; it must be a list of points")
    points = [triple(checks.vector(owner, f"points[{i}]", point)) for i, point in enumerate(part.points)]
    part.put(points=tuple(points))


def corners_of(part: Any, scene: Scene, owner: str) -> Array:
    """World points (k, 3) that such a part goes through, its ends included."""
    first = end_of(scene, owner, "from_", part.from_)[2] if part.from_ is not None else part.start
    last = end_of(scene, owner, "to", part.to)[2] if part.to is not None else part.end
    corners = [point for point in (first, *part.points, last) if point is not None]
    if len(corners) < 2:
        raise InputError(f"{owner}: it needs two ends: from_ or start, to or end, or points that it runs along")
    return np.array(corners, float)


def add_segments(
    scene: Scene, name: str, ends: Segments, shape: Shape, quarter_turns: bool, **options: Any
) -> list[str]:
    """Add a body of this shape for each segment, `name/1` ..., and return their names.

    Each is turned on from the last one by the shortest way, so without twist, or by 90 degrees about itself as well.
    """
    turn, bodies = np.array(spatial.IDENTITY), []
    quarter = spatial.from_axis_angle(Z, 0.5 * np.pi)
    for number, (tail, head) in enumerate(zip(*ends, strict=True), start=1):
        turn = spatial.multiply(spatial.from_two_vectors(spatial.rotate(turn, Z), head - tail), turn)
        turn = turn / np.linalg.norm(turn)
        own = spatial.multiply(turn, quarter) if quarter_turns and number % 2 == 0 else turn
        middle = 0.5 * (tail + head)
        bodies.append(str(scene.add_body(f"{name}/{number}", shape, position=middle, orientation=own, **options)))
    return bodies
