"""Shapes at poses, collided: what the tests of collision share."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import taut
from taut.collide.collider import Collider
from taut.collide.contacts import CENTRE_LINE, NORMAL_OF_A, NORMAL_OF_B, Contacts
from taut.model.geometry import compile_geoms
from taut.shapes import Box, Capsule, Convex, Cylinder, Plane, Sphere

UPRIGHT = np.eye(3)
LYING = Rotation.from_euler("y", 90, degrees=True).as_matrix()
"""Turns the axis of a round body from z to x."""

Body = tuple[Any, Any, Any]
"""Shape, position of its centre of mass (3,), rotation (3, 3)."""


def rock(rng: np.random.Generator, count: int = 24, radius: float = 0.3) -> Convex:
    """A convex stone with corners near a sphere, its bounding box in the middle of its frame."""
    points = rng.normal(size=(count, 3))
    points *= radius * rng.uniform(0.9, 1.0, (count, 1)) / np.linalg.norm(points, axis=1)[:, None]
    return Convex(points)


def collider_of(shapes: Sequence[Any], margin: float | None = 0.0) -> Collider:
    """A collider of one body a shape; planes belong to the world."""
    scene = taut.Scene()
    for index, shape in enumerate(shapes):
        if isinstance(shape, Plane):
            scene.add_plane(shape.normal, shape.offset)
        elif shape.solid:
            scene.add_body(f"body-{index}", shape, mass=1.0)
        else:
            scene.add_body(f"body-{index}", shape, fixed=True)
    com = np.array([spec.com for spec in scene.bodies])
    moves = np.array([not spec.fixed for spec in scene.bodies], np.uint8)
    return Collider(compile_geoms(scene, com), moves, margin)


def collide(
    *bodies: Body, reach: float = 0.01, margin: float | None = 0.0, collider: Collider | None = None
) -> Contacts:
    """Contacts of bodies at poses; each may still move by `reach`."""
    collider = collider or collider_of([shape for shape, _, _ in bodies], margin)
    placed = [(np.zeros(3), UPRIGHT)] + [(at, turn) for shape, at, turn in bodies if not isinstance(shape, Plane)]
    position = np.array([at for at, _ in placed], float)
    rotation = np.array([np.asarray(turn).ravel() for _, turn in placed], float)
    return collider.contacts(position, rotation, np.full(len(placed), reach))


def corners(shape: Any, position: Any, rotation: Any) -> np.ndarray:
    """World corners of a box or hull whose centre of mass is at `position`."""
    if isinstance(shape, Box):
        signs = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
        points = signs * (shape.x, shape.y, shape.z)
    else:
        points = np.asarray(shape.points) - shape.com
    return points @ np.asarray(rotation).T + position


def separation(first: np.ndarray, second: np.ndarray) -> float:
    """Largest gap of two hulls along any face normal or cross product of edges: brute force."""
    hulls = [ConvexHull(points) for points in (first, second)]
    axes = [hulls[0].equations[:, :3], -hulls[1].equations[:, :3]]
    edges = []
    for hull in hulls:
        pairs = {tuple(sorted((s[i], s[i - 1]))) for s in hull.simplices for i in range(3)}
        edges.append(np.array([hull.points[b] - hull.points[a] for a, b in pairs]))
    crossed = np.cross(edges[0][:, None], edges[1][None]).reshape(-1, 3)
    length = np.linalg.norm(crossed, axis=1)
    crossed = crossed[length > 1e-6] / length[length > 1e-6, None]
    every = np.vstack([*axes, crossed, -crossed])
    return float(((every @ second.T).min(axis=1) - (every @ first.T).max(axis=1)).max())


def gaps_after(contacts: Contacts, position: np.ndarray, rotation: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Gaps that the local model of the contacts foretells at new poses; `before` (n, 9) are the old rotations."""
    result = np.zeros(contacts.count)
    for k in range(contacts.count):
        a, b = contacts.body_a[k], contacts.body_b[k]
        core_a = position[a] + rotation[a].reshape(3, 3) @ contacts.core_a[k]
        core_b = position[b] + rotation[b].reshape(3, 3) @ contacts.core_b[k]
        normal = contacts.normal[k]
        if contacts.turning[k] in (NORMAL_OF_A, NORMAL_OF_B):
            body = a if contacts.turning[k] == NORMAL_OF_A else b
            normal = rotation[body].reshape(3, 3) @ before[body].reshape(3, 3).T @ normal
        elif contacts.turning[k] == CENTRE_LINE:
            normal = (core_b - core_a) / np.linalg.norm(core_b - core_a)
        result[k] = normal @ (core_b - core_a) - contacts.radius_a[k] - contacts.radius_b[k]
    return result


def every_shape(rng: np.random.Generator) -> list[Any]:
    """One of each kind of solid that can move."""
    return [Sphere(0.3), Capsule(0.2, 0.5), Cylinder(0.25, 0.6), Box(0.4, 0.5, 0.6), rock(rng)]
