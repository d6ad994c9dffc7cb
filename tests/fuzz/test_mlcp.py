"""Random and hostile problems for `solve_mlcp`: never an exception, and never a wrong answer that says it is solved."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.sparse.csgraph import connected_components

import taut

Rng = np.random.Generator
EXACT = ("bpp", "bpp-cached", "bpp-dense", "bpp-downdate", "bpp-skyline", "ipm", "linear-time")
RESIDUAL = 1e-8
"""Scaled natural residual of what counts as solved; the solvers promise a tenth of it."""
SHORT, LONG = range(80), range(1000, 3000)


def with_spectrum(rng: Rng, spectrum: np.ndarray) -> np.ndarray:
    """A symmetric matrix with these eigenvalues and random eigenvectors."""
    basis = np.linalg.qr(rng.normal(size=(spectrum.size, spectrum.size)))[0]
    matrix = (basis * spectrum) @ basis.T
    return np.asarray(0.5 * (matrix + matrix.T))


def scaled(rng: Rng, size: int) -> np.ndarray:
    """A good matrix in units that differ by twelve decades from row to row."""
    units = 10.0 ** rng.uniform(-6.0, 6.0, size)
    return with_spectrum(rng, rng.uniform(0.1, 1.0, size)) * np.outer(units, units)


def contact_like(rng: Rng, size: int) -> np.ndarray:
    """J M^-1 J' with half as many unknowns as rows and masses over six decades."""
    jacobian = rng.normal(size=(size, max(1, size // 2)))
    matrix = (jacobian / 10.0 ** rng.uniform(0.0, 6.0, jacobian.shape[1])) @ jacobian.T
    return np.asarray(0.5 * (matrix + matrix.T))


def islands(rng: Rng, size: int) -> np.ndarray:
    """Blocks that know nothing of each other, one of them a million times larger."""
    half = size // 2
    first, second = (with_spectrum(rng, rng.uniform(0.1, 1.0, count)) for count in (half, size - half))
    return np.block([[1e6 * first, np.zeros((half, size - half))], [np.zeros((size - half, half)), second]])


def skewed(rng: Rng, size: int) -> np.ndarray:
    """A matrix without symmetric part."""
    matrix = rng.normal(size=(size, size))
    return np.asarray(matrix - matrix.T)


def huge(rng: Rng, size: int) -> np.ndarray:
    """A good matrix in absurd units."""
    return with_spectrum(rng, rng.uniform(0.1, 1.0, size)) * 10.0 ** float(rng.choice([-200, -30, 30, 150]))


KINDS: dict[str, Callable[[Rng, int], np.ndarray]] = {
    "good": lambda rng, size: with_spectrum(rng, rng.uniform(0.1, 1.0, size)),
    "scaled": scaled,
    "islands": islands,
    "ill": lambda rng, size: with_spectrum(rng, 10.0 ** rng.uniform(-14.0, 0.0, size)),
    "singular": lambda rng, size: with_spectrum(rng, rng.uniform(0.1, 1.0, size) * (rng.random(size) < 0.5)),
    "contact-like": contact_like,
    "indefinite": lambda rng, size: with_spectrum(rng, rng.normal(size=size)),
    "negative": lambda rng, size: with_spectrum(rng, -rng.uniform(0.1, 1.0, size)),
    "zero": lambda rng, size: np.zeros((size, size)),
    "unsymmetric": lambda rng, size: np.eye(size) + rng.normal(size=(size, size)) / np.sqrt(size),
    "triangular": lambda rng, size: np.eye(size) + np.triu(rng.normal(size=(size, size)), 1),
    "skew": skewed,
    "huge": huge,
}
SOLVABLE = ("good", "scaled", "islands")
"""Kinds that have one solution whatever the bounds, and must be solved."""


def random_bounds(rng: Rng, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bounds: of contacts, none, boxes, equal ones, a mixture, or absurdly small and large."""
    zero, wide = np.zeros(size), np.full(size, np.inf)
    low, high = np.sort(rng.normal(size=(2, size)), axis=0)
    free, boxed = rng.random((2, size)) < 0.4
    mixed = np.where(free, -np.inf, np.where(boxed, -1.0, 0.0)), np.where(boxed & ~free, 1.0, np.inf)
    absurd = np.full(size, -1e-300), np.full(size, 1e300)
    choices = [(zero, wide), (-wide, wide), (low, high), (low, low.copy()), mixed, absurd]
    return choices[rng.integers(len(choices))]


def natural_residual(A: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, lam: np.ndarray) -> float:
    """|lam~ - clip(lam~ - w~)| over the larger of |b~| and |lam~|, island by island, written down here alone."""
    diagonal = np.abs(np.diag(A))
    root = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    slack, scaled_lam, scaled_bias = (A @ lam + b) / root, lam * root, np.abs(b / root)
    with np.errstate(over="ignore"):  # a bound beyond all numbers is none
        missed = np.abs(scaled_lam - np.clip(scaled_lam - slack, lower * root, upper * root))
    _, island = connected_components(sparse.csr_array(A != 0.0), directed=False)
    worst = 0.0
    for rows in (island == number for number in np.unique(island)):
        scale = max(scaled_bias[rows].max(), np.abs(scaled_lam[rows]).max())
        worst = max(worst, float(missed[rows].max() / scale) if scale > 0.0 else float(missed[rows].max()))
    return worst


def complaint(kind: str, seed: int) -> str | None:
    """What is wrong with the answer to a problem, or None."""
    rng = np.random.default_rng([seed, *kind.encode()])
    size, method = int(rng.choice([1, 2, 3, 5, 10, 30, 60])), str(rng.choice(EXACT))
    A = KINDS[kind](rng, size)
    b = rng.normal(size=size) * 10.0 ** float(rng.choice([-12, -3, 0, 0, 0, 6]))
    b = b * (np.sqrt(np.abs(np.diag(A))) if kind in ("huge", "scaled") else 1.0) * (rng.random() > 0.05)
    lower, upper = random_bounds(rng, size)
    given = (A, sparse.csr_array(A), sparse.coo_array(A), sparse.csc_array(A))[rng.integers(4)]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        solution = taut.solve_mlcp(given, b, lower, upper, method=method)
    what = f"{kind} {seed}, {size} rows, {method}: {solution.status}"
    if warned:
        return f"{what}, warning: {warned[0].message}"
    if solution.status != "solved":
        return what if kind in SOLVABLE else None
    own = natural_residual(A, b, lower, upper, solution.lam)
    inside = bool(((solution.lam >= lower) & (solution.lam <= upper)).all())
    return None if own <= RESIDUAL and inside else f"{what}, residual {own:.1e}, within bounds: {inside}"


@pytest.mark.parametrize("kind", KINDS)
def test_no_wrong_answer(kind: str) -> None:
    assert [text for seed in SHORT if (text := complaint(kind, seed))] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_wrong_answer_in_many_problems(kind: str) -> None:
    assert [text for seed in LONG if (text := complaint(kind, seed))] == []
