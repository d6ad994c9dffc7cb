"""A chain of rigid links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.base import Joint
from taut.joints.compliant_link import CompliantLink
from taut.joints.frame import triple
from taut.joints.revolute import Revolute
from taut.joints.universal import Universal
from taut.machines.base import BuiltPart, MachinePart, PartEnd, end_of
from taut.machines.laying import along_corners, hanging
from taut.machines.segments import (
    MOST_SEGMENTS,
    SegmentsView,
    Z,
    add_segments,
    check_way,
    corners_of,
    cut_line,
    ends_of,
)
from taut.scene.scene import Scene
from taut.scene.surfaces import checked_friction
from taut.shapes import Capsule, Compound, Shape
from taut.spatial import Array, cross, from_two_vectors, perpendicular, rotate

if TYPE_CHECKING:
    from taut.simulation.edit import Edit

JOINTS = ("ball", "universal", "hinge")
SHAPES = ("capsule", "ring")


@dataclass(frozen=True, kw_only=True)
class Chain(MachinePart):
    """Rigid links in a row: `links` times `pitch` long, whatever pulls.

    It hangs in balance from `from_` to `to`, or runs along `points`.

    Attributes:
        from_, to: what its ends are joined to, with ball joints: a body, or (body, point in its own frame).
        start, end: world points of free ends, m.
        points: world points that it is laid along, between its ends, m.
        links: their number.
        pitch: length of a link, from joint to joint, m; None with `points`, where it follows.
        wire: diameter of the wire that links are made of, m.
        mass: of one link, kg.
        joint: "ball"; "universal", which bends and does not twist; or "hinge", about axes that cross by turns.
        shape: "capsule", a rod 3 wires thick, or "ring", four rods that leave a hole, by turns upright and flat.
        friction: Coulomb's coefficient; by default the scene's.
        collides: whether it touches other bodies, and itself where links are not neighbours.
    """

    view = SegmentsView

    from_: Any = None
    to: Any = None
    start: Any = None
    end: Any = None
    points: Any = ()
    links: int = 10
    pitch: float | None = None
    wire: float = 0.01
    mass: float = 0.1
    joint: str = "ball"
    shape: str = "capsule"
    friction: float | None = None
    collides: bool = True

    def check(self) -> None:
        """Every number that can be checked without the scene."""
        count = checks.place(self.links, range(1, MOST_SEGMENTS + 1))
        if count is None:
            wanted = f"it must be a whole number from 1 to {MOST_SEGMENTS}"
            raise InputError(f"Chain: links is {checks.shown(self.links)}; {wanted}")
        self.put(links=count)
        for name in ("wire", "mass"):
            self.put(**{name: checks.number("Chain", name, getattr(self, name), above=0.0)})
        if self.pitch is not None:
            self.put(pitch=checks.number("Chain", "pitch", self.pitch, above=0.0))
        self.put(joint=checks.known("Chain", "joint", self.joint, JOINTS))
        self.put(shape=checks.known("Chain", "shape", self.shape, SHAPES))
        self.put(collides=checks.flag("Chain", "collides", self.collides))
        self.put(friction=checked_friction("Chain", self.friction))
        check_way(self)
        if self.points and self.pitch is not None:
            raise InputError(f"Chain: pitch is {self.pitch:g} and points are given; give one of them")

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Links `name/1` ..., joints `name/joint-0` ... where there is something to join."""
        owner = f"chain {name!r}"
        begin, end, pitch = self.lay(scene, owner)
        bodies = add_segments(
            scene, name, (begin, end), self.link_shape(pitch), self.shape == "ring",
            mass=self.mass, friction=self.friction, collides=self.collides, group=name,
        )  # fmt: skip
        joints = [f"{name}/joint-{number}" for number in range(len(bodies) + 1)]
        half = np.array([0.0, 0.0, 0.5 * pitch])
        along = end - begin
        side = perpendicular(along[0])
        for number, (a, b) in enumerate(zip(bodies[:-1], bodies[1:], strict=True)):
            kind, side = self.link_joint(along[number], along[number + 1], side, half)
            scene.connect(a, b, kind, at=end[number], name=joints[number + 1])
        if self.from_ is not None:
            anchor, point, _ = end_of(scene, owner, "from_", self.from_)
            link = CompliantLink(point_a=triple(point), point_b=triple(-half))
            scene.connect(anchor, bodies[0], link, at=begin[0], name=joints[0])
        if self.to is not None:
            anchor, point, _ = end_of(scene, owner, "to", self.to)
            link = CompliantLink(point_a=triple(half), point_b=triple(point))
            scene.connect(bodies[-1], anchor, link, at=end[-1], name=joints[-1])
        return BuiltPart(name, self, tuple(bodies), tuple(joints), {"segment": pitch})

    def cut(self, edit: Edit, handle: BuiltPart, at: float | None) -> None:
        """Cut at the joint nearest to `at`."""
        cut_line(edit, handle, handle.joints, at)

    def ends(self, handle: BuiltPart) -> list[PartEnd]:
        """Its first and last link, where they are joined to something."""
        return ends_of(self, handle, 3.0 * self.wire)

    def lay(self, scene: Scene, owner: str) -> tuple[Array, Array, float]:
        """Where the links begin and end (n, 3), and the length of one, m."""
        corners = corners_of(self, scene, owner)
        if len(corners) > 2:
            begin, end = along_corners(owner, corners, self.links)
            return begin, end, float(np.linalg.norm(end[0] - begin[0]))
        pitch = float(np.linalg.norm(corners[1] - corners[0])) / self.links if self.pitch is None else self.pitch
        if pitch == 0.0:
            raise InputError(f"{owner}: its ends are at the same point; give a pitch, or points that it runs along")
        weight = self.mass * np.asarray(scene.gravity, float)
        return *hanging(owner, corners[0], corners[1], self.links, pitch, weight, 0.0), pitch

    def link_shape(self, pitch: float) -> Shape:
        """A rod, or two sides and two ends of wire around a hole."""
        radius = 0.5 * self.wire
        if self.shape == "capsule":
            return Capsule(3.0 * radius, pitch)
        side, across = Capsule(radius, pitch), Capsule(radius, 2.6 * self.wire)
        lying, out = from_two_vectors(Z, (1.0, 0.0, 0.0)), 1.3 * self.wire
        sides = [(side, (x, 0.0, 0.0)) for x in (-out, out)]
        ends = [(across, (0.0, 0.0, z), lying) for z in (-0.5 * pitch, 0.5 * pitch)]
        return Compound([*sides, *ends])

    def link_joint(self, along: Array, onward: Array, side: Array, half: Array) -> tuple[Joint, Array]:
        """The joint between two links in these directions, and the direction across that the next one is made by."""
        if self.joint == "ball":
            return CompliantLink(point_a=triple(half), point_b=triple(-half)), side
        swing = from_two_vectors(along, onward)
        if self.joint == "hinge":
            # bent about the side of this joint alone: the next one is about the other direction across
            axis = side - (side @ along) / (along @ along) * along
            over = rotate(swing, cross(along / np.linalg.norm(along), axis / np.linalg.norm(axis)))
            return Revolute(axis=triple(axis / np.linalg.norm(axis))), over
        axis = side - (side @ along) / (along @ along) * along
        second = cross(onward, axis)
        return Universal(axis_a=triple(axis / np.linalg.norm(axis)), axis_b=triple(second / np.linalg.norm(second))), \
            rotate(swing, axis)  # fmt: skip
