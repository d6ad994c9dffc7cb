"""Taut light chains under heavy loads: what a stress case is, and how its links are strung together."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import taut
from taut.joints import Joint, Spherical
from taut.shapes import Box, Capsule, Cylinder
from taut.spatial import from_two_vectors, rotate

Rng = np.random.Generator
Drive = Callable[[taut.Simulation, int], None]
"""What is done to a simulation before each frame."""
Link = Callable[[int, float, float], dict[str, Any]]
"""Shape and other options of `add_body` for a link, by its number, length (m) and mass (kg)."""

LENGTH, RADIUS = 0.2, 0.02
"""Of a link, m."""
Y, Z = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
FRAMES = 60
"""Frames of a case: drives push in the first third and leave the rest alone."""


def leave_alone(sim: taut.Simulation, frame: int) -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Case:
    """A scene to run and what is known of it.

    Attributes:
        scene: the scene.
        scale: the energy that its motion is about, J.
        drive: what is done before each frame.
        untwisted: links whose rate of turn about their own axis nothing can change.
        touching: whether bodies meet.
    """

    scene: taut.Scene
    scale: float
    drive: Drive = leave_alone
    untwisted: tuple[str, ...] = ()
    touching: bool = False


Maker = Callable[[Rng, float, int], Case]
"""Makes a case from random numbers, the mass of the load over that of a link, and the number of links."""


@dataclass(frozen=True)
class Strand:
    """Links in a line: their names, the corners (n + 1, 3) between them, m, and the mass of each, kg."""

    names: tuple[str, ...]
    corners: np.ndarray
    mass: float

    @property
    def along(self) -> np.ndarray:
        """Unit vector of the last link."""
        return unit(self.corners[-1] - self.corners[-2])


def unit(vector: Any) -> np.ndarray:
    """A vector (3,) of length 1 in this direction."""
    return np.asarray(vector, dtype=float) / np.linalg.norm(vector)


def log_uniform(rng: Rng, low: float, high: float) -> float:
    """A number between two others, each decade as likely as the next."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def light(rng: Rng) -> float:
    """Mass of a link, 0.01 to 1 kg."""
    return log_uniform(rng, 0.01, 1.0)


def random_direction(rng: Rng) -> np.ndarray:
    """A unit vector (3,)."""
    return unit(rng.normal(size=3))


def below_horizon(rng: Rng, lowest: float = -80.0, highest: float = 10.0) -> np.ndarray:
    """A unit vector in the x-z plane between two angles (degrees): the chain that it leads along pulls at once."""
    angle = np.radians(rng.uniform(lowest, highest))
    return np.array([np.cos(angle), 0.0, np.sin(angle)])


def across(rng: Rng, along: np.ndarray, size: float) -> np.ndarray:
    """A random rate of turn (3,), rad/s, of this size, without a part about `along`."""
    rate = size * rng.normal(size=3)
    return rate - along * (rate @ along)


def line(start: Any, along: np.ndarray, links: int) -> np.ndarray:
    """Corners (links + 1, 3) of a straight chain."""
    return np.asarray(start, dtype=float) + LENGTH * np.outer(np.arange(links + 1), along)


def between(start: Any, end: Any, links: int) -> np.ndarray:
    """Corners (links + 1, 3) evenly from a point to another."""
    return np.linspace(np.asarray(start, dtype=float), np.asarray(end, dtype=float), links + 1)


def ball(number: int, along: np.ndarray) -> Joint:
    """A ball joint, wherever it is."""
    return Spherical()


def rod(number: int, length: float, mass: float) -> dict[str, Any]:
    """A round rod."""
    return {"shape": Cylinder(RADIUS, length)}


def round_ended(number: int, length: float, mass: float) -> dict[str, Any]:
    """A capsule: a link for chains that touch things."""
    return {"shape": Capsule(RADIUS, length)}


def string(
    scene: taut.Scene, corners: np.ndarray, mass: float, anchor: str = "world", prefix: str = "link",
    link: Link = rod, joint: Callable[[int, np.ndarray], Joint] = ball,
    turning: Any = (0.0, 0.0, 0.0), spins: Any = None, about: Any = None,
) -> Strand:  # fmt: skip
    """Add links from corner to corner, the first joined to `anchor`.

    All turn at the rate `turning` (3,) about the point `about`, by default the first corner, and by `spins` (n,) about
    their own axes, rad/s.
    """
    names, previous = [], anchor
    pivot = corners[0] if about is None else about
    for number, (start, end) in enumerate(itertools.pairwise(corners), start=1):
        along, middle = unit(end - start), 0.5 * (start + end)
        turn = from_two_vectors(Z, along)
        options = link(number, float(np.linalg.norm(end - start)), mass)
        com = options.get("com", options["shape"].com)
        rate = np.asarray(turning, dtype=float) + (0.0 if spins is None else spins[number - 1] * along)
        name = scene.add_body(
            f"{prefix}-{number}", mass=mass, position=middle, orientation=turn, angular_velocity=rate,
            velocity=np.cross(turning, middle + rotate(turn, com) - pivot), **options,
        )  # fmt: skip
        scene.connect(previous, name, joint(number, along), at=start, name=f"{prefix}-joint-{number}")
        names.append(name)
        previous = name
    return Strand(tuple(names), corners, mass)


def hang_load(
    scene: taut.Scene, strand: Strand, mass: float, edge: float = 0.4, by_face: bool = False,
    joint: Joint | None = None, turning: Any = (0.0, 0.0, 0.0),
) -> str:  # fmt: skip
    """Join a cube named `load` to the end of a strand, at its centre or by the middle of a face; its name."""
    end = strand.corners[-1]
    place = end + (0.5 * edge * strand.along if by_face else 0.0)
    load = scene.add_body(
        "load", Box(edge, edge, edge), mass=mass, position=place, orientation=from_two_vectors(Z, strand.along),
        velocity=np.cross(turning, place - strand.corners[0]), angular_velocity=turning,
    )  # fmt: skip
    scene.connect(strand.names[-1], load, joint or Spherical(), at=end, name="load-joint")
    return str(load)


def hang_straight(
    scene: taut.Scene, along: np.ndarray, links: int, mass: float, load_mass: float, turning: Any,
    load: dict[str, Any] | None = None, **options: Any,
) -> Strand:  # fmt: skip
    """A straight chain from the origin with a load, all turning about the origin at the rate `turning` (3,), rad/s.

    `load` holds options of `hang_load`, `options` are those of `string`.
    """
    strand = string(scene, line((0, 0, 0), along, links), mass, turning=turning, **options)
    hang_load(scene, strand, load_mass, turning=turning, **(load or {}))
    return strand


def energy_scale(scene: taut.Scene, reach: float) -> float:
    """Weight of all that moves times the chain's reach (m), and the kinetic energy at the start, J."""
    moving = [body for body in scene.bodies if not body.fixed]
    weight = 9.81 * sum(body.mass for body in moving)
    return weight * reach + sum(0.5 * body.mass * float(body.velocity @ body.velocity) for body in moving)


def case_of(scene: taut.Scene, links: int, drive: Drive = leave_alone, **known: Any) -> Case:
    """The case of a scene whose chains reach as far as this many links; `known` are other attributes of the case."""
    return Case(scene, energy_scale(scene, links * LENGTH), drive, **known)
