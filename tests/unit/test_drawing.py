"""What a model looks like."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import taut
from taut import spatial
from taut.results.drawing import Drawing, draw_model
from taut.results.record import Recording


def machine() -> taut.Scene:
    """Two boxes of one shape, a body without a shape, a compound, a rope, a spring and a hinge."""
    scene = taut.Scene(collisions=False, name="machine")
    scene.add_plane()
    turn = spatial.from_axis_angle((1, 2, 3), 0.7)
    scene.add_body("left", taut.shapes.Box(1, 2, 3), mass=2.0, position=(0, 0, 5), orientation=turn)
    scene.add_body("right", taut.shapes.Box(1, 2, 3), mass=2.0, position=(4, 0, 5), fixed=True)
    scene.add_body("bare", mass=3.0, inertia=(3.0, 2.0, 1.5), position=(8, 0, 5))
    pair = [(taut.shapes.Sphere(0.5), (0, 0, 1)), (taut.shapes.Sphere(0.5), (0, 0, -1))]
    scene.add_body("pair", taut.shapes.Compound(pair), mass=1.0, com=(0, 0, 0.2), position=(0, 4, 5))
    scene.connect("left", "pair", taut.joints.Rope((0.5, 0, 0), (0, 0, 1.5)), name="rope")
    scene.add_spring("world", "bare", (8, 0, 9), (0, 0.1, 0), stiffness=10.0, name="spring")
    scene.connect("world", "pair", taut.joints.Revolute(axis=(0, 1, 0)), at=(0, 4, 6), name="hinge")
    return scene


@pytest.fixture(scope="module")
def simulation() -> taut.Simulation:
    return taut.Simulation(machine())


def test_equal_shapes_share_a_surface_and_parts_are_pieces_of_their_own(simulation: taut.Simulation) -> None:
    drawing = simulation.drawing
    assert len(drawing.surfaces) == 3  # box, inertia box, sphere
    names = [drawing.body_names[body] for body in drawing.piece_body]
    assert names == ["left", "right", "bare", "pair", "pair"]
    assert drawing.piece_surface[0] == drawing.piece_surface[1] and drawing.piece_surface[3] == drawing.piece_surface[4]
    assert drawing.moves.tolist() == [False, True, False, True, True]
    assert drawing.planes.tolist() == [[0, 0, 1, 0]]


def test_a_body_without_a_shape_is_the_box_with_its_inertia(simulation: taut.Simulation) -> None:
    drawing = simulation.drawing
    piece = int(np.flatnonzero(drawing.piece_body == 3)[0])
    x, y, z = np.ptp(drawing.surfaces[drawing.piece_surface[piece]].points, axis=0)
    rotation = spatial.matrix(drawing.piece_orientation[piece])
    inertia = rotation @ taut.shapes.Box(x, y, z).inertia(3.0) @ rotation.T
    assert inertia == pytest.approx(np.diag([3.0, 2.0, 1.5]), abs=1e-12)


def test_pieces_and_paths_move_with_their_bodies(simulation: taut.Simulation) -> None:
    drawing = simulation.drawing
    rng = np.random.default_rng(0)
    count = len(drawing.body_names)
    positions, orientations = rng.normal(size=(count, 3)), rng.normal(size=(count, 4))
    orientations /= np.linalg.norm(orientations, axis=1, keepdims=True)
    place, turn = drawing.piece_poses(positions, orientations)
    for piece, body in enumerate(drawing.piece_body):
        own = spatial.rotate(orientations[body], drawing.piece_position[piece])
        assert place[piece] == pytest.approx(positions[body] + own)
        whole = spatial.multiply(orientations[body], drawing.piece_orientation[piece])
        assert turn[piece] == pytest.approx(whole)
    points = drawing.path_points(positions, orientations)
    assert points[1] == pytest.approx(positions[4] + spatial.rotate(orientations[4], (0, 0, 1.5)))


def test_joints_go_through_their_points_in_the_world(simulation: taut.Simulation) -> None:
    drawing, state = simulation.drawing, simulation.state
    points = drawing.path_points(simulation.origins(), state.orientation)
    assert drawing.link_names == ("rope", "spring", "hinge") and drawing.link_kinds == ("Rope", "Spring", "Revolute")
    assert drawing.pulls.tolist() == [True, True, False] and not drawing.couples.any()
    left = simulation.body("left")
    assert points[0] == pytest.approx(left.position + spatial.rotate(left.orientation, (0.5, 0, 0)))
    assert points[2:4] == pytest.approx(np.array([(8, 0, 9), (8, 0.1, 5)]))
    assert points[4:] == pytest.approx(np.array([(0, 4, 6), (0, 4, 6)]))


def test_arms_reach_to_joints_outside_a_body_and_couplings_from_centre_to_centre() -> None:
    scene = taut.Scene(collisions=False)
    for name, x in (("bob", 0.0), ("disc", 3.0), ("load", 3.2)):
        scene.add_body(name, taut.shapes.Sphere(0.1), mass=1.0, position=(x, 0, 0))
    scene.connect("world", "bob", taut.joints.Revolute(axis=(0, 1, 0)), at=(0, 0, 2), name="far")
    scene.connect("world", "disc", taut.joints.Revolute(axis=(0, 1, 0)), name="near")
    scene.connect("disc", "load", taut.joints.Rack(radius=0.1, axis=(0, 1, 0), axis_rack=(0, 0, 1)), name="rack")
    drawing = taut.Simulation(scene).drawing
    assert drawing.couples.tolist() == [False, False, True]
    assert drawing.path_point[drawing.arms].tolist() == [[0, 0, 2]] and drawing.path_body[drawing.arms].tolist() == [1]
    assert drawing.path_body[4:].tolist() == [2, 3] and not drawing.path_point[4:].any()


def test_a_recording_keeps_it(simulation: taut.Simulation, tmp_path: Path) -> None:
    file = tmp_path / "machine.h5"
    simulation.run(0.05, file)
    kept, drawing = Recording.load(file).drawing, draw_model(simulation.model)
    assert kept is not None
    for part in fields(Drawing):
        mine, its = getattr(drawing, part.name), getattr(kept, part.name)
        if part.name == "surfaces":
            for first, second in zip(mine, its, strict=True):
                assert second.points == pytest.approx(first.points, rel=1e-6)
                assert np.array_equal(first.triangles, second.triangles)
        else:
            assert np.array_equal(mine, its), part.name


def test_every_registered_scene_can_be_drawn() -> None:
    from taut.model.compile import compile_scene

    for name in taut.scenes.names():
        model, _ = compile_scene(taut.scenes.build(name))
        drawing = draw_model(model)
        assert set(drawing.piece_body) >= set(np.flatnonzero(model.bodies.moves)), name
