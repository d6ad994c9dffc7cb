"""Linear-time multipliers against block pivoting on all rows: the same new velocity in every linearised solve."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import taut
from taut import scenes, solvers
from taut.problem import KktProblem, natural_residual
from taut.responses.free_bodies import FreeBodies
from taut.solvers.linear_time import LinearTime
from taut.stepping import smooth
from taut.stepping.stepper import Stepper
from taut.stepping.tables import FRAMES

AGREEMENT = 1e-9
"""Largest difference of new velocities, over the largest velocity or what gravity gives in a step."""

EXTREME, EXTREME_BY_MASS = 1e-6, 1e-7
"""The same for light bodies under loads of 100,000 times their mass, and weighted by mass: impulses of that size are
known to rounding times the condition of the problem only, by pivoting less well than along the tree."""

TREES = [
    ("planar_tree", {}, 12),
    ("planar_tree", {"auxiliary": 12}, 12),
    ("spatial_tree", {}, 12),
    ("spatial_tree", {"joints": 32, "contacts": True}, 30),
    ("star", {}, 12),
    ("hanging_chain", {}, 12),
    ("mass_ladder", {"ratio": 1e4}, 12),
    ("knife_edge", {}, 12),
]
HEAVY = [("long_chain", {}, 3), ("mass_ladder", {"ratio": 1e6}, 12)]
LOOPS = [("linkages", {}, 12), ("wheel_coupling", {}, 12), ("four_bar", {}, 40), ("gear_train", {}, 12)]
TOUCHING = [
    ("chain_wrap", {"links": 20}, 40),
    ("ragdoll", {}, 40),
    ("chain_drop", {"links": 40}, 30),
    ("snap_chain", {}, 12),
]


@dataclass
class Comparison:
    """What the solves of a run showed."""

    differences: list[float] = field(default_factory=list)
    by_mass: list[float] = field(default_factory=list)
    residuals: list[float] = field(default_factory=list)
    auxiliary: list[int] = field(default_factory=list)
    stepper: Stepper | None = None


@pytest.fixture
def comparison(monkeypatch: pytest.MonkeyPatch) -> Comparison:
    """Solve every problem of `linear-time` with `bpp` as well, from the same start, and compare the velocities."""
    seen, plain, pivoting = Comparison(), LinearTime.solve, solvers.get("bpp")
    along, rows_with = LinearTime.solve_along_tree, Stepper.rows_with

    def watched(self, contacts):
        seen.stepper = self  # whose rows are linearised next
        return rows_with(self, contacts)

    def certified(self, problem, warm_start):
        solution = along(self, problem, warm_start)
        assert solution.solved, "the fallback is the solver compared with: it would agree with itself"
        return solution

    def both(self, problem, warm_start=None):
        solution = plain(self, problem, warm_start)
        if isinstance(problem, KktProblem):
            # from its own labels once more: what the interior point ends with is exact to 1e-13 only
            reference = pivoting.solve(problem, pivoting.solve(problem, warm_start))
            assert solution.solved and reference.solved
            scratch, bodies = seen.stepper.scratch, seen.stepper.mechanism.bodies
            free, step = scratch.candidate.free_velocity, 9.81 * scratch.weights.h[0]
            ours, theirs = (free + problem.velocity_change(each.lam) for each in (solution, reference))
            seen.differences.append(float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), step)))
            response = FreeBodies(problem.blocks, bodies.mass * bodies.moves, scratch.candidate.inertia)
            weight = step * np.sqrt(bodies.mass[1:].sum())
            seen.by_mass.append(mass_norm(response, ours - theirs) / max(mass_norm(response, theirs), weight))
            seen.residuals.append(solution.residual)
            seen.auxiliary.append(self.tree_of(problem.entries).layout.auxiliary.size)
        return solution

    monkeypatch.setattr(smooth, "can_be_smooth", lambda _: False)  # what is compiled would not ask, see below
    monkeypatch.setattr(Stepper, "rows_with", watched)
    monkeypatch.setattr(LinearTime, "solve", both)
    monkeypatch.setattr(LinearTime, "solve_along_tree", certified)
    return seen


def mass_norm(response, velocity):
    """Root of twice the kinetic energy of these velocities (bodies, 6), kg^1/2 m/s."""
    return float(np.sqrt(2.0 * response.kinetic_energy(velocity).sum()))


def run(name: str, parameters: dict[str, object], frames: int) -> taut.Simulation:
    """Step a scene with the linear-time solver."""
    simulation = taut.Simulation(scenes.build(name, **parameters), solver="linear-time")
    for _ in range(frames):
        assert simulation.step().status == "solved"
    return simulation


@pytest.mark.parametrize(("name", "parameters", "frames"), [*TREES, *LOOPS, *TOUCHING], ids=str)
def test_new_velocities_agree_with_pivoting_on_all_rows(name, parameters, frames, comparison):
    run(name, parameters, frames)
    assert len(comparison.differences) >= frames
    assert max(comparison.differences) <= AGREEMENT
    assert max(comparison.by_mass) <= AGREEMENT
    assert max(comparison.residuals) <= 1e-9


@pytest.mark.parametrize(("name", "parameters", "frames"), HEAVY, ids=str)
def test_new_velocities_agree_under_extreme_loads(name, parameters, frames, comparison):
    run(name, parameters, frames)
    assert max(comparison.by_mass) <= EXTREME_BY_MASS
    assert max(comparison.differences) <= EXTREME
    assert max(comparison.residuals) <= 1e-14


@pytest.mark.parametrize(("name", "parameters", "frames"), TREES[:3], ids=str)
def test_trees_leave_no_rows_to_pivot_on(name, parameters, frames, comparison):
    simulation = run(name, parameters, 3)
    assert simulation.report.rows == (381 if name == "spatial_tree" else 108)
    assert max(comparison.auxiliary) <= parameters.get("auxiliary", 0)


@pytest.mark.parametrize("solver", ["linear-time", "bpp"])
@pytest.mark.parametrize(("name", "parameters", "frames"), [*TREES[:3], *TREES[4:6], *LOOPS], ids=str)
def test_compiled_frames_find_what_pivoting_on_all_rows_finds(name, parameters, frames, solver):
    """Their last linearised solve once more, cold: the same new velocity, and the residual that they say."""
    simulation, compiled = taut.Simulation(scenes.build(name, **parameters), solver=solver), 0
    stepper, free = simulation.stepper, simulation.stepper.scratch.candidate.free_velocity
    for _ in range(frames):
        report = simulation.step()
        assert report.status == "solved"
        frames_in_a_row = stepper.smooth
        if frames_in_a_row is None or not frames_in_a_row.course.report[FRAMES]:
            continue
        compiled += 1
        problem = KktProblem(stepper.own.entries, stepper.own.kkt)
        reference = solvers.get("bpp").solve(problem)
        ours, theirs = (free + problem.velocity_change(lam) for lam in (stepper.own.answer.lam, reference.lam))
        scale = max(np.abs(theirs).max(), 9.81 * simulation.settings.step)
        assert np.abs(ours - theirs).max() <= AGREEMENT * scale
        assert report.residual == pytest.approx(natural_residual(problem, stepper.own.answer.lam), abs=1e-12)
    assert compiled >= frames // 4, "the test must meet compiled frames"


def test_loops_that_are_cut_are_the_twelve_auxiliary_rows(comparison):
    simulation = taut.Simulation(scenes.build("planar_tree", auxiliary=12), solver="linear-time")
    simulation.settings = simulation.stepper.settings = replace(simulation.settings, solver=LinearTime(cut_loops=True))
    for _ in range(12):
        assert simulation.step().status == "solved"
    assert set(comparison.auxiliary) == {12}
    assert max(comparison.differences) <= AGREEMENT


def test_feet_on_the_ground_are_the_only_auxiliary_rows(comparison):
    simulation = run("spatial_tree", {"joints": 32, "contacts": True}, 5)
    assert simulation.report.rows == 96 + 3
    assert comparison.auxiliary[-1] == 3


@pytest.mark.parametrize(
    ("name", "parameters", "frames"),
    [
        ("planar_tree", {"auxiliary": 12}, 30), ("spatial_tree", {"joints": 32, "contacts": True}, 30),
        ("knife_edge", {}, 30), ("linkages", {}, 30), ("wheel_coupling", {}, 30), ("ragdoll", {}, 30),
    ],
    ids=str,
)  # fmt: skip
def test_motion_is_the_same_with_either_solver(name, parameters, frames):
    positions = []
    for solver in ("linear-time", "bpp"):
        simulation = taut.Simulation(scenes.build(name, **parameters), solver=solver)
        positions.append(simulation.run(frames / 60).positions[-1])
    assert np.abs(positions[0] - positions[1]).max() <= 1e-9


def test_comparison_finds_a_wrong_solution(comparison, monkeypatch):
    plain = LinearTime.solve_along_tree

    def wrong(self, problem, warm_start):
        solution = plain(self, problem, warm_start)
        solution.lam[0] *= 1.0 + 1e-6
        return solution

    monkeypatch.setattr(LinearTime, "solve_along_tree", wrong)
    run("hanging_chain", {"links": 5}, 3)
    assert max(comparison.differences) > AGREEMENT
