"""Orders of elimination of trees with springs."""

from __future__ import annotations

import numpy as np
import pytest
from articulated_examples import binary_tree, chain, make_blocks, masses, random_tree

from taut.linalg.articulated import ArticulatedBlocks, dense_matrix
from taut.linalg.articulated_plan import DirectPlan, plan_direct


def structure(plan: DirectPlan) -> np.ndarray:
    """Entries that the fronts have room for, by columns of the plan."""
    tree, dofs = plan.tree, plan.column.size
    mask = np.zeros((dofs, dofs), bool)
    for k in range(tree.nodes):
        own = np.arange(tree.first[k], tree.first[k + 1])
        mask[np.ix_(own, own)] = True
        mask[np.ix_(tree.row[tree.row_start[k] : tree.row_start[k + 1]], own)] = True
    return np.tril(mask)


def filled(blocks: ArticulatedBlocks, plan: DirectPlan) -> np.ndarray:
    """Entries of the factor in this order, found by eliminating column by column."""
    mask = dense_matrix(blocks)[np.ix_(plan.tree.position, plan.tree.position)] != 0.0
    for k in range(mask.shape[0]):
        rows = np.flatnonzero(mask[k + 1 :, k]) + k + 1
        mask[np.ix_(rows, rows)] = True
    return np.tril(mask)


@pytest.mark.parametrize("springs", [0, 5, 40])
def test_fronts_have_room_for_the_factor(rng: np.random.Generator, springs: int) -> None:
    blocks = random_tree(rng, 40, springs)
    plan = plan_direct(blocks)
    assert sorted(plan.tree.position) == list(range(blocks.dofs))
    assert (plan.column[plan.tree.position] == np.arange(blocks.dofs)).all()
    assert (structure(plan) | ~filled(blocks, plan)).all()


def test_a_tree_without_springs_does_not_fill_in(rng: np.random.Generator) -> None:
    blocks = binary_tree(rng, 63, 2)
    plan = plan_direct(blocks)
    order = plan.tree.position
    assert (filled(blocks, plan) == np.tril(dense_matrix(blocks)[np.ix_(order, order)] != 0.0)).all()


def test_a_chain_is_one_front(rng: np.random.Generator) -> None:
    assert plan_direct(chain(rng, 50, 1)).tree.first.tolist() == [0, 50]


def test_what_springs_tie_to_fewer_others_goes_first(rng: np.random.Generator) -> None:
    """Two masts and a deck that is tied to both: with the deck first, all would meet all."""
    parent = np.concatenate([np.arange(20) - 1, [-1], np.arange(20, 29), [-1], np.arange(30, 39)])
    springs = [(5, 29), (9, 28), (14, 39), (19, 38)]
    blocks = make_blocks(parent, np.ones(40), masses(rng, 40), rng, springs)
    plan = plan_direct(blocks)
    assert set(plan.tree.position[:20].tolist()) == set(range(20, 40))
    assert not structure(plan)[10:20, :10].any()


def test_pairs_end_where_both_ways_meet(rng: np.random.Generator) -> None:
    blocks = make_blocks([-1, 0, 1, 1, 3, -1], [1] * 6, masses(rng, 6), rng, [(2, 4), (4, 1), (2, 5), (0,)])
    plan = plan_direct(blocks)
    tops = {(int(a), int(b)): int(top) for a, b, top in zip(plan.pair[0], plan.pair[1], plan.top, strict=True)}
    assert {tuple(sorted(key)): top for key, top in tops.items()} == {(2, 4): 1, (1, 4): 1, (2, 5): -1}
    assert all(plan.column[a] < plan.column[b] for a, b in tops)


def test_entries_of_the_factor_are_counted(rng: np.random.Generator) -> None:
    plan = plan_direct(random_tree(rng, 30, 10))
    assert plan.fill == structure(plan).sum()
