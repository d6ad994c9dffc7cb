"""What bodies look like: shapes of their own for the eye, colours, and what becomes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taut
from taut import spatial
from taut.errors import InputError
from taut.results.drawing import Drawing
from taut.results.record import Recording
from taut.shapes import Box, Compound, Cylinder, Mesh, Plane, Sphere
from taut.view.batches import Look, batches
from taut.view.frame import frame_of

RED, BLUE, GREY = (1.0, 0.0, 0.0), (0.0, 0.2, 1.0), (0.4, 0.4, 0.4)
TENT = Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 1, 2), (0, 1, 3)])
QUARTER = tuple(spatial.from_axis_angle((0, 0, 1), 0.5 * np.pi))


def truck() -> taut.Scene:
    """A body with four pieces for the eye, one painted by itself; one that is only painted; and a plain one."""
    scene = taut.Scene(gravity=(0, 0, 0))
    wheels = Compound([(Sphere(0.2), (0, -1, 0)), (Sphere(0.2), (0, 1, 0))])
    visual = [Box(2, 1, 1), (wheels, (1, 0, 0), QUARTER), taut.Piece(TENT, (0, 0, 1), colour=BLUE)]
    scene.add_body("truck", Box(2, 2, 2), mass=2.0, visual=visual, colour=RED)
    scene.add_body("painted", Box(1, 1, 1), mass=1.0, position=(5, 0, 0), colour=BLUE)
    scene.add_body("plain", Box(1, 1, 1), mass=1.0, position=(9, 0, 0))
    return scene


def paint(drawing: Drawing, body: str) -> list[list[int]]:
    """Colours of the pieces of a body."""
    return drawing.piece_colours[drawing.piece_body == drawing.body_names.index(body)].tolist()


def test_a_visual_is_drawn_in_place_of_the_shape_and_collides_with_nothing() -> None:
    simulation = taut.Simulation(truck())
    drawing = simulation.drawing
    own = drawing.piece_body == 1
    assert paint(drawing, "truck") == [[255, 0, 0]] * 3 + [[0, 51, 255]]
    assert paint(drawing, "painted") == [[0, 51, 255]] and paint(drawing, "plain") == [[-1, -1, -1]]
    assert drawing.piece_position[own] == pytest.approx(np.array([(0, 0, 0), (2, 0, 0), (0, 0, 0), (0, 0, 1.0)]))
    assert drawing.piece_orientation[own][1] == pytest.approx(QUARTER)
    geoms = simulation.model.geoms
    assert geoms.body.tolist() == [1, 2, 3] and geoms.size[0].tolist() == [1.0, 1.0, 1.0]


def test_a_visual_alone_needs_no_shape() -> None:
    scene = taut.Scene()
    scene.add_body("tree", fixed=True, visual=Cylinder(0.2, 3.0), colour=GREY)
    scene.add_body("ghost", mass=1.0, inertia=(1, 1, 1), visual=TENT)
    drawing = taut.Simulation(scene).drawing
    assert drawing.piece_body.tolist() == [1, 2] and len(drawing.surfaces) == 2
    assert taut.Simulation(scene).model.geoms.count == 0


def test_colours_are_seen_where_bodies_are_coloured_as_bodies() -> None:
    simulation = taut.Simulation(truck())
    drawing, frame = simulation.drawing, frame_of(simulation)
    seen = {look: batches(drawing, frame, Look(look)) for look in ("body", "mass")}
    bodies = np.concatenate([batch.bodies for batch in seen["body"]])
    colours = {look: np.vstack([batch.colours for batch in each]) for look, each in seen.items()}
    assert {tuple(each) for each in colours["body"][bodies == 1].tolist()} == {(255, 0, 0), (0, 51, 255)}
    assert colours["body"][bodies == 2].tolist() == [[0, 51, 255]]
    assert len({tuple(each) for each in colours["mass"][bodies == 1].tolist()}) == 1
    assert colours["mass"][bodies == 2].tolist() == colours["mass"][bodies == 3].tolist() != [[0, 51, 255]]


def test_a_fixed_body_has_its_colour_too() -> None:
    scene = taut.Scene()
    scene.add_body("wall", Box(1, 1, 1), fixed=True, colour=RED)
    scene.add_body("post", Box(1, 1, 1), fixed=True, position=(5, 0, 0))
    simulation = taut.Simulation(scene)
    colours = batches(simulation.drawing, frame_of(simulation), Look())[0].colours.tolist()
    assert colours == [[255, 0, 0], [172, 176, 182]]


@pytest.mark.parametrize("changing", [False, True])
def test_recordings_have_looks_and_groups(tmp_path: Path, changing: bool) -> None:
    scene = truck()
    scene.bodies[2].group = "site/sheds"
    simulation = taut.Simulation(scene)

    def drop(share: float) -> None:
        if changing and share == 1 / 3:
            with simulation.edit() as edit:
                edit.remove_body("plain")

    recording = simulation.run(0.05, tmp_path / "run.taut", drop)
    drawing, opened = recording.drawing, Recording.load(tmp_path / "run.taut").drawing
    assert drawing is not None and opened is not None
    assert paint(opened, "truck") == paint(drawing, "truck") == [[255, 0, 0]] * 3 + [[0, 51, 255]]
    assert opened.body_groups == drawing.body_groups == ("world", "default", "site/sheds", "default")


def test_drawings_of_before_have_no_looks() -> None:
    arrays = taut.Simulation(truck()).drawing.arrays()
    older = Drawing.from_arrays({n: v for n, v in arrays.items() if n not in ("piece_colours", "body_groups")})
    assert paint(older, "truck") == [[-1, -1, -1]] * 4 and older.body_groups == ("default",) * 4


def test_a_body_that_comes_apart_divides_its_visual() -> None:
    simulation = taut.Simulation(truck())
    halves = {name: {"shape": Box(1, 2, 2), "mass": 1.0, "position": (x, 0, 0)} for name, x in (("a", -1), ("b", 1))}
    halves["b"]["orientation"] = QUARTER
    before = simulation.drawing
    places, _ = before.piece_poses(simulation.origins(), simulation.state.orientation)
    with simulation.edit() as edit:
        edit.split_body("truck", halves)
    drawing = simulation.drawing
    after, turns = drawing.piece_poses(simulation.origins(), simulation.state.orientation)
    owner = [drawing.body_names[body] for body in drawing.piece_body]
    assert owner.count("a") == 3 and owner.count("b") == 1
    assert sorted(map(tuple, after.round(9).tolist())) == sorted(map(tuple, places.round(9).tolist()))
    assert turns[owner.index("b")] == pytest.approx(QUARTER)
    assert paint(drawing, "b") == [[255, 0, 0]] and paint(drawing, "a")[-1] == [0, 51, 255]


def test_a_visual_of_one_piece_is_not_divided_and_one_that_is_given_is_taken() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("box", Box(2, 1, 1), mass=2.0, visual=Sphere(1.0), colour=RED)
    simulation = taut.Simulation(scene)
    halves = {
        name: {"shape": Box(1, 1, 1), "mass": 1.0, "position": (x, 0, 0)} for name, x in (("a", -0.5), ("b", 0.5))
    }
    halves["b"] |= {"visual": TENT, "colour": BLUE}
    with simulation.edit() as edit:
        edit.split_body("box", halves)
    a, b = simulation.scene.bodies[1:]
    assert a.visual is None and a.colour == RED
    assert b.visual is not None and b.visual[0].shape == TENT and b.colour == BLUE


def test_bodies_that_become_one_look_as_they_did() -> None:
    simulation = taut.Simulation(truck())
    before = simulation.drawing
    places, _ = before.piece_poses(simulation.origins(), simulation.state.orientation)
    with simulation.edit() as edit:
        edit.merge_bodies(["truck", "painted"], "wreck", orientation=QUARTER)
    drawing = simulation.drawing
    after, _ = drawing.piece_poses(simulation.origins(), simulation.state.orientation)
    assert paint(drawing, "wreck") == paint(before, "truck") + paint(before, "painted")
    assert after[drawing.piece_body == 2] == pytest.approx(places[:5], abs=1e-12)


def test_what_a_machine_part_added_can_be_painted() -> None:
    scene = truck()
    scene.add(taut.machines.Cable(from_="world", to="plain", length=10.0, segments=3), name="truck/rope")
    scene.paint("truck", colour=GREY)
    drawing = taut.Simulation(scene).drawing
    assert paint(drawing, "truck")[0] == paint(drawing, "truck/rope/2")[0] == [102, 102, 102]
    assert paint(drawing, "truck")[-1] == [0, 51, 255] and paint(drawing, "painted") == [[0, 51, 255]]
    scene.paint("plain", visual=TENT)
    drawing = taut.Simulation(scene).drawing
    assert len(drawing.surfaces[drawing.piece_surface[drawing.piece_body == 3][0]].points) == 6
    with pytest.raises(InputError, match="paint: there is no body or group 'van'"):
        scene.paint("van", colour=GREY)
    with pytest.raises(InputError, match="paint 'truck': colour is 'grey'"):
        scene.paint("truck", colour="grey")


@pytest.mark.parametrize("colour", [(1, 0), (1, 0, 2), (0, -0.1, 0), "red", (1, 0, np.nan), 3, (1, 0, "1"), [True] * 3])
def test_a_colour_is_three_numbers_from_0_to_1(colour: object) -> None:
    scene = taut.Scene()
    words = "colour is .*; it must be 3 numbers from 0 to 1"
    with pytest.raises(InputError, match="body 'a': " + words):
        scene.add_body("a", Box(1, 1, 1), mass=1.0, colour=colour)
    with pytest.raises(InputError, match=r"body 'a': visual\[1\]: " + words):
        scene.add_body("a", Box(1, 1, 1), mass=1.0, visual=[Box(1, 1, 1), taut.Piece(Box(1, 1, 1), colour=colour)])


@pytest.mark.parametrize(
    ("visual", "words"),
    [
        (3, "visual is 3; it must be a shape"),
        ([], "visual is empty; it must be a shape"),
        ([Box(1, 1, 1), 3], r"visual\[1\] is 3; it must be a shape"),
        (Plane(), r"visual is Plane.*; it must be a shape"),
        ([(Box(1, 1, 1), (0, 0))], r"visual\[0\]: position"),
        ([(Box(1, 1, 1), (0, 0, 0), (0, 0, 0, 0))], r"visual\[0\]: orientation"),
        ([(Box(1, 1, 1), (0, 0, 0), (1, 0, 0, 0), None, 5)], r"visual\[0\] is .*; it must be a shape"),
    ],
)
def test_what_is_no_visual_is_refused(visual: object, words: str) -> None:
    with pytest.raises(InputError, match="body 'a': " + words):
        taut.Scene().add_body("a", Box(1, 1, 1), mass=1.0, visual=visual)
