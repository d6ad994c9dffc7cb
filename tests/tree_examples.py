"""Mechanisms whose bodies move in joint coordinates, where such bodies are, and plain twins of what kernels do."""

from __future__ import annotations

from typing import Any

import numpy as np
from dense_twins import random_quaternion, random_unit

import taut
from taut import joints, spatial
from taut.joints import Joint
from taut.joints.motion import ABOUT_TWO_AXES, ANY_TURN
from taut.model.articulation import Articulation
from taut.model.state import State
from taut.rows.table import Places
from taut.shapes import Box
from taut.spatial_kernels import rotation_matrices
from taut.stepping.mechanism import Mechanism
from taut.tables import held

Array = np.ndarray

KINDS: tuple[type[Joint], ...] = (
    joints.Revolute, joints.Spherical, joints.Prismatic, joints.Universal, joints.Cylindrical, joints.Planar,
    joints.Translational, joints.PointOnLine, joints.PointOnPlane, joints.Fixed,
)  # fmt: skip
"""Joints of all kinds of turns and numbers of slides."""


def random_body(scene: taut.Scene, rng: np.random.Generator, name: str, **options: Any) -> str:
    """A body of a few kg, somewhere within a metre, turned anyhow."""
    place = {"position": 0.6 * rng.normal(size=3), "orientation": random_quaternion(rng)}
    size = {"mass": rng.uniform(0.5, 3.0), "inertia": rng.uniform(0.3, 0.5, 3), "com": 0.1 * rng.normal(size=3)}
    return scene.add_body(name, **(place | size | options))


def linked(joint: Joint, ends: tuple[str, str], seed: int = 7, **options: Any) -> taut.Scene:
    """Bodies a and b, joined between these ends; a hangs on a ball joint unless the world is one of them."""
    rng = np.random.default_rng(seed)
    scene = taut.Scene(collisions=False)
    for name in sorted({*ends} - {"world"}):
        random_body(scene, rng, name)
    if "world" not in ends:
        scene.connect("world", "a", joints.Spherical(), at=(-0.5, 0.0, 0.2), name="hook")
    scene.connect(*ends, joint, at=(0.5, 0.2, 0.1), name="joint", **options)
    return scene


def random_joint(rng: np.random.Generator, kind: type[Joint] | None = None) -> Joint:
    """A joint of this kind or of any, along random axes."""
    kind = KINDS[rng.integers(len(KINDS))] if kind is None else kind
    if kind is joints.Universal:
        first = np.array(random_unit(rng))
        return joints.Universal(axis_a=tuple(first), axis_b=tuple(spatial.perpendicular(first)))
    if kind in (joints.Planar, joints.PointOnPlane):
        return kind(normal=random_unit(rng))
    if kind in (joints.Spherical, joints.Fixed, joints.Translational):
        return kind()
    return kind(axis=random_unit(rng))


def random_tree(rng: np.random.Generator, bodies: int = 8, floats: bool = False, **options: Any) -> taut.Scene:
    """A tree of random joints, half of them turned around, from the ground or floating; bodies are b0, b1, ..."""
    scene = taut.Scene(collisions=False)
    for index in range(bodies):
        name = random_body(scene, rng, f"b{index}", angular_velocity=rng.normal(size=3), **options)
        carrier = "world" if index == 0 else f"b{rng.integers(max(0, index - 3), index)}"
        if index == 0 and floats:
            continue
        ends = (carrier, name) if rng.random() < 0.5 else (name, carrier)
        kind = joints.Spherical if index == 0 else None
        scene.connect(*ends, random_joint(rng, kind), at=0.6 * rng.normal(size=3), name=f"j{index}")
    return scene


def chain(count: int = 4, load: float = 1.0, **options: Any) -> taut.Scene:
    """Hinged bars in a row that hang sideways from the ground, the last of mass `load` kg."""
    scene = taut.Scene(collisions=False, **options)
    previous = "world"
    for index in range(count):
        mass = load if index == count - 1 else 1.0
        name = scene.add_body(f"b{index}", Box(0.5, 0.05, 0.05), mass=mass, position=(0.5 * index + 0.25, 0.0, 0.0))
        hinge = joints.Revolute(axis=(0, 1, 0))
        scene.connect(previous, name, hinge, at=(0.5 * index, 0.0, 0.0), name=f"j{index}")
        previous = name
    return scene


def places_of(state: State) -> Places:
    """Where bodies are in a state."""
    places = Places(state.position.copy(), state.orientation.copy(), np.zeros((len(state.position), 9)))
    rotation_matrices(places.orientation, places.rotation)
    return places


def shaken(mechanism: Mechanism, state: State, rng: np.random.Generator, size: float) -> Places:
    """Places in which every moving body is moved and turned at random by about so much, m and rad."""
    places = places_of(state)
    for body in np.flatnonzero(mechanism.bodies.moves):
        places.position[body] += size * rng.normal(size=3)
        turn = spatial.exponential(size * rng.normal(size=3))
        places.orientation[body] = spatial.multiply(turn, places.orientation[body])
    rotation_matrices(places.orientation, places.rotation)
    return places


