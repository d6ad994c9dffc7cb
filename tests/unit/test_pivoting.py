"""The pivoting benchmark on few frames: same frames and starts for all methods, tables and figures that say so."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg

import taut
import taut.benchmarks
from taut import solvers
from taut.benchmarks import (
    _boxes,
    _cache,
    _clock,
    _cost_model,
    _downdate_error,
    _factor_break_even,
    _factor_speed,
    _fill,
    _pivot_growth,
    _pivot_times,
    _sequences,
    _tables,
    pivoting,
)
from taut.errors import InputError
from taut.problem.dump import ProblemFolder, SolvedProblem
from taut.problem.families import chain_like, pile_like
from taut.problem.generators import chain, random_box
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import WarmStart


@pytest.fixture(scope="module")
def sequence():
    """Few rows, some of them tight, from which pivots find to the end; under a name that tables of the thesis have."""
    return replace(_sequences.of_scene("quadruped", _sequences.Recorded(1.0, every=10)), name="chain_wrap")


def test_a_quick_run_gives_tables_and_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(pivoting, "QUICK", replace(pivoting.QUICK, frames=2))
    rows = pivoting.run(quick=True, out=tmp_path)
    json.dumps(rows, allow_nan=False)
    parts = {name: [row for row in rows if row["part"] == name] for name in dict.fromkeys(row["part"] for row in rows)}
    assert list(parts) == [
        "sequences", "times", "downdate error", "cache", "break-even", "factor break-even", "factor crossing", "fill",
        "growth", "factor speed", "cost model",
    ]  # fmt: skip
    assert [row["sequence"] for row in parts["sequences"]] == ["chain_wrap"]
    assert all(row["unsolved"] == 0 for row in parts["times"])
    assert {row["method"] for row in parts["times"]} == {solver.name for solver in _pivot_times.methods()}
    for row in parts["times"]:
        same = [
            other for other in parts["times"] if (other["sequence"], other["start"]) == (row["sequence"], row["start"])
        ]
        assert {other["frames"] for other in same} == {row["frames"]}
        base = next(other for other in same if other["method"] == "bpp-dense")
        assert row["over_dense"] == pytest.approx(base["cpu_ms"] / row["cpu_ms"])
        assert (row["over_dense"] == 1.0) or row is not base
    assert sum("exponent" in row for row in parts["growth"]) == 2 * 2 * len(_pivot_times.methods())
    for name in ("shares", "times", "break-even", "cache", "factor-break-even", "fill", "growth"):
        assert (tmp_path / f"{name}.png").stat().st_size > 5_000
        text = (tmp_path / f"{name}.csv").read_text()
        assert text.startswith("# cpu: ") and "# numba: " in text
    lines = [line for line in (tmp_path / "times.csv").read_text().splitlines() if not line.startswith("#")]
    assert len(list(csv.DictReader(lines))) == len(parts["times"])


def test_methods_appear_once_they_exist(monkeypatch, sequence):
    monkeypatch.setattr(_pivot_times, "METHODS", ("bpp-dense", "not-yet", "ipm", "bpp-refactor"))
    assert [row["method"] for row in _pivot_times.time_rows(sequence, 1, 1)] == 2 * ["bpp-dense", "ipm", "bpp-refactor"]
    monkeypatch.setattr(_pivot_times, "THESIS", {"ipm": "skyline"})
    published = replace(sequence, published=_sequences.PUBLISHED["forklift"])
    said = {row["method"]: row.get("thesis") for row in _pivot_times.time_rows(published, 1, 1)}
    assert said == {"bpp-dense": None, "ipm": 1.5, "bpp-refactor": None}


def test_solves_are_timed_in_turn_from_the_starts_given(monkeypatch, sequence):
    calls = []

    def solve_once(solver, problem, start):
        calls.append((solver.name, start))
        return {
            "wall": float(len(calls)),
            "cpu": 1.0,
            "pivots": 1.0,
            "factorizations": 1.0,
            "unsolved": 0.0,
            "interior": 0.0,
        }

    monkeypatch.setattr(_pivot_times, "solve_once", solve_once)
    frame = sequence.frames[-1]
    chosen = [solvers.get("bpp-dense"), solvers.get("bpp")]
    found = _pivot_times.time_frame(chosen, frame.problem, frame.start, 3)
    dense, own = 2 * ["bpp-dense"], 2 * ["bpp"]
    assert [name for name, _ in calls] == [*dense, *own, *own, *dense, *dense, *own], "another one begins each round"
    assert all(start is frame.start for _, start in calls)
    assert [each["wall"] for each in found] == [8.0, 6.0]  # of two solves in a row the second counts
    assert _pivot_times.start_of(frame, "cold") is None


def test_frames_in_which_an_interior_point_helped_are_told_apart(monkeypatch, sequence):
    """Pivots take 4 s dense and 2 s else; an interior point adds 96 s to the baseline and 2 s to the others."""
    monkeypatch.setattr(_pivot_times, "METHODS", ("bpp-dense", "bpp-refactor"))
    helped = []

    def time_frame(chosen, problem, start, rounds):
        helped.append(len(helped) % 2 == 0)
        wait = (96.0, 2.0) if helped[-1] else (0.0, 0.0)
        names = ("wall", "pivots", "factorizations", "unsolved")
        return [
            dict.fromkeys(names, 1.0) | {"cpu": own + more, "interior": float(helped[-1])}
            for own, more in zip((4.0, 2.0), wait, strict=True)
        ]

    monkeypatch.setattr(_pivot_times, "time_frame", time_frame)
    monkeypatch.setattr(_pivot_times, "STARTS", ("cold",))
    dense, own = _pivot_times.time_rows(sequence, 2, 1)
    assert helped == [True, False] and dense["unaided"] == own["unaided"] == 1
    assert own["over_dense"] == pytest.approx(104.0 / 6.0) and own["unaided_over_dense"] == pytest.approx(2.0)
    assert dense["over_dense"] == dense["unaided_over_dense"] == 1.0
    helped.clear()
    dense, _ = _pivot_times.time_rows(sequence, 1, 1)
    assert dense["unaided"] == 0 and "unaided_over_dense" not in dense


def test_medians_are_taken_in_turn():
    order = []

    def measure(name, values):
        def once():
            order.append(name)
            return {"x": next(values)}

        return once

    first = measure("a", iter([9.0, 1.0, 9.0, 5.0, 9.0, 2.0]))
    second = measure("b", iter([0.0, 3.0, 0.0, 4.0, 0.0, 8.0]))
    assert _clock.medians_in_turn([first, second], 3) == [{"x": 2.0}, {"x": 4.0}]
    assert "".join(order) == "aabb" + "bbaa" + "aabb"


def test_frames_without_tight_rows_are_left_out(sequence):
    loose = [replace(frame, index_set=0 * frame.index_set) for frame in sequence.frames[:2]]
    mixed = replace(sequence, frames=loose + sequence.frames[2:])
    chosen = mixed.with_tight_rows(3)
    assert len(chosen) == 3 and all(frame.share > 0.0 for frame in chosen)
    assert chosen[0] is sequence.frames[2] and chosen[-1] is sequence.frames[-1]
    none = _sequences.Sequence("at rest", loose)
    assert none.with_tight_rows(3) == [] and _pivot_times.time_rows(none, 3, 1) == []


def test_scenes_start_from_the_frame_before(sequence):
    assert len(sequence.frames) == 6  # every tenth of 60
    for frame in sequence.frames:
        assert frame.start.lam.any() and frame.start.lam.shape == (frame.problem.size,)


def test_scenes_of_the_thesis_say_what_it_found():
    said = _sequences.of_scene("winch", _sequences.Recorded(0.1, every=3)).row()
    assert (said["thesis_rows"], said["thesis_ratio"], said["thesis_cond"]) == (370, 400.0, 1e8)
    assert said["ratio"] == 400.0 and said["rows_max"] == pytest.approx(370, rel=0.15)
    assert {*_sequences.PUBLISHED} - {*taut.scenes.names()} == {*_sequences.PUBLISHED} - {*_sequences.RECORDED}


def test_problems_of_a_folder_are_a_sequence(tmp_path, sequence):
    folder = ProblemFolder(tmp_path / "some")
    for number, frame in enumerate(sequence.frames):
        folder(number, SolvedProblem(frame.problem, frame.start, frame.index_set))
    found = _sequences.of_folder(tmp_path / "some")
    assert found.name == "some" and len(found.frames) == 6
    assert [frame.share for frame in found.frames] == [frame.share for frame in sequence.frames]
    with pytest.raises(InputError, match="holds no problems; `taut run SCENE --dump-problems"):
        _sequences.of_folder(tmp_path)


def test_entries_of_factors_are_counted():
    tridiagonal = np.abs(np.subtract.outer(range(6), range(6))) <= 1
    assert _fill.envelope_size(tridiagonal) == _fill.factor_size(tridiagonal) == 11
    arrow = np.eye(6, dtype=bool)
    arrow[0] = arrow[:, 0] = True
    assert _fill.envelope_size(arrow) == _fill.factor_size(arrow) == 21
    arrow = arrow[::-1, ::-1]
    assert _fill.envelope_size(arrow) == _fill.factor_size(arrow) == 11


def test_errors_of_downdating_are_those_of_factors_that_rows_were_taken_out_of(sequence):
    rows = _downdate_error.error_rows(sequence, 3)
    assert [(row["storage"], row["policy"]) for row in rows] == [
        (storage, policy) for storage in ("dense", "skyline") for policy in ("first", "incremental")
    ]
    for row in rows:
        assert row["frames"] == 3 and 0 < row["compared"] < row["factors"] and row["doubtful"] == 0
        assert 0.0 < row["min"] <= row["median"] <= row["max"] == row["max_used"] < 1e-10
        assert row["of_estimate"] < 1.0
    assert _downdate_error.error_rows(_sequences.Sequence("at rest", []), 3) == []


def test_factors_that_are_refused_are_compared_as_well(sequence):
    frame = sequence.with_tight_rows(1)[0]
    compared = _downdate_error.Comparison(frame.problem, "skyline")
    assert all(used for _, _, used in compared.errors["first"])
    factor = compared.factors["first"]
    factor.state[_downdate_error.IN_USE] = 0
    assert _downdate_error.changed_triangle(factor).shape[0] == np.count_nonzero(factor.real[1, : frame.problem.size])
    assert factor.state[_downdate_error.IN_USE] == 0
    assert _downdate_error.spread(np.array([1.0, 3.0]), np.zeros(2), np.array([1.0, 0.0]))["max_used"] == 1.0


def test_a_cache_without_room_lets_entries_go(sequence):
    rows = _cache.cache_frame_rows([sequence], (64, 1), 3, 1)
    large, small = _cache.cache_rows(rows)
    assert (large["cap_MiB"], small["cap_MiB"]) == (64, 1) and large["frames"] == small["frames"] == 3
    assert large["evicted"] == 0 and large["saved"] == 3 * large["entries"]
    assert small["evicted"] > 0 and small["MiB_max"] <= 1.0 and small["entries"] < large["entries"]
    assert large["hits"] <= large["restored"] <= large["asked"] and large["thesis_entries"] == 272.5
    assert not any(isinstance(key, _cache.BlockPivotingCached) and key.cache_mebibytes == 64
                   for frame in sequence.frames for key in frame.problem.pattern.structures)  # fmt: skip


def test_boxes_that_fall_have_tight_rows(monkeypatch):
    monkeypatch.setitem(_sequences.OWN_SCENES, "falling_boxes", lambda: _boxes.falling_boxes(3))
    frames = _sequences.of_scene("falling_boxes", _sequences.Recorded(0.5)).frames
    assert frames[0].problem.size == 0 and any(frame.share > 0.0 for frame in frames)


def test_ordering_makes_the_envelope_smaller(sequence):
    row = _fill.fill_row(sequence)
    assert row["entries"] <= row["factor_ordered"] <= row["skyline_ordered"] < row["skyline_given"]
    dense = np.abs(np.linalg.cholesky(sequence.largest.sparse.toarray())) > 0.0
    assert row["factor_given"] >= np.count_nonzero(dense)  # rounding to zero aside


@pytest.mark.parametrize("problem", [random_box(30).problem, chain(20).problem, pile_like(100)])
def test_flops_of_the_skyline_are_those_of_its_columns(problem):
    case = _factor_speed.SkylineCase(problem)
    pattern = _fill.ordered_island(problem)
    last = np.maximum.accumulate([np.flatnonzero(row)[-1] for row in pattern])
    assert case.flops == pytest.approx(np.sum((last - np.arange(problem.size) + 1.0) ** 2))
    assert case.measure()["seconds"] >= 0.0
    row = _factor_speed.speed_rows({"case": problem}, 1)[0]
    assert row["dpotrf_rows"] ** 3 / 3 == pytest.approx(case.flops, rel=0.1)


def test_a_factor_of_all_islands_has_room_for_them():
    blocks = [np.eye(150) + 0.005 for _ in range(5)]
    matrix = scipy.linalg.block_diag(*blocks)
    case = _factor_speed.SkylineCase(MlcpProblem.from_matrix(matrix, np.zeros(750)))
    assert case.factor.layout[1, case.panels] <= case.factor.storage.size
    case.measure()
    np.testing.assert_allclose(1.0 / case.factor.real[1, :750], np.tile(scaled_pivots(blocks[0]), 5))


def scaled_pivots(matrix):
    """Diagonal of the Cholesky factor of a matrix scaled to unit diagonal."""
    root = np.sqrt(np.diag(matrix))
    return np.diag(np.linalg.cholesky(matrix / np.outer(root, root)))


@pytest.mark.parametrize("width", [3, 40])
def test_both_ways_to_factor_a_band_give_the_same(width):
    case = _factor_break_even.BandCase(40, width)
    matrix = np.maximum(0.0, 1.0 - np.abs(np.subtract.outer(range(40), range(40))) / (width + 1.0)) + 0.01 * np.eye(40)
    np.testing.assert_allclose(case.factor.triangle()[1], np.linalg.cholesky(matrix), atol=1e-10)
    assert case.behind[0] == np.count_nonzero(np.tril(np.abs(matrix) > 0.0)) and case.behind[-1] == 1.0
    labels = np.zeros(40, np.int64)
    labels[[4, 17]] = 1
    assert set(case.leave(np.array([4, 17]))) == {"copy", "seconds"} and set(case.anew(labels)) == {"gather", "seconds"}
    free = np.flatnonzero(labels == 0)
    np.testing.assert_allclose(case.factor.triangle()[1], np.linalg.cholesky(matrix[np.ix_(free, free)]), atol=1e-10)
    np.testing.assert_allclose(1.0 / case.plain.real[1, :38], np.diag(case.factor.triangle()[1]), atol=1e-10)
    line = case.line(0.05, 1)
    assert line["tight"] == 2 and line["flops_ratio"] > 0.0


def test_costs_of_every_way_to_factor_are_predicted(monkeypatch, sequence):
    monkeypatch.setattr(_cost_model, "SHORTEST", 0.0)
    rows = _cost_model.cost_rows([sequence], 1, 1)
    assert [row["function"] for row in rows] == [
        "cost_of_copy", "cost_of_exchange, back", "cost_of_exchange, leaving", "cost_of_refactor",
        "front_solve_time", "front_time, all", "front_time, changed", "plan_time", "skyline_time",
        "skyline_time, border",
    ]  # fmt: skip
    assert all(0.0 < row["p5"] <= row["p50"] <= row["p95"] and row["most_in"] == "chain_wrap" for row in rows)
    monkeypatch.setattr(_cost_model, "SHORTEST", np.inf)
    assert _cost_model.cost_rows([sequence], 1, 1) == _cost_model.cost_rows([_sequences.Sequence("no", [])], 1, 1) == []


def test_crossings_are_where_a_ratio_is_one():
    assert _factor_break_even.crossing([0.01, 0.1], [0.1, 10.0]) == pytest.approx(10**-1.5)
    assert _factor_break_even.crossing([0.01, 0.1], [2.0, 10.0]) is None
    rows = _factor_break_even.factor_break_even_rows((40,), (5,), (0.02, 0.9), 1)
    assert [(row["envelope"], row["tight"]) for row in rows] == [
        ("dense", 1),
        ("dense", 36),
        ("band 5", 1),
        ("band 5", 36),
    ]
    dense, band = _factor_break_even.crossing_rows(rows)
    assert 0.02 < band["cross_flops"] < dense["cross_flops"] < 0.9


def test_break_even_and_growth_have_a_line_a_method_and_size():
    methods = len(_pivot_times.methods())
    rows = _pivot_growth.break_even_rows((10, 20), (0.1,), 1)
    assert len(rows) == 2 * methods and {row["tight_share"] for row in rows} == {0.1}
    growth = _pivot_growth.growth_rows((60,), 1)
    assert len(growth) == 2 * 2 * methods and not any("exponent" in row for row in growth)


def test_dense_methods_are_left_out_where_they_take_too_long(monkeypatch):
    monkeypatch.setattr(_pivot_growth, "LARGEST_DENSE", 10)
    names = {row["method"] for row in _pivot_growth.growth_rows((60,), 1)}
    assert "bpp" in names and "bpp-dense" not in names


def test_a_solve_reports_what_it_cost():
    problem = chain_like(60)
    cold = WarmStart(np.zeros(problem.size, int), np.zeros(problem.size))
    found = _pivot_times.solve_once(solvers.get("bpp"), problem, cold)
    assert found["pivots"] >= 1.0 and found["unsolved"] == 0.0 and found["wall"] >= 0.0
    assert found["interior"] == float(found["factorizations"] > found["pivots"])


def test_options_are_those_of_the_benchmark(tmp_path):
    benchmark = taut.benchmarks.get("pivoting")
    given = {"quick": True, "out": tmp_path, "problems": None}
    assert taut.benchmarks.check_options("pivoting", benchmark, given) == {"quick": True, "out": tmp_path}
    with pytest.raises(InputError, match="bench: mlcp has no option --quick; its options are: none"):
        taut.benchmarks.check_options("mlcp", taut.benchmarks.get("mlcp"), given)


def test_a_table_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written: "):
        _tables.write_table(tmp_path / "file" / "table.csv", [{"a": 1}])
