"""Whatever can be done with a simulation can be done in joint coordinates."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sample_mechanisms import same_state
from tree_examples import chain

import taut
from taut import scenes
from taut.commands.main import main
from taut.joints import Motor, Revolute, Spherical
from taut.model.state import ASLEEP, State
from taut.results.record import Recording
from taut.shapes import Box, Sphere

LOOPS_AND_SPRINGS = [
    ("hanging_chain", {}), ("stayed_bridge", {"towers": "flexible"}), ("umbrella", {}), ("four_bar", {}),
    ("ragdoll", {}), ("quadruped", {}),
]  # fmt: skip
"""Scenes with all that may be in trees, and their parameters."""

SCENES = pytest.mark.parametrize(("name", "options"), LOOPS_AND_SPRINGS, ids=lambda part: str(part))


def reduced(scene: taut.Scene, **options: Any) -> taut.Simulation:
    """A simulation in joint coordinates."""
    return taut.Simulation(scene, coordinates="reduced", **options)


def after(simulation: taut.Simulation, frames: int) -> taut.Simulation:
    """The same some frames later, every one of which was solved; joints of trees are closed."""
    for _ in range(frames):
        assert simulation.step().status == "solved"
    return simulation


def nodes(simulation: taut.Simulation) -> int:
    """Bodies in joint coordinates."""
    return simulation.stepper.mechanism.trees.body.size


@SCENES
def test_saved_states_continue_to_the_bit(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    """What springs took in the last step is part of the state."""
    first = reduced(scenes.build(name, **options))
    after(first, 12).state.save(tmp_path / "state.npz")
    second = reduced(scenes.build(name, **options))
    after(second, 3)  # whatever was solved before
    second.restore(State.load(tmp_path / "state.npz"))
    assert second.state.iterations == first.state.iterations
    for _ in range(10):
        first.step()
        second.step()
        assert same_state(first.state, second.state) == []


def test_iterations_are_saved(tmp_path: Path) -> None:
    simulation = after(reduced(scenes.build("umbrella"), linear="pcg"), 3)
    simulation.state.save(tmp_path / "state.npz")
    assert State.load(tmp_path / "state.npz").iterations == simulation.state.iterations > 0


@SCENES
def test_copies_go_on_by_themselves(name: str, options: dict[str, Any]) -> None:
    simulation = after(reduced(scenes.build(name, **options)), 4)
    other = copy.deepcopy(simulation)
    after(simulation, 4)
    assert nodes(other) == nodes(simulation) > 0 and other.coordinates == "reduced"
    assert same_state(after(other, 4).state, simulation.state) == []


@SCENES
def test_runs_that_record_nothing_are_the_same(name: str, options: dict[str, Any]) -> None:
    recorded, quick = (reduced(scenes.build(name, **options)) for _ in range(2))
    recorded.run(0.5)
    assert quick.run(0.5, record=False) == []
    assert same_state(recorded.state, quick.state) == []


def test_recordings_say_what_they_are_of(tmp_path: Path) -> None:
    simulation = reduced(chain(3, 10.0), step=1 / 120)
    simulation.run(0.25, tmp_path / "chain.h5")
    recording = Recording.load(tmp_path / "chain.h5")
    assert recording.info.coordinates == "reduced"
    assert recording.violation.max() <= 1e-12
    assert np.array_equal(recording.body("b2").position[-1], simulation.body("b2").position)
    assert recording.joint("j1").reaction[-1] == pytest.approx(simulation.joint("j1").reaction)
    assert recording.joint("j1").position[-1] == pytest.approx(simulation.joint("j1").position)


@pytest.mark.parametrize("coordinates", ["reduced", "auto"])
def test_bodies_and_joints_come_and_go(coordinates: str) -> None:
    simulation = taut.Simulation(chain(4), coordinates=coordinates)
    after(simulation, 10)
    energy = simulation.state.energy
    with simulation.edit() as edit:
        edit.remove_joint("j2")
    assert nodes(simulation) == 4, "what was cut off floats"
    assert simulation.state.energy == pytest.approx(energy)
    falling = simulation.body("b2").velocity[2]
    after(simulation, 30)
    assert simulation.body("b2").velocity[2] < falling - 1.0
    with simulation.edit() as edit:
        edit.remove_body("b3")
    assert nodes(simulation) == 2, "a body alone needs no coordinates"
    after(simulation, 10)
    with simulation.edit() as edit:
        edit.add_body("new", Sphere(0.1), mass=5.0, position=simulation.body("b1").position + (0.5, 0, 0))
        edit.connect("b1", "new", Spherical(), at=simulation.body("b1").position, name="hook")
    assert nodes(simulation) == 3
    after(simulation, 30)
    assert simulation.joint("hook").violation <= 1e-12 and simulation.report.violation <= 1e-12


def test_a_loop_may_be_closed_and_opened_while_it_moves() -> None:
    simulation = after(reduced(chain(3)), 5)
    with simulation.edit() as edit:
        edit.connect("world", "b2", Spherical(), at=simulation.body("b2").position, name="loop")
    assert simulation.stepper.own.reduced.table.kept.size == 3
    place = simulation.body("b2").position
    after(simulation, 30)
    assert simulation.body("b2").position == pytest.approx(place, abs=1e-6)
    with simulation.edit() as edit:
        edit.remove_joint("loop")
    assert not after(simulation, 5).stepper.own.reduced.table.kept.size


def test_a_hand_pulls_a_tree() -> None:
    simulation = reduced(chain(3, 5.0))
    hand = simulation.grab("b2", point=(0.25, 0, 0))
    start = hand.position
    for frame in range(60):
        hand.move_to(start + (0.0, 0.0, 0.005 * frame))
        after(simulation, 1)
    assert np.linalg.norm(hand.held - hand.position) < 0.05
    hand.release()
    assert after(simulation, 20).report.violation <= 1e-12


def test_trees_fall_asleep_and_wake() -> None:
    scene = taut.Scene(friction=0.5)
    scene.add_plane()
    for index in range(2):
        scene.add_body(f"box{index}", Box(0.4, 0.4, 0.4), mass=1.0, position=(0.5 * index, 0, 0.2))
    scene.connect("box0", "box1", Revolute(axis=(0, 1, 0)), at=(0.25, 0, 0.2))
    scene.add_body("post", fixed=True, position=(0, 3, 0))
    scene.add_body("swing", Sphere(0.1), mass=1.0, position=(1, 3, 2))
    scene.connect("post", "swing", Revolute(axis=(0, 1, 0)), at=(0, 3, 2))
    simulation = reduced(scene, sleeping=True)
    after(simulation, 60)
    rest = dict(zip(simulation.model.bodies.names, simulation.state.rest, strict=True))
    assert rest["box0"] == rest["box1"] == ASLEEP and rest["swing"] != ASLEEP
    assert simulation.report.sleeping == 2
    simulation.body("box1").apply(force=(0, 0, 30.0))
    after(simulation, 2)
    assert simulation.report.sleeping == 0 and simulation.body("box1").velocity[2] > 0.01


def test_controls_drive_trees() -> None:
    scene = taut.Scene(collisions=False)
    scene.add_body("arm", Box(0.5, 0.05, 0.05), mass=1.0, position=(0.25, 0, 0))
    scene.connect("world", "arm", Revolute(axis=(0, 0, 1), motor=Motor(speed=0.0)), at=(0, 0, 0), name="hinge")
    simulation = reduced(scene)
    for speed in (1.0, -2.0):
        simulation.joint("hinge").drive(speed)
        after(simulation, 5)
        assert simulation.joint("hinge").velocity == pytest.approx(speed, abs=1e-6)


def test_reactions_and_positions_are_read_as_ever() -> None:
    both = [after(taut.Simulation(chain(3, 10.0), 1e-3, coordinates=each), 100) for each in ("maximal", "reduced")]
    for joint in ("j0", "j1", "j2"):
        one, other = (each.joint(joint) for each in both)
        assert other.position == pytest.approx(one.position, abs=1e-6)
        assert other.velocity == pytest.approx(one.velocity, abs=1e-4)
        assert other.reaction == pytest.approx(one.reaction, abs=1e-3 * np.abs(one.reaction).max())
        assert other.violation <= 1e-13


def test_a_state_of_maximal_coordinates_goes_on_in_joint_coordinates() -> None:
    maximal, other = after(taut.Simulation(chain(4)), 30), reduced(chain(4))
    assert maximal.joint("j3").violation > 0.0
    other.restore(maximal.state.copy())
    after(maximal, 30)
    assert after(other, 30).report.violation <= 1e-12
    assert np.abs(other.state.position - maximal.state.position).max() <= 1e-2


@pytest.mark.parametrize("mode", ["impulse", "kinematic"])
def test_other_laws_of_motion_move_trees_too(mode: str) -> None:
    ends = []
    for coordinates in ("maximal", "reduced"):
        simulation = taut.Simulation(chain(3), coordinates=coordinates, mode=mode)
        simulation.body("b2").apply(force=(0.0, 0.0, 0.5))
        after(simulation, 3)
        ends.append(simulation.state)
    assert ends[1].velocity == pytest.approx(ends[0].velocity, abs=1e-3 * np.abs(ends[0].velocity).max())
    assert ends[1].position == pytest.approx(ends[0].position, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"coordinates": "minimal"}, "coordinates.*minimal.*maximal.*reduced.*auto"),
        ({"coordinates": None}, "coordinates"),
        ({"coordinates": 3}, "coordinates"),
        ({"linear": "cholesky"}, "linear.*cholesky.*pcg.*direct.*auto"),
        ({"linear": None}, "linear"),
        ({"integrator": "redmax"}, "redmax.*reduced"),
    ],
)
def test_wrong_values_are_refused_in_one_line(options: dict[str, Any], words: str) -> None:
    with pytest.raises(taut.InputError, match=words) as caught:
        taut.Simulation(chain(2), **options)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


def test_the_thesis_step_is_what_it_was() -> None:
    """It has a step of its own, whatever trees the other integrators make."""
    simulation = taut.Simulation(chain(3), integrator="redmax", coordinates="reduced")
    assert simulation.stepper.redmax is not None
    after(simulation, 20)
    other = after(reduced(chain(3)), 20)
    assert np.abs(simulation.state.position - other.state.position).max() < 0.1
    assert same_state(simulation.state, other.state) != []


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Call the command in this process: its exit code, and what it prints on both channels."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["taut", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0), *capsys.readouterr()

    return call


@pytest.mark.parametrize("coordinates", ["maximal", "reduced", "auto"])
def test_the_command_line_says_its_coordinates(coordinates: str, called: Any) -> None:
    command = ["run", "hanging_chain", "--coordinates", coordinates, "--linear", "pcg", "--duration", "0.2", "--json"]
    code, out, _ = called(*command)
    summary = json.loads(out)
    assert code == 0 and summary["coordinates"] == coordinates
    assert summary["unconverged_steps"] == 0 and (coordinates == "maximal" or summary["violation_max"] <= 1e-11)


@pytest.mark.parametrize("wrong", [["--coordinates", "polar"], ["--linear", "lu"]])
def test_the_command_line_refuses_others_in_one_line(wrong: list[str], called: Any) -> None:
    code, _, err = called("run", "hanging_chain", *wrong)
    assert code == 2 and wrong[1] in err and len(err.strip().splitlines()) == 1


def test_a_start_off_the_tree_is_closed_at_once() -> None:
    """Joints of a tree leave no gap for the rest of a frame: bodies are on the tree from the first part on."""
    scene = taut.Scene(collisions=False)
    previous = "world"
    for i in range(4):
        link = scene.add_body(f"link-{i}", taut.shapes.Box(0.2, 0.04, 0.04), mass=1.0, position=(0.2 * i + 0.1, 0, 0))
        scene.connect(previous, link, taut.joints.Spherical(), at=(0.2 * i, 0, 0))
        previous = link
    simulation = taut.Simulation(scene, coordinates="reduced")
    state = simulation.state.copy()
    state.position[1:] += 1e-5 * np.random.default_rng(0).normal(size=(4, 3))
    simulation.restore(state)
    report = simulation.step()
    assert report.status == "solved" and report.solves <= 6 and report.violation < 1e-12


def weightless_tree(seed: int) -> taut.Scene:
    """A motor turns a tree of hinges with springs across it; without weight nothing happens without the motor."""
    random = np.random.default_rng(seed)
    scene, places = taut.Scene(collisions=False, gravity=(0.0, 0.0, 0.0)), []
    for i in range(12):
        parent = -1 if i == 0 else int(random.integers(max(0, i - 4), i))
        base = np.zeros(3) if parent < 0 else places[parent]
        places.append(base + 0.2 * random.normal(size=3))
        mass = float(10 ** random.uniform(-1, 1))
        scene.add_body(f"body-{i}", taut.shapes.Box(0.1, 0.1, 0.1), mass=mass, position=places[i])
        motor = taut.joints.Motor(speed=2.0, max_force=1.0) if i == 0 else None
        hinge = taut.joints.Revolute(axis=tuple(np.eye(3)[i % 3]), motor=motor)
        scene.connect("world" if parent < 0 else f"body-{parent}", f"body-{i}", hinge, at=base)
    for _ in range(4):
        a, b = random.choice(12, 2, replace=False)
        stiffness = 1e5 * 10 ** random.uniform(-1, 1)
        scene.add_spring(f"body-{a}", f"body-{b}", stiffness=stiffness, damping=1.0)
    return scene


@pytest.mark.parametrize("linear", ["pcg", "direct", "auto"])
def test_springs_are_solved_for_what_rows_do_not_only_for_loads(linear: str) -> None:
    """Nothing acts but a row: how many iterations a balance of nothing takes says nothing."""
    for seed in range(3):
        simulation = taut.Simulation(weightless_tree(seed), coordinates="reduced", linear=linear)
        assert [simulation.step().status for _ in range(10)] == ["solved"] * 10


@pytest.mark.parametrize("linear", ["pcg", "direct", "auto"])
def test_light_bodies_of_a_bush_with_springs_are_in_balance(linear: str) -> None:
    """Masses from 0.1 to 10 kg in no order: what is lost to rounding is corrected before anything is solved again."""
    random = np.random.default_rng(2)
    scene, ends = taut.Scene(collisions=False), []
    for i in range(150):
        parent = -1 if i == 0 else int(random.integers(max(0, i - 3), i))
        base, way = np.zeros(3) if parent < 0 else ends[parent], random.normal(size=3) + (0, 0, -0.5)
        way *= 0.3 / np.linalg.norm(way)
        ends.append(base + way)
        turned = taut.spatial.from_two_vectors((0, 0, 1), way)
        mass = float(10 ** random.uniform(-1, 1))
        shape = taut.shapes.Box(0.1, 0.1, 0.3)
        scene.add_body(f"body-{i}", shape, mass=mass, position=base + way / 2, orientation=turned)
        hinge = taut.joints.Revolute(axis=tuple(random.normal(size=3)))
        scene.connect("world" if parent < 0 else f"body-{parent}", f"body-{i}", hinge, at=base)
    for _ in range(15):
        a, b = random.choice(150, 2, replace=False)
        scene.add_spring(f"body-{a}", f"body-{b}", stiffness=1e3, damping=1.0)
    simulation = taut.Simulation(scene, coordinates="reduced", linear=linear)
    for _ in range(6):
        report = simulation.step()
        assert report.status == "solved" and report.residual <= 2e-10
