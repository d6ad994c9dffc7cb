"""The step: accepted, linearised again, or halved, within a budget."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_up_outcomes import with_errors
from sample_mechanisms import MASS, advance, chain, falling_on_a_rope, one_body, slider, stage_by_stage, with_settings

import taut
import taut.stepping.attempt
from taut.integrators import BDF2, EULER
from taut.joints import Motor, Prismatic, Spherical
from taut.shapes import Box


def thrown_chain(**options: object) -> taut.Simulation:
    """A light chain with a heavy load, held up and let go: it goes slack, falls and snaps taut."""
    return chain(links=8, load=100.0, angle=1.2, **options)


def test_smooth_motion_takes_one_solve_a_frame() -> None:
    reports = advance(chain(links=10, load=500.0, angle=-0.5), 2.0)
    assert max(report.solves for report in reports[1:]) == 1
    assert max(report.violation for report in reports) <= 1e-6


def test_a_snap_is_halved_and_holds() -> None:
    simulation = thrown_chain()
    energy, halved = simulation.state.energy, 0
    for _ in range(240):
        report = simulation.step()
        halved += report.substeps > 1 and report.index > 1
        assert not report.unconverged
        assert report.violation <= simulation.settings.limit
        assert report.energy <= energy, "joints and gravity put nothing in, and the snap takes some out"
    assert halved > 0, "the test must meet what it is about"


def test_a_hard_impact_of_a_rope_is_stopped_within_the_frame() -> None:
    """500 m/s: the rope would be a hundred lengths too long after one step without its row."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=MASS, inertia=(1, 1, 1), position=(0, 0, -0.5), velocity=(30.0, 0, -500.0))
    scene.connect("world", "b", taut.joints.Rope(length=1.0), name="j")
    simulation = taut.Simulation(scene)
    limit, energy = simulation.settings.limit, simulation.state.energy
    for _ in range(30):
        report = simulation.step()
        assert not report.unconverged
        assert report.violation <= limit
        assert report.energy <= energy * (1.0 + 1e-9)
        assert np.linalg.norm(simulation.body("b").position) <= 1.0 + limit
    # the rope gives nothing back: what is left moves across it, at r x v = 0.5 m 30 m/s over a length of 1 m, or slower
    assert report.energy <= 0.5 * MASS * 15.0**2


def most_solves(simulation: taut.Simulation) -> int:
    """The budget, and one solve for each part still to be taken when it is spent: a half a level, three parts."""
    return simulation.settings.budget + simulation.settings.halvings + 3


def test_the_budget_of_solves_is_kept() -> None:
    worst = 0
    for simulation in (thrown_chain(step=1 / 30), thrown_chain(step=1 / 20), thrown_chain()):
        for _ in range(90):
            report = simulation.step()
            worst = max(worst, report.solves)
            assert report.solves <= most_solves(simulation)
            assert report.substeps <= report.solves
    assert worst > 8, "the test must meet steps that are hard"


def test_rows_that_contradict_each_other_are_reported_within_the_budget() -> None:
    scene = taut.Scene()
    scene.add_body("b", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0))
    scene.connect("world", "b", taut.joints.Distance(length=1.0))
    scene.connect("world", "b", taut.joints.Distance(length=1.5))
    simulation = taut.Simulation(scene)
    for _ in range(10):
        report = simulation.step()
        assert report.unconverged and report.status != "solved"
        assert report.solves <= most_solves(simulation)
        assert np.isfinite(report.energy)
    assert report.violation > 0.2, "the violation that is left is said"


@pytest.mark.parametrize("integrator", ["euler", "bdf2"])
def test_solvers_that_are_not_exact_get_one_solve_a_frame(integrator: str) -> None:
    simulation = chain(links=6, load=300.0, angle=-0.5, solver="pgs", integrator=integrator)
    reports = [simulation.step() for _ in range(20)]
    assert {(report.solves, report.substeps) for report in reports} == {(1, 1)}
    assert any(report.unconverged for report in reports)


