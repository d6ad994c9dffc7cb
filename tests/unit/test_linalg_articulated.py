"""Recursions over trees against dense matrices that read like the thesis."""

from __future__ import annotations

import numpy as np
import pytest
from articulated_examples import binary_tree, chain, make_blocks, masses, random_tree

from taut.linalg.articulated import (
    ArticulatedBlocks,
    ArticulatedFactor,
    dense_jacobian,
    dense_matrix,
    dense_maximal,
    dense_reduced,
    dense_rows,
    dense_shift,
)
from taut.linalg.articulated_kernels import factor_tree, solve_tree, times_j, times_jt
from taut.tables import held

CASES = {
    "random": lambda rng: random_tree(rng),
    "random again": lambda rng: random_tree(rng, 40),
    "hinges": lambda rng: chain(rng, 12, 1),
    "balls": lambda rng: chain(rng, 9, 3),
    "free bodies": lambda rng: make_blocks(np.full(4, -1), np.full(4, 6), masses(rng, 4), rng),
    "nothing moves": lambda rng: make_blocks([-1, 0, 1], [0, 0, 0], masses(rng, 3), rng),
    "bushy": lambda rng: binary_tree(rng, 31, 2),
    "one node": lambda rng: chain(rng, 1, 2),
    "no node": lambda rng: make_blocks([], [], np.zeros((0, 36)), rng),
}


@pytest.fixture(params=CASES, ids=str)
def blocks(request: pytest.FixtureRequest, rng: np.random.Generator) -> ArticulatedBlocks:
    return CASES[request.param](rng)


def factored(blocks: ArticulatedBlocks) -> tuple[ArticulatedFactor, int]:
    factor = ArticulatedFactor.of(blocks.nodes, blocks.dofs)
    # what a factor was used for before must not matter
    factor.pending.fill(np.nan), factor.begun.fill(1), factor.coupling.fill(np.nan), factor.lower.fill(np.nan)
    return factor, factor_tree(held(blocks), held(factor))


def solved(blocks: ArticulatedBlocks, factor: ArticulatedFactor, rhs: np.ndarray, reduced: np.ndarray):
    velocity, y = np.full((blocks.nodes, 6), np.nan), np.full(blocks.dofs, np.nan)
    solve_tree(held(blocks), held(factor), rhs, reduced, velocity, y)
    return velocity, y


def test_the_velocity_of_a_point_of_the_parent(rng: np.random.Generator) -> None:
    arm, velocity = rng.normal(size=3), rng.normal(size=6)
    moved = dense_shift(arm) @ velocity
    assert moved[:3] == pytest.approx(velocity[:3] + np.cross(velocity[3:], arm))
    assert moved[3:] == pytest.approx(velocity[3:])


def test_products_with_the_jacobian(blocks: ArticulatedBlocks, rng: np.random.Generator) -> None:
    y, velocity = rng.normal(size=blocks.dofs), np.full((blocks.nodes, 6), np.nan)
    times_j(held(blocks), y, velocity)
    assert velocity.ravel() == pytest.approx(dense_jacobian(blocks) @ y, rel=1e-12, abs=1e-12)


def test_products_with_its_transpose(blocks: ArticulatedBlocks, rng: np.random.Generator) -> None:
    load, y = rng.normal(size=(blocks.nodes, 6)), np.full(blocks.dofs, np.nan)
    expected = dense_jacobian(blocks).T @ load.ravel()
    total = load.copy()
    times_jt(held(blocks), total, y)
    assert y == pytest.approx(expected, rel=1e-11, abs=1e-11)
    for root in np.flatnonzero(blocks.parent < 0)[:1]:
        below = [j for j in range(blocks.nodes) if root in ancestors(blocks, j)]
        assert total[root, :3] == pytest.approx(load[below, :3].sum(0))


def ancestors(blocks: ArticulatedBlocks, node: int) -> list[int]:
    path = [node]
    while blocks.parent[path[-1]] >= 0:
        path.append(int(blocks.parent[path[-1]]))
    return path


def test_solutions_are_those_of_the_dense_matrix(blocks: ArticulatedBlocks, rng: np.random.Generator) -> None:
    factor, lost = factored(blocks)
    assert lost == 0
    rhs, reduced = rng.normal(size=(blocks.nodes, 6)), rng.normal(size=blocks.dofs)
    jacobian = dense_jacobian(blocks)
    expected = np.linalg.solve(dense_matrix(blocks), jacobian.T @ rhs.ravel() + reduced)
    velocity, y = solved(blocks, factor, rhs, reduced)
    scale = np.abs(expected).max(initial=1.0)
    assert y == pytest.approx(expected, abs=1e-11 * scale)
    assert velocity.ravel() == pytest.approx(jacobian @ expected, abs=1e-10 * scale)
    # in place
    solve_tree(held(blocks), held(factor), rhs, reduced, rhs, reduced)
    assert (reduced == y).all() and (rhs == velocity).all()


