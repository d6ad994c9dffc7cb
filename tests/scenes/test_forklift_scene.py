"""The scene `forklift`: its story with other solvers and steps, its linkage, and that its check can fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

import taut
from taut import scenes
from taut.errors import InputError
from taut.results.record import Recording
from taut.scenes import _forklift

FORKLIFT = scenes.get("forklift")

OPTIONS = [{"solver": "linear-time"}, {"solver": "ipm"}, {"step": 1 / 120}, {"friction": "cone"}]


@pytest.fixture(scope="module")
def story() -> Recording:
    """All of it."""
    return taut.Simulation(scenes.build("forklift")).run(FORKLIFT.duration)


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_story_passes_with_other_solvers_steps_and_friction(options: dict[str, object]) -> None:
    recording = taut.Simulation(scenes.build("forklift"), **options).run(FORKLIFT.duration)
    assert recording.residual.max() <= 1e-8
    FORKLIFT.check(recording)


@pytest.mark.slow
@pytest.mark.parametrize("load", [1.0, 300.0, 1000.0])
def test_it_carries_other_loads(load: float) -> None:
    FORKLIFT.check(taut.Simulation(scenes.build("forklift", load=load)).run(FORKLIFT.duration))


def test_it_is_not_overloaded() -> None:
    with pytest.raises(InputError, match="load is 1500; it must be up to 1000 kg"):
        scenes.build("forklift", load=1500.0)


def test_knuckles_turn_so_that_all_wheels_roll_about_one_point(story: Recording) -> None:
    turning = scenes.forklift.steady(story)
    curvature = 1.0 / scenes.forklift.RADIUS
    for side, sign in _forklift.SIDES:
        angles = story.joint(f"forklift/axle-{side}-knuckle").position
        right = -np.arctan2(_forklift.BASE * curvature, 1.0 - sign * _forklift.KINGPIN * curvature)
        assert angles[turning, 0] == pytest.approx(right, abs=np.radians(0.5))


def test_the_ram_is_where_the_way_is_straight_and_goes_as_far_to_both_sides() -> None:
    assert _forklift.ram_at(0.0) == pytest.approx(0.0, abs=1e-12)
    assert _forklift.ram_at(0.4) == pytest.approx(-_forklift.ram_at(-0.4))
    assert 0.0 < _forklift.ram_at(0.2) < _forklift.ram_at(0.4) < _forklift.THROW


def test_without_the_chain_the_carriage_does_not_go_with_the_mast() -> None:
    scene = scenes.build("forklift")
    scene.links = [link for link in scene.links if link.name != "forklift/chain"]
    with pytest.raises(AssertionError, match="the carriage's travel by the chain"):
        FORKLIFT.check(taut.Simulation(scene).run(0.2))


def test_a_crate_that_is_left_standing_is_found() -> None:
    scene = scenes.build("forklift")
    scene.ignore_contacts("crate", "forklift")
    with pytest.raises(AssertionError, match="the lift cylinder holds"):
        FORKLIFT.check(taut.Simulation(scene).run(scenes.forklift.LIFTED + 0.1))


def test_on_ice_it_does_not_come_around() -> None:
    scene = scenes.build("forklift")
    scene.planes[0] = replace(scene.planes[0], friction=0.04)
    with pytest.raises(AssertionError, match="turn"):
        FORKLIFT.check(taut.Simulation(scene).run(FORKLIFT.duration))


def test_bodies_that_overlap_are_found(story: Recording) -> None:
    with changed(story.reports["penetration"][-1:], lambda _: np.array([0.1])):
        with pytest.raises(AssertionError, match="penetration"):
            FORKLIFT.check(story)


def slide(recording: Recording) -> np.ndarray:
    """The crate on the forks."""
    return recording.positions[400:, recording.info.body_names.index("crate")]


def stretch(recording: Recording) -> np.ndarray:
    """The way of the chassis."""
    return recording.positions[:, recording.info.body_names.index("forklift/chassis")]


def creep(recording: Recording) -> np.ndarray:
    """The speed of the chassis in the end."""
    return recording.velocities[-30:, recording.info.body_names.index("forklift/chassis")]


def gain(recording: Recording) -> np.ndarray:
    """Energy while it drives."""
    return recording.reports["energy"][700:]


@pytest.mark.parametrize(
    ("values", "change", "words"),
    [
        (slide, lambda place: place + 0.03, "way of the crate on the forks"),
        (stretch, lambda place: 1.05 * place, "it turns on 2.6"),
        (creep, lambda speed: speed + 0.01, "it goes on at"),
        (gain, lambda energy: energy + 1e3, "power in W"),
    ],
)
def test_what_is_not_so_is_found(
    story: Recording,
    values: Callable[[Recording], np.ndarray],
    change: Callable[[np.ndarray], np.ndarray],
    words: str,
) -> None:
    FORKLIFT.check(story)
    with changed(values(story), change), pytest.raises(AssertionError, match=words):
        FORKLIFT.check(story)


@contextmanager
def changed(values: np.ndarray, change: Callable[[np.ndarray], np.ndarray]) -> Iterator[None]:
    """Values of a recording that are others for a while."""
    kept = values.copy()
    values[:] = change(kept)
    try:
        yield
    finally:
        values[:] = kept
