"""The hand: it holds, pulls and lets go, whatever the stiffness and the masses."""

from __future__ import annotations

import numpy as np
import pytest
from sample_mechanisms import GRAVITY, advance, same_state

import taut
from taut.errors import InputError
from taut.shapes import Box


def box(mass: float = 10.0, **options: object) -> taut.Simulation:
    scene = taut.Scene()
    scene.add_body("box", Box(1, 1, 1), mass=mass, position=(0, 0, 5), **options)
    scene.add_body("other", Box(1, 1, 1), mass=mass, position=(3, 0, 5))
    return taut.Simulation(scene)


def test_a_held_box_hangs_where_the_spring_carries_it() -> None:
    simulation = box()
    grab = simulation.grab("box", point=(0, 0, 0.5))
    assert grab.position == pytest.approx([0, 0, 5.5]) and grab.held == pytest.approx([0, 0, 5.5])
    advance(simulation, 3.0)
    assert grab.held - grab.position == pytest.approx([0, 0, -10.0 * GRAVITY / 1e4], abs=1e-6)
    assert grab.force == pytest.approx([0, 0, 10.0 * GRAVITY], rel=1e-6)
    assert grab.position == pytest.approx([0, 0, 5.5]), "the hand stays where it is"


def test_the_box_follows_the_hand() -> None:
    simulation = box(orientation=(np.cos(0.3), np.sin(0.3), 0, 0))
    grab = simulation.grab("box", point=(0.2, 0.1, 0.5))
    start = grab.position
    for number in range(60):
        grab.move_to(start + (number + 1) * np.array([0.05, -0.02, 0.01]))
        advance(simulation, 1 / 60)
    assert grab.position == pytest.approx(start + (3.0, -1.2, 0.6))
    advance(simulation, 4.0)
    # the box still swings below the hand
    assert grab.held == pytest.approx(grab.position, abs=0.03)


@pytest.mark.parametrize("mass", [1e-3, 1e6])
@pytest.mark.parametrize("stiffness", [1e2, 1e10])
def test_any_stiffness_and_mass_is_stable(mass: float, stiffness: float) -> None:
    simulation = box(mass)
    grab = simulation.grab("box", stiffness=stiffness)
    for number in range(60):
        grab.move_to((0.02 * number, 0, 5))
        assert simulation.step().status == "solved"
    assert np.abs(simulation.body("box").velocity).max() < 30.0


def test_a_heavy_load_is_pulled_sideways_on_a_chain_of_light_links() -> None:
    simulation = taut.Simulation(taut.scenes.build("hanging_chain"))
    grab = simulation.grab("load", point=(0, 0, 0.25), stiffness=1e6)
    start = grab.position
    for number in range(60):
        grab.move_to(start + (0, (number + 1) / 30, 0))
        report = simulation.step()
        assert report.status == "solved" and report.violation < 1e-5
    assert grab.held[1] > 1.5
    grab.release()
    assert grab.name not in simulation.meter.names
    assert max(report.violation for report in advance(simulation, 1.0)) < 1e-5


def test_grabbing_and_releasing_without_a_step_changes_no_bit() -> None:
    grabbed, left_alone = box(), box()
    for simulation in (grabbed, left_alone):
        advance(simulation, 0.2)
    grabbed.grab("box", point=(0.1, 0.2, 0.3), stiffness=1e9).release()
    for simulation in (grabbed, left_alone):
        advance(simulation, 0.2)
    assert same_state(grabbed.state, left_alone.state) == []


def test_several_hands() -> None:
    simulation = box()
    first, second, third = simulation.grab("box"), simulation.grab("other"), simulation.grab("box", (0.1, 0, 0))
    assert [first.name, second.name, third.name] == ["grab-box", "grab-other", "grab-box-2"]
    first.release()
    first.release()
    second.move_to((3, 0, 6))
    advance(simulation, 3.0)
    assert second.held == pytest.approx([3, 0, 6 - 10.0 * GRAVITY / 1e4], abs=1e-4)
    with pytest.raises(InputError, match="released"):
        first.move_to((0, 0, 0))
    again = simulation.grab("box")
    assert again.name == "grab-box"
    with pytest.raises(InputError, match="released"):
        _ = first.force
    with simulation.edit() as edit:
        edit.remove_body("box")
    with pytest.raises(InputError, match="what it held was removed"):
        _ = again.position
    third.release()
    assert simulation.meter.names == ("grab-other",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"body": "bx"}, "there is no body 'bx'.*box"),
        ({"body": "world"}, "both ends"),
        ({"body": "box", "point": (1, 2)}, "point"),
        ({"body": "box", "stiffness": 0.0}, "stiffness is 0"),
        ({"body": "box", "damping": -1.0}, "damping is -1"),
        ({"body": "box", "name": "taken"}, "the name is taken"),
        ({"body": "box", "name": ""}, "name is ''; it must be text"),
        ({"body": "box", "name": np.array([1, 2])}, "it must be text"),
    ],
)
def test_wrong_hands_are_answered_with_one_line(options: dict[str, object], message: str) -> None:
    simulation = box()
    simulation.grab("other", name="taken")
    with pytest.raises(InputError, match=message):
        simulation.grab(**options)
    assert simulation.meter.names == ("taken",)


def test_a_hand_goes_on_with_what_its_body_becomes() -> None:
    simulation = box()
    grab = simulation.grab("box", point=(0.25, 0, 0.25))
    simulation.step()
    before = grab.held
    halves = {name: {"shape": Box(0.25, 0.5, 0.5), "mass": 5.0, "position": (x, 0, 0)} for name, x in
              (("left", -0.125), ("right", 0.125))}  # fmt: skip
    with simulation.edit() as edit:
        edit.split_body("box", halves)
    assert grab.held == pytest.approx(before, abs=1e-12) and grab.body == "right"
    with simulation.edit() as edit:
        edit.merge_bodies(["left", "right"], "whole")
    assert grab.held == pytest.approx(before, abs=1e-12) and grab.body == "whole"
    grab.move_to(before + (0, 0, 0.1))
    assert simulation.step().status == "solved"