def coordinates_of(trees: Articulation, places: Places) -> Array:
    """Joint coordinates (nodes, 7)."""
    from taut.responses.kinematics_kernels import read_coordinates

    found = np.zeros((trees.body.size, 7))
    read_coordinates(held(trees), held(places), found)
    return found


def placed(trees: Articulation, coordinate: Array, places: Places) -> Places:
    """Places with bodies of trees where these coordinates have them; the others, and those that float, as here."""
    from taut.responses.kinematics_kernels import place_nodes

    copy = Places(*(values.copy() for values in places))
    place_nodes(held(trees), coordinate, held(copy))
    return copy


def on_tree(trees: Articulation, places: Places) -> Places:
    """The nearest places in which no joint of a tree is open."""
    return placed(trees, coordinates_of(trees, places), places)


def places_near(mechanism: Mechanism, state: State, rng: np.random.Generator, size: float) -> Places:
    """Random places on the trees of a mechanism."""
    return on_tree(mechanism.trees, shaken(mechanism, state, rng, size))


def subspace_of(trees: Articulation, places: Places) -> tuple[Array, Array]:
    """Arms (nodes, 3) and columns of S (dofs, 6)."""
    from taut.responses.kinematics_kernels import find_subspace

    arm, subspace = np.full((trees.body.size, 3), np.nan), np.full((trees.dof_start[-1], 6), np.nan)
    find_subspace(held(trees), held(places), arm, subspace)
    return arm, subspace


def with_coordinates(trees: Articulation, places: Places, node: int, dof: int, change: float) -> Array:
    """Twist (6,) that leads a node's body from where it is to where a change of one of its coordinates has it."""
    coordinate = coordinates_of(trees, places)
    q, number, slides = coordinate[node], dof - int(trees.dof_start[node]), int(trees.slides[node])
    body, carrier = trees.body[node], trees.carrier[node]
    a = body if trees.flipped[node] else carrier
    if number < slides:
        q[4 + number] += change
    elif trees.turn[node] == ANY_TURN:
        axis = places.rotation[a].reshape(3, 3).T[:, number - slides]
        q[:4] = spatial.multiply(spatial.exponential(change * axis), q[:4])
    elif trees.turn[node] == ABOUT_TWO_AXES and number == slides + 1:
        q[:4] = spatial.multiply(q[:4], spatial.exponential(change * trees.axis_b[node]))
    else:
        q[:4] = spatial.multiply(spatial.exponential(change * trees.axis_a[node]), q[:4])
    after = placed(trees, coordinate, places)
    return np.concatenate([
        after.position[body] - places.position[body], turn_between(places.orientation[body], after.orientation[body])
    ])  # fmt: skip


def turn_between(start: Array, end: Array) -> Array:
    """Rotation vector (3,) from one orientation to another, in world axes."""
    difference = spatial.multiply(end, spatial.conjugate(start))
    w, v = difference[0], difference[1:]
    size = np.linalg.norm(v)
    angle = 2.0 * np.arctan2(size, abs(w)) * (1.0 if w >= 0 else -1.0)
    return v * (angle / size) if size > 0 else np.zeros(3)


def distance(first: Places, second: Places) -> float:
    """Largest difference of two sets of places, m and rad."""
    turns = [turn_between(p, q) for p, q in zip(first.orientation, second.orientation, strict=True)]
    return max(float(np.abs(first.position - second.position).max()), float(np.abs(turns).max()))


def mixed(rng: np.random.Generator, springs: bool = True, bounds: bool = True, floats: bool = False) -> taut.Scene:
    """A random tree with all that may be in one: drives, loops, and bodies beside it; springs across it if asked."""
    scene = random_tree(rng, 9, floats)
    for name in ("out", "free"):
        random_body(scene, rng, name)
    scene.add_spring("world", "b2", point_a=(0, 0, 1), point_b=(0.1, 0, 0), stiffness=300.0, damping=2.0, name="ground")
    scene.add_spring("b3", "out", point_a=(0.1, 0, 0), stiffness=50.0, damping=1.0, name="soft")
    scene.connect("b5", "out", joints.Distance(), name="rod")
    sprung = joints.Revolute(axis=(1, 0, 0), stiffness=40.0, damping=1.0)
    random_body(scene, rng, "sprung")
    scene.connect("b1", "sprung", sprung, at=(0.3, 0, 0), name="joint spring")
    if springs:
        for a, b in (("b1", "b8"), ("b0", "b6"), ("b4", "sprung")):
            scene.add_spring(a, b, point_a=(0.1, 0, 0), point_b=(0, 0.1, 0), stiffness=200.0, damping=1.0)
    if bounds:
        drives = {
            "limited": joints.Revolute(axis=(0, 1, 0), limits=(0.0, 2.0)),
            "stopped": joints.Prismatic(axis=(0, 0, 1), limits=(-0.5, 0.0)),
            "driven": joints.Revolute(axis=(0, 1, 0), motor=joints.Motor(speed=3.0, max_force=0.05)),
            "rubs": joints.Revolute(axis=(1, 0, 0), friction=0.01),
        }
        for index, (name, joint) in enumerate(drives.items()):
            random_body(scene, rng, name, angular_velocity=rng.normal(size=3))
            scene.connect(f"b{2 * index}", name, joint, at=(0.1 * index, 0, 0), name=f"{name} joint")
    return scene
