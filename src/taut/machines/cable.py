"""A cable of segments with mass, which stretches, bends and twists as its material does, and touches what it meets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.compliant_link import CompliantLink
from taut.joints.frame import triple
from taut.machines.base import BuiltPart, MachinePart, PartEnd, end_of, own_direction, present, reading
from taut.machines.laying import along_corners, hanging
from taut.machines.materials import LARGEST, MATERIALS
from taut.machines.refining import coarsen_line, refine_line
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
from taut.rows.law import SOFT
from taut.scene.scene import Scene
from taut.scene.surfaces import checked_friction
from taut.shapes import Capsule
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.edit import Edit


class CableView(SegmentsView):
    """A cable of a running simulation."""

    @property
    def springs(self) -> tuple[str, ...]:
        """Its joints, along the piece at its start."""
        return present(dict.fromkeys(name for pair in self.around() for name in pair), self.joints)

    @reading("m")
    def stretched_length(self) -> float:
        """Length with what its joints are stretched by."""
        return self.length + float(self.stretches().sum())

    @reading("1/m")
    def curvature(self) -> Array:
        """Curvature (segments - 1,) at joints between segments: the angle there over half the length of these two."""
        begin, end = self.ends()
        lengths = self.lengths
        along = (end - begin) / lengths[:, None]
        sine = np.linalg.norm(spatial.cross_each(along[:-1], along[1:]), axis=1)
        return np.arctan2(sine, (along[:-1] * along[1:]).sum(axis=1)) / (0.5 * (lengths[:-1] + lengths[1:]))

    @reading("J")
    def energy(self) -> float:
        """Elastic energy of stretch, bend and twist."""
        simulation, layout = self.simulation, self.simulation.model.layout
        numbers = [simulation.model.link_numbers[joint] for joint in self.springs]
        soft = np.isin(layout.row_owner, numbers) & (layout.laws.kind == SOFT)
        measure = simulation.stepper.measure(simulation.state).value
        stiffness = layout.laws.stiffness[soft] * simulation.state.firmness[soft]
        return 0.5 * float(stiffness @ measure[soft] ** 2)

    def stretches(self) -> Array:
        """How far each joint (joints,) is stretched, along what it pulls; negative where it is pushed together, m."""
        simulation = self.simulation
        model, values = simulation.model, simulation.stepper.measure(simulation.state).value
        gaps = []
        for joint in self.springs:
            number = model.link_numbers[joint]
            row, spec = int(model.layout.first_rows(number)[0]), model.links[number].spec
            side = spec.a if joint == self.line[1][-1] else spec.b
            along = spatial.rotate(simulation.state.orientation[side], Z)
            gaps.append(float(values[row : row + 3] @ along))
        return np.array(gaps)


@dataclass(frozen=True, kw_only=True)
class Cable(MachinePart):
    """Capsules in a row, joined by points that are pulled together: EA, EI and GJ keep their meaning in any number.

    Between two segments of length L the joint has the stiffness EA/L along the cable, EI/L in bending and GJ/L in
    twist, and twice that where it is joined to a body, half a segment on. At rest the cable is straight.

    It starts where it is in balance, hanging from `from_` to `to`, or runs along `points`.

    Attributes:
        from_, to: what its ends are joined to: a body, or (body, point in its own frame; world frame for "world").
        start, end: world points of free ends, m.
        points: world points that it is laid along, between its ends, m.
        length: unstretched, m; by default the distance on the way from end to end.
        diameter: m.
        mass_per_length: kg/m.
        segment_length: m, rounded so that whole segments make the length; by default 10 diameters, at least 0.1.
        segments: their number, instead of `segment_length`.
        axial_stiffness: EA, N; infinite = it does not stretch.
        bending_stiffness: EI, N m^2.
        torsional_stiffness: GJ, N m^2.
        damping_ratio: share of critical damping of the fastest vibration of the segments, along, across and in twist;
            slower ones are damped in proportion to their frequency.
        clamped: whether it leaves its start, and its end, in the direction it was built in; else ends turn freely.
        friction: Coulomb's coefficient; by default the scene's.
        collides: whether it touches other bodies, and itself where segments are not neighbours.
        breaking_force: tension at which it breaks, where it is pulled most, N.
        group: collision group of its segments; by default one with the cable's name.
    """

    view = CableView

    from_: Any = None
    to: Any = None
    start: Any = None
    end: Any = None
    points: Any = ()
    length: float | None = None
    diameter: float = 0.02
    mass_per_length: float = 1.0
    segment_length: float | None = None
    segments: int | None = None
    axial_stiffness: float = math.inf
    bending_stiffness: float = 0.0
    torsional_stiffness: float = 0.0
    damping_ratio: float = 0.1
    clamped: tuple[bool, bool] = (False, False)
    friction: float | None = None
    collides: bool = True
    breaking_force: float = math.inf
    group: str | None = None

    @classmethod
    def of(cls, material: str, diameter: float, **options: Any) -> Cable:
        """A cable of a material, with mass, EA, EI, GJ and breaking force that follow from its nominal diameter in m.

        `material` is one of `taut.machines.materials.MATERIALS`, which says where the numbers are from: steel wire
        ropes "6x19 IWRC", "6x19 FC", "6x36 IWRC" and "6x36 FC", "polyester", "HMPE", "chain R3" and "chain R4". Options
        are those of `Cable`; what they give goes before what follows from the material.
        """
        kind = MATERIALS[checks.known("Cable.of", "material", material, MATERIALS)]
        size = checks.number("Cable.of", "diameter", diameter, above=0.0)
        if size > LARGEST:
            raise InputError(f"Cable.of: diameter is {size:g}; ropes and chains up to {LARGEST:g} m are made")
        return cls(**(kind.cable(size) | options))

    def check(self) -> None:
        """Every number that can be checked without the scene."""
        for name in ("diameter", "mass_per_length"):
            self.put(**{name: checks.number("Cable", name, getattr(self, name), above=0.0)})
        for name in ("length", "segment_length"):
            if getattr(self, name) is not None:
                self.put(**{name: checks.number("Cable", name, getattr(self, name), above=0.0)})
        for name in ("axial_stiffness", "breaking_force"):
            self.put(**{name: checks.strength("Cable", name, getattr(self, name))})
        for name in ("bending_stiffness", "torsional_stiffness", "damping_ratio"):
            self.put(**{name: checks.number("Cable", name, getattr(self, name), at_least=0.0)})
        if self.segments is not None:
            count = checks.place(self.segments, range(1, MOST_SEGMENTS + 1))
            if count is None or self.segment_length is not None:
                raise InputError(
                    f"Cable: segments is {checks.shown(self.segments)} and segment_length is {self.segment_length}; "
                    f"give one of them, segments a whole number from 1 to {MOST_SEGMENTS}"
                )
            self.put(segments=count)
        check_way(self)
        if self.points and self.length is not None:
            raise InputError(f"Cable: length is {self.length:g} and points are given; give one of them")
        ends = self.clamped
        if not isinstance(ends, tuple | list) or len(ends) != 2:
            raise InputError(f"Cable: clamped is {checks.shown(ends)}; it must be (True or False, True or False)")
        first, last = (checks.flag("Cable", "clamped", end) for end in ends)
        self.put(clamped=(first, last), collides=checks.flag("Cable", "collides", self.collides))
        self.put(friction=checked_friction("Cable", self.friction))

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Segments `name/1` ..., joints `name/joint-0` ... where there is something to join."""
        owner = f"cable {name!r}"
        begin, end, segment = self.lay(scene, owner)
        bodies = add_segments(
            scene, name, (begin, end), Capsule(0.5 * self.diameter, segment), False,
            mass=self.mass_per_length * segment, friction=self.friction, collides=self.collides,
            group=name if self.group is None else self.group,
        )  # fmt: skip
        joints = [f"{name}/joint-{number}" for number in range(len(bodies) + 1)]
        half = np.array([0.0, 0.0, 0.5 * segment])
        for joint, a, b, at in zip(joints[1:-1], bodies[:-1], bodies[1:], end, strict=False):
            link = self.link(segment, 1.0, half, -half)
            scene.connect(a, b, link, at=at, name=joint, break_force=self.breaking_force)
        if self.from_ is not None:
            anchor, point, _ = end_of(scene, owner, "from_", self.from_)
            axis = own_direction(scene, anchor, end[0] - begin[0])
            link = self.link(segment, 2.0, point, -half, axis_a=axis, bends=self.clamped[0])
            scene.connect(anchor, bodies[0], link, at=begin[0], name=joints[0], break_force=self.breaking_force)
        if self.to is not None:
            anchor, point, _ = end_of(scene, owner, "to", self.to)
            axis = own_direction(scene, anchor, end[-1] - begin[-1])
            link = self.link(segment, 2.0, half, point, axis_b=axis, bends=self.clamped[1])
            scene.connect(bodies[-1], anchor, link, at=end[-1], name=joints[-1], break_force=self.breaking_force)
        return BuiltPart(name, self, tuple(bodies), tuple(joints), {"segment": segment})

    def cut(self, edit: Edit, handle: BuiltPart, at: float | None) -> None:
        """Cut at the joint nearest to `at`."""
        cut_line(edit, handle, handle.joints, at)

    def ends(self, handle: BuiltPart) -> list[PartEnd]:
        """Its first and last segment, where they are joined to something."""
        return ends_of(self, handle, self.diameter)

    def remesh(self, edit: Edit, handle: BuiltPart, what: str, most: float, between: tuple[float, float]) -> None:
        """Split segments, or join them, see `refining.py`."""
        (refine_line if what == "refine" else coarsen_line)(edit, handle.name, most, between)

    def lay(self, scene: Scene, owner: str) -> tuple[Array, Array, float]:
        """Where the segments begin and end (n, 3), and the length of one, m."""
        corners = corners_of(self, scene, owner)
        way = float(np.linalg.norm(np.diff(corners, axis=0), axis=1).sum())
        length = way if self.length is None else self.length
        if length <= 0.0:
            raise InputError(f"{owner}: its ends are at the same point; give a length, or points that it runs along")
        count = self.segments or max(round(length / (self.segment_length or max(10.0 * self.diameter, 0.1))), 1)
        if count > MOST_SEGMENTS:
            raise InputError(f"{owner}: it has {count} segments; at most {MOST_SEGMENTS} are taken")
        if len(corners) > 2:
            begin, end = along_corners(owner, corners, count)
            return begin, end, float(np.linalg.norm(end[0] - begin[0]))
        segment = length / count
        weight = self.mass_per_length * segment * np.asarray(scene.gravity, float)
        ends = hanging(owner, corners[0], corners[1], count, segment, weight, segment / self.axial_stiffness)
        return *ends, segment

    def link(
        self, segment: float, times: float, point_a: Array, point_b: Array,
        axis_a: Any = Z, axis_b: Any = Z, bends: bool = True,
    ) -> CompliantLink:  # fmt: skip
        """The joint of segments of this length, so many times as stiff.

        Damping c = 2 zeta k / omega at the frequencies of the fastest vibration: 2 sqrt(k/m) along, 4 sqrt(k/(m L^2))
        across and 2 sqrt(k/I) in twist.
        """
        stretch, bend, twist = (
            value / segment for value in (self.axial_stiffness, self.bending_stiffness, self.torsional_stiffness)
        )
        damping = times * self.damping_ratio * math.sqrt(self.mass_per_length * segment)
        return CompliantLink(
            point_a=triple(point_a), point_b=triple(point_b), axis_a=axis_a, axis_b=axis_b, stretch=times * stretch,
            stretch_damping=self.stretch_damping(segment, times),
            bend=times * bend if bends else 0.0, twist=times * twist if bends else 0.0,
            bend_damping=0.5 * damping * math.sqrt(bend) * segment if bends else 0.0,
            twist_damping=damping * math.sqrt(twist / 8.0) * self.diameter if bends else 0.0,
        )  # fmt: skip

    def stretch_damping(self, segment: float, times: float) -> float:
        """Damping along such a joint, N s/m."""
        stretch = self.axial_stiffness / segment
        if stretch == math.inf:
            return 0.0
        return times * self.damping_ratio * math.sqrt(self.mass_per_length * segment) * math.sqrt(stretch)
