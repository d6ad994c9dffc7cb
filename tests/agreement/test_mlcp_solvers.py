"""Solvers of box MLCPs against each other, against their dense twins and against an independent QP solver."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import clarabel
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from taut import solvers
from taut.problem import MlcpProblem, natural_residual
from taut.problem.generators import chain, random_box, random_contacts, with_solution
from taut.solvers import reference
from taut.solvers.solve import solve_mlcp

EXACT = [each.name for each in solvers.all() if each.exact]
DATA = Path(__file__).parents[1] / "data" / "problems"
RECORDED = sorted(DATA.glob("*.npz")) + sorted((Path(__file__).parents[3] / "shared" / "problems").glob("*.npz"))


MOST_FACTORIZATIONS = {"whole": 60, "parts": 250}
"""Of a random problem: solvers that couple parts factor them in each iteration, and then may have to hand all over."""


def optimum(problem: MlcpProblem) -> np.ndarray:
    """Minimiser of 1/2 x'Ax + b'x within the bounds by an independent convex QP solver."""
    size = problem.size
    eye = scipy.sparse.eye_array(size, format="csr")
    has_upper, has_lower = np.isfinite(problem.upper), np.isfinite(problem.lower)
    constraints = scipy.sparse.vstack([eye[has_upper], -eye[has_lower]]).tocsc()
    limits = np.concatenate([problem.upper[has_upper], -problem.lower[has_lower]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    objective = scipy.sparse.triu(problem.sparse).tocsc()
    cones = [clarabel.NonnegativeConeT(limits.size)] if limits.size else []
    return np.array(clarabel.DefaultSolver(objective, problem.bias, constraints, limits, cones, settings).solve().x)


def objective(problem: MlcpProblem, lam: np.ndarray) -> float:
    return float(0.5 * lam @ (problem.sparse @ lam) + problem.bias @ lam)


def unit_diagonal(problem: MlcpProblem) -> MlcpProblem:
    """The same problem in sqrt(diag) scaling, fit for comparing numbers."""
    root = np.sqrt(problem.sparse.diagonal())
    scale = scipy.sparse.diags_array(1 / root)
    return MlcpProblem.from_matrix(
        scale @ problem.sparse @ scale, problem.bias / root, problem.lower * root, problem.upper * root, problem.name
    )


RANDOM = [
    random_box(10, 1, 1e2, 0.0),
    random_box(40, 2, 1e4, 0.3),
    random_box(150, 3, 1e6, 0.6),
    random_box(60, 4, 1e9, 0.3),
    random_box(100, 5, 1e12, 0.3),
    random_box(80, 6, 1e3, 0.3, redundant=20),
    random_contacts(40, 7, 1e3, 0.5),
    random_contacts(40, 8, 1e6, 0.1),
    chain(100),
]


@pytest.mark.parametrize("known", RANDOM, ids=lambda known: known.problem.name)
@pytest.mark.parametrize("name", EXACT)
def test_exact_solvers_find_the_optimum(known, name):
    problem = unit_diagonal(known.problem)
    solution = solvers.get(name).solve(problem)
    assert solution.solved and solution.residual < 1e-11
    best = optimum(problem)
    size = max(1.0, abs(objective(problem, best)))
    assert objective(problem, solution.lam) == pytest.approx(objective(problem, best), abs=1e-8 * size)
    # the slack is unique even where the multipliers are not
    scale = max(1.0, np.abs(known.lam).max())
    np.testing.assert_allclose(solution.w, problem.sparse @ best + problem.bias, atol=1e-7 * scale)


@pytest.mark.parametrize("known", RANDOM, ids=lambda known: known.problem.name)
@pytest.mark.parametrize("name", EXACT)
def test_exact_solvers_find_the_solution_by_construction(known, name):
    solution = solvers.get(name).solve(known.problem)
    assert solution.solved
    problem, root = known.problem, np.sqrt(known.problem.sparse.diagonal())
    expected = (problem.sparse @ known.lam + problem.bias) / root
    np.testing.assert_allclose(solution.w / root, expected, atol=1e-8 * max(1.0, np.abs(root * solution.lam).max()))


@pytest.mark.slow
@pytest.mark.parametrize("condition", [1e2, 1e7, 1e12])
@pytest.mark.parametrize("size", [500, 1000, 2000])
def test_large_random_boxes(size, condition):
    known = random_box(size, size, condition, 0.4)
    problem = unit_diagonal(known.problem)
    best = optimum(problem)
    for name in ("bpp", "ipm"):
        solution = solvers.get(name).solve(problem)
        assert solution.solved
        assert objective(problem, solution.lam) == pytest.approx(objective(problem, best), rel=1e-8)
        np.testing.assert_allclose(solution.w, problem.sparse @ best + problem.bias, atol=1e-7)


def random_problem(seed: int):
    """One of a family of problems: dense or sparse, any conditioning up to 1e12, 0 to 60 % tight, redundant rows."""
    rng = np.random.default_rng(seed)
    tight = rng.uniform(0, 0.6)
    if seed % 3 == 0:
        return random_box(int(rng.integers(1, 120)), seed, 10 ** rng.uniform(0, 12), tight)
    if seed % 3 == 1:
        size = int(rng.integers(4, 120))
        return random_box(size, seed, 10 ** rng.uniform(0, 8), tight, redundant=int(rng.integers(1, max(2, size // 3))))
    return random_contacts(int(rng.integers(3, 40)), seed, 10 ** rng.uniform(0, 6), tight)


def sweep(seeds) -> list[str]:
    """Problems that some exact solver did not solve, or only with much work."""
    failed = []
    for seed in seeds:
        problem = random_problem(seed).problem
        for name in EXACT:
            solution = solvers.get(name).solve(problem)
            most = MOST_FACTORIZATIONS["parts" if solvers.has_parts(name) else "whole"]
            if not solution.solved or (name != "bpp-dense" and solution.factorizations > most):
                failed.append(f"{name} {problem.name} {solution.status} {solution.residual} {solution.factorizations}")
    return failed


def test_sweep_of_random_problems():
    assert sweep(range(510)) == []


@pytest.mark.slow
def test_long_sweep_of_random_problems():
    assert sweep(range(1000, 5000)) == []


def scattered_box(seed: int, largest: int) -> MlcpProblem:
    """Singular problem with 10 to 70 % redundant rows, condition up to 1e12, multipliers and bounds of 1e-3 to 1e3."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(5, largest))
    rank = max(1, int(size * rng.uniform(0.3, 0.9)))
    rotation = np.linalg.qr(rng.normal(size=(rank, rank)))[0]
    spectrum = 10.0 ** -rng.uniform(0, rng.uniform(0, 12), rank)
    combine = np.vstack([np.eye(rank), rng.normal(size=(size - rank, rank))])[rng.permutation(size)]
    A = combine @ (rotation * spectrum) @ rotation.T @ combine.T
    magnitude = 10.0 ** rng.uniform(-3, 3, size)
    lam = magnitude * rng.normal(size=size)
    label = np.where(rng.random(size) < rng.choice([0.0, 0.3, 0.6]), rng.choice([-1, 1], size), 0)
    below, above = magnitude * np.where(rng.random((2, size)) < 0.5, rng.random((2, size)), np.inf)
    lower, upper = np.where(label < 0, lam, lam - below), np.where(label > 0, lam, lam + above)
    w = -label * rng.random(size) * rng.choice([1.0, 1e-3, 0.0], size)
    A = 0.5 * (A + A.T)
    return MlcpProblem.from_matrix(A, w - A @ lam, lower, upper, f"scattered-{size}-{seed}")


