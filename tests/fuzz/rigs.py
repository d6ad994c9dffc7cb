"""A yard in which winches, cables, ropes, chains and hooks are rigged, driven, cut and taken down at random."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from fuzz.edits import Editor
from fuzz.tears import made

import taut
from taut import machines
from taut.errors import InputError
from taut.joints import attach, pinhole, sheave
from taut.machines import MachinePart
from taut.machines.base import PartView
from taut.shapes import Box

MOST_PARTS, MOST_BODIES = 5, 60
"""From here on parts are taken down rather than put up."""

MAYBE = ("distance", "leg_angles", "advantage")
"""Readings that are no number where there is no eye, no leg, or no pull."""

LOST_MASS = 1e-9
"""Share of its mass by which a winch with its rope may change while nobody takes any of it."""


def yard(rng: np.random.Generator) -> taut.Scene:
    """Loads that stand on the ground."""
    scene = taut.Scene(friction=0.4)
    scene.add_plane()
    for index in range(4):
        mass = 10.0 ** rng.uniform(1, 2.5)
        scene.add_body(f"load{index}", Box(0.4, 0.4, 0.4), mass=mass, position=(1.5 * index, 0.5 * index, 0.2))
    return scene


@dataclass
class Rigger(Editor):
    """Someone who rigs, and sometimes cuts the wrong rope.

    Attributes:
        done: how often each thing was done.
        refused: what was answered with a message.
        views: of parts that were there at some time, by a number of its own.
        weight: mass of every winch with its rope, kg.
    """

    done: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    views: list[PartView] = field(default_factory=list)
    weight: dict[str, float] = field(default_factory=dict)

    def edit(self) -> str:
        """Do something at random and say what; what is refused changes nothing."""
        self.count += 1
        crowded = len(self.simulation.scene.parts) >= MOST_PARTS or len(self.bodies) >= MOST_BODIES
        more = () if crowded else (self.rig, self.rig, self.rig)
        kinds = (*more, self.drive, self.drive, self.drive, self.steer, self.cut_part, self.cut_joint, self.take,
                 self.take_down, self.spoil, self.split_load, self.weigh_load, self.bring)  # fmt: skip
        chosen = kinds[int(self.rng.integers(len(kinds)))]
        return made(self, chosen)

    @property
    def loads(self) -> list[str]:
        """Bodies that belong to no part."""
        return [name for name in self.bodies if "/" not in name]

    @property
    def parts(self) -> list[PartView]:
        """Views of the parts of the scene."""
        return [self.simulation.part(name) for name in self.simulation.scene.parts]

    def above(self) -> tuple[float, float, float]:
        """A point of the world over the yard, m."""
        x, y, z = self.rng.uniform((-1, -1, 3), (5, 3, 6))
        return float(x), float(y), float(z)

    def rig(self) -> None:
        """Something is rigged, mostly to a load."""
        kinds = (self.cable, self.chain, self.hook, self.pulley, self.reeving, self.rope, self.sling, self.winch)
        (load,) = self.some(self.loads) or ["world"]
        name = f"p{self.count}"
        part = kinds[int(self.rng.integers(len(kinds)))]((load, (0, 0, 0.2)))
        with self.simulation.edit() as edit:
            edit.add(part, name=name)
        self.views.append(self.simulation.part(name))
        if isinstance(part, machines.Winch):
            self.weight[name] = self.views[-1].mass

    def cable(self, end: Any, **options: Any) -> MachinePart:
        """A cable of a few segments with some slack."""
        stiff = {"axial_stiffness": 10.0 ** self.rng.uniform(4, 7)} if self.rng.random() < 0.5 else {}
        return machines.Cable(
            **({"from_": ("world", self.above()), "to": end, "segments": int(self.rng.integers(2, 9))} | options),
            diameter=0.02, mass_per_length=10.0 ** self.rng.uniform(-1, 0.5), **stiff,
        )  # fmt: skip

    def chain(self, end: Any) -> MachinePart:
        """A chain that is as long as what it spans, or refused."""
        return machines.Chain(from_=("world", self.above()), to=end, links=int(self.rng.integers(8, 20)), pitch=0.4,
                              wire=0.02, mass=0.5)  # fmt: skip

    def hook(self, end: Any) -> MachinePart:
        """A hook on a load that can hold others."""
        return machines.Hook(on=end, eyes=["world", *self.some(self.loads, 2)], mass=5.0, opening=0.3)

    def pulley(self, end: Any) -> MachinePart:
        """A wheel in the air."""
        return machines.Pulley(holder=("world", self.above()), radius=0.2, axis=(0, 1, 0), inertia=0.3)

    def reeving(self, end: Any) -> MachinePart:
        """Several parts of line."""
        over = ("world", self.above())
        return machines.Reeving(upper=over, lower=end, line=("world", self.above()), parts=int(self.rng.integers(2, 6)))

    def rope(self, end: Any) -> MachinePart:
        """A rope over a wheel or through a hole, at times of another part."""
        wheels = [view for view in self.parts if isinstance(view.part, machines.Pulley) and not view.lost()]
        stops: list[Any] = [sheave("world", self.above(), radius=0.2, axis=(0, 1, 0)), pinhole("world", self.above())]
        stops += [(view.name, 1) for view in wheels]
        over = stops[int(self.rng.integers(len(stops)))]
        give = {"axial_stiffness": 1e6, "damping": 100.0} if self.rng.random() < 0.5 else {}
        return machines.Rope(stops=(attach("world", self.above()), over, attach(*end)), **give)

    def sling(self, end: Any) -> MachinePart:
        """Two legs to a load from a point above it, or from a hook."""
        hooks = [view.bodies[:1] for view in self.parts if isinstance(view.part, machines.Hook)]
        eyes = [("world", self.above()), *((hook, (0, 0, 0)) for each in hooks for hook in each)]
        body = end[0]
        return machines.Sling(
            eye=eyes[int(self.rng.integers(len(eyes)))], to=[(body, (-0.2, 0, 0.2)), (body, (0.2, 0, 0.2))]
        )

    def winch(self, end: Any) -> MachinePart:
        """A winch over the yard, its rope of any kind."""
        x, y, z = self.above()
        place, base = ("world", (x, y, z)), ("world", (x - 1, y, z))
        if self.rng.random() < 0.3:  # on another load, which may come apart
            for other in [name for name in self.some(self.loads, 2) if name != end[0]][:1]:
                place, base = (other, (0, 0, 0.3)), (other, (-1, 0, 0.3))
        length = {"segments": None, "segment_length": float(self.rng.uniform(0.2, 0.5)), "from_": None}
        rope = self.cable(end, **length)
        return machines.Winch(
            rope=rope, exit=place, drum=base, radius=0.1, width=0.3, stored=5.0,
            inertia=0.5, max_pull=1e4, max_speed=float(self.rng.uniform(0.5, 3.0)), brake_force=2e4, ramp=0.3,
        )  # fmt: skip

    def drive(self) -> None:
        """Something is driven: a winch, the length of a rope, a latch."""
        for winch in self.chosen(machines.Winch):
            speed, on = self.rng.uniform(0, 1), bool(self.rng.random() < 0.5)
            acts = (
                (winch.haul, speed),
                (winch.pay_out, speed),
                (winch.drive, 0.0),
                (winch.brake, on),
                (winch.free_spool,),
            )
            act, *values = acts[int(self.rng.integers(len(acts)))]
            act(*values)
        for view in self.chosen(machines.Rope) + self.chosen(machines.Reeving):
            view.set_length(float(view.length) * self.rng.uniform(0.98, 1.02))
        for view in self.chosen(machines.Hook):
            view.close() if self.rng.random() < 0.6 else view.open()

    def chosen(self, kind: type) -> list[Any]:
        """One part of a kind, also one that is gone, or none."""
        there = [view for view in self.views if isinstance(view.handle.part, kind)]
        return [there[int(self.rng.integers(len(there)))]] if there else []

    def steer(self) -> None:
        """A control is set."""
        for name in self.some(list(self.simulation.controls)):
            control = self.simulation.controls[name]
            control.set(control.low + self.rng.random() * (control.high - control.low))

    def cut_part(self) -> None:
        """A part is cut somewhere."""
        for name in self.some(list(self.simulation.scene.parts)):
            where = None if self.rng.random() < 0.3 else float(self.rng.uniform(0, 4))
            with self.simulation.edit() as edit:
                edit.cut(name, at=where)

    def cut_joint(self) -> None:
        """A joint is cut, of a part or not."""
        for name in self.some(list(self.simulation.meter.names)):
            with self.simulation.edit() as edit:
                edit.cut(name)

    def take(self) -> None:
        """A body goes, of a part or not."""
        for name in self.some(self.bodies) if len(self.loads) > 2 else []:
            owner = name.split("/")[0]
            mass = self.simulation.body(name).mass
            with self.simulation.edit() as edit:
                edit.remove_body(name)
            if owner in self.weight:
                self.weight[owner] -= mass

    def take_down(self) -> None:
        """All bodies and joints of a part go."""
        for name in self.some(list(self.simulation.scene.parts)):
            view = self.simulation.part(name)
            with self.simulation.edit() as edit:
                for joint in view.joints:
                    edit.remove_joint(joint)
                for body in view.bodies:
                    edit.remove_body(body)
            self.weight.pop(name, None)

    def spoil(self) -> None:
        """An edit of a part that fails at its end."""
        with self.simulation.edit() as edit:
            edit.add(self.pulley(None), name=f"p{self.count}")
            edit.remove_body("nobody")

    def split_load(self) -> None:
        """A load comes apart; ropes go to the nearest half."""
        for name in self.some(self.loads):
            mass = self.simulation.body(name).mass
            half = {"shape": Box(0.2, 0.4, 0.4), "mass": 0.5 * mass}
            halves = {f"{name}.{end}": half | {"position": (place, 0, 0)} for end, place in (("a", -0.1), ("b", 0.1))}
            with self.simulation.edit() as edit:
                edit.split_body(name, halves)

    def weigh_load(self) -> None:
        """A load is filled or emptied."""
        for name in self.some(self.loads):
            with self.simulation.edit() as edit:
                edit.set_mass(name, self.simulation.body(name).mass * 10.0 ** self.rng.uniform(-0.3, 0.3))

    def bring(self) -> None:
        """Another load is put down."""
        x, y, _ = self.above()
        with self.simulation.edit() as edit:
            edit.add_body(f"load{self.count}", Box(0.4, 0.4, 0.4), mass=50.0, position=(x, y + 5.0, 0.2))

    def look(self) -> None:
        """Parts that are there read as finite numbers and keep their mass; others say in a line that they are gone."""
        for view in self.views:
            lost = view.lost()
            try:
                report = view.report()
            except InputError as error:
                assert lost and "\n" not in str(error) and view.name in str(error), error
            else:
                assert not lost, f"{view.name} is gone ({lost}), and does not say so"
                for key, (value, _) in report.items():
                    known = isinstance(value, str) or key in MAYBE or np.isfinite(value).all()
                    assert known, f"{view.name} {key}: {value}"
            if view.name in self.weight and not lost:
                expected = self.weight[view.name]
                assert abs(view.mass - expected) <= LOST_MASS * expected, f"{view.name}: {view.mass} kg, not {expected}"
