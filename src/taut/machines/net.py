"""A net of ropes that cross each other and are knotted where they do."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.compliant_link import CompliantLink
from taut.joints.frame import triple
from taut.machines.base import BuiltPart, MachinePart, PartView, checked_end, end_of, reading
from taut.machines.cable import Cable
from taut.scene.surfaces import checked_friction
from taut.shapes import Capsule, Sphere
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.scene.scene import Scene

KNOTS = ("ball", "compliant")
MOST_BODIES = 100_000
"""A net of more would be a mistake of units."""
Z = (0.0, 0.0, 1.0)
CENTRE = (0.0, 0.0, 0.0)


class Rope(NamedTuple):
    """A rope of a net: its name, its first knot, its direction in the net's plane and how many meshes it is long."""

    name: str
    first: tuple[int, int]
    way: tuple[int, int]
    meshes: int


class NetView(PartView):
    """A net of a running simulation."""

    @property
    def segments(self) -> tuple[str, ...]:
        """Names of the segments of all ropes as built, rope by rope."""
        return self.handle.bodies[self.part.knot_count :]

    @reading("N")
    def tensions(self) -> Array:
        """Tension (segments,) in the middle of each segment: 0 where it is slack, cut or gone."""
        part, there = self.part, set(self.bodies)
        first = np.arange(len(self.segments)) + np.arange(len(self.segments)) // part.segments
        kept = np.array([name in there for name in self.segments])
        joints = np.array(self.handle.joints)
        forces = [self.reactions(joints[ends]) for ends in (first, first + 1)]
        tensions = np.zeros(kept.size)
        names = [name for name, here in zip(self.segments, kept.tolist(), strict=True) if here]
        along = spatial.rotate_each(self.simulation.state.orientation[self.numbers(names)], np.tile(Z, (len(names), 1)))
        # force on the segment at its beginning, and on what follows at its end
        pull = -np.einsum("si,si->s", forces[0][kept] + forces[1][kept], along)
        tensions[kept] = np.maximum(0.5 * pull, 0.0)
        return tensions

    @reading("N")
    def holding(self) -> Array:
        """Forces (held, 3) with which what holds it pulls it, in the order of `held`; zero where it was let go."""
        return self.reactions(self.handle.joints[len(self.handle.joints) - len(self.part.held) :])

    @reading("m")
    def sag(self) -> float:
        """How far the lowest knot that is left is below the highest, along gravity."""
        gravity = np.asarray(self.simulation.scene.gravity, float)
        knots = [name for name in self.bodies if "/knot-" in name]
        depth = self.points(knots, np.zeros(3)) @ gravity / (np.linalg.norm(gravity) or 1.0)
        return float(np.ptp(depth)) if knots else 0.0

    def cut(self, rope: str, at: float) -> None:
        """Cut a rope, "x-0" ... or "y-0" ..., at the joint nearest to `at`, m from where it starts."""
        part, owner = self.part, f"net {self.name!r}: cut"
        ropes = {each.name: each for each in part.ropes()}
        chosen = ropes[checks.known(owner, "rope", rope, ropes)]
        length = chosen.meshes * part.mesh
        where = checks.number(owner, "at", at, at_least=0.0)
        if where > length * (1.0 + 1e-9):
            raise InputError(f"{owner}: at is {where:g}; it must be within the length of {rope}, {length:g} m")
        mesh = min(int(where / part.mesh), chosen.meshes - 1)
        place = mesh * (part.segments + 1) + round((where - mesh * part.mesh) / part.segment)
        with self.simulation.edit() as edit:
            edit.cut(f"{self.name}/{rope}/joint-{place}")


