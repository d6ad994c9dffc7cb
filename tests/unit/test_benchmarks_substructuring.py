"""The substructuring benchmark on few frames: same problems and starts for all, tables and figures that say so."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

import taut.benchmarks
from taut import solvers
from taut.benchmarks import (
    _pardiso,
    _schur_cases,
    _schur_scaling,
    _schur_sizes,
    _schur_times,
    _sequences,
    substructuring,
)
from taut.benchmarks._heavy_net import heavy_net
from taut.benchmarks._schur_cases import Contender
from taut.benchmarks._schur_times import Taken
from taut.errors import InputError
from taut.problem.solution import MlcpSolution, Status
from taut.simulation.simulation import Simulation


@pytest.fixture(scope="module")
def sequence():
    """A short chain on its obstacle."""
    return _schur_cases.recorded_frames("chain_wrap", _sequences.Recorded(1.0, {"links": 12}, every=10), 3)


@pytest.fixture
def few(monkeypatch):
    """Solvers that take a moment."""
    monkeypatch.setattr(_schur_cases, "REGISTERED", ("bpp-dense", "bpp", "pgs", *_schur_cases.COUPLED))
    monkeypatch.setattr(_schur_cases, "pardiso", lambda: None)


def answer(problem, **changes):
    """A solution of zeros."""
    zeros = np.zeros(problem.size)
    found = MlcpSolution(zeros, zeros, np.zeros(problem.size, np.int64), Status.SOLVED, 0.0, 1, 1)
    for name, value in changes.items():
        setattr(found, name, value)
    return found


def test_a_quick_run_gives_tables_and_figures(tmp_path, monkeypatch, few):
    quick = replace(substructuring.QUICK, frames=2, grown=(1, 2), weak=("log_tower",))
    monkeypatch.setattr(substructuring, "QUICK", quick)
    recorded = _schur_scaling.WEAK["log_tower"][2]._replace(seconds=0.1, every=3)
    monkeypatch.setattr(_schur_scaling, "WEAK", {"log_tower": ("layers", 1, recorded)})
    rows = substructuring.run(quick=True, out=tmp_path)
    json.dumps(rows, allow_nan=False)
    parts = {name: [row for row in rows if row["part"] == name] for name in dict.fromkeys(row["part"] for row in rows)}
    assert tuple(parts) == substructuring.TABLES
    missing = parts["times"].pop()
    assert missing["solver"] == "bpp-pardiso: not installed (extra 'pardiso')"
    for scene in substructuring.QUICK.recorded:
        own = [row for row in parts["times"] if row["scene"] == scene]
        assert [row["solver"] for row in own] == [each.name for each in _schur_cases.contenders(scene)]
        sparse = next(row for row in own if row["solver"] == "bpp-simplicial")
        for row in own:
            assert row["frames"] == 2
            assert row["over_sparse"] == pytest.approx(sparse["cpu_ms"] / row["cpu_ms"])
            assert row["wall_over_sparse"] == pytest.approx(sparse["wall_ms"] / row["wall_ms"])
    for row in parts["answers"]:
        if solvers.classes().get(_schur_times.kind_of(row["solver"])) and row["solver"] != "pgs":
            assert row["unsolved"] == 0 and row["residual_max"] < 1e-9 and row["velocity_error_max"] < 1e-8
    assert all("coupling" in row for row in parts["answers"] if row["solver"].startswith("schur"))
    assert {row["threads"] for row in parts["strong"]} == set(_schur_scaling.THREADS)
    assert [row["layers"] for row in parts["weak"]] == [1, 2]
    names = [name.replace(" ", "-") for name in (*substructuring.TABLES, "frames")]
    for name in names:
        text = (tmp_path / f"{name}.csv").read_text()
        assert text.startswith("# cpu: ") and "# numba: " in text
    for name in ("times", "residuals", "sizes", "starts", "strong", "weak"):
        assert (tmp_path / f"{name}.png").stat().st_size > 5_000
    lines = [line for line in (tmp_path / "frames.csv").read_text().splitlines() if not line.startswith("#")]
    assert len(list(csv.DictReader(lines))) == 2 * len(parts["times"])


def test_only_the_scenes_and_frames_that_were_asked_for(tmp_path, few):
    rows = substructuring.run(quick=True, out=tmp_path, scenes="chain_wrap", frames=1)
    assert {row["scene"] for row in rows} == {"chain_wrap", "all"}
    assert all(row["frames"] == 1 for row in rows if row["part"] == "times" and row["scene"] != "all")
    with pytest.raises(InputError, match="scene"):
        substructuring.run(quick=True, out=tmp_path, scenes="chain_wrap,moon")
    with pytest.raises(InputError, match="at least 1"):
        substructuring.run(quick=True, out=tmp_path, frames=0)
    module = taut.benchmarks.get("substructuring")
    given = {"scenes": "chain_wrap", "frames": 0, "problems": None, "quick": False}
    assert taut.benchmarks.check_options("substructuring", module, given) == {"scenes": "chain_wrap", "frames": 0}
    with pytest.raises(InputError, match="piles has no option --frames"):
        taut.benchmarks.check_options("piles", taut.benchmarks.get("piles"), {"frames": 3})


def test_everybody_is_there_and_the_papers_parts_are_among_them(monkeypatch):
    monkeypatch.setattr(_schur_cases, "cores", lambda: 4)
    names = [each.name for each in _schur_cases.contenders("net_truck")]
    wanted = {"bpp-simplicial", "bpp-dense", "bpp", "linear-time", "ipm", "pgs", "fbic", "schur-bpp", "schur-pgs-sm"}
    assert wanted <= set(names) and ("bpp-pardiso" in names) == (_pardiso.pardiso() is not None)
    assert {"schur-bpp, 4 threads", "schur-pgs-sm, paper's parts"} <= set(names)
    by_name = {each.name: each.solver for each in _schur_cases.contenders("net_truck")}
    parted = by_name["schur-bpp, paper's parts"]
    assert (parted.partition, parted.part_size, parted.threads) == ("groups", 65, 1)
    assert by_name["schur-bpp"].threads == 1 and by_name["schur-bpp, 4 threads"].threads == 4
    assert not any("paper" in each.name for each in _schur_cases.contenders("plank_bridge"))
    cold = [each.name for each in _schur_cases.cold_contenders("net_truck")]
    assert cold == ["bpp-simplicial", "bpp-dense", "bpp", "schur-bpp", "schur-pgs-sm"]


def test_the_papers_speed_ups_are_those_of_its_table():
    said = {name: each.ms["bpp-simplicial"] / each.ms["schur-bpp"] for name, each in _schur_cases.PAPER.items()}
    published = {
        "log_tower": 3.4, "cable_spinner": 16.2, "chain_wrap": 4.7, "chain_drop": 5.2, "rock_pile": 3.1,
        "net_truck": 21.1, "tandem_cranes": 13.9,
    }  # fmt: skip
    assert said == pytest.approx(published, rel=0.02)
    assert set(_schur_cases.PAPER) < set(_schur_cases.RECORDED)


def test_dense_matrices_have_a_size_that_is_too_large():
    dense, own = Contender("bpp-dense", solvers.get("bpp-dense")), Contender("bpp", solvers.get("bpp"))
    assert dense.takes(_schur_cases.DENSE_ROWS) and not dense.takes(_schur_cases.DENSE_ROWS + 1)
    assert own.takes(10**6)


def test_frames_are_chosen_evenly():
    assert _schur_cases.evenly(list(range(9)), 3) == [1, 4, 7]
    assert _schur_cases.evenly([5, 6], 3) == [5, 6]
    assert _schur_cases.evenly(list(range(100)), 1) == [50]


def test_a_problem_that_is_known_keeps_its_matrix_and_nothing_else(sequence):
    problem = sequence.frames[-1].by_bodies
    problem.kept["what a solver kept"] = 1
    known = _schur_times.known(problem)
    assert known.entries is problem.entries and "what a solver kept" not in known.kept
    assert known.matrix().values is problem.matrix().values
    unseen = _schur_times.unseen(problem)
    assert not unseen.kept and not unseen.entries.structures
    assert unseen.matrix().pattern is not problem.matrix().pattern
    np.testing.assert_array_equal(unseen.matrix().values, problem.matrix().values)
    del problem.kept["what a solver kept"]


def test_solves_are_timed_in_turn_and_long_ones_once(monkeypatch, sequence):
    calls = []
    frame = sequence.frames[-1]

    def take(contender, problem, start):
        calls.append(contender.name)
        assert start is frame.start
        seconds = {"short": 0.01, "long": 1.0}[contender.name]
        return Taken(seconds + 0.001 * len(calls), seconds, answer(problem))

    monkeypatch.setattr(_schur_times, "take", take)
    asked = [Contender("short", solvers.get("bpp")), Contender("long", solvers.get("bpp-dense"))]
    short, long = _schur_times.time_frame(asked, frame, 7, 3, frame.start)
    assert calls == 3 * ["short"] + ["long"] + 6 * ["short"], "a short solve is made again, and with a new structure"
    assert (short.cpu, long.cpu, long.new) == (0.01, 1.0, 1.0)
    assert short.wall == pytest.approx(0.016) and short.least == pytest.approx(0.012)
    assert (short.frame, short.rows) == (7, frame.problem.size)
    calls.clear()
    _schur_times.time_frame(asked[1:], frame, 7, 3, frame.start, long=np.inf)
    assert calls == 9 * ["long"], "where threads are compared, all rounds count"


def test_a_solver_that_takes_long_is_not_asked_for_ever(monkeypatch, sequence):
    monkeypatch.setattr(_schur_times, "PATIENCE", 1.0)
    asked = []

    def time_frame(contenders, frame, number, rounds, start):
        asked.append([each.name for each in contenders])
        assert start is None
        return [
            _schur_times.Timed(each.name, number, 9, 0.6, 0.6, 0.6, 0.6, answer(frame.by_bodies))
            if each.name == "pgs"
            else _schur_times.Timed(each.name, number, 9, 0.1, 0.1, 0.1, 0.1, answer(frame.by_bodies))
            for each in contenders
        ]

    monkeypatch.setattr(_schur_times, "time_frame", time_frame)
    contenders = [Contender("bpp", solvers.get("bpp")), Contender("pgs", solvers.get("pgs"))]
    timed = _schur_times.time_frames(contenders, sequence.frames, 1, cold=True)
    assert asked == [["bpp", "pgs"], ["bpp"], ["bpp"]]
    assert len(timed) == 4


def test_ratios_are_over_the_frames_that_both_have():
    def timed(name, frame, cpu):
        zeros = np.zeros(1)
        found = MlcpSolution(zeros, zeros, zeros, Status.SOLVED, 0.0, 1, 1, coupling_iterations=12)
        return _schur_times.Timed(name, frame, 1, 2 * cpu, cpu, cpu, cpu, found)

    timed_all = [timed("bpp-simplicial", 0, 4.0), timed("bpp-simplicial", 1, 100.0), timed("bpp", 0, 2.0)]
    timed_all += [timed("schur-bpp", 0, 1.0), timed("schur-bpp", 1, 3.0)]
    rows = {row["solver"]: row for row in _schur_times.time_rows("chain_wrap", timed_all)}
    assert rows["bpp"]["over_sparse"] == 2.0 and rows["schur-bpp"]["over_sparse"] == 26.0
    assert rows["schur-bpp"]["over_bpp"] == 2.0 and "over_dense" not in rows["bpp"]
    assert rows["schur-bpp"]["paper_over_sparse"] == pytest.approx(54.6 / 11.6)
    answers = {row["solver"]: row for row in _schur_times.answer_rows("chain_wrap", timed_all)}
    assert answers["schur-bpp"]["over_10_percent"] == 100.0 and answers["schur-bpp"]["paper_coupling"] == 4.4
    assert "coupling" not in answers["bpp"]


def test_the_error_of_velocities_is_relative_in_the_norm_of_energy(sequence):
    problem = sequence.frames[-1].by_bodies
    exact = solvers.get("bpp").solve(problem)
    assert _schur_times.velocity_error(problem, exact, exact) == 0.0
    double = answer(problem, lam=2.0 * exact.lam)
    assert _schur_times.velocity_error(problem, double, exact) == pytest.approx(1.0)
    assert _schur_times.velocity_error(problem, answer(problem), exact) == pytest.approx(1.0)
    # u^T M u = lam^T J M^-1 J^T lam
    matrix = problem.matrix().sparse.toarray() - np.diag(problem.blocks.compliance)
    norm = _schur_times.energy_norm(problem, problem.velocity_change(exact.lam))
    assert norm == pytest.approx(np.sqrt(exact.lam @ matrix @ exact.lam), rel=1e-6)
    nothing = answer(problem, lam=np.full(problem.size, np.nan))
    assert _schur_times.velocity_error(problem, nothing, exact) == np.inf
    assert _schur_times.finite(np.inf) == "infinite"


def test_lines_of_sizes_have_the_papers_figures_beside_them(sequence):
    frames = replace(sequence, name="rock_pile")
    rows = _schur_sizes.size_rows(frames, (8, 1000), 1)
    assert [row["bodies"] for row in rows] == len(_schur_cases.COUPLED) * [8, 1000, "chosen"]
    assert rows[0]["paper_ms"] == 169.1 and rows[0]["paper_parts"] == 21.2 and "paper_ms" not in rows[1]
    assert rows[1]["parts"] == 1.0 and rows[1]["interface_rows"] == 0.0 and rows[0]["parts"] > 1.0
    parted = _schur_sizes.partition_rows(frames)
    assert [row["paper_ms"] for row in parted if "paper_ms" in row] == [0.1]
    assert all(row["new_ms"] > row["known_ms"] for row in parted)


def test_shares_of_threads_are_those_of_the_longest_first():
    costs = np.array([1.0, 4.0, 2.0, 3.0])
    assert [_schur_scaling.balance(costs, threads) for threads in (1, 2, 4, 9)] == [1.0, 0.5, 0.4, 0.4]
    assert _schur_scaling.balance(np.zeros(0), 4) == 1.0


def test_work_and_span_are_fitted_to_what_was_measured():
    shares = {1: 1.0, 2: 0.6, 16: 0.1}
    serial, work = _schur_scaling.fit({1: 5.0, 2: 3.4}, shares)
    assert (serial, work) == pytest.approx((1.0, 4.0))
    assert _schur_scaling.fit({1: 5.0, 2: 6.0}, shares)[1] == 0.0, "threads that cost time share nothing"


def test_what_was_not_measured_is_said_to_be_extrapolated(monkeypatch, sequence):
    monkeypatch.setattr(_schur_scaling, "cores", lambda: 2)
    monkeypatch.setattr(_schur_scaling, "measure", lambda sequence, threads, rounds: {1: 5e-3, 2: 3e-3})
    monkeypatch.setattr(_schur_scaling, "part_costs", lambda frame: np.ones(4))
    rows = _schur_scaling.strong_rows(sequence, 1)
    assert [row["basis"] for row in rows] == 2 * ["fitted"] + 3 * ["extrapolated"]
    assert [row["model_ms"] for row in rows] == pytest.approx([5.0, 3.0, 2.0, 2.0, 2.0])
    assert [row["model_speed_up"] for row in rows] == pytest.approx([1.0, 5 / 3, 2.5, 2.5, 2.5])
    assert all("measured_ms" not in row for row in rows[2:])


def test_times_that_cannot_be_are_no_basis():
    assert _schur_scaling.basis_of(2, {1: 4.0, 2: 2.0}) == "fitted"
    assert _schur_scaling.basis_of(8, {1: 4.0, 2: 2.0}) == "extrapolated"
    assert _schur_scaling.basis_of(8, {1: 4.0, 2: 1.5}) == "spoiled by others"


def test_parts_are_timed_one_by_one(sequence):
    frame = sequence.frames[-1]
    parts = _schur_scaling.row_parts(frame.by_bodies)
    costs = _schur_scaling.part_costs(frame)
    assert costs.size == np.unique(parts[parts >= 0]).size and (costs > 0.0).all()


def test_the_net_carries_the_ball():
    sim = Simulation(heavy_net(knots=6, load=50.0, sections=2))
    assert len(sim.scene.bodies) == 1 + 6 * 6 + 2 * 5 * 6 + 1, "the world, knots, segments and the ball"
    recording = sim.run(0.5)
    assert recording.column("unconverged").sum() == 0
    assert recording.body("ball").position[-1, 2] > 0.7
