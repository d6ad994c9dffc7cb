"""What an edit puts into a simulation: overlaps are said and known, and pairs that may not touch any more do not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sample_mechanisms import same_state

import taut
from taut.errors import InputError, TautWarning
from taut.joints import Revolute, Rope
from taut.shapes import Box, Sphere


def on_the_ground(**options: object) -> taut.Simulation:
    """A box that has come to rest."""
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("box", Box(1, 1, 1), mass=1.0, position=(0, 0, 0.5))
    simulation = taut.Simulation(scene, **options)
    simulation.run(0.2)
    return simulation


def said_of(simulation: taut.Simulation, *bodies: dict) -> list[str]:
    """Texts of the warnings when these bodies are added, all of one line, ours and in the name of who edits."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with simulation.edit() as edit:
            for options in bodies:
                edit.add_body(**({"shape": Sphere(0.5), "mass": 1.0} | options))
    assert all(issubclass(each.category, TautWarning) and "\n" not in str(each.message) for each in caught)
    assert all(each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught]


END = "place them apart, or edit.ignore_contacts"


def test_bodies_that_an_edit_puts_into_others_are_named_with_their_depth() -> None:
    simulation = on_the_ground()
    (text,) = said_of(simulation, {"name": "ball", "position": (0.9, 0, 0.5)})
    assert text == f"bodies 'box' and 'ball' overlap by 0.1 m after the edit; {END}"
    text = said_of(simulation, {"name": "a", "position": (5, 0, 0.3)}, {"name": "b", "position": (5.9, 0, 0.5)})
    assert text == [f"bodies 'world' and 'a' overlap by 0.2 m after the edit (2 pairs in all); {END}"]
    assert said_of(simulation, {"name": "c", "position": (9, 0, 0.4999)}) == []
    assert said_of(simulation, {"name": "d", "position": (9, 9, 0.1), "collides": False}) == []


@pytest.mark.filterwarnings("ignore::taut.TautWarning")
@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("depth", [0.03, 0.1, 0.6])
def test_what_is_put_into_others_is_taken_apart_slowly_and_every_frame_is_solved(
    depth: float, coordinates: str
) -> None:
    simulation = on_the_ground(coordinates=coordinates)
    with simulation.edit() as edit:
        edit.add_body("ball", Sphere(0.5), mass=1.0, position=(0, 0, 1.5 - depth))
    gone, moved = 0.0, 0.0
    for _ in range(60):
        report = simulation.step()
        assert report.status == "solved"
        rises = simulation.body("ball").position[2] - (1.5 - depth)
        assert rises - gone < 2.1e-3, "at 0.1 m/s, not thrown"
        gone, moved = rises, max(moved, abs(simulation.body("ball").velocity[2]))
    assert moved < 0.15 and gone > min(0.09, depth - 1e-3)


@pytest.mark.filterwarnings("ignore::taut.TautWarning")
def test_a_state_with_an_overlap_that_is_known_goes_on_to_the_bit(tmp_path) -> None:
    simulation = on_the_ground()
    with simulation.edit() as edit:
        edit.add_body("ball", Sphere(0.5), mass=1.0, position=(0.1, 0, 1.4))
    simulation.save(tmp_path / "run.npz")
    again = taut.Simulation.load(tmp_path / "run.npz")
    for _ in range(5):
        assert simulation.step().status == again.step().status == "solved"
        assert same_state(simulation.state, again.state) == []


def test_an_overlap_that_no_edit_made_is_not_made_known_by_one() -> None:
    simulation = on_the_ground()
    simulation.state.position[1, 2] -= 0.1  # as an error of the engine would
    memory = simulation.state.contacts
    with simulation.edit() as edit:
        edit.add_body("ball", Sphere(0.5), mass=1.0, position=(5, 0, 2))
    assert np.array_equal(simulation.state.contacts.gap, memory.gap)


def test_joints_that_an_edit_puts_in_stretched_are_named() -> None:
    scene = taut.Scene()
    for name, at in (("a", 0.0), ("b", 2.0), ("c", 5.0)):
        scene.add_body(name, Sphere(0.1), mass=1.0, position=(at, 0, 0))
    scene.connect("b", "c", Rope(length=4.0), name="old")
    simulation = taut.Simulation(scene)
    with pytest.warns(TautWarning) as caught, simulation.edit() as edit:
        edit.connect("a", "b", Rope(length=1.5), name="new")
        edit.connect("world", "b", Revolute(limits=(0.5, 1.0)), name="hinge")
    assert [str(each.message) for each in caught] == [
        "joint 'new': it is 1.5 m long, but its ends are 2 m apart after the edit",
        "joint 'hinge': it starts at 0, outside its limits 0.5 to 1",
    ]


@pytest.mark.parametrize("length", [2.9, 2.0])
def test_a_hard_rope_that_is_too_short_is_said_to_be_violated_until_it_holds(length: float) -> None:
    """What lifts the load is the gap that it starts with: the energy is explained, the length is not."""
    scene = taut.Scene(collisions=False)
    scene.add_body("load", Sphere(0.1), mass=100.0, position=(0, 0, -3))
    scene.connect("world", "load", Rope(length=3.0), name="long")
    simulation = taut.Simulation(scene)
    simulation.run(0.1)
    with pytest.warns(TautWarning, match="'short': it is .* m long, but its ends are 3 m apart"):
        with simulation.edit() as edit:
            edit.connect("world", "load", Rope(length=length), name="short")
    statuses = [simulation.step().status for _ in range(20)]
    assert set(statuses) == {"violation", "solved"} and statuses[0] == "violation"
    assert set(statuses[6:]) == {"solved"} and simulation.body("load").position[2] >= -length - 1e-6


@pytest.mark.parametrize("sleeping", [False, True])
def test_contacts_can_be_ignored_from_an_edit_on(sleeping: bool) -> None:
    simulation = on_the_ground(sleeping=sleeping)
    simulation.run(1.0)
    assert len(simulation.contacts) == 4
    with simulation.edit() as edit:
        edit.ignore_contacts("box", "world")
    assert len(simulation.contacts) == 0
    simulation.run(0.5)
    assert simulation.body("box").position[2] < -0.5, "it falls, also where it had been asleep"
    with pytest.raises(InputError, match=r"there is no body or group 'bix'"), simulation.edit() as edit:
        edit.ignore_contacts("box", "bix")


def test_an_edit_may_say_that_what_it_adds_does_not_touch() -> None:
    simulation = on_the_ground()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with simulation.edit() as edit:
            edit.add_body("ball", Sphere(0.5), mass=1.0, position=(0.0, 0, 1.0))
            edit.ignore_contacts("ball", "box")
    simulation.run(1.0)
    assert simulation.body("ball").position[2] == pytest.approx(0.5, abs=1e-6)
