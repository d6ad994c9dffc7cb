"""The crane: what its check finds wrong, what it is built of, and that it is all the user's."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import numpy as np
import pytest

import taut
from taut import scenes
from taut.errors import InputError
from taut.results.record import Recording

Change = Callable[[np.ndarray], np.ndarray]


@pytest.fixture(scope="module")
def story() -> Recording:
    """All of it."""
    return taut.Simulation(scenes.build("crane")).run(scenes.get("crane").duration)


def changed(recording: Recording, array: str, name: str, since: float, change: Change) -> Recording:
    """The same with another array of a body or joint, or another field of the reports, since a time, s."""
    twin = deepcopy(recording)
    twin._kept.clear()
    for era in twin.eras:
        block = era.merged()
        late = block["reports"]["time"] > since
        if array == "reports":
            block["reports"][name][late] = change(block["reports"][name][late])
            continue
        places = era.body_places if array in ("positions", "velocities") else era.joint_places
        block[array][late, places[name]] = change(block[array][late, places[name]])
    return twin


def faster(velocity: np.ndarray) -> np.ndarray:
    """What has a jolt upwards in its first frame."""
    return velocity + np.outer(np.arange(len(velocity)) == 0, (0.0, 0.0, 0.02))


def test_the_whole_story_passes(story: Recording) -> None:
    scenes.get("crane").check(story)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"solver": "linear-time"}, {"solver": "ipm"}, {"step": 1 / 120}], ids=str)
def test_the_whole_story_passes_with_other_solvers_and_steps(options: dict[str, object]) -> None:
    recording = taut.Simulation(scenes.build("crane"), **options).run(scenes.get("crane").duration)
    assert recording.residual.max() <= 1e-8
    scenes.get("crane").check(recording)


@pytest.mark.parametrize(
    ("array", "name", "since", "change", "text"),
    [
        ("reports", "penetration", 3.0, lambda depth: depth + 2e-4, "penetration"),
        ("reports", "rows", 0.0, lambda rows: rows + 80, "rows are the most of a frame; 430 is right"),
        ("reports", "rows", 6.0, lambda rows: rows + 80, "% of the rows are gone"),
        ("reports", "energy", 0.5, lambda energy: energy + 100.0, "energy gained beyond the work of the motors"),
        ("reports", "energy", 9.0, lambda energy: energy - 2000.0, "% of the work is lost"),
        ("joint_reactions", "truck/pad-left-1/ball", 3.0, np.zeros_like, "the pads carry"),
        ("joint_reactions", "truck/pad-left-1/ball", 3.0, np.negative, "a pad is pressed with"),
        ("positions", "truck/carrier", 8.0, lambda place: place + (2e-4, 0.0, 0.0), "the place of the truck"),
        ("joint_reactions", "crane/winch/reel", 6.0, lambda force: 1.006 * force, "the rope carry"),
        ("velocities", "load", 8.0, faster, "spike of the load's speed"),
        ("velocities", "load", 7.0, lambda velocity: 1.05 * velocity, "the pipe swings in"),
        ("positions", "load", 7.0, lambda place: place - (0.0, 0.0, 1.0), "the pipe is hoisted by 3"),
        ("joint_positions", "crane/winch/hinge", 17.0, lambda turn: turn + 1e-5, "the rope that is out"),
        ("joint_positions", "crane/winch/hinge", 9.0, lambda turn: turn + 5e-4, "the stretch of the rope"),
        ("joint_positions", "crane/slew/hinge", 17.0, lambda turn: 0.9 * turn, "the crane slewed by 54"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found(
    story: Recording, array: str, name: str, since: float, change: Change, text: str
) -> None:
    with pytest.raises(AssertionError, match=text):
        scenes.get("crane").check(changed(story, array, name, since, change))


def test_the_crane_weighs_30_t_with_its_drum_empty() -> None:
    bodies = taut.Simulation(scenes.build("crane")).model.bodies
    masses = dict(zip(bodies.names, bodies.mass.tolist(), strict=True))
    hook = {"crane/block": 40.0, "crane/hook/hook": 25.0, "ring": 5.0}
    assert {name: masses[name] for name in hook} == hook
    crane = [name for name in masses if name.startswith(("truck/", "crane/")) and name not in hook]
    rope = sum(masses[name] for name in crane if name.startswith("crane/winch/"))
    assert sum(masses[name] for name in crane) - rope == pytest.approx(29_800.0)
    assert masses["truck/carrier"] / masses["crane/winch/1"] == pytest.approx(6_300.0, rel=0.01)


def test_a_user_takes_it_in_hand() -> None:
    """It is let down onto its wheels, luffs and telescopes, and pays out rope, against its schedules."""
    simulation = taut.Simulation(scenes.build("crane"))
    for control in simulation.controls.values():
        control.take()
    wanted = {"crane/boom.luff": 1.2, "crane/boom.telescope": 12.0, "crane/winch.speed": 1.0, "crane/slew.speed": 0.2}
    jacks = {f"truck/jack-{side}-{number}.valve": -1.0 for side in ("left", "right") for number in (1, 2)}
    for name, value in (wanted | jacks).items():
        simulation.controls[name].set(value)
    for _ in range(300):
        assert simulation.step().status == "solved"
    parts = [simulation.part(f"truck/wheel-{side}-{number}") for side in ("left", "right") for number in (1, 2, 3, 4)]
    assert sum(part.load for part in parts) > 2e5, "the truck stands on its wheels"
    assert simulation.part("crane/boom").angle > 1.1 and simulation.part("crane/winch").payout > 18.0


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"load": 0.0}, "scene 'crane': load is 0; it must be from 500 to 3000"),
        ({"slew": 91.0}, "scene 'crane': slew is 91; it must be from -90 to 90"),
    ],
)
def test_what_it_cannot_do_is_said(parameters: dict[str, float], text: str) -> None:
    with pytest.raises(InputError, match=text):
        scenes.build("crane", **parameters)