def sweep_scattered(seeds, largest: int, names=EXACT) -> list[str]:
    """Singular problems that some exact solver did not solve, or only with multipliers that drown the violation."""
    failed = []
    for seed in seeds:
        problem = unit_diagonal(scattered_box(seed, largest))
        for name in names:
            solution = solvers.get(name).solve(problem)
            target = np.clip(solution.lam - solution.w, problem.lower, problem.upper)
            violation = np.abs(solution.lam - target).max() / np.abs(problem.bias).max()
            if not solution.solved or violation > 1e-6:
                failed.append(f"{name} {problem.name} {solution.status} {solution.residual} {violation}")
    return failed


def test_sweep_of_singular_problems():
    assert sweep_scattered(range(120), largest=100) == []


@pytest.mark.slow
def test_long_sweep_of_singular_problems():
    assert sweep_scattered(range(1000, 2000), largest=250) == []


def stacked_boxes(count: int, seed: int, softness: float, heaviest: float = 1.0) -> MlcpProblem:
    """Boxes on each other, four contacts of three rows an interface (twelve rows, six of them redundant), h = 1/60.

    Seeds 0, 3, ... at rest; others shaken or thrown about; a quarter of the friction bounds is 0, the others are those
    of the load above. `softness` is added to the tangential diagonals, relative to them; normal rows yield 1e-9 m/N.
    """
    rng = np.random.default_rng(seed)
    h, half = 1 / 60, 0.25
    mass = 50.0 * heaviest ** rng.random(count)
    jacobian = np.zeros((12 * count, 6 * count))
    corners = np.array([[x, y, 0.0] for x in (-half, half) for y in (-half, half)])
    for row, (box, corner, axis) in enumerate(np.ndindex(count, 4, 3)):
        direction = np.eye(3)[(axis + 2) % 3]
        for body, sign, height in ((box, 1.0, -half), (box - 1, -1.0, half)):
            if body >= 0:
                arm = corners[corner] + [0.0, 0.0, height]
                jacobian[row, 6 * body : 6 * body + 6] = sign * np.concatenate([direction, np.cross(arm, direction)])
    inverse = np.repeat(1 / mass, 6) * np.tile([1.0, 1.0, 1.0, 24.0, 24.0, 24.0], count)
    A = (jacobian * inverse) @ jacobian.T
    normal = np.arange(12 * count) % 3 == 0
    A[np.diag_indices_from(A)] += np.where(normal, 1e-9 / h**2, softness * np.diag(A))
    velocity = np.tile([0, 0, -9.81 * h, 0, 0, 0], count) + rng.normal(size=6 * count) * (0.0, 0.05, 1.0)[seed % 3]
    load = np.cumsum(mass[::-1])[::-1] * 9.81 * h / 4
    bound = 0.5 * np.repeat(np.repeat(load, 4) * rng.choice([0.0, 1.0, 1.0, 1.2], 4 * count), 3)
    lower, upper = np.where(normal, 0.0, -bound), np.where(normal, np.inf, bound)
    return MlcpProblem.from_matrix(A, jacobian @ velocity, lower, upper, f"boxes-{count}-{seed}")


