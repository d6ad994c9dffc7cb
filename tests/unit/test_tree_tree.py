"""Bodies with their joints inside: the condensed problem against dense Schur complements, and what is kept inside."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from staged_steps import latest_problem, latest_rows

import taut
from taut.joints import Fixed, Revolute, Spherical
from taut.problem.residuals import natural_residual
from taut.shapes import Box, Sphere
from taut.solvers.linear_time import LinearTime

LINK = Box(0.2, 0.05, 0.05)


def stepped(scene, steps=3, solver=None):
    """A simulation after some steps, its response holding the last linearisation."""
    sim = taut.Simulation(scene, solver="linear-time")
    sim.settings = sim.stepper.settings = replace(sim.settings, solver=solver or sim.settings.solver)
    for _ in range(steps):
        assert sim.step().status == "solved"
    return sim


def tree_of(sim):
    """What the solver knows of the rows of a simulation."""
    return sim.settings.solver.tree_of(latest_rows(sim).entries)


def hanging(count, limits=None, bodies=1.0, branches=1):
    """A comb: a chain of hinged links, with a hinged link hanging from every few of them."""
    scene = taut.Scene(collisions=False)
    last = "world"
    for index in range(count):
        name = f"link{index}"
        scene.add_body(name, LINK, mass=bodies, position=(0.2 * index + 0.1, 0.0, 0.0))
        axis = (0, 1, 0) if index % 2 else (0, 0.6, 0.8)
        scene.connect(last, name, Revolute(axis=axis, limits=limits), at=(0.2 * index, 0, 0))
        if branches and index % 3 == 0:
            scene.add_body(f"twig{index}", Sphere(0.04), mass=2.0 * bodies, position=(0.2 * index + 0.1, 0.1, -0.3))
            scene.connect(name, f"twig{index}", Spherical(), at=(0.2 * index + 0.1, 0.0, 0.0))
        last = name
    return scene


def ring(count=6):
    """A floating ring of bodies with ball joints."""
    scene = taut.Scene(collisions=False)
    angle = 2.0 * np.pi * np.arange(count) / count
    for index in range(count):
        position = (np.cos(angle[index]), np.sin(angle[index]), 0)
        scene.add_body(f"b{index}", Sphere(0.1), mass=1.0 + index, position=position)
    for index in range(count):
        middle = angle[index] + np.pi / count
        at = (np.cos(middle), np.sin(middle), 0.1 * index)
        scene.connect(f"b{index}", f"b{(index + 1) % count}", Spherical(), at=at)
    return scene


def blocks(sim):
    """A, b and the two kinds of rows of the last problem, dense; its factor is ready."""
    problem, tree = latest_problem(sim), tree_of(sim)
    assert tree.eliminate(problem)
    auxiliary = tree.layout.auxiliary
    primary = np.setdiff1d(np.arange(problem.size), auxiliary)
    return problem, problem.matrix().sparse.toarray(), problem.bias, primary, auxiliary


def scenes_with_contacts():
    ragdoll = taut.Scene()
    ragdoll.add_plane()
    ragdoll.add_body("trunk", Box(0.3, 0.2, 0.1), mass=20.0, position=(0, 0, 0.05))
    for side, y in (("left", 0.15), ("right", -0.15)):
        ragdoll.add_body(f"{side}-arm", Box(0.3, 0.06, 0.06), mass=2.0, position=(0.3, y, 0.03))
        ragdoll.connect("trunk", f"{side}-arm", Spherical(), at=(0.15, y, 0.03))
    ragdoll.add_body("stone", Box(0.2, 0.2, 0.2), mass=5.0, position=(2, 0, 0.1))
    return ragdoll


SCENES = {
    "comb": lambda: hanging(9),
    "comb with limits": lambda: hanging(9, limits=(-0.01, 0.01)),
    "ring": ring,
    "ragdoll on the ground": scenes_with_contacts,
    "short chain with many limits": lambda: hanging(30, limits=(-0.001, 0.001), branches=0),
}


@pytest.mark.parametrize("name", SCENES)
def test_condensed_problem_is_the_schur_complement(name):
    sim = stepped(SCENES[name]())
    problem, A, b, p, a = blocks(sim)
    left = tree_of(sim).left(problem)
    condensed = left.sparse.toarray()
    expected = A[np.ix_(a, a)] - A[np.ix_(a, p)] @ np.linalg.solve(A[np.ix_(p, p)], A[np.ix_(p, a)])
    np.testing.assert_allclose(condensed, expected, atol=1e-9 * max(np.abs(expected).max(initial=0.0), 1e-300))
    if a.size:
        expected_bias = b[a] - A[np.ix_(a, p)] @ np.linalg.solve(A[np.ix_(p, p)], b[p])
        np.testing.assert_allclose(left.bias, expected_bias, atol=1e-10)


@pytest.mark.parametrize("name", SCENES)
def test_expanded_multipliers_hold_the_primary_rows(name):
    sim = stepped(SCENES[name]())
    problem, A, b, p, a = blocks(sim)
    push, tree = np.random.default_rng(1).uniform(0.0, 1.0, a.size), tree_of(sim)
    tree.expand(problem, push)
    lam, w = tree.answer.lam, tree.answer.w
    np.testing.assert_array_equal(lam[a], push)
    np.testing.assert_allclose(A @ lam + b, w, atol=1e-10)
    np.testing.assert_allclose(w[p], 0.0, atol=1e-11)


@pytest.mark.parametrize("count", [4, 60])
def test_half_and_whole_solves_agree(count):
    """Few rows take half solves, many on a chain take whole ones; either way gives what the other would."""
    from taut.solvers.tree import anticipation_kernels as kernels

    sim = stepped(hanging(count, limits=(-0.001, 0.001), branches=0))
    problem, *_ = blocks(sim)
    tree = tree_of(sim)
    layout, primary, ldl, x = tree.layout, tree.factor.primary, tree.factor.ldl, tree.factor.x
    values = np.zeros((2, tree.values.size))
    heads, path = np.empty(2, np.int64), np.empty(10**5, np.int64)
    first = (layout.incidence.entry, layout.incidence.target, layout.incidence.mirror, 0, layout.pair_start)
    second = (problem.blocks.entry_body, primary.body_position, problem.blocks.jacobian, primary.plan.size, ldl.sign,
              primary.plan.parent, primary.plan.below_start, primary.plan.below, ldl.diagonal, ldl.block)  # fmt: skip
    x.fill(0.0)
    kernels.half_solves(*first, layout.pair_entry, *second, x, heads, path, np.empty((10**5, 6)), values[0])
    assert not x.any(), "the workspace is left as it was found"
    together = np.full((primary.plan.count, 6, kernels.TOGETHER), np.nan)
    reached = np.ones(primary.plan.count, np.uint8)
    kernels.whole_solves(
        *first, layout.pair_entry, layout.ranked, layout.lowest, layout.marked, *second, together, reached, values[1]
    )
    np.testing.assert_allclose(values[0], values[1], atol=1e-12 * np.abs(values[0]).max())


def test_loops_stay_inside_where_that_is_cheap():
    sim = stepped(ring())
    assert tree_of(sim).layout.auxiliary.size == 0
    assert tree_of(sim).factor.primary.plan.target.size > 0, "a ring fills in"


def test_loops_that_are_cut_are_auxiliary_rows_of_the_same_problem():
    inside, cut = stepped(ring(), 0), stepped(ring(), 0, LinearTime(cut_loops=True))
    assert tree_of(cut).layout.auxiliary.size == 3
    assert tree_of(cut).factor.primary.plan.target.size < tree_of(inside).factor.primary.plan.target.size
    for _ in range(20):
        assert inside.step().status == "solved" and cut.step().status == "solved"
    np.testing.assert_allclose(cut.state.position, inside.state.position, atol=1e-9)


def test_limits_springs_and_motors_are_sorted_by_their_bounds():
    """Unbounded rows are primary, soft ones too; limits and motors of limited force are left to pivot on."""
    scene = taut.Scene(collisions=False)
    scene.add_body("a", LINK, mass=1.0, position=(0.1, 0, 0))
    scene.add_body("b", LINK, mass=1.0, position=(0.3, 0, 0))
    scene.connect("world", "a", Revolute(axis=(0, 1, 0), limits=(-1, 1)), at=(0, 0, 0))
    scene.connect("a", "b", Fixed(), at=(0.2, 0, 0), compliance=1e-6)
    scene.add_spring("a", "b", point_a=(0, 0, 0.1), point_b=(0, 0, 0.1), stiffness=1e3, damping=1.0)
    sim = stepped(scene)
    assert tree_of(sim).layout.auxiliary.size == 1
    assert sim.report.rows - 1 == np.count_nonzero(tree_of(sim).factor.primary.row_position >= 0)


def test_islands_are_those_of_the_whole_problem():
    sim = stepped(scenes_with_contacts())
    from taut.structure.islands import find_islands

    problem, *_ = blocks(sim)
    count, label = find_islands(problem.matrix().pattern)
    assert problem.islands[0] == count > 1
    np.testing.assert_array_equal(problem.islands[1], label)


def break_factors(patch):
    """Let every factor fail."""
    for name in ("factor_tree", "solve_tree"):
        patch.setattr(f"taut.solvers.tree.tree_kernels.{name}", lambda *_: 0)


@pytest.mark.parametrize("name", SCENES)
def test_a_broken_factor_falls_back_to_the_whole_problem(name, monkeypatch):
    sim = stepped(SCENES[name]())
    problem, *_ = blocks(sim)
    expected = problem.velocity_change(sim.settings.solver.solve(problem).lam)
    break_factors(monkeypatch)
    solution = sim.settings.solver.solve(latest_problem(sim))
    assert solution.solved and solution.residual < 1e-9
    np.testing.assert_allclose(problem.velocity_change(solution.lam), expected, atol=1e-9)


def test_a_factor_that_breaks_for_a_while_changes_nothing_but_rounding(monkeypatch):
    sims = [taut.Simulation(SCENES["ragdoll on the ground"](), solver="linear-time") for _ in range(2)]
    for sim, broken in zip(sims, (False, True), strict=True):
        with monkeypatch.context() as patch:
            if broken:
                break_factors(patch)
            assert [sim.step().status for _ in range(3)] == ["solved"] * 3
        assert [sim.step().status for _ in range(3)] == ["solved"] * 3
    np.testing.assert_allclose(sims[1].state.position, sims[0].state.position, atol=1e-8)


def test_numbers_that_are_none_are_a_status():
    from taut.responses.row_kernels import respond_rows

    sim = stepped(hanging(5, limits=(-0.01, 0.01)))
    stepper, rows = sim.stepper, sim.stepper.own.rows
    stepper.own.kkt.turning[2] = np.nan
    stepper.own.kkt.inverse_inertia[2] = np.nan
    respond_rows(
        stepper.mechanism.laws.hard, stepper.scratch.redundant, stepper.mechanism.laws.joined, rows.compliance,
        rows.bias, stepper.scratch.candidate.free_velocity, stepper.scratch.candidate.near, stepper.own.handles[1],
    )  # fmt: skip
    problem = latest_problem(sim)
    solution = sim.settings.solver.solve(problem)
    assert solution.status == "non-finite" and solution.residual == np.inf
    assert not tree_of(sim).eliminate(problem)


def test_a_star_needs_no_matrix_of_all_its_rows():
    """J M^-1 J^T of a hub with n joints has n^2 blocks; nothing may ask for it."""
    scene = taut.Scene(collisions=False)
    scene.add_body("hub", Sphere(0.5), mass=10.0)
    for index in range(40):
        angle = 2.0 * np.pi * index / 40
        scene.add_body(f"s{index}", LINK, mass=0.1, position=(np.cos(angle), np.sin(angle), 0))
        scene.connect("hub", f"s{index}", Spherical(), at=(0.5 * np.cos(angle), 0.5 * np.sin(angle), 0))
    sim = stepped(scene)
    assert "incidence" not in vars(sim.model.entries)
    assert tree_of(sim).factor.ldl.block.shape[0] == 80


def test_a_changed_bias_is_solved_for():
    """The condensed matrix is kept, the bias of the auxiliary rows is another."""
    sim = stepped(hanging(5, limits=(-0.01, 0.01)))
    problem, A, b, _, _ = blocks(sim)
    sim.settings.solver.solve(problem)
    matrix, other = tree_of(sim).values, problem.with_bias(2.0 * b, problem.lower, problem.upper)
    solution = sim.settings.solver.solve(other)
    assert tree_of(sim).values is matrix
    np.testing.assert_allclose(A @ solution.lam + 2.0 * b, solution.w, atol=1e-9)
    assert natural_residual(other.matrix(), solution.lam) < 1e-9


def test_a_factor_of_other_numbers_is_not_used_again():
    """Problems of the same rows share memory; each finds its own answer, in whatever order they are solved."""
    sim = stepped(hanging(5, limits=(-0.01, 0.01)))
    solver, first = sim.settings.solver, latest_problem(sim)
    expected = solver.solve(first).lam
    sim.step()
    solver.solve(latest_problem(sim))
    np.testing.assert_array_equal(solver.solve(first.with_bounds(first.lower, first.upper)).lam, expected)


def test_primary_rows_with_bounds_after_all_are_pivoted_on():
    """Rows that never have bounds are eliminated; a problem that bounds them all the same is still solved."""
    sim = stepped(hanging(5))
    problem, A, b, _, _ = blocks(sim)
    upper = np.full(problem.size, np.inf)
    upper[::3] = 0.5 * sim.settings.solver.solve(problem).lam[::3]
    bounded = problem.with_bounds(np.minimum(problem.lower, upper - 1.0), upper)
    solution = sim.settings.solver.solve(bounded)
    assert solution.solved and solution.tight_count > 0
    assert natural_residual(bounded.matrix(), solution.lam) < 1e-9


def test_redundant_rows_give_way_once_when_the_problem_is_written_out():
    sim = stepped(taut.scenes.build("four_bar"))
    solver = sim.settings.solver
    assert sim.stepper.scratch.redundant.any()
    seen = []

    def look(problem, warm_start=None):
        seen.append(np.abs(problem.matrix().sparse.diagonal() / problem.diagonal - 1.0).max())
        return type(solver).solve(solver, problem, warm_start)

    watched = replace(sim.settings)
    object.__setattr__(watched, "solver", SimpleNamespace(solve=look, exact=True, name="linear-time"))
    sim.stepper.settings = watched
    sim.stepper.__dict__["smooth"] = None  # compiled frames would not ask
    for _ in range(3):
        sim.step()
    assert len(seen) >= 3 and max(seen) < 1e-12


def test_solvers_with_other_options_share_no_tree():
    sim = stepped(ring())
    entries, solver, other = sim.model.entries, sim.settings.solver, LinearTime(cut_loops=True)
    assert solver.tree_of(entries) is LinearTime().tree_of(entries)
    assert other.tree_of(entries) is not solver.tree_of(entries)
    assert other.tree_of(entries).factor.ldl is not solver.tree_of(entries).factor.ldl


def test_contacts_that_come_and_go_leave_the_elimination_as_it_is():
    sim = stepped(scenes_with_contacts())
    base, entries = sim.model.entries, latest_rows(sim).entries
    assert entries.base is base and entries.row_count > base.row_count
    assert tree_of(sim).factor is sim.settings.solver.tree_of(base).factor


def test_compiled_code_is_told_where_python_has_to_go_on():
    """1 where there is nothing to pivot on and all is accurate, 0 where rows are left or the factor breaks down."""
    from taut.solvers.tree.tree_kernels import solve_tree

    for name, expected in (("comb", 1), ("comb with limits", 0)):
        sim = stepped(SCENES[name]())
        problem, tree = latest_problem(sim), tree_of(sim)
        assert solve_tree(problem.handle, tree.work_handle, tree.answer_handle) == expected
    sim = stepped(SCENES["comb"]())
    problem, tree = latest_problem(sim), tree_of(sim)
    problem.blocks.compliance[:], problem.blocks.jacobian[:] = 0.0, 0.0
    assert solve_tree(problem.handle, tree.work_handle, tree.answer_handle) == 0
