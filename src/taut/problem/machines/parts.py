"""Bodies that move as told, joints and contacts between them: as much mechanics as problems of machines need.

A machine here is not simulated. Its bodies follow given paths that keep its joints closed, and every frame asks for the
impulses that the next step would need:

        A = J M^-1 J^T + S,     b = J (v + h g) + gap / h,     S = c / h^2

with v of the paths, compliance c in m/N and gravity g. Rows of motors ask for the speed of the path. Rows are at bounds
where the paths slide or open, see `settle`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taut.problem.kkt import HARD_REGULARISATION
from taut.problem.machines.paths import Array, Course, Path, Poses, X, Y, Z, across, between, wave
from taut.problem.machines.settle import settled
from taut.problem.mlcp import MlcpProblem
from taut.structure.incidence import RowEntries

STEP = 1 / 60
"""h, s."""
STORY = 59 * STEP
"""How long the story of every machine takes, s: 60 frames a step apart."""
USUAL = 10.0
"""What a row of a joint with one bound carries where it holds, N."""
WEIGHT = 9.81
"""N a kilogram."""
WORLD = 0
"""Number of the body that does not move."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows between bodies that do not come and go.

    Attributes:
        bodies: the bodies of each row's blocks.
        jacobian: poses -> (rows, bodies, 6).
        soft: (rows,) S, 1/kg; negative for a hard row, whose S is a share of its diagonal.
        lower, upper: (rows,) bounds, N s.
        gap: (rows,) added to b over h, m.
        load: (rows,) what springs carry where they are, N.
        usual: (rows,) what rows with one bound carry where they hold, N s.
        driven: whether the rows ask for the speed of the path.
    """

    bodies: tuple[int, ...]
    jacobian: Callable[[Poses], Array]
    soft: Array
    lower: Array
    upper: Array
    gap: Array
    load: Array
    usual: Array
    driven: bool


@dataclass(frozen=True, eq=False)
class Touch:
    """A contact point, present in a part of the story.

    Attributes:
        a, b: the bodies.
        point: (3,) m, from the centre of b, in its axes, or for a wheel in those of its carrier.
        frame: (3, 3) normal from a to b and two tangents, as rows, in the axes of a.
        load: N, the normal force that friction is bounded by.
        friction: coefficient.
        rolling: m, of three further rows against rolling and twisting; 0 for none.
        during: share of the story, from and to.
        gap: share of the story -> m.
        carrier: the body that carries a wheel, with which its contact points turn, and the frame; None for others.
    """

    a: int
    b: int
    point: Array
    frame: Array
    load: float
    friction: float
    rolling: float
    during: tuple[float, float]
    gap: Course
    carrier: int | None


@dataclass(eq=False)
class Machine:
    """A machine to which bodies, joints and contacts are added, and the problems of its frames.

    Args:
        name: of the problems.
        compliance: of rows that are given none, m/N or rad/(N m); 0 for hard rows, with a share of the diagonal.
        touching: compliance of contacts, m/N.
        excess: share of its bound that a row which slides would ask for beyond it, were all rows free: the more, the
            more pivots a cold start needs.
    """

    name: str
    compliance: float
    touching: float
    excess: float = 0.03
    masses: list[float] = field(default_factory=lambda: [math.inf])
    inertias: list[Array] = field(default_factory=lambda: [np.full(3, math.inf)])
    paths: list[Path] = field(default_factory=lambda: [lambda t, poses: (np.zeros(3), np.eye(3))])
    rows: list[Rows] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)

    def body(self, mass: float, size: Sequence[float], path: Path) -> int:
        """Add a box of this size, m, on a path; its number."""
        x, y, z = (length**2 for length in size)
        self.masses.append(mass)
        self.inertias.append(mass / 12 * np.array([y + z, x + z, x + y]))
        self.paths.append(path)
        return len(self.masses) - 1

    def poses(self, time: float) -> Poses:
        """Where all bodies are at a time, s."""
        centre, rotation = np.zeros((len(self.paths), 3)), np.zeros((len(self.paths), 3, 3))
        for body, path in enumerate(self.paths):
            centre[body], rotation[body] = path(time, (centre, rotation))
        return centre, rotation

    def join(
        self, a: int, b: int, point: ArrayLike, linear: ArrayLike = (), angular: ArrayLike = (),
        force: float | tuple[float, float] = math.inf, driven: bool = False, soft: float | None = None,
        load: float = 0.0, gap: float = 0.0,
    ) -> None:  # fmt: skip
        """Hold b to a along and about some directions.

        Args:
            a, b: the bodies.
            point: where, from the centre of b and in its axes, m.
            linear, angular: directions (3,) in the axes of a along and about which b is held.
            force: most that the rows can do, N or N m; or the least and the most.
            driven: whether the rows follow the path's own speed, as motors do.
            soft: compliance, m/N, of a spring.
            load: what the spring carries where it is, N.
            gap: slack, m, of a rope.
        """
        lines, turns = np.reshape(linear, (-1, 3)), np.reshape(angular, (-1, 3))
        count, arm = len(lines) + len(turns), np.asarray(point, float)

        def jacobian(poses: Poses) -> Array:
            centre, rotation = poses
            at = centre[b] + rotation[b] @ arm
            along, about = lines @ rotation[a].T, turns @ rotation[a].T
            block = np.zeros((count, 2, 6))
            block[: len(lines), 0, :3], block[: len(lines), 0, 3:] = -along, -np.cross(at - centre[a], along)
            block[: len(lines), 1, :3], block[: len(lines), 1, 3:] = along, np.cross(at - centre[b], along)
            block[len(lines) :, 0, 3:], block[len(lines) :, 1, 3:] = -about, about
            return block

        lower, upper = (-force, force) if isinstance(force, int | float) else force
        compliance = self.compliance if soft is None else soft
        stiff = softness(compliance)
        full = np.ones(count)
        self.rows.append(
            Rows(
                (a, b), jacobian, soft=full * stiff, lower=full * lower * STEP, upper=full * upper * STEP,
                gap=full * gap, load=full * load, usual=full * STEP * USUAL, driven=driven,
            )
        )  # fmt: skip

    def ball(self, a: int, b: int, point: ArrayLike) -> None:
        """Hold a point of b: 3 rows."""
        self.join(a, b, point, np.eye(3))

    def hinge(self, a: int, b: int, point: ArrayLike, axis: Array, motor: float | None = None) -> None:
        """Let b turn about an axis of a: 5 rows, and one of a motor that can do so much, N m."""
        self.join(a, b, point, np.eye(3), across(axis))
        if motor is not None:
            self.join(a, b, point, (), [axis], force=motor, driven=True)

    def slide(self, a: int, b: int, point: ArrayLike, axis: Array, motor: float | None = None) -> None:
        """Let b move along an axis of a: 5 rows, and one of a motor that can do so much, N."""
        self.join(a, b, point, across(axis), np.eye(3))
        if motor is not None:
            self.join(a, b, point, [axis], force=motor, driven=True)

    def fix(self, a: int, b: int, point: ArrayLike, bending: float | None = None) -> None:
        """Hold b altogether: 6 rows, three of them with the compliance in bending and twist of a cable, rad/(N m)."""
        self.join(a, b, point, np.eye(3))
        self.join(a, b, point, (), np.eye(3), soft=bending)

    def cylinder(
        self, a: int, place_a: ArrayLike, b: int, place_b: ArrayLike, mass: float, length: float,
        motor: float, push: float = 0.0,
    ) -> None:  # fmt: skip
        """A hydraulic cylinder between places of two bodies: barrel and rod of this mass and length, 11 rows.

        It follows its path, or with `push`, m/s, is that much faster as far as its force, N, goes.
        """
        size = (length, 0.08 * length, 0.08 * length)
        barrel = self.body(mass, size, between(a, place_a, b, place_b, 0.0, 0.5 * length))
        rod = self.body(mass, size, between(a, place_a, b, place_b, 1.0, -0.5 * length))
        self.ball(a, barrel, (-0.5 * length, 0.0, 0.0))
        self.join(barrel, rod, (0.0, 0.0, 0.0), [Y, Z], [Y, Z])
        self.join(barrel, rod, (0.0, 0.0, 0.0), [X], force=motor, driven=True, gap=-push * STEP)
        self.ball(b, rod, (0.5 * length, 0.0, 0.0))

    def couple(self, frame: int, spins: Sequence[tuple[int, float]], axis: Array, torque: float = math.inf) -> None:
        """One row on spins about an axis (3,) of a frame body: sum of coefficient times spin is 0."""
        bodies = (frame, *(body for body, _ in spins))
        weights = np.array([-sum(weight for _, weight in spins), *(weight for _, weight in spins)])

        def jacobian(poses: Poses) -> Array:
            block = np.zeros((1, len(bodies), 6))
            block[0, :, 3:] = np.outer(weights, poses[1][frame] @ axis)
            return block

        stiff, bound = softness(self.compliance), np.array([torque * STEP])
        none = np.zeros(1)
        self.rows.append(Rows(bodies, jacobian, np.array([stiff]), -bound, bound, none, none, none, driven=False))

    def touch(
        self, a: int, b: int, point: ArrayLike, load: float, normal: Array = Z, friction: float = 1.0,
        rolling: float = 0.0, during: tuple[float, float] = (0.0, 1.0), gap: float | Course = 0.0,
        carrier: int | None = None,
    ) -> None:  # fmt: skip
        """Let b touch a at a point, see `Touch`."""
        frame = np.array([normal, *across(normal)])
        course = gap if callable(gap) else lambda share: gap
        at = np.asarray(point, float)
        self.touches.append(Touch(a, b, at, frame, load, friction, rolling, during, course, carrier))

    @property
    def mass_ratio(self) -> float:
        """Heaviest over lightest body."""
        return max(self.masses[1:]) / min(self.masses[1:])

    def problems(self, frames: int) -> tuple[list[MlcpProblem], list[NDArray[np.int64]]]:
        """The problem of every frame, and a number (rows,) for each of its rows that other frames know it by.

        Frames with the same rows have one `Pattern`.
        """
        story = Story(self, frames)
        found = [story.problem(frame) for frame in range(frames)]
        return [problem for problem, _ in found], [number for _, number in found]


class Story:
    """The frames of a machine, evenly over its story; what several have in common is worked out once."""

    def __init__(self, machine: Machine, frames: int) -> None:
        self.machine, self.frames = machine, frames
        self.known: dict[int, Poses] = {}
        self.entries: dict[tuple[int, ...], RowEntries] = {}
        self.fixed = sum(rows.soft.size for rows in machine.rows)

    def poses(self, time: float) -> Poses:
        """Where all bodies are at a time, s; frames that are a step apart ask for the same ones."""
        key = round(time / STEP * 1000)
        if key not in self.known:
            self.known[key] = self.machine.poses(time)
        return self.known[key]

    def problem(self, frame: int) -> tuple[MlcpProblem, NDArray[np.int64]]:
        """The problem of a frame, and the numbers of its rows."""
        from taut.problem.kkt_kernels import multiply_blocks

        machine, share = self.machine, frame / max(self.frames - 1, 1)
        before, poses, after = (self.poses(share * STORY + shift) for shift in (-STEP, 0.0, STEP))
        present = [k for k, each in enumerate(machine.touches) if each.during[0] <= share <= each.during[1]]
        touching = [touch_rows(machine, machine.touches[k], poses, share) for k in present]
        rows = [*machine.rows, *touching]
        entries = self.entries_of(tuple(present), rows)
        jacobian = np.concatenate([each.jacobian(poses).reshape(-1, 6) for each in rows])
        response = self.respond(jacobian, entries.entry_body, poses)
        velocity, following = speed(before, poses), speed(poses, after)
        velocity[1:, 2] -= STEP * WEIGHT
        driven = np.repeat([each.driven for each in rows], [each.soft.size for each in rows])
        rate, target = (rates(entries, jacobian, each) for each in (velocity, following))
        soft, gap, load, usual, lower, upper = (
            np.concatenate([getattr(each, name) for each in rows])
            for name in ("soft", "gap", "load", "usual", "lower", "upper")
        )
        bias = rate - driven * target + gap / STEP - soft * load * STEP
        diagonal = np.bincount(entries.entry_row, np.einsum("ei,ei->e", jacobian, response))
        incidence = entries.incidence
        values = np.zeros(incidence.pattern.entry_count)
        multiply_blocks(
            incidence.body_start, incidence.entry, incidence.target, incidence.mirror, incidence.diagonal,
            jacobian, response, np.where(soft < 0.0, -soft * diagonal, soft), values,
        )  # fmt: skip
        problem = MlcpProblem(incidence.pattern, values, bias, lower, upper, f"{machine.name}-{frame:04d}")
        slack = np.where(driven, 0.0, target) + gap / STEP
        numbers = [np.arange(self.fixed), *(self.fixed + 6 * k + np.arange(touching[i].soft.size)
                                            for i, k in enumerate(present))]  # fmt: skip
        return settled(problem, slack, usual, machine.excess), np.concatenate(numbers)

    def entries_of(self, present: tuple[int, ...], rows: list[Rows]) -> RowEntries:
        """Which bodies the rows of a frame touch, made once for every set of contacts."""
        if present not in self.entries:
            counts = np.concatenate([np.full(each.soft.size, len(each.bodies)) for each in rows])
            bodies = np.concatenate([np.tile(each.bodies, each.soft.size) for each in rows])
            moves = np.ones(len(self.machine.masses), np.uint8)
            moves[WORLD] = 0
            self.entries[present] = RowEntries(
                entry_start=np.concatenate([[0], np.cumsum(counts)]), entry_body=bodies.astype(np.int64),
                entry_row=np.repeat(np.arange(counts.size), counts), moves=moves,
                unbounded=np.zeros(counts.size, bool), owner=np.full(counts.size, -1),
            )  # fmt: skip
        return self.entries[present]

    def respond(self, jacobian: Array, bodies: NDArray[np.int64], poses: Poses) -> Array:
        """M^-1 J^T by blocks (entries, 6)."""
        rotation = poses[1][bodies]
        local = np.einsum("eji,ej->ei", rotation, jacobian[:, 3:]) / np.array(self.machine.inertias)[bodies]
        linear = jacobian[:, :3] / np.array(self.machine.masses)[bodies, None]
        return np.hstack([linear, np.einsum("eij,ej->ei", rotation, local)])


def softness(compliance: float) -> float:
    """S, 1/kg, of a compliance, m/N; for a hard row the share of its diagonal, negative."""
    return compliance / STEP**2 if compliance > 0.0 else -HARD_REGULARISATION


def touch_rows(machine: Machine, touch: Touch, poses: Poses, share: float) -> Rows:
    """Rows of a contact: the gap, two tangents, and with rolling friction two against rolling and one against twist."""
    centre, rotation = poses
    of_point, of_frame = (touch.b, touch.a) if touch.carrier is None else (touch.carrier, touch.carrier)
    at = centre[touch.b] + rotation[of_point] @ touch.point
    frame = touch.frame @ rotation[of_frame].T
    count = 6 if touch.rolling > 0.0 else 3
    block = np.zeros((count, 2, 6))
    for place, body, sign in ((0, touch.a, -1.0), (1, touch.b, 1.0)):
        block[:3, place, :3], block[:3, place, 3:] = sign * frame, sign * np.cross(at - centre[body], frame)
        block[3:, place, 3:] = sign * frame[[1, 2, 0]][: count - 3]
    bound = STEP * touch.load * touch.friction * np.array([0, 1, 1, *[touch.rolling] * 3])[:count]
    upper, lower, gap, load = bound.copy(), -bound, np.zeros(count), np.zeros(count)
    upper[0], gap[0], usual = math.inf, touch.gap(share), np.full(count, STEP * touch.load)
    soft = np.full(count, softness(machine.touching))
    return Rows((touch.a, touch.b), lambda _: block, soft, lower, upper, gap, load, usual, False)


def speed(before: Poses, after: Poses) -> Array:
    """Velocities and spins (bodies, 6) that lead from one pose to another in a step."""
    turn = np.einsum("bij,bkj->bik", after[1], before[1])
    axis = 0.5 * np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0],
                           turn[:, 1, 0] - turn[:, 0, 1]], axis=1)  # fmt: skip
    sine = np.linalg.norm(axis, axis=1, keepdims=True)
    angle = np.arctan2(sine, 0.5 * (np.trace(turn, axis1=1, axis2=2)[:, None] - 1.0))
    axis *= np.divide(angle, sine, out=np.ones_like(sine), where=sine > 0.0)
    return np.hstack([after[0] - before[0], axis]) / STEP


def rates(entries: RowEntries, jacobian: Array, velocity: Array) -> Array:
    """J v of every row."""
    products = np.einsum("ei,ei->e", jacobian, velocity[entries.entry_body])
    return np.bincount(entries.entry_row, products, minlength=entries.row_count).astype(np.float64)


def chain(
    machine: Machine, start: Path, count: int, mass: float, length: float, thickness: float,
    direction: Callable[[int, float], Array],
) -> list[int]:  # fmt: skip
    """Links one after the other from where a path leads; `direction` of number and time is a link's rotation (3, 3)."""
    links: list[int] = []
    half = np.array([0.5 * length, 0.0, 0.0])

    def path(t: float, poses: Poses, number: int, before: int) -> tuple[Array, Array]:
        rotation = direction(number, t)
        end = poses[0][before] + poses[1][before] @ half if number else start(t, poses)[0]
        return end + rotation @ half, rotation

    for number in range(count):
        before = links[-1] if links else WORLD
        links.append(machine.body(mass, (length, thickness, thickness), partial(path, number=number, before=before)))
    return links


def square(
    machine: Machine, a: int, b: int, x: float, y: float, z: float, load: float, rng: np.random.Generator,
    during: tuple[float, float] = (0.0, 1.0), gap: float = 0.0,
) -> None:  # fmt: skip
    """Four contact points at the corners of a rectangle below b, each with about this load, N."""
    for end in (-x, x):
        for side in (-y, y):
            course = wave(rng, gap) if gap else 0.0
            machine.touch(a, b, (end, side, z), load * rng.uniform(0.8, 1.2), during=during, gap=course)
