"""The benchmark of springs across trees on tiny sizes: its tables, and that all methods solve what a frame solved."""

from __future__ import annotations

import json

import numpy as np
import pytest

from taut.benchmarks import _chain_race, redmax
from taut.benchmarks._redmax_cases import CASES, car_case, warmed_up
from taut.benchmarks._redmax_growth import crossover, growth_row
from taut.benchmarks._redmax_rivals import Rivals, reduced_matrix
from taut.benchmarks._redmax_solves import METHODS, Linearisation, threads
from taut.linalg.articulated import dense_matrix
from taut.responses import crossing

BY_NAME = {case.name: case for case in CASES}


def linearised(name: str, dofs: int = 128) -> Linearisation:
    return Linearisation(warmed_up(BY_NAME[name], dofs, ("auto",), 0.2)["auto"])


def test_all_tables_and_the_figure_are_there(tmp_path, monkeypatch):
    monkeypatch.setattr(_chain_race, "FRAMES", 20)
    monkeypatch.setattr(_chain_race, "has_pinocchio", lambda: False)
    rows = redmax.run(quick=True, out=tmp_path)
    json.dumps(rows, allow_nan=False)
    assert all(isinstance(value, str | int | float) for row in rows for value in row.values())
    parts: dict[str, list[dict]] = {}
    for row in rows:
        parts.setdefault(row["part"], []).append(row)
    names = ["growth", "solve", "frame", "kernel", "weight", "threads", "rivals", "chain", "race"]
    assert list(parts) == names
    assert {row["case"] for row in parts["solve"]} == set(BY_NAME)
    assert all(row["unsolved"] == 0 for row in parts["frame"])
    assert [row["iterations"] for row in parts["solve"][:2]] == [1, 1], "rigid towers"
    assert all(1 < row["iterations"] < 20 for row in parts["solve"][2:])
    assert {path.name for path in tmp_path.iterdir()} == {*(f"{name}.csv" for name in names), "redmax.png"}


@pytest.mark.parametrize("name", BY_NAME)
def test_every_method_finds_the_impulses_of_the_frame(name):
    found = linearised(name)
    wanted = found.memory.answer.lam
    assert np.abs(wanted).max() > 0.0
    for method in METHODS:
        found.lam.fill(np.nan)
        found.solve(method)
        assert found.lam == pytest.approx(wanted, abs=1e-9 * np.abs(wanted).max()), method
    assert found.chosen() == ("recursion" if not BY_NAME[name].crosses else "direct")


def test_simulations_start_from_one_state():
    sims = warmed_up(car_case(10.0), 66, METHODS, 0.2)
    assert len({sim.time for sim in sims.values()}) == 1
    for sim in sims.values():
        assert np.array_equal(sim.state.position, sims["auto"].state.position)
    assert min(sim.step().contacts for sim in sims.values()) > 0, "the car is on the deck"
    assert sims["pcg"].state.position == pytest.approx(sims["direct"].state.position, abs=1e-9)


def test_others_solve_the_same():
    found = linearised("umbrella", 64)
    rivals = Rivals(found)
    assert reduced_matrix(found.rows.table.blocks) == pytest.approx(dense_matrix(found.rows.table.blocks), abs=1e-12)
    rivals.ours()
    wanted = rivals.found
    for other in (rivals.lapack, lambda: rivals.superlu("NATURAL"), lambda: rivals.superlu("MMD_AT_PLUS_A")):
        rivals.found = np.zeros(0)
        other()
        assert rivals.found == pytest.approx(wanted, abs=1e-7 * np.abs(wanted).max())
    assert [row["solver"] for row in rivals.rows(1)][0] == "ours"


def test_threads_are_as_many_as_before_again():
    before = crossing.THREADS
    with pytest.raises(ValueError, match="in between"), threads(before + 1):
        assert crossing.THREADS == before + 1
        raise ValueError("in between")
    assert crossing.THREADS == before


def timed(pcg: list[float], direct: list[float]) -> list[dict]:
    sizes = (100, 200, 400, 800)
    return [{"dofs": n, "pcg_ms": a, "direct_ms": b} for n, a, b in zip(sizes, pcg, direct, strict=True)]


def test_iterations_win_from_where_they_win_to_the_end():
    linear, square = [1.0, 2.0, 4.0, 8.0], [0.25, 1.0, 4.0, 16.0]
    assert crossover(timed(linear, square)) == pytest.approx(400.0)
    assert crossover(timed(linear, [2.0, 1.0, 8.0, 16.0])) == pytest.approx(200.0 * np.sqrt(2.0))
    assert crossover(timed(linear, [9.0] * 4)) == "below 100"
    assert crossover(timed(square, linear)) == "above 800"
    row = growth_row(BY_NAME["umbrella"], "solve", timed(linear, square))
    assert row["pcg"] == pytest.approx(1.0) and row["direct"] == pytest.approx(2.0)
    assert row["thesis_crossover"] == 350 and row["target"] == 1.4 and "auto" not in row
