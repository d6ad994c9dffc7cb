"""The loop around the step: arguments, reports, recordings, determinism."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from sample_mechanisms import GRAVITY, MASS, advance, chain, falling_on_a_rope, one_body, same_state, slider

import taut
from taut.errors import InputError, SimulationError
from taut.joints import Motor, Spherical
from taut.problem.mlcp import MlcpProblem


@pytest.mark.parametrize(("options", "words"), [
    ({"step": 0.0}, "step"), ({"step": -1.0}, "step"), ({"step": math.nan}, "step"), ({"step": "fast"}, "step"),
    ({"solver": "bp"}, "bpp"), ({"solver": None}, "solver"), ({"solver": ["bpp"]}, "solver"),
    ({"integrator": "rk4"}, "bdf2"), ({"coordinates": "reduced?"}, "maximal"),
    ({"geometric_stiffness": "on"}, "geometric_stiffness"),
    ({"tolerance": 0.0}, "tolerance"), ({"tolerance": "small"}, "tolerance"),
], ids=lambda part: str(part))  # fmt: skip
def test_wrong_arguments_are_refused_in_one_line(options: dict, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        taut.Simulation(taut.Scene(), **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("options", [{"step": "0.01"}, {"tolerance": "1e-6"}], ids=str)
def test_numbers_given_as_text_are_refused_or_understood(options: dict) -> None:
    try:
        simulation = taut.Simulation(taut.Scene(), **options)
    except InputError:
        return
    assert simulation.step().status == "solved"


def test_only_scenes_can_be_simulated() -> None:
    for wrong in (None, "hanging_chain", taut.Scene):
        with pytest.raises(InputError, match="taut.Scene"):
            taut.Simulation(wrong)


@pytest.mark.parametrize("duration", [-1.0, math.nan, math.inf, None, "long"])
def test_wrong_durations_are_refused(duration: object) -> None:
    with pytest.raises(InputError, match="duration"):
        slider().run(duration)


def test_an_empty_scene_runs() -> None:
    recording = taut.Simulation(taut.Scene()).run(0.1)
    assert len(recording.time) == 7


def test_run_records_the_present_state_and_every_step() -> None:
    simulation = slider(speed=2.0)
    shares: list[float] = []
    recording = simulation.run(0.5, progress=shares.append)
    assert len(recording.time) == 31 and recording.time[-1] == pytest.approx(0.5)
    assert recording.body("b").position[:, 0] == pytest.approx(2.0 * recording.time, abs=1e-9)
    assert recording.joint("j").position[:, 0] == pytest.approx(2.0 * recording.time, abs=1e-9)
    assert shares == pytest.approx(np.arange(1, 31) / 30)
    again = simulation.run(0.25)
    assert again.time[0] == pytest.approx(0.5) and len(again.time) == 16
    assert len(simulation.run(0.0).time) == 1


def test_durations_are_rounded_to_whole_steps() -> None:
    assert len(slider().run(0.1 + 1e-9).time) == 7
    assert len(slider().run(1.0).time) == 61


def test_a_recording_survives_a_simulation_that_fails(tmp_path: Path) -> None:
    simulation = slider(speed=1.0)
    path = tmp_path / "run.h5"

    def stop(share: float) -> None:
        if share > 0.5:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        simulation.run(1.0, record=path, progress=stop)
    assert len(taut.Recording.load(path).time) == 32


def test_reports_tell_energy_and_momentum() -> None:
    simulation = one_body(None, (0, 0, -GRAVITY), position=(1, 0, 2), velocity=(0, 3, 0), angular_velocity=(0, 0, 4))
    report = simulation.report
    assert report.energy == pytest.approx(MASS * GRAVITY * 2 + 0.5 * MASS * 9 + 0.5 * 0.5 * 16)
    assert report.momentum == pytest.approx(np.array([[0, MASS * 3, 0], [-2 * MASS * 3, 0, MASS * 3 + 0.5 * 4]]))
    simulation.step()
    assert simulation.report.index == 1 and simulation.report.time == pytest.approx(1 / 60)
    assert simulation.report.momentum[0] == pytest.approx([0, MASS * 3, -MASS * GRAVITY / 60])


def test_reports_count_rows_and_tight_rows() -> None:
    simulation = slider((0, 0, 1), gravity=(0, 0, -GRAVITY), limits=(-10, 10), friction=1e-3)
    report = simulation.step()
    assert report.rows == 7 and report.tight == 2, "a limit out of reach and friction at its bound"
    assert report.residual <= 1e-9 and report.solver == "auto"
    assert report.total_seconds > 0.0


def test_initial_report_knows_an_open_joint() -> None:
    scene = taut.Scene()
    scene.add_body("b", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0))
    scene.connect("world", "b", taut.joints.Distance(length=1.25))
    assert taut.Simulation(scene).report.violation == pytest.approx(0.25)


@pytest.mark.parametrize("make", [chain, falling_on_a_rope, lambda: slider(speed=1.0, friction=3.0, limits=(-1, 0.1))],
                         ids=["chain", "rope", "friction and limit"])  # fmt: skip
def test_two_runs_are_equal_to_the_bit(make) -> None:
    first, second = make(), make()
    for _ in range(90):
        first.step()
        second.step()
    assert same_state(first.state, second.state) == []
    assert first.report.energy == second.report.energy


@pytest.mark.parametrize("solver", ["bpp", "linear-time"])
def test_a_run_that_records_nothing_goes_where_one_that_records_does(solver: str) -> None:
    recorded, bare = (taut.Simulation(taut.scenes.build("snap_chain"), solver=solver) for _ in range(2))
    recorded.run(1.0)
    shares: list[float] = []
    assert bare.run(1.0, record=False, progress=shares.append) == []
    assert (bare.state.position == recorded.state.position).all() and bare.time == recorded.time
    assert (bare.state.calm == recorded.state.calm).all() and (bare.state.history == recorded.state.history).all()
    assert shares[-1] == 1.0 and len(shares) < 60, "smooth frames are done together"
    assert (bare.report.index, bare.report.residual) == (recorded.report.index, recorded.report.residual)


def test_a_run_that_records_nothing_returns_what_missed_its_tolerances() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    for name, place in (("a", -1.0), ("b", 1.0)):
        scene.add_body(name, mass=1.0, inertia=(1, 1, 1), position=(place, 0, 0))
        scene.connect("world", name, taut.joints.Fixed())
    scene.connect("a", "b", taut.joints.Rope(length=1.5), at=(0, 0, 0))
    with pytest.warns(taut.TautWarning):
        simulation = taut.Simulation(scene)
    missed = simulation.run(0.1, record=False)
    assert [report.index for report in missed] == [1, 2, 3, 4, 5, 6]
    assert all(report.unconverged for report in missed)


def test_runs_do_not_depend_on_what_ran_before() -> None:
    """The workspace of a solver or a simulation keeps nothing that changes results."""
    first = chain()
    advance(first, 0.5)
    other = chain(links=9)
    advance(other, 0.3)
    second = chain()
    advance(second, 0.5)
    assert same_state(first.state, second.state) == []


@pytest.mark.parametrize("solver", ["bpp", "bpp-dense", "auto"])
def test_exact_solvers_move_alike(solver: str) -> None:
    expected, found = chain(solver="bpp"), chain(solver=solver)
    for simulation in (expected, found):
        advance(simulation, 1.0)
    assert found.state.position == pytest.approx(expected.state.position, abs=1e-7)


def test_scenes_may_be_edited_after_they_were_compiled() -> None:
    scene = taut.Scene()
    scene.add_body("b", mass=1.0, inertia=(1, 1, 1))
    simulation = taut.Simulation(scene)
    scene.add_body("c", mass=1.0, inertia=(1, 1, 1))
    scene.gravity[:] = 0.0
    simulation.run(0.5)
    assert simulation.body("b").velocity[2] == pytest.approx(-GRAVITY / 2)


def test_a_state_that_is_not_finite_stops_the_run() -> None:
    simulation = slider(speed=1.0)
    simulation.state.velocity[1, 0] = math.nan
    with pytest.raises(SimulationError, match="body 'b' is no longer finite") as caught:
        simulation.step()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("mode", ["dynamics", "impulse", "kinematic"])
@pytest.mark.parametrize("push", [1e200, 1e300])
def test_the_last_good_state_is_kept_where_the_next_is_not_finite(mode: str, push: float) -> None:
    scene = taut.Scene(name="cannon")
    for name in ("target", "ball"):
        scene.add_body(name, mass=1e-3, inertia=(1, 1, 1), position=(len(name), 0, 0))
    simulation = taut.Simulation(scene, mode=mode)
    simulation.step()
    simulation.state.applied[2, 0] = push  # more than anyone may ask for
    before = simulation.state.copy()
    with pytest.raises(SimulationError, match=f"cannon: body 'ball' .* t = {simulation.time:.4f} s"):
        simulation.step()
    assert same_state(simulation.state, before) == []
    report = simulation.report
    assert report.status == "non-finite" and report.unconverged and report.index == 2
    assert report.energy == before.energy and np.isfinite(report.momentum).all()
    simulation.body("ball").apply(force=(1.0, 0, 0))
    assert simulation.step().status == "solved", "one can go on from there"


def test_a_part_that_is_not_finite_is_not_hidden_by_one_that_failed_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The status of a frame is that of the first part which was not solved; its state is that of the last."""
    simulation, taken = slider(speed=1.0), taut.simulation.simulation.next_frames

    def violated_then_lost(stepper, state, count):
        after, tally, frames = taken(stepper, state, count)
        tally.status, after.energy = "violation", math.nan
        return after, tally, frames

    monkeypatch.setattr(taut.simulation.simulation, "next_frames", violated_then_lost)
    with pytest.raises(SimulationError, match="finite"):
        simulation.step()
    assert simulation.report.status == "non-finite" and simulation.state.steps == 0


