"""Problems of machines are what they say they are, frame by frame, and can be solved."""

from __future__ import annotations

import numpy as np
import pytest

from taut import solvers
from taut.errors import InputError
from taut.problem import machines
from taut.problem.condition import condition_estimate
from taut.problem.machines import families
from taut.problem.machines.parts import STEP, WORLD, Machine, chain
from taut.problem.machines.paths import Y, Z, between, on, turned

SHARES = {
    "crane": (0.01, 0.05), "winch": (0.1, 0.25), "parkour": (0.03, 0.08), "offshore": (0.03, 0.1),
    "forklift": (0.01, 0.05), "forwarder": (0.01, 0.05),
}  # fmt: skip
"""Mean share of tight rows: from, to."""


@pytest.fixture(scope="module", params=machines.names())
def story(request):
    """A machine's problems and their solutions from cold starts."""
    found = machines.build(request.param)
    return found, [solvers.get("bpp").solve(problem) for problem in found.problems]


def test_machines_have_the_numbers_of_the_thesis(story):
    found, solutions = story
    rows = np.array([problem.size for problem in found.problems])
    assert rows.max() == pytest.approx(found.published.rows, rel=0.15)
    assert rows.mean() == pytest.approx(162 if found.name == "forklift" else found.published.rows, rel=0.15)
    assert found.mass_ratio == pytest.approx(found.published.mass_ratio, rel=0.15)
    decades = np.log10(condition_estimate(found.problems[0])) - np.log10(found.published.condition)
    assert abs(decades) < 1.0
    shares = [solution.tight_count / problem.size for problem, solution in zip(found.problems, solutions, strict=True)]
    low, high = SHARES[found.name]
    assert low < np.mean(shares) < high


def test_every_frame_is_solved_also_from_the_frame_before(story):
    found, solutions = story
    for frame, (problem, solution) in enumerate(zip(found.problems, solutions, strict=True)):
        assert solution.solved and solution.residual < 1e-9
        if frame % 10 == 1:
            warm = solvers.get("bpp").solve(problem, found.warm_start(frame, solutions[frame - 1]))
            assert warm.solved
            np.testing.assert_allclose(problem.sparse @ (warm.lam - solution.lam), 0.0, atol=1e-7)


def test_frames_with_the_same_rows_share_a_pattern_and_values_change(story):
    found, _ = story
    patterns = [problem.pattern for problem in found.problems]
    assert len(set(map(id, patterns))) < len(patterns) / 2
    for before, after, known, new in zip(
        found.problems, found.problems[1:], found.numbers, found.numbers[1:], strict=False
    ):
        assert (before.pattern is after.pattern) == np.array_equal(known, new)
        if before.pattern is after.pattern:
            change = np.abs(after.values - before.values).max() / np.abs(before.values).max()
            assert 0.0 < change < 0.2
    assert all((np.diff(numbers) > 0).all() for numbers in found.numbers)


def test_problems_are_the_same_for_the_same_seed_only():
    first, again, other = (machines.build("forwarder", frames=3, seed=seed) for seed in (1, 1, 2))
    for a, b, c in zip(first.problems, again.problems, other.problems, strict=True):
        assert (a.values == b.values).all() and (a.bias == b.bias).all()
        assert not np.array_equal(a.bias, c.bias)
    with pytest.raises(InputError, match="valid are: crane, winch"):
        machines.build("tractor")


def test_a_start_is_carried_over_by_the_numbers_of_rows():
    problem = machines.build("winch", frames=1).problems[0]
    solution = solvers.get("bpp").solve(problem)
    old = np.arange(problem.size)
    start = machines.carried(old, solution, np.array([2, 5, problem.size + 3]))
    np.testing.assert_array_equal(start.lam, [solution.lam[2], solution.lam[5], 0.0])
    np.testing.assert_array_equal(start.index_set, [*solution.index_set[[2, 5]], 0])


