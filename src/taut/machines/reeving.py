"""Blocks and a rope that runs between them several times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.base import triple
from taut.joints.route import RouteStop, attach, sheave
from taut.machines.base import BuiltPart, MachinePart, checked_end, end_of, own_direction, reading
from taut.machines.rope import RopeView, add_rope, check_rope
from taut.scene.scene import Scene
from taut.spatial import Array, cross

MOST_PARTS = 24
"""Parts of rope between two blocks at most: more than any crane has."""


class ReevingView(RopeView):
    """A reeving of a running simulation."""

    @reading("N")
    def line_pull(self) -> float:
        """Tension where the rope leaves the blocks."""
        return float(self.tensions[self.part.parts])

    @reading("N")
    def hook_load(self) -> float:
        """What the parts of rope between the blocks pull, all together."""
        return float(self.tensions[: self.part.parts].sum())

    @reading("")
    def advantage(self) -> float:
        """Hook load over line pull; NaN where nothing is pulled."""
        return self.hook_load / self.line_pull if self.line_pull > 0.0 else math.nan


@dataclass(frozen=True, kw_only=True)
class Reeving(MachinePart):
    """A rope that runs `parts` times between an upper and a lower block, and from the upper one on to `line`.

    It is dead-ended on the upper block where `parts` is even, else on the lower one. A hook of weight W then hangs on
    a line pull of W / parts, or with friction less or more by a factor `efficiency` a sheave.

    Attributes:
        upper, lower: the blocks: a body, or (body, point in its own frame); points are where the sheaves' axes are.
        line: where the rope goes on to: a body, (body, point), or a stop: a `taut.joints.drum`, say.
        parts: of rope between the blocks.
        radius: of all sheaves, m.
        axis: of all sheaves, in world axes as built, across the line between the blocks.
        spacing: between sheaves of a block along the axis, m; with 0 all parts run in one plane, and are parallel.
        efficiency: of a sheave that the rope lies half around: tension out over tension in where it slips.
        length, axial_stiffness, damping, slack_ok: of the rope, as in `Rope`.
    """

    view = ReevingView

    upper: Any = "world"
    lower: Any = None
    line: Any = None
    parts: int = 4
    radius: float = 0.2
    axis: Any = (0.0, 1.0, 0.0)
    spacing: float = 0.0
    efficiency: float = 0.98
    length: float | None = None
    axial_stiffness: float = math.inf
    damping: float = 0.0
    slack_ok: bool = True

    def check(self) -> None:
        """Every number."""
        for name in ("upper", "lower"):
            self.put(**{name: checked_end("Reeving", name, getattr(self, name))})
        if not isinstance(self.line, RouteStop):
            self.put(line=checked_end("Reeving", "line", self.line))
        elif self.line.kind not in ("attach", "drum"):
            raise InputError(f"Reeving: line is {self.line.kind!r}; it must be a body, (body, point), attach or drum")
        count = checks.place(self.parts, range(1, MOST_PARTS + 1))
        if count is None:
            wanted = f"it must be a whole number from 1 to {MOST_PARTS}"
            raise InputError(f"Reeving: parts is {checks.shown(self.parts)}; {wanted}")
        self.put(parts=count, radius=checks.number("Reeving", "radius", self.radius, above=0.0))
        self.put(axis=triple(checks.direction("Reeving", "axis", self.axis)))
        self.put(spacing=checks.number("Reeving", "spacing", self.spacing, at_least=0.0))
        self.put(efficiency=checks.number("Reeving", "efficiency", self.efficiency, above=0.0))
        if self.efficiency > 1.0:
            raise InputError(f"Reeving: efficiency is {self.efficiency:g}; it must be a number from 0 to 1")
        check_rope(self)

    def build(self, scene: Scene, name: str) -> BuiltPart:
        """The joint `name/rope`, and the control `name.length`, which hauls in until the blocks meet."""
        owner = f"reeving {name!r}"
        stops = self.stops(scene, owner)
        upper, lower = (end_of(scene, owner, side, getattr(self, side))[2] for side in ("upper", "lower"))
        haul = self.parts * (float(np.linalg.norm(upper - lower)) - 2.0 * self.radius)
        line = end_of(scene, owner, "line", (stops[-1].body, stops[-1].point))
        if not scene.bodies[scene.index_of(owner, line[0])].fixed:
            haul += float(np.linalg.norm(upper - line[2]))
        return add_rope(scene, name, self, stops, haul)

    def stops(self, scene: Scene, owner: str) -> list[RouteStop]:
        """Dead end, sheaves by turns, and the line; the rope runs down at the side axis x up, and up at the other."""
        ends = {side: end_of(scene, owner, side, getattr(self, side)) for side in ("upper", "lower")}
        rise = ends["upper"][2] - ends["lower"][2]
        axis = np.array(self.axis)
        height = float(np.linalg.norm(rise))
        if height <= 2.0 * self.radius or abs(axis @ rise) > 0.5 * height:
            raise InputError(
                f"{owner}: the blocks are {height:g} m apart along {checks.shown(rise)}; they must be more than two "
                "radii apart, across the axis"
            )
        up = rise - (rise @ axis) * axis
        side = cross(axis, up / np.linalg.norm(up))
        names = ["lower", "upper"] * self.parts
        where = names[: self.parts] if self.parts % 2 == 0 else names[1 : self.parts + 1]
        first, sense = ("upper", 1.0) if self.parts % 2 == 0 else ("lower", -1.0)
        middle = 0.5 * ((len(where) - 1) // 2)
        shifts = [self.spacing * (number // 2 - middle) * axis for number in range(len(where))]
        dead = attach(*self.at(scene, ends[first], sense * self.radius * side + shifts[0]))
        friction = -math.log(self.efficiency) / math.pi
        sheaves = [
            sheave(
                *self.at(scene, ends[block], shift), radius=self.radius,
                axis=own_direction(scene, ends[block][0], axis), friction=friction,
            )
            for block, shift in zip(where, shifts, strict=True)
        ]  # fmt: skip
        last = self.line if isinstance(self.line, RouteStop) else attach(*self.line)
        return [dead, *sheaves, last]

    def at(self, scene: Scene, end: tuple[str, Array, Array], shift: Array) -> tuple[str, Array]:
        """A point of a block, moved by a world vector, in the body's own frame."""
        return end[0], end[1] + own_direction(scene, end[0], shift)
