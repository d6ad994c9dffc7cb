"""What every part of machines in the registry promises."""

from __future__ import annotations

import dataclasses
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from machine_examples import EXAMPLES, NAMES, machine_scene
from sample_mechanisms import same_state

import taut
from taut.errors import InputError
from taut.machines import MachinePart
from taut.model.state import State

PARTS = pytest.mark.parametrize("name", NAMES)

UNITS = {"", "m", "m/s", "1/m", "rad", "rad/s", "N", "N m", "J", "W", "kg", "kg m/s", "s", "Pa", "m^3/s"}


def test_every_part_has_an_example() -> None:
    assert set(EXAMPLES) == set(MachinePart.registry)


@PARTS
def test_parts_are_offered_by_name_and_say_what_they_do(name: str) -> None:
    kind = MachinePart.registry[name]
    assert getattr(taut.machines, name) is kind and name in taut.machines.__all__
    assert all(f"{field.name}" in (kind.__doc__ or "") for field in dataclasses.fields(kind)), "say what they mean"


@PARTS
def test_names_begin_with_the_name_of_the_part(name: str) -> None:
    scene = machine_scene(EXAMPLES[name])
    before = {"world", "load"}
    assert all(body.name.startswith("it/") for body in scene.bodies if body.name not in before)
    assert all(link.name.startswith("it/") for link in scene.links)
    assert all(control.startswith("it.") for control in scene.controls)
    assert scene.parts["it"].name == "it" and set(scene.parts["it"].bodies) <= {body.name for body in scene.bodies}


@PARTS
def test_controls_have_units(name: str) -> None:
    scene = machine_scene(EXAMPLES[name])
    assert all(control.unit or (control.low, control.high) in ((0.0, 1.0), (-1.0, 1.0)) for control in
               scene.controls.values())  # fmt: skip


@PARTS
def test_parts_run_solved_and_keep_their_books(name: str) -> None:
    simulation = taut.Simulation(machine_scene(EXAMPLES[name]))
    first = simulation.state.energy
    for _ in range(120):
        report = simulation.step()
        assert report.status == "solved" and report.residual <= 1e-9
        assert report.energy <= first + 1e-6 * abs(first)
    view = simulation.part("it")
    numbers = [simulation.model.bodies.names.index(body) for body in view.bodies]
    mass = simulation.model.bodies.mass[numbers]
    np.testing.assert_allclose(view.momentum, mass @ simulation.state.velocity[numbers, :3], atol=1e-12)
    assert view.mass == pytest.approx(mass.sum())


@PARTS
@pytest.mark.parametrize("seed", range(2))
def test_parts_are_driven_to_the_ends_of_their_controls(name: str, seed: int) -> None:
    """By ramps of half a second, all controls at once: every frame is solved, and so no joint is beyond its limits."""
    rng, simulation = np.random.default_rng(seed), taut.Simulation(machine_scene(EXAMPLES[name]))
    controls = simulation.controls
    first = last = {key: control.value for key, control in controls.items()}
    for frame in range(150):
        if frame % 30 == 0:
            first = {key: min(max(control.value, control.low), control.high) for key, control in controls.items()}
            last = {key: rng.choice([control.low, control.high]) for key, control in controls.items()}
        for key, control in controls.items():
            control.set(first[key] + (frame % 30 + 1) / 30.0 * (last[key] - first[key]))
        report = simulation.step()
        assert report.status == "solved" and report.residual <= 1e-9
    assert all(np.isfinite(value).all() for value, _ in simulation.part("it").report().values() if not text(value))


def text(value: object) -> bool:
    """Whether a reading is words, or a ratio that is undefined where nothing is pulled."""
    return isinstance(value, str) or (isinstance(value, float) and math.isnan(value))


@PARTS
def test_reports_have_units_and_are_what_properties_say(name: str) -> None:
    simulation = taut.Simulation(machine_scene(EXAMPLES[name]))
    simulation.step()
    view = simulation.part("it")
    report = view.report()
    assert report
    for key, (value, unit) in report.items():
        assert unit in UNITS
        assert isinstance(value, bool | str) or np.isfinite(value).all()
        assert np.array_equal(value, getattr(view, key))
    assert view.name == "it" and view.bodies == simulation.scene.parts["it"].bodies


