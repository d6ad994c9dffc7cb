"""Edges that separate two polytopes, against the plain formula pair by pair."""

from __future__ import annotations

import numpy as np
import pytest

from taut.collide.edge_kernels import PARALLEL, best_edges


def best(first, second, out):  # type: ignore[no-untyped-def]
    """Gap of the best pair of two lists of edges."""
    return best_edges(first, first.shape[1], second, second.shape[1], out)


def edges(rng: np.random.Generator, count: int, wide: float) -> np.ndarray:
    """Columns (13, count) of edges whose faces lean apart by an angle each way from a normal across the edge."""
    columns = np.zeros((13, count))
    for column in columns.T:
        along, normal = rng.normal(size=(2, 3))
        along /= np.linalg.norm(along)
        normal = np.cross(along, normal)
        normal /= np.linalg.norm(normal)
        beside = np.cross(along, normal)
        left, right = (np.cos(wide) * normal + sign * np.sin(wide) * beside for sign in (1.0, -1.0))
        sign = np.sign(along @ np.cross(left, right))
        column[:3], column[3:6], column[6:9] = along, np.cross(sign * along, left), np.cross(right, sign * along)
        column[9:12], column[12] = rng.uniform(-0.1, 0.1, 3), 0.1
    return columns


def plain_best(first: np.ndarray, second: np.ndarray) -> tuple[float, int, int]:
    """The largest gap along a common normal that is between the faces at both edges, and its edges."""
    record = (-1e300, -1, -1)
    for i, u in enumerate(first.T):
        for j, v in enumerate(second.T):
            normal = np.cross(u[:3], v[:3])
            length = np.linalg.norm(normal)
            for way in (normal / length, -normal / length):
                outward = min(u[3:6] @ way, u[6:9] @ way) > 0.0 and max(v[3:6] @ way, v[6:9] @ way) < 0.0
                gap = way @ (v[9:12] - u[9:12])
                if outward and length >= PARALLEL and gap > record[0]:
                    record = gap, i, j
    return record


@pytest.mark.parametrize(("count_a", "count_b"), [(1, 1), (12, 9), (10, 140), (0, 5), (5, 0)])
def test_the_best_pair_is_that_of_pair_by_pair(count_a: int, count_b: int) -> None:
    rng = np.random.default_rng(count_a + 100 * count_b)
    found = 0
    for _ in range(20):
        first, second, out = edges(rng, count_a, 0.8), edges(rng, count_b, 0.8), np.zeros(5)
        gap, wanted = best(first, second, out), plain_best(first, second)
        assert gap == pytest.approx(wanted[0], abs=1e-12)
        if wanted[1] >= 0:
            assert (int(out[3]), int(out[4])) == wanted[1:]
            found += 1
    assert found > 0 or min(count_a, count_b) < 2


def test_of_equal_pairs_the_first_is_taken() -> None:
    rng = np.random.default_rng(3)
    first, second = edges(rng, 6, 0.8), edges(rng, 50, 0.8)
    alone = np.zeros(5)
    gap = best(first, second, alone)
    assert gap > -1e300
    # the same edges twice: the second time beyond those that are tested together with the first ones
    out = np.zeros(5)
    assert best(np.hstack([first, first]), np.hstack([second, second]), out) == gap
    np.testing.assert_array_equal(out, alone)
