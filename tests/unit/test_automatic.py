"""The automatic solver is the one it chooses, to the bit, and says which and why."""

from __future__ import annotations

import numpy as np
import pytest
from choice_examples import stars_and_a_pendulum
from sample_mechanisms import same_state

import taut
from taut import solvers
from taut.benchmarks._trees import hinged
from taut.solvers.automatic import Automatic


@pytest.mark.parametrize(
    ("scene", "name"),
    [(hinged("star", 40, 0), "linear-time"), (hinged("star", 40, 40), "bpp"), (taut.scenes.build("card_house"), "bpp")],
)
def test_it_is_the_solver_it_chooses(scene, name):
    auto, plain = taut.Simulation(scene), taut.Simulation(scene, solver=name)
    chosen = auto.settings.solver.chosen(auto.stepper.mechanism.entries)
    assert chosen is not None and chosen.name == name
    for _ in range(10):
        auto.step(), plain.step()
    assert same_state(auto.state, plain.state) == []


def test_islands_with_solvers_of_their_own_move_as_with_one():
    scene = stars_and_a_pendulum()
    auto, plain = taut.Simulation(scene), taut.Simulation(scene, solver="bpp")
    assert auto.settings.solver.chosen(auto.stepper.mechanism.entries) is None
    for _ in range(30):
        report = auto.step()
        plain.step()
        assert report.residual <= 1e-9 and not report.unconverged
    assert np.abs(auto.state.position - plain.state.position).max() < 1e-9


def test_what_was_solved_before_changes_nothing():
    """A run that starts from a state of another one goes on with the same bits."""
    scene = stars_and_a_pendulum()
    first = taut.Simulation(scene)
    first.run(0.2)
    second = taut.Simulation(scene)
    second.restore(first.state.copy())
    first.run(0.1)
    second.run(0.1)
    assert same_state(first.state, second.state) == []


def test_trees_in_joint_coordinates_leave_a_matrix_that_is_pivoted_on():
    simulation = taut.Simulation(hinged("star", 40, 4), coordinates="reduced")
    assert simulation.settings.solver.chosen(None).name == "bpp"
    assert not simulation.run(0.1).reports["unconverged"].any()


def test_plain_matrices_are_pivoted_on():
    solution = taut.solve_mlcp(np.array([[2.0, 1.0], [1.0, 2.0]]), [-1.0, 1.0], lower=0.0)
    assert solution.lam == pytest.approx([0.5, 0.0])


def test_options_are_those_of_pivoting():
    solver = solvers.get("auto", warm_pivots=3, reuse=True)
    assert isinstance(solver, Automatic)
    assert (solver.pivoting.warm_pivots, solver.pivoting.reuse, solver.along_trees.warm_pivots) == (3, True, 3)
