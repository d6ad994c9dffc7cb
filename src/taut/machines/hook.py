"""A hook that takes hold of eyes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.fixed import Fixed
from taut.joints.frame import triple
from taut.joints.revolute import Revolute
from taut.joints.spherical import Spherical
from taut.machines.base import BuiltPart, MachinePart, PartView, checked_end, end_of, reading
from taut.scene.controls import SWITCH
from taut.scene.scene import Scene
from taut.shapes import Capsule, Compound
from taut.spatial import Array

BEND = np.radians([90.0, 30.0, -30.0, -90.0, -150.0, -200.0])
"""Where the corners of the bend are on its circle, from the shank down and round to the tip."""


class HookView(PartView):
    """A hook of a running simulation."""

    @reading("")
    def engaged(self) -> bool:
        """Whether it holds an eye with its latch."""
        return latch_of(self.name) in self.simulation.meter.names

    @reading("N")
    def load(self) -> float:
        """Force between the hook and the eye that it holds."""
        return float(np.linalg.norm(self.reactions([latch_of(self.name)])[0]))

    @reading("m")
    def distance(self) -> float:
        """From its seat to the nearest of its eyes."""
        return self.nearest()[0]

    def nearest(self) -> tuple[float, str, Array]:
        """Distance of the nearest eye from the seat, its body, and where it is in the world."""
        self.check_there("seat")
        seat = self.points(self.bodies, np.array(self.part.seat))[0]
        there = set(self.simulation.model.bodies.names)
        eyes = [(body, self.points([body], np.array(point))[0]) for body, point in self.part.eyes if body in there]
        apart = [(float(np.linalg.norm(point - seat)), body, point) for body, point in eyes]
        return min(apart, key=lambda eye: eye[0], default=(math.inf, "", seat))

    def close(self) -> bool:
        """Take hold of the nearest eye, if one is within the opening and none is held; whether one is held now."""
        distance, body, point = self.nearest()
        if not self.engaged and distance <= self.part.opening:
            with self.simulation.edit() as edit:
                edit.connect(self.bodies[0], body, Spherical(), at=point, name=latch_of(self.name))
        return self.engaged

    def open(self) -> None:
        """Let go."""
        if self.engaged:
            with self.simulation.edit() as edit:
                edit.remove_joint(latch_of(self.name))


@dataclass(frozen=True, kw_only=True)
class Hook(MachinePart):
    """A bent rod that hangs from `on` and catches what it touches; with a latch it holds an eye by a ball joint.

    The control `name.latch` (0 or 1) opens and closes the latch; closed near none of its eyes, it stays empty.

    Attributes:
        on: what it hangs from: a body, or (body, point in its own frame). It hangs straight down the scene's gravity.
        eyes: what its latch can hold, each a body or (body, point in its own frame).
        mass: kg.
        opening: width inside the bend, m; the latch takes an eye that is no further from the seat than that.
        latch: whether it has one; without, contact alone holds the load.
        swivel: whether it turns freely about its shank; else it is fixed to `on`.
        release_force: at which the latch gives way, N.
        closed: whether its latch holds the nearest of its eyes from the start.
        schedule: of its latch, a function of time (s) that it follows by itself: above a half it closes.
    """

    view = HookView

    on: Any
    eyes: Any = ()
    mass: float = 20.0
    opening: float = 0.1
    latch: bool = True
    swivel: bool = True
    release_force: float = math.inf
    closed: bool = False
    schedule: Any = None

    def check(self) -> None:
        """Every number that can be checked without the scene."""
        for name in ("mass", "opening"):
            self.put(**{name: checks.number("Hook", name, getattr(self, name), above=0.0)})
        for name in ("latch", "swivel", "closed"):
            self.put(**{name: checks.flag("Hook", name, getattr(self, name))})
        self.put(release_force=checks.bound("Hook", "release_force", self.release_force))
        if not isinstance(self.eyes, tuple | list):
            raise InputError(f"Hook: eyes is {checks.shown(self.eyes)}; it must be a list of bodies or (body, point)")
        self.put(eyes=tuple(checked_end("Hook", "eyes", eye) for eye in self.eyes))
        if self.closed and not (self.eyes and self.latch):
            raise InputError("Hook: closed is True; it needs a latch, and eyes that this can hold")
        for name, given in (("eyes", bool(self.eyes)), ("schedule", self.schedule is not None)):
            if given and not self.latch:
                wanted = "without a latch, contact alone holds what is on it"
                raise InputError(f"Hook: {name} is given, but latch is False; {wanted}")

    @property
    def wire(self) -> float:
        """Thickness of the rod, m."""
        return 0.4 * self.opening

    @property
    def seat(self) -> tuple[float, float, float]:
        """Where an eye rests, in the hook's own frame, whose origin is where it hangs, m."""
        return 0.0, 0.0, -2.0 * self.opening

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """Body `name/hook`, joint `name/swivel`, control `name.latch`."""
        owner = f"hook {name!r}"
        anchor, _, place = end_of(scene, owner, "on", self.on)
        eyes = [end_of(scene, owner, "eyes", eye) for eye in self.eyes]
        up = -np.asarray(scene.gravity, float) if np.any(scene.gravity) else np.array([0.0, 0.0, 1.0])
        hook = scene.add_body(
            f"{name}/hook", self.shape(), mass=self.mass, position=place, group=name,
            orientation=spatial.from_two_vectors((0.0, 0.0, 1.0), up),
        )  # fmt: skip
        joint = Revolute(axis=triple(up / np.linalg.norm(up))) if self.swivel else Fixed()
        swivel = scene.connect(anchor, hook, joint, at=place, name=f"{name}/swivel")
        if self.closed:
            seat = place + spatial.rotate(scene.bodies[scene.index_of(owner, hook)].orientation, np.array(self.seat))
            self.hold_at_start(scene, name, str(hook), min(eyes, key=lambda eye: math.dist(eye[2], seat)), seat)
        if self.latch:
            scene.add_control(
                f"{name}.latch", act=partial(set_latch, name), value=float(self.closed), unit=SWITCH,
                schedule=self.schedule,
            )  # fmt: skip
        return BuiltPart(name, self, (str(hook),), (str(swivel), latch_of(name)))

    def hold_at_start(self, scene: Scene, name: str, hook: str, eye: tuple[str, Array, Array], seat: Array) -> None:
        """Hold an eye: its body, a point and where this is in the world."""
        distance = math.dist(eye[2], seat)
        if distance > self.opening:
            text = f"its opening is {self.opening:g} m, and the nearest eye {distance:g} m from its seat"
            raise InputError(f"hook {name!r}: closed is True; {text}")
        scene.connect(hook, eye[0], Spherical(), at=eye[2], name=latch_of(name))

    def shape(self) -> Compound:
        """A shank of one rod and a bend of five."""
        radius = 0.5 * (self.opening + self.wire)
        centre = np.array([0.0, 0.0, -1.5 * self.opening])
        bend = centre + radius * np.column_stack([np.cos(BEND), np.zeros(len(BEND)), np.sin(BEND)])
        corners = np.vstack([np.zeros(3), bend])
        rods = []
        for tail, head in zip(corners[:-1], corners[1:], strict=True):
            turn = spatial.from_two_vectors((0.0, 0.0, 1.0), head - tail)
            rods.append((Capsule(0.5 * self.wire, float(np.linalg.norm(head - tail))), 0.5 * (tail + head), turn))
        return Compound(rods)

    @property
    def acts(self) -> bool:
        """Whether its latch can give way."""
        return self.latch and self.release_force < math.inf

    def after_frame(self, view: HookView) -> None:
        """Let go if the load is more than the latch can bear."""
        if view.load > self.release_force:
            view.open()


def latch_of(name: str) -> str:
    """Name of the joint that holds an eye."""
    return f"{name}/latch"


def set_latch(name: str, simulation: Any, value: float) -> None:
    """What the control of a latch does: above a half it closes, else it opens."""
    view = simulation.part(name)
    if value > 0.5:
        view.close()
    else:
        view.open()
