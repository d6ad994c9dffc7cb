"""Every soft row has the frequency and damping that its stiffness and damping in SI units ask for.

One row is soft while the others of its joint hold. Along it bodies have the mass m with
1/m = j M^-1 j^T - j M^-1 H^T (H M^-1 H^T)^-1 H M^-1 j^T, so q'' + (c/m) q' + (k/m) q = 0. They start in the mode of
that row, q = 0 with a small speed, and q(t) = (u/w) exp(-d t) sin(w t) is fitted.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from joint_examples import NAMES, example
from scipy.optimize import curve_fit

import taut
from taut import joints
from taut.joints import Drive, Motor
from taut.joints.softening import by_axes, row_names
from taut.rows.law import SOFT
from taut.scene.frames import joint_frame

FREQUENCY, RATIO = 2.0, 0.1
OMEGA = 2.0 * math.pi * FREQUENCY
SPEED = 1e-3
"""Of the soft row at the start, m/s or rad/s: motion is linear to 1e-4."""

OTHERS = ("c", "carrier")


def bare_scene(joint: joints.Joint | None, ratio: float, **options: object) -> taut.Scene:
    """Body b joined to body a, which is `ratio` times as heavy; no gravity, nothing else holds them."""
    scene = taut.Scene(gravity=(0, 0, 0))
    for index, name in enumerate(("a", "b", *OTHERS)):
        mass = ratio if name == "a" else 1.0
        scene.add_body(
            name, mass=mass, inertia=mass * np.array([0.3, 0.4, 0.5]), position=(0.7 * index, 0.3 * index, -0.4 * index)
        )
    if joint is not None:
        scene.connect("a", "b", joint, at=(0.5, 0.2, 0.1), name="joint", **options)
    return scene


def soft_row(sim: taut.Simulation) -> int:
    """The first soft row of the joint, which is the only one."""
    (row,) = np.flatnonzero(sim.model.layout.laws.kind == SOFT)
    return int(row)


def mode_of(sim: taut.Simulation, row: int) -> tuple[np.ndarray, float]:
    """Velocities (bodies, 6) of a mode in which the row moves by one and hard rows do not, and its mass."""
    jacobian = dense_jacobian(sim)
    inverse = np.zeros((jacobian.shape[1],) * 2)
    for body in np.flatnonzero(sim.model.bodies.moves):
        at = 6 * body
        inverse[at : at + 3, at : at + 3] = np.eye(3) / sim.model.bodies.mass[body]
        inverse[at + 3 : at + 6, at + 3 : at + 6] = np.linalg.inv(sim.model.bodies.inertia[body].reshape(3, 3))
    j, hard = jacobian[row], jacobian[sim.stepper.mechanism.hard]
    way = inverse @ j
    if len(hard):
        way -= inverse @ hard.T @ np.linalg.lstsq(hard @ inverse @ hard.T, hard @ way, rcond=1e-10)[0]
    mass = 1.0 / float(j @ way)
    return (mass * way).reshape(-1, 6), mass


def dense_jacobian(sim: taut.Simulation) -> np.ndarray:
    """J (rows, 6 bodies) where the simulation is."""
    layout = sim.model.layout
    blocks = sim.stepper.measure(sim.state).jacobian
    dense = np.zeros((layout.row_count, sim.model.bodies.count, 6))
    dense[layout.entry_row, layout.entry_body] = blocks
    return dense.reshape(layout.row_count, -1)


def decay(time, omega, rate, speed):
    return speed / omega * np.exp(-rate * time) * np.sin(omega * time)


def found(sim: taut.Simulation, row: int, mode: np.ndarray, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and the row's measure from rest while the simulation runs."""
    target = sim.state.target[row]
    sim.state.velocity[:] = SPEED * mode
    sim.state.spin[:] = np.einsum("bij,bj->bi", sim.model.bodies.inertia.reshape(-1, 3, 3), sim.state.velocity[:, 3:])
    slim = sim.model.bodies.slim_axis
    sim.state.slim_spin[:] = np.einsum("bi,bi->b", slim, sim.state.spin)
    sim.restore(sim.state)
    times, values = [0.0], [0.0]
    for _ in range(round(duration / sim.settings.step)):
        assert sim.step().status == "solved"
        times.append(sim.time)
        values.append(float(sim.stepper.measure(sim.state).value[row] - target))
    return np.array(times), np.array(values)


