"""Scratch of the steps: what a frame leaves in it is read by no later one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sample_mechanisms import same_state
from spoiled_scratch import Seen, spoil

import taut
import taut.stepping.smooth
from taut.joints import Spherical
from taut.shapes import Box, Sphere
from taut.stepping.stepper import Stepper


def rocking_rod() -> taut.Scene:
    """A slim rod that bounces on its ends: contacts hold it now and then, and count it as slim while they do."""
    scene = taut.Scene(friction=0.5)
    scene.add_plane()
    place, turning = (0, 0, 0.03), (3, 0.5, 0)
    scene.add_body("rod", Box(1.0, 0.01, 0.01), mass=1.0, position=place, angular_velocity=turning, restitution=0.3)
    return scene


def whip_and_balls() -> taut.Scene:
    """A chain that is thrown about, and balls on the ground: the chain has to go on as a part of its own."""
    scene, last = taut.Scene(friction=0.5), "world"
    scene.add_plane()
    for number in range(4):
        throw, x = (0.0, 20.0 * (-1) ** number, 0.0), 0.2 * number
        name = scene.add_body(f"link{number}", Box(0.2, 0.02, 0.02), mass=0.1, position=(x + 0.1, 0, 2), velocity=throw)
        scene.connect(last, name, Spherical(), at=(x, 0, 2))
        last = name
        scene.add_body(f"ball{number}", Sphere(0.1), mass=1.0, position=(x - 4, 0, 0.1), velocity=(0, 0.1 * number, 0))
    return scene


def build(name: str) -> taut.Scene:
    """A scene by name."""
    makers: dict[str, Callable[[], taut.Scene]] = {"rocking rod": rocking_rod, "whip and balls": whip_and_balls}
    return makers[name]() if name in makers else taut.scenes.build(name)


FRAMES = {"rocking rod": 40, "whip and balls": 20, "newtons_cradle": 30}
"""Frames of scenes that show what they are about later than others."""

EVERY = [*taut.scenes.names(), "rocking rod", "whip and balls"]


@pytest.fixture
def worlds(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Tables that compiled frames are given, which nothing else may lead to; the list grows as they are made."""
    made, held = [], taut.stepping.smooth.held

    def record(table: Any) -> Any:
        made.append(table)
        return held(table)

    monkeypatch.setattr(taut.stepping.smooth, "held", record)
    return made


def first_difference(
    name: str, solver: str, value: float, worlds: list[Any], frames: int = 4
) -> tuple[list[str], set[str], list[str]]:
    """Fields that differ in the first frame that spoiling changed, what was spoiled, and how frames ended.

    The undisturbed run is done before, so that nothing that both may share is spoiled in it.
    """
    clean, states = taut.Simulation(build(name), solver=solver), []
    for _ in range(FRAMES.get(name, frames)):
        clean.step()
        states.append(clean.state)
    spoiled, seen = taut.Simulation(build(name), solver=solver), Seen()
    worlds.clear()
    paths, statuses = spoil(spoiled, worlds, seen, value), []
    for state in states:
        statuses.append(spoiled.step().status)
        differs = same_state(state, spoiled.state)
        if differs:
            return differs, paths, statuses
        paths |= spoil(spoiled, worlds, seen, value)
    return [], paths, statuses


@pytest.mark.parametrize(("solver", "value"), [("auto", np.nan), ("bpp", 0.0), ("linear-time", np.nan)])
@pytest.mark.parametrize("name", EVERY)
def test_spoiled_scratch_between_frames_changes_no_bit(name: str, solver: str, value: float, worlds: list[Any]) -> None:
    """NaN goes through all arithmetic, and zeros through comparisons that NaN fails."""
    differs, paths, statuses = first_difference(name, solver, value, worlds)
    assert differs == [], f"frame {len(statuses)}"
    assert {".scratch.places.position", ".state.velocity", ".own.rows.jacobian", ".own.kkt.response"} <= paths


@pytest.mark.parametrize("solver", ["ipm", "pgs", "bpp-dense"])
@pytest.mark.parametrize("name", ["four_bar", "ragdoll", "stack_of_boxes", "whip and balls"])
def test_whatever_the_solver(name: str, solver: str, worlds: list[Any]) -> None:
    assert first_difference(name, solver, np.nan, worlds)[0] == []


def test_what_is_spoiled_is_all_that_frames_write(worlds: list[Any]) -> None:
    """Workspaces of solvers, of compiled frames, of the collider and of parts are reached."""
    paths = first_difference("four_bar", "bpp", np.nan, worlds)[1]
    for part in (".1.0.work.skyline.search.lam", ".1.0.work.values", ".0.redundancy.factor"):
        assert any(path.startswith(part) for path in paths), part
    paths = first_difference("whip and balls", "bpp", np.nan, worlds)[1]
    for part in (".latest.rows.value", ".0.parts.0.stepper", ".structures."):
        assert any(part in path for path in paths), part


def test_a_leftover_that_is_read_is_noticed(worlds: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that take the last one's word for which rows are redundant, or the weights of its scheme."""
    with monkeypatch.context() as patch:
        patch.setattr(Stepper, "find_redundant", lambda *_: None)
        assert "position" in first_difference("linkages", "bpp", np.nan, worlds)[0]
    weigh, calls = Stepper.weigh, []

    def once(*arguments: Any) -> None:
        calls.append(1)
        if len(calls) % 7:
            weigh(*arguments)

    monkeypatch.setattr(Stepper, "weigh", once)
    assert "position" in first_difference("stack_of_boxes", "bpp", np.nan, worlds)[0]
