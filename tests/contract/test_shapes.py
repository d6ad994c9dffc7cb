"""What every shape in the registry promises."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.shapes import Box, Capsule, Compound, Convex, Cylinder, Heightfield, Mesh, Plane, Shape, Sphere

Array = np.ndarray
Inside = Callable[[Array], Array]


def in_capsule(points: Array) -> Array:
    beyond = np.maximum(np.abs(points[:, 2]) - 0.35, 0.0)
    return points[:, 0] ** 2 + points[:, 1] ** 2 + beyond**2 <= 0.3**2


WEDGE = [(-0.5, -0.4, -0.3), (0.5, -0.4, -0.3), (-0.5, 0.4, -0.3), (-0.5, -0.4, 0.3)]
"""A corner of a box, cut off: a right-angled tetrahedron whose centroid is off the origin."""

SHEET = [(-0.5, -0.4, 0.0), (0.5, -0.4, 0.3), (-0.5, 0.4, -0.3), (0.5, 0.4, 0.0)]
"""A bent sheet that looks up."""

PLATE_AND_BALL = [(Box(0.6, 0.2, 0.4), (-0.1, 0.0, 0.1), (0.6, 0.0, 0.8, 0.0)), (Sphere(0.2), (0.3, 0.25, 0.0))]


def in_wedge(points: Array) -> Array:
    return ((points - WEDGE[0]) / (1.0, 0.8, 0.6)).sum(axis=1) <= 1.0


def in_plate_or_ball(points: Array) -> Array:
    turn = np.array([[-0.28, 0.0, 0.96], [0.0, 1.0, 0.0], [-0.96, 0.0, -0.28]])  # by 2 acos(0.6) about y
    in_plate = (np.abs((points - (-0.1, 0.0, 0.1)) @ turn) <= (0.3, 0.1, 0.2)).all(axis=1)
    return in_plate | (((points - (0.3, 0.25, 0.0)) ** 2).sum(axis=1) <= 0.04)


EXAMPLES: dict[str, tuple[Shape, Array, Inside | None]] = {
    "Box": (Box(1.0, 0.6, 0.4), np.array([0.5, 0.3, 0.2]), lambda p: (np.abs(p) <= [0.5, 0.3, 0.2]).all(axis=1)),
    "Sphere": (Sphere(0.5), np.full(3, 0.5), lambda p: (p**2).sum(axis=1) <= 0.25),
    "Cylinder": (Cylinder(0.3, 1.0), np.array([0.3, 0.3, 0.5]), lambda p: p[:, 0] ** 2 + p[:, 1] ** 2 <= 0.09),
    "Capsule": (Capsule(0.3, 0.7), np.array([0.3, 0.3, 0.65]), in_capsule),
    "Convex": (Convex(WEDGE), np.array([0.5, 0.4, 0.3]), in_wedge),
    "Compound": (Compound(PLATE_AND_BALL), np.array([0.55, 0.5, 0.5]), in_plate_or_ball),
    "Heightfield": (Heightfield([[0.0, 1.0], [2.0, -3.0]], (4.0, 2.0)), np.array([2.0, 1.0, 3.0]), None),
    "Mesh": (Mesh(SHEET, [(0, 1, 2), (1, 3, 2)]), np.array([0.5, 0.4, 0.3]), None),
    "Plane": (Plane((0, 0, 2), 1.0), np.zeros(3), None),
}
"""An example, half extents of a box around the origin that holds it, and which points are inside (None: not solid). A
new shape needs one line here."""

SHAPES = pytest.mark.parametrize("name", sorted(Shape.registry))


def example(name: str) -> tuple[Shape, Array, Inside | None]:
    assert name in EXAMPLES, f"shape {name} needs an example in tests/contract/test_shapes.py"
    return EXAMPLES[name]


@SHAPES
def test_shapes_are_offered_by_name(name: str) -> None:
    assert getattr(taut.shapes, name) is Shape.registry[name]
    assert len(Shape.registry[name].__doc__ or "") > 20


@SHAPES
def test_volume_centre_and_inertia_are_those_of_the_points_inside(name: str) -> None:
    """Midpoint rule over a fine grid."""
    shape, half, inside = example(name)
    if inside is None:
        assert not shape.solid
        return
    count = 100
    axes = [extent * (2.0 * (np.arange(count) + 0.5) / count - 1.0) for extent in half]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    points = points[inside(points)]
    assert shape.volume == pytest.approx(len(points) * np.prod(2.0 * half / count), rel=0.02)
    com = points.mean(axis=0)
    assert shape.com == pytest.approx(com, abs=5e-3)
    squares = (points - com).T @ (points - com) / len(points)
    expected = 7.0 * (np.trace(squares) * np.eye(3) - squares)
    assert np.abs(shape.inertia(7.0) - expected).max() <= 0.01 * np.abs(expected).max()
    assert np.linalg.norm(points, axis=1).max() <= shape.bounding_radius


@SHAPES
def test_bounding_ball_holds_the_shape_and_is_not_larger_than_its_box_needs(name: str) -> None:
    shape, half, _ = example(name)
    assert name == "Plane" or half.max() <= shape.bounding_radius * (1 + 1e-12) <= np.linalg.norm(half) * (1 + 1e-9)
    assert name != "Plane" or shape.bounding_radius == math.inf


@SHAPES
def test_parts_are_pieces_without_parts_of_their_own(name: str) -> None:
    shape, _, inside = example(name)
    for piece, position, orientation in shape.parts:
        assert position.shape == (3,) and np.linalg.norm(orientation) == pytest.approx(1.0)
        assert not position.flags.writeable and not orientation.flags.writeable
        assert [part[0] for part in piece.parts] == [piece]
    assert inside is None or sum(piece.volume for piece, _, _ in shape.parts) == pytest.approx(shape.volume)
    if name != "Compound":
        ((piece, position, orientation),) = shape.parts
        assert piece is shape and not position.any() and orientation.tolist() == [1, 0, 0, 0]


def signed_volume(corners: Array) -> float:
    """Volume (m^3) inside closed triangles (t, 3, 3) that turn outwards, by the divergence theorem."""
    return float(np.einsum("ti,ti->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))) / 6.0


@SHAPES
def test_surfaces_enclose_the_volume_and_turn_outwards(name: str) -> None:
    shape, half, inside = example(name)
    if name == "Plane":
        return  # it has no end
    for piece, _, _ in shape.parts:
        points, triangles = piece.surface.points, piece.surface.triangles
        assert np.linalg.norm(points, axis=1).max() <= piece.bounding_radius * (1 + 1e-12)
        corners = points[triangles]
        areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert (np.linalg.norm(areas, axis=1) > 0.0).all()
        if inside is None:
            assert (areas[:, 2] > 0.0).all()  # terrain looks up
            continue
        assert signed_volume(corners) == pytest.approx(piece.volume, rel=0.05)
        # every edge is met once in each direction
        _, place = np.unique(points.round(9), axis=0, return_inverse=True)
        edges = [tuple(pair) for pair in place[np.vstack([triangles[:, [i, (i + 1) % 3]] for i in range(3)])].tolist()]
        assert len(set(edges)) == len(edges) and {(b, a) for a, b in edges} == set(edges)


@SHAPES
def test_bodies_take_mass_inertia_and_centre_from_solid_shapes(name: str) -> None:
    shape, _, inside = example(name)
    scene = taut.Scene()
    if inside is None:
        with pytest.raises(InputError, match=f"body 'b': shape is a {name}.*(scene.add_plane|fixed=True)"):
            scene.add_body("b", shape, mass=1.0)
        assert len(scene.bodies) == 1
        return
    scene.add_body("b", shape, density=500.0)
    assert scene.bodies[-1].mass == pytest.approx(500.0 * shape.volume)
    assert scene.bodies[-1].inertia == pytest.approx(shape.inertia(500.0 * shape.volume))
    assert scene.bodies[-1].com == pytest.approx(shape.com)


@SHAPES
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, "wide", None, [], [(1.0, 2.0, 3.0)] * 3])
def test_wrong_sizes_are_refused(name: str, value: object) -> None:
    shape, _, _ = example(name)
    for field in dataclasses.fields(shape):
        if not field.init or (name == "Plane" and field.name == "offset" and value in (0.0, -1.0)):
            continue  # a plane may lie anywhere
        if name == "Heightfield" and field.name == "heights" and isinstance(value, list) and value:
            continue  # three rows of three heights are a grid
        with pytest.raises(InputError, match=f"{name}: {field.name}") as caught:
            dataclasses.replace(shape, **{field.name: value})
        assert "\n" not in str(caught.value)


@SHAPES
def test_shapes_are_values(name: str) -> None:
    shape, _, _ = example(name)
    again = dataclasses.replace(shape)
    assert again == shape and hash(again) == hash(shape)
    assert [other for other, _, _ in EXAMPLES.values() if other == shape] == [shape]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(shape, dataclasses.fields(shape)[0].name, 2.0)


def test_capsule_without_length_is_a_sphere_and_long_one_a_rod() -> None:
    assert Capsule(0.3, 1e-6).unit_inertia == pytest.approx(Sphere(0.3).unit_inertia, rel=1e-5)
    assert Capsule(1e-6, 2.0).unit_inertia[0] == pytest.approx(2.0**2 / 12.0, rel=1e-5)


def test_plane_normal_is_made_a_unit_vector() -> None:
    plane = taut.Scene().add_plane((0, 3, 4), 2.0)
    assert plane.normal == pytest.approx((0.0, 0.6, 0.8))
