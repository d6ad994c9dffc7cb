"""The KKT problem: its matrix, velocities, islands and residual against dense linear algebra, and what is shared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from staged_steps import latest_problem

import taut
from taut import solvers
from taut.problem import KktProblem, MlcpProblem, natural_residual
from taut.problem.residuals import judge
from taut.shapes import Box
from taut.tables import held


def problem_of(limits: tuple[float, float] = (-0.01, 0.01)) -> KktProblem:
    """Four hinged links with limits, and a fifth body that hangs by itself."""
    scene = taut.Scene(collisions=False)
    for index in range(5):
        x, y = (0.2 * index, 0.0) if index < 4 else (0.0, 3.0)
        scene.add_body(f"b{index}", Box(0.2, 0.05, 0.05), mass=1.0 + index, position=(x + 0.1, y, 0.0))
        parent = "world" if index in (0, 4) else f"b{index - 1}"
        scene.connect(parent, f"b{index}", taut.joints.Revolute(axis=(0, 1, 0.3), limits=limits), at=(x, y, 0.0))
    sim = taut.Simulation(scene)
    for _ in range(3):
        sim.step()
    return latest_problem(sim)


def dense_blocks(problem: KktProblem) -> tuple[np.ndarray, np.ndarray]:
    """J (rows, 6 bodies) and M^-1 (6 bodies, 6 bodies)."""
    blocks, bodies = problem.blocks, problem.blocks.inverse_mass.size
    jacobian, inverse = np.zeros((problem.size, bodies, 6)), np.zeros((6 * bodies, 6 * bodies))
    np.add.at(jacobian, (blocks.entry_row, blocks.entry_body), blocks.jacobian)
    for body in range(bodies):
        first = 6 * body
        inverse[first : first + 3, first : first + 3] = blocks.inverse_mass[body] * np.eye(3)
        inverse[first + 3 : first + 6, first + 3 : first + 6] = blocks.inverse_inertia[body].reshape(3, 3)
    return jacobian.reshape(problem.size, -1), inverse


def test_matrix_and_velocities_are_those_of_the_blocks(rng: np.random.Generator) -> None:
    problem = problem_of()
    jacobian, inverse = dense_blocks(problem)
    dense = jacobian @ inverse @ jacobian.T + np.diag(problem.blocks.compliance)
    assert problem.matrix().sparse.toarray() == pytest.approx(dense, rel=1e-12, abs=1e-12)
    assert problem.diagonal == pytest.approx(np.diag(dense))
    lam = rng.normal(size=problem.size)
    assert problem.velocity_change(lam).ravel() == pytest.approx(inverse @ jacobian.T @ lam)


def test_turning_is_the_inverse_of_the_inverse() -> None:
    blocks = problem_of().blocks
    for turning, inverse in zip(blocks.turning[1:], blocks.inverse_inertia[1:], strict=True):
        assert turning.reshape(3, 3) @ inverse.reshape(3, 3) == pytest.approx(np.eye(3), abs=1e-12)


@pytest.mark.parametrize("push", [0.0, 0.3])
def test_the_judge_needs_no_matrix(push: float, rng: np.random.Generator) -> None:
    """The same verdict with and without it, also where bounds exclude 0 and multipliers lie outside."""
    problem = problem_of()
    lower = np.where(np.isfinite(problem.lower), problem.lower + push, problem.lower)
    problem = problem.with_bounds(lower, problem.upper)
    lam = rng.normal(size=problem.size)
    ours = judge(problem, lam)
    assert problem.kept == {}, "the matrix is worked out only when it is asked for"
    for mine, other in zip(ours, judge(problem.matrix(), lam), strict=True):
        assert mine == pytest.approx(other, rel=1e-9)
    assert natural_residual(problem, np.full(problem.size, np.nan)) == np.inf


def test_islands_are_those_of_the_matrix() -> None:
    problem = problem_of()
    count, island = problem.islands
    assert count == problem.matrix().islands[0] == 2
    assert island.tolist() == problem.matrix().islands[1].tolist()


def test_problems_made_from_each_other_share_the_matrix() -> None:
    problem = problem_of()
    other = problem.with_bias(2.0 * problem.bias, problem.lower - 1.0, problem.upper + 1.0)
    narrow = other.with_bounds(problem.lower, problem.upper)
    assert other.matrix().values is problem.matrix().values is narrow.matrix().values
    assert problem.matrix() is problem.matrix()
    assert other.matrix().bias is other.bias is narrow.bias and narrow.lower is problem.lower
    assert problem_of().matrix().values is not problem.matrix().values


def test_a_copy_of_its_matrix_keeps_its_numbers_when_the_simulation_goes_on() -> None:
    """The problem of a step is what its stages wrote; what is kept of it for later is a copy."""
    sim = taut.Simulation(taut.scenes.build("four_bar"))
    sim.step()
    problem = KktProblem(sim.stepper.own.entries, sim.stepper.own.kkt)
    whole = problem.matrix().copy()
    kept = [array.copy() for array in (whole.values, whole.bias, whole.lower, whole.upper)]
    for _ in range(3):
        sim.step()
    assert not np.array_equal(problem.bias, kept[1]), "the next step wrote where this one did"
    for array, copy in zip((whole.values, whole.bias, whole.lower, whole.upper), kept, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_a_matrix_is_its_own_view_and_has_the_same_interface() -> None:
    whole = problem_of().matrix()
    assert whole.matrix() is whole
    moved = whole.with_bias(whole.bias + 1.0, whole.lower, whole.upper)
    assert moved.values is whole.values and moved.with_bounds(whole.lower, whole.lower).upper is whole.lower
    copy = whole.copy()
    copy.values[:] = 0.0
    assert whole.values.any() and copy.pattern is whole.pattern


def test_a_handle_that_is_there_is_used_and_not_passed_on() -> None:
    problem = problem_of()
    handle = held(problem.blocks)
    given = replace(problem, given_handle=handle)
    assert given.handle is handle
    assert given.with_bounds(problem.lower, problem.upper).handle is not handle


def test_saved_and_loaded_it_is_a_matrix(tmp_path) -> None:
    problem = replace(problem_of(), name="links")
    problem.save(tmp_path / "links.npz")
    loaded = MlcpProblem.load(tmp_path / "links.npz")
    assert loaded.name == "links"
    assert loaded.sparse.toarray() == pytest.approx(problem.matrix().sparse.toarray())


@pytest.mark.parametrize("name", [each.name for each in solvers.all() if each.exact])
def test_every_exact_solver_takes_it(name: str) -> None:
    problem, reference = problem_of(), solvers.get("bpp").solve(problem_of().matrix())
    solution = solvers.get(name).solve(problem)
    assert solution.solved and natural_residual(problem, solution.lam) <= 1e-9
    assert solution.w == pytest.approx(reference.w, abs=1e-9)
    warm = solvers.get(name).solve(problem, solution)
    assert warm.solved and warm.w == pytest.approx(solution.w, abs=1e-9)
