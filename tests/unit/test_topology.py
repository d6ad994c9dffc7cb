"""The last stage of a step: what is overloaded breaks, callbacks edit, and the report says what happened."""

from __future__ import annotations

import math

import numpy as np
import pytest

import taut
from taut import scenes
from taut.errors import InputError
from taut.joints import Distance, Fixed, Spherical
from taut.results.events import Added, Broken, Cut, Event
from taut.shapes import Box, Sphere
from taut.stepping.energy import momentum_of


def hanging(break_force: float, **options: float) -> taut.Scene:
    scene = taut.Scene()
    scene.add_body("load", Box(1, 1, 1), mass=100.0, position=(0, 0, -1))
    scene.connect("world", "load", Spherical(), at=(0, 0, 0), name="hook", break_force=break_force, **options)
    return scene


@pytest.mark.parametrize(("share", "breaks"), [(0.999, True), (1.001, False)])
def test_a_joint_breaks_where_it_carries_more_than_it_bears(share: float, breaks: bool) -> None:
    simulation = taut.Simulation(hanging(share * 981.0))
    simulation.run(1.0)
    assert ("hook" not in simulation.meter.names) == breaks


def test_the_step_that_breaks_a_joint_is_solved_with_it_and_says_so() -> None:
    simulation = taut.Simulation(hanging(981.0 + 50.0))
    for _ in range(5):
        assert not simulation.step().events
    simulation.body("load").apply(force=(0, 0, -60.0))
    report = simulation.step()
    (event,) = report.events
    assert isinstance(event, Broken) and (event.kind, event.name) == ("broken", "hook")
    assert event.force == pytest.approx(1041.0, rel=1e-6) and event.time == simulation.time
    assert report.status == "solved" and simulation.body("load").velocity == pytest.approx(0.0, abs=1e-9)
    simulation.body("load").apply()
    assert not simulation.step().events
    simulation.run(0.5)
    fallen = simulation.time - event.time
    assert simulation.body("load").position[2] == pytest.approx(-1.0 - 0.5 * 9.81 * fallen**2, abs=0.09)


def test_a_weld_breaks_by_its_torque_and_a_spring_and_a_rod_by_their_pull() -> None:
    scene = taut.Scene()
    scene.add_body("arm", Box(2, 0.1, 0.1), mass=10.0, position=(1, 0, 0))
    scene.connect("world", "arm", Fixed(), at=(0, 0, 0), name="weld", break_torque=95.0)
    scene.add_body("bob", Sphere(0.1), mass=1.0, position=(5, 0, 0))
    scene.connect("world", "bob", Distance(point_a=(5, 0, 1)), name="rod", break_force=9.0)
    scene.add_body("mass", Sphere(0.1), mass=1.0, position=(8, 0, 0))
    scene.add_spring("mass", "world", point_b=(8, 0, 1), stiffness=1e4, damping=50.0, name="spring", break_force=9.0)
    simulation = taut.Simulation(scene)
    recording = [event for _ in range(20) for event in simulation.step().events]
    assert {event.name for event in recording} == {"weld", "rod", "spring"}
    weld = next(event for event in recording if event.name == "weld")
    assert weld.torque == pytest.approx(98.1, rel=1e-6)


def test_breaking_keeps_momentum() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    for index in range(6):
        scene.add_body(
            f"b{index}", Box(0.5, 0.2, 0.2), mass=1.0 + index, position=(index, 0, 0), velocity=(0, (-1) ** index, 0)
        )
        if index:
            scene.connect(f"b{index - 1}", f"b{index}", Spherical(), at=(index - 0.5, 0, 0), break_force=25.0)
    simulation = taut.Simulation(scene)
    before, broken = momentum_of(simulation.stepper.mechanism, simulation.state), 0
    for _ in range(60):
        broken += len(simulation.step().events)
    assert broken and simulation.report.momentum == pytest.approx(before, rel=1e-9, abs=1e-9)


def test_runs_without_a_recording_break_at_the_same_frame_to_the_same_bits() -> None:
    ends = []
    for record in (None, False):
        simulation = taut.Simulation(hanging(1100.0))
        simulation.body("load").apply(force=(300, 0, -100.0))
        simulation.run(0.7, record=record)
        ends.append(simulation.state)
    assert np.array_equal(ends[0].position, ends[1].position) and ends[0].force.size == 0


def test_edits_between_two_steps_are_in_the_next_report() -> None:
    simulation = taut.Simulation(hanging(math.inf))
    simulation.step()
    with simulation.edit() as edit:
        edit.add_body("new", Sphere(0.1), mass=1.0, position=(3, 0, 0))
        edit.cut("hook")
    first, second = simulation.step().events
    assert first == Added(1 / 60, "new", "body") and second == Cut(1 / 60, "hook")
    assert simulation.step().events == ()
    assert all(isinstance(event, Event) for event in (first, second))


def test_a_callback_may_edit_after_every_step() -> None:
    simulation = taut.Simulation(hanging(math.inf))

    def drop_a_ball(sim: taut.Simulation) -> None:
        if sim.state.steps % 10 == 0:
            with sim.edit() as edit:
                edit.add_body(f"ball{sim.state.steps}", Sphere(0.1), mass=1.0, position=(3, 0, 0))

    simulation.on_step(drop_a_ball)
    simulation.run(0.5, record=False)
    assert [name for name in simulation.model.bodies.names if name.startswith("ball")] == ["ball10", "ball20", "ball30"]
    with pytest.raises(InputError, match="on_step"):
        simulation.on_step(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["hoist", "crane/hoist"])
def test_a_part_breaks_at_one_joint_whatever_its_name(name: str) -> None:
    scene = taut.Scene()
    scene.add_body("load", Box(1, 1, 1), mass=100.0, position=(0, 0, -3.5))
    cable = taut.machines.Cable(from_="world", to=("load", (0, 0, 0.5)), segments=5, breaking_force=500.0)
    scene.add(cable, name=name)
    (event,) = taut.Simulation(scene).step().events
    assert isinstance(event, Broken) and event.name.startswith(f"{name}/joint-")


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, "strong"])
def test_what_a_joint_bears_is_a_positive_number(value: object) -> None:
    with pytest.raises(InputError, match="break_force"):
        hanging(value)  # type: ignore[arg-type]


def test_runs_without_a_recording_tell_what_happened() -> None:
    """The same events as in a recording, those of edits before and on the way too."""

    def run(recorded: bool) -> tuple[object, ...]:
        simulation = taut.Simulation(scenes.build("tearing_chain"))
        with simulation.edit() as edit:
            edit.add_body("first", mass=1.0, inertia=(1, 1, 1), position=(9, 9, 9))

        def remove(share: float) -> None:
            if share >= 0.5 and "first" in simulation.model.bodies.names:
                with simulation.edit() as edit:
                    edit.remove_body("first")

        duration = scenes.get("tearing_chain").duration
        if recorded:
            return simulation.run(duration, progress=remove).events
        missed = simulation.run(duration, record=False, progress=remove)
        assert missed == [] and simulation.run(0.1, record=False).events == ()
        return missed.events

    found = run(recorded=False)
    assert found == run(recorded=True)
    assert [event.kind for event in found][0] == "added"
    assert {"broken", "removed"} <= {event.kind for event in found}
