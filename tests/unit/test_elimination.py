"""Elimination orders: no fill on trees, nothing eliminated while its block may be singular, blocks in place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taut.structure.elimination import EARLY_DEGREE, plan_elimination


def joined_bodies(parents):
    """Sizes, waits and edges of bodies 0..n-1 and joints n..2n-1; joint i holds body i to its parent, -1 = world."""
    count = len(parents)
    edges = [(body, count + body) for body in range(count)]
    edges += [(parent, count + body) for body, parent in enumerate(parents) if parent >= 0]
    return [6] * count + [5] * count, [False] * count + [True] * count, edges


def trees(most=30):
    return st.lists(st.integers(0, 10**6), min_size=1, max_size=most).map(
        lambda seeds: [-1] + [seed % (index + 1) for index, seed in enumerate(seeds)]
    )


@given(trees())
def test_every_node_once_and_children_before_parents(parents):
    sizes, waits, edges = joined_bodies(parents)
    plan = plan_elimination(sizes, waits, edges)
    assert sorted(plan.position) == list(range(len(sizes)))
    assert (plan.size[plan.position] == sizes).all()
    for column in range(plan.count):
        rows = plan.below[plan.below_start[column] : plan.below_start[column + 1]]
        assert (rows > column).all() and (np.diff(rows) > 0).all()
        assert plan.parent[column] == (rows[0] if rows.size else -1)


@given(trees())
def test_a_joint_comes_after_a_body_of_its_own(parents):
    """Joints and the bodies they hold can be matched, each with one eliminated before it."""
    sizes, waits, edges = joined_bodies(parents)
    position, count = plan_elimination(sizes, waits, edges).position, len(parents)
    near = {joint: [] for joint in range(count, 2 * count)}
    for body, joint in edges:
        near[joint].append(body)
    taken: set[int] = set()
    for joint in sorted(near, key=lambda each: position[each]):
        bodies = near[joint]
        if all(position[body] < position[joint] for body in bodies):
            continue
        free = [body for body in bodies if position[body] < position[joint] and body not in taken]
        assert free
        taken.add(free[0])


@pytest.mark.parametrize("spokes", [5, 50])
def test_a_hub_waits_for_its_spokes(spokes):
    """The spokes of a star would all meet if the hub came first; after them nothing fills in."""
    plan = plan_elimination(*joined_bodies([-1] + [0] * spokes))
    assert plan.position[0] > max(plan.position[1 : spokes + 1])
    assert plan.below.size == 2 * (spokes + 1) - 1, "one block a joint and body, as in the tree itself"
    assert plan.target.size == 0


def test_bodies_with_few_joints_come_before_their_joints():
    """Nothing that is heavier than them has been added to their blocks then."""
    count = 40
    plan = plan_elimination(*joined_bodies(list(range(-1, count - 1))))
    assert EARLY_DEGREE >= 2
    for joint in range(1, count):
        assert plan.position[count + joint] > max(plan.position[joint], plan.position[joint - 1])
    assert plan.below.size == 3 * count - 2, "two joints a body and the next joint a joint: linear"


def test_cost_grows_with_the_number_of_nodes():
    small, large = (plan_elimination(*joined_bodies([-1, *range(n - 1)])).flops for n in (100, 1000))
    assert large / small == pytest.approx(10.0, rel=0.02)


def test_subtrees_are_in_one_piece():
    plan = plan_elimination(*joined_bodies([-1, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]))
    first = np.arange(plan.count)
    for node in range(plan.count):
        if plan.parent[node] >= 0:
            first[plan.parent[node]] = min(first[plan.parent[node]], first[node])
    sizes = np.ones(plan.count, int)
    for node in range(plan.count):
        if plan.parent[node] >= 0:
            sizes[plan.parent[node]] += sizes[node]
    assert (np.arange(plan.count) - first + 1 == sizes).all()


def test_a_ring_fills_in_a_little_and_has_its_products_placed():
    """Four bodies in a ring: every update of a pair of blocks goes to the block between them."""
    bodies = 4
    edges = [(body, bodies + joint) for joint in range(bodies) for body in (joint, (joint + 1) % bodies)]
    plan = plan_elimination([6] * bodies + [3] * bodies, [False] * bodies + [True] * bodies, edges)
    pair = 0
    for column in range(plan.count):
        rows = plan.below[plan.below_start[column] : plan.below_start[column + 1]]
        for a in range(len(rows)):
            for b in range(a):
                assert plan.target[pair] == plan.block(int(rows[a]), int(rows[b]))
                pair += 1
    assert pair == plan.target.size


def test_nothing_and_nodes_alone():
    assert plan_elimination([], [], []).count == 0
    plan = plan_elimination([6, 3, 6], [False] * 3, [])
    assert plan.below.size == 0 and (plan.parent == -1).all()
