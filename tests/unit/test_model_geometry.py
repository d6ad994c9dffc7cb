"""Scene -> geoms."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.collide.geometry import Geoms
from taut.collide.kinds import BOX, CAPSULE, CONVEX, HEIGHTFIELD, PLANE, SPHERE
from taut.model.geometry import compile_geoms
from taut.shapes import Box, Capsule, Compound, Convex, Heightfield, Sphere


def geoms_of(scene: taut.Scene) -> Geoms:
    com = np.array([spec.com for spec in scene.bodies])
    return compile_geoms(scene, com)


def excluded_pairs(scene: taut.Scene) -> set[tuple[int, int]]:
    count = len(scene.bodies)
    return {(int(key) // count, int(key) % count) for key in geoms_of(scene).excluded}


def test_planes_come_first_and_belong_to_the_world() -> None:
    scene = taut.Scene(friction=0.7)
    scene.add_body("ball", Sphere(0.5), mass=1.0, friction=0.2, restitution=0.4, rolling_friction=0.01)
    scene.add_plane((0, 1, 0), 2.0)
    geoms = geoms_of(scene)
    np.testing.assert_array_equal(geoms.kind, (PLANE, SPHERE))
    np.testing.assert_array_equal(geoms.body, (0, 1))
    np.testing.assert_allclose(geoms.position[0], (0, 2, 0))
    np.testing.assert_allclose(geoms.rotation[0].reshape(3, 3)[:, 2], (0, 1, 0))
    assert geoms.radius[0] == np.inf
    np.testing.assert_allclose(geoms.friction, (0.7, 0.2))
    np.testing.assert_allclose((geoms.restitution[1], geoms.rolling[1], geoms.torsional[1]), (0.4, 0.01, 0.0))


def test_parts_are_measured_from_the_centre_of_mass() -> None:
    scene = taut.Scene()
    shape = Compound(
        [
            (Box(1, 1, 1), (0, 0, 0)),
            (Sphere(0.5), (2, 0, 0)),
            (Capsule(0.1, 1.0), (0, 0, 1), (0.5**0.5, 0, 0.5**0.5, 0)),
        ]
    )
    scene.add_body("tool", shape, mass=3.0)
    geoms, com = geoms_of(scene), scene.bodies[1].com
    assert list(geoms.kind) == [BOX, SPHERE, CAPSULE]
    np.testing.assert_allclose(geoms.position, np.array([(0, 0, 0), (2, 0, 0), (0, 0, 1)]) - com)
    np.testing.assert_allclose(geoms.rotation[2].reshape(3, 3)[:, 2], (1, 0, 0), atol=1e-12)
    np.testing.assert_allclose(geoms.radius, (np.sqrt(0.75), 0.5, 0.6))


def test_hulls_and_terrain_are_centred_on_their_boxes() -> None:
    scene = taut.Scene()
    points = np.array([(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2.0)])
    scene.add_body("hull", Convex(points), mass=1.0)
    scene.add_body("ground", Heightfield([[0.0, 1.0], [3.0, 2.0]], (4.0, 6.0)), fixed=True)
    geoms = geoms_of(scene)
    assert list(geoms.kind) == [CONVEX, HEIGHTFIELD]
    np.testing.assert_allclose(geoms.size, [(1, 1, 1), (2, 3, 1.5)])
    np.testing.assert_allclose(geoms.position[0] + scene.bodies[1].com, (1, 1, 1))
    np.testing.assert_allclose(geoms.position[1], (0, 0, 1.5))
    assert geoms.vertices.shape == (4, 3)
    assert np.linalg.norm(geoms.vertices, axis=1).max() == pytest.approx(geoms.radius[0])


def test_jointed_neighbours_do_not_touch_unless_asked() -> None:
    scene = taut.Scene()
    for name in "abc":
        scene.add_body(name, Sphere(0.5), mass=1.0)
    scene.connect("a", "b", taut.joints.Spherical())
    scene.connect("b", "c", taut.joints.Spherical(), collide=True)
    scene.add_spring("a", "c", stiffness=1.0)
    assert excluded_pairs(scene) == {(1, 2)}


def test_ignored_bodies_and_groups() -> None:
    scene = taut.Scene()
    for name, group in (("a", "left"), ("b", "left"), ("c", "right"), ("d", "default")):
        scene.add_body(name, Sphere(0.5), mass=1.0, group=group)
    scene.ignore_contacts("a", "c")
    scene.ignore_contacts("d", "left")
    scene.ignore_contacts("right", "right")
    geoms = geoms_of(scene)
    assert excluded_pairs(scene) == {(1, 3), (1, 4), (2, 4)}
    right, left = geoms.group[2], geoms.group[0]
    assert geoms.group_collides[right, right] == 0
    assert geoms.group_collides[left, left] == geoms.group_collides[left, right] == 1


def test_groups_below_a_group_are_ignored_with_it() -> None:
    scene = taut.Scene()
    names = {"a": "crane/frame", "b": "crane/cable", "crane/hook": "site", "d": "crane2", "crane": "cars"}
    for name, group in names.items():
        scene.add_body(name, Sphere(0.5), mass=1.0, group=group)
    a, b, hook, _, cars = range(1, 6)
    scene.ignore_contacts("crane/cable", "site")
    scene.ignore_contacts("crane", "crane")  # the body of this name and all bodies in groups below it
    geoms = geoms_of(scene)
    apart = {(a, b), (a, cars), (b, cars)}
    assert excluded_pairs(scene) == apart
    group, touch = geoms.group, geoms.group_collides
    open_to = {(x, y): bool(touch[group[x - 1], group[y - 1]]) for x in range(1, 6) for y in range(1, 6)}
    closed = {pair for pair, may in open_to.items() if not may}
    assert closed == {(a, a), (a, b), (b, a), (b, b), (b, hook), (hook, b)}


def test_bodies_that_do_not_collide_have_no_geoms() -> None:
    scene = taut.Scene()
    scene.add_body("ghost", Sphere(0.5), mass=1.0, collides=False)
    scene.add_body("point", mass=1.0, inertia=(1, 1, 1))
    geoms = geoms_of(scene)
    assert geoms.count == 0
    assert geoms.size.shape == (0, 3)
