"""Motions in joint coordinates and in maximal ones are the same, to second order in the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tree_examples import KINDS, chain, random_body, random_joint

import taut
from taut import scenes
from taut.joints import Revolute, Spherical
from taut.shapes import Box, Sphere

FLOOR = 1e-8
"""Difference, m, that says nothing about an order: tolerances and rounding."""


def thrown_ragdoll() -> taut.Scene:
    """A ragdoll that turns as a whole, in the air."""
    scene = scenes.build("ragdoll")
    scene.collisions = False
    spin, moving = np.array([1.0, 2.0, -1.5]), [body for body in scene.bodies if not body.fixed]
    centre = np.mean([body.position for body in moving], axis=0)
    for body in moving:
        body.angular_velocity = tuple(spin)
        body.velocity = tuple(np.cross(spin, np.asarray(body.position) - centre))
    return scene


def sled(friction: float = 0.2, speed: float = 2.0) -> taut.Scene:
    """A sled that slides on the ground all the time, with a pendulum of two bars on it."""
    scene = taut.Scene(friction=friction)
    scene.add_plane()
    scene.add_body("sled", Box(1.0, 0.6, 0.2), mass=5.0, position=(0, 0, 0.1), velocity=(speed, 0, 0))
    end = np.array([0.0, 0.0, 0.2])
    for index, angle in enumerate((0.5, 0.9)):
        along = np.array([np.sin(angle), 0.0, np.cos(angle)])
        start, end = end, end + 0.4 * along
        scene.add_body(f"bar{index}", Box(0.05, 0.05, 0.4), mass=0.5, position=0.5 * (start + end),
                       orientation=taut.spatial.from_two_vectors((0, 0, 1), along), velocity=(speed, 0, 0),
                       collides=False)  # fmt: skip
        previous = "sled" if index == 0 else "bar0"
        scene.connect(previous, f"bar{index}", Revolute(axis=(0, 1, 0)), at=start)
    return scene


def swinging_on_a_rail() -> taut.Scene:
    """Two balls on a bar that roll down a slope, and a third that hangs from the bar: contacts that last."""
    scene = taut.Scene(gravity=(9.81 * np.sin(0.2), 0.0, -9.81 * np.cos(0.2)), friction=0.0)
    scene.add_plane()
    scene.add_body("bar", Box(0.6, 0.05, 0.05), mass=1.0, position=(0, 0, 0.2), collides=False)
    for side in (-1, 1):
        name = scene.add_body(f"ball{side}", Sphere(0.2), mass=1.0, position=(0.3 * side, 0, 0.2))
        scene.connect("bar", name, Revolute(axis=(0, 1, 0)), at=(0.3 * side, 0, 0.2))
    scene.add_body("bob", Sphere(0.05), mass=2.0, position=(0.4, 0, 0.6), collides=False)
    scene.connect("bar", "bob", Spherical(), at=(0, 0, 0.2))
    return scene


def mixed_chain(kinds: int = 10) -> taut.Scene:
    """A chain of all joints that trees are made of, released at rest."""
    rng = np.random.default_rng(11)
    scene = taut.Scene(collisions=False)
    previous = "world"
    for index in range(kinds):
        name = random_body(scene, rng, f"b{index}")
        joint = Spherical() if index == 0 else random_joint(rng, KINDS[index % len(KINDS)])
        ends = (previous, name) if index % 2 else (name, previous)
        scene.connect(*ends, joint, at=0.4 * rng.normal(size=3))
        previous = name
    return scene


OWN: dict[str, Callable[[], taut.Scene]] = {
    "thrown ragdoll": thrown_ragdoll, "sled": sled, "frictionless sled": lambda: sled(0.0), "mixed chain": mixed_chain,
    "rail": swinging_on_a_rail, "heavy chain": lambda: chain(6, 1e4),
}  # fmt: skip

CASES = [
    ("hanging_chain", 0.5, {}), ("planar_tree", 0.5, {}), ("spatial_tree", 0.5, {}), ("star", 0.5, {}),
    ("robot_arm", 0.5, {}), ("spring_arm", 0.5, {}), ("spring_tree", 0.5, {}), ("umbrella", 0.5, {}),
    ("stayed_bridge", 0.3, {"towers": "rigid"}), ("stayed_bridge", 0.3, {"towers": "flexible"}),
    ("closed_chain", 0.5, {}), ("long_chain", 0.2, {}), ("heavy_pendulum", 0.5, {}), ("mass_ladder", 0.5, {}),
    ("four_bar", 0.5, {}), ("linkages", 0.5, {}), ("parallel_arm", 0.5, {}), ("gear_train", 0.5, {}),
    ("wheel_coupling", 0.5, {}), ("bead_on_wire", 0.5, {}), ("spinning_top", 0.5, {}), ("quadruped", 0.3, {}),
    ("pushing_arm", 0.3, {}), ("jointed_tower", 0.3, {}),
    ("thrown ragdoll", 0.3, {}), ("sled", 0.3, {}), ("frictionless sled", 0.5, {}), ("mixed chain", 0.3, {}),
    ("rail", 0.3, {}), ("heavy chain", 0.5, {}),
]  # fmt: skip


def ends_of(name: str, duration: float, options: dict[str, Any], coordinates: str, steps: tuple[int, ...]) -> list:
    """Positions (bodies, 3) at the end of runs with these steps a second."""
    found = []
    for each in steps:
        scene = OWN[name]() if name in OWN else scenes.build(name, **options)
        simulation = taut.Simulation(scene, step=1 / each, coordinates=coordinates)
        missed = simulation.run(duration, record=False)
        assert missed == [], f"{coordinates}, {each} steps a second: {missed[0].status}"
        found.append(simulation.state.position)
    return found


def largest(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.abs(first - second).max())


@pytest.mark.parametrize(("name", "duration", "options"), CASES, ids=lambda part: str(part))
def test_both_coordinates_move_the_same_to_second_order(name: str, duration: float, options: dict[str, Any]) -> None:
    """They differ by a small share of what halving the step changes, and that is of second order."""
    steps = (60, 120, 240)
    maximal, reduced = (ends_of(name, duration, options, each, steps) for each in ("maximal", "reduced"))
    own, others = ([largest(a, b) for a, b in zip(each[:-1], each[1:], strict=True)] for each in (reduced, maximal))
    for k, change in enumerate(own):
        assert largest(maximal[k], reduced[k]) <= 0.1 * change + FLOOR
    # light links that are let go whip faster than these steps resolve, in either coordinates
    assert own[1] <= own[0] / min(3.0, 0.95 * others[0] / others[1]) or own[1] <= 1e-4


@pytest.mark.parametrize(("name", "duration"), [("chain_wrap", 0.25), ("snap_chain", 0.2)])
def test_where_bodies_strike_both_differ_by_what_halving_the_step_does(name: str, duration: float) -> None:
    steps = (60, 120)
    maximal, reduced = (ends_of(name, duration, {}, each, steps) for each in ("maximal", "reduced"))
    assert largest(maximal[0], reduced[0]) <= 2.0 * largest(reduced[0], reduced[1])
    assert largest(maximal[1], reduced[1]) <= 0.5 * largest(reduced[0], reduced[1])


def test_a_difference_would_be_seen() -> None:
    """Without geometric stiffness the scheme is another one: that is far outside of what is allowed here."""
    scene = scenes.build("planar_tree")
    with_it = taut.Simulation(scene, coordinates="reduced")
    without = taut.Simulation(scene, coordinates="reduced", geometric_stiffness="off")
    finer = taut.Simulation(scene, coordinates="reduced", step=1 / 120)
    for simulation in (with_it, without, finer):
        simulation.run(0.5, record=False)
    change = largest(with_it.state.position, finer.state.position)
    assert largest(with_it.state.position, without.state.position) > 0.1 * change
