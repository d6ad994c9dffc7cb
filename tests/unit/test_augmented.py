"""The factor that is augmented against its dense twin: nodes, couplings and values that come, go and change."""

from __future__ import annotations

import numpy as np
import pytest
from augmented_examples import Pair, chain, net, tree
from hypothesis import given, settings
from hypothesis import strategies as st

from taut.errors import InputError
from taut.linalg import augmented
from taut.linalg.augmented import FRONTS

EXAMPLES = {"chain": lambda: chain(30), "tree": lambda: tree(30, seed=3), "net": lambda: net(6, seed=4)}


def fronts(pair: Pair) -> int:
    return int(pair.factor.table.counts[FRONTS])


def rows_by_elimination(pair: Pair) -> dict[int, list[int]]:
    """Rows below every node by the textbook: nodes that one meets when it goes meet each other from then on."""
    rank = pair.factor.table.rank
    near = {node: {b for a, b in pair.twin.block if a == node != b} for node in pair.twin.size}
    found = {}
    for node in sorted(near, key=lambda each: rank[each]):
        found[node] = sorted(near[node], key=lambda each: rank[each])
        for other in near[node]:
            near[other] = (near[other] | near[node]) - {node, other}
    return found


def rows_of_fronts(pair: Pair) -> dict[int, list[int]]:
    table = pair.factor.table
    start, count = table.below_start, table.below_count
    return {node: table.below[start[node] : start[node] + count[node]].tolist() for node in pair.twin.size}


def expect_right(pair: Pair, tolerance: float = 1e-10) -> None:
    assert pair.factor.update() == -1
    assert rows_of_fronts(pair) == rows_by_elimination(pair)
    assert pair.error() <= tolerance


@pytest.mark.parametrize("name", EXAMPLES)
def test_solves_what_numpy_solves(name: str) -> None:
    pair = EXAMPLES[name]()
    assert pair.factor.order() == -1
    rhs = pair.rhs(4)
    assert pair.solve(rhs) == pytest.approx(pair.twin.solve(rhs), rel=1e-6, abs=1e-9)
    assert pair.error() <= 1e-13
    assert pair.factor.probe() <= 1e-12


def test_many_right_hand_sides_have_the_bits_of_each() -> None:
    pair = tree(20)
    pair.factor.order()
    rhs = pair.rhs(3)
    assert (pair.solve(rhs)[:, 1:2] == pair.solve(rhs[:, 1:2])).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1e-6, 1e-2, 1.0]))
def test_any_sequence_of_edits_gives_what_a_new_factor_gives(seed: int, softness: float) -> None:
    pair = Pair(seed, softness)
    for _ in range(30):
        for _ in range(int(pair.rng.integers(1, 4))):
            edit_at_random(pair)
        expect_right(pair)
        rhs = pair.rhs()
        after = pair.solve(rhs)
        pair.factor.touch()
        assert pair.factor.update() == -1
        assert (pair.solve(rhs) == after).all(), "a path has other bits than the whole"


def edit_at_random(pair: Pair) -> None:
    rng = pair.rng
    kind = rng.choice(["body", "body", "row", "row", "spring", "remove", "weigh", "turn", "uncouple"])
    several = [int(each) for each in rng.permutation(pair.bodies)[: int(rng.integers(1, 4))]]
    if kind == "body" or not pair.bodies:
        pair.body(int(rng.integers(1, 7)))
    elif kind == "row":
        pair.row(several, int(rng.integers(1, 7)))
    elif kind == "spring" and len(several) > 1:
        pair.spring(several[0], several[1])
    elif kind == "remove":
        pair.remove(int(rng.choice([*pair.bodies, *pair.rows])))
    elif kind == "weigh":
        pair.set(several[0], 2.0 * pair.twin.block[several[0], several[0]])
    elif pair.rows:
        row = int(rng.choice(pair.rows))
        near = sorted(b for a, b in pair.twin.block if a == row != b)
        if near and kind == "turn":
            pair.couple(row, near[0])
        elif near:
            pair.uncouple(row, near[0])


def test_a_cut_does_the_fronts_on_its_way_only() -> None:
    pair = chain(1000)
    assert pair.factor.order() == -1
    assert pair.factor.height == 11
    pair.remove(pair.rows[500])
    assert pair.factor.update() == -1
    assert fronts(pair) <= 2 * 11
    assert pair.error() <= 1e-12


