"""The sparse mass matrix against dense NumPy: components, bodies alone, bodies that do not move."""

from __future__ import annotations

import numpy as np
import pytest

from taut.linalg.coupled_mass import CoupledMass

SEEDS = pytest.mark.parametrize("seed", range(8))


def random_mass(seed: int, bodies: int = 9) -> tuple[CoupledMass, np.ndarray, np.ndarray]:
    """A random matrix with some pairs, its positive base (n, 6, 6), and the numbers of what moves."""
    rng = np.random.default_rng(seed)
    moves = np.ones(bodies, np.uint8)
    moves[0], moves[4] = 0, 0
    moving = np.flatnonzero(moves)
    pairs = {tuple(sorted(rng.choice(moving, 2, replace=False).tolist())) for _ in range(6)}
    first, second = np.array(sorted(pairs), np.int64).T.copy()
    mass = CoupledMass(moves, first, second)
    base = np.zeros((bodies, 6, 6))
    base[moving] = np.array([np.diag(rng.uniform(0.5, 2.0, 6)) for _ in moving])
    mass.diagonal[:] = base
    for p, (a, b) in enumerate(zip(first, second, strict=True)):
        row = rng.normal(size=(2, 6))
        mass.diagonal[a] += np.outer(row[0], row[0])
        mass.diagonal[b] += np.outer(row[1], row[1])
        mass.off[p] = np.outer(row[0], row[1])
    return mass, base, (6 * moving[:, None] + np.arange(6)).ravel()


@SEEDS
def test_solves_are_those_of_the_dense_matrix(seed: int) -> None:
    mass, _, free = random_mass(seed)
    assert mass.decompose()
    rhs = np.zeros((3, 9, 6))
    rhs.reshape(3, -1)[:, free] = np.random.default_rng(seed).normal(size=(3, free.size))
    expected = np.zeros((3, 54))
    expected[:, free] = np.linalg.solve(mass.dense()[np.ix_(free, free)], rhs.reshape(3, -1)[:, free].T).T
    assert mass.solve(rhs).reshape(3, -1) == pytest.approx(expected, abs=1e-12)
    assert mass.multiply(mass.solve(rhs[0])) == pytest.approx(rhs[0], abs=1e-12)


@SEEDS
def test_components_that_are_not_safely_positive_are_found(seed: int) -> None:
    mass, base, _ = random_mass(seed)
    assert not mass.indefinite(base, 0.5).any()
    weak = int(np.flatnonzero(mass.alone)[0]) if mass.alone.any() else int(mass.first[0])
    lost = mass.component == mass.component[weak]
    # at exactly 0.4 of its base in one direction, which nothing else supports
    vector = np.linalg.solve(mass.dense() + np.eye(54) * 1e-9, np.eye(54)[6 * weak])[6 * weak : 6 * weak + 6]
    vector /= np.linalg.norm(vector)
    mass.diagonal[weak] -= 100.0 * np.outer(vector, vector)
    found = mass.indefinite(base, 0.5)
    assert found.tolist() == (lost & mass.moves).tolist()


def test_the_share_is_that_of_the_base() -> None:
    mass = CoupledMass(np.array([0, 1], np.uint8), np.zeros(0, np.int64), np.zeros(0, np.int64))
    base = np.stack([np.zeros((6, 6)), np.diag([1.0, 1, 1, 1e-9, 1e-9, 1e-9])])
    mass.diagonal[1] = base[1] * np.array([1, 1, 1, 1, 1, 0.51])
    assert not mass.indefinite(base, 0.5).any()
    mass.diagonal[1] = base[1] * np.array([1, 1, 1, 1, 1, 0.49])
    assert mass.indefinite(base, 0.5).tolist() == [False, True]


def test_components_are_named_by_their_lowest_body() -> None:
    pairs = np.array([[1, 5], [3, 5], [2, 6]]).T.copy()
    mass = CoupledMass(np.ones(8, np.uint8), *pairs)
    assert mass.component.tolist() == [0, 1, 2, 1, 4, 1, 2, 7]
    assert [part.bodies.tolist() for part in mass.components] == [[1, 3, 5], [2, 6]]
    assert np.flatnonzero(mass.alone).tolist() == [0, 4, 7]
