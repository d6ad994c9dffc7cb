"""Random shots: bullets of all shapes at walls, at each other, at the ground, and past them; and who passed what."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from fuzz import trials
from fuzz.contact_scenes import random_quaternion
from fuzz.trials import Rng, chance, log_uniform

import taut
from taut import shapes

WALL = 3.0
"""Height and width of walls, m."""


@dataclass
class Shot:
    """A scene with bullets, and how to tell that one passed what it should not, or was stopped by nothing.

    Attributes:
        scene, options: what is simulated, and how.
        frames: how long.
        passed: says from the simulation before and after a frame whether a bullet got through something.
        flies: names of bullets that meet nothing, so that their velocities stay.
        conserves: whether nothing but the bodies takes up momentum.
    """

    scene: taut.Scene
    options: dict[str, Any]
    frames: int
    passed: Callable[[Places, Places], bool]
    flies: tuple[str, ...] = ()
    conserves: bool = False


Places = dict[str, tuple[np.ndarray, np.ndarray]]
"""Position and rotation matrix by the name of a body."""


@dataclass
class Result:
    """How a shot ended: whether something passed, frames by status, and what else is wrong."""

    passed: bool = False
    silent: bool = False
    statuses: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    frames: int = 0
    solves: int = 0


def rotation(q: np.ndarray) -> np.ndarray:
    """Rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def bullet(rng: Rng) -> tuple[shapes.Shape, float]:
    """A bullet of 1 to 20 cm, and how far its points are from its middle at most, m."""
    size = log_uniform(rng, 0.02, 0.2)
    long, thin = size * rng.uniform(1.0, 3.0), size * rng.uniform(0.05, 0.2)
    kinds: tuple[Callable[[], tuple[shapes.Shape, float]], ...] = (
        lambda: (shapes.Sphere(0.5 * size), 0.5 * size),
        lambda: (shapes.Capsule(0.3 * size, size), 0.8 * size),
        lambda: (shapes.Box(size, 0.6 * size, 0.4 * size), 0.7 * size),
        lambda: (shapes.Capsule(0.5 * thin, long), 0.5 * long + thin),
        lambda: (shapes.Cylinder(0.5 * thin, long), 0.5 * long + thin),
        lambda: (shapes.Box(thin, thin, long), 0.5 * long + thin),
        lambda: (shapes.Cylinder(0.4 * size, 0.6 * size), 0.5 * size),
        lambda: (shapes.Convex(0.3 * size * unit_vectors(rng, int(rng.integers(6, 20)))), 0.6 * size),
    )
    return kinds[rng.integers(len(kinds))]()


def unit_vector(rng: Rng) -> np.ndarray:
    """Any direction (3,)."""
    return np.asarray(trials.unit_vector(rng))


def unit_vectors(rng: Rng, count: int) -> np.ndarray:
    """Points (k, 3) around the unit sphere, the six on the axes among them."""
    return np.vstack([np.eye(3), -np.eye(3), *(unit_vector(rng)[None] for _ in range(count))])


@dataclass
class Range:
    """Where shots are fired: x is downrange."""

    rng: Rng
    scene: taut.Scene
    step: float
    speed: float

    @classmethod
    def of(cls, rng: Rng, gravity: bool) -> Range:
        """An empty one."""
        scene = taut.Scene(gravity=(0, 0, -9.81 if gravity else 0.0), friction=float(rng.uniform(0.0, 1.0)))
        step = float(rng.choice([1 / 60, 1 / 60, 1 / 30, 1 / 240]))
        return cls(rng, scene, step, log_uniform(rng, 5.0, 300.0))

    def spin(self) -> np.ndarray:
        """None, or of up to 60 rad/s, which is a radian in a frame."""
        return unit_vector(self.rng) * (log_uniform(self.rng, 1.0, 60.0) if chance(self.rng, 0.5) else 0.0)

    def fire(self, name: str, target: Any, velocity: np.ndarray, shape: shapes.Shape, size: float) -> float:
        """A bullet that gets to the target, m, in some frames; returns how many."""
        flight = self.rng.uniform(0.0, 3.0) * self.step + (size + 0.3) / float(np.linalg.norm(velocity))
        self.scene.add_body(
            name, shape, mass=log_uniform(self.rng, 0.02, 5.0), position=np.asarray(target) - flight * velocity,
            orientation=random_quaternion(self.rng), velocity=velocity, angular_velocity=self.spin(),
        )  # fmt: skip
        return flight / self.step

    def frames(self, flight: float) -> int:
        """Frames of a shot that hits something after so many."""
        return math.ceil(flight) + 8


