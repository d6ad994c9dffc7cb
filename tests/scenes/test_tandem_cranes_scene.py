"""Two cranes that carry a pipe: what they are made of, and that their check can fail."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

import taut
from taut import scenes
from taut.results.record import Recording
from taut.scenes import tandem_cranes
from taut.scenes._papers import PAPERS


@pytest.fixture(scope="module")
def begun() -> bytes:
    """The first 2.7 s, in which the pipe slides, packed so that every test has its own."""
    return pickle.dumps(taut.Simulation(scenes.build("tandem_cranes")).run(2.7))


@pytest.fixture
def recording(begun: bytes) -> Iterator[Recording]:
    """A copy of these."""
    yield pickle.loads(begun)


def shift(recording: Recording, start: str, way: tuple[float, float, float]) -> None:
    """Move bodies whose names begin so, from half a second on."""
    chosen = [name.startswith(start) for name in recording.info.body_names]
    recording.positions[30:, chosen] += way


def test_it_is_as_heavy_as_the_paper_says_and_falls_into_its_partitions() -> None:
    scene = scenes.build("tandem_cranes")
    moving = [body for body in scene.bodies if not body.fixed]
    assert sum(body.mass for body in moving) == pytest.approx(PAPERS["tandem_cranes"].mass, rel=0.01)
    sizes = Counter("/".join(body.group.split("/")[:2]) for body in moving)
    for crane in ("west", "east"):
        assert sizes[f"{crane}/left"] == sizes[f"{crane}/right"] == 49
        assert sizes[f"{crane}/works"] + sizes[f"{crane}/sling"] == 26 and sizes[f"{crane}/cable"] == 42
    assert sum(sizes.values()) == 333


def test_nobody_changes_the_length_of_a_pendant() -> None:
    scene = scenes.build("tandem_cranes")
    assert sum(link.name.endswith("-pendant") for link in scene.links) == 4
    assert not [name for name in scene.controls if "pendant" in name]


def test_a_sling_brakes_what_it_carries_as_its_belt_is_wrapped() -> None:
    """mu_eff W = integral of mu T over the wrap, with 2 T cos a = W, by a sum over a finely divided belt."""
    lean = tandem_cranes.wrap() - 0.5 * np.pi
    tension, turns = 0.5 / np.cos(lean), np.linspace(-tandem_cranes.wrap(), tandem_cranes.wrap(), 100_001)
    up = tension * np.sum(0.5 * (np.cos(turns[1:]) + np.cos(turns[:-1])) * np.diff(turns))
    assert up == pytest.approx(1.0, rel=1e-6)
    assert tandem_cranes.capstan(0.3) == pytest.approx(0.3 * tension * np.ptp(turns))


def test_the_beginning_passes_the_check(recording: Recording) -> None:
    scenes.get("tandem_cranes").check(recording)
    slid = recording.body("pipe").position[-1, 1] - recording.body("west/belt/7").position[-1, 1] + 4.0
    assert slid > 0.04


@pytest.mark.parametrize(
    ("start", "way", "words"),
    [
        ("west/belt", (0.0, 0.4, 0.0), "hook carries .* is right, by levers"),
        ("west/belt", (0.0, 3.0, 0.0), "way of the west sling along the pipe"),
        ("east/car", (0.05, 0.0, 0.0), "way of the east crane"),
        ("east/car", (0.0, 0.05, 0.0), "drift of the east crane"),
        ("west/left/shoe-12", (-0.7, 0.0, 0.0), "push in the pins of west/left"),
    ],
)
def test_what_is_not_where_it_must_be_is_found(
    recording: Recording, start: str, way: tuple[float, float, float], words: str
) -> None:
    shift(recording, start, way)
    with pytest.raises(AssertionError, match=words):
        scenes.get("tandem_cranes").check(recording)


def test_another_friction_is_found(recording: Recording) -> None:
    recording.info.parameters["friction"] = 0.025
    with pytest.raises(AssertionError, match="m/s is right, by friction"):
        scenes.get("tandem_cranes").check(recording)


def test_a_pipe_of_another_weight_is_found(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tandem_cranes, "PIPE_MASS", 3550.0)
    with pytest.raises(AssertionError, match="hooks carry .* N together"):
        scenes.get("tandem_cranes").check(recording)


def test_an_end_that_is_not_hoisted_is_found(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tandem_cranes, "HOIST", ((1.0, 0.0), (1.5, -0.2), (2.0, 0.0)))
    with pytest.raises(AssertionError, match="lean of the pipe"):
        scenes.get("tandem_cranes").check(recording)


def test_energy_from_nowhere_is_found(recording: Recording) -> None:
    recording.reports["energy"][100:] += 1e3
    with pytest.raises(AssertionError, match="energy gained beyond the work of motors"):
        scenes.get("tandem_cranes").check(recording)
