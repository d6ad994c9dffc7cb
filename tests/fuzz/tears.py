"""Random tearing of a running scene: joints break, bodies are split, merged, attached, weighed and thrown in."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from dense_twins import random_quaternion
from fuzz.edits import JOINTS, Editor, hanging_row, random_shape
from joint_examples import example
from numpy.typing import NDArray

import taut
from taut.errors import InputError
from taut.joints import Motor, Revolute
from taut.machines import Cable
from taut.simulation.controls import Control
from taut.simulation.grab import Grab
from taut.stepping.energy import momentum_of

MOST_BODIES = 14
"""From here on bodies are merged or removed rather than added."""

CONSERVED = 1e-10
"""Change of momentum where nothing pulls, over the sizes of the bodies' momenta together."""


def torn_row(rng: np.random.Generator) -> taut.Scene:
    """The row of bodies with a load, and a flywheel whose motor has a control."""
    scene = hanging_row(rng)
    scene.add_load("b2", force=(0.0, 3.0, 0.0), point=(0.1, 0.0, 0.0))
    scene.add_body("wheel", random_shape(rng), mass=2.0, position=(-2.0, 0.0, 3.0))
    scene.connect("world", "wheel", Revolute(axis=(0, 1, 0), motor=Motor(speed=1.0, max_force=50.0)), name="axle")
    scene.add_control("spin", joint="axle")
    scene.add(
        Cable(
            from_=("world", (0, 1, 3)), end=(1.6, 1, 2), length=2.0, segments=3, diameter=0.03, mass_per_length=0.8,
            axial_stiffness=float(rng.choice([math.inf, 1e5])), bending_stiffness=float(rng.choice([0.0, 3.0])),
        ), name="cable",
    )  # fmt: skip
    return scene


def momentum(simulation: taut.Simulation) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Linear and angular momentum (6,), and the sizes (6,) of the bodies' together."""
    state, bodies = simulation.state, simulation.model.bodies
    moves = bodies.moves > 0
    linear = bodies.mass[moves, None] * state.velocity[moves, :3]
    angular = np.cross(state.position[moves], linear)
    size = [np.linalg.norm(linear, axis=1).sum(), (np.linalg.norm(angular, axis=1) + turning(state, moves)).sum()]
    return np.ravel(momentum_of(simulation.stepper.mechanism, state)), np.repeat(size, 3) + 1e-12


