"""Lines into polytopes and crossings of edges, against the plain formulas one by one."""

from __future__ import annotations

import numpy as np
import pytest
from collide_examples import rock

from taut.collide.closing_kernels import CROSSED, STEEP, face_ahead, face_the_way, note_crossings
from taut.collide.polytopes import CANDIDATES, build_polytope


def enter(faces, start, stop, way, place, along):  # type: ignore[no-untyped-def]
    """Face and height where a line along the way enters the polytope of some faces."""
    edgewise = face_the_way(faces, start, stop, way, along)
    return face_ahead(faces, start, stop, place, edgewise, along)


def cross(rows, first, second, way, levels, limit):  # type: ignore[no-untyped-def]
    """Number of crossings of two lists of edges."""
    return note_crossings(rows, 0, first, first.shape[1], second, second.shape[1], way, levels[0], levels[1], limit)


def plain_entry(planes: np.ndarray, place: np.ndarray, way: np.ndarray) -> tuple[int, float]:
    """The face where a line enters the halfspaces of all planes at once, -1 if it does not, and the height above it."""
    along, above = planes[:, :3] @ way, planes[:, :3] @ place - planes[:, 3]
    ahead, behind, beside = along < -1e-9, along > 1e-9, np.abs(along) <= 1e-9
    times = np.where(beside, 0.0, -above / np.where(beside, 1.0, along))
    last = int(np.flatnonzero(ahead)[np.argmax(times[ahead])])
    passes = times[last] > times[behind].min(initial=np.inf) or (above[beside] > 0.0).any()
    return (-1, 0.0) if passes or along[last] >= -STEEP else (last, above[last])


@pytest.mark.parametrize("seed", range(30))
def test_a_line_enters_where_it_is_in_all_halfspaces(seed: int) -> None:
    rng = np.random.default_rng(seed)
    box = build_polytope(np.array([[x, y, z] for x in (-0.2, 0.2) for y in (-0.3, 0.3) for z in (-0.1, 0.1)]))
    hulls = [box, *(build_polytope(np.array(rock(rng, count).points)) for count in (8, 24, 90))]
    table = np.ascontiguousarray(np.vstack([hull.planes for hull in hulls]).T)
    starts, along = np.cumsum([0, *(len(hull.planes) for hull in hulls)]), np.full((5, table.shape[1]), np.nan)
    hits = 0
    for number, hull in enumerate(hulls):
        for turn in range(20):
            way = np.eye(3)[turn % 3] if turn < 6 else rng.normal(size=3)  # along edges of the box, too
            way, place = way / np.linalg.norm(way), rng.uniform(-0.5, 0.5, 3)
            face, height = enter(table, starts[number], starts[number + 1], way, place, along)
            wanted = plain_entry(hull.planes, place, way)
            assert face == wanted[0]
            if face >= 0:
                assert height == pytest.approx(wanted[1], abs=1e-12)
                hits += 1
    assert 1 < hits < 79


def edges(rng: np.random.Generator, count: int) -> np.ndarray:
    """Columns (13, count) of edges of random directions near the origin."""
    columns = np.zeros((13, count))
    columns[:3], columns[9:12] = rng.normal(size=(3, count)), rng.uniform(-0.1, 0.1, (3, count))
    columns[:3] /= np.linalg.norm(columns[:3], axis=0)
    columns[12] = rng.uniform(0.05, 0.3, count)
    return columns


def plain_crossings(first: np.ndarray, second: np.ndarray, way: np.ndarray, limit: float) -> list[tuple[float, ...]]:
    """Gaps and points of A of all crossings, by solving p + s u + r n = q + t v for s, t and r."""
    found = []
    for u in first.T:
        for v in second.T:
            normal = np.cross(u[:3], v[:3])
            length = np.linalg.norm(normal)
            if length < CROSSED or abs(normal @ way) < STEEP * length:
                continue
            s, t, _ = np.linalg.solve(np.column_stack([u[:3], -v[:3], way]), v[9:12] - u[9:12])
            gap = np.sign(normal @ way) * (normal / length) @ (v[9:12] - u[9:12])
            if abs(s) <= u[12] and abs(t) <= v[12] and gap < limit:
                found.append((gap, *(u[9:12] + s * u[:3])))
    return found


@pytest.mark.parametrize(("count_a", "count_b"), [(1, 1), (5, 3), (3, 70), (0, 4), (4, 0)])
def test_crossings_are_those_of_edge_by_edge(count_a: int, count_b: int) -> None:
    rng = np.random.default_rng(count_a + 10 * count_b)
    for _ in range(20):
        first, second, way = edges(rng, count_a), edges(rng, count_b), rng.normal(size=3)
        way /= np.linalg.norm(way)
        rows = np.full((CANDIDATES, 12), np.nan)
        count = cross(rows, first, second, way, (-10.0, 10.0), 0.02)
        wanted = np.array(plain_crossings(first, second, way, 0.02)).reshape(-1, 4)[:CANDIDATES]
        assert count == len(wanted)
        np.testing.assert_allclose(rows[:count][:, [9, 3, 4, 5]], wanted, atol=1e-12)


def test_edges_that_do_not_reach_the_other_body_are_left_out() -> None:
    rng = np.random.default_rng(1)
    first, second, way = edges(rng, 8), edges(rng, 8), np.array([0.0, 0.0, 1.0])
    rows = np.zeros((CANDIDATES, 12))
    assert cross(rows, first, second, way, (-10.0, 10.0), 0.1) > 0
    assert cross(rows, first, second, way, (10.0, 10.0), 0.1) == 0
    assert cross(rows, first, second, way, (-10.0, -10.0), 0.1) == 0
