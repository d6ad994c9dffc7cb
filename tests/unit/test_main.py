"""The command line: what it prints, where, and its exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fresh_python import run_python
from sample_recordings import CONTRACT

import taut.benchmarks
import taut.scenes
import taut.solvers
from taut import console
from taut.commands import main as cli
from taut.errors import SimulationError
from taut.results.record import Recording
from taut.simulation.simulation import Simulation

SMALL = ["hanging_chain", "--set", "links=3", "--duration", "0.1"]


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def taut_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Call the command in this process."""

    def call(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["taut", *arguments])
        with pytest.raises(SystemExit) as exit_call:
            cli.main()
        return Outcome(exit_call.value.code or 0, *capsys.readouterr())

    return call


def assert_one_line(outcome: Outcome, code: int, message: str) -> None:
    assert outcome.code == code
    assert outcome.out == ""
    assert re.search(message, outcome.err), outcome.err
    assert outcome.err.startswith("taut: ") and outcome.err.count("\n") == 1, outcome.err


def test_run_prints_a_table(taut_command: Any) -> None:
    outcome = taut_command("run", *SMALL)
    assert outcome.code == 0
    for text in ("hanging_chain", "residual (max)", "violation (max)", "energy drift", "solve", "6 x 16.667 ms", "ok"):
        assert text in outcome.out


TOUCHING = ["sliding_block", "--duration", "0.2"]


def test_run_prints_contacts_where_bodies_touch(taut_command: Any) -> None:
    labels = ("contacts (mean / max)", "penetration (max)", "flicker", "tight rows (share)", "slowest step")
    touching, apart = taut_command("run", *TOUCHING).out, taut_command("run", *SMALL).out
    for label in labels:
        assert label in touching and label not in apart


def test_what_rests_may_sleep(taut_command: Any) -> None:
    command = ["run", "card_house", "--duration", "1", "--json"]
    assert (
        taut_command(*command).json["sleeping_mean"] == 0.0 < taut_command(*command, "--sleeping").json["sleeping_mean"]
    )


def test_geometric_stiffness_is_chosen(taut_command: Any) -> None:
    """A light cable that is plucked is calm with it, and runs wild without."""
    command = ["run", "plucked_cable", "--duration", "0.5", "--json", "--geometric-stiffness"]
    violations = {mode: taut_command(*command, mode).json["violation_max"] for mode in ("auto", "exact", "off")}
    assert max(violations["auto"], violations["exact"]) < 1e-6 < violations["off"], violations
    assert_one_line(taut_command("run", "four_bar", "--geometric-stiffness", "no"), cli.USAGE, "geometric_stiffness")


def test_parts_are_chosen_and_reported(taut_command: Any) -> None:
    command = ["run", "hanging_chain", "--set", "links=40", "--duration", "0.1", "--json"]
    parted = taut_command(*command, "--solver", "schur-bpp", "--partition", "chains", "--part-size", "10").json
    assert (parted["partition"], parted["parts_mean"], parted["interface_rows_mean"]) == ("chains", 4.0, 9.0)
    plain = taut_command(*command).json
    assert (plain["partition"], plain["parts_mean"], plain["interface_rows_mean"]) == (None, 0.0, 0.0)
    assert parted["energy_last"] == pytest.approx(plain["energy_last"], rel=1e-9)


def test_a_step_longer_than_the_run_is_refused(taut_command: Any) -> None:
    assert_one_line(
        taut_command("run", *SMALL, "--step", "1e9"), cli.USAGE, "duration is 0.1 s; it must be at least a step"
    )


@pytest.mark.parametrize("friction", ["box", "box-refined", "cone"])
def test_friction_is_chosen(taut_command: Any, friction: str) -> None:
    outcome = taut_command("run", *TOUCHING, "--friction", friction, "--json")
    assert outcome.code == 0
    assert outcome.json["friction"] == friction
    assert outcome.json["contacts_max"] >= 1 and outcome.json["penetration_max"] < 1e-3


def test_compare_shows_penetration_and_friction(taut_command: Any) -> None:
    outcome = taut_command("compare", *TOUCHING, "--solvers", "bpp,pgs", "--friction", "cone")
    assert outcome.code == 0
    assert re.search(r"penetration \(max\) .* m .* m", outcome.out), outcome.out