def turning(state: taut.State, moves: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Sizes of the bodies' own angular momenta."""
    return np.asarray(np.linalg.norm(state.spin[moves], axis=1))


@dataclass
class Tearer(Editor):
    """Someone who breaks things.

    Attributes:
        done: how often each kind of edit was made.
        refused: edits that were answered with a message.
        held: views and controls that are kept across edits.
    """

    done: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    held: list[Any] = field(default_factory=list)

    def edit(self) -> str:
        """Make one random edit and say which; what is refused changes nothing."""
        self.count += 1
        crowded = len(self.bodies) >= MOST_BODIES
        more = () if crowded else (self.add, self.throw, self.split, self.build)
        kinds = (
            *more, self.remove, self.join, self.brittle, self.sever, self.spring, self.hold, self.let_go, self.pull,
            self.merge, self.attach, self.detach, self.weigh, self.force, self.push, self.call, self.steer,
            self.several, self.refine, self.coarsen,
        )  # fmt: skip
        chosen = kinds[int(self.rng.integers(len(kinds)))]
        return made(self, chosen)

    def conserving(self, change: Any) -> None:
        """Make a change that must leave momentum as it is."""
        before, scale = momentum(self.simulation)
        change()
        after, _ = momentum(self.simulation)
        worst = float((np.abs(after - before) / scale).max())
        assert worst <= CONSERVED, f"momentum changed by {worst:.3g} of it"

    def throw(self) -> None:
        """A body comes in that moves and turns, with what it did in the step before."""
        name, twist = f"n{self.count}", self.rng.normal(size=6)
        with self.simulation.edit() as edit:
            edit.add_body(
                name, random_shape(self.rng), mass=10.0 ** self.rng.uniform(-1, 2), position=self.place(),
                orientation=random_quaternion(self.rng), velocity=twist[:3], angular_velocity=twist[3:],
            )  # fmt: skip
            edit.set_past(name, twist, twist * self.simulation.settings.step)

    def sever(self) -> None:
        """A joint or spring is cut."""
        for name in self.some(list(self.simulation.meter.names)):
            self.conserving(lambda name=name: self.change("cut", name))

    def change(self, method: str, *values: Any, **options: Any) -> None:
        """One edit of one thing."""
        with self.simulation.edit() as edit:
            getattr(edit, method)(*values, **options)

    def split(self) -> None:
        """A body comes apart into two or three, which keep what they are joined to."""
        for name in self.some(self.bodies):
            count = int(self.rng.integers(2, 4))
            shares = self.rng.dirichlet(np.ones(count) * 3.0)
            mass = self.simulation.body(name).mass
            pieces = {
                f"{name}.{self.count}.{number}": {
                    "shape": random_shape(self.rng), "mass": mass * share, "position": 0.2 * self.rng.normal(size=3),
                    "orientation": random_quaternion(self.rng),
                }
                for number, share in enumerate(shares.tolist())
            }  # fmt: skip
            self.conserving(lambda name=name, pieces=pieces: self.change("split_body", name, pieces))

    def merge(self) -> None:
        """Two or three bodies become one."""
        names = self.some(self.bodies, int(self.rng.integers(2, 4)))
        if len(names) > 1 and len(self.bodies) > 3:
            options = {"shape": random_shape(self.rng)} if self.rng.random() < 0.5 else {}
            self.conserving(lambda: self.change("merge_bodies", names, f"m{self.count}", **options))

    def refine(self) -> None:
        """A cable gets more segments somewhere, as far as it is still one."""
        if len(self.bodies) < MOST_BODIES:
            between = np.sort(self.rng.uniform(0.0, 2.0, 2))
            self.conserving(lambda: self.change("refine", "cable", self.rng.uniform(0.1, 0.5), between=between))

    def coarsen(self) -> None:
        """A cable gets fewer segments."""
        self.conserving(lambda: self.change("coarsen", "cable", self.rng.uniform(0.3, 1.5)))

    def brittle(self) -> None:
        """A joint that gives way at any force."""
        a, b = self.some(["world", *self.bodies], 2)
        bears = {"break_force": 10.0 ** self.rng.uniform(0, 4), "break_torque": 10.0 ** self.rng.uniform(0, 4)}
        self.change("connect", a, b, example(self.some(list(JOINTS))[0]), **bears)

    def attach(self) -> None:
        """Two bodies are welded where they are."""
        self.change("attach", *self.some(["world", *self.bodies], 2))

    def detach(self) -> None:
        """Two bodies, joined or not, are taken apart."""
        links = self.simulation.scene.links
        if links and self.rng.random() < 0.8:
            link = links[int(self.rng.integers(len(links)))]
            pair = [self.simulation.scene.bodies[end].name for end in (link.a, link.b)]
        else:
            pair = self.some(self.bodies, 2)
        self.conserving(lambda: self.change("detach", *pair))

    def weigh(self) -> None:
        """A body gets another mass."""
        for name in self.some(self.bodies):
            self.change("set_mass", name, self.simulation.body(name).mass * 10.0 ** self.rng.uniform(-1, 1))

    def force(self) -> None:
        """The next step starts from other forces."""
        for name in self.some(list(self.simulation.meter.names)):
            self.change("set_force", name, self.rng.normal(size=int(self.rng.integers(1, 7))))

    def push(self) -> None:
        """A body gets another velocity, and is pushed."""
        for name in self.some(self.bodies):
            self.change("set_velocity", name, self.rng.normal(size=3), self.rng.normal(size=3))
            self.simulation.body(name).apply(force=5.0 * self.rng.normal(size=3))

    def call(self) -> None:
        """Someone edits at the end of the next step."""
        name = f"c{self.count}"

        def once(simulation: taut.Simulation) -> None:
            simulation.callbacks.remove(once)
            with simulation.edit() as edit:
                edit.add_body(name, random_shape(self.rng), mass=1.0, position=self.place())

        self.simulation.on_step(once)

    def steer(self) -> None:
        """A control is set."""
        controls = list(self.simulation.controls.values())
        if controls:
            control = controls[int(self.rng.integers(len(controls)))]
            control.value = control.low + self.rng.random() * (control.high - control.low)

    def several(self) -> None:
        """Much at once: new pieces are joined, weighed, and broken again in the same edit."""
        (other,) = self.some(self.bodies)
        name = f"s{self.count}"
        with self.simulation.edit(smooth=self.rng.random() < 0.3) as edit:
            edit.add_body(
                name, random_shape(self.rng), mass=4.0, position=self.place(), velocity=self.rng.normal(size=3)
            )
            edit.connect(other, name, example("Spherical"), name=f"j{self.count}", break_force=50.0)
            edit.set_mass(name, 3.0)
            halves = {f"{name}.{end}": {"shape": random_shape(self.rng), "mass": 1.5} for end in "ab"}
            edit.split_body(name, halves, joints={f"j{self.count}": f"{name}.a"})
            edit.attach(f"{name}.a", f"{name}.b")
            if self.rng.random() < 0.5:
                edit.merge_bodies([f"{name}.a", f"{name}.b"], f"{name}.c")

    def keep(self) -> None:
        """Keep hold of something by a view."""
        simulation = self.simulation
        self.held += [simulation.body(name) for name in self.some(self.bodies)]
        self.held += [simulation.joint(name) for name in self.some(list(simulation.meter.names))]
        self.held += list(simulation.controls.values())
        self.held = self.held[-12:]

    def look(self) -> None:
        """Whatever is held goes on, or says in a line that it is gone."""
        names = {"body": self.simulation.model.bodies.names, "joint": self.simulation.meter.names}
        for view in [*self.held, *self.hands]:
            kind, name = subject(view)
            try:
                read(view)
            except InputError as error:
                assert name not in names[kind] and "\n" not in str(error), error
            else:
                assert name in names[kind], f"{kind} {name!r} is gone, and its view does not say so"


def made(editor: Any, chosen: Callable[[], None]) -> str:
    """Make an edit and say which; what is refused in a line changes nothing."""
    before = editor.simulation.state, editor.simulation.scene
    try:
        chosen()
    except InputError as error:
        assert "\n" not in str(error), error
        assert (editor.simulation.state, editor.simulation.scene) == before, f"{chosen.__name__} was refused: {error}"
        editor.refused.append(f"{chosen.__name__}: {error}")
    editor.done[chosen.__name__] += 1
    return chosen.__name__


def subject(view: Any) -> tuple[str, str]:
    """Kind and name of what a view, a hand or a motor's control is of."""
    if isinstance(view, Grab):
        return "joint", view.name
    return ("joint", str(view.spec.joint)) if isinstance(view, Control) else (view.kind, view._name)


def read(view: Any) -> None:
    """Read what a view has."""
    if isinstance(view, Grab):
        assert np.isfinite([*view.position, *view.force, *view.held]).all()
    elif isinstance(view, Control):
        assert np.isfinite(view.value)
    else:
        value = view.reaction if view.kind == "joint" else view.position
        assert np.isfinite(value).all()
