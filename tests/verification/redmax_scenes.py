"""Scenes whose energies the reference code of RedMax publishes, built as Taut's scenes; lengths in cm, masses in g.

A scene is laid out with all joint coordinates at zero, as its author did: joints sit at places in the frame of the
joint before, bodies at places in that of their own joint. Coordinates and rates to start with come after that. Energy
is kinetic plus potential, the potential counted from the start.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import taut
from taut.joints import (
    Cylindrical,
    Differential,
    Fixed,
    Gear,
    PointOnPlane,
    Prismatic,
    Revolute,
    Spherical,
    Translational,
    Universal,
)
from taut.shapes import Box

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
GRAVITY = 980.0


@dataclass
class Reference:
    """A scene on its way: where joints are, and what they start with."""

    gravity: float = GRAVITY
    step: float = 1e-2
    duration: float = 2.0
    joints: dict[str, np.ndarray] = field(default_factory=lambda: {"world": np.zeros(3)})
    q: dict[str, tuple[float, ...]] = field(default_factory=dict)
    qdot: dict[str, tuple[float, ...]] = field(default_factory=dict)
    before_step: Callable[[taut.Simulation, float], None] | None = None
    last: taut.Simulation | None = None

    def __post_init__(self) -> None:
        self.scene = taut.Scene(gravity=(0.0, 0.0, -self.gravity), collisions=False)

    def add(
        self, name: str, parent: str, joint: taut.joints.Joint | None, at=(0, 0, 0), centre=(0, 0, 0), **body
    ) -> None:
        """Hang a body on its parent's joint frame; `joint` None lets it float."""
        self.joints[name] = self.joints[parent] + np.array(at, float)
        self.scene.add_body(name, position=self.joints[name] + np.array(centre, float), **body)
        if joint is not None:
            self.scene.connect(parent, name, joint, at=self.joints[name], name=f"to-{name}")

    def bar(
        self, name: str, parent: str, joint: taut.joints.Joint | None, sides, at=(0, 0, 0), centre=(0, 0, 0), **body
    ):
        """The same for a cuboid of density 1."""
        self.add(name, parent, joint, at, centre, shape=Box(*sides), density=1.0, **body)

    def simulation(self) -> taut.Simulation:
        """Ready to step, at the coordinates that it starts with."""
        simulation = taut.Simulation(self.scene, self.step, integrator="redmax", coordinates="reduced")
        put(simulation, self.q, self.qdot)
        return simulation

    def energy(self) -> float:
        """Energy at the end."""
        simulation = self.last = self.simulation()
        kinetic = kinetic_energy(simulation)
        potential = simulation.state.energy - kinetic
        for frame in range(round(self.duration / self.step)):
            if self.before_step is not None:
                self.before_step(simulation, (frame + 1) * self.step)
            report = simulation.step()
            assert report.status == "solved" and report.residual < 1e-9
        return simulation.state.energy - potential


def kinetic_energy(simulation: taut.Simulation) -> float:
    """Kinetic energy of all bodies."""
    state, mass = simulation.state, simulation.model.bodies.mass
    return float(
        0.5 * (mass[:, None] * state.velocity[:, :3] ** 2).sum() + 0.5 * (state.spin * state.velocity[:, 3:]).sum()
    )


def put(simulation: taut.Simulation, q: dict, qdot: dict) -> None:
    """Put a simulation at these coordinates and rates of the joints of bodies, others are zero."""
    from taut.stepping.redmax_kernels import move_tree

    step = simulation.stepper.redmax
    step.motion.q[:] = step.motion.qdot[:] = 0.0
    for given, into in ((q, step.motion.q), (qdot, step.motion.qdot)):
        for name, values in given.items():
            node = step.own.node[simulation.model.bodies.names.index(name)]
            first = step.own.tree.dof_start[node]
            into[first : first + len(values)] = values
    move_tree(*step.handles[:2])
    state = step.write(simulation.state, 0.0, simulation.state.force)
    simulation.restore(state.but(steps=0))


