"""Benchmarks on tiny sizes: their rows have the fields they promise, and what they time is right."""

from __future__ import annotations

import json

import numpy as np
import pytest

import taut.benchmarks
import taut.scenes
import taut.solvers
from taut.benchmarks import (
    _articulated,
    _clock,
    _jointed_bodies,
    _mujoco_scene,
    _pile_runs,
    _rivals,
    _trees,
    box_qp,
    linear_time,
    piles,
)
from taut.errors import InputError
from taut.problem import generators
from taut.problem.generators import random_friction
from taut.results.report import STAGES
from taut.scenes._chain import reach
from taut.shapes import Capsule, Sphere
from taut.simulation.simulation import Simulation
from taut.solvers.solve import solve_mlcp
from taut.spatial import from_two_vectors


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes that take a moment."""
    sizes = {
        "BODIES": (3, 6), "LIMITED": (2, 4), "LIMITED_BODIES": 6, "JOINTS": 5, "ROUNDS": 1, "FRAMES": 2,
        "CHAIN_FRAMES": 2, "CHAIN_LINKS": 3, "CHAINS": ((5.0, np.zeros(3), (2,)),),
    }  # fmt: skip
    for name, value in sizes.items():
        monkeypatch.setattr(linear_time, name, value)
    monkeypatch.setattr(_clock, "IN_A_ROW", 1)


def by_part(rows):
    found = {}
    for row in rows:
        found.setdefault(row["part"], []).append(row)
    return found


def test_helper_files_are_no_benchmarks():
    assert "linear-time" in taut.benchmarks.names()
    assert not [name for name in taut.benchmarks.names() if "clock" in name or "trees" in name]


def test_linear_time_rows_have_their_fields(tiny):
    rows = linear_time.run()
    json.dumps(rows, allow_nan=False)
    assert all(isinstance(value, str | int | float) for row in rows for value in row.values())
    parts = by_part(rows)
    assert list(parts) == ["size", "auxiliary", "method", "paper", "step"]
    timed = {"bodies", "auxiliary", "matrix_ms", "solve_ms", "total_ms"}
    for part, cases, exponents in (("size", 2 * 3 * 2, 2 * 3), ("auxiliary", 2 * 2, 2 * 2), ("method", 3, 0)):
        assert sum(timed <= set(row) for row in parts[part]) == cases
        assert sum("exponent" in row for row in parts[part]) == exponents
    assert all("us_per_body" in row for row in parts["size"] if "exponent" not in row)
    assert [row["case"] for row in parts["method"]] == ["linear-time", "bpp", "bpp-dense"]
    assert parts["method"][0]["ratio"] == 1.0
    stages = [row["case"].split(", ")[1] for row in parts["step"]]
    assert stages[:7] == [*STAGES, "frame"] and stages[7].startswith("Pinocchio")


def test_the_papers_systems_have_its_multipliers(tiny):
    sims = [Simulation(scene, solver="linear-time") for _, scene in linear_time.paper_scenes()]
    assert [sim.step().rows for sim in sims] == [108, 108, 108, 99, 381]
    rows = linear_time.paper_rows()
    assert rows[2]["auxiliary"] == 12 and rows[3]["auxiliary"] == 3
    assert rows[-1]["paper_ratio"] == pytest.approx(44.6 / 7.75)


def test_a_chain_without_pinocchio_says_so(tiny, monkeypatch):
    monkeypatch.setattr(linear_time, "has_pinocchio", lambda: False)
    *stages, frame, peer = linear_time.step_rows()
    assert "not installed" in peer["case"]
    assert "error_m" not in frame  # there is no reference for other chains
    assert all(row["total_ms"] >= 0.0 for row in stages)


def test_the_articulated_chain_falls_as_the_scene_does():
    """Same chain: both fall by g t^2 / 2 across the chain at first, and keep the load at its distance."""
    pytest.importorskip("pinocchio")
    sim = Simulation(taut.scenes.build("hanging_chain", links=3, load=5.0), solver="linear-time")
    chain = _articulated.ArticulatedChain(3, 5.0, 200)
    np.testing.assert_allclose(chain.load_position(), sim.body("load").position, atol=1e-12)
    for _ in range(12):
        sim.step()
        chain.frame()
    np.testing.assert_allclose(chain.load_position(), sim.body("load").position, atol=2e-3)
    assert np.linalg.norm(chain.load_position()) <= reach(3) + 1e-9


@pytest.mark.parametrize("family", _jointed_bodies.FAMILIES)
@pytest.mark.parametrize("rows", [3, 5])
def test_jointed_bodies_are_solved(family, rows):
    bodies = _jointed_bodies.jointed_bodies(family, 20, rows)
    bodies.measure()
    assert bodies.residual() < 1e-10
    bodies.x[:] *= 1.0 + 1e-6
    assert bodies.residual() > 1e-8


@pytest.mark.parametrize("family", ["chain", "tree"])
def test_limits_are_the_auxiliary_rows(family):
    sim = Simulation(_trees.hinged(family, 12, 4), solver="linear-time")
    assert linear_time.tree_of(sim).layout.auxiliary.size == 4
    assert sim.step().status == "solved"


def test_three_feet_stand_on_the_ground():
    sim = Simulation(_trees.spatial_tree(32, on_ground=True), solver="linear-time")
    assert sim.step().contacts == 3


def test_least_and_median_seconds():
    numbers = iter([9.0, 3.0, 1.0, 2.0])
    assert _clock.least_seconds([lambda: {"a": next(numbers)}], 0) == [{}]
    samples = iter([5.0, 1.0, 3.0])
    assert _clock.stages_in_turn([lambda: {"a": next(samples)}], 3) == [{"a": 3.0}]
    assert _clock.exponent([1, 2, 4], [1.0, 4.0, 16.0]) == pytest.approx(2.0)


def test_box_qps_go_to_all_who_are_installed_with_the_same_accuracy(tmp_path):
    rows = box_qp.run(quick=True, out=tmp_path)
    json.dumps(rows, allow_nan=False)
    assert {row["family"] for row in rows} == {"friction, dense", "friction, sparse"}
    assert {row["solver"] for row in rows} == {"ipm", *_rivals.available()}
    assert all(row["residual_max"] <= box_qp.ACCURACY and row["missed"] == 0 for row in rows)
    assert (tmp_path / "box-qp.csv").read_text().count("ipm") == 2


def test_box_qps_of_a_folder(tmp_path):
    with pytest.raises(InputError, match="holds no problems"):
        list(box_qp.cases(box_qp.QUICK, tmp_path))
    random_friction(30, 1).save(tmp_path / "one.npz")
    *_, case = box_qp.cases(box_qp.QUICK, tmp_path)
    assert case.family == tmp_path.name and [problem.size for problem in case.problems] == [30]


def test_a_rival_gets_the_loosest_tolerance_that_will_do():
    problem = random_friction(30, 1)
    exact = solve_mlcp(problem.sparse, problem.bias, problem.lower, problem.upper).lam

    def rival(problem, matrix, tolerance):
        return exact + (tolerance > 1e-10), 1

    assert box_qp.loosest(problem, problem.sparse, rival) == 1e-10
    assert box_qp.loosest(problem, problem.sparse, lambda *_: (exact + 1.0, 1)) == _rivals.TOLERANCES[0]


@pytest.mark.parametrize("installed", [True, False])
def test_piles_have_their_tables(tmp_path, monkeypatch, installed):
    if installed:
        pytest.importorskip("mujoco")
    monkeypatch.setattr(piles, "has_mujoco", lambda: installed)
    parts = by_part(piles.run(quick=True, out=tmp_path))
    json.dumps(parts, allow_nan=False)
    assert list(parts) == ["times", "work", "worst frame", "mixed masses"]
    phases = ["log_tower, standing", "log_tower, collapse", "rock_pile 4, falling", "rock_pile 4, pushed"]
    assert [row["case"] for row in parts["work"]] == phases
    towers = [row["engine"] for row in parts["times"] if row["case"] == "log_tower, collapse"]
    assert towers == ["Taut", *(f"MuJoCo, {tuning.name}" for tuning in piles.RIVALS if installed)]
    assert any("not installed" in row["engine"] for row in parts["times"]) == (not installed)
    assert all(row["failed"] == 0 for row in parts["times"] if row["engine"] == "Taut")
    assert all(row["residual_max"] <= 1e-9 and row["solves_max"] >= 1 for row in parts["work"])
    assert [row["unsolved"] for row in parts["mixed masses"]] == [0]
    assert {path.name for path in tmp_path.iterdir()} == {
        "times.csv", "work.csv", "worst-frame.csv", "mixed-masses.csv", "frames.csv", "piles.png"
    }  # fmt: skip


def test_a_frame_counts_as_in_its_quickest_round():
    rounds = [[_pile_runs.FrameFigures(ms, 0.0, False) for ms in own] for own in ((3.0, 1.0, 5.0), (2.0, 4.0, 5.0))]
    frames = _pile_runs.least(rounds)
    assert [frame.cpu_ms for frame in frames] == [2.0, 1.0, 5.0]
    row = _pile_runs.Phase("both", 1, 3, (4.0, None, None)).time_row("Taut", frames)
    assert (row["frames"], row["median_ms"], row["worst_ms"]) == (2, 3.0, 5.0)
    assert (row["median_target"], row["p95_target"]) == ("<= 4", "")


def test_counted_factorisations_are_those_of_every_solve():
    run = _pile_runs.OwnRun(taut.scenes.build("log_tower", layers=2, arrival=0.0))
    plain = Simulation(taut.scenes.build("log_tower", layers=2, arrival=0.0))
    frames = [run.advance() for _ in range(6)]
    for frame in frames:
        assert len(frame.factorizations) >= frame.report.solves and min(frame.factorizations) >= 1
        assert frame.report.energy == plain.step().energy  # counting changes no bit


def test_a_scene_in_mujoco_moves_as_ours_does():
    """A ball that rolls and a log that falls: same places after 0.1 s, before anything soft shows."""
    pytest.importorskip("mujoco")
    scene = taut.Scene(friction=0.5)
    scene.add_plane()
    scene.add_body(
        "ball", Sphere(0.4), mass=5.0, position=(0, 0, 0.4), velocity=(3, 0, 0), angular_velocity=(0, 7.5, 0)
    )
    turn = from_two_vectors((0, 0, 1), (1, 0, 0))
    log = {"mass": 2.0, "position": (0, 3, 2), "orientation": turn, "angular_velocity": (0, 0, 2)}
    scene.add_body("log", Capsule(0.1, 1.0), **log)
    sim = Simulation(scene)
    peer = _mujoco_scene.MujocoScene(scene, piles.tuned(16))
    for _ in range(6):
        sim.step()
        peer.frame()
    for name in ("ball", "log"):
        np.testing.assert_allclose(peer.data.body(name).xpos, sim.body(name).position, atol=1e-2)
        turned = abs(peer.data.body(name).xquat @ sim.body(name).orientation)
        assert turned == pytest.approx(1.0, abs=1e-4)
    assert peer.penetration() <= 1e-3 and peer.time == pytest.approx(0.1)


def test_solvers_by_scene_say_what_was_chosen(tmp_path):
    rows = taut.benchmarks.get("solvers").run(quick=True, out=tmp_path)
    assert [(row["scene"], row["chosen"]) for row in rows] == [("star", "linear-time"), ("sliding_block", "bpp")]
    assert all(row["auto_over_best"] >= 1.0 and row["bpp_ms"] > 0.0 for row in rows)
    assert "\nscene,rows,auto_ms,bpp_ms" in (tmp_path / "solvers.csv").read_text()


def test_every_benchmark_has_a_summary_and_flat_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    mlcp = taut.benchmarks.get("mlcp")
    chain = taut.benchmarks.get("hanging-chain")
    monkeypatch.setattr(mlcp, "problems", lambda: [("chain", generators.chain(5).problem)])
    monkeypatch.setattr(mlcp, "BUDGET", 0.0)
    monkeypatch.setattr(chain, "LINKS", (3,))
    monkeypatch.setattr(chain, "DURATION", 0.1)
    for benchmark in (mlcp, chain):
        rows = benchmark.run()
        assert benchmark.__doc__
        assert rows
        assert all(isinstance(value, str | int | float) for row in rows for value in row.values())
    assert {row["solver"] for row in mlcp.run()} >= set(taut.solvers.names())