@pytest.mark.parametrize("softness", [1e-8, 1e-10, 1e-12, 0.0])
@pytest.mark.parametrize("name", ["bpp", "ipm"])
def test_stacks_of_boxes_with_redundant_contacts(name, softness):
    for seed in range(12):
        problem = stacked_boxes(3 + 3 * seed, seed, softness, heaviest=(1.0, 1e4)[seed % 2])
        solution = solvers.get(name).solve(problem)
        assert solution.solved, f"{problem.name} {solution.status}"
        assert solution.factorizations <= 45
        again = solvers.get(name).solve(problem, solution)
        assert again.solved and again.factorizations <= solution.factorizations


def test_rounding_of_redundant_rows_is_not_called_indefinite():
    """A pivot just above rounding makes later ones clearly negative; this must not lead to the last resort."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        basis = rng.normal(size=(40, 20)) * 10.0 ** -rng.uniform(0, 7, (1, 20))
        A = basis @ basis.T
        b = A @ rng.normal(size=40)
        for name in ("bpp", "ipm"):
            solution = solve_mlcp(A, b, -5, 5, method=name)
            assert solution.solved and solution.factorizations <= 28, f"{name} {seed} {solution.factorizations}"


@pytest.mark.parametrize("share", [0.5, 0.7])
def test_half_the_rows_redundant_at_bad_condition(share):
    for seed in range(12):
        size = 30 + 10 * seed
        problem = random_box(size, 500 + seed, 1e12, 0.6 if seed % 2 else 0.3, redundant=int(share * size)).problem
        for name in EXACT:
            solution = solvers.get(name).solve(problem)
            assert solution.solved, f"{name} {problem.name} {solution.status}"


@given(st.data())
def test_any_small_box(data):
    """Whatever the bounds (fixed, one-sided, degenerate, far away), a positive definite problem is solved."""
    size = data.draw(st.integers(1, 6))
    numbers = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 3.0])
    factor = np.array(data.draw(st.lists(numbers, min_size=size * size, max_size=size * size))).reshape(size, size)
    b = np.array(data.draw(st.lists(numbers, min_size=size, max_size=size)))
    lower = np.array(data.draw(st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 0.5]), min_size=size, max_size=size)))
    width = np.array(data.draw(st.lists(st.sampled_from([0.0, 1e-9, 1.0, 1e6, np.inf]), min_size=size, max_size=size)))
    upper = np.where(np.isinf(lower), 0.0, lower) + 2.0 * width
    solutions = [solve_mlcp(factor @ factor.T + 0.1 * np.eye(size), b, lower, upper, method=name) for name in EXACT]
    for solution in solutions:
        assert solution.solved
        np.testing.assert_allclose(solution.lam, solutions[0].lam, atol=1e-8 * max(1, np.abs(solution.lam).max()))


@pytest.mark.parametrize("seed", range(12))
def test_block_pivoting_equals_its_dense_twin(seed):
    problem = random_box(40, seed, 1e3, 0.4).problem
    dense = problem.sparse.toarray()
    lam, w, index_set, pivots = reference.block_pivoting(dense, problem.bias, problem.lower, problem.upper)
    solution = solvers.get("bpp", cold_pivots=100).solve(problem)
    assert solution.iterations == pivots
    np.testing.assert_array_equal(solution.index_set, index_set)
    np.testing.assert_allclose(solution.lam, lam, atol=1e-10)
    np.testing.assert_allclose(solution.w, w, atol=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_interior_point_equals_its_dense_twin(seed):
    problem = random_box(40, seed, 1e4, 0.4).problem
    problem.lower[:5] = problem.upper[:5] = 0.5
    lam, index_set, _ = reference.interior_point(problem.sparse.toarray(), problem.bias, problem.lower, problem.upper)
    assert natural_residual(problem, lam) < 1e-9
    solution = solvers.get("ipm").solve(problem)
    np.testing.assert_array_equal(solution.index_set, index_set)
    np.testing.assert_allclose(solution.lam, lam, atol=1e-6)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
@pytest.mark.parametrize("name", ["bpp", "bpp-dense", "ipm"])
def test_recorded_frames_of_a_collapsing_tower(path, name):
    solution = solvers.get(name).solve(MlcpProblem.load(path))
    assert solution.solved and solution.residual < 1e-12
    assert solution.factorizations <= 30


@pytest.mark.parametrize("path", sorted(DATA.glob("*.npz")), ids=lambda path: path.stem)
def test_dense_pivoting_on_recorded_frames(path):
    problem = MlcpProblem.load(path)
    dense, fast = solvers.get("bpp-dense").solve(problem), solvers.get("bpp").solve(problem)
    assert dense.solved
    np.testing.assert_allclose(dense.w, fast.w, atol=1e-9 * np.abs(problem.bias).max())


@pytest.mark.parametrize("name", ["bpp-downdate", "bpp-skyline", "bpp-cached"])
@pytest.mark.parametrize("case", [*sorted(DATA.glob("*.npz")), *range(8)], ids=lambda case: getattr(case, "stem", case))
def test_factors_that_rows_are_taken_out_of_give_the_same_velocities(name, case):
    if isinstance(case, int):
        problem = random_contacts(40, case, 10.0 ** (case % 4), 0.2, 10.0 ** -(3 + case)).problem
    else:
        problem = MlcpProblem.load(case)
    start = None
    for _ in range(2):
        found, expected = solvers.get(name).solve(problem, start), solvers.get("bpp").solve(problem, start)
        assert found.solved
        np.testing.assert_allclose(found.w, expected.w, atol=1e-9 * np.abs(problem.bias).max())
        start = expected


def test_islands_are_solved_as_if_alone(rng):
    """Putting problems side by side, rows shuffled, changes no answer."""
    alone = [random_box(7 + 5 * k, k, 1e5, 0.4) for k in range(6)]
    A = scipy.sparse.block_diag([known.problem.sparse for known in alone]).toarray()
    shuffled = rng.permutation(A.shape[0])
    b, lower, upper = (
        np.concatenate([getattr(known.problem, field) for known in alone])[shuffled]
        for field in ("bias", "lower", "upper")
    )
    together = solve_mlcp(A[np.ix_(shuffled, shuffled)], b, lower, upper)
    expected = np.concatenate([solvers.get("bpp").solve(known.problem).lam for known in alone])[shuffled]
    assert together.solved
    np.testing.assert_allclose(together.lam, expected, atol=1e-8)


def test_warm_start_follows_a_changing_problem(rng):
    """As in a simulation: b drifts, the pattern stays, the index set changes by a few rows a frame."""
    known = random_contacts(40, 3, 1e3, 0.3)
    problem, solver, warm = known.problem, solvers.get("bpp"), None
    pivots = []
    for _ in range(30):
        problem = MlcpProblem(
            problem.pattern, problem.values, problem.bias * (1 + 0.02 * rng.normal(size=problem.size)),
            problem.lower, problem.upper,
        )  # fmt: skip
        warm = solver.solve(problem, warm)
        cold = solver.solve(problem)
        assert warm.solved and cold.solved
        np.testing.assert_allclose(warm.w, cold.w, atol=1e-9)
        pivots.append((warm.factorizations, cold.factorizations))
    warm_pivots, cold_pivots = np.mean(pivots[1:], axis=0)
    assert warm_pivots < cold_pivots


def test_kernels_give_the_same_without_compilation():
    code = (
        "import numpy as np; from taut.problem.generators import random_box; from taut import solvers;"
        "p = random_box(12, 3, 1e6, 0.5).problem;"
        "[print(repr(solvers.get(n).solve(p).lam.tolist())) for n in ('bpp', 'ipm', 'pgs')]"
    )
    problem = random_box(12, 3, 1e6, 0.5).problem
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    for name, line in zip(("bpp", "ipm", "pgs"), run.stdout.splitlines(), strict=True):
        np.testing.assert_allclose(eval(line), solvers.get(name).solve(problem).lam, atol=1e-7)


def test_generator_of_bounds_makes_every_kind_of_row(rng):
    known = with_solution(np.eye(400), rng, 0.4, "kinds")
    problem, lam = known.problem, known.lam
    no_lower, no_upper = np.isinf(problem.lower), np.isinf(problem.upper)
    for kind in (no_lower & no_upper, ~no_lower & no_upper, ~no_lower & ~no_upper):
        assert kind.sum() > 20
    assert (lam == problem.lower).sum() > 20 and (lam == problem.upper).sum() > 20