def test_a_run_that_fails_leaves_a_recording_that_ends_with_the_last_good_state(tmp_path: Path) -> None:
    simulation, path = slider(speed=1.0), tmp_path / "run.h5"

    def push(share: float) -> None:
        if share > 0.5:
            simulation.state.applied[1, 0] = 1e300

    with pytest.raises(SimulationError, match="finite"):
        simulation.run(1.0, record=path, progress=push)
    recording = taut.Recording.load(path)
    assert recording.status[-1] == "non-finite" and set(recording.status[1:-1]) == {"solved"}
    assert recording.time[-1] == recording.time[-2] == simulation.time
    place = recording.body("b").position
    assert np.isfinite(place).all() and np.array_equal(place[-1], place[-2])


def test_unsolved_problems_are_dumped_and_can_be_solved(tmp_path: Path) -> None:
    simulation = chain(links=8, load=1000.0, solver="pgs", dump=tmp_path / "dumped")
    for _ in range(5):
        simulation.step()
    files = sorted((tmp_path / "dumped").glob("*.npz"))
    assert simulation.report.unconverged and simulation.report.status != "solved"
    assert files
    problem = MlcpProblem.load(files[-1])
    assert problem.size == simulation.report.rows
    assert taut.solvers.get("bpp").solve(problem).status == "solved"


