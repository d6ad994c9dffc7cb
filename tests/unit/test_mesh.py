"""Meshes of triangles: static ground."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.shapes import Box, Mesh

SQUARE = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float)
HALVES = [(0, 1, 2), (0, 2, 3)]


def test_triangles_without_area_are_dropped() -> None:
    mesh = Mesh(SQUARE, [*HALVES, (0, 0, 1), (1, 2, 1)])
    assert mesh.triangles.tolist() == [list(half) for half in HALVES]
    with pytest.raises(InputError, match="Mesh: triangles have no area"):
        Mesh(SQUARE, [(0, 0, 1)])


def test_arrays_are_copies_that_nobody_can_write_to() -> None:
    points = SQUARE.copy()
    mesh = Mesh(points, HALVES)
    points[0] = 7.0
    assert mesh == Mesh(SQUARE, HALVES) != Mesh(points, HALVES)
    assert not mesh.vertices.flags.writeable and not mesh.triangles.flags.writeable


@pytest.mark.parametrize(("triangles", "words"), [
    ([(0, 1, 4)], r"vertices are 4, but triangles\[0\] is \(0, 1, 4\).*0 to 3"),
    ([(0, 1, 2), (0, -1, 2)], r"triangles\[1\] is \(0, -1, 2\)"),
    ([(0, 1, 2.5)], "triangles is .*whole numbers"),
    ([(0, 1)], "triangles is .*whole numbers"),
    ([(0, 1, 2), (0, 1)], "triangles is .*whole numbers"),
])  # fmt: skip
def test_numbers_that_are_no_vertices_are_refused(triangles: list, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Mesh(SQUARE, triangles)


def test_moving_bodies_are_told_what_to_do() -> None:
    with pytest.raises(InputError, match="body 'sheet': shape is a Mesh.*fixed=True.*taut.shapes.decompose"):
        taut.Scene().add_body("sheet", Mesh(SQUARE, HALVES), mass=1.0)


def test_a_closed_mesh_holds_what_stands_on_it_and_lets_pass_what_is_beside() -> None:
    surface = Box(2.0, 2.0, 1.0).surface
    scene = taut.Scene()
    scene.add_body("table", Mesh(surface.points, surface.triangles), fixed=True, position=(0, 0, 0.5))
    scene.add_body("on", Box(0.4, 0.4, 0.4), mass=3, position=(0.3, 0.1, 1.3))
    scene.add_body("beside", Box(0.4, 0.4, 0.4), mass=3, position=(1.21, 0.1, 1.3))
    simulation = taut.Simulation(scene)
    for _ in range(60):
        assert simulation.step().status == "solved"
    assert simulation.body("on").position == pytest.approx((0.3, 0.1, 1.2), abs=1e-3)
    assert simulation.body("beside").position[:2] == pytest.approx((1.21, 0.1), abs=1e-9)
    assert simulation.body("beside").position[2] == pytest.approx(1.3 - 9.81 / 2, abs=0.1)


def test_a_restart_on_a_mesh_is_the_same_to_the_bit() -> None:
    rng = np.random.default_rng(3)
    scene = taut.Scene()
    surface = taut.shapes.Heightfield(rng.uniform(-0.1, 0.1, (9, 9)), (2.0, 2.0)).surface
    scene.add_body("ground", Mesh(surface.points, surface.triangles), fixed=True)
    scene.add_body("body", Box(0.2, 0.15, 0.1), mass=1, position=(0.1, 0.05, 0.3))
    first = taut.Simulation(scene)
    for _ in range(20):
        first.step()
    second = taut.Simulation(scene)
    second.restore(first.state)
    for _ in range(20):
        first.step()
        second.step()
    np.testing.assert_array_equal(first.state.position, second.state.position)


def test_a_mesh_without_triangles_says_how_to_read_a_file() -> None:
    with pytest.raises(InputError, match=r"Mesh: triangles are missing; Mesh\.from_file\(path\)"):
        Mesh("ground.obj")
