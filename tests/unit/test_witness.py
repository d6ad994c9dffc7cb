"""The last problem of every frame is handed over, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.problem.dump import SolvedProblem

SCENES = {"hanging_chain": {"links": 4}, "stack_of_boxes": {"count": 2}, "chain_wrap": {"links": 12}}


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("record", [None, False])
def test_every_frame_has_its_problem_and_moves_to_the_same_bits(name, record):
    found: dict[int, SolvedProblem] = {}
    scene = taut.scenes.build(name, **SCENES[name])
    watched = taut.Simulation(scene, problems=found.__setitem__)
    alone = taut.Simulation(scene)
    for sim in (watched, alone):
        sim.run(0.5, record=record)
    assert list(found) == list(range(1, 31))
    assert (watched.state.position == alone.state.position).all()
    assert (watched.state.velocity == alone.state.velocity).all()
    for frame, each in found.items():
        assert each.problem.name == f"{scene.name}-step{frame:06d}"
        solution = taut.solvers.get("bpp").solve(each.problem, each.start)
        assert solution.solved
        np.testing.assert_array_equal(solution.index_set, each.index_set)


def test_problems_have_numbers_of_their_own_and_share_patterns():
    found = []
    scene = taut.scenes.build("hanging_chain", links=4)
    sim = taut.Simulation(scene, problems=lambda frame, solved: found.append(solved))
    sim.run(0.1)
    assert len({id(each.problem.pattern) for each in found}) == 1
    assert not np.array_equal(found[0].problem.values, found[-1].problem.values)
    with sim.edit() as edit:
        edit.remove_joint("ball-4")
    sim.step()
    assert found[-1].problem.size < found[0].problem.size


def test_problems_are_handed_over_by_bodies_too():
    """With numbers of their own: solved after the run, they have the answers of the run."""
    found = []
    scene = taut.scenes.build("chain_wrap", links=12)
    taut.Simulation(scene, problems=lambda frame, solved: found.append(solved)).run(0.3)
    for each in found:
        np.testing.assert_array_equal(each.by_bodies.matrix().values, each.problem.values)
        solution = taut.solvers.get("bpp").solve(each.by_bodies, each.start)
        assert solution.solved
        np.testing.assert_array_equal(solution.index_set, each.index_set)


def test_nobody_sees_problems_of_a_simulation_that_was_not_asked():
    sim = taut.Simulation(taut.scenes.build("hanging_chain", links=4))
    assert sim.stepper.witness is None and sim.stepper.smooth is not None
