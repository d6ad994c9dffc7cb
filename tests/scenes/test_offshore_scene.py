"""The offshore crane runs its story with every exact solver, and what its check asks for can be missed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import taut
from taut import scenes
from taut.machines import Cable
from taut.results.record import Recording
from taut.scenes import _knuckle_boom, offshore
from taut.scenes._ship import GRAVITY, HEAVE, ROLL, ShipRecord, add_hull, float_up

OPTIONS = [
    {"solver": "bpp"}, {"solver": "linear-time"}, {"solver": "ipm"}, {"step": 1 / 120}, {"friction": "cone"},
]  # fmt: skip


@cache
def story() -> Recording:
    """All of it, with default settings."""
    return taut.Simulation(scenes.build("offshore")).run(offshore.DURATION)


def test_the_story_passes_its_check() -> None:
    offshore.check(story())
    assert story().residual.max() <= 1e-8
    ways = [event.way for event in story().events]
    assert ways.count("in") > 3 and ways.count("out") > 10


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_story_passes_with_other_solvers_steps_and_friction(options: dict[str, object]) -> None:
    recording = taut.Simulation(scenes.build("offshore"), **options).run(offshore.DURATION)
    assert recording.residual.max() <= 1e-8
    offshore.check(recording)


def test_it_floats_level_and_still_until_something_happens() -> None:
    simulation = taut.Simulation(scenes.build("offshore", wave=0.0))
    simulation.run(0.5, record=False)
    assert np.abs(simulation.body("hull").velocity).max() < 1e-6
    assert np.abs(simulation.body("hull").orientation[1:]).max() < 1e-8
    lightest = min(body.mass for body in simulation.scene.bodies if not body.fixed)
    assert 4.38e6 / lightest == pytest.approx(4.4e6, rel=0.01)


def test_a_rope_that_is_softer_than_it_should_be_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    softer = lambda *_, **given: Cable.of("6x36 IWRC", 0.0255, **given)  # noqa: E731
    with monkeypatch.context() as patch:
        patch.setattr(_knuckle_boom, "Cable", type("Softer", (), {"of": staticmethod(softer)}))
        scene = scenes.build("offshore")
    with pytest.raises(AssertionError, match="stretch of the rope"):
        offshore.check(taut.Simulation(scene).run(2.5))


def test_waves_that_are_not_those_of_the_scene_are_found() -> None:
    scene = scenes.build("offshore", wave=0.6)
    scene.parameters["wave"] = 0.4
    with pytest.raises(AssertionError, match="energy gained beyond the work of motors and sea"):
        offshore.check(taut.Simulation(scene).run(4.5))


def struck(force: float, frames: tuple[int, int], duration: float) -> Recording:
    """A run in which something strikes the module from below with a force (N) in some frames."""
    simulation = taut.Simulation(scenes.build("offshore"))

    def strike(running: taut.Simulation) -> None:
        on = frames[0] <= running.state.steps < frames[1]
        running.body("module").apply(force=(force if on else 0.0, 0.0, 0.0))

    simulation.on_step(strike)
    return simulation.run(duration)


def test_a_module_that_something_else_moves_is_found() -> None:
    recording = struck(-1e4, (150, 170), 3.2)
    with pytest.raises(AssertionError, match="pull of the rope"):
        offshore.check(recording)


def test_a_segment_that_is_felt_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = struck(-1e5, (156, 157), 3.0)
    assert [round(event.time * 60) for event in recording.events] == [156]
    monkeypatch.setattr(offshore, "PULL_WITHIN", 1.0)
    with pytest.raises(AssertionError, match="spike of the module's speed at a segment"):
        offshore.check(recording)


def test_a_bulwark_that_holds_back_less_is_found() -> None:
    recording = taut.Simulation(scenes.build("offshore", friction=0.9)).run(8.5)
    sliding = offshore.Slide(recording)
    sliding.check(recording, 0.9)
    with pytest.raises(AssertionError, match="friction at the bulwark is"):
        sliding.check(recording, 1.0)


def test_a_crane_that_does_not_slew_is_found() -> None:
    simulation = taut.Simulation(scenes.build("offshore"))
    simulation.controls["slew.speed"].take()
    recording = simulation.run(7.0)
    with pytest.raises(AssertionError, match="the module is at the bulwark for 0 s"):
        offshore.Slide(recording).check(recording, 1.0)


@pytest.mark.parametrize(("column", "change"), [("height", 2e-3), ("heel", 2e-3)])
def test_a_ship_that_floats_otherwise_is_found(
    monkeypatch: pytest.MonkeyPatch, column: str, change: float
) -> None:  # fmt: skip
    init: Callable[..., None] = ShipRecord.__init__

    def changed(self: ShipRecord, *given: object) -> None:
        init(self, *given)
        setattr(self, column, getattr(self, column) + change)

    monkeypatch.setattr(ShipRecord, "__init__", changed)
    with pytest.raises(AssertionError, match="the ship is" if column == "height" else "the ship heels"):
        offshore.check(story())


def test_a_weight_sinks_and_heels_the_ship_as_it_must() -> None:
    """dz = m g / K, and the heel of a moment is that over what rights the ship less what stands on it."""
    height, heel = [], []
    for push in (0.0, 1e5):
        scene = taut.Scene()
        add_hull(scene)
        scene.add_body("mast", taut.shapes.Box(2, 2, 2), mass=1e5, position=(0, 0, 15), collides=False)
        scene.connect("hull", "mast", taut.joints.Fixed())
        float_up(scene)
        scene.add_load("hull", force=(0.0, 0.0, -push), point=(0.0, -8.0, 0.0))
        simulation = taut.Simulation(scene, integrator="euler", step=0.25)
        simulation.run(200.0, record=False)
        height.append(simulation.body("hull").position[2])
        heel.append(2.0 * simulation.body("hull").orientation[1])
    above = sum(body.mass * body.position[2] for body in scene.bodies if not body.fixed)
    assert height[0] - height[1] == pytest.approx(1e5 / HEAVE, rel=1e-3)
    assert heel[1] - heel[0] == pytest.approx(8e5 / (ROLL - GRAVITY * above), rel=2e-3)


def test_bodies_that_overlap_are_found() -> None:
    recording = taut.Simulation(scenes.build("offshore")).run(2 / 60)
    recording.reports["penetration"][-1] = 0.1
    with pytest.raises(AssertionError, match="penetration"):
        offshore.check(recording)
