"""A cable in an edit: where segments are and were, what joints carry, where others would be; see `refining.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from taut import spatial
from taut.joints.compliant_link import CompliantLink
from taut.machines.base import BuiltPart
from taut.machines.laying import with_lengths
from taut.machines.segments import Z, lengths_of
from taut.scene.frames import origin_of
from taut.scene.specs import LinkSpec
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.edit import Edit

Placed = list[tuple[Array, Array]]
"""Positions (3,) and orientations (4,) of segments."""


class Line(NamedTuple):
    """The segments of a cable in an edit, those that are gone included, and the joints before, between and after them.

    Attributes:
        edit, handle: the edit, and the part as it is there.
        bodies, joints: names.
        lengths: (segments,) unstretched, m.
        links: joints that are there, by name.
    """

    edit: Edit
    handle: BuiltPart
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    lengths: Array
    links: dict[str, LinkSpec]

    @classmethod
    def of(cls, edit: Edit, name: str) -> Line:
        """The cable of this name."""
        handle: BuiltPart = edit.scene.parts[name]
        there = {link.name: link for link in edit.scene.links if isinstance(link.kind, CompliantLink)}
        links = {joint: there[joint] for joint in handle.joints if joint in there}
        return cls(edit, handle, handle.bodies, handle.joints, lengths_of(handle, handle.bodies), links)

    @property
    def part(self) -> Any:
        """What was added."""
        return self.handle.part

    def stands_for(self, joint: int) -> float:
        """Length of cable that a joint stands for, m: half of each segment beside it."""
        return 0.5 * float(self.lengths[max(joint - 1, 0) : joint + 1].sum())

    def pose(self, body: str, back: bool) -> tuple[Array, Array]:
        """Position and orientation of a body's own frame now, or one step earlier."""
        index = self.edit.scene.index_of("cable", body)
        position, turn = self.edit.pose_of(index)
        past = self.edit.past_of(body) if back else None
        if past is None:
            return position, turn
        com = self.edit.scene.bodies[index].com
        centre = position + spatial.rotate(turn, com) - past.displacement[:3]
        turn = spatial.multiply(spatial.exponential(-past.displacement[3:]), turn)
        return centre - spatial.rotate(turn, com), turn

    def gap(self, joint: int, back: bool) -> Array:
        """What a joint is stretched by, (3,) m; nothing where it is gone."""
        link = self.links.get(self.joints[joint])
        if link is None:
            return np.zeros(3)
        names, kind = self.ends(link), link.kind
        ends = zip(names, (kind.point_a, kind.point_b), strict=True)  # type: ignore[union-attr]
        (pa, ta), (pb, tb), own = *(self.pose(name, back) for name in names), [np.array(point) for _, point in ends]
        return np.asarray(pb + spatial.rotate(tb, own[1]) - pa - spatial.rotate(ta, own[0]))

    def turn(self, joint: int, back: bool) -> Array | None:
        """What a joint between two segments is bent and twisted by, a rotation vector (3,); None for any other."""
        if not self.joins(joint):
            return None
        (_, before), (_, after) = (self.pose(body, back) for body in self.bodies[joint - 1 : joint + 1])
        return spatial.logarithm(spatial.multiply(after, spatial.conjugate(before)))

    def joins(self, joint: int) -> bool:
        """Whether a joint is there and holds the segments before and after it."""
        link = self.links.get(self.joints[joint])
        return link is not None and self.ends(link) == self.bodies[joint - 1 : joint + 1]

    def ends(self, link: LinkSpec) -> tuple[str, str]:
        """Names of the bodies of a joint."""
        bodies = self.edit.scene.bodies
        return bodies[link.a].name, bodies[link.b].name

    def force(self, joint: int) -> Array:
        """Force (3,) of a joint on what is after it, N; nothing where it is gone."""
        name, simulation = self.joints[joint], self.edit.simulation
        if name not in self.links:
            return np.zeros(3)
        if name not in simulation.model.link_numbers:
            return self.edit.given.force.get(name, np.zeros(3))[:3]  # new in this edit, and without load unless it says
        row = int(simulation.model.layout.first_rows(simulation.model.link_numbers[name])[0])
        return simulation.state.force[row : row + 3].copy()

    def looks_back(self, joints: tuple[int, ...], bodies: tuple[str, ...]) -> bool:
        """Whether all that these segments and joints belong to has a past."""
        links = [self.links[self.joints[joint]] for joint in joints if self.joints[joint] in self.links]
        names = {name for link in links for name in self.ends(link)} | set(bodies)
        return all(self.edit.past_of(name) is not None for name in names)


class Course(NamedTuple):
    """Where segments in a row are, and the line of nodes that they are to lie on.

    Attributes:
        places: poses of the segments, as one knows them alone.
        nodes: (segments + 1, 3) their ends, in the middle of what the joints there are stretched by, m.
        lengths: (segments,) from node to node: their own, and half of what each joint beside them is stretched by, m.
        halves: (segments,) from node to middle, m.
    """

    places: Placed
    nodes: Array
    lengths: Array
    halves: Array