def test_run_json_is_the_contract_and_nothing_else(taut_command: Any) -> None:
    outcome = taut_command("run", *SMALL, "--json", "--step", "1/120", "--integrator", "euler")
    summary = outcome.json
    assert outcome.code == 0
    assert set(CONTRACT) <= set(summary)
    assert (summary["scene"], summary["steps"], summary["step"]) == ("hanging_chain", 12, 1 / 120)
    assert summary["integrator"] == "euler"
    assert summary["parameters"]["links"] == 3
    assert summary["bodies"] == len(summary["final"]) == 4
    assert len(summary["final"]["load"]) == 3
    assert summary["status"] == "ok"


def test_default_duration_is_the_scenes_own(taut_command: Any) -> None:
    summary = taut_command("run", "hanging-chain", "--set", "links=2", "--json").json
    assert summary["duration"] == pytest.approx(taut.scenes.get("hanging_chain").duration)


def test_problems_are_dumped(taut_command: Any, tmp_path: Path) -> None:
    folder = tmp_path / "problems"
    assert str(folder) in taut_command("run", *SMALL, "--dump-problems", str(folder)).out.replace("\n", "")
    assert sorted(file.name for file in folder.iterdir()) == [f"frame-{frame:06d}.npz" for frame in range(1, 7)]
    assert_one_line(taut_command("run", *SMALL, "--dump-problems", str(folder)), 2, "is not empty")


