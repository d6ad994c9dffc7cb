from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from taut import solvers
from taut.errors import InputError
from taut.problem import MlcpProblem, Pattern, named
from taut.problem.dump import dump_problem
from taut.problem.generators import chain, random_box, random_contacts, random_friction

A = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
b = np.array([1.0, -2.0, 3.0])


@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, scipy.sparse.csr_array, scipy.sparse.coo_matrix])
def test_from_matrix_keeps_the_matrix_and_makes_a_full_diagonal(form):
    problem = MlcpProblem.from_matrix(form(A), b, 0, None)
    np.testing.assert_array_equal(problem.sparse.toarray(), A)
    np.testing.assert_array_equal(problem.pattern.indptr, [0, 2, 4, 5])
    np.testing.assert_array_equal(problem.pattern.indices, [0, 1, 0, 1, 2])
    assert problem.symmetric and problem.size == problem.pattern.size == 3 and problem.pattern.entry_count == 5
    np.testing.assert_array_equal(problem.lower, np.zeros(3))
    np.testing.assert_array_equal(problem.upper, np.full(3, np.inf))


def test_nothing_passed_in_is_shared():
    vector, matrix, bound = b.copy(), A.copy(), np.zeros(3)
    problem = MlcpProblem.from_matrix(matrix, vector, bound, bound + 1)
    vector[:], matrix[:], bound[:] = 7, 7, 7
    np.testing.assert_array_equal(problem.bias, b)
    np.testing.assert_array_equal(problem.sparse.toarray(), A)
    np.testing.assert_array_equal(problem.lower, np.zeros(3))


def test_unsymmetric_matrix_gets_a_symmetric_pattern():
    problem = MlcpProblem.from_matrix([[1, 2], [0, 1]], [0, 0])
    assert not problem.symmetric
    np.testing.assert_array_equal(problem.pattern.indices, [0, 1, 0, 1])
    np.testing.assert_array_equal(problem.sparse.toarray(), [[1, 2], [0, 1]])


def test_rounding_in_a_symmetric_matrix_is_averaged_away():
    problem = MlcpProblem.from_matrix([[1, 0.5 + 1e-15], [0.5, 1]], [0, 0])
    assert problem.symmetric
    dense = problem.sparse.toarray()
    assert dense[0, 1] == dense[1, 0]


@pytest.mark.parametrize("size", [1, 7, 8, 9, 20])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("symmetric", [True, False])
def test_dense_and_sparse_matrices_read_alike(size, share, symmetric):
    rng = np.random.default_rng(size)
    matrix = rng.normal(size=(size, size)) * (rng.random((size, size)) < share)
    if symmetric:
        matrix = matrix + matrix.T + np.eye(size)
        matrix *= 1.0 + 1e-16 * rng.normal(size=(size, size))
    there = (matrix != 0) | (matrix.T != 0) | np.eye(size, dtype=bool)
    mean = 0.5 * (matrix + matrix.T) if symmetric else matrix
    shuffled = scipy.sparse.coo_array(matrix)
    order = rng.permutation(shuffled.nnz)
    shuffled = scipy.sparse.coo_array((shuffled.data[order], (shuffled.row[order], shuffled.col[order])), matrix.shape)
    twice = scipy.sparse.vstack([0.5 * scipy.sparse.coo_array(matrix)] * 2).tocoo()
    twice = scipy.sparse.coo_array((twice.data, (twice.row % size, twice.col)), matrix.shape)
    everywhere = np.divmod(np.arange(size * size), size)
    zeros = scipy.sparse.coo_array((matrix.ravel(), everywhere), matrix.shape).tocsr()
    for given in (matrix, np.asfortranarray(matrix), shuffled, twice, zeros, scipy.sparse.csc_array(matrix)):
        problem = MlcpProblem.from_matrix(given, np.zeros(size))
        assert problem.symmetric == (symmetric or np.array_equal(matrix, matrix.T))
        np.testing.assert_array_equal(problem.pattern.indptr, [0, *np.cumsum(there.sum(1))])
        np.testing.assert_array_equal(problem.pattern.indices, np.nonzero(there)[1])
        np.testing.assert_array_equal(problem.sparse.toarray(), mean)


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("place", [(0, 0), (2, 5), (5, 2), (9, 9)])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_matrix_with_one_bad_number_is_refused(form, place, bad):
    matrix = np.eye(10) + 1.0
    matrix[place] = bad
    for given in (matrix, np.triu(matrix) + np.triu(matrix, 1).T):
        if not np.isfinite(given).all():
            with pytest.raises(InputError, match="A holds a value that is NaN or infinite"):
                MlcpProblem.from_matrix(form(given), np.zeros(10))