def laid(line: Line, number: int, count: int, back: bool) -> Course:
    """Where the pieces of a segment are, see the top of `refining.py`."""
    position, turn = line.pose(line.bodies[number], back)
    length, around = float(line.lengths[number]), (number, number + 1)
    piece, axis = length / count, spatial.rotate(turn, Z)
    first, last = (line.gap(joint, back) / line.stands_for(joint) for joint in around)
    turns = [(line.turn(joint, back), line.stands_for(joint)) for joint in around]
    bends = [each / over for each, over in turns if each is not None]
    bend = np.mean(bends, axis=0) if bends else np.zeros(3)
    places: Placed = []
    tip, nodes = np.zeros(3), []
    for k in range(count):
        own = spatial.multiply(spatial.exponential(bend * ((k + 0.5) * piece - 0.5 * length)), turn)
        along = piece * spatial.rotate(own, Z)
        gap = piece * (first + (last - first) * k / count) if k else np.zeros(3)
        nodes.append(tip + 0.5 * gap)
        tip = tip + gap
        places.append((tip + 0.5 * along, own / np.linalg.norm(own)))
        tip = tip + along
    begin = position - 0.5 * length * axis - 0.5 * length * first
    end = position + 0.5 * length * axis + 0.5 * length * last
    shift = 0.5 * (begin + 0.5 * piece * first + end - 0.5 * piece * last - tip)
    strains = (first + np.outer(np.arange(count + 1) / count, last - first)) @ axis
    placed, half = [(place + shift, own) for place, own in places], 0.5 * piece * (1.0 + strains)
    return Course(
        placed, np.array([begin, *(node + shift for node in nodes[1:]), end]), half[:-1] + half[1:], half[:-1]
    )


def joined(line: Line, span: tuple[int, int], back: bool) -> Course:
    """Where one segment is that takes the place of neighbours, the first to the last, see the top of `refining.py`."""
    first, last = span
    bodies = line.bodies[first : last + 1]
    poses = [line.pose(body, back) for body in bodies]
    masses = [line.edit.scene.bodies[line.edit.scene.index_of("cable", body)].mass for body in bodies]
    ends = [0.5 * float(line.lengths[number]) for number in (first, last)]
    begin = poses[0][0] - ends[0] * spatial.rotate(poses[0][1], Z)
    end = poses[-1][0] + ends[1] * spatial.rotate(poses[-1][1], Z)
    along = (end - begin) / np.linalg.norm(end - begin)
    centre = np.average([place for place, _ in poses], axis=0, weights=masses)
    before, after = (
        spatial.multiply(spatial.from_two_vectors(spatial.rotate(turn, Z), along), turn)
        for turn in (poses[0][1], poses[-1][1])
    )
    twist = spatial.logarithm(spatial.multiply(after, spatial.conjugate(before)))
    turn = spatial.multiply(spatial.exponential(0.5 * twist), before)
    strains = np.array([line.gap(joint, back) / line.stands_for(joint) for joint in (first, last + 1)])
    nodes = np.array([begin - ends[0] * strains[0], end + ends[1] * strains[1]])
    halves = 0.5 * float(line.lengths[first : last + 1].sum()) * (1.0 + strains @ along)
    place = begin + ((centre - begin) @ along) * along
    return Course([(place, turn / np.linalg.norm(turn))], nodes, halves.sum(keepdims=True), halves[:1])


def drawn_tight(courses: list[Course]) -> list[Placed]:
    """Poses of segments in each of some courses in a row, on the line through all of them.

    Segments of other lengths than before do not lie where these lay: on a curve, those that are split are shorter from
    end to end than their pieces, and those that are joined are longer. So the nodes between are moved, as little as it
    takes, until each is as far from the next as a segment is long; the ends of the row stay.
    """
    nodes = [courses[0].nodes[:1]]
    for course in courses:
        nodes[-1][-1] = 0.5 * (nodes[-1][-1] + course.nodes[0])
        nodes.append(course.nodes[1:].copy())
    lengths, halves = (np.concatenate([getattr(course, name) for course in courses]) for name in ("lengths", "halves"))
    way = with_lengths(np.concatenate(nodes), lengths)
    steps = np.diff(way, axis=0)
    middles = way[:-1] + (halves / lengths)[:, None] * steps
    result, at = [], 0
    for course in courses:
        turns = [
            spatial.multiply(spatial.from_two_vectors(spatial.rotate(own, Z), step), own)
            for (_, own), step in zip(course.places, steps[at:], strict=False)
        ]
        result.append(
            [(middle, turn / np.linalg.norm(turn)) for middle, turn in zip(middles[at:], turns, strict=False)]
        )
        at += len(turns)
    return result


class Tip(NamedTuple):
    """Where the outer end of a segment was as the joint there was made, m, and how the segment was turned.

    `sign` is -1 where the segment begins there, 1 where it ends.
    """

    place: Array
    turn: Array
    sign: float


def tips_of(line: Line, joints: tuple[int, int], bodies: tuple[str, str]) -> dict[str, Tip]:
    """The outer ends of some segments, by the names of the joints that are there."""
    found = {}
    for sign, joint, body in zip((-1.0, 1.0), joints, bodies, strict=True):
        link = line.links.get(line.joints[joint])
        if link is not None:
            place, turn = origin_of(line.edit.scene, line.edit.scene.index_of("cable", body), link)
            half = 0.5 * float(line.lengths[line.bodies.index(body)])
            found[link.name] = Tip(place + sign * half * spatial.rotate(turn, Z), turn, sign)
    return found
