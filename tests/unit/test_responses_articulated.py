"""Trees eliminated from KKT problems, and recovered: against one dense solve of the whole problem."""

from __future__ import annotations

import numpy as np
import pytest
from reduced_problems import ReducedProblem, dense_solution, is_complementary, problem_of
from tree_examples import chain, mixed, random_tree

import taut
from taut import joints, scenes
from taut.model.articulation import AT_BODY, AT_JOINT, CROSSING, ELIMINATED, KEPT
from taut.shapes import Sphere

SEEDS = pytest.mark.parametrize("seed", range(6))


def stepped(scene: taut.Scene, frames: int = 3, **options: object) -> taut.Simulation:
    """A simulation in joint coordinates after some frames, which leave forces in its rows."""
    simulation = taut.Simulation(scene, coordinates="reduced", solver="bpp", **options)
    for _ in range(frames):
        simulation.step()
    return simulation


def assert_dense(found: ReducedProblem, tolerance: float = 1e-9) -> None:
    """The reduced solution is that of the dense problem: velocities, multipliers, slacks."""
    solution = found.solve()
    assert solution.solved and solution.residual <= 1e-12, solution.message
    u, lam, w = dense_solution(found.problem, solution.index_set)
    assert is_complementary(found.problem, solution.index_set, lam, w, tolerance * np.abs(lam).max())
    assert found.change(solution.lam) == pytest.approx(u, abs=tolerance * np.abs(u).max())
    assert solution.lam == pytest.approx(lam, abs=tolerance * np.abs(lam).max())
    assert solution.w == pytest.approx(w, abs=tolerance * (1.0 + np.abs(w).max()))


@SEEDS
@pytest.mark.parametrize("springs", [False, True], ids=["plain", "springs"])
@pytest.mark.parametrize("floats", [False, True], ids=["hangs", "floats"])
def test_solutions_are_those_of_the_whole_problem(seed: int, springs: bool, floats: bool) -> None:
    scene = mixed(np.random.default_rng(seed), springs, floats=floats)
    found = problem_of(stepped(scene), shake=5.0)
    roles = set(found.rows.table.trees.role)
    assert roles >= {KEPT, ELIMINATED, AT_BODY, AT_JOINT} and (CROSSING in roles or not springs)
    assert_dense(found)


def test_bounds_are_met() -> None:
    """The problems above have rows at their bounds and rows that are free."""
    tight = free = 0
    for seed in range(6):
        found = problem_of(stepped(mixed(np.random.default_rng(seed))), shake=5.0)
        labels = found.solve().index_set[found.rows.table.kept]
        tight, free = tight + np.count_nonzero(labels), free + np.count_nonzero(labels == 0)
    assert tight >= 6 and free >= 6


@SEEDS
def test_trees_alone_leave_nothing_to_pivot_on(seed: int) -> None:
    found = problem_of(stepped(random_tree(np.random.default_rng(seed), 10, seed % 2 == 1)))
    assert not found.rows.table.kept.size
    assert_dense(found)


@pytest.mark.parametrize("load", [1.0, 1e3, 1e6])
def test_heavy_loads_are_carried(load: float) -> None:
    found = problem_of(stepped(chain(10, load), 5))
    solution = found.solve()
    assert solution.solved and solution.residual <= 1e-11
    u, lam, _ = dense_solution(found.problem, solution.index_set)
    assert solution.lam == pytest.approx(lam, abs=1e-6 * np.abs(lam).max())
    assert found.change(solution.lam) == pytest.approx(u, abs=1e-6 * np.abs(u).max())


@pytest.mark.parametrize("solver", ["bpp", "bpp-dense", "bpp-skyline", "ipm", "linear-time"])
def test_any_solver_pivots_on_what_trees_leave(solver: str) -> None:
    found = problem_of(stepped(mixed(np.random.default_rng(2))))
    expected = found.solve()
    u = found.change(expected.lam)
    again = problem_of(stepped(mixed(np.random.default_rng(2))))
    solution = again.solve(solver)
    assert solution.solved and np.array_equal(solution.index_set, expected.index_set)
    assert again.change(solution.lam) == pytest.approx(u, abs=1e-9 * np.abs(u).max())


def test_contacts_are_rows_that_trees_leave() -> None:
    scene = taut.Scene(friction=0.5)
    scene.add_plane()
    previous = "world"
    for index in range(3):
        name = scene.add_body(f"b{index}", Sphere(0.1), mass=1.0, position=(0.4 * index, 0, 0.0999))
        scene.connect(previous, name, joints.Spherical(), at=(0.4 * index - 0.2, 0, 0.1))
        previous = name
    simulation = stepped(scene, 5)
    assert simulation.report.contacts >= 3 and simulation.report.status == "solved"
    memory = simulation.stepper.latest[1]
    assert memory.reduced is not None and memory.reduced is not simulation.stepper.own.reduced
    table, own = memory.reduced.table, simulation.stepper.own.reduced.table
    assert table.kept.size - own.kept.size == memory.entries.row_count - simulation.stepper.mechanism.row_count >= 9
    for name in ("near", "change", "rate", "force"):
        assert getattr(table, name) is getattr(own, name), "in the same memory"


def test_pattern_says_who_meets_whom() -> None:
    """Rows meet that share a tree or a body; those of different trees do not."""
    scene = taut.Scene(collisions=False)
    for index in range(3):
        scene.add_body(f"b{index}", Sphere(0.1), mass=1.0, position=(index, 0, 0))
        scene.connect("world", f"b{index}", joints.Revolute(limits=(-1, 1)), at=(index, 0.1, 0))
    scene.connect("b0", "b1", joints.PointOnPlane())
    table = problem_of(stepped(scene, 1)).rows.table
    assert table.kept.size == 4
    met = {(row, int(other)) for row in range(4) for other in table.indices[table.indptr[row] : table.indptr[row + 1]]}
    pairs = {(0, 3), (3, 0), (1, 3), (3, 1), (0, 0), (1, 1), (2, 2), (3, 3)}
    assert met == pairs


@pytest.mark.parametrize("linear", ["pcg", "direct"])
def test_rows_of_trees_that_springs_connect_meet(linear: str) -> None:
    scene = taut.Scene(collisions=False)
    for index in range(3):
        scene.add_body(f"b{index}", Sphere(0.1), mass=1.0, position=(index, 0, 0))
        scene.connect("world", f"b{index}", joints.Revolute(axis=(0, 1, 0), limits=(-1, 0)), at=(index - 0.2, 0.1, 0))
    scene.add_spring("b0", "b1", point_a=(0, 0, 0.1), stiffness=1e4)
    found = problem_of(stepped(scene, 2, linear=linear))
    table = found.rows.table
    assert list(np.diff(table.indptr)) == [2, 2, 1]
    assert_dense(found)


@pytest.mark.parametrize("scene", ["hanging_chain", "spatial_tree", "star"])
def test_scenes_are_solved_as_the_dense_problem_is(scene: str) -> None:
    found = problem_of(stepped(scenes.build(scene), 2))
    assert_dense(found, 1e-6)