def chain(count: int, joint=Revolute, angles=(), sides=(10, 1, 1), **more) -> Reference:
    """Bars along x, hinged about y."""
    found = Reference(**more)
    parent = "world"
    for k in range(count):
        found.bar(f"{k}", parent, joint(axis=Y), sides, (10 * (k > 0), 0, 0), (5, 0, 0))
        parent = f"{k}"
    found.q = {f"{k}": (angle,) for k, angle in enumerate(angles)}
    return found


def simple_chain() -> Reference:
    return chain(2, angles=(math.pi / 2, math.pi / 4))


def serial_chain() -> Reference:
    found, parent = Reference(), "world"
    for k in range(5):
        joint = Fixed() if k % 2 else Revolute(axis=Y)
        found.bar(f"{k}", parent, joint, (10, 1, 1), (10 * (k > 0), 0, 0), (5, 0, 0))
        parent = f"{k}"
    found.q = {f"{k}": (math.pi / 4,) for k in (0, 2, 4)}
    return found


def different_axes() -> Reference:
    found, parent = Reference(q={"1": (math.pi / 2,), "2": (math.pi / 2,)}), "world"
    for k, axis in enumerate((Z, Y, Z)):
        found.bar(f"{k}", parent, Revolute(axis=axis), (10, 1, 1), (10 * (k > 0), 0, 0), (5, 0, 0))
        parent = f"{k}"
    return found


def branching() -> Reference:
    found = Reference(q={"left": (math.pi / 4,), "right": (math.pi / 4,)})
    found.bar("stem", "world", Revolute(axis=X), (1, 1, 10), (0, 0, 15), (0, 0, -5))
    found.bar("beam", "stem", Revolute(axis=Z), (1, 20, 1), (0, 0, -10))
    found.bar("left", "beam", Revolute(axis=X), (1, 1, 10), (0, -10, 0), (0, 0, -5))
    found.bar("right", "beam", Revolute(axis=Y), (1, 1, 10), (0, 10, 0), (0, 0, -5))
    return found


def spherical() -> Reference:
    found = Reference(duration=3.0, q={"0": (math.pi / 8,), "1": (math.pi / 8,)}, qdot={"0": (0.0, 0.0, 2.0)})
    found.bar("0", "world", Spherical(), (1, 1, 10), (0, 0, 0), (0, 0, -5))
    found.bar("1", "0", Spherical(), (1, 1, 10), (0, 0, -10), (0, 0, -5))
    return found


def loop() -> Reference:
    found = Reference(qdot={"5": (5.0,)})
    found.bar("1", "world", Fixed(), (20, 1, 1))
    found.bar("2", "1", Revolute(axis=Y), (1, 1, 10), (-10, 0, 0), (0, 0, -5))
    found.bar("3", "1", Revolute(axis=Y), (1, 1, 10), (10, 0, 0), (0, 0, -5))
    found.bar("4", "2", Revolute(axis=Y), (20, 1, 1), (0, 0, -10), (10, 0, 0))
    found.bar("5", "4", Revolute(axis=Y), (1, 1, 10), (10, 0, 0), (0, 0, -5))
    found.scene.connect("3", "4", Spherical(), at=(10, 0, -10), name="loop")
    return found


def joint_torque() -> Reference:
    found = chain(3, gravity=0.0, duration=10.0, step=5e-2)

    def act(simulation: taut.Simulation, time: float) -> None:
        torques = (0, 0, 100) if time < 3.0 else (0, 100, -100) if time < 6.0 else (100, -100, 0)
        for k, (own, after) in enumerate(zip(torques, (*torques[1:], 0), strict=True)):
            simulation.body(f"{k}").apply(torque=(0, own - after, 0))

    found.before_step = act
    return found


def coupled_angles() -> Reference:
    """Each angle is half of the one before: seen from the bar between them, the ends turn against each other."""
    found = chain(3, step=2e-2)
    for ends in (("1", "world", "0"), ("2", "0", "1")):
        gear = Gear(ratio=-0.5, axis_a=Y, axis_b=Y, carrier=ends[2])
        found.scene.connect(ends[0], ends[1], gear, name=f"gear-{ends[0]}")
    return found