def test_recording_is_written_and_plotted(taut_command: Any, tmp_path: Path) -> None:
    file = tmp_path / "run.h5"
    assert str(file) in taut_command("run", *SMALL, "--record", str(file)).out.replace("\n", "")
    assert len(Recording.load(file)) == 7
    outcome = taut_command("plot", str(file))
    assert outcome.code == 0
    assert outcome.out.strip() == str(tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 10_000
    assert taut_command("plot", str(file), "--out", str(tmp_path / "other.svg")).code == 0
    assert (tmp_path / "other.svg").exists()


def test_compare_runs_every_solver(taut_command: Any, tmp_path: Path) -> None:
    picture = tmp_path / "compare.png"
    outcome = taut_command("compare", *SMALL, "--solvers", "bpp,pgs", "--json", "--plot", str(picture))
    assert outcome.code == 0
    assert outcome.json["scene"] == "hanging_chain"
    assert [run["solver"] for run in outcome.json["runs"]] == ["bpp", "pgs"]
    assert all(set(CONTRACT) <= set(run) for run in outcome.json["runs"])
    assert picture.stat().st_size > 10_000
    table = taut_command("compare", *SMALL, "--solvers", "bpp,pgs")
    assert table.code == 0
    assert "bpp" in table.out and "pgs" in table.out


def failing_run(at: str) -> Any:
    """A `Simulation.run` that breaks off in its third step if the solver has this name."""
    run, step = Simulation.run, Simulation.step

    def broken(simulation: Simulation, *arguments: Any, **options: Any) -> Recording:
        def checked_step() -> Any:
            report = step(simulation)
            if report.index == 3 and simulation.settings.solver.name == at:
                raise SimulationError("the state is no longer finite")
            return report

        simulation.step = checked_step  # type: ignore[method-assign]
        return run(simulation, *arguments, **options)

    return broken


def test_compare_shows_how_far_a_solver_got(taut_command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Simulation, "run", failing_run("pgs"))
    outcome = taut_command("compare", *SMALL, "--solvers", "bpp,pgs", "--json")
    assert outcome.code == 0
    good, failed = outcome.json["runs"]
    assert (good["status"], good["steps"]) == ("ok", 6)
    assert (failed["status"], failed["steps"]) == ("failed", 3)
    assert "no longer finite" in failed["error"]
    assert "pgs failed: the state" in taut_command("compare", *SMALL, "--solvers", "bpp,pgs").err
    assert taut_command("compare", *SMALL, "--solvers", "pgs", "--json").code == 1


def test_failed_simulation_is_exit_code_1(taut_command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Simulation, "run", failing_run("auto"))
    assert_one_line(taut_command("run", *SMALL, "--json"), 1, "no longer finite")


def test_lists(taut_command: Any) -> None:
    assert [each["name"] for each in taut_command("scenes", "--json").json] == taut.scenes.names()
    assert [each["name"] for each in taut_command("solvers", "--json").json] == taut.solvers.names()
    assert [each["name"] for each in taut_command("bench", "--json").json] == taut.benchmarks.names()
    for command, names in (("scenes", taut.scenes.names()), ("solvers", taut.solvers.names())):
        assert all(name in taut_command(command).out for name in names)


def test_bench_json(taut_command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"rows": 3, "ms": 0.5}, {"rows": 9, "solver": "x"}]
    monkeypatch.setattr(taut.benchmarks.get("mlcp"), "run", lambda: rows)
    result = taut_command("bench", "mlcp", "--json").json
    assert set(result) == {"bench", "machine", "rows"}
    assert result["rows"][0] == {"rows": 3, "ms": 0.5}
    assert "cpu" in result["machine"]
    assert "0.5" in taut_command("bench", "mlcp").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "hanging_chian"], "did you mean 'hanging_chain'.*there are: atwood, bead_on_wire"),
        (["run", "hanging_chain", "--solver", "bp"], "did you mean 'bpp'.*auto, bpp, bpp-cached"),
        (["run", "hanging_chain", "--friction", "cones"], "did you mean 'cone'"),
        (["run", "hanging_chain", "--set", "links=x"], "links.*whole number"),
        (["run", "hanging_chain", "--set", "length=3"], "there are: links, load, angle"),
        (["run", "hanging_chain", "--step", "0"], "--step 0 is not a positive number"),
        (["run", "hanging_chain", "--duration", "-1"], "--duration -1 is not a positive"),
        (["run", "hanging_chain", "--seed", "x"], "--seed"),
        (
            ["run", "hanging_chain", "--partition", "groups"],
            "run: partition is 'groups', but solver 'auto' has no parts",
        ),
        (["run", "hanging_chain", "--solver", "schur-bpp", "--part-size", "-2"], "part_size is -2; it must be a whole"),
        (
            ["compare", "hanging_chain", "--solvers", "bpp,pgs", "--part-size", "8"],
            "part_size is 8, but solver 'bpp' has",
        ),
        (
            ["view", "hanging_chain", "--partition", "metis", "--solver", "schur-bpp"],
            "partition is 'metis'; it must be",
        ),
        (["run", *SMALL, "--record", "/dev/null/x.h5"], "cannot be written"),
        (["run"], "Missing argument"),
        (["run", "hanging_chain", "--frobnicate"], "--frobnicate"),
        (["compare", "hanging_chain", "--solvers", "bpp,nope"], "no solver 'nope'"),
        (["plot", "nowhere.h5"], "does not exist"),
        (["bench", "mlpc"], "did you mean 'mlcp'"),
        (["dance"], "dance"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(taut_command: Any, arguments: list[str], message: str) -> None:
    assert_one_line(taut_command(*arguments), 2, message)


def test_seed_of_a_scene_without_chance_is_noted(taut_command: Any) -> None:
    outcome = taut_command("run", *SMALL, "--seed", "3", "--json")
    assert outcome.code == 0
    assert "no random part" in outcome.err
    assert outcome.json["steps"] == 6


def test_traceback_only_with_debug(taut_command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(Simulation, "run", broken)
    assert_one_line(taut_command("run", *SMALL), 1, "internal error, RuntimeError: boom")
    shown = taut_command("run", *SMALL, "--debug")
    assert shown.code == 1
    assert "Traceback" in shown.err and "in broken" in shown.err


def test_warmup_says_how_long_it_took(taut_command: Any) -> None:
    assert re.search(r"\d+ kernel modules ready in \d+\.\d s, kept in", taut_command("warmup").out.replace("\n", ""))


def test_ctrl_c_keeps_what_was_recorded(tmp_path: Path) -> None:
    file = tmp_path / "long.h5"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "taut", "run", *SMALL[:3], "--duration", "100000", "--record", str(file)]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        # compiling may come first
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline and not (file.exists() and file.stat().st_size > 100_000):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert out == ""
    assert re.search(r"taut: interrupted at t = .*what was recorded is in .*long\.h5\n", err), err
    recording = Recording.load(file)
    assert recording.ending == "interrupted"
    assert len(recording) > 1


def test_an_interrupt_waits_for_the_end_of_the_step_and_a_second_does_not() -> None:
    with pytest.raises(KeyboardInterrupt), console.stop_between_steps() as check:
        check()
        signal.raise_signal(signal.SIGINT)
        check()
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), console.stop_between_steps():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_interrupted_outside_a_run_says_so(taut_command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(**options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(console, "compile_kernels", interrupt)
    assert_one_line(taut_command("run", *SMALL), 130, "interrupted")


def test_version(taut_command: Any) -> None:
    outcome = taut_command("--version")
    assert (outcome.code, outcome.out) == (0, f"taut {taut.__version__}\n")


SCRIPT = """
'''A ball falls.'''
import taut

DURATION = 0.2


def build(height=2.0, label="ball"):
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body(label, taut.shapes.Sphere(0.1), mass=1, position=(0, 0, height))
    return scene


def check(recording):
    assert recording.positions[-1, 0, 2] > 1.0, "it fell too far"
"""


@pytest.fixture
def falling(tmp_path: Path) -> str:
    """A script of the user's own."""
    file = tmp_path / "falling.py"
    file.write_text(SCRIPT)
    return str(file)


def test_a_script_runs_like_a_scene(taut_command: Any, falling: str, tmp_path: Path) -> None:
    file = tmp_path / "falling.h5"
    outcome = taut_command("run", falling, "--set", "height=3", "--record", str(file), "--json")
    assert outcome.code == 0, outcome.err
    summary = outcome.json
    assert (summary["scene"], summary["steps"], summary["check"]) == ("falling", 12, "passed")
    assert summary["parameters"] == {"height": 3.0, "label": "ball"}
    assert summary["final"]["ball"][2] == pytest.approx(3.0 - 0.5 * 9.81 * 0.04, abs=0.02)
    assert Recording.load(file).info.scene == "falling"
    assert "own check: failed: falling.py, line 16" in taut_command("run", falling, "--set", "height=1").out


def test_a_script_is_compared_and_drawn(taut_command: Any, falling: str, tmp_path: Path) -> None:
    outcome = taut_command("compare", falling, "--solvers", "bpp,pgs", "--set", "label=x", "--json")
    assert [run["final"].keys() for run in outcome.json["runs"]] == [{"x"}, {"x"}]
    film = tmp_path / "film.gif"
    drawn = taut_command("render", falling, str(film), "--size", "96x60", "--fps", "10", "--set", "height=1")
    assert drawn.code == 0 and film.stat().st_size > 500, drawn.err


def test_mistakes_with_a_script_are_one_line(taut_command: Any, falling: str, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("def build():\n    return 1 / 0\n")
    assert_one_line(taut_command("run", falling, "--set", "size=3"), 2, "no parameter 'size'; there are: height, label")
    assert_one_line(taut_command("run", str(wrong)), 2, "wrong.py, line 2, `return 1 / 0`: ZeroDivisionError")
    assert_one_line(taut_command("view", str(tmp_path / "none.py")), 2, "none.py is not there")
    shown = taut_command("run", str(wrong), "--debug")
    assert "Traceback" in shown.err


def test_python_m_taut() -> None:
    done = run_python("-m", "taut", "--help")
    assert done.returncode == 0
    for command in ("run", "scenes", "solvers", "compare", "plot", "bench", "warmup"):
        assert command in done.stdout


def test_warnings_are_one_line_each() -> None:
    options = ["--set", "links=1", "--step", "0.5", "--duration", "1", "--json"]
    done = run_python("-m", "taut", "run", "hanging_chain", *options)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("compiling")]
    assert done.returncode == 0 and json.loads(done.stdout)["steps"] == 2
    assert len(lines) == 1 and lines[0].startswith("taut: warning: simulation: step is 0.5 s"), done.stderr