@pytest.mark.parametrize("family", [families.chain_like, families.pile_like])
def test_families_have_the_size_asked_for(family):
    for rows in (250, 700):
        problem = family(rows)
        assert problem.size == pytest.approx(rows, rel=0.15)
        solution = solvers.get("bpp").solve(problem)
        assert solution.solved and 0.0 < solution.tight_count < 0.1 * problem.size


def test_a_body_that_hangs_pulls_with_its_weight():
    machine = Machine("bob", compliance=1e-9, touching=1e-9)
    bob = machine.body(3.0, (0.2, 0.2, 0.2), on(WORLD, (0.0, 0.0, 1.0)))
    machine.ball(WORLD, bob, (0.0, 0.0, 0.5))
    problem = machine.problems(1)[0][0]
    lam = solvers.get("bpp").solve(problem).lam
    np.testing.assert_allclose(lam / STEP, [0.0, 0.0, 3.0 * 9.81], atol=1e-3)


def test_paths_keep_joints_closed():
    machine = Machine("loop", compliance=1e-9, touching=1e-9)
    arm = machine.body(1.0, (1.0, 0.1, 0.1), on(WORLD, (0.0, 0.0, 0.0), Y, lambda t: 0.3 * t, arm=(0.5, 0.0, 0.0)))
    rod = machine.body(1.0, (1.0, 0.1, 0.1), between(WORLD, (0.0, 1.0, 0.0), arm, (0.5, 0.0, 0.0), 1.0, -0.5))
    links = chain(machine, on(arm, (0.5, 0.0, 0.0)), 3, 1.0, 0.4, 0.1, lambda number, t: turned(Z, 0.1 * number * t))
    for time in (0.0, 0.7):
        centre, rotation = machine.poses(time)
        tip = centre[arm] + rotation[arm] @ [0.5, 0.0, 0.0]
        np.testing.assert_allclose(centre[rod] + rotation[rod] @ [0.5, 0.0, 0.0], tip, atol=1e-12)
        np.testing.assert_allclose(rotation[rod] @ rotation[rod].T, np.eye(3), atol=1e-12)
        for a, b in zip(links, links[1:], strict=False):
            np.testing.assert_allclose(
                centre[a] + rotation[a] @ [0.2, 0.0, 0.0], centre[b] - rotation[b] @ [0.2, 0.0, 0.0], atol=1e-12
            )


def test_rows_slide_where_the_path_does():
    machine = Machine("block", compliance=1e-9, touching=1e-9, excess=0.5)
    block = machine.body(2.0, (1.0, 1.0, 1.0), on(WORLD, (0.0, 0.0, 0.5), np.eye(3)[0], way=lambda t: 0.5 * t))
    machine.touch(WORLD, block, (0.0, 0.0, -0.5), 2.0 * 9.81)
    machine.touch(WORLD, block, (0.0, 0.4, -0.5), 2.0 * 9.81, gap=0.01)
    problem = machine.problems(1)[0][0]
    solution = solvers.get("bpp").solve(problem)
    assert solution.index_set[1] == -1 and solution.index_set[3] == -1 and solution.index_set[0] == 0
    assert solution.w[1] > 0.0 and solution.lam[1] == pytest.approx(-2.0 * 9.81 * STEP)
    free = np.linalg.solve(problem.sparse.toarray(), -problem.bias)
    assert free[1] < 1.49 * problem.lower[1] and free[3] < 0.0  # what sliding rows would ask for, were all free


def test_few_other_rows_leave_their_bounds_where_all_are_free(story):
    for problem in story[0].problems[::10]:
        free = solvers.get("bpp").solve(
            problem.with_bounds(np.full(problem.size, -np.inf), np.full(problem.size, np.inf))
        )
        beyond = (free.lam < problem.lower) | (free.lam > problem.upper)
        assert np.count_nonzero(beyond) <= 0.2 * problem.size + 4
