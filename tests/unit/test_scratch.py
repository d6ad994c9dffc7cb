"""Scratch of the steps: what a frame leaves in it is read by no later one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sample_mechanisms import same_state, with_settings
from scene_sizes import IN_TREES
from spoiled_scratch import Seen, spoil

import taut
from taut.joints import Spherical
from taut.shapes import Box, Sphere
from taut.stepping.settings import DIVISION
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


def first_difference(
    name: str, solver: str, value: float, frames: int = 4, **options: Any
) -> tuple[list[str], set[str], list[str]]:
    """Fields that differ in the first frame that spoiling changed, what was spoiled, and how frames ended.

    The undisturbed run is done before, so that nothing that both may share is spoiled in it.
    """
    clean, states = taut.Simulation(build(name), solver=solver, **options), []
    for _ in range(FRAMES.get(name, frames)):
        clean.step()
        states.append(clean.state.copy())  # which loads of the next frame write to
    spoiled, seen = taut.Simulation(build(name), solver=solver, **options), Seen()
    paths, statuses = spoil(spoiled, seen, value), []
    for state in states:
        statuses.append(spoiled.step().status)
        differs = same_state(state, spoiled.state)
        if differs:
            return differs, paths, statuses
        paths |= spoil(spoiled, seen, value)
    return [], paths, statuses


@pytest.mark.parametrize(("solver", "value"), [("auto", np.nan), ("bpp", 0.0), ("linear-time", np.nan)])
@pytest.mark.parametrize("name", EVERY)
def test_spoiled_scratch_between_frames_changes_no_bit(name: str, solver: str, value: float) -> None:
    """NaN goes through all arithmetic, and zeros through comparisons that NaN fails."""
    differs, paths, statuses = first_difference(name, solver, value)
    assert differs == [], f"frame {len(statuses)}"
    assert {".scratch.places.position", ".state.velocity", ".own.rows.jacobian", ".own.kkt.response"} <= paths


@pytest.mark.parametrize("solver", ["ipm", "pgs", "bpp-dense"])
@pytest.mark.parametrize("name", ["four_bar", "ragdoll", "stack_of_boxes", "whip and balls"])
def test_whatever_the_solver(name: str, solver: str) -> None:
    assert first_difference(name, solver, np.nan)[0] == []


@pytest.mark.parametrize(
    ("name", "linear"),
    [*((name, "auto") for name in [*IN_TREES, "whip and balls"]), ("umbrella", "pcg"), ("stayed_bridge", "pcg")],
)
def test_joint_coordinates_read_no_leftover_either(name: str, linear: str) -> None:
    differs, _, statuses = first_difference(name, "auto", np.nan, coordinates="reduced", linear=linear)
    assert differs == [], f"frame {len(statuses)}"


@pytest.mark.parametrize("value", [np.nan, 0.0])
@pytest.mark.parametrize("name", ["four_bar", "ragdoll", "spring_arm", "plucked_cable", "chain_wrap", "whip and balls"])
def test_the_exact_stiffness_reads_no_leftover_either(name: str, value: float) -> None:
    differs, _, statuses = first_difference(name, "auto", value, geometric_stiffness="exact")
    assert differs == [], f"frame {len(statuses)}"


def test_what_is_spoiled_is_all_that_frames_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workspaces of solvers, of compiled frames, of the collider and of parts are reached."""
    few_are_many = DIVISION._replace(many_bodies=0)
    monkeypatch.setattr("taut.stepping.stepper.DIVISION", few_are_many)
    paths = first_difference("four_bar", "bpp", np.nan)[1]
    for part in (".smooth.work.skyline.search.lam", ".smooth.work.values", ".redundancy.factor"):
        assert any(path.startswith(part) for path in paths), part
    paths = first_difference("whip and balls", "bpp", np.nan)[1]
    for part in (".latest.rows.value", ".parts.0.stepper", ".structures."):
        assert any(part in path for path in paths), part


def test_a_leftover_that_is_read_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that take the last one's word for which rows are redundant, or the weights of its scheme."""
    with monkeypatch.context() as patch:
        patch.setattr(Stepper, "find_redundant", lambda *_: None)
        assert first_difference("linkages", "bpp", np.nan)[0]
    weigh, calls = Stepper.weigh, []

    def once(*arguments: Any) -> None:
        calls.append(1)
        if len(calls) % 7:
            weigh(*arguments)

    monkeypatch.setattr(Stepper, "weigh", once)
    assert first_difference("stack_of_boxes", "bpp", np.nan)[0]


def thrown(**settings: Any) -> taut.Simulation:
    """A whip beside balls, with settings that do not let it be solved."""
    simulation = taut.Simulation(whip_and_balls())
    with_settings(simulation, budget=1, halvings=0, limit=1e-4, linearisations=1, **settings)
    return simulation


def struck() -> taut.Simulation:
    """Rods on joints that are struck, frame by frame."""
    scene, last = taut.Scene(), "world"
    for number in range(3):
        name = scene.add_body(f"rod{number}", Box(0.5, 0.01, 0.01), mass=1.0, position=(0.5 * number + 0.25, 0, 0))
        scene.connect(last, name, Spherical(), at=(0.5 * number, 0, 0))
        last = name
    return taut.Simulation(scene, mode="impulse")


@pytest.mark.parametrize("value", [np.nan, 0.0])
@pytest.mark.parametrize("maker", [thrown, struck])
def test_frames_that_are_lost_and_impulses_read_no_leftover_either(
    maker: Callable[[], taut.Simulation], value: float
) -> None:
    clean, spoiled, seen = maker(), maker(), Seen()
    spoil(spoiled, seen, value)
    for frame in range(6):
        for simulation in (clean, spoiled):
            simulation.body(simulation.model.bodies.names[-1]).apply(force=(0.1, 0.2, 0.3), torque=(0.0, 0.01, 0.0))
            simulation.step()
        assert same_state(clean.state, spoiled.state) == [], f"frame {frame}"
        spoil(spoiled, seen, value)


def test_rows_that_measure_nothing_leave_nothing_in_the_state() -> None:
    """Companions of a rope have no measure: whatever was in scratch does not get into the state."""
    scene = taut.Scene(collisions=False)
    scene.add_body("bob", taut.shapes.Sphere(0.1), mass=2.0, position=(0.3, 0.0, 0.0))
    scene.connect("world", "bob", taut.joints.Rope(length=1.0))
    simulation = taut.Simulation(scene)
    simulation.step()
    simulation.stepper.scratch.there.value.fill(np.nan)
    simulation.stepper.readings[0].value.fill(np.nan)
    simulation.step()
    simulation.refresh()
    assert np.isfinite(simulation.state.measure).all()
