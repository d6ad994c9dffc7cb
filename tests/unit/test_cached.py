"""The cache of factors: what it knows, what it keeps, and what makes room."""

from __future__ import annotations

import numpy as np
import pytest

from taut import solvers
from taut.errors import InputError
from taut.linalg.cached import (
    ASKED,
    BYTES,
    ENTRIES,
    EVICTED,
    HITS,
    LONGEST,
    MOST_ENTRIES,
    RESTORED,
    SAVED,
    UNSAVED,
    CachedFactor,
)
from taut.linalg.downdated import COPIES, DELETED, REFACTORED
from taut.problem.generators import random_box
from taut.structure.symbolic import natural_structure

SIZE = 24
PROBLEM = random_box(SIZE, 2, 1e3).problem


def cache_of(room: int = 2**24) -> CachedFactor:
    cache = CachedFactor.of(natural_structure(PROBLEM.pattern), room)
    assert cache.load(PROBLEM.values, np.ones(SIZE)) == 1
    return cache


def ask(cache: CachedFactor, *tight: int) -> np.ndarray:
    """Factor without these rows, check the factor, and say what changed in the counts."""
    before, labels = cache.counts.copy(), np.zeros(SIZE, np.int64)
    labels[list(tight)] = 1
    assert cache.factorise(0, SIZE, labels, np.zeros(0), np.zeros(SIZE, np.uint8)) == 0
    rows, lower = cache.triangle()
    matrix = PROBLEM.sparse.toarray()[np.ix_(rows, rows)]
    np.testing.assert_allclose(lower, np.linalg.cholesky(matrix), atol=1e-12)
    return cache.counts - before


def test_the_example_of_the_thesis() -> None:
    cache = cache_of()
    first = ask(cache, 1, 2, 5)
    assert (first[ENTRIES], first[SAVED], first[HITS], first[RESTORED]) == (3, 3, 0, 0)
    second = ask(cache, 1, 2, 6, 7)
    assert (second[ENTRIES], second[RESTORED]) == (2, 1) and cache.counts[LONGEST] == 2
    assert cache.base.counts[DELETED] == 5, "rows 1 and 2 were taken out once"
    assert ask(cache, 2, 6, 7)[RESTORED] == 0, "nothing that begins with row 2 is known"


def test_a_set_that_is_known_costs_a_copy() -> None:
    cache = cache_of()
    ask(cache, 3, 4, 8)
    for tight in ((3, 4, 8), (3, 4), (3,), ()):
        deleted = cache.base.counts[DELETED]
        known = ask(cache, *tight)
        assert known[HITS] == 1 and known[SAVED] == 0
        assert cache.base.counts[DELETED] == deleted
    assert cache.counts[ASKED] == 5 and cache.base.counts[COPIES] == 2


def test_memory_is_bounded_and_what_was_not_used_for_longest_goes() -> None:
    entry = 8 * cache_of().slots.shape[1]
    cache = cache_of(4 * entry + entry // 2)
    assert cache.slots.shape[0] == 4
    ask(cache, 1, 2)
    ask(cache, 10, 11)
    assert cache.counts[ENTRIES] == 4 and cache.counts[BYTES] <= 4 * entry
    assert ask(cache, 1)[HITS] == 1
    assert ask(cache, 20)[EVICTED] == 1, "that of rows 1 and 2, which comes after one that was just used"
    assert ask(cache, 10, 11)[HITS] == 1
    assert ask(cache, 1)[HITS] == 1
    assert ask(cache, 1, 2)[EVICTED] == 1, "that of row 20"
    assert ask(cache, 10, 11)[HITS] == 1
    assert cache.counts[ENTRIES] == 4


def test_a_set_longer_than_the_cache_is_still_factored() -> None:
    cache = cache_of(8 * cache_of().slots.shape[1] * 3)
    counts = ask(cache, *range(2, 12))
    assert (counts[SAVED], counts[UNSAVED], counts[EVICTED]) == (3, 7, 0)
    assert ask(cache, *range(2, 12))[RESTORED] == 1 and cache.counts[LONGEST] == 3
    none = cache_of(0)
    assert ask(none, 4, 5)[UNSAVED] == 2 and none.counts[BYTES] == 0


def test_random_sets_with_little_room(rng: np.random.Generator) -> None:
    cache = cache_of(8 * cache_of().slots.shape[1] * 7)
    for _ in range(150):
        ask(cache, *np.flatnonzero(rng.random(SIZE) < rng.choice([0.05, 0.2])))
    assert cache.counts[EVICTED] > 50 and cache.counts[HITS] > 5 and cache.counts[RESTORED] > 20
    assert cache.counts[ENTRIES] == 7


def test_small_factors_do_not_make_endless_tables() -> None:
    assert cache_of(2**40).slots.shape[0] == MOST_ENTRIES


def test_a_problem_or_part_ends_what_was_kept() -> None:
    cache = cache_of()
    ask(cache, 1, 2)
    cache.load(PROBLEM.values, np.ones(SIZE))
    counts = ask(cache, 1)
    assert counts[HITS] == 0 and cache.counts[ENTRIES] == 1


def test_a_shift_is_factored_anew() -> None:
    cache = cache_of()
    assert cache.factorise(0, SIZE, np.zeros(SIZE, np.int64), np.ones(SIZE), np.zeros(SIZE, np.uint8)) == 0
    assert cache.base.counts[REFACTORED] == 1 and cache.counts[ASKED] == 0


def test_the_solver_has_an_option_for_the_memory() -> None:
    solver = solvers.get("bpp-cached", cache_mebibytes=1)
    assert solver.solve(PROBLEM).solved
    (work,) = solver.analyze(PROBLEM.pattern).idle
    assert work.factor.slots.nbytes <= 2**20
    with pytest.raises(InputError, match="cache_mebibytes"):
        solvers.get("bpp-cached", cache_mebibytes=-1)