def test_a_link_is_inserted_where_it_belongs() -> None:
    pair = chain(200)
    pair.factor.order()
    fill = pair.factor.fill
    pair.remove(pair.rows[100])
    body = pair.body()
    pair.row([pair.bodies[99], body])
    pair.row([body, pair.bodies[100]])
    expect_right(pair, 1e-12)
    assert fronts(pair) <= 30
    assert pair.factor.fill <= fill + 8


def test_values_change_along_a_path_and_nothing_else_is_done() -> None:
    pair = chain(200)
    pair.factor.order()
    pair.weigh(pair.bodies[77])
    assert pair.factor.update() == -1
    assert fronts(pair) <= 10
    assert pair.factor.update() == -1
    assert fronts(pair) == 0
    assert pair.error() <= 1e-12


def test_growth_at_one_end_is_ordered_again_before_the_tree_is_high() -> None:
    pair = chain(50)
    pair.factor.order()
    highest = 0
    for _ in range(300):
        pair.row([pair.bodies[-1], pair.body()])
        assert pair.factor.update() == -1
        highest = max(highest, pair.factor.height)
    assert highest <= 4 * 10
    assert 3 <= pair.factor.orderings <= 20
    assert pair.error() <= 1e-12


def test_ten_thousand_edits_leave_no_error() -> None:
    """Rows between random bodies: with each an old one goes, and its number is used again at once."""
    pair = tree(40)
    assert pair.factor.order() == -1
    first, worst, rng = pair.error(), 0.0, np.random.default_rng(5)
    for number in range(10_000):
        pair.remove(int(rng.choice(pair.rows)))
        pair.row([int(each) for each in rng.choice(pair.bodies, 2, replace=False)])
        if number % 3 == 0:
            pair.weigh(int(rng.choice(pair.bodies)))
        assert pair.factor.update() == -1
        if number % 500 == 499:
            worst = max(worst, pair.error())
    assert first <= 1e-13
    assert worst <= 1e-12


def test_a_probe_that_finds_errors_has_all_ordered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = chain(10)
    pair.factor.order()
    monkeypatch.setattr(augmented, "PROBE_EVERY", 1)
    assert pair.factor.orderings == 1
    pair.row([pair.bodies[2]])
    pair.factor.update()
    assert pair.factor.orderings == 1
    pair.row([pair.bodies[4]])
    pair.factor.table.value[:] *= 1.001  # as if errors had added up
    pair.factor.update()
    assert pair.factor.orderings == 2
    assert pair.error() <= 1e-12


def test_a_block_that_is_not_definite_is_named_and_can_be_mended() -> None:
    pair = chain(10)
    pair.factor.order()
    pair.set(pair.bodies[4], -np.eye(6))
    assert pair.factor.update() == pair.bodies[4]
    assert pair.factor.update() == pair.bodies[4]
    pair.weigh(pair.bodies[4])
    expect_right(pair, 1e-12)


def test_a_structure_that_changed_before_a_failure_is_not_forgotten() -> None:
    pair = chain(20)
    pair.factor.order()
    pair.set(pair.bodies[4], -np.eye(6))
    pair.row([pair.bodies[4], pair.bodies[15]])
    assert pair.factor.update() == pair.bodies[4]
    pair.weigh(pair.bodies[4])
    expect_right(pair, 1e-12)


def test_hard_rows_are_factored_after_a_body_of_their_own() -> None:
    pair = chain(100, softness=0.0)
    assert pair.factor.order() == -1
    assert pair.error() <= 1e-13
    pair.row([pair.bodies[3], pair.bodies[90]], 2)  # closes a loop
    assert pair.factor.update() == -1
    assert pair.error() <= 1e-11


def test_a_row_that_comes_to_touch_a_later_body_is_placed_after_it() -> None:
    pair = tree(60, seed=2)
    pair.factor.order()
    rank = pair.factor.table.rank
    row = min(pair.rows, key=lambda each: rank[each])
    last = max(pair.bodies, key=lambda each: rank[each])
    pair.couple(row, last)
    expect_right(pair, 1e-12)
    rank = pair.factor.table.rank
    assert rank[row] > rank[last]


def test_all_may_go_and_come_back() -> None:
    pair = chain(5)
    pair.factor.order()
    for node in [*pair.rows, *pair.bodies]:
        pair.remove(node)
        expect_right(pair)
    assert pair.factor.fill == 0
    pair.row([pair.body()])
    expect_right(pair)


def test_sizes_and_signs_are_checked() -> None:
    with pytest.raises(InputError, match="size 7 and sign 1"):
        Pair().factor.add(7)
    with pytest.raises(InputError, match="size 3 and sign 0"):
        Pair().factor.add(3, 0)
