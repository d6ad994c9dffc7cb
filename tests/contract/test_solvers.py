"""What every registered solver of box MLCPs promises."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from fresh_python import run_python

from taut import solvers
from taut.errors import InputError
from taut.problem import AT_LOWER, AT_UPPER, FREE, MlcpProblem, Status, WarmStart, named, natural_residual
from taut.problem.generators import chain, random_box, random_contacts
from taut.solvers.solve import solve_mlcp

SOLVABLE = [name for name in named.names() if named.build(name).lam is not None]
UNSOLVABLE = [name for name in named.names() if named.build(name).lam is None]

every_solver = pytest.mark.parametrize("name", solvers.names())
every_exact_solver = pytest.mark.parametrize("name", [each.name for each in solvers.all() if each.exact])


def easy(size=20, seed=1):
    """A problem that sweeps solve as well."""
    return random_box(size, seed, condition=20.0, tight_share=0.3)


@every_solver
def test_describes_itself(name):
    solver = solvers.get(name)
    assert solver.name == name
    assert len(solver.summary) < 100 and "\n" not in solver.summary
    assert 0 < solver.accuracy <= (1e-9 if solver.exact else 1e-3)


@every_solver
@pytest.mark.parametrize("problem_name", SOLVABLE)
def test_solves_problems_with_known_answers(name, problem_name):
    known = named.build(problem_name)
    solution = solvers.get(name).solve(known.problem)
    assert solution.status is Status.SOLVED
    tolerance = 1e-10 if solvers.get(name).exact else 1e-6
    expected_w = known.problem.sparse @ known.lam + known.problem.bias
    np.testing.assert_allclose(solution.w, expected_w, atol=tolerance)
    if known.unique:
        np.testing.assert_allclose(solution.lam, known.lam, atol=tolerance)


@every_solver
@pytest.mark.parametrize("problem_name", UNSOLVABLE)
def test_says_so_when_there_is_no_solution(name, problem_name):
    solution = solvers.get(name).solve(named.build(problem_name).problem)
    assert solution.status is not Status.SOLVED
    assert solution.message
    assert solution.residual > 1e-4
    assert np.isfinite(solution.lam).all() and np.isfinite(solution.w).all()
    if solvers.get(name).exact:
        assert solution.status in (Status.NOT_POSITIVE_DEFINITE, Status.INFEASIBLE)


@every_solver
def test_solution_is_consistent(name):
    for seed in range(5):
        problem = easy(30, seed).problem
        solution = solvers.get(name).solve(problem)
        assert solution.solved
        assert solution.residual == natural_residual(problem, solution.lam) <= solvers.get(name).accuracy
        np.testing.assert_allclose(solution.w, problem.sparse @ solution.lam + problem.bias, atol=1e-13)
        assert (solution.lam >= problem.lower).all() and (solution.lam <= problem.upper).all()
        assert set(np.unique(solution.index_set)) <= {FREE, AT_LOWER, AT_UPPER}
        at_lower, at_upper = solution.index_set == AT_LOWER, solution.index_set == AT_UPPER
        np.testing.assert_array_equal(solution.lam[at_lower], problem.lower[at_lower])
        np.testing.assert_array_equal(solution.lam[at_upper], problem.upper[at_upper])
        assert solution.tight_count == at_lower.sum() + at_upper.sum() > 0


@every_solver
def test_leaves_the_problem_alone_and_repeats_itself(name):
    problem = easy().problem
    arrays = [problem.values, problem.bias, problem.lower, problem.upper]
    kept = [array.copy() for array in arrays]
    first = solvers.get(name).solve(problem)
    other = random_box(20, 99, 1e3, 0.6).problem
    solvers.get(name).solve(MlcpProblem(problem.pattern, other.values, other.bias, other.lower, other.upper))
    second = solvers.get(name).solve(problem)
    for array, copy in zip(arrays, kept, strict=True):
        np.testing.assert_array_equal(array, copy)
    np.testing.assert_array_equal(first.lam, second.lam)
    np.testing.assert_array_equal(first.index_set, second.index_set)


@every_solver
def test_structure_is_worked_out_once_a_pattern(name):
    problem, solver = easy().problem, solvers.get(name)
    structure = solver.analyze(problem.pattern)
    assert solver.analyze(problem.pattern) is structure
    assert solvers.get(name).analyze(problem.pattern) is structure
    assert solver.analyze(easy().problem.pattern) is not structure


def with_other_options(solver):
    """A solver of the same kind whose first option is another number; None if it has no options."""
    options = [each for each in fields(solver) if isinstance(each.default, int | float)]
    return replace(solver, **{options[0].name: options[0].default + 1}) if options else None


@every_solver
def test_structures_are_kept_by_solver_and_options(name):
    pattern, solver = easy().problem.pattern, solvers.get(name)
    other = with_other_options(solver)
    solver.analyze(pattern)
    assert solver in pattern.structures
    if other is not None:
        assert other not in pattern.structures, "it would find what was worked out for other options"
        assert other.analyze(pattern) is pattern.structures[other]


@every_solver
def test_warm_start_from_the_solution_is_at_once_there(name):
    problem, solver = easy().problem, solvers.get(name)
    cold = solver.solve(problem)
    warm = solver.solve(problem, cold)
    assert warm.solved
    np.testing.assert_allclose(warm.w, cold.w, atol=1e-5 if not solver.exact else 1e-12)
    if name in ("bpp", "bpp-dense"):
        assert warm.iterations == 1
    else:
        assert warm.iterations <= cold.iterations


def test_interior_point_starts_from_multipliers_that_are_better():
    known = random_contacts(40, 3, mass_ratio=10.0, tight_share=0.3)
    problem, solver = known.problem, solvers.get("ipm")
    cold = solver.solve(problem)
    near = solver.solve(problem, WarmStart(np.zeros(problem.size, np.int64), known.lam))
    far = solver.solve(problem, WarmStart(np.zeros(problem.size, np.int64), 1e6 * known.lam))
    assert near.solved and far.solved
    assert near.factorizations < cold.factorizations
    assert far.factorizations <= cold.factorizations + 5


@every_exact_solver
def test_an_island_that_is_asked_nothing_gives_nothing(name):
    """b = 0 and bounds that allow 0: no trace of a warm start is left, beside an island that is asked something."""
    problem = MlcpProblem.from_matrix(
        [[2, 1, 0], [1, 2, 0], [0, 0, 1]], [0, 0, -1], [0, -np.inf, 0], [1, np.inf, 5]
    )  # fmt: skip
    for labels in ([0, 0, 0], [1, 0, 0], [-1, 0, 1]):
        solution = solvers.get(name).solve(problem, WarmStart(np.array(labels), np.array([0.7, -0.3, 2.0])))
        assert solution.solved
        np.testing.assert_array_equal(np.abs(solution.lam) < 1e-12, [True, True, False])
        assert solution.lam[2] == pytest.approx(1.0)


@every_solver
def test_nonsense_in_a_warm_start_does_no_harm(name, rng):
    problem, solver = easy().problem, solvers.get(name)
    for lam in (np.full(20, np.nan), np.full(20, np.inf), 1e6 * rng.normal(size=20)):
        for index_set in (np.ones(20, np.int64), -np.ones(20, np.int64), rng.integers(-1, 2, 20)):
            assert solver.solve(problem, WarmStart(index_set, lam)).solved


@every_solver
def test_warm_start_of_another_size_is_refused(name):
    with pytest.raises(InputError, match="19 labels.*20 rows"):
        solvers.get(name).solve(easy().problem, WarmStart(np.zeros(19, np.int64), np.zeros(19)))


@every_solver
@pytest.mark.parametrize("field", ["values", "bias", "lower"])
def test_numbers_that_are_none_give_a_status(name, field):
    problem = easy().problem
    getattr(problem, field)[3] = np.nan
    solution = solvers.get(name).solve(problem)
    assert solution.status is Status.NON_FINITE
    assert solution.residual == np.inf and solution.message
    assert np.isfinite(solution.lam).all()


@every_solver
def test_nothing_to_solve(name):
    solution = solve_mlcp(np.zeros((0, 0)), [], method=name)
    assert solution.solved and solution.residual == 0.0 and solution.lam.shape == (0,)


@every_solver
def test_all_rows_fixed(name):
    solution = solve_mlcp([[2, 1], [1, 2]], [5, -6], [1, 3], [1, 3], method=name)
    assert solution.solved and solution.tight_count == 2
    np.testing.assert_array_equal(solution.lam, [1, 3])
    np.testing.assert_array_equal(solution.w, [10, 1])


@every_exact_solver
@pytest.mark.parametrize("big", [1e12, 1e30, 1e300])
def test_large_bounds_are_as_good_as_none(name, big):
    known = random_contacts(10, 3, mass_ratio=10.0, tight_share=0.3)
    problem = known.problem
    problem.lower[problem.lower == -np.inf] = -big
    problem.upper[problem.upper == np.inf] = big
    solution = solvers.get(name).solve(problem)
    assert solution.solved
    np.testing.assert_allclose(solution.w, problem.sparse @ known.lam + problem.bias, atol=1e-9)


@every_exact_solver
@pytest.mark.parametrize("factor", [1e-150, 1e-30, 1e30, 1e150])
def test_units_do_not_matter(name, factor):
    known = easy()
    problem = known.problem
    scaled = MlcpProblem(problem.pattern, problem.values * factor, problem.bias * factor, problem.lower, problem.upper)
    solution = solvers.get(name).solve(scaled)
    assert solution.solved
    np.testing.assert_allclose(solution.lam, known.lam, atol=1e-9)


@every_exact_solver
def test_solves_a_chain_with_a_heavy_load(name):
    known = chain(60, mass_ratio=1e6)
    solution = solvers.get(name).solve(known.problem)
    assert solution.solved and solution.residual < 1e-14
    np.testing.assert_allclose(solution.lam, known.lam, rtol=1e-8, atol=1e-8)
    if name == "bpp":
        assert solution.factorizations == 1


@every_exact_solver
def test_rank_deficient_without_solution_is_infeasible(name):
    """Copies of rows with contradicting b, without bounds."""
    for seed in range(10):
        known = random_box(12, seed, condition=10.0, tight_share=0.0)
        repeated = np.concatenate([np.arange(12), [0, 3, 5]])
        A = known.problem.sparse.toarray()[np.ix_(repeated, repeated)]
        b = known.problem.bias[repeated] + np.where(np.arange(15) == 12, 0.1, 0.0)
        assert solve_mlcp(A, b, method=name).status is Status.INFEASIBLE
        b[12] -= 0.1
        assert solve_mlcp(A, b, method=name).solved


@every_exact_solver
def test_contradicting_combinations_of_rows_are_infeasible(name):
    for seed in range(30):
        known = random_box(10 + seed, seed, condition=1e4, tight_share=0.0, redundant=3)
        b = known.problem.bias + np.where(np.arange(10 + seed) == 9 + seed, 0.1, 0.0)
        assert solve_mlcp(known.problem.sparse, b, method=name).status is Status.INFEASIBLE


@every_exact_solver
def test_multipliers_that_run_off_are_no_solution(name):
    """A direction that A does not see and b falls along, beside rows with bounds: large lam must not hide it."""
    for seed in range(10):
        known = random_box(20, seed, condition=1e8, tight_share=0.3, redundant=6)
        problem = known.problem
        null = np.linalg.eigh(problem.sparse.toarray())[1][:, 0]
        b = problem.bias + (0.1 - problem.bias @ null) * null
        lower, upper = np.where(null > 0, -np.inf, problem.lower), np.where(null < 0, np.inf, problem.upper)
        solution = solve_mlcp(problem.sparse, b, lower, upper, method=name)
        assert solution.status is Status.INFEASIBLE and np.isfinite(solution.lam).all()


@every_exact_solver
def test_indefinite_matrix_is_named(name):
    for seed in range(10):
        known = random_box(20, seed, condition=10.0, tight_share=0.0)
        A = known.problem.sparse.toarray() - 0.5 * np.eye(20)
        assert solve_mlcp(A, known.problem.bias, method=name).status is Status.NOT_POSITIVE_DEFINITE


def test_registry_lists_and_refuses():
    assert solvers.names() == sorted(solvers.names())
    assert {"bpp", "bpp-dense", "ipm", "pgs"} <= set(solvers.names())
    assert [each.name for each in solvers.all()] == solvers.names()
    assert solvers.get("auto").name == "auto"
    with pytest.raises(InputError) as caught:
        solvers.get("bbp")
    assert "bbp" in str(caught.value) and all(name in str(caught.value) for name in solvers.names())
    with pytest.raises(InputError, match=r"'pgs' has no option 'sweeps'.*iterations, tolerance"):
        solvers.get("pgs", sweeps=3)
    assert solve_mlcp(np.eye(2), [1, 1], method="pgs", iterations=1).iterations == 1


def test_registry_imports_neither_numba_nor_scipy():
    code = (
        "import sys, taut.solvers as s; s.all();"
        "print([m for m in ('numba', 'scipy') if m in sys.modules])"
    )  # fmt: skip
    assert run_python("-c", code).stdout.strip() == "[]"


def test_options_out_of_range_are_refused():
    with pytest.raises(InputError, match="cold_pivots.*1000.*1 to 128"):
        solvers.get("bpp", cold_pivots=1000)
    with pytest.raises(InputError, match="iterations 0"):
        solvers.get("pgs", iterations=0)


def test_options_that_are_switches_are_true_or_false():
    assert solvers.get("bpp", reuse=True).reuse and not solvers.get("bpp").reuse
    assert solvers.get("linear-time", cut_loops=True).cut_loops and solvers.get("linear-time", cut_loops=None)
    for value in (1, 0.0, None, "yes", np.ones(2)):
        with pytest.raises(InputError, match="solver 'bpp': reuse is .* it must be True or False"):
            solvers.get("bpp", reuse=value)
    with pytest.raises(InputError, match="solver 'linear-time': cut_loops is 1; it must be True, False or None"):
        solvers.get("linear-time", cut_loops=1)
    assert solve_mlcp(np.eye(2), [1, 1], method="bpp", reuse=True).solved


@pytest.mark.parametrize("name", ["bpp", "ipm"])
def test_a_pattern_of_another_problem_is_refused(name):
    with pytest.raises(InputError, match="400 values.*441"):
        solvers.get(name).solve(replace(easy(20).problem, pattern=easy(21).problem.pattern))


def test_a_chain_does_not_compile_the_interior_point_method():
    code = (
        "import sys; from taut import solvers; from taut.problem.generators import chain;"
        "solvers.get('bpp').solve(chain(5).problem);"
        "print([m for m in sys.modules if m.endswith(('interior_point_kernels', 'crossover_kernels'))])"
    )
    assert run_python("-c", code).stdout.strip() == "[]"


def test_sweeps_report_what_they_did_not_reach():
    solution = solvers.get("pgs", iterations=5).solve(chain(50).problem)
    assert solution.status is Status.ITERATION_LIMIT and solution.iterations == 5
    assert 1e-6 < solution.residual < 1 and "5 sweeps" in solution.message