def coupled_loop() -> Reference:
    """A ring of six, two of whose angles are coupled: the turn in one hinge is half of that in another."""
    found = Reference(step=2e-2, qdot={"7": (10.0,)})
    found.bar("1", "world", Fixed(), (10, 1, 1))
    found.bar("2", "1", Revolute(axis=Y), (1, 1, 10), (5, 0, 0), (0, 0, -5))
    found.bar("3", "2", Revolute(axis=Y), (1, 1, 10), (0, 0, -10), (0, 0, -5))
    found.bar("4", "3", Revolute(axis=Y), (10, 1, 1), (0, 0, -10), (-5, 0, 0))
    found.bar("5", "4", Revolute(axis=Y), (1, 1, 10), (-10, 0, 0), (0, 0, 5))
    found.bar("6", "5", Revolute(axis=Y), (1, 1, 10), (0, 0, 10), (0, 0, 5))
    found.bar("7", "4", Revolute(axis=Y), (1, 1, 10), (-5, 0, 0), (0, 0, -5))
    found.scene.connect("6", "1", Spherical(), at=(-5, 0, 0), name="loop")
    half = Differential(other="2", axis_a=Y, axis_b=Y, axis_other=(0, -1, 0), carrier="5")
    found.scene.connect("6", "3", half, name="coupling")
    return found


def world_force() -> Reference:
    found = chain(3, gravity=0.0)
    for spec in found.scene.bodies[1:]:
        spec.linear_damping = spec.angular_damping = 10.0
    found.before_step = lambda simulation, _: simulation.body("2").apply((0, 0, 1000.0), point=(5, 0, 0))
    return found


def joint_stiffness() -> Reference:
    return chain(3, lambda axis: Revolute(axis=axis, stiffness=1e4, damping=1e3), gravity=0.0, duration=5.0, step=2e-2,
                 qdot={"0": (1.0,)})  # fmt: skip


def universal() -> Reference:
    found, parent = Reference(q={"0": (math.pi / 8, 0), "1": (0, math.pi / 8), "2": (math.pi / 8, 0)}), "world"
    for k in range(3):
        found.bar(f"{k}", parent, Universal(axis_a=X, axis_b=Y), (1, 1, 10), (0, 0, -10 * (k > 0)), (0, 0, -5))
        parent = f"{k}"
    return found


def prismatic() -> Reference:
    found = Reference(q={"5": (3 * math.pi / 4,)})
    found.bar("1", "world", Fixed(), (22, 1, 1))
    found.bar("2", "1", Revolute(axis=Y), (1, 1, 10), (-11, 0, 0), (0, 0, -5))
    found.bar("3", "2", Prismatic(axis=X), (22, 1, 1), (0, 0, -10), (11, 0, 0))
    found.bar("4", "3", Revolute(axis=Y), (1, 1, 10), (22, 0, 0), (0, 0, 5))
    found.bar("5", "3", Revolute(axis=Y), (1, 1, 10), (11, 0, 0), (0, 0, -5))
    found.scene.connect("4", "1", Spherical(), at=(11, 0, 0), name="loop")
    return found


def plate(**more) -> Reference:
    """A plate that slides, with two pendulums."""
    found = Reference(**more)
    found.bar("plate", "world", Translational(), (10, 10, 1))
    found.bar("a", "plate", Revolute(axis=Y), (1, 1, 10), (-5, 0, 0), (0, 0, -5))
    found.bar("b", "plate", Revolute(axis=X), (1, 1, 10), (0, -5, 0), (0, 0, -5))
    return found


def planar() -> Reference:
    """Two slides: three, of which a row holds the one along z."""
    found = plate(q={"a": (math.pi / 2,), "b": (math.pi / 4,)})
    found.scene.connect("world", "plate", PointOnPlane(normal=Z), at=(0, 0, 0), name="plane")
    return found


def translational() -> Reference:
    return plate(gravity=0.0, qdot={"a": (2.0,), "b": (1.0,)})


