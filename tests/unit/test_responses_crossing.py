"""Springs across trees: one answer whatever way they are solved, and the same bits whoever shares the work."""

from __future__ import annotations

import numpy as np
import pytest
from reduced_problems import ReducedProblem, dense_solution, problem_of
from tree_examples import mixed

import taut
from taut import scenes
from taut.responses import crossing
from taut.stepping.reduced import METHODS


def problem_with(linear: str, scene: taut.Scene | None = None, frames: int = 2) -> ReducedProblem:
    """The problem of a scene with springs across its tree."""
    scene = mixed(np.random.default_rng(4)) if scene is None else scene
    simulation = taut.Simulation(scene, coordinates="reduced", solver="bpp", linear=linear)
    for _ in range(frames):
        simulation.step()
    return problem_of(simulation)


@pytest.mark.parametrize("linear", METHODS)
def test_every_method_solves_the_dense_problem(linear: str) -> None:
    found = problem_with(linear)
    assert found.springs.method == linear and found.rows.table.crossing.size
    solution = found.solve()
    assert solution.solved and solution.residual <= 1e-9
    u, lam, _ = dense_solution(found.problem, solution.index_set)
    assert found.change(solution.lam) == pytest.approx(u, abs=1e-9 * np.abs(u).max())
    assert solution.lam == pytest.approx(lam, abs=1e-8 * np.abs(lam).max())


@pytest.mark.parametrize("name", ["umbrella", "spring_tree"])
def test_scenes_move_the_same_by_every_method(name: str) -> None:
    ends = []
    for linear in METHODS:
        simulation = taut.Simulation(scenes.build(name), coordinates="reduced", linear=linear)
        for _ in range(10):
            assert simulation.step().status == "solved"
        ends.append(simulation.state.position)
    assert np.abs(ends[1] - ends[0]).max() <= 1e-7 and np.abs(ends[2] - ends[0]).max() <= 1e-7


@pytest.mark.parametrize("linear", METHODS)
def test_bits_do_not_depend_on_threads(linear: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for threads, worth in ((1, 1e300), (2, 0.0), (3, 0.0)):
        monkeypatch.setattr(crossing, "THREADS", threads)
        monkeypatch.setattr(crossing, "WORTH_SHARING", worth)
        problem = problem_with(linear)
        assert problem.rows.table.kept.size > 3
        solution = problem.solve()
        found.append((solution.lam, problem.change(solution.lam), problem.rows.table.values.copy()))
    for one, other in ((0, 1), (0, 2)):
        assert all(np.array_equal(a, b) for a, b in zip(found[one], found[other], strict=True))


def test_iterations_are_expected_to_be_as_many_as_last_time() -> None:
    found = problem_with("pcg")
    solver = found.solver()
    assert solver.iterations == 0, "nothing is known at first"
    solver.solve(found.problem)
    assert 1 <= solver.iterations <= 60
    direct = problem_with("direct")
    solver = direct.solver(iterations=7)
    solver.solve(direct.problem)
    assert solver.iterations == 7, "a factor says nothing about iterations"


def test_states_remember_iterations() -> None:
    simulation = taut.Simulation(scenes.build("umbrella"), coordinates="reduced", linear="pcg")
    assert simulation.state.iterations == 0
    simulation.step()
    assert simulation.state.iterations > 0
    other = taut.Simulation(scenes.build("umbrella"), coordinates="reduced", linear="direct")
    other.step()
    assert other.state.iterations == 0


def test_iterations_that_do_not_end_are_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """With "pcg" it is a status; with "auto" a factor steps in."""
    from taut.linalg.articulated_choice import ArticulatedSolver

    monkeypatch.setattr(ArticulatedSolver, "choose", lambda *_: ("pcg", 1))
    pcg = problem_with("pcg", frames=0)
    solution = pcg.solver().solve_reduced(pcg.problem, None)
    assert not solution.solved and "iterations" in solution.message
    found = problem_with("auto", frames=0)
    assert found.solve().solved and found.springs.course[crossing.METHOD] == crossing.DIRECT


def test_wrong_methods_are_refused_in_one_line() -> None:
    with pytest.raises(taut.InputError, match="linear.*'cg'.*pcg.*direct.*auto") as caught:
        taut.Simulation(mixed(np.random.default_rng(4)), coordinates="reduced", linear="cg")
    assert "\n" not in str(caught.value)