def through(wall: str, name: str, tall: float, before: Places, after: Places) -> bool:
    """Whether the middle of a bullet got from one side of a wall to the other within its outline.

    Seen from a wall that turns, its path is a curve: it is followed in pieces. A wall that turns by half a radian may
    get out of the way.
    """
    (a, ra), (b, rb) = before[wall], after[wall]
    turn = turn_of(rb @ ra.T)
    if np.linalg.norm(turn) > 0.5:
        return False
    last = None
    for share in np.linspace(0.0, 1.0, 41):
        place = (1.0 - share) * (before[name][0] - a) + share * (after[name][0] - b)
        local = ra.T @ turned_by(-share * turn) @ place
        if last is not None and last[0] * local[0] < 0.0 and np.abs(local[1:]).max() < tall:
            return True
        last = local
    return False


def turn_of(matrix: np.ndarray) -> np.ndarray:
    """Rotation vector (3,) of a rotation by less than half a turn."""
    axis = 0.5 * np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    sine = float(np.linalg.norm(axis))
    return axis * (math.atan2(sine, 0.5 * (float(np.trace(matrix)) - 1.0)) / sine) if sine > 0.0 else axis


def turned_by(vector: np.ndarray) -> np.ndarray:
    """Rotation matrix of a rotation vector (3,)."""
    angle = float(np.linalg.norm(vector))
    axis = vector / angle if angle > 0.0 else vector
    return rotation(np.append(math.cos(0.5 * angle), math.sin(0.5 * angle) * axis))


def at_wall(rng: Rng, free: bool, moving: bool, slant: float) -> Shot:
    """A bullet at a wall that is fixed, or free, at rest or moving; up to `slant` from head-on, rad."""
    field_ = Range.of(rng, gravity=not free and chance(rng, 0.5))
    shape, size = bullet(rng)
    thick = log_uniform(rng, 1e-3, 0.5)
    angle, about = slant * math.sqrt(rng.uniform()), rng.uniform(0.0, 2.0 * math.pi)
    way = np.array([math.cos(angle), math.sin(angle) * math.cos(about), math.sin(angle) * math.sin(about)])
    spot = np.append(0.0, rng.uniform(-0.5, 0.5, 2))
    drift = unit_vector(rng) * field_.speed * rng.uniform(0.0, 0.5) if moving else np.zeros(3)
    flight = field_.fire("bullet", spot, field_.speed * way, shape, (size + 0.5 * thick) / max(way[0], 0.2))
    held = {"mass": log_uniform(rng, 0.2, 200.0), "velocity": drift} if free else {"fixed": True}
    start = -drift * flight * field_.step
    field_.scene.add_body("wall", shapes.Box(thick, WALL, WALL), position=start, **held)
    return Shot(
        field_.scene, {"step": field_.step}, field_.frames(flight),
        lambda before, after: through("wall", "bullet", 0.5 * WALL - size, before, after),
        conserves=free,
    )  # fmt: skip


def at_each_other(rng: Rng) -> Shot:
    """Two bullets that meet head-on, or one that catches up."""
    field_ = Range.of(rng, gravity=False)
    (one, first), (two, second) = bullet(rng), bullet(rng)
    thin = 0.05 * min(first, second)
    flight = 0.3 / field_.speed + field_.step * rng.uniform(0.0, 2.0)
    aside = np.append(0.0, rng.uniform(-thin, thin, 2))
    share = rng.uniform(-1.0, 0.6)
    for name, shape, speed, offset in (("a", one, 1.0, 0.0 * aside), ("b", two, share, aside)):
        velocity = np.array([speed * field_.speed, 0.0, 0.0])
        place = offset - flight * velocity + (0.0 if name == "a" else (first + second) * np.array([1.0, 0.0, 0.0]))
        field_.scene.add_body(
            name, shape, mass=log_uniform(rng, 0.05, 2.0), position=place, velocity=velocity,
            orientation=random_quaternion(rng),
        )  # fmt: skip

    def passed(before: Places, after: Places) -> bool:
        start, end = before["b"][0] - before["a"][0], after["b"][0] - after["a"][0]
        if start[0] <= 0.0 or end[0] >= 0.0:
            return False
        crossing = start + start[0] / (start[0] - end[0]) * (end - start)
        return bool(np.abs(crossing).max() < 2.0 * thin)

    return Shot(field_.scene, {"step": field_.step}, field_.frames(flight / field_.step), passed, conserves=True)


