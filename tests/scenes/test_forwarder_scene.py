"""The forwarder: its arm is the one of the paper, its story runs with every exact solver, and its check can fail."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest

import taut
from taut import scenes
from taut.errors import InputError
from taut.results.record import Recording
from taut.scenes import _forwarder_forces as forces

OPTIONS = [{"solver": "linear-time"}, {"solver": "ipm"}, {"step": 1 / 120}]


@functools.cache
def story() -> Recording:
    """The whole story with default settings; who changes it puts it back."""
    return taut.Simulation(scenes.build("forwarder")).run(scenes.get("forwarder").duration)


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_whole_story_passes_with_other_solvers_and_steps(options: dict[str, object]) -> None:
    recording = taut.Simulation(scenes.build("forwarder"), **options).run(scenes.get("forwarder").duration)
    assert recording.residual.max() <= 1e-9
    scenes.get("forwarder").check(recording)


@pytest.mark.slow
@pytest.mark.parametrize(
    "parameters", [{"load": 50.0}, {"load": 500.0}, {"offset": 0.0}, {"load": 200.0, "offset": 0.3}], ids=str
)
def test_other_logs_are_held_too(parameters: dict[str, float]) -> None:
    scenes.get("forwarder").check(taut.Simulation(scenes.build("forwarder", **parameters)).run(20.0))


def test_the_arm_has_16_links_of_1900_kg_and_pins_of_a_6500th() -> None:
    links = [body for body in scenes.build("forwarder").bodies if not body.fixed and body.name != "log"]
    mass = [body.mass for body in links]
    assert len(links) == 16 and sum(mass) == pytest.approx(1900.0) and max(mass) / min(mass) == pytest.approx(6500.0)


def test_links_keep_claws_alike_and_fit_open_claws_and_those_round_the_log() -> None:
    recording = story()
    places = [recording.joint(f"grapple/hinge-{number}").position[:, 0] for number in (1, 2)]
    apart = np.degrees(np.abs(places[0] - places[1]))
    closed = recording.time > 5.0
    assert 0.5 < apart.max() < 2.5 and apart[closed].max() < 0.3
    assert np.degrees(np.abs(places[0][closed])).min() > 49.0


def test_energy_is_the_work_of_motors_less_what_is_lost() -> None:
    recording = story()
    lost = forces.work(recording) - (recording.energy - recording.energy[0])
    assert lost.min() > -10.0 and np.diff(lost).min() > -10.0
    assert 1e3 < lost[-1] < 1e4


def test_a_log_that_is_too_smooth_for_the_claws_is_found() -> None:
    scene = scenes.build("forwarder")
    scene.bodies[:] = [replace(body, friction=0.005) for body in scene.bodies]
    recording = taut.Simulation(scene).run(6.5)
    with pytest.raises(AssertionError, match="slip of the log|turn of the log"):
        scenes.get("forwarder").check(recording)


def test_a_log_that_slides_a_little_is_found() -> None:
    recording, check = story(), scenes.get("forwarder").check
    log = recording.info.body_names.index("log")
    check(recording)
    along = taut.spatial.rotate_each(recording.body("log").orientation, np.tile((0.0, 0.0, 1.0), (len(recording), 1)))
    sliding = recording.time > 10.0
    kept = recording.positions[:, log].copy()
    recording.positions[sliding, log] += 3e-3 * along[sliding]
    with pytest.raises(AssertionError, match="slip of the log in m is 0.003"):
        check(recording)
    recording.positions[:, log] = kept


def test_forces_that_are_not_those_of_the_weights_are_found() -> None:
    recording = story()
    bodies = scenes.build("forwarder", load=380.0).bodies
    found, right = forces.lift_moments(recording, bodies)
    assert found / right > 1.01
    found, right = forces.lift_moments(recording, scenes.build("forwarder").bodies)
    assert found == pytest.approx(right, rel=1e-4)


def test_the_grapple_lets_go_when_it_is_told_to() -> None:
    simulation = taut.Simulation(scenes.build("forwarder"))
    simulation.run(6.5)
    assert simulation.part("grapple").held == ("log",) and simulation.body("log").position[2] > 1.0
    simulation.controls["grapple.close"].take()
    simulation.controls["grapple.close"].value = -1.0
    simulation.run(3.0)
    assert simulation.part("grapple").held == () and simulation.body("log").position[2] < 0.6


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"load": 1e4}, "load is 10000; it must be from 50 to 500 kg"),
        ({"offset": -0.1}, "offset is -0.1; it must be from 0 to 0.7 m"),
        ({"offset": "far"}, "offset is 'far'; it must be a finite number"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, object], text: str) -> None:
    with pytest.raises(InputError, match=text):
        scenes.build("forwarder", **parameters)