def test_springs_are_kept_by_their_diagonal_blocks(rng: np.random.Generator) -> None:
    blocks = random_tree(rng, 20, springs=15)
    factor, lost = factored(blocks)
    springs = (dense_maximal(blocks) - dense_maximal(blocks._replace(cross_weight=np.zeros(15)))).reshape(20, 6, 20, 6)
    block = blocks.block + np.array([springs[j, :, j, :].ravel() for j in range(20)])
    jacobian = dense_jacobian(blocks)
    rhs, reduced = rng.normal(size=(20, 6)), rng.normal(size=blocks.dofs)
    held_still = dense_matrix(blocks._replace(block=block, cross_weight=np.zeros(15)))
    expected = np.linalg.solve(held_still, jacobian.T @ rhs.ravel() + reduced)
    assert lost == 0
    assert solved(blocks, factor, rhs, reduced)[1] == pytest.approx(expected, rel=1e-9)


def test_dense_rows_add_up_what_touches_a_node_twice() -> None:
    rows = dense_rows(np.array([0, 2, 3]), np.array([1, 1, 0]), np.arange(18.0).reshape(3, 6), 2)
    assert rows[0].tolist() == [0.0] * 6 + [6.0, 8.0, 10.0, 12.0, 14.0, 16.0]
    assert rows[1].tolist() == [12.0, 13.0, 14.0, 15.0, 16.0, 17.0] + [0.0] * 6


def test_a_degree_of_freedom_that_nothing_resists_is_counted_and_held(rng: np.random.Generator) -> None:
    blocks = make_blocks([-1, 0, 1], [1, 2, 1], masses(rng, 3), rng)
    # the second degree of freedom of a joint is the first again
    blocks.subspace[2] = blocks.subspace[1]
    blocks.reduced[1:3] = 0.0
    factor, lost = factored(blocks)
    rhs, reduced = rng.normal(size=(3, 6)), np.zeros(4)
    _, y = solved(blocks, factor, rhs, reduced)
    kept = [0, 1, 3]
    expected = np.linalg.solve(dense_matrix(blocks)[np.ix_(kept, kept)], (dense_jacobian(blocks).T @ rhs.ravel())[kept])
    assert lost == 1
    assert y[2] == 0.0
    assert y[kept] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("value", [-1.0, 0.0, np.nan])
def test_pivots_that_are_not_positive_are_counted(rng: np.random.Generator, value: float) -> None:
    blocks = chain(rng, 5, 1)
    blocks.block[4] = value * np.eye(6).ravel()
    blocks.reduced[4] = 0.0
    assert factored(blocks)[1] >= 1


def test_reduced_terms_couple_only_the_same_joint(rng: np.random.Generator) -> None:
    blocks = make_blocks([-1, 0], [2, 3], masses(rng, 2), rng)
    matrix = dense_reduced(blocks)
    assert (matrix[:2, 2:] == 0.0).all()
    assert matrix[2:, 2:] == pytest.approx(matrix[2:, 2:].T)


def exact_loads(blocks: ArticulatedBlocks, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """M~ J y and A_r y in long double, rounded once."""
    long, velocity = np.longdouble, np.zeros((blocks.nodes, 6), np.longdouble)
    for j, parent in enumerate(blocks.parent):
        if parent >= 0:
            velocity[j] = dense_shift(blocks.arm[j]).astype(long) @ velocity[parent]
        for d in range(blocks.dof_start[j], blocks.dof_start[j + 1]):
            velocity[j] += blocks.subspace[d].astype(long) * y[d]
    loads = np.einsum("nij,nj->ni", blocks.block.reshape(-1, 6, 6).astype(long), velocity)
    return loads.astype(float), (dense_reduced(blocks).astype(long) @ y).astype(float)


def test_heavy_loads_at_the_end_of_a_light_chain(rng: np.random.Generator) -> None:
    """Loads of nodes go into the recursion: sums of them over the tree lose digits."""
    blocks = heavy_chain(rng, 40, 1e6)
    factor, _ = factored(blocks)
    expected = rng.normal(size=blocks.dofs)
    rhs, reduced = exact_loads(blocks, expected)
    _, y = solved(blocks, factor, rhs, reduced)
    summed = np.zeros(blocks.dofs)
    times_jt(held(blocks), rhs.copy(), summed)
    _, worse = solved(blocks, factor, np.zeros_like(rhs), summed + reduced)
    # what is left over is found in the same way
    velocity = np.zeros((blocks.nodes, 6))
    times_j(held(blocks), y, velocity)
    left = rhs - np.einsum("nij,nj->ni", blocks.block.reshape(-1, 6, 6), velocity)
    _, more = solved(blocks, factor, left, reduced - dense_reduced(blocks) @ y)
    assert np.abs(y - expected).max() < 1e-6
    assert np.abs(worse - expected).max() > 10.0 * np.abs(y - expected).max()
    assert np.abs(y + more - expected).max() < 1e-10


def heavy_chain(rng: np.random.Generator, nodes: int, ratio: float) -> ArticulatedBlocks:
    """Links of 0.1 m that hang straight, one `ratio` times as heavy at the end, in ball joints."""
    block = np.zeros((nodes, 6, 6))
    block[:, range(6), range(6)] = [0.5, 0.5, 0.5, 5e-4, 5e-4, 1e-5]
    block[-1] *= ratio
    blocks = make_blocks(np.arange(nodes) - 1, np.full(nodes, 3), block.reshape(nodes, 36), rng)
    blocks.arm[1:] = [0.0, 0.0, -0.1]
    for j in range(nodes):
        for i in range(3):
            axis = np.eye(3)[i]
            blocks.subspace[3 * j + i] = np.concatenate([np.cross(axis, [0.0, 0.0, -0.05]), axis])
    blocks.reduced.fill(0.0)
    return blocks