def check(make: Callable[[float, float], taut.Scene], step: float = 1e-3, **options: object) -> None:
    """Frequency and damping of the only soft row of a scene made with a stiffness and a damping."""
    sim = taut.Simulation(make(1.0, 0.1), step=step)
    _, mass = mode_of(sim, soft_row(sim))
    stiffness, damping = taut.softness.spring_constants(mass, FREQUENCY, RATIO)
    sim = taut.Simulation(make(stiffness, damping), step=step, **options)
    row = soft_row(sim)
    mode, _ = mode_of(sim, row)
    time, value = found(sim, row, mode, 1.0)
    (omega, rate, _), _ = curve_fit(decay, time, value, p0=(OMEGA, RATIO * OMEGA, SPEED))
    assert math.hypot(omega, rate) == pytest.approx(OMEGA, rel=0.01)
    assert rate == pytest.approx(RATIO * OMEGA, rel=0.01)


def hard_rows(joint: joints.Joint) -> list[str]:
    """Names of a joint's hard rows."""
    scene = bare_scene(joint, 1.0)
    frame = joint_frame(scene, scene.links[0])
    return row_names(by_axes(frame, joint.rows(frame)))


CASES = [(name, row) for name in NAMES if name not in ("Rope", "Route") for row in hard_rows(example(name))]


@pytest.mark.parametrize(("name", "row"), CASES)
def test_hard_rows_made_soft(name, row):
    check(lambda k, c: bare_scene(example(name), 1.0, compliance={row: 1.0 / k}, damping={row: c}))


@pytest.mark.parametrize("ratio", [1e-4, 1e6])
@pytest.mark.parametrize(
    ("name", "row"), [("Fixed", "x"), ("Fixed", "ry"), ("Revolute", "tilt-1"), ("Screw", "coupling")]
)
def test_hard_rows_made_soft_between_unequal_bodies(name, row, ratio):
    check(lambda k, c: bare_scene(example(name), ratio, compliance={row: 1.0 / k}, damping={row: c}))


DRIVEN: dict[str, Callable[[Drive], joints.Joint]] = {
    "Revolute": lambda d: joints.Revolute(axis=(1, 2, -1), **drive_fields(d)),
    "Prismatic": lambda d: joints.Prismatic(axis=(1, 0, 2), **drive_fields(d)),
    "Screw": lambda d: joints.Screw(axis=(1, 0, 1), pitch=0.3, **drive_fields(d)),
    "Cylindrical slide": lambda d: joints.Cylindrical(axis=(0, 1, 1), slide=d),
    "Cylindrical turn": lambda d: joints.Cylindrical(axis=(0, 1, 1), turn=d),
    "Universal first": lambda d: joints.Universal(axis_a=(1, 1, 0), axis_b=(1, -1, 0.0), first=d),
    "Planar x": lambda d: joints.Planar(normal=(0.2, 0.3, 1.0), x=d),
    "Planar turn": lambda d: joints.Planar(normal=(0.2, 0.3, 1.0), turn=d),
    "Translational y": lambda d: joints.Translational(y=d),
}


def drive_fields(drive: Drive) -> dict[str, object]:
    """The fields of a drive, for joints that are one themselves."""
    return {name: getattr(drive, name) for name in Drive.__dataclass_fields__}


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("name", DRIVEN)
def test_springs_of_drives(name, coordinates):
    check(lambda k, c: bare_scene(DRIVEN[name](Drive(stiffness=k, damping=c)), 3.0), coordinates=coordinates)


@pytest.mark.parametrize("name", DRIVEN)
def test_soft_motors(name):
    motor = lambda k, c: Motor(position=0.0, stiffness=k, damping=c)  # noqa: E731
    check(lambda k, c: bare_scene(DRIVEN[name](Drive(motor=motor(k, c))), 3.0))


@pytest.mark.parametrize("ratio", [1e-4, 1.0, 1e6])
def test_springs_between_points(ratio):
    def make(stiffness: float, damping: float) -> taut.Scene:
        scene = bare_scene(None, ratio)
        scene.add_spring("a", "b", stiffness=stiffness, damping=damping)
        return scene

    check(make)


MASS, MOMENTS = 2.0, np.array([0.3, 0.4, 0.5])


