"""Trees of nodes with joints of any kind, and springs across them."""

from __future__ import annotations

import numpy as np

from taut.linalg.articulated import ArticulatedBlocks

Array = np.ndarray


def masses(rng: np.random.Generator, nodes: int, ratio: float = 1.0) -> Array:
    """Symmetric positive definite blocks (n, 36); the last node is `ratio` times as heavy."""
    root = rng.normal(size=(nodes, 6, 6))
    block = root @ root.transpose(0, 2, 1) + 0.5 * np.eye(6)
    block[-1] *= ratio
    return np.ascontiguousarray(block.reshape(nodes, 36))


def make_blocks(
    parent: Array, counts: Array, block: Array, rng: np.random.Generator, springs: list[tuple[int, ...]] | None = None,
    weight: float = 1.0,
) -> ArticulatedBlocks:  # fmt: skip
    """Blocks of a tree with these parents and numbers of degrees of freedom, other numbers at random."""
    parent, counts = np.asarray(parent, np.int64), np.asarray(counts, np.int64)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    dofs, springs = int(start[-1]), springs or []
    subspace = np.concatenate([np.linalg.qr(rng.normal(size=(6, 6)))[0][:k] for k in counts] + [np.zeros((0, 6))])
    reduced = np.zeros((dofs, 6))
    for first, k in zip(start[:-1], counts, strict=True):
        root = rng.normal(size=(k, k))
        reduced[first : first + k, :k] = 0.3 * root @ root.T
    arm = rng.normal(size=(parent.size, 3)) * (parent >= 0)[:, None]
    lengths = [len(each) for each in springs]
    return ArticulatedBlocks(
        parent=parent, dof_start=start, arm=arm, subspace=subspace, block=block, reduced=reduced,
        cross_start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        cross_node=np.array([node for each in springs for node in each], np.int64),
        cross_jacobian=rng.normal(size=(sum(lengths), 6)),
        cross_weight=weight * rng.uniform(0.5, 2.0, len(springs)),
    )  # fmt: skip


def random_tree(rng: np.random.Generator, nodes: int = 25, springs: int = 0, ratio: float = 1.0) -> ArticulatedBlocks:
    """A forest with joints of 0 to 6 degrees of freedom."""
    parent = np.array([-1 if k == 0 or rng.random() < 0.1 else int(rng.integers(k)) for k in range(nodes)], np.int64)
    counts = rng.integers(0, 7, nodes)
    pairs = [tuple(rng.choice(nodes, 2, replace=False).tolist()) for _ in range(springs)]
    return make_blocks(parent, counts, masses(rng, nodes, ratio), rng, pairs)


def chain(rng: np.random.Generator, nodes: int, dofs: int) -> ArticulatedBlocks:
    """Links in a row."""
    return make_blocks(np.arange(nodes) - 1, np.full(nodes, dofs), masses(rng, nodes), rng)


def binary_tree(
    rng: np.random.Generator, nodes: int, dofs: int = 1, springs: bool = False, weight: float = 1.0
) -> ArticulatedBlocks:
    """Two children a node, with springs between siblings if asked for."""
    parent = (np.arange(nodes) - 1) // 2
    pairs = [(k, k + 1) for k in range(1, nodes - 1, 2)] if springs else []
    return make_blocks(parent, np.full(nodes, dofs), masses(rng, nodes), rng, pairs, weight)