def test_smooth_steps_keep_the_history() -> None:
    simulation = chain(angle=-0.5)
    for _ in range(10):
        simulation.step()
        assert simulation.state.history.all()


def test_a_change_of_the_index_set_restarts_with_euler() -> None:
    simulation = slider((0, 0, 1), gravity=(0, 0, -9.81), limits=(-0.3, 1.0))
    restarts = 0
    for _ in range(40):
        before = simulation.state
        simulation.step()
        if before.steps and not np.array_equal(before.index_set, simulation.state.index_set):
            assert not simulation.state.history[1]
            restarts += 1
        elif simulation.report.substeps == 1:
            assert simulation.state.history[1]
    assert restarts >= 1


def test_history_is_that_of_the_whole_frame() -> None:
    """The two-step scheme looks back over a step of the same length: never over a half or a quarter of one."""
    motor = Motor(speed=9.0, max_force=9.0)
    simulations = [thrown_chain(), falling_on_a_rope(), slider((0, 0, 1), 1.0, (0, 0, -9.81), motor=motor)]
    kept = 0
    for simulation in simulations:
        for _ in range(120):
            before = simulation.state
            simulation.step()
            after = simulation.state
            looks_back = after.history > 0
            kept += looks_back[1:].any()
            moved = after.position - before.position
            assert after.displacement[looks_back, :3] == pytest.approx(moved[looks_back], abs=1e-9)
            assert after.previous_velocity[looks_back] == pytest.approx(before.velocity[looks_back])
            assert after.previous_spin[looks_back] == pytest.approx(before.spin[looks_back])
    assert kept > 100