def test_without_geometric_stiffness_a_taut_chain_fails() -> None:
    def worst(mode: str) -> float:
        simulation = chain(links=8, load=2000.0, angle=-1.0, geometric_stiffness=mode)
        try:
            return max(max(simulation.step().solves for _ in range(60)), 0)
        except SimulationError:
            return math.inf

    assert worst("auto") <= 5
    assert worst("off") > 10


def test_a_smaller_step_comes_nearer() -> None:
    finals = []
    for step in (1 / 30, 1 / 60, 1 / 960):
        simulation = one_body(Spherical(), (0, 0, -GRAVITY), position=(1, 0, 0), at=(0, 0, 0), step=step)
        advance(simulation, 1.0)
        finals.append(simulation.body("b").position)
    assert np.linalg.norm(finals[1] - finals[2]) < 0.4 * np.linalg.norm(finals[0] - finals[2])


def test_motor_energy_is_not_a_failure() -> None:
    simulation = slider(motor=Motor(speed=5.0, max_force=1e6))
    assert simulation.step().status == "solved"
    assert simulation.report.energy == pytest.approx(0.5 * MASS * 25.0, rel=1e-6)


NO_FILES = [3, True, b"run.h5", "", "a\0b.h5", ["run.h5"], 1.5]


@pytest.mark.parametrize("path", NO_FILES, ids=ascii)
def test_what_is_no_path_is_refused_wherever_a_file_is_named(path: object) -> None:
    simulation = slider()
    for owner, call in {
        "run: record": lambda: simulation.run(0.1, record=path),
        "recording: path": lambda: taut.Recording.load(path),
        "simulation: dump": lambda: taut.Simulation(taut.Scene(), dump=path),
        "checkpoint: path": lambda: simulation.state.save(path),
        "checkpoint: path ": lambda: taut.State.load(path),
    }.items():
        with pytest.raises(InputError, match=f"{owner.strip()} is .*; it must be the name of a file") as caught:
            call()
        assert "\n" not in str(caught.value)
    assert simulation.state.steps == 0, "nothing ran"


def test_what_cannot_be_called_is_no_progress() -> None:
    with pytest.raises(InputError, match="progress is 3; it must be a function"):
        slider().run(0.1, progress=3)


@pytest.mark.parametrize("name", [["b"], None, 3, np.array(["b", "b"])], ids=repr)
def test_what_is_no_name_is_answered_with_the_names(name: object) -> None:
    simulation = slider()
    for call in (simulation.body, simulation.joint, simulation.grab):
        with pytest.raises(InputError, match="there is no") as caught:
            call(name)
        assert "\n" not in str(caught.value)


def test_a_checkpoint_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="checkpoint .*cannot be written"):
        slider().state.save(tmp_path / "no folder" / "state.npz")


def test_a_solver_with_options_of_its_own_is_taken() -> None:
    solver = taut.solvers.get("bpp", reuse=True)
    given, named = chain(solver=solver), chain(solver="bpp")
    assert given.settings.solver is solver
    given.run(0.2), named.run(0.2)
    np.testing.assert_allclose(given.state.position, named.state.position, atol=1e-12)
    with pytest.raises(InputError, match="simulation: there is no solver 3"):
        chain(solver=3)
