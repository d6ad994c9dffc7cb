"""Plans in body space against dense elimination: groups of rows, order, blocks and where products go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from body_problems import body_problem
from matrix_examples import fill_of

from taut.errors import InputError
from taut.structure.body_plan import BodyPlan, plan_bodies
from taut.structure.incidence import RowEntries

CASES = {
    "pile": dict(bodies=12, contacts=40),
    "jointed": dict(bodies=9, contacts=12, joints=8),
    "only joints": dict(bodies=6, contacts=0, joints=5),
    "loop of joints": dict(bodies=6, contacts=3, joints=7),
    "islands": dict(bodies=20, contacts=30, halves=True),
    "one body": dict(bodies=1, contacts=3),
    "many words of bits": dict(bodies=80, contacts=160, joints=60),
}


@pytest.fixture(params=CASES, ids=str)
def entries(request: pytest.FixtureRequest, rng: np.random.Generator) -> RowEntries:
    return body_problem(rng, **CASES[request.param]).entries


def graph_of(plan: BodyPlan) -> np.ndarray:
    """Which nodes meet before any elimination, by position, the diagonal included."""
    graph = np.eye(plan.nodes, dtype=bool)
    for g, node in enumerate(plan.node):
        members = plan.member[plan.member_start[g] : plan.member_start[g + 1]]
        for a in members:
            for b in [node] if node >= 0 else members:
                graph[a, b] = graph[b, a] = True
    return graph


def test_rows_of_a_group_touch_the_same_bodies_and_are_where_the_problem_has_them(entries: RowEntries) -> None:
    plan = plan_bodies(entries)
    assert sorted(plan.order) == list(range(entries.row_count))
    hard = entries.base.row_count if entries.base is not None else 0
    for g, node in enumerate(plan.node):
        rows = plan.order[plan.group_start[g] : plan.group_start[g + 1]]
        members = plan.body[plan.member[plan.member_start[g] : plan.member_start[g + 1]]]
        assert 0 < rows.size <= 6
        assert ((rows < hard) == (node >= 0)).all()
        sources = plan.source[plan.entry_start[g] : plan.entry_start[g + 1]].reshape(rows.size, -1)
        for row, source in zip(rows, sources, strict=True):
            assert (entries.entry_row[source] == row).all()
            assert (entries.entry_body[source] == members).all()
            touched = entries.entry_body[entries.entry_start[row] : entries.entry_start[row + 1]]
            assert set(members) == set(touched[entries.moves[touched] > 0])


def test_islands_are_in_one_piece_each(entries: RowEntries) -> None:
    plan, (count, label) = plan_bodies(entries), entries.islands
    assert plan.islands == count
    for island in range(count):
        rows = plan.order[plan.island_start[island] : plan.island_start[island + 1]]
        assert set(rows) == set(np.flatnonzero(label == island))
        nodes = range(plan.node_start[island], plan.node_start[island + 1])
        for g in range(plan.island_group[island], plan.island_group[island + 1]):
            assert all(a in nodes for a in plan.member[plan.member_start[g] : plan.member_start[g + 1]])
            assert plan.group_start[g] in range(plan.island_start[island], plan.island_start[island + 1])


def test_blocks_are_those_of_a_dense_elimination(entries: RowEntries) -> None:
    plan = plan_bodies(entries)
    filled = np.tril(fill_of(graph_of(plan)), -1)
    blocks = np.zeros_like(filled)
    for k in range(plan.nodes):
        below = plan.below[plan.below_start[k] : plan.below_start[k + 1]]
        assert (np.diff(below) > 0).all()
        blocks[below, k] = True
        pairs = plan.target[plan.pair_start[k] : plan.pair_start[k + 1]].tolist()
        for number, b in enumerate(below):
            for a in below[number + 1 :]:
                target = pairs.pop(0)
                assert plan.below[target] == a
                assert plan.below_start[b] <= target < plan.below_start[b + 1]
        assert not pairs
    assert (blocks == filled).all()


def test_every_group_knows_its_blocks(entries: RowEntries) -> None:
    plan = plan_bodies(entries)
    column = np.repeat(np.arange(plan.nodes), np.diff(plan.below_start))
    for g, node in enumerate(plan.node):
        members = plan.member[plan.member_start[g] : plan.member_start[g + 1]]
        slots = plan.slot[plan.slot_start[g] : plan.slot_start[g + 1]]
        pairs = (
            [(a, node) for a in members] if node >= 0 else [(a, b) for i, a in enumerate(members) for b in members[:i]]
        )
        assert [(plan.below[s], column[s]) for s in slots] == [(max(p), min(p)) for p in pairs]


def test_hard_rows_follow_a_body_of_their_own(entries: RowEntries) -> None:
    plan, used = plan_bodies(entries), set()
    for g in np.argsort(plan.node):
        node, members = plan.node[g], plan.member[plan.member_start[g] : plan.member_start[g + 1]]
        if node < 0 or (members < node).all():
            continue
        partner = [a for a in members if a < node and a not in used]
        assert partner
        used.add(partner[0])


def test_a_chain_of_joints_has_no_fill(rng: np.random.Generator) -> None:
    plan = plan_bodies(body_problem(rng, bodies=30, contacts=0, joints=29).entries)
    assert plan.below.size == plan.nodes - 1


def test_a_row_without_bodies_is_an_island_of_its_own() -> None:
    entries = RowEntries(
        np.array([0, 1, 3]), np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0, 1], np.uint8),
        np.array([True, True]), np.array([0, 1]),
    )  # fmt: skip
    plan = plan_bodies(entries)
    assert plan.islands == 2
    assert plan.nodes == 3


def test_a_row_that_touches_a_body_twice_is_refused(rng: np.random.Generator) -> None:
    given = body_problem(rng, bodies=4, contacts=6).entries
    touched = given.entry_body.copy()
    touched[6:12] = 3
    with pytest.raises(InputError, match="row 3 touches a body twice"):
        plan_bodies(replace(given, entry_body=touched, structures={}))
