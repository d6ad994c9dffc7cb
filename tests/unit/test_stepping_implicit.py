"""Steps with the whole geometric stiffness: with every solver, with friction, on restart, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from implicit_steps import linearised
from sample_mechanisms import same_state

import taut
from taut import scenes, solvers
from taut.errors import InputError
from taut.problem.residuals import slack_and_residual
from taut.problem.solution import MlcpSolution, Status
from taut.stepping.implicit import ImplicitSolver

EXACT = [name for name in solvers.names() if solvers.get(name).exact]
SMALL = {
    "umbrella": {}, "spring_arm": {}, "four_bar": {}, "closed_chain": {"links": 10}, "chain_wrap": {"links": 12},
    "gear_train": {}, "plucked_cable": {"links": 8}, "ragdoll": {},
}  # fmt: skip
"""Scenes with springs, hinges, loops, contacts and gears."""


def run(name: str, frames: int, **options: object) -> taut.Simulation:
    simulation = taut.Simulation(scenes.build(name, **SMALL[name]), geometric_stiffness="exact", **options)
    for _ in range(frames):
        report = simulation.step()
        assert not report.unconverged and report.residual <= 1e-9
    return simulation


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("solver", EXACT)
def test_every_solver_goes_the_same_way(name: str, solver: str) -> None:
    first, second = run(name, 4, solver="bpp"), run(name, 4, solver=solver)
    assert second.state.position == pytest.approx(first.state.position, abs=1e-8)


@pytest.mark.parametrize("name", SMALL)
def test_it_goes_where_auto_goes(name: str) -> None:
    """K~ acts on v+ - v_k alone: what is left out of it decides how fast a step converges, not where to.

    So the two meet as the tolerance is tightened: `chain_wrap`, whose contacts have a tolerance of their own, is 8e-5 m
    off at the usual one and 3e-7 m here.
    """
    exact = run(name, 6, tolerance=1e-8)
    plain = taut.Simulation(scenes.build(name, **SMALL[name]), tolerance=1e-8)
    for _ in range(6):
        plain.step()
    assert exact.state.position == pytest.approx(plain.state.position, abs=1e-6)


@pytest.mark.parametrize("name", sorted({*SMALL, "spring_tree", "linkages", "robot_arm", "star", "mass_ladder"}))
def test_what_is_found_passes_its_own_certificate(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No solve of these scenes is left to "auto" as a whole: that would hide what is wrong with this one."""
    original, statuses = ImplicitSolver.solve_coupled, []

    def seen(self: ImplicitSolver, *arguments: object) -> MlcpSolution:
        solution = original(self, *arguments)
        statuses.append((solution.status, solution.residual <= 1e-11))
        return solution

    monkeypatch.setattr(ImplicitSolver, "solve_coupled", seen)
    simulation = taut.Simulation(scenes.build(name, **SMALL.get(name, {})), geometric_stiffness="exact")
    for _ in range(5):
        simulation.step()
    assert set(statuses) == {(Status.SOLVED, True)}


@pytest.mark.parametrize("wrong", ["velocity", "joint", "spring"])
def test_the_certificate_can_fail(wrong: str) -> None:
    """Velocities, or an impulse of any kind of row, that are off by 1e-6 of themselves do not pass."""
    solver = linearised(scenes.build("spring_arm"))
    solution = solver.solve(solver.problem)
    lam, change = solver.changes[-1]
    assert solver.certify(solver.problem, lam, change)[1] <= 1e-12
    lam, change = lam.copy(), change.copy()
    if wrong == "velocity":
        change += 1e-6 * solver.stepper.scratch.candidate.guess
    else:
        rows = solver.response.kept if wrong == "joint" else solver.response.absorbed.rows
        lam[rows[np.argmax(np.abs(lam[rows]))]] *= 1.0 + 1e-6
    assert solution.solved and solver.certify(solver.problem, lam, change)[1] > 1e-9


def test_iterative_solvers_work_too() -> None:
    simulation = taut.Simulation(scenes.build("four_bar"), geometric_stiffness="exact", solver="pgs")
    for _ in range(4):
        assert simulation.step().solves == 1
    assert simulation.state.is_finite()


