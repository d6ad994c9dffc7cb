"""Scenes that come apart: with every solver, at half the step, in joint coordinates, from files, and to the bit."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sample_mechanisms import same_state

import taut
from taut import scenes
from taut.results.record import Recording

TEARING = ("breaking_bridge", "cut_net", "tearing_chain")
WAYS = list(itertools.product(("bpp", "linear-time", "ipm"), (1 / 60, 1 / 120), ("maximal", "reduced")))
FEW = (("bpp", 1 / 120, "reduced"), ("linear-time", 1 / 60, "maximal"), ("ipm", 1 / 120, "maximal"))


@pytest.mark.parametrize("way", [way if way in FEW else pytest.param(way, marks=pytest.mark.slow) for way in WAYS])
@pytest.mark.parametrize("name", TEARING)
def test_it_comes_apart_as_it_must_in_every_way(name: str, way: tuple[str, float, str]) -> None:
    solver, step, coordinates = way
    simulation = taut.Simulation(scenes.build(name), step=step, solver=solver, coordinates=coordinates)
    recording = simulation.run(scenes.get(name).duration)
    assert set(recording.status[1:]) == {"solved"}
    scenes.get(name).check(recording)


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize(("name", "first"), [("breaking_bridge", 2.6), ("cut_net", 1.9), ("tearing_chain", 1.1)])
def test_it_goes_on_from_a_file_to_the_bit(name: str, first: float, coordinates: str, tmp_path: Path) -> None:
    """Saved while it comes apart, with what is left and what is still to be cut."""
    simulation = taut.Simulation(scenes.build(name), coordinates=coordinates)
    before = len(simulation.meter.names)
    simulation.run(first, record=False)
    assert len(simulation.meter.names) < before
    simulation.save(tmp_path / "run.npz")
    again = taut.Simulation.load(tmp_path / "run.npz")
    recording, other = (each.run(0.5) for each in (simulation, again))
    assert recording.events == other.events and (recording.energy == other.energy)[1:].all()
    assert same_state(again.state, simulation.state) == []
    assert simulation.meter.names == again.meter.names


@pytest.mark.parametrize("name", TEARING)
def test_what_is_recorded_is_what_a_file_says(name: str, tmp_path: Path) -> None:
    simulation = taut.Simulation(scenes.build(name))
    recording = simulation.run(scenes.get(name).duration, record=tmp_path / "run.h5")
    loaded = Recording.load(tmp_path / "run.h5")
    assert loaded.events == recording.events and len(loaded.events) > 0
    assert np.array_equal(loaded.positions, recording.positions, equal_nan=True)
    assert set(loaded.info.joint_names) == {link.name for link in scenes.build(name).links}
    assert loaded.joined[0].all() and loaded.joined[-1].sum() == len(simulation.meter.names)
    scenes.get(name).check(loaded)


@pytest.mark.parametrize("name", TEARING)
def test_it_can_be_shown_by_another_process(name: str) -> None:
    twin = pickle.loads(pickle.dumps(scenes.build(name)))
    one, other = (taut.Simulation(each) for each in (scenes.build(name), twin))
    for simulation in (one, other):
        simulation.run(1.2, record=False)
    assert same_state(one.state, other.state) == []


def all_stronger(scene: taut.Scene) -> None:
    for link in scene.links:
        link.break_force *= 10.0


def without_a_schedule(scene: taut.Scene) -> None:
    scene.controls.clear()


def one_more_weak(scene: taut.Scene) -> None:
    for link in scene.links:
        if link.name in ("joint-3", "cord-5-4-6-4", "left-3"):
            link.break_force = 8e2


def pushed(scene: taut.Scene) -> None:
    scene.add_load("left" if "left" in [body.name for body in scene.bodies] else "load", force=(0.0, 30.0, 0.0))


CHANGES: list[tuple[str, Callable[[taut.Scene], None]]] = [
    ("tearing_chain", all_stronger), ("tearing_chain", without_a_schedule), ("tearing_chain", one_more_weak),
    ("tearing_chain", pushed), ("cut_net", all_stronger), ("cut_net", without_a_schedule), ("cut_net", one_more_weak),
    ("breaking_bridge", all_stronger), ("breaking_bridge", one_more_weak),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change"), CHANGES)
def test_its_check_rejects_what_does_not_belong(name: str, change: Callable[[taut.Scene], None]) -> None:
    scene = scenes.build(name)
    change(scene)
    recording = taut.Simulation(scene).run(scenes.get(name).duration)
    with pytest.raises(AssertionError):
        scenes.get(name).check(recording)


def test_halves_of_a_chain_converge_with_the_step() -> None:
    """Against the closed form, to second order, though the scheme starts anew where the chain breaks."""
    errors = []
    for parts in (1, 2, 4):
        recording = taut.Simulation(scenes.build("tearing_chain"), step=1 / (60 * parts)).run(2.0)
        names = scenes.tearing_chain.halves(recording)[0]
        mass, centre = scenes.tearing_chain.centre_of(recording, names)
        exact = scenes.tearing_chain.closed_form(recording.time, recording.events[0].time, -1.0 / mass)
        errors.append(float(np.abs(centre - centre[0] - exact)[-1].max()))
    assert 3.5 <= errors[0] / errors[1] <= 4.5 and 3.5 <= errors[1] / errors[2] <= 4.5


@pytest.mark.parametrize(
    ("name", "parameters", "text"),
    [
        ("tearing_chain", {"links": 0}, "links is 0; it must be a finite number >= 1"),
        ("tearing_chain", {"links": 4, "weakest": 6}, "weakest is 6; it must be from 1 to 5"),
        ("cut_net", {"knots": 5}, "knots is 5; it must be an even number"),
        ("cut_net", {"knots": 2}, "knots is 2; it must be a finite number >= 4"),
        ("cut_net", {"load": 0.0}, "mass is 0"),
        ("breaking_bridge", {"planks": 1}, "planks is 1; it must be a finite number >= 4"),
    ],
)
def test_wrong_input_is_one_clear_line(name: str, parameters: dict[str, float], text: str) -> None:
    with pytest.raises(taut.InputError, match=text) as caught:
        scenes.build(name, **parameters)
    assert "\n" not in str(caught.value)
