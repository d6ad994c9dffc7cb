"""Stress cases without contact: single chains, slings and loops in three dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from stress.cases import (
    LENGTH,
    RADIUS,
    Case,
    Drive,
    Maker,
    Rng,
    Strand,
    Y,
    across,
    below_horizon,
    between,
    case_of,
    hang_load,
    hang_straight,
    leave_alone,
    light,
    random_direction,
    string,
)
from stress.drives import FRAMES, hands, lift, push, wind

import taut
from taut.joints import Fixed, Joint, Revolute, Spherical, Universal
from taut.shapes import Box, Compound, Cylinder, Sphere
from taut.spatial import exponential, matrix


def single(
    rng: Rng, ratio: float, links: int, drive: Callable[[Rng, Strand], Drive] | None = None, turning: float = 0.0,
    along: Any = None, spin: float = 0.0, free_to_twist: bool = False, load: dict[str, Any] | None = None,
    **options: Any,
) -> Case:  # fmt: skip
    """One straight chain from the origin with a load: `turning` and `spin` in rad/s, `options` those of `string`."""
    scene, mass = taut.Scene(collisions=False), light(rng)
    along = below_horizon(rng) if along is None else along
    rate = across(rng, along, turning)
    spins = rng.uniform(-spin, spin, links)
    strand = hang_straight(scene, along, links, mass, ratio * mass, rate, load, spins=spins, **options)
    driven = leave_alone if drive is None else drive(rng, strand)
    return case_of(scene, links, driven, untwisted=strand.names if free_to_twist else ())


def pushed(rng: Rng, strand: Strand) -> Drive:
    """A push on a random link."""
    return push(rng, strand.names, strand.mass)


def force(rng: Rng, ratio: float, links: int) -> Case:
    """A push on a link that ends suddenly."""
    return single(rng, ratio, links, pushed, free_to_twist=True)


def gusts(rng: Rng, ratio: float, links: int) -> Case:
    """Gusts on all links, then calm."""
    return single(rng, ratio, links, lambda rng, s: wind(rng, s.names, s.mass), free_to_twist=True)


def storm(rng: Rng, ratio: float, links: int) -> Case:
    """Gusts on a hundred links that never end."""
    return single(rng, ratio, 100, lambda rng, s: wind(rng, s.names, s.mass, FRAMES), free_to_twist=True)


def hand(rng: Rng, ratio: float, links: int) -> Case:
    """A hand that pulls a link sideways and lets go."""
    return single(rng, ratio, links, lambda rng, s: hands(rng, s.names, count=1))


def many_hands(rng: Rng, ratio: float, links: int) -> Case:
    """Hands at several links that let go one after the other."""
    return single(rng, ratio, links, lambda rng, s: hands(rng, s.names, count=4))


def velocity(rng: Rng, ratio: float, links: int) -> Case:
    """A chain thrown out of its plane."""
    return single(rng, ratio, links, turning=0.5, free_to_twist=True)


def swing(rng: Rng, ratio: float, links: int) -> Case:
    """A chain thrown harder."""
    return single(rng, ratio, links, turning=1.5, free_to_twist=True)


def twist(rng: Rng, ratio: float, links: int) -> Case:
    """Links that spin about their own axes, each at its own rate."""
    return single(rng, ratio, links, spin=30.0, free_to_twist=True)


def slack(rng: Rng, ratio: float, links: int) -> Case:
    """A chain that stands up, buckles, falls and snaps taut."""
    along = below_horizon(rng, 40.0, 60.0)
    return single(rng, ratio, links, turning=0.3, along=along, free_to_twist=True)


def offset(rng: Rng, ratio: float, links: int) -> Case:
    """Links whose centres of mass are off the line of their joints."""

    def link(number: int, length: float, mass: float) -> dict[str, Any]:
        shape = Cylinder(RADIUS, length)
        return {"shape": shape, "com": 0.1 * length * rng.normal(size=3) * [1.0, 1.0, 2.0]}

    return single(rng, ratio, links, turning=0.5, link=link)


def skew(rng: Rng, ratio: float, links: int) -> Case:
    """Links whose axes of inertia are not those of their joints, pushed."""

    def link(number: int, length: float, mass: float) -> dict[str, Any]:
        turn = matrix(exponential(rng.uniform(0.1, 0.6) * random_direction(rng)))
        shape = Cylinder(RADIUS, length)
        return {"shape": shape, "inertia": turn @ shape.inertia(mass) @ turn.T}

    return single(rng, ratio, links, pushed, turning=0.5, link=link)


def compound(rng: Rng, ratio: float, links: int) -> Case:
    """Links with a bracket on one side."""

    def link(number: int, length: float, mass: float) -> dict[str, Any]:
        place = (0.05 * rng.uniform(0.2, 1.0), 0.0, 0.05 * rng.uniform(-1.0, 1.0))
        return {"shape": Compound([(Cylinder(RADIUS, length), (0, 0, 0)), (Box(0.1, 0.02, 0.02), place)])}

    return single(rng, ratio, links, turning=0.5, link=link)


def cubes(rng: Rng, ratio: float, links: int) -> Case:
    """Links as stout as they are long, pushed."""
    shapes = (Sphere(0.06), Box(0.1, 0.1, 0.1))
    return single(rng, ratio, links, pushed, link=lambda number, *_: {"shape": shapes[number % 2]})


def load_by_face(rng: Rng, ratio: float, links: int) -> Case:
    """A load that hangs by a face and can swing by itself."""
    return single(rng, ratio, links, turning=0.5, free_to_twist=True, load={"by_face": True})


def load_on_universal(rng: Rng, ratio: float, links: int) -> Case:
    """A load on a universal joint: it twists with the last link."""
    along = below_horizon(rng)
    joint = Universal(axis_a=tuple(Y), axis_b=tuple(np.cross(along, Y)))
    return single(rng, ratio, links, turning=0.5, along=along, load={"by_face": True, "joint": joint})


def load_welded(rng: Rng, ratio: float, links: int) -> Case:
    """A load that is one piece with the last link."""
    return single(rng, ratio, links, turning=0.5, load={"by_face": True, "joint": Fixed()})


def universal(rng: Rng, ratio: float, links: int) -> Case:
    """Universal joints, pushed: the whole chain twists as one."""

    def joint(number: int, along: np.ndarray) -> Joint:
        return Universal(axis_a=tuple(Y), axis_b=tuple(np.cross(along, Y))) if number > 1 else Spherical()

    return single(rng, ratio, links, pushed, joint=joint)


def hinges(rng: Rng, ratio: float, links: int) -> Case:
    """Hinges whose axes lie across each other by turns, as in a roller chain with swivels, pushed."""

    def joint(number: int, along: np.ndarray) -> Joint:
        return Revolute(axis=tuple(Y if number % 2 else np.cross(along, Y)))

    return single(rng, ratio, links, pushed, joint=joint)


def pairs(rng: Rng, ratio: float, links: int) -> Case:
    """Links welded together two by two, pushed."""
    return single(rng, ratio, links, pushed, joint=lambda number, along: Spherical() if number % 2 else Fixed())


def sling_of(rng: Rng, ratio: float, links: int) -> tuple[taut.Scene, list[Strand], str]:
    """A load on two to four legs from one hook of the world, each a chain; its eyes are the corners of its top."""
    scene, mass, legs = taut.Scene(collisions=False), light(rng), int(rng.integers(2, 5))
    count = max(3, links // legs)
    drop, edge = 0.9 * LENGTH * count, 0.5 * LENGTH * count
    load = scene.add_body("load", Box(edge, edge, 0.2), mass=ratio * mass, position=(0, 0, -drop - 0.1))
    angles = 2.0 * np.pi * (np.arange(legs) + rng.uniform()) / legs
    strands = []
    for leg, angle in enumerate(angles):
        eye = np.array([0.45 * edge * np.cos(angle), 0.45 * edge * np.sin(angle), -drop])
        strands.append(string(scene, between((0, 0, 0), eye, count), mass, prefix=f"leg-{leg}"))
        scene.connect(strands[-1].names[-1], load, Spherical(), at=eye)
    return scene, strands, load


def sling_lifted(rng: Rng, ratio: float, links: int) -> Case:
    """A sling whose load is lifted off by a force, falls and snaps into its legs."""
    scene, strands, load = sling_of(rng, ratio, links)
    drive = lift(rng, load, 9.81 * ratio * strands[0].mass)
    return case_of(scene, len(strands[0].names), drive)


def sling_pulled(rng: Rng, ratio: float, links: int) -> Case:
    """A sling with hands on its legs and on its load, let go one after the other."""
    scene, strands, load = sling_of(rng, ratio, links)
    names = [str(rng.choice(strand.names)) for strand in strands]
    drives = [hands(rng, names, count=3), hands(rng, [load], count=1, stiffness=2e3 * ratio * strands[0].mass)]

    def drive(sim: taut.Simulation, frame: int) -> None:
        for each in drives:
            each(sim, frame)

    return case_of(scene, len(strands[0].names), drive)


def necklace(rng: Rng, ratio: float, links: int) -> Case:
    """A closed loop: two strands between a heavy block on a ball joint and another one below, swinging and pushed."""
    scene, mass, count = taut.Scene(collisions=False), light(rng), max(3, links // 2)
    along = below_horizon(rng, -80.0, -20.0)
    rate, side = across(rng, along, 0.4), 0.2 * Y
    far = 0.1 * along + LENGTH * count * along
    for name, place in (("top", np.zeros(3)), ("load", far + 0.1 * along)):
        scene.add_body(
            name, Box(0.5, 0.5, 0.5), mass=ratio * mass, position=place, velocity=np.cross(rate, place),
            angular_velocity=rate,
        )  # fmt: skip
    scene.connect("world", "top", Spherical(), at=(0, 0, 0))
    names: list[str] = []
    for sign, prefix in ((-1, "left"), (1, "right")):
        corners = between(0.1 * along + sign * side, far + sign * side, count)
        strand = string(scene, corners, mass, "top", prefix, turning=rate, about=np.zeros(3))
        scene.connect(strand.names[-1], "load", Spherical(), at=corners[-1])
        names += strand.names
    return case_of(scene, count, push(rng, names, mass))


def garland(rng: Rng, ratio: float, links: int) -> Case:
    """A chain from one hook to another with the load in its middle, thrown about the line of the hooks and pushed."""
    scene, mass, count = taut.Scene(collisions=False), light(rng), max(3, links // 2)
    sag = np.radians(rng.uniform(15.0, 60.0))
    middle = LENGTH * count * np.array([np.cos(sag), 0.0, -np.sin(sag)])
    rate = np.array([rng.normal(), 0.0, 0.0])
    one = string(scene, between((0, 0, 0), middle, count), mass, prefix="one", turning=rate)
    hang_load(scene, one, ratio * mass, turning=rate)
    far = middle * [2.0, 1.0, 0.0]
    two = string(scene, between(far, middle, count), mass, prefix="two", turning=rate)
    scene.connect(two.names[-1], "load", Spherical(), at=middle)
    return case_of(scene, count, push(rng, one.names + two.names, mass))


MAKERS: dict[str, Maker] = {
    maker.__name__: maker
    for maker in (
        force, gusts, storm, hand, many_hands, velocity, swing, twist, slack, offset, skew, compound, cubes,
        load_by_face, load_on_universal, load_welded, universal, hinges, pairs, sling_lifted, sling_pulled, necklace,
        garland,
    )
}  # fmt: skip
"""Every kind of case without contact."""
