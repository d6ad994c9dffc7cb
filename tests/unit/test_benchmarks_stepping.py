"""The benchmark of stiff time stepping on tiny sizes: its tables, and that what is compared is what it says."""

from __future__ import annotations

import json

import numpy as np
import pytest

from taut.benchmarks import _factor_edits, _rod, stepping
from taut.benchmarks._factor_edits import chain, cut_and_mend, insert_and_remove, net, tie_and_untie


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict]]:
    out = tmp_path_factory.mktemp("stepping")
    rows = stepping.run(quick=True, out=out)
    json.dumps(rows, allow_nan=False)
    found: dict[str, list[dict]] = {}
    for row in rows:
        found.setdefault(row["part"], []).append(row)
    assert {f"{name.replace(' ', '-')}.csv" for name in found} | {"rod.png"} <= {each.name for each in out.iterdir()}
    return found


def test_tables_are_there_in_order(parts: dict[str, list[dict]]) -> None:
    assert set(parts) <= set(stepping.TABLES)
    assert list(parts) == [name for name in stepping.TABLES if name in parts]
    assert {"rod", "factor edits", "factor error", "topology cost"} <= set(parts)


def test_the_direct_solve_holds_the_rod_and_gauss_seidel_does_not(parts: dict[str, list[dict]]) -> None:
    by_name = {row["solver"]: row for row in parts["rod"]}
    assert list(by_name) == list(_rod.runs())
    assert by_name["direct"]["violation_max"] <= 1e-8
    assert by_name["direct"]["residual_max"] <= 1e-9
    for name in by_name:
        if name.startswith("GS"):
            assert by_name[name]["violation_max"] > 1e3 * by_name["direct"]["violation_max"], name
    assert by_name["GS 200, cold"]["violation_max"] < by_name["GS 100, cold"]["violation_max"]


def test_residuals_stay_small_whatever_was_edited(parts: dict[str, list[dict]]) -> None:
    assert max(row["residual"] for row in parts["factor error"]) <= 1e-12


@pytest.mark.parametrize(
    ("matrix", "edits"), [(chain(20), cut_and_mend), (chain(20), insert_and_remove), (net(4), tie_and_untie)]
)
def test_edits_come_back_to_what_was_there(matrix: _factor_edits.Matrix, edits: _factor_edits.Edits) -> None:
    matrix.factor.order()
    nodes, couplings = len(matrix.factor.nodes), len(matrix.factor.edge_of)
    for _ in range(5):
        for edit in edits(matrix):
            edit()
            assert matrix.factor.update() == -1
            assert matrix.factor.probe() <= 1e-12
        assert (len(matrix.factor.nodes), len(matrix.factor.edge_of)) == (nodes, couplings)
        assert sorted([*matrix.bodies, *matrix.joints]) == matrix.factor.nodes.tolist()


def test_cold_gauss_seidel_starts_from_zero_every_time() -> None:
    from taut.problem.mlcp import MlcpProblem
    from taut.problem.solution import WarmStart

    root = np.random.default_rng(0).normal(size=(6, 6))
    problem = MlcpProblem.from_matrix(root @ root.T + np.eye(6), np.ones(6))
    start = WarmStart(np.zeros(6, np.int64), np.full(6, 100.0))
    solver = _rod.ColdGaussSeidel(iterations=3, tolerance=0.0)
    assert (solver.solve(problem, start).lam == solver.solve(problem).lam).all()