@dataclass(frozen=True, kw_only=True)
class Net(MachinePart):
    """Ropes along x and along y in a plane, a mesh apart, each made of segments, with a body at every knot.

    Knots are `name/knot-i-j`, i along x and j along y, both from 0; the rope `x-j` runs along x, the rope `y-i` along
    y, and their segments are `name/x-j/1` ... All of it is in groups `name/section-1` ..., and does not touch itself.
    Segments are as stiff along, in bending and in twist as those of a `Cable`, and straight when it is built.

    Attributes:
        size: length along x and y, m: whole meshes.
        mesh: distance of ropes, m.
        segments: of a rope, from knot to knot.
        diameter: of the ropes, m.
        mass_per_length: of the ropes, kg/m.
        border: how many times as heavy and as stiff the ropes along its border are.
        knots: "ball", which turn freely, or "compliant", at which ropes bend and twist as elsewhere.
        knot_mass: kg; by default that of a segment.
        centre: of the net, world, m.
        orientation: world-from-net quaternion (w, x, y, z); its own z is across it.
        held: knots that something holds, each (i, j, end), the end a body or (body, point in its own frame).
        sections: how many sections it has along x and along y.
        axial_stiffness: EA of a rope, N; infinite = it does not stretch.
        bending_stiffness: EI, N m^2.
        torsional_stiffness: GJ, N m^2.
        damping_ratio: share of critical damping of the fastest vibration of the segments, as of a `Cable`.
        friction: Coulomb's coefficient; by default the scene's.
        collides: whether it touches other bodies.
        breaking_force: tension at which a rope breaks, N.
    """

    view = NetView

    size: tuple[float, float] = (4.0, 4.0)
    mesh: float = 1.0
    segments: int = 4
    diameter: float = 0.02
    mass_per_length: float = 1.0
    border: float = 1.0
    knots: str = "compliant"
    knot_mass: float | None = None
    centre: Any = CENTRE
    orientation: Any = (1.0, 0.0, 0.0, 0.0)
    held: Any = ()
    sections: tuple[int, int] = (1, 1)
    axial_stiffness: float = math.inf
    bending_stiffness: float = 0.0
    torsional_stiffness: float = 0.0
    damping_ratio: float = 0.1
    friction: float | None = None
    collides: bool = True
    breaking_force: float = math.inf

    def check(self) -> None:
        """Every number that can be checked without the scene."""
        for name in ("mesh", "border"):
            self.put(**{name: checks.number("Net", name, getattr(self, name), above=0.0)})
        if self.knot_mass is not None:
            self.put(knot_mass=checks.number("Net", "knot_mass", self.knot_mass, above=0.0))
        self.put(segments=whole("segments", self.segments))
        self.put(size=self.checked_size(), sections=self.checked_sections())
        self.put(knots=checks.known("Net", "kind of knots", self.knots, KNOTS))
        self.put(centre=triple(checks.vector("Net", "centre", self.centre)))
        self.put(orientation=tuple(checks.quaternion("Net", "orientation", self.orientation).tolist()))
        self.put(collides=checks.flag("Net", "collides", self.collides))
        self.put(friction=checked_friction("Net", self.friction), held=self.checked_held())
        try:
            self.rope(1.0)
        except InputError as error:
            raise InputError(f"Net: {str(error).removeprefix('Cable: ')}") from None

    def checked_size(self) -> tuple[float, float]:
        """Both lengths, which are whole meshes."""
        if not isinstance(self.size, tuple | list) or len(self.size) != 2:
            raise InputError(f"Net: size is {checks.shown(self.size)}; it must be (length along x, length along y), m")
        lengths = [checks.number("Net", "size", length, above=0.0) for length in self.size]
        for length in lengths:
            meshes = length / self.mesh
            if meshes < 0.5 or abs(meshes - round(meshes)) > 1e-6 * meshes:
                raise InputError(f"Net: size is {length:g} m; it must be whole meshes of {self.mesh:g} m")
        across, up = (round(length / self.mesh) + 1 for length in lengths)
        if across * up * (2 * self.segments + 1) > MOST_BODIES:
            raise InputError(f"Net: it has some {across * up * 2 * self.segments} segments, too many with this mesh")
        return lengths[0], lengths[1]

    def checked_sections(self) -> tuple[int, int]:
        """Both numbers of sections."""
        if not isinstance(self.sections, tuple | list) or len(self.sections) != 2:
            raise InputError(f"Net: sections is {checks.shown(self.sections)}; it must be (number along x, along y)")
        return whole("sections", self.sections[0]), whole("sections", self.sections[1])

    def checked_held(self) -> tuple[Any, ...]:
        """Places and ends of what holds it."""
        if not isinstance(self.held, tuple | list):
            raise InputError(f"Net: held is {checks.shown(self.held)}; it must be a list of (i, j, end)")
        across, up = self.counts
        found = []
        for each in self.held:
            if not isinstance(each, tuple | list) or len(each) != 3:
                raise InputError(f"Net: held has {checks.shown(each)}; it must be (i, j, end)")
            i, j = checks.place(each[0], range(across)), checks.place(each[1], range(up))
            if i is None or j is None:
                raise InputError(
                    f"Net: held has knot {each[0]!r}, {each[1]!r}; knots are from 0, 0 to {across - 1}, {up - 1}"
                )
            found.append((i, j, checked_end("Net", "held", each[2])))
        return tuple(found)

    @property
    def counts(self) -> tuple[int, int]:
        """Knots along x and along y."""
        return round(self.size[0] / self.mesh) + 1, round(self.size[1] / self.mesh) + 1

    @property
    def knot_count(self) -> int:
        """Number of knots."""
        return math.prod(self.counts)

    @property
    def segment(self) -> float:
        """Length of a segment, m."""
        return self.mesh / self.segments

    def ropes(self) -> Iterator[Rope]:
        """All ropes, those along x first."""
        across, up = self.counts
        yield from (Rope(f"x-{j}", (0, j), (1, 0), across - 1) for j in range(up))
        yield from (Rope(f"y-{i}", (i, 0), (0, 1), up - 1) for i in range(across))

    def on_border(self, rope: Rope) -> bool:
        """Whether a rope is the first or the last along its direction."""
        across, up = self.counts
        return rope.first[1] == up - 1 or rope.first[0] == across - 1 or rope.first == (0, 0)

    def rope(self, times: float) -> Cable:
        """What a rope is made of, so many times as heavy and as stiff."""
        return Cable(
            start=CENTRE, end=(self.mesh, 0.0, 0.0), segments=self.segments, diameter=self.diameter,
            mass_per_length=times * checks.number("Net", "mass_per_length", self.mass_per_length, above=0.0),
            axial_stiffness=times * checks.bound("Net", "axial_stiffness", self.axial_stiffness),
            bending_stiffness=times * checks.number("Net", "bending_stiffness", self.bending_stiffness, at_least=0.0),
            torsional_stiffness=times
            * checks.number("Net", "torsional_stiffness", self.torsional_stiffness, at_least=0.0),
            damping_ratio=self.damping_ratio, breaking_force=self.breaking_force,
        )  # fmt: skip

    def at(self, i: float, j: float) -> Array:
        """World point (3,) of the knot i, j, or between knots, m."""
        own = np.array([i * self.mesh - 0.5 * self.size[0], j * self.mesh - 0.5 * self.size[1], 0.0])
        return np.array(self.centre) + spatial.rotate(np.array(self.orientation), own)

    def section(self, name: str, i: float, j: float) -> str:
        """Group of what is at i, j, in meshes; sections are counted along x first."""
        column, row = (
            min(int(count * place / (knots - 1)), count - 1)
            for count, place, knots in zip(self.sections, (i, j), self.counts, strict=True)
        )
        return f"{name}/section-{row * self.sections[0] + column + 1}"

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Knots, then ropes with a joint at either end of every segment, then what holds it."""
        mass = self.mass_per_length * self.segment if self.knot_mass is None else self.knot_mass
        options: dict[str, Any] = {"friction": self.friction, "collides": self.collides}
        bodies: list[str] = []
        joints: list[str] = []
        across, up = self.counts
        for i in range(across):
            for j in range(up):
                knot = scene.add_body(
                    f"{name}/knot-{i}-{j}", Sphere(0.5 * self.diameter), mass=mass, position=self.at(i, j),
                    orientation=self.orientation, group=self.section(name, i, j), **options,
                )  # fmt: skip
                bodies.append(str(knot))
        for rope in self.ropes():
            cable = self.rope(self.border if self.on_border(rope) else 1.0)
            for mesh in range(rope.meshes):
                segments = self.add_side(scene, name, rope, mesh, cable, options)
                joints += self.join_side(scene, name, rope, mesh, cable, segments)
                bodies += segments
        joints += [self.hold(scene, name, number) for number in range(len(self.held))]
        scene.ignore_contacts(name, name)
        return BuiltPart(name, self, tuple(bodies), tuple(joints), {"segment": self.segment})

    def add_side(
        self, scene: Scene, name: str, rope: Rope, mesh: int, cable: Cable, options: dict[str, Any]
    ) -> list[str]:
        """Add the segments of a rope from one knot to the next, and return their names."""
        (i, j), (dx, dy) = rope.first, rope.way
        own = spatial.from_two_vectors(Z, (dx, dy, 0.0))
        turn = spatial.multiply(np.array(self.orientation), own)
        names = []
        for k in range(self.segments):
            along = mesh + (k + 0.5) / self.segments
            place = i + dx * along, j + dy * along
            segment = scene.add_body(
                f"{name}/{rope.name}/{mesh * self.segments + k + 1}", Capsule(0.5 * self.diameter, self.segment),
                mass=cable.mass_per_length * self.segment, position=self.at(*place), orientation=turn,
                group=self.section(name, *place), **options,
            )  # fmt: skip
            names.append(str(segment))
        return names

    def join_side(self, scene: Scene, name: str, rope: Rope, mesh: int, cable: Cable, segments: list[str]) -> list[str]:
        """Join segments to each other and to their knots, and return the names of the joints."""
        (i, j), (dx, dy) = rope.first, rope.way
        knots = [f"{name}/knot-{i + dx * at}-{j + dy * at}" for at in (mesh, mesh + 1)]
        axis, half = (float(dx), float(dy), 0.0), np.array([0.0, 0.0, 0.5 * self.segment])
        bends, zero = self.knots == "compliant", np.zeros(3)
        chain, names = [knots[0], *segments, knots[1]], []
        for k, (a, b) in enumerate(zip(chain[:-1], chain[1:], strict=True)):
            at = mesh + k / self.segments
            if k == 0:
                link = cable.link(self.segment, 2.0, zero, -half, axis_a=axis, bends=bends)
            elif k == self.segments:
                link = cable.link(self.segment, 2.0, half, zero, axis_b=axis, bends=bends)
            else:
                link = cable.link(self.segment, 1.0, half, -half)
            joint = f"{name}/{rope.name}/joint-{mesh * (self.segments + 1) + k}"
            place = self.at(i + dx * at, j + dy * at)
            scene.connect(a, b, link, at=place, name=joint, break_force=self.breaking_force)
            names.append(joint)
        return names

    def hold(self, scene: Scene, name: str, number: int) -> str:
        """Join the middle of a knot to a point of what holds it; joints of the ropes stretch up to there."""
        i, j, end = self.held[number]
        holder, point, _ = end_of(scene, f"net {name!r}", "held", end)
        ball = CompliantLink(point_a=triple(point))
        knot, joint = f"{name}/knot-{i}-{j}", f"{name}/held-{number + 1}"
        return str(scene.connect(holder, knot, ball, at=self.at(i, j), name=joint))


def whole(field: str, value: Any) -> int:
    """A whole number from 1 on."""
    count = checks.place(value, range(1, MOST_BODIES))
    if count is None:
        raise InputError(f"Net: {field} is {checks.shown(value)}; it must be a whole number from 1 on")
    return count