@PARTS
def test_copies_of_scenes_keep_parts(name: str) -> None:
    scene = machine_scene(EXAMPLES[name])
    twin = scene.copy()
    other = scene.add(EXAMPLES[name], name="other")
    assert set(twin.parts) == {"it"} and set(scene.parts) == {"it", "other"} and isinstance(other, str)
    assert pickle.loads(pickle.dumps(scene.parts)) == scene.parts


@PARTS
def test_saved_states_continue_to_the_bit(name: str, tmp_path: Path) -> None:
    scene = machine_scene(EXAMPLES[name])
    first, second = taut.Simulation(scene), taut.Simulation(scene)
    for _ in range(20):
        first.step()
    first.state.save(tmp_path / "state.npz")
    second.restore(State.load(tmp_path / "state.npz"))
    first.save(tmp_path / "all.npz")
    third = taut.Simulation.load(tmp_path / "all.npz")
    assert third.scene.parts == first.scene.parts
    for _ in range(20):
        third.step()
        first.step()
        second.step()
    assert same_state(first.state, second.state) == [] and same_state(first.state, third.state) == []


@PARTS
def test_a_part_that_is_refused_leaves_the_scene_as_it_was(name: str) -> None:
    scene = machine_scene(EXAMPLES[name])
    counts = len(scene.bodies), len(scene.links), dict(scene.controls)
    with pytest.raises(InputError, match="'it': the name is taken"):
        scene.add(EXAMPLES[name], name="it")
    last = scene.links[-1].name
    scene.connect("world", "load", taut.joints.Spherical(), name=last.replace("it/", "new/"))
    with pytest.raises(InputError, match="the name is taken"):
        scene.add(EXAMPLES[name], name="new")
    assert (len(scene.bodies), len(scene.links) - 1, scene.controls) == counts and set(scene.parts) == {"it"}


@PARTS
@pytest.mark.parametrize("change", ["refine", "coarsen"])
def test_parts_are_made_of_other_segments_or_say_that_they_are_not(name: str, change: str) -> None:
    simulation = taut.Simulation(machine_scene(EXAMPLES[name]))
    simulation.step()
    before, lengths, mass = simulation.state, {"refine": 0.15, "coarsen": 1.0}, simulation.part("it").mass
    if name == "Cable":
        with simulation.edit() as edit:
            getattr(edit, change)("it", lengths[change], between=(0.0, 2.0))  # beyond, it lies in the load
        assert simulation.step().status == "solved" and simulation.part("it").mass == pytest.approx(mass, rel=1e-14)
        assert [event.kind for event in simulation.report.events] == ["remeshed"]
        return
    with pytest.raises(InputError, match=f"{change} 'it': it is a {name}; only a Cable"), simulation.edit() as edit:
        getattr(edit, change)("it", lengths[change])
    assert simulation.state is before


def wrong_numbers() -> list[tuple[str, str, object]]:
    """Every number of every part with values that it must refuse."""
    found: list[tuple[str, str, object]] = []
    for name, part in EXAMPLES.items():
        for field in dataclasses.fields(part):
            if isinstance(getattr(part, field.name), float | int | bool):
                found += [(name, field.name, value) for value in (-1.0, math.nan, "much", (1, 2))]
    return found


@pytest.mark.parametrize(("name", "field", "value"), wrong_numbers())
def test_wrong_numbers_are_refused_in_one_line(name: str, field: str, value: object) -> None:
    with pytest.raises(InputError) as caught:
        machine_scene(dataclasses.replace(EXAMPLES[name], **{field: value}))
    text = str(caught.value)
    assert "\n" not in text and len(text) < 300 and field in text and name.lower() in text.lower()


def test_only_parts_can_be_added() -> None:
    for wrong in (taut.machines.Cable, "Cable", None, taut.joints.Spherical()):
        with pytest.raises(InputError, match="taut.machines"):
            taut.Scene().add(wrong, name="it")
    with pytest.raises(InputError, match="name"):
        taut.Scene().add(EXAMPLES["Cable"], name="")


def test_a_part_that_is_not_there_is_said() -> None:
    simulation = taut.Simulation(machine_scene(EXAMPLES["Cable"]))
    with pytest.raises(InputError, match="no part 'hoist'.*there are: it"):
        simulation.part("hoist")