@pytest.mark.parametrize("dense", [True, False])
def test_random_friction_has_the_rank_and_the_bounds_it_promises(dense):
    problem = random_friction(60, 3, dense, compliance=0.0)
    eigenvalues = np.linalg.eigvalsh(problem.sparse.toarray())
    assert np.count_nonzero(eigenvalues > 1e-9 * eigenvalues[-1]) == 36
    assert (problem.lower[::3] == 0).all() and np.isinf(problem.upper[::3]).all()
    tangents = np.delete(np.arange(60), np.arange(0, 60, 3))
    np.testing.assert_array_equal(problem.lower[tangents], -problem.upper[tangents])
    assert 0 < np.count_nonzero(problem.upper[tangents] == 0) < 40


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((np.ones((2, 3)), [1, 1]), ["A", "(2, 3)", "square"]),
        ((A, [1, 2]), ["b", "(2,)", "(3,)"]),
        ((A, 1.0), ["b", "()", "(3,)"]),
        ((A, b, [0, 0]), ["lower", "(2,)"]),
        ((A, [1, np.nan, 1]), ["b[1]", "nan", "finite"]),
        ((A * np.nan, b), ["A", "NaN"]),
        ((A, b, [0, 0, np.nan]), ["lower[2]", "nan"]),
        ((A, b, np.inf), ["lower[0]", "inf"]),
        ((A, b, None, -np.inf), ["upper[0]", "-inf"]),
        ((A, b, [0, 5, 0], 4), ["lower[1]", "5.0", "upper[1]", "4.0"]),
        (([["x"]], [1]), ["A", "numbers"]),
        (([["1"]], [1]), ["A", "numbers"]),
        ((A * 1j, b), ["A", "complex"]),
        ((scipy.sparse.csr_array(A * 1j), b), ["A", "complex"]),
        ((A, b * 1j), ["b", "complex"]),
        ((A, b.astype(complex)), ["b", "complex"]),
        ((A, b, 1j), ["lower", "complex"]),
        ((A, b, np.zeros(3, complex)), ["lower", "complex"]),
        ((A, b, None, [1, 1j, 1]), ["upper", "complex"]),
        ((A, ["1", "2", "3"]), ["b", "numbers"]),
        ((A, b, "0"), ["lower", "numbers"]),
        ((A, None), ["b"]),
        ((None, b), ["A"]),
        (({}, b), ["A"]),
        ((A, b, {}), ["lower", "numbers"]),
        ((A, [10**400, 0, 0]), ["b", "numbers"]),
        ((A, ["x", "y", "z"]), ["b", "numbers"]),
    ],
)
def test_bad_input_is_named_in_one_line(arguments, words):
    with pytest.raises(InputError) as caught:
        MlcpProblem.from_matrix(*arguments)
    text = str(caught.value)
    assert "\n" not in text
    for word in words:
        assert word in text


def test_save_and_load_give_the_same_problem(tmp_path):
    known = random_contacts(6, seed=3)
    known.problem.save(tmp_path / "some.npz")
    loaded = MlcpProblem.load(tmp_path / "some.npz")
    assert loaded.name == known.problem.name
    for field in ("values", "bias", "lower", "upper"):
        np.testing.assert_array_equal(getattr(loaded, field), getattr(known.problem, field))
    np.testing.assert_array_equal(loaded.pattern.indices, known.problem.pattern.indices)


def test_dumped_problems_have_readable_names_and_overwrite_nothing(tmp_path):
    problem = named.build("unbounded").problem
    problem.name = "crane: frame 7/9"
    solution = solvers.get("bpp").solve(problem)
    paths = [dump_problem(problem, solution, tmp_path / "failed") for _ in range(2)]
    assert [path.name for path in paths] == ["crane-frame-7-9-infeasible-1.npz", "crane-frame-7-9-infeasible-2.npz"]
    np.testing.assert_array_equal(MlcpProblem.load(paths[1]).bias, problem.bias)


def test_files_that_are_no_problems_are_refused_in_one_line(tmp_path):
    (tmp_path / "text.npz").write_text("hello")
    np.savez(tmp_path / "other.npz", x=1)
    known = random_box(4).problem
    np.savez(tmp_path / "nan.npz", A=known.values * np.nan, indices=known.pattern.indices,
             indptr=known.pattern.indptr, b=known.bias, lower=known.lower, upper=known.upper)  # fmt: skip
    for name in ("missing.npz", "text.npz", "other.npz", "nan.npz"):
        with pytest.raises(InputError, match=name) as caught:
            MlcpProblem.load(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_patterns_are_compared_by_identity():
    indptr, indices = np.array([0, 1]), np.array([0])
    one, two = Pattern(indptr, indices), Pattern(indptr, indices)
    assert one != two and one == one and len({one, two}) == 2
    assert one.structures is not two.structures


GENERATED = [random_box(30, 1, 1e6, 0.5), random_contacts(8, 2), chain(10)]


@pytest.mark.parametrize("known", GENERATED, ids=lambda known: known.problem.name)
def test_generated_problems_have_the_solution_they_say(known):
    from taut.problem import natural_residual

    assert natural_residual(known.problem, known.lam) < 1e-12
    assert np.linalg.eigvalsh(known.problem.sparse.toarray())[0] > 0


def test_generated_problems_are_as_difficult_as_asked():
    known = random_box(40, seed=5, condition=1e6, tight_share=0.5, redundant=10)
    eigenvalues = np.linalg.eigvalsh(known.problem.sparse.toarray())
    assert (eigenvalues < 1e-10).sum() == 10
    assert eigenvalues[10] < 1e-4
    tight = (known.lam == known.problem.lower) | (known.lam == known.problem.upper)
    assert 10 <= tight.sum() <= 30


@pytest.mark.parametrize("path", [3, None, "a\0b", ["x"]], ids=ascii)
def test_what_is_no_path_is_refused_in_one_line(path):
    with pytest.raises(InputError, match="problem file") as caught:
        MlcpProblem.load(path)
    assert "\n" not in str(caught.value)