def held_by(kind: str, constants: np.ndarray) -> taut.Scene:
    """One body, held at its centre of mass along its principal axes by springs with (axis, [k, c]) constants (6, 2)."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=MASS, inertia=MOMENTS)
    (kx, cx), (ky, cy), _, (krx, crx), (kry, cry), _ = constants
    if kind == "Link":
        link = joints.Link(
            axis=(1, 0, 0), stretch=kx, stretch_damping=cx, shear=ky, shear_damping=cy, twist=krx, twist_damping=crx,
            bend=kry, bend_damping=cry,
        )  # fmt: skip
        scene.connect("world", "b", link)
    elif kind == "Spherical":
        scene.connect("world", "b", joints.Spherical(stiffness=krx, damping=crx))
    elif kind == "compliance":
        scene.connect("world", "b", joints.Fixed(), compliance=1.0 / kx, damping=cx)
    else:
        scene.add_spring("world", "b", stiffness=kx, damping=cx, rest_length=0.0)
    return scene


HELD = [("Link", axis) for axis in range(6)] + [("Spherical", axis) for axis in (3, 4, 5)]
HELD += [("spring", axis) for axis in range(3)] + [("compliance", axis) for axis in range(6)]


@pytest.mark.parametrize(("kind", "axis"), HELD)
def test_many_soft_rows_at_once(kind, axis):
    mass = np.concatenate([np.full(3, MASS), MOMENTS])
    constants = np.full((6, 2), taut.softness.spring_constants(mass[axis], FREQUENCY, RATIO))
    sim = taut.Simulation(held_by(kind, constants), step=1e-3)
    mode = np.zeros((2, 6))
    mode[1, axis] = 1.0
    rate = dense_jacobian(sim) @ mode.ravel()
    row = int(np.argmax(np.abs(rate)))
    time, value = found(sim, row, mode / rate[row], 1.0)
    (omega, rate, _), _ = curve_fit(decay, time, value, p0=(OMEGA, RATIO * OMEGA, SPEED))
    assert math.hypot(omega, rate) == pytest.approx(OMEGA, rel=0.01)
    assert rate == pytest.approx(RATIO * OMEGA, rel=0.01)


def pressed(kind: str, frequency: float, ratio: float, mass: float) -> taut.Scene:
    """A body that gravity presses on something soft, where it is at rest."""
    stiffness, damping = taut.softness.spring_constants(mass, frequency, ratio)
    deep = mass * 9.81 / stiffness
    scene = taut.Scene(contact_compliance=1.0 / stiffness, contact_damping=damping)
    z = (0.0, 0.0, 1.0)
    ends = {"limit_stiffness": stiffness, "limit_damping": damping}
    if kind == "contact":
        scene.add_plane()
        scene.add_body("b", taut.shapes.Sphere(0.1), mass=mass, position=(0, 0, 0.1))
        return scene
    scene.add_body("b", mass=mass, inertia=(1, 1, 1))
    if kind == "lower limit":
        scene.connect("world", "b", joints.Prismatic(axis=z, limits=(0.0, 5.0), **ends))
    elif kind == "upper limit":
        scene.connect("world", "b", joints.Prismatic(axis=(0, 0, -1), limits=(-math.inf, 0.0), **ends))
    else:
        scene.connect("world", "b", joints.Rope(point_a=(0, 0, 2)), compliance=1.0 / stiffness, damping=damping)
    assert deep < 1.0
    return scene


def swing(time, omega, rate, cosine, sine, rest):
    return rest + np.exp(-rate * time) * (cosine * np.cos(omega * time) + sine * np.sin(omega * time))


@pytest.mark.parametrize(("frequency", "ratio"), [(FREQUENCY, RATIO), (10.0, 0.5), (15.0, 0.1)])
@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e5])
@pytest.mark.parametrize("kind", ["lower limit", "upper limit", "rope", "contact"])
def test_soft_ends_and_contacts_under_load(kind, mass, frequency, ratio):
    """From the end of its reach a body sinks by twice m g / k, less what is damped, and oscillates about m g / k."""
    sim = taut.Simulation(pressed(kind, frequency, ratio, mass), step=1e-3)
    start, times, heights = sim.body("b").position[2], [], []
    for _ in range(round(2.0 / frequency / sim.settings.step)):
        assert sim.step().status == "solved"
        times.append(sim.time)
        heights.append(sim.body("b").position[2] - start)
    expected = 2.0 * math.pi * frequency
    deep = 9.81 / expected**2
    (omega, rate, _, _, rest), _ = curve_fit(
        swing, np.array(times), np.array(heights), p0=(expected, ratio * expected, deep, 0, -deep)
    )
    assert rest == pytest.approx(-deep, rel=0.01)
    assert math.hypot(omega, rate) == pytest.approx(expected, rel=0.01)
    assert rate == pytest.approx(ratio * expected, rel=0.01)


@pytest.mark.parametrize("compliance", [0.0, 1e-7])
def test_a_stiff_rope_that_goes_slack_leaves_nothing_behind(compliance):
    """The two-step formula would go on with a third of the impulse that was the rope's last."""
    scene = taut.Scene(collisions=False)
    scene.add_body("b", mass=100.0, inertia=(1, 1, 1))
    rope = joints.Rope(point_a=(0, 0, 2), length=2.0)
    scene.connect("world", "b", rope, compliance=compliance, damping=1e3 if compliance else 0.0)
    sim = taut.Simulation(scene)
    sim.run(1.0)
    before = sim.body("b").velocity[2]
    sim.body("b").apply(force=(0, 0, 2 * 9.81 * 100.0))
    sim.run(0.5)
    assert sim.body("b").velocity[2] - before == pytest.approx(9.81 * 0.5, rel=1e-9)


