"""Predicted costs of solves of trees with springs."""

from __future__ import annotations

import numpy as np
import pytest
from articulated_examples import binary_tree, make_blocks, masses, random_tree

from taut.linalg.articulated import ArticulatedBlocks
from taut.linalg.articulated_costs import DIRECT, MOST_ITERATIONS, Costs


def tied_chains(rng: np.random.Generator, links: int, springs: int) -> ArticulatedBlocks:
    """Two chains with springs from one to the other."""
    parent = np.concatenate([np.arange(links) - 1, [-1], np.arange(links, 2 * links - 1)])
    ends = np.linspace(0, links - 1, springs).astype(int).tolist()
    return make_blocks(
        parent, np.ones(2 * links), masses(rng, 2 * links), rng, [(end, links + end) for end in ends]
    )  # fmt: skip


def ways(blocks: ArticulatedBlocks, node: int) -> list[int]:
    way = [node]
    while blocks.parent[way[-1]] >= 0:
        way.append(int(blocks.parent[way[-1]]))
    return way


def test_what_a_factor_is_made_of_is_counted(rng: np.random.Generator) -> None:
    blocks = random_tree(rng, 30, springs=8)
    costs = Costs(blocks)
    counts, own = costs.direct_counts(), np.diff(blocks.dof_start)
    assert set(counts) == set(DIRECT)
    paths = [ways(blocks, node) for node in range(30)]
    column, start = costs.plan.column, blocks.dof_start
    ways_of = [[int(column[d]) for j in path for d in range(start[j], start[j + 1])] for path in paths]
    runs = [len(way) - sum(b == a + 1 for a, b in zip(way, way[1:], strict=False)) for way in ways_of]
    assert counts["run"] == sum(runs[j] for j in range(30) if own[j] > 0)
    pairs = costs.plan.pair[:2].T.tolist()
    assert counts["tied_run"] == sum(runs[a] + runs[b] for a, b in pairs)
    assert counts["tied"] == sum(len(ways_of[a]) + len(ways_of[b]) for a, b in pairs)
    products = 0
    for early, late in pairs:
        shared = set(paths[early]) & set(paths[late])
        near, far = (int(own[[j for j in paths[each] if j not in shared]].sum()) for each in (early, late))
        over = int(own[list(shared)].sum())
        products += near * (far + over) + far * over
    assert counts["product"] == products


def test_a_factor_of_long_chains_is_worth_more_iterations(rng: np.random.Generator) -> None:
    worth = [Costs(tied_chains(rng, links, 5)).worth() for links in (10, 40, 160, 640)]
    assert worth == sorted(worth)
    assert worth[0] < 20 < worth[-1]


def test_a_factor_of_a_tree_is_worth_few_iterations_however_large_it_is(rng: np.random.Generator) -> None:
    for nodes in (63, 1023):
        assert 1 <= Costs(binary_tree(rng, nodes, springs=True)).worth() < 15


def test_no_plan_is_made_where_ancestors_alone_take_too_long(rng: np.random.Generator) -> None:
    costs = Costs(tied_chains(rng, 20000, 3))
    assert costs.worth() == MOST_ITERATIONS
    assert "plan" not in vars(costs)


def test_iterations_cost_what_the_tree_costs(rng: np.random.Generator) -> None:
    small, large = Costs(binary_tree(rng, 100)), Costs(binary_tree(rng, 1000))
    assert large.iteration / small.iteration == pytest.approx(10.0, rel=0.01)


def test_a_factor_pays_sooner_if_there_are_many_solves(rng: np.random.Generator) -> None:
    costs = Costs(tied_chains(rng, 100, 5))
    worth = [costs.worth(solves) for solves in (1, 3, 30, 1000)]
    assert worth == sorted(worth, reverse=True)
    assert worth[0] > 2 * worth[-1]