def at_ground(rng: Rng, rough: bool) -> Shot:
    """A bullet at a plane, or at hills."""
    field_ = Range.of(rng, gravity=True)
    shape, size = bullet(rng)
    height = 0.0
    if rough:
        hills = rng.normal(size=(12, 12)) * 0.3
        field_.scene.add_body("land", shapes.Heightfield(hills, (24.0, 24.0)), fixed=True)
        height = float(hills.max())
    else:
        field_.scene.add_plane()
    way = unit_vector(rng)
    way[2] = -abs(way[2]) - 0.1
    flight = field_.fire("bullet", (0.0, 0.0, height), field_.speed * way / np.linalg.norm(way), shape, 2.0 * size)
    low = float(hills.min()) if rough else 0.0

    def passed(before: Places, after: Places) -> bool:
        place = after["bullet"][0]
        return bool(np.abs(place[:2]).max() < 11.0 and place[2] < low)

    return Shot(field_.scene, {"step": field_.step}, field_.frames(flight), passed)


def past(rng: Rng) -> Shot:
    """A bullet through an open gap between two walls, or past the edge of one: it flies on."""
    field_ = Range.of(rng, gravity=False)
    shape, size = bullet(rng)
    thick, gap = log_uniform(rng, 1e-3, 0.5), 1.1 * size + 0.002
    flight = field_.fire("bullet", (0, 0, 0), np.array([field_.speed, 0.0, 0.0]), shape, size + thick)
    for number in range(2 if chance(rng, 0.7) else 1):
        side = (gap + 0.5) * (1.0 if number == 0 else -1.0)
        held = {"fixed": True} if chance(rng, 0.5) else {"mass": 5.0}
        field_.scene.add_body(f"wall{number}", shapes.Box(thick, 1.0, 1.0), position=(0, side, 0), **held)
    nobody = lambda before, after: False  # noqa: E731
    return Shot(field_.scene, {"step": field_.step}, field_.frames(flight), nobody, flies=("bullet",))


KINDS: tuple[Callable[[Rng], Shot], ...] = (
    lambda rng: at_wall(rng, False, False, 0.3),
    lambda rng: at_wall(rng, True, False, 0.3),
    lambda rng: at_wall(rng, True, True, 0.3),
    lambda rng: at_wall(rng, False, False, 1.5),
    lambda rng: at_wall(rng, True, False, 1.4),
    at_each_other,
    lambda rng: at_ground(rng, True),
    lambda rng: at_ground(rng, False),
    past,
)
"""Kinds of shots, one seed after the other."""


def fire(seed: int) -> Result:
    """Fire the shot of a seed and look at every frame."""
    rng = np.random.default_rng([14, seed])
    shot = KINDS[seed % len(KINDS)](rng)
    sim, result = taut.Simulation(shot.scene, **shot.options), Result()
    before, least = places(sim), float(sim.state.energy)
    start, momentum = {name: sim.body(name).velocity.copy() for name in shot.flies}, total_momentum(sim)
    scale = float(sum(mass * np.linalg.norm(v) for mass, v in moving(sim)))
    kinetic = float(sum(0.5 * mass * v @ v for mass, v in moving(sim)))
    for _ in range(shot.frames):
        report = sim.step()
        result.frames, result.solves = result.frames + 1, result.solves + report.solves
        result.statuses[report.status] = result.statuses.get(report.status, 0) + 1
        now = places(sim)
        if not all(np.isfinite(place).all() for place, _ in now.values()):
            result.wrong.append("not finite")
            break
        result.passed |= shot.passed(before, now)
        solved = set(result.statuses) == {"solved"}
        if solved and report.energy > least + 1e-2 * kinetic:
            result.wrong.append("energy")
        least, before = min(least, report.energy), now
        if solved and shot.conserves and np.abs(total_momentum(sim) - momentum).max() > 1e-6 * scale:
            result.wrong.append("momentum")
    result.silent = result.passed and set(result.statuses) == {"solved"}
    for name, velocity in start.items():
        if np.abs(sim.body(name).velocity - velocity).max() > 1e-9 * np.abs(velocity).max():
            result.wrong.append("slowed down by nothing")
    result.wrong = sorted(set(result.wrong))
    return result


def places(sim: taut.Simulation) -> Places:
    """Where bodies are."""
    state, names = sim.state, sim.model.bodies.names
    return {name: (state.position[k].copy(), rotation(state.orientation[k])) for k, name in enumerate(names)}


def moving(sim: taut.Simulation) -> list[tuple[float, np.ndarray]]:
    """Mass and velocity of bodies that move."""
    bodies, velocity = sim.model.bodies, sim.state.velocity
    return [(float(bodies.mass[k]), velocity[k, :3]) for k in np.flatnonzero(bodies.moves)]


def total_momentum(sim: taut.Simulation) -> np.ndarray:
    """Of all bodies that move, kg m/s."""
    return np.sum([mass * velocity for mass, velocity in moving(sim)], axis=0)
