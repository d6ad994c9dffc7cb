"""Simulations in files: scenes as they were edited, settings and states."""

from __future__ import annotations

from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import pytest
from joint_examples import example, joint_scene
from sample_mechanisms import same_state

import taut
from taut.errors import InputError
from taut.joints.base import Joint
from taut.shapes import Box, Sphere
from taut.simulation.packing import known, pack, unpack


def gone_on(simulation: taut.Simulation, frames: int = 3) -> taut.State:
    for _ in range(frames):
        simulation.step()
    return simulation.state


def reloaded(simulation: taut.Simulation, path: Path, **functions: object) -> taut.Simulation:
    simulation.save(path)
    return taut.Simulation.load(path, functions)


OPTIONS = (
    {"integrator": "euler", "solver": "pgs", "friction": "cone", "tolerance": 1e-5},
    {"solver": taut.solvers.get("bpp", reuse=True), "geometric_stiffness": "off"},
    {"coordinates": "reduced", "linear": "direct"},
    {"coordinates": "reduced", "integrator": "redmax"},
    {"mode": "kinematic"},
    {"sleeping": True, "step": 1 / 100},
)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options))
def test_settings_are_kept(options: dict[str, object], tmp_path: Path) -> None:
    simulation = taut.Simulation(taut.scenes.build("hanging_chain", links=6), **options)
    gone_on(simulation)
    again = reloaded(simulation, tmp_path / "run.npz")
    assert again.settings == simulation.settings and again.mode == simulation.mode
    assert again.settings.scheme is simulation.settings.scheme
    assert same_state(gone_on(again), gone_on(simulation)) == []


def test_edited_scenes_go_on_to_the_bit(tmp_path: Path) -> None:
    simulation = taut.Simulation(taut.scenes.build("hanging_chain", links=6))
    gone_on(simulation)
    with simulation.edit() as edit:
        edit.remove_joint(simulation.meter.names[2])
        edit.add_body("ball", Sphere(0.3), mass=7.0, position=(1, 0, 0), velocity=(0, 1, 0))
        edit.connect("load", "ball", taut.joints.Revolute(axis=(0, 1, 1), limits=(-1, 1)), name="pin")
        edit.add_spring("ball", "world", stiffness=100.0)
    simulation.grab("ball").move_to((2, 0, 0))
    gone_on(simulation)
    again = reloaded(simulation, tmp_path / "run.npz")
    assert again.meter.names == simulation.meter.names
    for each in (simulation, again):
        with each.edit() as edit:
            edit.remove_body("load")
    assert same_state(gone_on(again), gone_on(simulation)) == []


@pytest.mark.parametrize("kind", [kind for kind in Joint.registry if kind not in ("Differential", "Gear", "Rack")])
def test_every_joint_comes_back(kind: str, tmp_path: Path) -> None:
    scene = joint_scene(example(kind))
    simulation = taut.Simulation(scene)
    gone_on(simulation)
    assert same_state(gone_on(reloaded(simulation, tmp_path / "run.npz")), gone_on(simulation)) == []


def thrust(simulation: taut.Simulation, value: float) -> None:
    """What a control of somebody's own may do."""
    simulation.body("box").apply(force=(0, 0, value))


def test_functions_of_ones_own_are_given_again(tmp_path: Path) -> None:
    scene = taut.Scene()
    scene.add_body("box", Box(1, 1, 1), mass=1.0)
    scene.add_control("thrust", act=thrust, low=0.0, high=20.0)
    scene.add_control("other", act=thrust, low=0.0, high=20.0)
    simulation = taut.Simulation(scene)
    simulation.controls["thrust"].value = 12.0
    gone_on(simulation)
    with pytest.raises(
        InputError, match=r"needs 'thrust', which a file cannot hold; give functions=\{'thrust': \.\.\.\}"
    ):
        reloaded(simulation, tmp_path / "run.npz")
    again = reloaded(simulation, tmp_path / "run.npz", thrust=thrust)
    assert again.controls["thrust"].value == 12.0
    assert same_state(gone_on(again), gone_on(simulation)) == []


def test_schedules_go_on(tmp_path: Path) -> None:
    scene = taut.Scene()
    scene.add_body("arm", Box(1, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0))
    motor = taut.joints.Motor(speed=0.0, max_force=100.0)
    scene.connect("world", "arm", taut.joints.Revolute(axis=(0, 1, 0), motor=motor), at=(0, 0, 0), name="slew")
    scene.add_control("slew", joint="slew", schedule=taut.Ramps((0, 0), (1, 2)))
    simulation = taut.Simulation(scene)
    gone_on(simulation)
    assert same_state(gone_on(reloaded(simulation, tmp_path / "run.npz"), 9), gone_on(simulation, 9)) == []


def test_a_file_is_a_checkpoint_too(tmp_path: Path) -> None:
    simulation = taut.Simulation(taut.scenes.build("hanging_chain", links=6))
    simulation.save(tmp_path / "run.npz")
    assert same_state(taut.State.load(tmp_path / "run.npz"), simulation.state) == []
    simulation.state.save(tmp_path / "state.npz")
    with pytest.raises(InputError, match="it is of a state alone"):
        taut.Simulation.load(tmp_path / "state.npz")
    with simulation.edit() as edit:
        edit.remove_body("load")
    with pytest.raises(InputError, match=r"the state is of other bodies or joints; `sim\.save`"):
        simulation.restore(taut.State.load(tmp_path / "run.npz"))


def test_damaged_files_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    taut.Simulation(taut.scenes.build("hanging_chain", links=3)).save(path)
    content, rng = path.read_bytes(), np.random.default_rng(0)
    for _ in range(60):
        spoilt = bytearray(content)
        for place in rng.integers(len(spoilt), size=5):
            spoilt[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(spoilt)
        try:
            taut.Simulation.load(path)
        except InputError as error:
            assert "\n" not in str(error)
    with pytest.raises(InputError, match="cannot be read"):
        taut.Simulation.load(tmp_path / "none.npz")


class Labelled(str):
    """A text with attributes, as the handles of machine parts are."""


class Pair(NamedTuple):
    """A tuple with names."""

    first: Any
    second: Any


@pytest.mark.parametrize("value", [1, 1.5, "a", b"a", None, True, [1, (2, [3])], {(1, 2): "x", "y": {}}, float("inf")])
def test_plain_values_come_back(value: object) -> None:
    assert unpack(pack(value), {}) == value


def test_what_is_shared_stays_shared_and_texts_keep_their_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    from taut.scene import scene

    for kind in (Labelled, Pair):
        monkeypatch.setattr(kind, "__module__", scene.__name__)
        monkeypatch.setattr(scene, kind.__name__, kind, raising=False)
    label, box = Labelled("hoist"), Box(1, 2, 3)
    label.part = box
    name, pair = unpack(pack([label, Pair(box, np.arange(3.0))]), {})
    assert type(name) is Labelled and name == "hoist" and type(pair) is Pair
    assert name.part is pair.first and pair.first == box and pair.second.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("name", ["os:system", "taut.scene.scene:numpy", "taut.commands.main:app", "taut.joints:Joint"])
def test_nothing_but_classes_of_scenes_is_read(name: str) -> None:
    for kind, called in ((type, "class"), (FunctionType, "function")):
        with pytest.raises(InputError, match=f"there is no {called}"):
            known(name, kind, called)