def free() -> Reference:
    found = Reference(gravity=1.0, duration=7.0, qdot={"0": (0.0, 0.0, 3.0, 0.2, 0.4, 0.6)})
    found.bar("0", "world", None, (1, 1, 1))
    return found


def composite_joint() -> Reference:
    found = Reference(step=2e-2, q={"0": (0.0, 0.1)}, qdot={"0": (1.0, 0.0)})
    found.bar("0", "world", Cylindrical(axis=X), (1, 1, 10), (0, 0, 0), (0, 0, 5))
    return found


def point_to_point() -> Reference:
    found = chain(4, angles=(math.pi / 2, *[math.pi / 16] * 3))
    for k in range(1, 4):
        found.scene.add_spring(f"{k - 1}", f"{k}", (-1, 0, 0), (5, 0, 0), stiffness=100.0, rest_length=0.0)
    return found


def spring_damper() -> Reference:
    """Two bars on a fixed one, the first held by a spring of 1e6 N for each doubling of its length."""
    found = Reference(q={"1": (math.pi / 2,), "2": (-math.pi / 2,)})
    found.bar("0", "world", Fixed(), (10, 1, 1), (0, 0, 0), (5, 0, 0))
    found.bar("1", "0", Revolute(axis=Y), (10, 1, 1), (10, 0, 0), (5, 0, 0))
    found.bar("2", "1", Revolute(axis=Y), (10, 1, 1), (10, 0, 0), (5, 0, 0))
    length = math.dist((3, 0, -0.5), (9.5, 0.5, -6.0))  # where the scene starts
    rest = {"stiffness": 1e6 / length, "damping": 1e3 / length, "rest_length": length}
    found.scene.add_spring("0", "1", (-2, 0, -0.5), (1, 0.5, -0.5), **rest)
    return found


def composite_body() -> Reference:
    """A bar and a cylinder of radius 1 and length 10 along x in one body."""
    masses, centres = np.array([10.0, 10.0 * math.pi]), np.array([[0, 0, -5.0], [5.0, 0, -10.0]])
    centre = masses @ centres / masses.sum()
    moments = [masses[0] / 12 * np.array([101, 101, 2]), masses[1] * np.array([0.5, 103 / 12, 103 / 12])]
    inertia = np.zeros((3, 3))
    for mass, at, own in zip(masses, centres - centre, moments, strict=True):
        inertia += np.diag(own) + mass * (at @ at * np.eye(3) - np.outer(at, at))
    found = Reference()
    found.add("0", "world", Revolute(axis=Y), centre=centre, mass=masses.sum(), inertia=inertia)
    return found


def mesh_body() -> Reference:
    """A block of 1 x 2 x 3, which the author reads from a file."""
    found = Reference(duration=1.0)
    found.bar("0", "world", Revolute(axis=Y), (1, 2, 3), (0, 0, 0), (0.5, 0, -1.5))
    found.bar("1", "0", Revolute(axis=Y), (1, 2, 3), (0, 0, -3), (0.5, 0, -1.5))
    return found


PUBLISHED = [
    (simple_chain, -3697.4545694454454861),
    (serial_chain, -5930.8171118834870867),
    (different_axes, -9423.2594023734018265),
    (branching, -1123.9825362491046690),
    (spherical, 7788.8055603543098186),
    (loop, 3987.2011847696289806),
    (joint_torque, 170.5971183034905607),
    (coupled_angles, 42645.1541420989669859),
    (coupled_loop, 14677.4348748325592169),
    (world_force, 1088.3425711375120954),
    (joint_stiffness, 2659.7218894234238178),
    (universal, 9679.3365423127470422),
    (prismatic, -17427.8561972516035894),
    (planar, 1027.3404900101377279),
    (translational, 836.2350063173605577),
    (free, 4.5116666666668817),
    (composite_joint, 918.5086593280602756),
    (point_to_point, 2125.1442936080966319),
    (composite_body, 1261.6057602036726166),
    (mesh_body, 59.8820887155682158),
]
"""Scenes with the energies that the reference code publishes for linearly implicit Euler, in erg."""