@pytest.mark.parametrize("integrator", ["bdf2", "low-damping"])
def test_a_load_swings_on_a_rope_that_stretches(integrator):
    """A spring that only pulls is one like others while it does: the steps do not damp what hangs on it."""
    scene = taut.Scene(collisions=False)
    mass, length, stiffness, angle = 1000.0, 10.0, 5e5, math.radians(30.0)
    way = length + mass * 9.81 * math.cos(angle) / stiffness
    low = way * math.sin(angle), 0.0, -way * math.cos(angle)
    scene.add_body("load", taut.shapes.Sphere(0.3), mass=mass, position=low)
    rope = joints.Rope(length=length)
    scene.connect("world", "load", rope, compliance=1.0 / stiffness, damping=0.1 * math.sqrt(stiffness * mass))
    recording = taut.Simulation(scene, integrator=integrator).run(10.0)
    assert not recording.column("unconverged").any()
    swings = mass * 9.81 * length * (1.0 - math.cos(angle))
    assert np.abs(recording.energy - recording.energy[0]).max() < 0.01 * swings


def energies(make: Callable[[float, float], taut.Scene], frequency: float, integrator: str) -> np.ndarray:
    """Energy frame by frame over 2 s at 60 steps a second from the mode of the soft row, in shares of the first."""
    sim = taut.Simulation(make(1.0, 0.1))
    _, mass = mode_of(sim, soft_row(sim))
    sim = taut.Simulation(make(*taut.softness.spring_constants(mass, frequency, RATIO)), integrator=integrator)
    row = soft_row(sim)
    sim.state.velocity[:] = SPEED * mode_of(sim, row)[0]
    inertia = sim.model.bodies.inertia.reshape(-1, 3, 3)
    sim.state.spin[:] = np.einsum("bij,bj->bi", inertia, sim.state.velocity[:, 3:])
    sim.state.slim_spin[:] = np.einsum("bi,bi->b", sim.model.bodies.slim_axis, sim.state.spin)
    sim.restore(sim.state)
    energy = [sim.state.energy]
    for _ in range(120):
        assert sim.step().status == "solved"
        energy.append(sim.state.energy)
    return np.array(energy) / energy[0]


@pytest.mark.parametrize("integrator", ["euler", "bdf2"])
@pytest.mark.parametrize("frequency", [2.0, 20.0, 200.0, 1e5])
@pytest.mark.parametrize(("name", "row"), CASES)
def test_energy_of_soft_rows_falls_at_large_steps(name, row, frequency, integrator):
    """With Euler in every frame; the two-step scheme gives back up to 2e-4 of what it took in its first frame."""

    def make(stiffness: float, damping: float) -> taut.Scene:
        return bare_scene(example(name), 1.0, compliance={row: 1.0 / stiffness}, damping={row: damping})

    energy = energies(make, frequency, integrator)
    assert (np.diff(energy) <= (1e-11 if integrator == "euler" else 2e-4)).all()
    assert energy[-1] < 0.1
