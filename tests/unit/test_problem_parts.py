"""What parts of problems promise: rows within two different parts are never coupled."""

from __future__ import annotations

import numpy as np
import pytest
from body_problems import body_problem
from hypothesis import given
from hypothesis import strategies as st
from matrix_examples import EXAMPLES, problem_of
from partition_examples import chain, hyper_entries, net_under_load, problem_over, rows_over

import taut
from taut.errors import InputError
from taut.problem.kkt import KktProblem, Problem
from taut.problem.parts import CHOICES, kept_or_searched, partition_of, row_parts
from taut.solvers.part_coupling_cost import CouplingCost
from taut.structure.incidence import RowEntries
from taut.structure.partition import extend


def coupled_rows(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of all entries of A."""
    pattern = problem.entries.incidence.pattern if isinstance(problem, KktProblem) else problem.pattern
    return np.repeat(np.arange(pattern.size), np.diff(pattern.indptr)), pattern.indices


def check_parts(problem: Problem, choice: str, size: int) -> None:
    found = partition_of(problem, choice, size)
    row, column = coupled_rows(problem)
    within = (found.row[row] >= 0) & (found.row[column] >= 0)
    np.testing.assert_array_equal(found.row[row[within]], found.row[column[within]])
    assert found.row.dtype == np.int64 and found.row.min(initial=0) >= -1
    assert found.row.max(initial=-1) < max(found.count, 1)
    assert found.interface == np.count_nonzero(found.row < 0)
    assert row_parts(problem, choice, size) is found.row, "worked out once"


@given(st.integers(0, 10**6), st.sampled_from([choice for choice in CHOICES if choice != "rows"]), st.integers(0, 9))
def test_no_entry_couples_rows_within_two_parts(seed: int, choice: str, size: int) -> None:
    check_parts(problem_over(hyper_entries(seed)), choice, size)


@pytest.mark.parametrize("size", [0, 1, 5])
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_same_where_rows_are_the_nodes(name: str, size: int) -> None:
    for choice in CHOICES:
        check_parts(problem_of(EXAMPLES[name]), choice, size)
    with_bodies = body_problem(np.random.default_rng(size), joints=5)
    check_parts(with_bodies, "rows", size)


def test_choices_and_sizes_that_are_none_are_named() -> None:
    problem = problem_over(hyper_entries(1))
    with pytest.raises(
        InputError, match="problem: partition is 'metis'; it must be one of: auto, groups, minimum-degree, chain"
    ):
        row_parts(problem, "metis")
    for size in (-1, 2.0, True):
        with pytest.raises(
            InputError, match=f"problem: part_size is {size!r}; it must be a whole number of bodies, 0 for"
        ):
            row_parts(problem, "auto", size)  # type: ignore[arg-type]


SCENES = ("chain_wrap", "crane", "cut_net", "forklift", "reeving", "stack_of_boxes", "stayed_bridge", "four_bar")


@pytest.mark.parametrize("name", SCENES)
def test_the_promise_holds_for_problems_of_scenes(name: str) -> None:
    simulation, seen = taut.Simulation(taut.scenes.build(name)), []
    simulation.stepper.show(lambda problem, start, solution: seen.append(problem))
    simulation.step()
    assert isinstance(seen[-1], KktProblem) and seen[-1].entries.group is not None
    for choice in CHOICES:
        for size in (0, 7):
            check_parts(seen[-1], choice, size)


def test_groups_are_parts_and_are_cut_where_they_are_larger() -> None:
    entries = rows_over([(k, k + 1) for k in range(1, 12)], np.ones(13, np.uint8), group=np.arange(13) // 6)
    problem = problem_over(entries)
    whole, cut = partition_of(problem, "groups", 100), partition_of(problem, "groups", 3)
    assert whole.count == 3 and whole.interface == 2
    assert cut.count == 5 and cut.interface == 4  # body 12 is a group of its own
    assert partition_of(problem, "groups").time <= min(whole.time, cut.time)


def test_chains_stay_as_they_are_while_contacts_come_and_go() -> None:
    moves = (np.arange(13) > 0).astype(np.uint8)
    joints = [(k - 1, k) for k in range(1, 11)]
    with_contacts = [partition_of(problem_over(rows_over([*joints, *more], moves, 10)), "chains", 5) for more in (
        [(2, 9)], [(1, 10), (3, 7), (4, 8)], [(11, 12), (2, 11)],
    )]  # fmt: skip
    for found in with_contacts:
        assert len({*found.node[1:6]}) == len({*found.node[6:11]}) == 1 and found.node[5] != found.node[6]
    assert with_contacts[2].node[11] == with_contacts[2].node[12] >= 0


def test_bodies_that_no_joint_holds_are_divided_by_their_contacts() -> None:
    pile = [(k, k + 3) for k in range(12)] + [(k, k + 1) for k in range(14)]
    problem = problem_over(rows_over(pile, np.ones(15, np.uint8), 0))
    by_contacts = partition_of(problem, "minimum-degree", 5)
    assert partition_of(problem, "chains", 5).node.tolist() == by_contacts.node.tolist()
    assert by_contacts.count == 3


def test_auto_is_what_is_predicted_to_take_less_where_a_search_may_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taut.structure.cost_kernels.PATTERN_USES", np.inf)
    for seed in range(20):
        problem = problem_over(hyper_entries(seed))
        found = [partition_of(problem, choice) for choice in ("groups", "minimum-degree", "chains")]
        assert kept_or_searched(problem.entries, 0).time <= min(each.time for each in found)


def test_auto_keeps_bodies_where_they_are_when_contacts_come_and_go() -> None:
    moves = (np.arange(34) > 0).astype(np.uint8)
    joints = [(k - 1, k) for k in range(1, 31) for _ in range(3)]
    always = partition_of(problem_over(rows_over(joints, moves)), "auto", 5)
    for more in ([(2, 9)], [(1, 10), (31, 32)], [(32, 33), (2, 31)]):
        found = partition_of(problem_over(rows_over([*joints, *more], moves, len(joints))), "auto", 5)
        np.testing.assert_array_equal(found.node[1:31], always.node[1:31])
        np.testing.assert_array_equal(found.row[: len(joints)], always.row)
        loose = np.unique(np.array([body for pair in more for body in pair if body > 30], np.int64))
        assert (found.node[loose] >= always.count).all() and np.unique(found.node[loose]).size == min(loose.size, 1)


@given(st.integers(0, 10**6), st.integers(0, 9))
def test_what_is_kept_keeps_the_promise_and_depends_on_the_rows_alone(seed: int, size: int) -> None:
    check_parts(problem_over(hyper_entries(seed)), "auto", size)
    entries, again = hyper_entries(seed), hyper_entries(seed)
    if entries.base is not None:
        partition_of(problem_over(entries.base), "auto", size)  # whether somebody asked for it before or not
    found, other = (partition_of(problem_over(each), "auto", size) for each in (entries, again))
    np.testing.assert_array_equal(found.node, other.node)


def test_parts_are_looked_for_again_where_that_is_worth_it() -> None:
    moves = (np.arange(202) > 0).astype(np.uint8)
    joints = [(k - 1, k) for k in range(1, 201) for _ in range(3)]
    pile = [(k, 1 + (7 * k) % 200) for k in range(1, 201) for _ in range(6)]
    entries = rows_over([*joints, *pile], moves, len(joints))
    found, kept = kept_or_searched(entries, 0), kept_or_searched(rows_over(joints, moves), 0)
    assert found.time < extend(kept, entries).time


def test_a_load_on_a_net_gets_a_part_of_its_own_where_that_is_better() -> None:
    entries = net_under_load(side=20, touched=60)
    found = partition_of(problem_over(entries), "minimum-degree", 50)
    assert np.count_nonzero(found.node == found.node[-1]) == 1


def test_one_chain_in_parts_of_any_size_has_few_rows_between_them() -> None:
    found = partition_of(problem_over(chain(64)), "minimum-degree", 16)
    assert (found.count, found.interface) == (4, 9)


def pushed_apart(entries: RowEntries) -> np.ndarray:
    """Rows with bounds at bodies that such a row pushes against another one that moves, in words."""
    bodies = [
        {int(body) for body in entries.entry_body[slice(*entries.entry_start[row : row + 2])] if entries.moves[body]}
        for row in range(entries.row_count)
    ]
    bounded = [row for row in range(entries.row_count) if not entries.unbounded[row]]
    pushed = set().union(*(bodies[row] for row in bounded if len(bodies[row]) > 1))
    return np.array([row in bounded and bool(bodies[row] & pushed) for row in range(entries.row_count)])


@given(st.integers(0, 10**6), st.integers(1, 9))
def test_rows_with_bounds_are_at_the_interface_where_bodies_push_each_other(seed: int, size: int) -> None:
    problem = problem_over(hyper_entries(seed))
    plain, found = kept_or_searched(problem.entries, size), partition_of(problem, "auto", size)
    np.testing.assert_array_equal(found.row, np.where(pushed_apart(problem.entries), -1, plain.row))
    np.testing.assert_array_equal(found.node, plain.node)


def test_piles_then_take_few_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within parts, as minimum degree leaves them, contacts between bodies take many, if they are not given up."""
    monkeypatch.setattr(CouplingCost, "of_whole", lambda *_: np.inf)
    most = {"auto": 0, "minimum-degree": 0}
    for seed in range(6):
        problem = body_problem(np.random.default_rng(seed), bodies=40, contacts=110, ratio=100.0)
        for choice in most:
            found = taut.solvers.get("schur-bpp", partition=choice, part_size=8).solve(problem)
            assert found.solved and found.residual <= 1e-9
            most[choice] = max(most[choice], found.coupling_iterations)
    assert most["auto"] <= 3 < most["minimum-degree"], most
