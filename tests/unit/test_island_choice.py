"""What is solved along trees follows from the rows alone: which islands, and what is predicted of them."""

from __future__ import annotations

import numpy as np
import pytest
from choice_examples import net, stars_and_a_pendulum

import taut
from taut.benchmarks._trees import hinged
from taut.joints import Revolute
from taut.shapes import Box, Sphere
from taut.solvers.island_choice import choose, products_of, time_along_trees
from taut.solvers.linear_time import LinearTime
from taut.structure.incidence import RowEntries

SOLVER = LinearTime(cut_loops=False)


def entries_of(scene: taut.Scene) -> RowEntries:
    """The rows that are always there."""
    return taut.Simulation(scene).stepper.mechanism.entries


def with_contacts(entries: RowEntries, bodies: list[int]) -> RowEntries:
    """The same with a row more on each of these bodies."""
    count = len(bodies)
    first, rows = int(entries.entry_start[-1]), entries.row_count
    return entries.with_rows(first + 1 + np.arange(count), rows + np.arange(count), np.array(bodies))


@pytest.mark.parametrize("scene", [hinged("star", 60, 0), hinged("tree", 100, 0), hinged("chain", 3, 0)])
def test_rows_without_bounds_go_along_trees_that_are_cheaper(scene):
    choice = choose(entries_of(scene), SOLVER)
    assert choice.along_trees.size > 0 and choice.others.size == 0
    assert (choice.gain > 0.0).all() and "1 of 1 islands along their trees" in choice.reason


def test_meshes_of_many_loops_do_not():
    """Their loops fill the factor of bodies and joints more than that of rows."""
    choice = choose(entries_of(net(12)), SOLVER)
    assert choice.along_trees.size == 0 and "gain too little" in choice.reason


def test_rows_with_bounds_do_not():
    choice = choose(entries_of(hinged("star", 60, 60)), SOLVER)
    assert choice.along_trees.size == 0 and choice.reason == "every island has rows with bounds"


def test_islands_are_chosen_one_by_one():
    scene = stars_and_a_pendulum()
    entries = entries_of(scene)
    choice = choose(entries, SOLVER)
    _, label = entries.islands
    bounded = np.isin(label, label[~entries.unbounded])
    assert np.array_equal(choice.along_trees, np.flatnonzero(~bounded))
    assert np.array_equal(np.sort(np.concatenate([choice.along_trees, choice.others])), np.arange(entries.row_count))


def test_small_gains_do_not_divide_a_problem():
    choice = choose(entries_of(stars_and_a_pendulum(spokes=3)), SOLVER)
    assert choice.along_trees.size == 0


def test_islands_that_contacts_touch_are_pivoted_on():
    entries = entries_of(stars_and_a_pendulum())
    names = list(taut.Simulation(stars_and_a_pendulum()).model.bodies.names)
    alone = choose(entries, SOLVER).along_trees
    touched = choose(with_contacts(entries, [names.index("spoke-0-7")]), SOLVER)
    assert touched.along_trees.size == 0
    beside = choose(with_contacts(entries, [names.index("spoke-1-7"), names.index("bob")]), SOLVER)
    assert np.array_equal(beside.along_trees, alone)
    assert np.array_equal(beside.others[-2:], entries.row_count + np.arange(2))


def test_bodies_without_joints_leave_nothing_to_choose():
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("ball", Sphere(0.5), mass=1.0, position=(0.0, 0.0, 0.6))
    entries = entries_of(scene)
    assert choose(entries, SOLVER).along_trees.size == 0
    assert choose(with_contacts(entries, [1]), SOLVER).along_trees.size == 0


@pytest.mark.parametrize("scene", [hinged("tree", 40, 0), net(4)])
def test_products_by_node_are_those_of_the_whole_plan(scene):
    entries = entries_of(scene)
    plan = SOLVER.tree_of(entries).factor.primary.plan
    assert products_of(plan).sum() == plan.flops


def test_times_of_islands_are_those_of_each_alone():
    both = taut.Scene(collisions=False)
    for number, count in enumerate((5, 30)):
        for k in range(count):
            both.add_body(f"rod-{number}-{k}", Box(0.1, 0.1, 1.0), mass=1.0, position=(10.0 * number, 0.0, -k - 0.5))
            parent = f"rod-{number}-{k - 1}" if k else "world"
            both.connect(parent, f"rod-{number}-{k}", Revolute(axis=(0, 1, 0)), at=(10.0 * number, 0.0, -float(k)))
    entries = entries_of(both)
    _, label = entries.islands
    times = time_along_trees(entries, SOLVER)
    alone = [time_along_trees(entries.part(np.flatnonzero(label == island)), SOLVER)[0] for island in range(2)]
    assert times == pytest.approx(alone, rel=1e-12)
    assert 4.0 < times[1] / times[0] < 8.0  # linear in the joints