@pytest.mark.parametrize("refused", range(1, 9))
def test_halving_keeps_uniform_acceleration_exact(refused: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever solve is refused: a scheme that looks back over a step of another length would miss it."""
    judge, calls = taut.stepping.attempt.judgements, []

    def refuse_one(*arguments: Any) -> Any:
        calls.append(1)
        verdicts = judge(*arguments)
        return np.full_like(verdicts, "violation") if len(calls) == refused else verdicts

    monkeypatch.setattr(taut.stepping.attempt, "judgements", refuse_one)
    simulation = one_body(None, (0, 0, -9.81), velocity=(1, 0, 0))
    substeps = 0
    for frame in range(1, 12):
        substeps += simulation.step().substeps
        assert simulation.body("b").velocity == pytest.approx([1, 0, -9.81 * frame / 60])
    assert len(calls) == substeps + 1, "one part was refused and taken in halves"


@pytest.mark.parametrize("scheme", [EULER, BDF2], ids=lambda scheme: scheme.name)
def test_a_step_satisfies_its_formula(scheme: taut.integrators.Scheme) -> None:
    """alpha v+ = now v + before v_prev + h g and x+ = x + drift dX + beta v+, for a free body after the start."""
    simulation = one_body(None, (0, 0, -9.81), velocity=(1, 2, 3), integrator=scheme.name)
    simulation.step()
    simulation.step()
    before = simulation.state
    simulation.step()
    after, h = simulation.state, simulation.settings.step
    now, past = scheme.momentum
    expected = now * before.velocity[1, :3] + past * before.previous_velocity[1, :3] + h * np.array([0, 0, -9.81])
    assert scheme.alpha * after.velocity[1, :3] == pytest.approx(expected)
    moved = scheme.drift * before.displacement[1, :3] + scheme.position * h * after.velocity[1, :3]
    assert after.position[1] - before.position[1] == pytest.approx(moved)


def test_starting_costs_no_accuracy() -> None:
    """A body falls from rest. A first frame by Euler alone would leave it 3/4 g h^2 = 2.0 mm too low for good."""
    simulation = one_body(None, (0, 0, -9.81))
    advance(simulation, 1.0)
    assert simulation.body("b").position[2] == pytest.approx(-0.5 * 9.81, abs=0.25e-3)


def test_a_body_that_tumbles_faster_than_a_step_resolves_gains_no_energy() -> None:
    """1700 rad a step: what is taken because the budget is spent must be slowed down, or energy would rise by 70 %."""
    turning = 1e5 * np.array([0.3, 1.0, 0.2])
    simulation = one_body(None, inertia=(1, 2, 3), angular_velocity=turning, integrator="euler")
    energy, reports = simulation.state.energy, [simulation.step() for _ in range(60)]
    assert any(report.status == "energy" for report in reports), "the test must meet what it is about"
    assert max(report.energy for report in reports) <= 1.01 * energy


def test_time_and_steps_count_frames() -> None:
    simulation = thrown_chain()
    for _ in range(120):
        simulation.step()
    assert simulation.state.steps == 120 and simulation.time == pytest.approx(2.0)


def test_energy_never_rises_without_a_drive() -> None:
    simulation = thrown_chain(integrator="euler")
    energy = simulation.state.energy
    for _ in range(180):
        report = simulation.step()
        assert report.energy <= energy + 2e-4 * (abs(energy) + abs(report.energy))
        energy = report.energy


def test_an_unstable_guess_is_not_taken() -> None:
    """Fast spin at a large step: |omega| stays bounded by |L| over the least moment."""
    simulation = one_body(Spherical(), position=(0.2, 0, 0), angular_velocity=(200.0, 3.0, 1.0), at=(0, 0, 0))
    for _ in range(60):
        report = simulation.step()
        assert np.isfinite(report.energy)
    assert report.energy <= 1.01 * 0.5 * 0.5 * 200.0**2


def test_work_of_a_motor_counts_beside_a_force_applied_off_the_centre() -> None:
    """A motor starts and lifts a body that is also pushed at a point: what it puts in is no energy from nowhere."""
    scene = taut.Scene()
    scene.add_body("b", Box(0.2, 0.2, 0.2), mass=10.0)
    scene.connect("world", "b", Prismatic(axis=(0, 0, 1), motor=Motor(speed=1.0, max_force=200.0)), at=(0, 0, 0))
    simulation = taut.Simulation(scene)
    simulation.body("b").apply(force=(0.1, 0, 0), point=(0, 0, 0.1))
    assert [report.status for report in advance(simulation, 0.5)] == ["solved"] * 30


def test_an_attempt_that_is_still_on_its_way_is_not_taken() -> None:
    """A slack chain in a gale: rows held to 5e-5 m, 17 cm from where the step leads."""
    simulation = chain(links=8, load=1.0, angle=0.3)
    with_settings(simulation, linearisations=2, halvings=0, limit=1.0, contradiction=10.0)
    for name in simulation.model.bodies.names[1:]:
        simulation.body(name).apply(force=(0.0, 40.0, 5.0))
    assert any(simulation.step().status == "balance" for _ in range(30))


def test_the_residual_reported_is_that_of_the_solutions_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A try that is not taken may have solved its problem badly: that is no proof of what was."""
    solve, made = taut.stepping.attempt.step, []

    def spoil_the_first(*arguments: Any) -> Any:
        outcome = solve(*arguments)
        made.append(outcome)
        outcome.solution.residual = 1.0 if len(made) == 1 else 1e-3 * len(made)
        return with_errors(outcome, error=1e-5 if len(made) == 1 else 0.0)

    simulation = stage_by_stage(chain(angle=-0.5))
    advance(simulation, 0.5)
    monkeypatch.setattr(taut.stepping.attempt, "step", spoil_the_first)
    report = simulation.step()
    assert report.solves == 2 and report.substeps == 1
    assert report.residual == pytest.approx(2e-3)


def test_the_residual_of_a_frame_in_parts_is_the_worst_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    solve, made = taut.stepping.attempt.step, []

    def give_residuals(*arguments: Any) -> Any:
        outcome = solve(*arguments)
        made.append(outcome)
        outcome.solution.residual = (3e-3, 5e-3, 2e-3, 1e-3)[len(made) - 1]
        return with_errors(outcome, error=0.0, imbalance=0.0)

    monkeypatch.setattr(taut.stepping.attempt, "step", give_residuals)
    report = stage_by_stage(chain(angle=-0.5)).step()
    assert report.substeps == report.solves == 4 and report.residual == pytest.approx(5e-3)
