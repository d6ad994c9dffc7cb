"""What every shape in the registry promises."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.shapes import Box, Capsule, Cylinder, Plane, Shape, Sphere

Array = np.ndarray
Inside = Callable[[Array], Array]


def in_capsule(points: Array) -> Array:
    beyond = np.maximum(np.abs(points[:, 2]) - 0.35, 0.0)
    return points[:, 0] ** 2 + points[:, 1] ** 2 + beyond**2 <= 0.3**2


EXAMPLES: dict[str, tuple[Shape, Array, Inside | None]] = {
    "Box": (Box(1.0, 0.6, 0.4), np.array([0.5, 0.3, 0.2]), lambda p: (np.abs(p) <= [0.5, 0.3, 0.2]).all(axis=1)),
    "Sphere": (Sphere(0.5), np.full(3, 0.5), lambda p: (p**2).sum(axis=1) <= 0.25),
    "Cylinder": (Cylinder(0.3, 1.0), np.array([0.3, 0.3, 0.5]), lambda p: p[:, 0] ** 2 + p[:, 1] ** 2 <= 0.09),
    "Capsule": (Capsule(0.3, 0.7), np.array([0.3, 0.3, 0.65]), in_capsule),
    "Plane": (Plane((0, 0, 2), 1.0), np.zeros(3), None),
}
"""An example, its half extents, and which points are inside. A new shape needs one line here."""

SHAPES = pytest.mark.parametrize("name", sorted(Shape.registry))


def example(name: str) -> tuple[Shape, Array, Inside | None]:
    assert name in EXAMPLES, f"shape {name} needs an example in tests/contract/test_shapes.py"
    return EXAMPLES[name]


@SHAPES
def test_shapes_are_offered_by_name(name: str) -> None:
    assert getattr(taut.shapes, name) is Shape.registry[name]
    assert len(Shape.registry[name].__doc__ or "") > 20


@SHAPES
def test_volume_and_inertia_are_those_of_the_points_inside(name: str) -> None:
    """Midpoint rule over a fine grid."""
    shape, half, inside = example(name)
    if inside is None:
        assert not shape.solid
        return
    count = 100
    axes = [extent * (2.0 * (np.arange(count) + 0.5) / count - 1.0) for extent in half]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    points = points[inside(points)]
    assert shape.volume == pytest.approx(len(points) * np.prod(2.0 * half / count), rel=5e-3)
    square = (points**2).mean(axis=0)
    expected = 7.0 * np.array([square[1] + square[2], square[2] + square[0], square[0] + square[1]])
    assert np.diag(shape.inertia(7.0)) == pytest.approx(expected, rel=5e-3)
    assert np.count_nonzero(shape.inertia(7.0) - np.diag(np.diag(shape.inertia(7.0)))) == 0


@SHAPES
def test_bodies_take_mass_from_density(name: str) -> None:
    shape, _, inside = example(name)
    scene = taut.Scene()
    if inside is None:
        with pytest.raises(InputError, match="body 'b'.*solid"):
            scene.add_body("b", shape, mass=1.0)
        return
    scene.add_body("b", shape, density=500.0)
    assert scene.bodies[-1].mass == pytest.approx(500.0 * shape.volume)
    assert scene.bodies[-1].inertia == pytest.approx(shape.inertia(500.0 * shape.volume))


@SHAPES
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, "wide", None])
def test_wrong_sizes_are_refused(name: str, value: object) -> None:
    shape, _, _ = example(name)
    for field in dataclasses.fields(shape):
        if name == "Plane" and (field.name == "offset" and value in (0.0, -1.0)):
            continue  # a plane may lie anywhere
        with pytest.raises(InputError, match=f"{name}: {field.name}") as caught:
            dataclasses.replace(shape, **{field.name: value})
        assert "\n" not in str(caught.value)


@SHAPES
def test_shapes_are_values(name: str) -> None:
    shape, _, _ = example(name)
    assert dataclasses.replace(shape) == shape and hash(dataclasses.replace(shape)) == hash(shape)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(shape, dataclasses.fields(shape)[0].name, 2.0)


def test_capsule_without_length_is_a_sphere_and_long_one_a_rod() -> None:
    assert Capsule(0.3, 1e-6).unit_inertia == pytest.approx(Sphere(0.3).unit_inertia, rel=1e-5)
    assert Capsule(1e-6, 2.0).unit_inertia[0] == pytest.approx(2.0**2 / 12.0, rel=1e-5)


def test_plane_normal_is_made_a_unit_vector() -> None:
    with pytest.warns(UserWarning, match="do not collide yet"):
        plane = taut.Scene().add_plane((0, 3, 4), 2.0)
    assert plane.normal == pytest.approx((0.0, 0.6, 0.8))