@pytest.mark.parametrize("friction", ["box", "box-refined", "cone"])
def test_friction_is_solved_with_it(friction: str) -> None:
    simulation = taut.Simulation(scenes.build("incline"), geometric_stiffness="exact", friction=friction)
    plain = taut.Simulation(scenes.build("incline"), friction=friction)
    for _ in range(10):
        report = simulation.step()
        plain.step()
        assert not report.unconverged and report.friction_residual <= 1e-2
    assert simulation.state.position == pytest.approx(plain.state.position, abs=1e-6)


@pytest.mark.parametrize("name", SMALL)
def test_a_restored_state_goes_on_to_the_bit(name: str) -> None:
    """Neither orders nor factors that were worked out before leave a trace."""
    first = run(name, 5)
    second = taut.Simulation(scenes.build(name, **SMALL[name]), geometric_stiffness="exact")
    second.restore(first.state.copy())
    for _ in range(3):
        first.step()
        second.step()
        assert same_state(first.state, second.state) == []


def test_problems_that_are_handed_out_have_the_solution_that_was_taken() -> None:
    """Rows in M~ are rows of their own there, so that a dumped problem can be solved again."""
    solver = linearised(scenes.build("spring_arm"))
    solution = solver.solve(solver.problem)
    matrix = solver.problem.matrix()
    assert solver.response.absorbed.rows.size and matrix.size == solution.lam.size
    kept = solver.response.kept
    again = solvers.get("bpp").solve(matrix)
    assert again.solved and again.lam[kept] == pytest.approx(solution.lam[kept], rel=1e-7, abs=1e-9)
    assert slack_and_residual(matrix, again.lam)[1] < 1e-12


def test_problems_are_handed_out() -> None:
    seen = []
    simulation = taut.Simulation(
        scenes.build("spring_arm"), geometric_stiffness="exact", problems=lambda number, solved: seen.append(solved)
    )
    for _ in range(3):
        simulation.step()
    assert [solved.problem.size for solved in seen] == [simulation.report.rows] * 3


def test_joint_coordinates_are_refused() -> None:
    for coordinates in ("reduced", "auto"):
        with pytest.raises(InputError, match="coordinates is '.*'; with 'exact' stiffness it must be 'maximal'"):
            taut.Simulation(scenes.build("four_bar"), geometric_stiffness="exact", coordinates=coordinates)


def test_rows_whose_stiffness_nobody_wrote_down_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their companions would be idle, and nothing would take their place."""
    from taut.rows import stiffness

    monkeypatch.delitem(stiffness.KINDS, "distances")
    with pytest.raises(InputError, match="does not know rows of distances: use 'auto'"):
        run("spring_arm", 1)
    run("gear_train", 1)  # which has none of them


def test_nothing_to_couple_is_no_trouble() -> None:
    """Free bodies, no rows at all, and loads away from the centre of mass."""
    scene = taut.Scene(collisions=False)
    scene.add_body("a", mass=1.0, inertia=(0.1, 0.2, 0.3))
    scene.add_load("a", force=(0.0, 1.0, 0.0), point=(0.1, 0.0, 0.0))
    simulation, plain = (taut.Simulation(scene, geometric_stiffness=mode) for mode in ("exact", "auto"))
    for _ in range(5):
        assert simulation.step().status == "solved"
        plain.step()
    assert simulation.state.position == pytest.approx(plain.state.position, abs=1e-7)


def test_bodies_come_and_go() -> None:
    simulation = run("closed_chain", 3)
    with simulation.edit() as edit:
        edit.remove_body("link-4")
    for _ in range(3):
        assert simulation.step().residual <= 1e-9


def test_sleeping_bodies_wake_in_it() -> None:
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("box", taut.shapes.Box(1, 1, 1), mass=2.0, position=(0, 0, 0.5))
    simulation = taut.Simulation(scene, geometric_stiffness="exact", sleeping=True)
    for _ in range(60):
        report = simulation.step()
    assert report.sleeping == 1
    simulation.body("box").apply((100.0, 0.0, 0.0))
    assert simulation.step().sleeping == 0


def test_numbers_that_are_none_are_a_status(monkeypatch: pytest.MonkeyPatch) -> None:
    from taut.stepping import implicit

    simulation = run("spring_arm", 2)
    original = implicit.all_stiffness

    def spoiled(*arguments: object) -> object:
        blocks = original(*arguments)
        return blocks._replace(block=blocks.block * np.nan)

    monkeypatch.setattr(implicit, "all_stiffness", spoiled)
    report = simulation.step()
    assert report.status == "solved" and report.clipped > 0, "what cannot be had is left to auto"
